//! Durations of answered requests by route, method and status class. Routes are the templates of the route table, so
//! the number of series is bounded.

use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;

use crate::web::security::for_log;
use crate::web::state::WebState;

/// Upper bounds of the buckets, in seconds.
const BUCKETS: [f64; 9] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];
/// Route label of the dashboard's files and pages.
const PAGE: &str = "page";

pub(super) type Durations = Family<RequestLabels, Histogram, fn() -> Histogram>;

/// Durations of all requests since the start. A stream counts until its head is sent.
#[derive(Debug, Clone)]
pub(crate) struct RequestMetrics(Durations);

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct RequestLabels {
    route: String,
    method: &'static str,
    status: &'static str,
}

impl Default for RequestMetrics {
    fn default() -> Self {
        Self(Family::new_with_constructor(|| Histogram::new(BUCKETS)))
    }
}

impl RequestMetrics {
    /// The series, shared with this.
    pub(super) fn family(&self) -> Durations {
        self.0.clone()
    }
}

/// Middleware that measures each request, and logs it where the settings ask for that.
pub(in crate::web) async fn measure(State(state): State<WebState>, request: Request, next: Next) -> Response {
    let start = Instant::now();
    let route = request.extensions().get::<MatchedPath>().map_or(PAGE, MatchedPath::as_str).to_owned();
    let method = method_label(request.method());
    let path = state.app.settings().log.access.then(|| for_log(request.uri().path()));
    let response = next.run(request).await;
    let elapsed = start.elapsed();
    if state.app.settings().log.access {
        let (status, ms) = (response.status().as_u16(), elapsed.as_millis());
        tracing::info!(%method, path = path.unwrap_or_default(), status, ms, "request");
    }
    let labels = RequestLabels { route, method, status: status_class(response.status()) };
    state.requests.0.get_or_create(&labels).observe(elapsed.as_secs_f64());
    response
}

/// Clients may send any word as a method.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

fn status_class(status: StatusCode) -> &'static str {
    match status.as_u16() / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        _ => "5xx",
    }
}
