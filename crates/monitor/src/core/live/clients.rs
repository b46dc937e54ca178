//! Limit and counters of the clients of the live stream: clients by transport, and clients that were disconnected
//! because they read too slowly. Also the last time at which a client read full frames, as older pages do; the current
//! page reads differences. The monitor makes full frames only while clients read them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use coordination::api::LiveInfo;
use coordination::link::Transport;
use tokio::time::Instant;

/// Streams and waiting polls at once; further ones get a 503 with `Retry-After`.
const MAX_CLIENTS: u64 = 1024;

/// Whole frames are written for this long after a client last read one. Longer than two heartbeats or polls are apart.
const WHOLE_FRAMES_LINGER: Duration = Duration::from_secs(120);

/// Counters of live clients, with the limit on their number.
#[derive(Debug, Default)]
pub(crate) struct Clients {
    /// Maximum number of clients: [`MAX_CLIENTS`], or less where the process may open few connections.
    max_clients: OnceLock<u64>,
    /// Number of open WebSocket streams.
    sockets: AtomicU64,
    /// Number of open event streams.
    events: AtomicU64,
    /// Number of waiting polls.
    polls: AtomicU64,
    /// Sum of the three. Briefly one more for each client that is being refused.
    all: AtomicU64,
    /// Number of clients disconnected since the start because they read too slowly.
    slow_disconnects: AtomicU64,
    /// When a client last read whole frames (not differences).
    last_whole_read: Mutex<Option<Instant>>,
}

/// Slot of one client. Dropping it frees the slot.
#[derive(Debug)]
pub(crate) struct ClientSlot {
    clients: Arc<Clients>,
    transport: Transport,
}

impl Clients {
    /// Limits the clients to three quarters of the connections; the rest is reserved for queries. Call it before the
    /// first client; a second call has no effect.
    pub(crate) fn limit_to_share_of(&self, connections: usize) {
        let share = u64::try_from(connections / 4 * 3).unwrap_or(MAX_CLIENTS);
        self.max_clients.get_or_init(|| share.min(MAX_CLIENTS));
    }

    /// Takes a slot; `None` when all are taken.
    pub(crate) fn enter(self: &Arc<Self>, transport: Transport) -> Option<ClientSlot> {
        if self.all.fetch_add(1, Ordering::Relaxed) >= *self.max_clients.get_or_init(|| MAX_CLIENTS) {
            self.all.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        self.counter_of(transport).fetch_add(1, Ordering::Relaxed);
        Some(ClientSlot { clients: Arc::clone(self), transport })
    }

    /// Notes that a client reads whole frames.
    pub(super) fn note_whole(&self) {
        *self.last_whole_read.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Whether to write whole frames: a client read one within [`WHOLE_FRAMES_LINGER`].
    pub(super) fn wants_whole(&self) -> bool {
        let at = *self.last_whole_read.lock().unwrap_or_else(PoisonError::into_inner);
        at.is_some_and(|at| at.elapsed() < WHOLE_FRAMES_LINGER)
    }

    /// Counts a client that is disconnected because it read too slowly.
    pub(crate) fn note_slow_disconnect(&self) {
        self.slow_disconnects.fetch_add(1, Ordering::Relaxed);
    }

    /// For `health`.
    pub(crate) fn info(&self) -> LiveInfo {
        LiveInfo {
            clients: self.all.load(Ordering::Relaxed),
            sockets: self.sockets.load(Ordering::Relaxed),
            events: self.events.load(Ordering::Relaxed),
            polls: self.polls.load(Ordering::Relaxed),
            cut: self.slow_disconnects.load(Ordering::Relaxed),
        }
    }

    fn counter_of(&self, transport: Transport) -> &AtomicU64 {
        match transport {
            Transport::Socket => &self.sockets,
            Transport::Events => &self.events,
            Transport::Poll => &self.polls,
        }
    }
}

impl Drop for ClientSlot {
    fn drop(&mut self) {
        self.clients.counter_of(self.transport).fetch_sub(1, Ordering::Relaxed);
        self.clients.all.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_connections_reserve_some_for_queries() {
        let clients = Arc::new(Clients::default());
        clients.limit_to_share_of(100);
        let inside: Vec<_> = std::iter::from_fn(|| clients.enter(Transport::Socket)).collect();
        assert_eq!(inside.len(), 75);
    }

    #[test]
    fn client_cap_refuses_new_and_spares_connected() {
        let clients = Arc::new(Clients::default());
        let mut inside: Vec<ClientSlot> =
            (0..MAX_CLIENTS).map(|_| clients.enter(Transport::Socket).expect("a place")).collect();
        assert!(clients.enter(Transport::Events).is_none());
        assert_eq!((clients.info().clients, clients.info().events), (MAX_CLIENTS, 0));
        inside.pop();
        let late = clients.enter(Transport::Poll).expect("a place came free");
        assert_eq!((clients.info().sockets, clients.info().polls), (MAX_CLIENTS - 1, 1));
        drop((late, inside));
        assert_eq!(clients.info(), LiveInfo::default());
    }
}
