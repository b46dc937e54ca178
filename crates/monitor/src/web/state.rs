//! Shared state of the HTTP request handlers: the state of the whole monitor, and what only handlers need, such as the
//! response cache and the rate limit for refused clients.

use std::sync::Arc;

use axum::extract::FromRef;

use super::machines::Machines;
use super::metrics::RequestMetrics;
use super::security::Perimeter;
use super::v2::ResponseCache;
use crate::app::AppState;
use crate::config::PageSession;
use crate::core::live::Live;
use crate::fleet::FleetMember;

/// Extracted by middleware and by [`WriteAuth`](super::WriteAuth); handlers extract [`AppState`]. Cheap to clone.
#[derive(Clone)]
pub(crate) struct WebState {
    pub(crate) app: AppState,
    /// Callers that were refused.
    pub(crate) perimeter: Arc<Perimeter>,
    /// Answers of the present second.
    pub(crate) responses: Arc<ResponseCache>,
    /// The secret that our own page carries in a cookie; new with every run.
    pub(crate) page_session: Arc<PageSession>,
    /// Durations of the requests, for `/metrics`.
    pub(crate) requests: RequestMetrics,
    /// The fleet that is shown, if this process shows one.
    pub(crate) fleet: Option<Machines>,
    /// The machine whose mirror this is; it carries out what is written.
    pub(crate) member: Option<FleetMember>,
}

impl WebState {
    pub(crate) fn new(app: AppState) -> Self {
        let page_session = Arc::new(PageSession::fresh());
        Self {
            app,
            perimeter: Arc::default(),
            responses: Arc::default(),
            page_session,
            requests: RequestMetrics::default(),
            fleet: None,
            member: None,
        }
    }
}

impl FromRef<WebState> for Option<Machines> {
    fn from_ref(state: &WebState) -> Self {
        state.fleet.clone()
    }
}

impl FromRef<WebState> for Option<FleetMember> {
    fn from_ref(state: &WebState) -> Self {
        state.member.clone()
    }
}

impl FromRef<WebState> for AppState {
    fn from_ref(state: &WebState) -> Self {
        state.app.clone()
    }
}

impl FromRef<WebState> for Arc<Live> {
    fn from_ref(state: &WebState) -> Self {
        Self::clone(state.app.live())
    }
}
