//! Store of what people set: manual categories and classifier rules (`contract/monitor-api.md` §7), and shared records
//! (notes, resolved marks, views for everybody). Only one thread writes. A change is acknowledged when it is durable, and
//! an unreadable file is never overwritten. Errors: [`WriteError`].

pub(in crate::core) mod append_log;
mod audit;
mod commit;
mod file;
mod lock;
mod rules;
mod shared;
#[cfg(test)]
mod tests;
mod writer;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};

use coordination::api::{
    CategoryChange, ExpectedOverride, ManualOverride, SharedChanged, StoreInfo, Taught, TaughtInfo, TaughtPut,
    Unreadable,
};
use coordination::category::Category;
use coordination::ids::SessionId;
use coordination::query::{ChangeRecord, MAX_HISTORY};
use coordination::shared_records::SharedRecords;
use tokio::sync::oneshot;

pub use self::shared::SharedChange;
pub(crate) use self::shared::read_shared_records;
use crate::config::Settings;
pub use crate::fs::durable::WriteError;
use crate::inputs::LookReport;
use crate::sink::ValueSink;

/// A requested change.
#[derive(Debug, Clone)]
pub struct OverrideChange {
    /// Which session; it need not exist (the 1.x API allows that).
    pub session_id: SessionId,
    /// The new category, or nothing to return to the automatic one.
    pub category: Option<Category>,
    /// The author.
    pub by: Option<String>,
    /// Why; stored in the audit log.
    pub reason: Option<String>,
    /// Names the change in the audit log.
    pub request_id: String,
    /// The expected current value; the change is refused when it is another one.
    pub expected: Option<ExpectedOverride>,
}

/// What is in force now, for the hub.
#[derive(Debug)]
pub enum OverrideStoreUpdate {
    /// Manual categories.
    Overrides {
        /// All manual categories in force.
        entries: BTreeMap<SessionId, ManualOverride>,
        /// Why the file cannot be read, if so.
        trouble: Vec<Unreadable>,
        /// Resolved once the hub has them.
        applied: Option<oneshot::Sender<()>>,
    },
    /// Rules that people taught the classifier.
    Rules {
        /// All rules in force.
        taught: Taught,
        /// Why the file cannot be read, if so.
        trouble: Vec<Unreadable>,
        /// Resolved once the hub has them.
        applied: Option<oneshot::Sender<()>>,
    },
    /// Notes, resolved marks and views for everybody.
    Shared {
        /// All records in force.
        records: SharedRecords,
        /// Why the file cannot be read, if so.
        trouble: Vec<Unreadable>,
        /// Resolved once the hub has them.
        applied: Option<oneshot::Sender<()>>,
    },
}

/// Durable changes.
struct Committed {
    /// The result of each, in the order of the changes.
    done: Vec<commit::ChangeOutcome>,
    /// Resolves when queries show it.
    applied: Applied,
}

/// Receiver that resolves when queries show the durable state.
type Applied = oneshot::Receiver<()>;

enum OverrideRequest {
    /// Categories of sessions.
    Change { changes: Vec<OverrideChange>, answer: oneshot::Sender<Result<Committed, WriteError>> },
    /// Rules of the classifier.
    Teach { put: Box<TaughtPut>, answer: oneshot::Sender<Result<Applied, WriteError>> },
    /// A shared record.
    Share { change: Box<SharedChange>, answer: oneshot::Sender<Result<shared::SharedCommitted, WriteError>> },
}

/// State that the thread shares.
#[derive(Debug, Clone, Default)]
struct OverrideStoreShared {
    /// Status of the store, for `health`.
    info: Arc<Mutex<StoreInfo>>,
    /// The rules and their status.
    taught: Arc<Mutex<TaughtInfo>>,
    /// This process holds the write lock of the home.
    holds_lock: Arc<AtomicBool>,
    /// Requests by outcome.
    outcomes: Arc<WriteOutcomes>,
}

/// Requests to change a file since the start, by outcome.
#[derive(Debug, Default)]
pub struct WriteOutcomes {
    /// Durable.
    pub written: AtomicU64,
    /// Refused, because somebody else changed it meanwhile.
    pub conflicts: AtomicU64,
    /// Not written.
    pub failed: AtomicU64,
    /// Written, but the disk did not confirm it.
    pub uncertain: AtomicU64,
}

