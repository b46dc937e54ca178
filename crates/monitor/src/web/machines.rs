//! Type `Machines`: the machines of a fleet behind one address. Each has the whole dashboard and API below `@<name>/`, from a
//! router of its own.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{from_fn, from_fn_with_state};
use tokio::sync::watch;
use tokio::time::MissedTickBehavior;
use tower::ServiceExt as _;

use super::error::ApiError;
use super::state::WebState;
use super::{request, security};
use crate::fleet::{Fleet, FleetMember};

/// Between two looks at the versions of all machines: clients are informed ten times a second at most.
const VERSION_INTERVAL: Duration = Duration::from_millis(100);

/// The fleet and the routers of its machines. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Machines(Arc<MachinesShared>);

struct MachinesShared {
    fleet: Fleet,
    /// By the epoch of the machine's monitor; made with the first request, dropped when that monitor ends.
    routers: Mutex<HashMap<String, Router>>,
    /// [`Machines::positions`] for live clients; up to date once `following` was called.
    positions: watch::Sender<u64>,
    following: Once,
}

/// Version of the answers of all machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct FleetVersion {
    /// Digest of the machines and of their positions in their live streams: what live clients see.
    pub(super) positions: u64,
    /// Digest of the numbers of changes of their hubs, which are ahead of the positions.
    pub(super) changes: u64,
}

impl Machines {
    pub(super) fn new(fleet: Fleet) -> Self {
        let (routers, positions) = (Mutex::default(), watch::channel(0).0);
        Self(Arc::new(MachinesShared { fleet, routers, positions, following: Once::new() }))
    }

    /// Version of the answers; none while a history is read: positions do not advance then.
    pub(super) fn version(&self) -> Option<FleetVersion> {
        let view = self.0.fleet.view();
        let mut changes = DefaultHasher::new();
        view.members.iter().for_each(|member| member.app.live().version().hash(&mut changes));
        let version = FleetVersion { positions: self.positions(), changes: changes.finish() };
        view.members.iter().all(|member| member.app.is_ready()).then_some(version)
    }

    /// Digest of the state of all machines, and of their positions in their live streams.
    fn positions(&self) -> u64 {
        let view = self.0.fleet.view();
        let mut positions = DefaultHasher::new();
        view.digest.hash(&mut positions);
        for member in &view.members {
            (&member.id, member.app.live().position(), member.app.is_ready()).hash(&mut positions);
        }
        positions.finish()
    }

    /// Changes when an answer about the fleet may have changed, at most ten times a second.
    pub(super) fn subscribe(&self) -> watch::Receiver<u64> {
        self.0.following.call_once(|| {
            self.0.positions.send_replace(self.positions());
            tokio::spawn(follow_positions(Arc::downgrade(&self.0)));
        });
        self.0.positions.subscribe()
    }

    /// The fleet.
    pub(super) fn fleet(&self) -> &Fleet {
        &self.0.fleet
    }

    /// Routes of all machines, and those of the process itself for every other path.
    pub(super) fn with_routes(self, state: &WebState) -> Router {
        let (own, unknown) = (super::router_of(state), unknown_machine(state));
        let base = state.app.settings().base_path.clone();
        let routes = move |request: Request| {
            let router = match machine_of(request.uri().path(), &base) {
                None => own.clone(),
                Some(name) => self.0.fleet.member(name).map_or_else(|| unknown.clone(), |member| self.router(&member)),
            };
            async move {
                match router.oneshot(request).await {
                    Ok(response) => response,
                    Err(never) => match never {},
                }
            }
        };
        Router::new().fallback(routes)
    }

    fn router(&self, member: &FleetMember) -> Router {
        let state = WebState { member: Some(member.clone()), ..WebState::new(member.app.clone()) };
        let mut closing = member.app.closing();
        if *closing.borrow() {
            return super::router_of(&state);
        }
        let mut routers = self.0.routers.lock().unwrap_or_else(PoisonError::into_inner);
        let epoch = member.app.live().position().0.to_owned();
        match routers.entry(epoch) {
            Entry::Occupied(router) => router.get().clone(),
            Entry::Vacant(vacant) => {
                let (shared, epoch) = (Arc::downgrade(&self.0), vacant.key().clone());
                tokio::spawn(async move {
                    // A router keeps its monitor alive.
                    drop(closing.wait_for(|closing| *closing).await);
                    if let Some(shared) = shared.upgrade() {
                        shared.routers.lock().unwrap_or_else(PoisonError::into_inner).remove(&epoch);
                    }
                });
                vacant.insert(super::router_of(&state)).clone()
            }
        }
    }
}

/// Answers for a machine that the fleet does not have.
fn unknown_machine(state: &WebState) -> Router {
    let refuse = || async { ApiError::not_found("There is no machine of this name in this fleet") };
    let routes = Router::new().fallback(refuse).layer(from_fn(request::finish));
    routes.layer(from_fn_with_state(state.clone(), security::protect))
}

/// Keeps the positions up to date until the fleet is gone.
async fn follow_positions(shared: Weak<MachinesShared>) {
    let mut interval = tokio::time::interval(VERSION_INTERVAL);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        interval.tick().await;
        let Some(shared) = shared.upgrade() else { return };
        // Also without a client: the next one must not see an old position.
        let positions = Machines(Arc::clone(&shared)).positions();
        shared.positions.send_if_modified(|known| std::mem::replace(known, positions) != positions);
    }
}

/// The machine that a path names. Proxies may have stripped the base.
fn machine_of<'a>(path: &'a str, base: &str) -> Option<&'a str> {
    let below = path.strip_prefix(base).or_else(|| path.strip_prefix('/'))?;
    let name = below.strip_prefix('@')?.split('/').next()?;
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_machines_with_and_without_the_base() {
        assert_eq!(machine_of("/@seum-mac/api/v2/home", "/"), Some("seum-mac"));
        assert_eq!(machine_of("/hub/@seum-mac", "/hub/"), Some("seum-mac"));
        assert_eq!(machine_of("/@seum-mac/", "/hub/"), Some("seum-mac"));
        for other in ["/", "/@", "/@/x", "/api/v2/home", "/sessions/@seum", "/hub/x"] {
            assert_eq!(machine_of(other, "/"), None, "{other}");
        }
    }
}
