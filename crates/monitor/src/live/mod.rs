//! The live stream (design §3.9): what is known, the numbered frames made of its changes, and every client's place
//! among them, whatever its transport.

mod channel;
mod clients;
mod packing;
mod publisher;
mod subscription;

#[cfg(test)]
mod tests;

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use coordination::hub::Hub;
use tokio::sync::watch;

use crate::clock::Clock;

use channel::Channel;
pub(crate) use clients::{Clients, Place};
pub(crate) use publisher::Publisher;
pub(crate) use subscription::{Next, Subscription, Verdict, poll};

/// Everything a live client is served from.
#[derive(Debug)]
pub struct Live {
    /// Everything known. Only the ingest thread writes it; it grows with the log and never shrinks.
    hub: RwLock<Hub>,
    clock: Clock,
    channel: Channel,
    clients: Arc<Clients>,
    closing: watch::Sender<bool>,
}

impl Live {
    /// Nothing known, nobody connected. `epoch` names this run of the process.
    pub(crate) fn new(epoch: String, clock: Clock) -> Self {
        Self::keeping(channel::WINDOW_FRAMES, epoch, clock)
    }

    /// The same with a window of its own size.
    fn keeping(frames: usize, epoch: String, clock: Clock) -> Self {
        let mut hub = Hub::new();
        hub.set_epoch(epoch);
        hub.set_packing(Arc::new(packing::Zstd));
        Self {
            hub: RwLock::new(hub),
            clock,
            channel: Channel::keeping(frames),
            clients: Arc::default(),
            closing: watch::channel(false).0,
        }
    }

    /// UTC epoch milliseconds by the configured clock.
    pub(crate) fn now(&self) -> i64 {
        self.clock.now_ms()
    }

    /// The hub, for short synchronous reads. Never hold it across an await.
    pub(crate) fn hub(&self) -> RwLockReadGuard<'_, Hub> {
        self.hub.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the hub.
    pub(crate) fn write<T>(&self, change: impl FnOnce(&mut Hub) -> T) -> T {
        change(&mut self.hub.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// Packs lines of old events, so many blocks at a time; true when there may be more. The packing itself needs no
    /// right to write, and what is not needed any more is let go of when nobody waits for the hub.
    pub(crate) fn put_away(&self, blocks: usize) -> bool {
        let packed = self.hub().pack(blocks);
        let more = packed.len() == blocks;
        if !packed.is_empty() {
            drop(self.write(|hub| hub.put_away(packed)));
        }
        more
    }

    /// Lets go of old events that questions made be read again, when they are many.
    pub(crate) fn cool(&self) {
        if self.hub().is_warm() {
            drop(self.write(Hub::cool));
        }
    }

    /// Asks the hub something off the async threads.
    pub(crate) async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        question: impl FnOnce(&Hub, i64) -> T + Send + 'static,
    ) -> T {
        let live = Arc::clone(self);
        let asked = move || {
            let answer = question(&live.hub(), live.now());
            live.cool();
            answer
        };
        let answer = tokio::task::spawn_blocking(asked).await;
        match answer {
            Ok(answer) => answer,
            // The panic goes on in the request's own task, where it becomes a 500.
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// Who is connected.
    pub(crate) fn clients(&self) -> &Arc<Clients> {
        &self.clients
    }

    /// Tells open streams to end.
    pub(crate) fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Turns true when the server is shutting down.
    pub(crate) fn closing(&self) -> watch::Receiver<bool> {
        self.closing.subscribe()
    }
}
