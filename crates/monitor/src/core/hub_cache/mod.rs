//! Cache of the hub on disk, so that a start reads only the log lines written since the last save. It may be deleted at
//! any time. It is ignored when it is damaged, when it is of another build of the program or of another home, or when a
//! log file that it covers was truncated, replaced or removed.
//!
//! The thread `cache` saves the hub after the log's history is read, then at most every few minutes if the log has
//! grown enough, and when the monitor ends. Each save also contains the position in the log files ([`LogCheckpoint`]).
//! While the monitor runs, a save stops when the hub has to change, so that new log lines do not wait.

mod file;
mod program;
#[cfg(test)]
mod tests;
mod thread;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};

use coordination::digest::digest_hex;
use coordination::hub::{Hub, Packing, SectionSource as _};
use coordination::search::index::SearchIndex;

use crate::config::{CacheSettings, Settings};
use crate::core::Core;
use crate::core::source_info::NewestTimes;
use crate::core::status::LineFindings;
use crate::home::HomeDir;
use crate::sources::tail::{Follower, LogCheckpoint};
use file::{CacheError, CacheReader};
use program::ProgramIdentity;

pub(crate) use thread::CacheThread;

/// Names of the sections besides those of the hub.
const LOG_SECTION: &str = "log files";
const FINDINGS_SECTION: &str = "findings";
const SEARCH_SECTION: &str = "search index";

/// A job of the cache thread.
enum CacheJob {
    /// Save what a checkpoint covers.
    Save(SaveRequest),
    /// Save what is new, before the process ends.
    Close(SyncSender<()>),
    /// Remove the file and save nothing more.
    Remove(SyncSender<()>),
}

/// State besides the hub at the time of a checkpoint.
struct SaveRequest {
    log: LogCheckpoint,
    /// Encoded [`crate::core::status::LineFindingsRef`] and times of the newest events.
    findings: Vec<u8>,
    /// [`Core::line_blocks`] at the checkpoint.
    line_blocks: u64,
}

/// What the parts of the cache share.
#[derive(Debug, Default)]
struct CacheShared {
    /// A checkpoint is requested from the tail.
    requested: AtomicBool,
    /// Bytes of log lines that the file on disk covers.
    covered: AtomicU64,
    /// A place for the file is set.
    is_on: AtomicBool,
    /// Successful saves since the start.
    saves: AtomicU64,
    /// Saves that the disk refused since the start.
    failures: AtomicU64,
}

/// State of the cache, for metrics.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CacheStatus {
    /// Bytes of log lines that the file on disk covers.
    pub(crate) covered_bytes: u64,
    /// Successful saves since the start.
    pub(crate) saves: u64,
    /// Saves that the disk refused since the start.
    pub(crate) failures: u64,
}

/// Handle of the cache; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct CacheHandle {
    shared: Arc<CacheShared>,
    jobs: Sender<CacheJob>,
}

impl std::fmt::Debug for CacheJob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CacheJob")
    }
}

impl CacheHandle {
    /// A cache that saves nothing.
    #[cfg(test)]
    pub(crate) fn off() -> Self {
        Self { shared: Arc::default(), jobs: mpsc::channel().0 }
    }

    /// State of the cache; `None` when it is off.
    pub(crate) fn status(&self) -> Option<CacheStatus> {
        let CacheShared { covered, is_on, saves, failures, .. } = &*self.shared;
        is_on.load(Ordering::Relaxed).then(|| CacheStatus {
            covered_bytes: covered.load(Ordering::Relaxed),
            saves: saves.load(Ordering::Relaxed),
            failures: failures.load(Ordering::Relaxed),
        })
    }

    /// Whether a checkpoint is requested; each request is taken once.
    pub(crate) fn takes_request(&self) -> bool {
        self.shared.requested.swap(false, Ordering::SeqCst)
    }

    /// Passes a checkpoint on, whose lines are in the hub and in the status. `newest` are the times of the newest events.
    pub(crate) fn save(&self, core: &Core, log: LogCheckpoint, newest: NewestTimes) {
        let findings = postcard::to_allocvec(&(core.status().line_findings(), newest));
        match findings {
            Ok(findings) => {
                let request = SaveRequest { log, findings, line_blocks: core.line_blocks() };
                // An error means that the monitor is closing.
                self.jobs.send(CacheJob::Save(request)).unwrap_or_default();
            }
            Err(error) => tracing::error!(%error, "hub cache: the findings have no saved form"),
        }
    }

