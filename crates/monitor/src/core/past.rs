//! Answers about past moments. One hub is moved to the moment of each question and released when nobody has asked for a
//! while. Questions about the past wait for each other; those about the present and the writer of the hub do not wait.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use coordination::api::{ManualOverride, PastMoment};
use coordination::hub::{Hub, PastHub};
use coordination::ids::SessionId;
use tokio::sync::Mutex;

use super::live::{self, HubMemory, Live};

/// The hub is released when no question came for this long.
const IDLE: Duration = Duration::from_secs(600);

/// Hub of past moments.
#[derive(Debug, Default)]
pub(crate) struct PastHubs {
    /// Locked for one question at a time. Others wait without a thread, and leave when their client is gone.
    held: Arc<Mutex<Option<HeldHub>>>,
    /// A task waits to release the hub.
    is_watched: AtomicBool,
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
    /// Runs `query` on the hub of a past moment, at that moment, off the async threads. The first question costs the
    /// events up to the moment, later ones a part of them. `overrides` are the manual categories that were in force.
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
        let mut held = Arc::clone(&self.held).lock_owned().await;
        let run_query = move || {
            let held = held.get_or_insert_with(HeldHub::new);
            held.move_to(&live, moment, overrides)?;
            Ok(query(held.hub.hub(), moment.at))
        };
        match tokio::task::spawn_blocking(run_query).await {
            Ok(answer) => answer,
            // The panic continues in the request's own task, where it becomes a 500.
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// Has the hub released once it is not used for long.
    fn release_when_idle(self: &Arc<Self>) {
        if self.is_watched.swap(true, Relaxed) {
            return;
        }
        let hubs = Arc::downgrade(self);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(IDLE).await;
                let Some(hubs) = hubs.upgrade() else { return };
                if hubs.is_released().await {
                    return;
                }
            }
        });
    }

    /// Releases the hub unless it was used lately; whether it is released.
    async fn is_released(&self) -> bool {
        let mut held = self.held.lock().await;
        if held.as_ref().is_some_and(|held| held.used.elapsed() < IDLE) {
            return false;
        }
        *held = None;
        self.is_watched.store(false, Relaxed);
        true
    }
}

impl HeldHub {
    fn new() -> Self {
        Self { hub: PastHub::new(Some(live::packing(&HubMemory::default()))), at: None, used: Instant::now() }
    }

    /// Moves the hub, unless it is there.
    fn move_to(
        &mut self,
        live: &Live,
        moment: PastMoment,
        overrides: impl FnOnce() -> io::Result<BTreeMap<SessionId, ManualOverride>>,
    ) -> io::Result<()> {
        let version = live.version();
        if self.at != Some((moment, version)) {
            self.at = None;
            let overrides = overrides()?;
            self.hub.prepare(&live.hub(), moment, overrides);
            // The present hub is locked for one step at a time, so that its writer never waits for long.
            let mut has_more = true;
            while has_more {
                has_more = self.hub.step(&live.hub());
                self.hub.settle();
            }
            self.at = Some((moment, version));
        }
        self.used = Instant::now();
        Ok(())
    }
}
