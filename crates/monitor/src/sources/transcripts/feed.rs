//! Type `TranscriptFeed`: what the publisher of a fleet sends of transcripts and stores, made from the updates that the hub gets.
//! The files are held packed: after a lost connection the publisher compares all of them again.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

use coordination::digest::sha256_hex;
use coordination::merge::TranscriptExchanges;
use coordination::transcript::exchanges::ExchangeEvent;

use super::published::{MAX_PART_EVENTS, PublishedStores, STORES, part_name, part_text, path_of};
use super::{TranscriptGate, TranscriptUpdate};
use crate::home::HomeDir;
use crate::inputs::LookReport;
use crate::sink::ValueSink;
use crate::sources::store::SessionStores;
use crate::sources::workspace::{ConfigReader, unclaimed};

/// Level of compression: the files are held in memory and packed again when they are sent.
const LEVEL: i32 = 3;

/// The newest files. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct TranscriptFeed {
    files: Arc<Mutex<Arc<FeedFiles>>>,
    /// The machine answers approvals for its fleet.
    can_answer: bool,
}

/// Files as of one update.
#[derive(Debug, Clone, Default)]
pub(crate) struct FeedFiles {
    /// Parts by path.
    parts: BTreeMap<String, FeedPart>,
    /// Hashes the events of parts.
    hasher: RandomState,
    stores: Option<FeedFile>,
    /// Exchanges of which the parts are not made yet: transcripts are being read.
    waiting: Option<Arc<TranscriptExchanges>>,
    /// All transcripts were read once.
    is_complete: bool,
}

/// One part. A hash of its events is cheaper to make than its text.
#[derive(Debug, Clone)]
struct FeedPart {
    hash: u64,
    file: FeedFile,
}

/// One file.
#[derive(Debug, Clone)]
pub(crate) struct FeedFile {
    /// Digest of its bytes.
    pub(crate) digest: String,
    packed: Arc<[u8]>,
    /// Number of its bytes.
    bytes: usize,
    /// Why it cannot be published.
    pub(crate) cause: Option<String>,
}

impl TranscriptFeed {
    /// Has no files yet. `can_answer`: the machine answers approvals for its fleet.
    pub(crate) fn new(can_answer: bool) -> Self {
        Self { files: Arc::default(), can_answer }
    }

    /// Starts a reader of transcripts of its own, for a process without a hub. The reader ends when the last clone of the feed
    /// is gone.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(crate) fn start(home: &HomeDir, watched: bool) -> std::io::Result<Self> {
        let feed = Self::new(false);
        let config = Mutex::new(ConfigReader::new(home.clone()));
        let (published, own_home) = (Arc::downgrade(&feed.files), home.clone());
        let gate = move || {
            if published.strong_count() == 0 {
                return TranscriptGate::Closed;
            }
            let mut roster = config.lock().unwrap_or_else(PoisonError::into_inner).look().0.roster.clone();
            roster.with_directories(&unclaimed(&own_home, &roster));
            TranscriptGate::Open(Box::new(roster))
        };
        let files = Arc::downgrade(&feed.files);
        let sink = ValueSink::new(move |update| {
            let Some(files) = files.upgrade() else { return false };
            Self { files, can_answer: false }.set_update(&update);
            true
        });
        super::spawn(gate, Arc::new(SessionStores::new(home.clone())), watched, sink, LookReport::default())?;
        Ok(feed)
    }

    /// Makes the files of an update.
    pub(crate) fn set_update(&self, update: &TranscriptUpdate) {
        let mut files = FeedFiles::clone(&self.files());
        if let Some(talk) = &update.talk {
            files.waiting = Some(Arc::new(talk.clone()));
        }
        files.is_complete = update.complete;
        if files.is_complete
            && let Some(talk) = files.waiting.take()
        {
            files.set_exchanges(&talk);
        }
        let parts = files.parts.keys().filter_map(|path| Some(path.rsplit_once('/')?.1.to_owned())).collect();
        let stores = PublishedStores::new(update, parts, self.can_answer);
        files.stores = Some(FeedFile::new(stores.text(), files.stores.as_ref()));
        *self.files.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(files);
    }

    /// The newest files.
    pub(crate) fn files(&self) -> Arc<FeedFiles> {
        Arc::clone(&self.files.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl FeedFiles {
    /// Makes the parts whose events changed.
    fn set_exchanges(&mut self, talk: &TranscriptExchanges) {
        let mut by_part: BTreeMap<String, Vec<&ExchangeEvent>> = BTreeMap::new();
        for event in talk.events() {
            by_part.entry(path_of(&part_name(&event.exchange))).or_default().push(event);
        }
        let mut before = std::mem::take(&mut self.parts);
        let made = by_part.into_iter().map(|(path, events)| {
            let hash = self.hasher.hash_one(&events);
            let part = match before.remove(&path) {
                Some(part) if part.hash == hash => part,
                part => FeedPart { hash, file: part_file(&events, part.map(|part| part.file).as_ref()) },
            };
            (path, part)
        });
        self.parts = made.collect();
    }

    /// Files to publish by path. Parts of a reading that is under way would take exchanges out of the mirrors.
    pub(crate) fn published(&self) -> impl Iterator<Item = (String, &FeedFile)> {
        let parts = self.parts.iter().filter(|_| self.is_complete).map(|(path, part)| (path.clone(), &part.file));
        parts.chain(self.stores.iter().map(|file| (path_of(STORES), file)))
    }

    /// Whether parts that are published already stay as they are.
    pub(crate) fn retains_parts(&self) -> bool {
        !self.is_complete
    }

    /// Whether nothing was read yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.stores.is_none()
    }
}

impl FeedFile {
    /// A file with these bytes: the one before where they are the same.
    fn new(text: serde_json::Result<Vec<u8>>, before: Option<&Self>) -> Self {
        let bytes = match text {
            Ok(bytes) => bytes,
            Err(error) => return Self::failed(error.to_string()),
        };
        let digest = sha256_hex(&bytes);
        match before.filter(|before| before.digest == digest) {
            Some(before) => before.clone(),
            None => match zstd::bulk::compress(&bytes, LEVEL) {
                Ok(packed) => Self { digest, packed: packed.into(), bytes: bytes.len(), cause: None },
                Err(error) => Self::failed(error.to_string()),
            },
        }
    }

    fn failed(cause: String) -> Self {
        Self { digest: String::new(), packed: Arc::default(), bytes: 0, cause: Some(cause) }
    }

    /// Its bytes.
    ///
    /// # Errors
    /// Why it cannot be published.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, String> {
        match &self.cause {
            Some(cause) => Err(cause.clone()),
            None => zstd::bulk::decompress(&self.packed, self.bytes).map_err(|error| error.to_string()),
        }
    }
}

fn part_file(events: &[&ExchangeEvent], before: Option<&FeedFile>) -> FeedFile {
    match events.len() {
        count if count > MAX_PART_EVENTS => {
            FeedFile::failed(format!("{count} events of transcripts are more than a part may have"))
        }
        _ => FeedFile::new(part_text(events), before),
    }
}