    /// Saves what is new since the last time, before the process ends. Returns when that is done, or cannot be.
    pub(crate) fn close(&self) {
        let (done, wait) = mpsc::sync_channel(1);
        if self.jobs.send(CacheJob::Close(done)).is_ok() {
            wait.recv().unwrap_or_default();
        }
    }

    /// Removes the file; nothing is saved afterwards. Returns when that is done.
    pub(crate) fn remove(&self) {
        let (done, wait) = mpsc::sync_channel(1);
        if self.jobs.send(CacheJob::Remove(done)).is_ok() {
            wait.recv().unwrap_or_default();
        }
    }
}

/// State that was saved.
pub(crate) struct SavedState {
    pub(crate) hub: Hub,
    /// Covers some of its events, or all.
    pub(crate) index: SearchIndex,
    /// Continues behind the lines that the hub has.
    pub(crate) follower: Follower,
    pub(crate) status: LineFindings,
    /// Times of the newest events.
    pub(crate) newest: NewestTimes,
}

/// Loader of the cache file.
pub(crate) struct CacheLoader {
    handle: CacheHandle,
    /// `None` when the cache is off.
    path: Option<PathBuf>,
}

/// Handle, loader and thread of the cache of a home. Nothing is read or started yet.
pub(crate) fn open(settings: &Settings) -> (CacheHandle, CacheLoader, CacheThread) {
    let (jobs, inbox) = mpsc::channel();
    let handle = CacheHandle { shared: Arc::default(), jobs };
    handle.shared.is_on.store(settings.cache.is_some(), Ordering::Relaxed);
    let place = settings.cache.clone().map(|cache| (path(&cache, &settings.home), cache));
    let loader = CacheLoader { handle: handle.clone(), path: place.as_ref().map(|(path, _)| path.clone()) };
    let thread = CacheThread::new(Arc::clone(&handle.shared), inbox, place, key(&settings.home));
    (handle, loader, thread)
}

/// Names the home in its cache file.
fn key(home: &HomeDir) -> String {
    let root = home.root();
    root.canonicalize().as_deref().unwrap_or(root).to_string_lossy().into_owned()
}

fn path(cache: &CacheSettings, home: &HomeDir) -> PathBuf {
    cache.folder.join(format!("hub-{}.cache", digest_hex(&key(home), 16)))
}

impl CacheLoader {
    pub(crate) fn handle(&self) -> CacheHandle {
        self.handle.clone()
    }

    /// The state that was saved of this home; `None` when everything has to be read. Logs why a file is not used.
    pub(crate) fn load(self, home: &HomeDir, packing: Arc<dyn Packing>) -> Option<SavedState> {
        let path = self.path.as_deref()?;
        let start = std::time::Instant::now();
        match load(path, home, packing) {
            Ok((saved, covered)) => {
                self.handle.shared.covered.store(covered, Ordering::SeqCst);
                let (ms, bytes) = (start.elapsed().as_millis(), covered);
                tracing::info!("hub cache: {bytes} bytes of the log loaded in {ms} ms");
                Some(saved)
            }
            Err(LoadError::Cache(CacheError::Absent)) => None,
            Err(error) => {
                tracing::warn!("hub cache not used: {}: {error}; the whole log is read", path.display());
                None
            }
        }
    }
}

/// Why nothing was loaded.
#[derive(Debug, thiserror::Error)]
enum LoadError {
    #[error(transparent)]
    Cache(#[from] CacheError),
    #[error(transparent)]
    Log(#[from] crate::sources::tail::ResumeError),
}

/// The saved state, and how many bytes of the log it covers.
fn load(path: &Path, home: &HomeDir, packing: Arc<dyn Packing>) -> Result<(SavedState, u64), LoadError> {
    let reader = CacheReader::open(path, &key(home))?;
    std::thread::scope(|scope| {
        let follower = scope.spawn(|| {
            let log: LogCheckpoint = reader.section(LOG_SECTION).ok_or(CacheError::Damaged)?;
            let covered = log.bytes();
            Ok::<_, LoadError>((Follower::resume(home.clone(), log)?, covered))
        });
        let index = scope.spawn(|| reader.section::<SearchIndex>(SEARCH_SECTION));
        let hub = Hub::from_saved(&reader, packing);
        let (follower, covered) = follower.join().map_err(|_| CacheError::Damaged)??;
        // Of two causes the log's is the more telling one.
        let hub = hub.ok_or(CacheError::Damaged)?;
        let (status, newest) = reader.section(FINDINGS_SECTION).ok_or(CacheError::Damaged)?;
        let index = index.join().ok().flatten().ok_or(CacheError::Damaged)?;
        Ok((SavedState { hub, index, follower, status, newest }, covered))
    })
}