impl WriteOutcomes {
    fn count<T>(&self, outcome: &Result<T, WriteError>) {
        let counter = match outcome {
            Ok(_) => &self.written,
            Err(WriteError::Conflict { .. }) => &self.conflicts,
            Err(WriteError::NotCommitted { .. }) => &self.failed,
            Err(WriteError::Uncertain { .. }) => &self.uncertain,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// Handle of the writing thread.
#[derive(Debug, Clone)]
pub struct OverrideStore {
    /// Requests to the writing thread.
    requests: Sender<OverrideRequest>,
    /// What the thread shows to readers.
    shared: OverrideStoreShared,
    /// Path of the audit log.
    audit: PathBuf,
}

impl OverrideStore {
    /// Starts the thread that writes the file and notices changes made by others, and waits for its first look.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(crate) fn start(
        settings: &Settings,
        hub: ValueSink<OverrideStoreUpdate>,
        report: LookReport,
    ) -> std::io::Result<Self> {
        let (requests, inbox) = mpsc::channel();
        let shared = OverrideStoreShared::default();
        let (home, clock, thread_shared) = (settings.home.clone(), settings.clock, shared.clone());
        let (looking, looked) = mpsc::channel();
        let work = move || {
            let writer = writer::OverrideWriter::new(home, clock, hub, thread_shared);
            // The receiver is gone only when the start was given up.
            looking.send(()).unwrap_or_default();
            writer.run(&inbox, report);
        };
        std::thread::Builder::new().name("overrides".to_owned()).spawn(work)?;
        looked.recv().map_err(|_| std::io::Error::other("the override store ended at its first look"))?;
        Ok(Self { requests, shared, audit: settings.home.override_audit() })
    }

    /// Makes one change durable and waits until queries show it. The answer is the override now in force.
    ///
    /// # Errors
    /// When the change is not, or not surely, on disk.
    pub async fn change(&self, change: OverrideChange) -> Result<Option<ManualOverride>, WriteError> {
        self.change_all(vec![change]).await?.pop().unwrap_or(Ok(None))
    }

    /// Makes changes durable together and waits until queries show them. A conflicting change is refused by itself; the
    /// answers are in the order of the changes.
    ///
    /// # Errors
    /// When none of them is, or not surely, on disk.
    pub async fn change_all(&self, changes: Vec<OverrideChange>) -> Result<Vec<commit::ChangeOutcome>, WriteError> {
        let shutting_down = || WriteError::not_committed_because("the monitor is shutting down");
        let (answer, reply) = oneshot::channel();
        self.lock().pending += 1;
        self.requests.send(OverrideRequest::Change { changes, answer }).map_err(|_| shutting_down())?;
        let committed = reply.await.map_err(|_| shutting_down())??;
        // The change is durable even if the hub goes away before it shows it.
        drop(committed.applied.await);
        Ok(committed.done)
    }

    /// Makes classifier rules durable and waits until queries show them. The answer is what is then in force.
    ///
    /// # Errors
    /// When they are not, or not surely, on disk, or the current rules are not the expected ones.
    pub async fn teach(&self, put: TaughtPut) -> Result<TaughtInfo, WriteError> {
        let shutting_down = || WriteError::not_committed_because("the monitor is shutting down");
        let (answer, reply) = oneshot::channel();
        self.lock().pending += 1;
        self.requests.send(OverrideRequest::Teach { put: Box::new(put), answer }).map_err(|_| shutting_down())?;
        let applied = reply.await.map_err(|_| shutting_down())??;
        // It is durable even if the hub goes away before it shows it.
        drop(applied.await);
        Ok(self.taught())
    }

    /// Makes a change of a shared record durable and waits until queries show it.
    ///
    /// # Errors
    /// When it is not, or not surely, on disk, or the record is not the expected one.
    pub async fn share(&self, change: SharedChange) -> Result<SharedChanged, WriteError> {
        let shutting_down = || WriteError::not_committed_because("the monitor is shutting down");
        let (answer, reply) = oneshot::channel();
        self.lock().pending += 1;
        self.requests.send(OverrideRequest::Share { change: Box::new(change), answer }).map_err(|_| shutting_down())?;
        let (changed, applied) = reply.await.map_err(|_| shutting_down())??;
        // It is durable even if the hub goes away before it shows it.
        drop(applied.await);
        Ok(changed)
    }

    /// Requests since the start, by outcome.
    #[must_use]
    pub fn outcomes(&self) -> &WriteOutcomes {
        &self.shared.outcomes
    }

    /// The current rules of the classifier.
    #[must_use]
    pub fn taught(&self) -> TaughtInfo {
        self.shared.taught.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether this process holds the write lock of the home.
    #[must_use]
    pub fn may_write(&self) -> bool {
        self.shared.holds_lock.load(Ordering::Relaxed)
    }

    /// Status of the store now.
    #[must_use]
    pub fn info(&self) -> StoreInfo {
        self.lock().clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, StoreInfo> {
        self.shared.info.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The whole audit log.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub fn record(&self) -> std::io::Result<ChangeRecord> {
        audit::record(&self.audit)
    }

    /// Changes of one session from the audit log, newest first.
    ///
    /// # Errors
    /// When the log is there and cannot be read.
    pub fn history(&self, session_id: &SessionId) -> std::io::Result<Vec<CategoryChange>> {
        let mut changes = audit::changes_of(&self.audit, session_id)?;
        changes.reverse();
        changes.truncate(MAX_HISTORY);
        Ok(changes)
    }
}
