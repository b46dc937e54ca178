//! Registry of open connections, with a limit in total and per client (IPv4 address or IPv6 network).
//!
//! At a client's limit, the client's longest idle connection is closed for a new one; near the total limit, the longest
//! idle one of all clients. Only connections that were idle for at least a second are closed. At a limit without such a
//! connection, the new one is refused.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::RequestPhase;

/// A connection is not closed for another one before it was idle for this long: its request may be on the way.
const MIN_IDLE: Duration = Duration::from_secs(1);
/// Fewest connections of one peer: a browser keeps six and a stream.
const MIN_SHARE: usize = 16;
/// One of so many connections is freed by closing idle ones.
const FREE_PART: usize = 16;

/// State of a connection that is reading a request or being answered. Others: milliseconds since the start of the
/// registry, plus one, when it became idle.
const BUSY: u64 = 0;
/// State of a connection that is closed in favour of another one.
const EVICTED: u64 = u64::MAX;

/// Registry of all connections.
#[derive(Debug)]
pub(super) struct Seats {
    /// Maximum number of connections.
    max_connections: usize,
    /// Origin of the times in [`Seat::state`].
    start: Instant,
    /// The open connections.
    open: Mutex<OpenSeats>,
}

#[derive(Debug, Default)]
struct OpenSeats {
    /// Id of the newest connection.
    last_id: u64,
    /// Connections by id.
    seats: HashMap<u64, SeatEntry>,
    /// Number of connections by peer, as [`owner`] gives it.
    peers: HashMap<IpAddr, usize>,
}

#[derive(Debug)]
struct SeatEntry {
    peer: IpAddr,
    state: Arc<AtomicU64>,
    phase: Arc<RequestPhase>,
}

/// Place of one connection, given back when dropped.
#[derive(Debug)]
pub(super) struct Seat {
    seats: Arc<Seats>,
    /// Key in the registry.
    id: u64,
    /// [`BUSY`], [`EVICTED`], or since when it is idle.
    state: Arc<AtomicU64>,
}

impl Seats {
    pub(super) fn new(max_connections: usize) -> Self {
        Self { max_connections, start: Instant::now(), open: Mutex::default() }
    }

    /// Connections that peers of this address may have. Programs on this machine are often a proxy or a host page
    /// that carries all readers, so they get three quarters of all; other machines an eighth each.
    fn share(&self, peer: IpAddr) -> usize {
        let share = if peer.is_loopback() { self.max_connections / 4 * 3 } else { self.max_connections / 8 };
        share.max(MIN_SHARE).min(self.max_connections)
    }

    /// A seat for a connection of this peer; none when all, or all of this peer, are taken and none of them is idle.
    pub(super) fn take(self: &Arc<Self>, peer: IpAddr, phase: &Arc<RequestPhase>) -> Option<Seat> {
        let peer = owner(peer);
        let now = self.now();
        let mut open = self.open();
        if open.peers.get(&peer).is_some_and(|count| *count >= self.share(peer)) {
            open.evict_idle(now, Some(peer)).then_some(())?;
        } else if open.seats.len() >= self.max_connections - self.max_connections / FREE_PART {
            let evicted = open.evict_idle(now, None);
            (evicted || open.seats.len() < self.max_connections).then_some(())?;
        }
        open.last_id += 1;
        let (id, state) = (open.last_id, Arc::new(AtomicU64::new(now)));
        let entry = SeatEntry { peer, state: Arc::clone(&state), phase: Arc::clone(phase) };
        open.seats.insert(id, entry);
        *open.peers.entry(peer).or_default() += 1;
        drop(open);
        Some(Seat { seats: Arc::clone(self), id, state })
    }

    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX).saturating_add(1).min(EVICTED - 1)
    }

    fn open(&self) -> MutexGuard<'_, OpenSeats> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenSeats {
    /// Closes the connection, of this peer or of all, that has been idle longest.
    fn evict_idle(&mut self, now: u64, peer: Option<IpAddr>) -> bool {
        let min_idle = u64::try_from(MIN_IDLE.as_millis()).unwrap_or(u64::MAX);
        let idle_since = |entry: &SeatEntry| {
            let since = entry.state.load(Ordering::Acquire);
            (since != BUSY && since.saturating_add(min_idle) <= now).then_some(since)
        };
        let candidates = self.seats.iter().filter(|(_, entry)| peer.is_none_or(|peer| entry.peer == peer));
        let oldest = candidates.filter_map(|(id, entry)| Some((idle_since(entry)?, *id))).min();
        let Some((since, id)) = oldest else { return false };
        let Some(entry) = self.seats.get(&id) else { return false };
        // It may have begun to read a request just now.
        if entry.state.compare_exchange(since, EVICTED, Ordering::AcqRel, Ordering::Acquire).is_err() {
            return false;
        }
        let phase = Arc::clone(&entry.phase);
        self.remove(id);
        phase.wake_reader();
        true
    }

    fn remove(&mut self, id: u64) {
        let Some(entry) = self.seats.remove(&id) else { return };
        if let Some(count) = self.peers.get_mut(&entry.peer) {
            *count -= 1;
            if *count == 0 {
                self.peers.remove(&entry.peer);
            }
        }
    }
}

