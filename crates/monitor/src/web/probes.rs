//! Probes of a container or a load balancer: `GET /livez` and `GET /readyz`. They answer under any host name and from any
//! origin, because a probe calls the server by an address that the settings need not know, and say one word and no data.

use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::app::AppState;

/// Both routes.
pub(super) fn routes(app: &AppState) -> Router {
    let app = app.clone();
    Router::new()
        .route("/livez", get(|| async { answer(StatusCode::OK, "ok\n") }))
        .route("/readyz", get(move || async move { ready(&app) }))
}

/// Ready from the end of the first reading of the history until the shutdown begins. A home that cannot be read is no
/// reason to restart the server: the page shows it.
fn ready(app: &AppState) -> Response {
    if *app.closing().borrow() {
        answer(StatusCode::SERVICE_UNAVAILABLE, "closing\n")
    } else if app.is_ready() {
        answer(StatusCode::OK, "ok\n")
    } else {
        answer(StatusCode::SERVICE_UNAVAILABLE, "starting\n")
    }
}

fn answer(status: StatusCode, word: &'static str) -> Response {
    (status, [(header::CACHE_CONTROL, "no-store"), (header::X_CONTENT_TYPE_OPTIONS, "nosniff")], word).into_response()
}
