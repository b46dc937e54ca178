//! Ingest of coding agents' hooks and events (`contract/event-schema-v1_1.md` §C.1). They arrive by HTTP POST, or in
//! the drop file `logs/hook-events.ndjson`, where hooks write what they cannot post. One thread writes each new input,
//! except heartbeats, to a journal before it acknowledges the input.
//!
//! The event timeline is derived from the journal alone (`coordination::schema`), so duplicates, late inputs and
//! crashes do not change it. The order of inputs matters in one case: of two posted events with the same id and
//! different content, the first one wins.

mod board;
pub(crate) mod body;
mod drop_file;
mod journal;
mod lines;
mod rotated_drop_file;
mod supervisor;
#[cfg(test)]
mod tests;
mod writer;

use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use coordination::api::{IngestInfo, ItemResult, Unreadable};
use coordination::schema::{AgentsChanged, Changed, Defaults, Fault, SchemaInput};
use coordination::time::parse_iso;
use serde_json::Value;
use tokio::sync::{oneshot, watch};

pub(crate) use board::{Board, EventChange, EventChangePage, EventFilter};

use crate::config::{HooksConfig, Settings};
use crate::fs::durable::WriteError;
use crate::inputs::LookReport;
use crate::sink::ValueSink;

/// What changed of the events that follow from everything taken in.
#[derive(Debug, Clone, Default)]
pub struct AgentEventsUpdate {
    /// Events that are new or changed, and those that were removed.
    pub changed: Changed,
    /// The events put are all there are: the whole record was read.
    pub whole: bool,
    /// Changed agents, in their new state.
    pub agents: AgentsChanged,
    /// Files that exist and cannot be read: the journal, the drop file, the rotated drop file.
    pub unreadable: Vec<Unreadable>,
}

/// Workspace of an event that names none.
const NO_WORKSPACE: &str = "repo_unknown";
/// Its terminal, likewise.
const NO_TERMINAL: &str = "term_unknown";

/// What an event is given where it is silent.
pub(crate) fn defaults(hooks: &HooksConfig, arrived_at: i64) -> Defaults<'_> {
    Defaults { workspace_id: NO_WORKSPACE, terminal_session_id: NO_TERMINAL, locale: &hooks.locale, arrived_at }
}

/// When an item that waited in a file arrived: when it was received, if it says so. The time until somebody looked into
/// the file is not how much two clocks differ.
pub(crate) fn arrival(value: &Value, now: i64) -> i64 {
    value.get("received_at").and_then(Value::as_str).and_then(parse_iso).unwrap_or(now)
}

/// Route by which an item arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IngestRoute {
    /// `POST /api/hooks/claude-code`.
    Hooks,
    /// `POST /api/v2/schema-events`.
    SchemaEvents,
    /// A line of the drop file.
    DropFile,
}

impl IngestRoute {
    /// The name that `schema_error` events give as their provider.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Hooks => "hooks",
            Self::SchemaEvents => "schema-events",
            Self::DropFile => "drop",
        }
    }
}

/// An item of a request or of the drop file.
#[derive(Debug)]
pub(crate) enum SubmittedItem {
    /// It can be accepted.
    Input(Box<SchemaInput>),
    /// It has faults.
    Refused {
        /// All faults.
        faults: Vec<Fault>,
        /// As received.
        value: Value,
        /// The route it came by; each route records at most one `schema_error` a second.
        route: IngestRoute,
    },
}

/// Items that came together.
struct IngestRequest {
    items: Vec<SubmittedItem>,
    answer: oneshot::Sender<Result<Vec<ItemResult>, WriteError>>,
}

/// State that the thread shares.
#[derive(Debug, Default)]
struct AgentEventsShared {
    board: RwLock<Board>,
    info: Mutex<IngestInfo>,
    /// How far the record is read.
    reading: watch::Sender<JournalProgress>,
}

/// How far the record is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct JournalProgress {
    /// The newest revision of the board; none until the whole record was read once.
    revision: Option<u64>,
    /// It cannot be read, so that the state is unknown.
    unreadable: bool,
}

impl AgentEventsShared {
    fn info(&self) -> MutexGuard<'_, IngestInfo> {
        self.info.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Handle of the thread; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct AgentEvents {
    /// Requests to the journal thread.
    requests: Sender<IngestRequest>,
    /// What the thread shows to readers.
    shared: Arc<AgentEventsShared>,
    /// Name of this process run: revisions are valid in one run only.
    epoch: Arc<str>,
}

impl AgentEvents {
    /// Starts the thread. `may_write` says whether this process may write the home.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(crate) fn start(
        settings: &Settings,
        epoch: &str,
        hub: ValueSink<AgentEventsUpdate>,
        may_write: impl Fn() -> bool + Clone + Send + 'static,
        report: LookReport,
    ) -> std::io::Result<Self> {
        let (requests, inbox) = mpsc::channel();
        let shared = Arc::<AgentEventsShared>::default();
        let (settings, thread_shared) = (settings.clone(), Arc::clone(&shared));
        let begin = move |before| {
            let (shared, may_write) = (Arc::clone(&thread_shared), Box::new(may_write.clone()));
            let mut writer = writer::JournalWriter::new(&settings, hub.clone(), shared, may_write).resume_from(before);
            writer.report = report.clone();
            writer
        };
        let work = move || supervisor::run(begin, &inbox, supervisor::MIN_RESTART_DELAY);
        std::thread::Builder::new().name("team".to_owned()).spawn(work)?;
        Ok(Self { requests, shared, epoch: epoch.into() })
    }

    /// Takes items in and waits until they are on the disk. The answers are in their order.
    ///
    /// # Errors
    /// When nothing of it is, or not surely, on the disk.
    pub(crate) async fn take(&self, items: Vec<SubmittedItem>) -> Result<Vec<ItemResult>, WriteError> {
        let (answer, reply) = oneshot::channel();
        let shutting_down = "the monitor is shutting down";
        self.requests
            .send(IngestRequest { items, answer })
            .map_err(|_| WriteError::not_committed_because(shutting_down))?;
        reply.await.map_err(|_| WriteError::not_committed_because("no answer came; the same may be sent again"))?
    }

    /// The events, for short reads. Never hold it across an await.
    pub(crate) fn board(&self) -> RwLockReadGuard<'_, Board> {
        self.shared.board.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Turns whenever something changed.
    pub(crate) fn reading(&self) -> watch::Receiver<JournalProgress> {
        self.shared.reading.subscribe()
    }

    /// Waits until the record is read. False when it cannot be.
    pub(crate) async fn ready(&self) -> bool {
        let mut reading = self.reading();
        let known = reading.wait_for(|reading| reading.revision.is_some() || reading.unreadable).await;
        // An error means that the monitor is closing.
        known.is_ok_and(|reading| reading.revision.is_some())
    }

    /// Names this run in cursors.
    pub(crate) fn epoch(&self) -> &str {
        &self.epoch
    }

    /// Its whole status.
    pub(crate) fn info(&self) -> IngestInfo {
        self.shared.info().clone()
    }
}
