//! Answers about past moments. A few hubs, so that readers at different moments do not move each other's, are moved to the
//! moments of the questions, and released when nobody has asked for a while. Questions that need the same hub wait for
//! each other in their order; those about the present and the writer of the hub wait for a copy of the hub at most.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use coordination::api::{ManualOverride, PastMoment};
use coordination::hub::{Hub, PastHub};
use coordination::ids::SessionId;

use super::live::Live;

/// A hub is released when no question came for this long.
const IDLE: Duration = Duration::from_secs(600);
/// Most hubs.
const MAX_HUBS: usize = 3;
/// Most events in all of them together, but in a single one: a hub takes about a quarter of a kibibyte for each.
const MAX_EVENTS: usize = 1_500_000;
/// A hub whose moment is no farther away answers a question, whichever others there are.
const NEAR_MS: u64 = 3_600_000;

/// Hubs of past moments.
#[derive(Debug, Default)]
pub(crate) struct PastHubs {
    hubs: Mutex<Vec<Held>>,
    /// Number of events of the present hub when one was last moved.
    events: AtomicUsize,
    /// A task waits to release hubs.
    is_watched: AtomicBool,
}

/// A hub, and the moment to which the last question moves it.
#[derive(Debug)]
struct Held {
    /// Locked for one question at a time. Others wait without a thread, and leave when their client is gone.
    hub: Arc<tokio::sync::Mutex<MovedHub>>,
    moment: PastMoment,
    used: Instant,
}

/// The hub while it is held.
#[derive(Debug, Default)]
struct MovedHub {
    hub: PastHub,
    /// The moment of the hub, and the version of the present it was made from.
    at: Option<(PastMoment, u64)>,
}

impl PastHubs {
    /// Runs `query` on the hub of a past moment, at that moment, off the async threads. `overrides` are the manual
    /// categories that were in force.
    ///
    /// # Errors
    /// That of `overrides`.
    pub(crate) async fn run_query<T: Send + 'static>(
        self: &Arc<Self>,
        live: Arc<Live>,
        moment: PastMoment,
        overrides: impl FnOnce() -> io::Result<BTreeMap<SessionId, ManualOverride>> + Send + 'static,
        query: impl FnOnce(&Hub, i64) -> T + Send + 'static,
    ) -> io::Result<T> {
        self.release_when_idle();
        let mut held = self.hub_for(moment).lock_owned().await;
        let hubs = Arc::clone(self);
        let run_query = move || {
            held.move_to(&live, moment, overrides, &hubs.events)?;
            Ok(query(held.hub.hub(), moment.at))
        };
        match tokio::task::spawn_blocking(run_query).await {
            Ok(answer) => answer,
            // The panic continues in the request's own task, where it becomes a 500.
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// The hub for a moment: one that is near, else a new one, else the one that was not used for the longest time.
    fn hub_for(&self, moment: PastMoment) -> Arc<tokio::sync::Mutex<MovedHub>> {
        let mut hubs = self.hubs.lock().unwrap_or_else(PoisonError::into_inner);
        let most = (MAX_EVENTS / self.events.load(Relaxed).max(1)).clamp(1, MAX_HUBS);
        // A history that grew has room for fewer hubs.
        while hubs.len() > most {
            let oldest = hubs.iter().enumerate().min_by_key(|(_, held)| held.used).map_or(0, |(place, _)| place);
            hubs.remove(oldest);
        }
        let known: Vec<_> = hubs.iter().map(|held| (held.moment, held.used)).collect();
        let place = place_for(&known, moment, most);
        let used = Instant::now();
        match place.and_then(|place| hubs.get_mut(place)) {
            Some(held) => {
                (held.moment, held.used) = (moment, used);
                Arc::clone(&held.hub)
            }
            None => {
                let hub = Arc::default();
                hubs.push(Held { hub: Arc::clone(&hub), moment, used });
                hub
            }
        }
    }

    /// Has the hubs released once they are not used for long.
    fn release_when_idle(self: &Arc<Self>) {
        if self.is_watched.swap(true, Relaxed) {
            return;
        }
        let hubs = Arc::downgrade(self);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(IDLE).await;
                let Some(hubs) = hubs.upgrade() else { return };
                if hubs.release() {
                    return;
                }
            }
        });
    }

    /// Releases the hubs that were not used lately; whether all are released.
    fn release(&self) -> bool {
        let mut hubs = self.hubs.lock().unwrap_or_else(PoisonError::into_inner);
        hubs.retain(|held| held.used.elapsed() < IDLE);
        if hubs.is_empty() {
            self.is_watched.store(false, Relaxed);
        }
        hubs.is_empty()
    }
}

/// Which of the hubs, given by moment and last use, answers a question about a moment; none for a new one.
fn place_for(hubs: &[(PastMoment, Instant)], moment: PastMoment, most: usize) -> Option<usize> {
    let far = |of: PastMoment| (of.known_by != moment.known_by, of.at.abs_diff(moment.at));
    let nearest = (0..hubs.len()).min_by_key(|place| far(hubs[*place].0));
    let near = nearest.filter(|place| far(hubs[*place].0) <= (false, NEAR_MS));
    let oldest = (0..hubs.len()).min_by_key(|place| hubs[*place].1).filter(|_| hubs.len() >= most);
    near.or(oldest)
}

impl MovedHub {
    /// Moves the hub, unless it is there.
    fn move_to(
        &mut self,
        live: &Live,
        moment: PastMoment,
        overrides: impl FnOnce() -> io::Result<BTreeMap<SessionId, ManualOverride>>,
        events: &AtomicUsize,
    ) -> io::Result<()> {
        let version = live.version();
        if self.at != Some((moment, version)) {
            self.at = None;
            let overrides = overrides()?;
            {
                let present = live.hub();
                events.store(present.events().len(), Relaxed);
                self.hub.prepare(&present, moment, overrides);
            }
            self.hub.settle();
            self.at = Some((moment, version));
        }
        Ok(())
    }
}
