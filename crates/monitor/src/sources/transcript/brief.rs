//! Cache of the first and last messages of up to 5,000 transcript files, for lists of many sessions. A cached file is
//! read again only when it changed.

use std::collections::{BTreeMap, HashMap};
use std::io;

use coordination::transcript::{HEAD_BYTES, MessageRole, TAIL_BYTES, first_user_text, last_text};

use crate::fs::sandbox::{Dir, FileMeta};

use super::OpenedTranscript;

/// Cached briefs (`contract/sessions.md` §5).
pub const MAX_BRIEFS: usize = 5_000;

/// The first and the last message of a transcript, as stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TranscriptBrief {
    /// The first text of a person.
    pub first_text: Option<String>,
    /// Role and text of the last message.
    pub last: Option<(MessageRole, String)>,
}

/// Cache of briefs by file. The least recently requested one is evicted when there are too many.
#[derive(Debug, Default)]
pub struct Briefs {
    /// By path. Shrinks by eviction, and when a file cannot be read.
    cached: HashMap<String, CachedBrief>,
    /// Paths by their last request; the first is evicted first.
    order: BTreeMap<u64, String>,
    /// Number of requests: the clock of `order`.
    request_count: u64,
    /// Number of bytes read so far.
    read: u64,
}

#[derive(Debug)]
struct CachedBrief {
    state: BriefFileState,
    brief: TranscriptBrief,
    /// Its key in [`Briefs::order`].
    last_request: u64,
}

/// The same file in the same state.
type BriefFileState = ((u64, u64), u64, (i64, i64));

fn state(seen: &FileMeta) -> BriefFileState {
    (seen.identity, seen.size, seen.modified)
}

impl Briefs {
    /// The brief of a transcript: `path` names it among all cached ones, `name` in its folder.
    ///
    /// # Errors
    /// When it is missing or may not be read. Its cached brief is dropped.
    pub fn brief_of(&mut self, folder: &Dir, path: &str, name: &str) -> io::Result<TranscriptBrief> {
        let looked = folder.metadata(name).and_then(FileMeta::regular);
        let seen = looked.inspect_err(|_| self.forget(path))?;
        self.request_count += 1;
        let request_number = self.request_count;
        if let Some(cached) = self.cached.get_mut(path).filter(|cached| cached.state == state(&seen)) {
            self.order.remove(&cached.last_request);
            self.order.insert(request_number, path.to_owned());
            cached.last_request = request_number;
            return Ok(cached.brief.clone());
        }
        self.forget(path);
        let opened = OpenedTranscript::open(folder, name)?;
        let brief = opened.brief()?;
        self.read += opened.bytes_read();
        // The brief belongs to the opened file, whatever has its name by now.
        self.cached.insert(
            path.to_owned(),
            CachedBrief { state: state(&opened.seen()), brief: brief.clone(), last_request: request_number },
        );
        self.order.insert(request_number, path.to_owned());
        if self.cached.len() > MAX_BRIEFS
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.cached.remove(&oldest);
        }
        Ok(brief)
    }

    fn forget(&mut self, path: &str) {
        if let Some(cached) = self.cached.remove(path) {
            self.order.remove(&cached.last_request);
        }
    }

    /// Number of cached briefs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cached.len()
    }

    /// True when no brief is cached.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cached.is_empty()
    }

    /// Bytes read of files so far.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.read
    }
}

impl OpenedTranscript {
    /// The first and the last message: the first 8,192 and the last 16,384 bytes, no others.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn brief(&self) -> io::Result<TranscriptBrief> {
        let first_text = first_user_text(&self.head(HEAD_BYTES)?, false);
        let (tail, begins) = self.tail(TAIL_BYTES)?;
        Ok(TranscriptBrief { first_text, last: last_text(&tail, begins) })
    }
}
