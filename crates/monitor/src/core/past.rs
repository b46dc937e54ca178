//! Answers about past moments. One hub is moved to the moment of each question and released when nobody has asked for a
//! while. Questions about the past wait for each other; those about the present and the writer of the hub do not wait.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use coordination::api::{ManualOverride, PastMoment};
use coordination::hub::{Hub, PastHub};
use coordination::ids::SessionId;

use super::live::{self, Live};

/// The hub is released when no question came for this long.
const IDLE: Duration = Duration::from_secs(600);

/// Hub of past moments.
#[derive(Debug, Default)]
pub(crate) struct PastHubs {
    held: Mutex<Option<HeldHub>>,
    /// A task waits to release the hub.
    is_watched: AtomicBool,
    /// The question whose turn it is. Others wait here and not on a thread, and leave when their client is gone.
    turn: tokio::sync::Mutex<()>,
}

/// The hub while it is held.
#[derive(Debug)]
struct HeldHub {
    hub: PastHub,
    /// The moment of the hub, and the version of the present it was made from.
    at: Option<(PastMoment, u64)>,
    used: Instant,
}

impl PastHubs {
    /// Waits for the turn of a question.
    pub(crate) async fn turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.turn.lock().await
    }

    /// Runs `query` on the hub of a past moment, at that moment. Blocks: the first question costs the events up to the
    /// moment, later ones a part of them. `overrides` are the manual categories that were in force.
    ///
    /// # Errors
    /// That of `overrides`.
    pub(crate) fn run_query<T>(
        &self,
        live: &Live,
        moment: PastMoment,
        overrides: impl FnOnce() -> io::Result<BTreeMap<SessionId, ManualOverride>>,
        query: impl FnOnce(&Hub, i64) -> T,
    ) -> io::Result<T> {
        let mut held = self.lock();
        let held = held.get_or_insert_with(HeldHub::new);
        let version = live.version();
        if held.at != Some((moment, version)) {
            held.at = None;
            let overrides = overrides()?;
            held.hub.prepare(&live.hub(), moment, overrides);
            // The present hub is locked for one step at a time, so that its writer never waits for long.
            loop {
                let has_more = held.hub.step(&live.hub());
                held.hub.settle();
                if !has_more {
                    break;
                }
            }
            held.at = Some((moment, version));
        }
        held.used = Instant::now();
        Ok(query(held.hub.hub(), moment.at))
    }

    /// Has the hub released once it is not used for long.
    pub(crate) fn release_when_idle(self: &Arc<Self>) {
        if self.is_watched.swap(true, Relaxed) {
            return;
        }
        let hubs = Arc::downgrade(self);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(IDLE).await;
                if hubs.upgrade().is_none_or(|hubs| hubs.is_released()) {
                    return;
                }
            }
        });
    }

    /// Releases the hub unless it was used lately; whether it is released.
    fn is_released(&self) -> bool {
        let mut held = self.lock();
        if held.as_ref().is_some_and(|held| held.used.elapsed() < IDLE) {
            return false;
        }
        *held = None;
        self.is_watched.store(false, Relaxed);
        true
    }

    fn lock(&self) -> MutexGuard<'_, Option<HeldHub>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HeldHub {
    fn new() -> Self {
        Self { hub: PastHub::new(Some(live::packing())), at: None, used: Instant::now() }
    }
}
