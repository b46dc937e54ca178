//! Type `PublishedReader`: reads of a mirrored home what its machine published of transcripts and stores. Only changed files are
//! read. Of one that cannot be read now, what was read before stays.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;

use coordination::api::{TranscriptReading, Unreadable};
use coordination::merge::TranscriptExchanges;
use coordination::transcript::exchanges::ExchangeEvent;

use super::TranscriptUpdate;
use super::published::{PUBLISHED_FOLDER, PublishedStores, STORES, is_part_name, path_of, read_part};
use crate::fs::sandbox::{Dir, FileMeta};
use crate::home::HomeDir;
use crate::sources::workspace::ReadError;

/// Largest file. The mirror takes none that is larger.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// The files of the last look.
#[derive(Debug, Default)]
pub(super) struct PublishedReader {
    parts: BTreeMap<String, PublishedFile<(Vec<ExchangeEvent>, u64)>>,
    stores: PublishedFile<PublishedStores>,
    /// Files of the last look that cannot be read.
    unreadable: Vec<Unreadable>,
    /// Number of looks that found a change.
    revision: u64,
    /// The last look could open every file.
    is_whole: bool,
    /// Some look could.
    is_complete: bool,
}

/// A file with its last good content.
#[derive(Debug, Default)]
struct PublishedFile<T> {
    /// As it was when it was read.
    seen: Option<FileMeta>,
    content: T,
    /// Why it is not the one that is there now.
    cause: Option<String>,
}

impl<T> PublishedFile<T> {
    /// Reads the file if it changed; whether its content did. The error is one of this machine.
    fn look(&mut self, folder: &Dir, name: &str, read: impl Fn(&[u8]) -> Result<T, String>) -> Result<bool, ReadError> {
        let seen = folder.metadata(name).and_then(FileMeta::regular)?;
        if self.seen == Some(seen) {
            return Ok(false);
        }
        let bytes = folder.read(name, MAX_FILE_BYTES)?;
        self.seen = Some(seen);
        match read(&bytes) {
            Ok(content) => {
                (self.content, self.cause) = (content, None);
                Ok(true)
            }
            Err(cause) => {
                self.cause = Some(cause);
                Ok(false)
            }
        }
    }
}

impl PublishedReader {
    /// Folders in which something may change.
    pub(super) fn watched_folders(home: &HomeDir) -> Vec<PathBuf> {
        let root = home.root().canonicalize().unwrap_or_else(|_| home.root().to_path_buf());
        vec![root.join(PUBLISHED_FOLDER)]
    }

    /// Whether the last look could open every file.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Looks at every file; nothing when all is as it was.
    pub(super) fn look(&mut self, home: &HomeDir) -> Option<TranscriptUpdate> {
        let before = std::mem::take(&mut self.unreadable);
        self.is_whole = true;
        let (exchanges_changed, stores_changed) = match home.open().and_then(|home| home.folder(PUBLISHED_FOLDER)) {
            Ok(folder) => self.read(&folder),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let had_stores = std::mem::take(&mut self.stores).seen.is_some();
                (!std::mem::take(&mut self.parts).is_empty(), had_stores)
            }
            Err(error) => {
                self.note_unread(PUBLISHED_FOLDER.to_owned(), &error.into());
                (false, false)
            }
        };
        self.note_missing();
        self.is_complete |= self.is_whole;
        let is_first = self.revision == 0;
        if !is_first && !exchanges_changed && !stores_changed && self.unreadable == before {
            return None;
        }
        self.revision += 1;
        let stores = &self.stores.content;
        let left_out: u64 = self.parts.values().map(|part| part.content.1).sum();
        let events = || self.parts.values().flat_map(|part| &part.content.0).cloned().collect();
        Some(TranscriptUpdate {
            talk: (is_first || exchanges_changed).then(|| TranscriptExchanges::new(events())),
            // All that is here is read: whether the machine has read all of its own, it said in `stores.complete`.
            complete: self.is_complete,
            revision: self.revision,
            stores: stores.stores.clone(),
            requests: stores.requests(),
            reading: TranscriptReading {
                transcripts: stores.transcripts,
                bad_lines: stores.bad_lines.saturating_add(left_out),
                ..TranscriptReading::default()
            },
            unreadable: stores.unreadable.iter().chain(&self.unreadable).cloned().collect(),
        })
    }

    /// Whether exchanges, and whether anything else changed.
    fn read(&mut self, folder: &Dir) -> (bool, bool) {
        let names = match folder.names() {
            Ok(names) => names,
            Err(error) => {
                self.note_unread(PUBLISHED_FOLDER.to_owned(), &error.into());
                return (false, false);
            }
        };
        // First: it may name fewer parts than there are by now, and those are read all the same.
        let stores_changed = match self.stores.look(folder, STORES, PublishedStores::read) {
            Ok(stores_changed) => stores_changed,
            Err(ReadError::Missing) => std::mem::take(&mut self.stores).seen.is_some(),
            Err(error) => {
                self.note_unread(path_of(STORES), &error);
                false
            }
        };
        let parts: BTreeSet<String> = names.into_iter().filter(|name| is_part_name(name)).collect();
        let count = self.parts.len();
        self.parts.retain(|name, _| parts.contains(name));
        let mut exchanges_changed = self.parts.len() != count;
        for name in parts {
            let looked = self.parts.entry(name.clone()).or_default().look(folder, &name, read_part);
            match looked {
                Ok(has_changed) => exchanges_changed |= has_changed,
                // It was removed just now.
                Err(ReadError::Missing) => exchanges_changed |= self.parts.remove(&name).is_some(),
                Err(error) => self.note_unread(path_of(&name), &error),
            }
        }
        (exchanges_changed, stores_changed)
    }

    /// Notes what is damaged, and what the machine has and did not publish.
    fn note_missing(&mut self) {
        let damaged = self.parts.iter().map(|(name, part)| (name.as_str(), &part.cause));
        let damaged = damaged.chain([(STORES, &self.stores.cause)]);
        let mut missing: Vec<Unreadable> = damaged
            .filter_map(|(name, cause)| Some(Unreadable { path: path_of(name), cause: cause.clone()? }))
            .collect();
        let stores = &self.stores;
        let named =
            stores.content.parts.iter().filter(|name| stores.content.complete && !self.parts.contains_key(*name));
        let is_unpublished = stores.seen.is_none() && self.is_whole;
        let unpublished = named.map(String::as_str).chain(is_unpublished.then_some(STORES));
        let cause = "the machine does not publish it";
        missing.extend(unpublished.map(|name| Unreadable { path: path_of(name), cause: cause.to_owned() }));
        self.unreadable.extend(missing);
    }

    fn note_unread(&mut self, path: String, error: &ReadError) {
        self.is_whole = false;
        self.unreadable.push(Unreadable { path, cause: error.to_string() });
    }
}
