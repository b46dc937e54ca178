//! Type `Machines`: the machines of a fleet behind one address. Each has the whole dashboard and API below `@<name>/`, from a
//! router of its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse as _, Response};
use tower::ServiceExt as _;

use super::error::ApiError;
use super::state::WebState;
use crate::fleet::{Fleet, FleetMember};

/// The fleet and the routers of its machines. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Machines(Arc<MachinesShared>);

struct MachinesShared {
    fleet: Fleet,
    /// By id of the source; made with the first request.
    routers: Mutex<HashMap<String, Router>>,
}

impl Machines {
    pub(super) fn new(fleet: Fleet) -> Self {
        Self(Arc::new(MachinesShared { fleet, routers: Mutex::default() }))
    }

    /// The fleet.
    pub(super) fn fleet(&self) -> &Fleet {
        &self.0.fleet
    }

    /// Routes of all machines, and `own` for every other path.
    pub(super) fn with_routes(self, own: Router, base: String) -> Router {
        let routes = move |request: Request| {
            let (machines, own, base) = (self.clone(), own.clone(), base.clone());
            async move { machines.answer(own, &base, request).await }
        };
        Router::new().fallback(routes)
    }

    async fn answer(&self, own: Router, base: &str, request: Request) -> Response {
        let router = match machine_of(request.uri().path(), base) {
            None => own,
            Some(name) => match self.0.fleet.member(name) {
                Some(member) => self.router(&member),
                None => {
                    return ApiError::not_found(format!("There is no machine {name} in this fleet")).into_response();
                }
            },
        };
        match router.oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }

    fn router(&self, member: &FleetMember) -> Router {
        let mut routers = self.0.routers.lock().unwrap_or_else(PoisonError::into_inner);
        let state = || WebState { member: Some(member.clone()), ..WebState::new(member.app.clone()) };
        let router = || super::router_of(&state());
        routers.entry(member.id.clone()).or_insert_with(router).clone()
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
