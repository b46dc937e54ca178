//! State behind the live stream and the queries: the hub (the in-memory state of all inputs), the search index, the
//! published frames, the message threads that clients have open, and the counters of connected clients.
//!
//! The ingest thread changes the hub ([`Live::write`]); the index thread extends the index ([`Live::index_more`]).
//! Queries run on blocking threads ([`Live::run_query`]). A reader of both locks the hub first.
//!
//! It opens no connection: `web::v2::live` does. Start with [`Live`], then [`Publisher`] (makes frames) and
//! [`Subscription`] (a client's position in the stream).

mod channel;
mod clients;
mod continuation;
mod frame_text;
pub(super) mod packing;
mod publisher;
mod shown;
mod subscription;

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

use coordination::api::IndexInfo;
use coordination::hub::{Hub, Packing};
use coordination::search::index::{Candidates as _, IndexEntry, SearchIndex};
use coordination::view::SharedState;
use tokio::sync::watch;

use crate::clock::ServerClock;
use crate::inputs::{Looked, WrittenInputs};

use channel::Channel;
pub(crate) use clients::{ClientSlot, Clients};
use continuation::Continuation;
pub(crate) use packing::{HubMemory, Packer};
pub(crate) use publisher::Publisher;
use shown::ShownThreads;
pub(crate) use subscription::{CloseReason, Next, StreamRequest, Subscription, poll};

/// Most entries that are prepared while a query holds the index. Beyond that, the indexer waits for the write lock.
const MAX_PREPARED_ENTRIES: usize = 16_384;

/// Packing of the hub's old lines and states.
pub(in crate::core) fn packing(memory: &HubMemory) -> Arc<dyn Packing> {
    Arc::new(packing::Zstd::new(memory))
}

/// An index without more than this part of the events is mostly complete.
const UNINDEXED_DIVISOR: usize = 64;

/// Hub, search index and published frames.
#[derive(Debug)]
pub struct Live {
    /// State of all inputs. The ingest thread changes it; queries only evict rehydrated events.
    hub: RwLock<Hub>,
    /// Packing of the hub, and of one that is loaded in its place.
    packing: Arc<dyn Packing>,
    /// Search index of the hub's first events. Only the index thread writes it, without a lock on the hub; a reader of both
    /// locks the hub first, and so never sees an index of more events than there are.
    index: RwLock<SearchIndex>,
    /// How often the hub has changed.
    version: AtomicU64,
    /// Threads that wait to change the hub.
    waiting_writers: AtomicUsize,
    /// Name of this process run, part of every cursor.
    epoch: String,
    clock: ServerClock,
    /// Published frames.
    channel: Channel,
    /// Home and cards as the newest frame leaves them: what frames with differences build on. Locked while a frame is
    /// published, so that it and the channel are of one position.
    shared: Mutex<Option<SharedState>>,
    /// What clients of other processes of a fleet continue from.
    continuation: Continuation,
    /// Threads that clients have open.
    shown: Arc<ShownThreads>,
    /// Number of live clients.
    clients: Arc<Clients>,
    /// True once the monitor shuts down; ends all streams.
    closing: watch::Sender<bool>,
}

impl Live {
    /// An empty hub without clients. `epoch` names this run of the process.
    pub(crate) fn new(epoch: String, clock: ServerClock, memory: &HubMemory) -> Self {
        Self::with_window(channel::WINDOW_FRAMES, epoch, clock, memory)
    }

    /// Like [`Self::new`], with a window of `frames` frames.
    fn with_window(frames: usize, epoch: String, clock: ServerClock, memory: &HubMemory) -> Self {
        let mut hub = Hub::new();
        hub.set_epoch(epoch.clone());
        let packing = packing(memory);
        hub.set_packing(Arc::clone(&packing));
        Self {
            hub: RwLock::new(hub),
            packing,
            index: RwLock::default(),
            version: AtomicU64::default(),
            waiting_writers: AtomicUsize::default(),
            epoch,
            clock,
            channel: Channel::with_capacity(frames),
            shared: Mutex::default(),
            continuation: Continuation::default(),
            shown: Arc::default(),
            clients: Arc::default(),
            closing: watch::channel(false).0,
        }
    }

    /// The packing of the hub.
    pub(crate) fn packing(&self) -> Arc<dyn Packing> {
        Arc::clone(&self.packing)
    }

    /// The home is a mirror, and is written by this process.
    pub(crate) fn follow_inputs(&self, written: WrittenInputs) {
        self.continuation.follow(written);
    }

    /// A reader of the home has read this far. `is_taken`: the hub has what it sent before.
    pub(crate) fn note_looked(&self, looked: Looked, is_taken: bool) {
        if is_taken {
            self.continuation.note_looked(looked);
        }
    }

    /// Everything that the hub has is published.
    pub(crate) fn note_published(&self) {
        self.continuation.note_published();
    }

    /// UTC epoch milliseconds by the configured clock.
    pub(crate) fn now(&self) -> i64 {
        self.clock.now_ms()
    }

    /// The hub, for short synchronous reads. Never hold it across an await.
    pub(crate) fn hub(&self) -> RwLockReadGuard<'_, Hub> {
        self.hub.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The index of a search. Lock the hub first.
    pub(crate) fn index(&self) -> RwLockReadGuard<'_, SearchIndex> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Size of the index, and the number of events it covers.
    pub(crate) fn index_info(&self) -> IndexInfo {
        let index = self.index();
        let (words, bytes) = (index.words() as u64, index.bytes() as u64);
        IndexInfo { events: index.covered().into(), words, bytes }
    }

