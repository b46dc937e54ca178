//! Shared state of the monitor: hub and live stream, status of the inputs, and broadcast of the REST 1.x stream.
//! Long-running threads hold weak references, so this state is dropped with the last clone of `AppState` (`app.rs`).

pub(crate) mod alerts;
pub(crate) mod hub_cache;
pub mod ingest;
pub mod live;
pub mod overrides;
pub(crate) mod past;
pub(crate) mod search_index;
mod source_info;
pub(crate) mod status;
pub(crate) mod visits;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLockReadGuard};

use coordination::hub::Hub;
use tokio::sync::{broadcast, watch};

use crate::config::Settings;
use crate::core::live::{HubMemory, Live};
use crate::core::status::{ReadStatus, V1Notice};

/// Notices that a client of the 1.x stream may be behind.
const NOTICE_CAPACITY: usize = 1024;

/// The hub, the live stream and the status of the inputs.
pub(crate) struct Core {
    settings: Settings,
    /// Owns the hub.
    live: Arc<Live>,
    /// Notices to the streams of REST 1.x.
    notices: broadcast::Sender<V1Notice>,
    /// What the readers of files last reported.
    status: Mutex<ReadStatus>,
    /// True once the history has been read and can be queried.
    ready: watch::Sender<bool>,
    /// Number of blocks of log lines taken in.
    line_blocks: AtomicU64,
}

impl Core {
    /// An empty hub; `epoch` names this run in cursors.
    pub(crate) fn new(settings: Settings, epoch: String, memory: &HubMemory) -> Self {
        let live = Arc::new(Live::new(epoch, settings.clock, memory));
        live.write(|hub| hub.set_classifier(settings.classifier));
        Self {
            settings,
            live,
            notices: broadcast::channel(NOTICE_CAPACITY).0,
            status: Mutex::default(),
            ready: watch::channel(false).0,
            line_blocks: AtomicU64::default(),
        }
    }

    /// The settings in force.
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The live channel, which owns the hub.
    pub(crate) fn live(&self) -> &Arc<Live> {
        &self.live
    }

    /// The hub, for short synchronous reads. Never hold it across an await.
    pub(crate) fn hub(&self) -> RwLockReadGuard<'_, Hub> {
        self.live.hub()
    }

    /// Changes the hub; only the writer thread does.
    pub(crate) fn write<T>(&self, change: impl FnOnce(&mut Hub) -> T) -> T {
        self.live.write(change)
    }

    /// Messages of the 1.x stream; subscribe before reading the hub.
    pub(crate) fn notices(&self) -> &broadcast::Sender<V1Notice> {
        &self.notices
    }

    /// State of every input that is read.
    pub(crate) fn status(&self) -> MutexGuard<'_, ReadStatus> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a block of log lines, before anything of it shows in status and hub.
    pub(crate) fn note_lines(&self) {
        self.line_blocks.fetch_add(1, Ordering::SeqCst);
    }

    /// Number of blocks of log lines so far.
    pub(crate) fn line_blocks(&self) -> u64 {
        self.line_blocks.load(Ordering::SeqCst)
    }

    /// Waits until the history is read.
    pub(crate) async fn ready(&self) {
        let mut ready = self.ready.subscribe();
        // The sender lives in this very value, so waiting cannot fail.
        drop(ready.wait_for(|ready| *ready).await);
    }

    /// True once the history is read.
    pub(crate) fn is_ready(&self) -> bool {
        *self.ready.borrow()
    }

    /// The history is read.
    pub(crate) fn set_ready(&self) {
        self.ready.send_replace(true);
    }
}