impl Seat {
    /// A request begins; false when the connection is to be closed instead.
    pub(super) fn set_busy(&self) -> bool {
        let busy = |state| (state != EVICTED).then_some(BUSY);
        self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, busy).is_ok()
    }

    /// A request is answered.
    pub(super) fn set_idle(&self) {
        let now = self.seats.now();
        // One that is to be closed stays so.
        self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, |state| (state != EVICTED).then_some(now)).ok();
    }

    pub(super) fn is_evicted(&self) -> bool {
        self.state.load(Ordering::Acquire) == EVICTED
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.seats.open().remove(self.id);
    }
}

/// The key of a connection's share: an IPv4 address, or an IPv6 network, because a machine has all its addresses.
fn owner(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            let network = u128::from(address) >> 64 << 64;
            IpAddr::V6(network.into())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAR: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 9));
    const NEAR: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn fill(seats: &Arc<Seats>, peer: IpAddr) -> Vec<Seat> {
        std::iter::from_fn(|| {
            let seat = seats.take(peer, &Arc::default())?;
            assert!(seat.set_busy());
            Some(seat)
        })
        .collect()
    }

    #[tokio::test(start_paused = true)]
    async fn each_peer_gets_a_limited_share() {
        let seats = Arc::new(Seats::new(256));
        let far = fill(&seats, FAR);
        let near = fill(&seats, NEAR);
        assert_eq!((far.len(), near.len()), (32, 192));
        let network = |last: u16| IpAddr::from([0x2001, 0xdb8, 1, 2, 0, 0, 0, last]);
        let six = fill(&seats, network(1));
        assert!(seats.take(network(2), &Arc::default()).is_none(), "a machine has a whole network of addresses");
        assert_eq!(six.len(), 32);
        assert!(seats.take("10.0.0.10".parse().expect("an address"), &Arc::default()).is_none(), "all are taken");
        drop(far);
        assert!(seats.take(network(1), &Arc::default()).is_none());
        assert!(seats.take("10.0.0.10".parse().expect("an address"), &Arc::default()).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn new_connection_closes_longest_idle_one() {
        let seats = Arc::new(Seats::new(16));
        let mut taken = Vec::new();
        for _ in 0..15 {
            taken.push(seats.take(NEAR, &Arc::default()).expect("a seat"));
            tokio::time::advance(Duration::from_millis(10)).await;
        }
        assert!(taken[0].set_busy());
        taken.push(seats.take(NEAR, &Arc::default()).expect("the last seat"));
        assert!(seats.take(NEAR, &Arc::default()).is_none(), "none is idle for long");
        tokio::time::advance(MIN_IDLE).await;
        let next = seats.take(NEAR, &Arc::default()).expect("a seat came free");
        let evicted: Vec<usize> = (0..taken.len()).filter(|place| taken[*place].is_evicted()).collect();
        assert_eq!(evicted, [1], "the first one is busy");
        assert!(!taken[1].set_busy());
        taken[1].set_idle();
        assert!(taken[1].is_evicted());
        drop((next, taken));
        let open = seats.open();
        assert!(open.seats.is_empty() && open.peers.is_empty());
    }
}