    /// Whether the index covers all events but a small part, or can hold no more.
    pub(crate) fn is_mostly_indexed(&self) -> bool {
        let events = self.hub().events().len();
        let index = self.index();
        index.is_full() || events.saturating_sub(index.covered() as usize) <= events / UNINDEXED_DIVISOR
    }

    /// Takes a few of the unindexed events into the index; false when there are none left, or no more room.
    /// The caller keeps `prepared` between two calls: entries prepared for the index while a query held it.
    pub(crate) fn index_more(&self, most: u32, prepared: &mut Vec<IndexEntry>) -> bool {
        let (covered, full) = {
            let index = self.index();
            (index.covered(), index.is_full())
        };
        let before = prepared.len();
        if !full {
            let next = covered.saturating_add(u32::try_from(before).unwrap_or(u32::MAX));
            prepared.extend(self.hub().index_entries(next, most));
        }
        if prepared.is_empty() {
            return false;
        }
        // A query over many unindexed events holds the index for long. If only a few entries were added between two such
        // queries, they would stay slow.
        let mut index = match self.index.try_write() {
            Ok(index) => index,
            Err(TryLockError::WouldBlock) if (before + 1..MAX_PREPARED_ENTRIES).contains(&prepared.len()) => {
                return true;
            }
            Err(_) => self.index.write().unwrap_or_else(PoisonError::into_inner),
        };
        prepared.drain(..).all(|entry| index.add(&entry))
    }

    /// Frames published since the start, and their bytes.
    pub(crate) fn published(&self) -> (u64, u64) {
        (self.channel.published(), self.channel.total())
    }

    /// Home and cards as the newest frame leaves them; none before the first snapshot is published.
    fn shared(&self) -> MutexGuard<'_, Option<SharedState>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The run of the process and the newest published position, without waiting for the hub.
    pub(crate) fn position(&self) -> (&str, u64) {
        (&self.epoch, *self.channel.newest().borrow())
    }

    /// Changes with every published position.
    #[cfg(test)]
    pub(crate) fn newest(&self) -> watch::Receiver<u64> {
        self.channel.newest()
    }

    /// Changes the hub.
    pub(crate) fn write<T>(&self, change: impl FnOnce(&mut Hub) -> T) -> T {
        let mut hub = self.lock_hub();
        let result = change(&mut hub);
        // Under the lock: a reader of the new version sees the change.
        self.version.fetch_add(1, Ordering::Release);
        result
    }

    fn lock_hub(&self) -> RwLockWriteGuard<'_, Hub> {
        self.waiting_writers.fetch_add(1, Ordering::SeqCst);
        let hub = self.hub.write().unwrap_or_else(PoisonError::into_inner);
        self.waiting_writers.fetch_sub(1, Ordering::SeqCst);
        hub
    }

    /// Whether a change of the hub waits for its readers: a reader that takes long then gives way.
    pub(crate) fn is_writer_waiting(&self) -> bool {
        self.waiting_writers.load(Ordering::SeqCst) > 0
    }

    /// Continues with a hub and its index that were saved, in place of the empty ones.
    pub(crate) fn replace(&self, mut hub: Hub, index: SearchIndex) {
        hub.set_epoch(self.epoch.clone());
        self.write(|empty| *empty = hub);
        *self.index.write().unwrap_or_else(PoisonError::into_inner) = index;
    }

    /// Version of the state: a query after this was read sees this state or a newer one.
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Evicts old events that queries rehydrated, when they are many.
    pub(crate) fn evict_rehydrated(&self) {
        if self.hub().has_rehydrated() {
            // Not through `write`: no known state changes. The evicted events are dropped after the lock.
            let evicted = self.lock_hub().evict_rehydrated();
            drop(evicted);
        }
    }

    /// Runs a query on the hub off the async threads.
    pub(crate) async fn run_query<T: Send + 'static>(
        self: &Arc<Self>,
        query: impl FnOnce(&Hub, i64) -> T + Send + 'static,
    ) -> T {
        let live = Arc::clone(self);
        let run_query = move || {
            let answer = query(&live.hub(), live.now());
            live.evict_rehydrated();
            answer
        };
        let answer = tokio::task::spawn_blocking(run_query).await;
        match answer {
            Ok(answer) => answer,
            // The panic continues in the request's own task, where it becomes a 500.
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// Runs a query on the hub and the index, likewise.
    pub(crate) async fn run_indexed_query<T: Send + 'static>(
        self: &Arc<Self>,
        query: impl FnOnce(&Hub, &SearchIndex, i64) -> T + Send + 'static,
    ) -> T {
        let live = Arc::clone(self);
        self.run_query(move |hub, now| query(hub, &live.index(), now)).await
    }

    /// The connected clients.
    pub(crate) fn clients(&self) -> &Arc<Clients> {
        &self.clients
    }

    /// Ends the open streams.
    pub(crate) fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Turns true when the server is shutting down.
    pub(crate) fn closing(&self) -> watch::Receiver<bool> {
        self.closing.subscribe()
    }
}
