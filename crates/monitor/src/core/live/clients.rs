//! Limit and counters of connected live clients: number by transport, and number of clients that were disconnected
//! because they were too slow. It also records whether any client reads whole frames instead of differences.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use coordination::api::LiveInfo;
use coordination::link::Transport;
use tokio::time::Instant;

/// Streams and waiting polls at once; further ones get a 503 with `Retry-After`.
const MAX_CLIENTS: u64 = 1024;

/// So long whole frames are made after a client last read one: longer than between two heartbeats or polls.
const WHOLE_LINGER: Duration = Duration::from_secs(120);

/// Number of live clients by transport.
#[derive(Debug, Default)]
pub(crate) struct Clients {
    /// Maximum number of clients: [`MAX_CLIENTS`], or fewer where the system gives few connections.
    most: OnceLock<u64>,
    /// Open WebSocket streams.
    sockets: AtomicU64,
    /// Open event streams.
    events: AtomicU64,
    /// Waiting polls.
    polls: AtomicU64,
    /// All of these, and clients that are being refused.
    all: AtomicU64,
    /// Number of clients that were disconnected for reading too slowly. Never falls.
    cut: AtomicU64,
    /// When a client last asked for whole frames.
    whole_at: Mutex<Option<Instant>>,
}

/// A place among the clients, given back when dropped.
#[derive(Debug)]
pub(crate) struct ClientSlot {
    clients: Arc<Clients>,
    transport: Transport,
}

impl Clients {
    /// Of this many connections some are reserved for queries. Set once, before the first client.
    pub(crate) fn share(&self, connections: usize) {
        let most = u64::try_from(connections / 4 * 3).unwrap_or(MAX_CLIENTS);
        // A second call changes nothing.
        self.most.get_or_init(|| most.min(MAX_CLIENTS));
    }

    /// A place, unless all are taken.
    pub(crate) fn enter(self: &Arc<Self>, transport: Transport) -> Option<ClientSlot> {
        if self.all.fetch_add(1, Ordering::Relaxed) >= *self.most.get_or_init(|| MAX_CLIENTS) {
            self.all.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        self.counter_of(transport).fetch_add(1, Ordering::Relaxed);
        Some(ClientSlot { clients: Arc::clone(self), transport })
    }

    /// Notes a client that reads whole frames.
    pub(super) fn note_whole(&self) {
        *self.whole_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Whether whole frames are wanted: a client got one lately, or polled.
    pub(super) fn wants_whole(&self) -> bool {
        let at = *self.whole_at.lock().unwrap_or_else(PoisonError::into_inner);
        at.is_some_and(|at| at.elapsed() < WHOLE_LINGER)
    }

    /// Notes that a client was too slow.
    pub(crate) fn note_cut(&self) {
        self.cut.fetch_add(1, Ordering::Relaxed);
    }

    /// For `health`.
    pub(crate) fn info(&self) -> LiveInfo {
        LiveInfo {
            clients: self.all.load(Ordering::Relaxed),
            sockets: self.sockets.load(Ordering::Relaxed),
            events: self.events.load(Ordering::Relaxed),
            polls: self.polls.load(Ordering::Relaxed),
            cut: self.cut.load(Ordering::Relaxed),
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
        clients.share(100);
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
