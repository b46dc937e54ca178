//! REST v2: a thin wrapper over `coordination::query`.

mod archives;
mod avatar;
mod category;
mod classifier;
mod etag;
pub(crate) mod live;
mod many;
pub(super) mod openapi;
mod read;
mod schema_events;
mod schema_live;
mod speak;
mod stores;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, patch, post};
use coordination::api::{ErrorCode, MAX_ITEMS_BYTES};
use serde::Serialize;

pub(crate) use self::etag::ResponseCache;
use super::error::ApiError;
use super::state::WebState;

/// Largest body of a write for many sessions: 200 of them with long ids; of all taught words; and of a message, each
/// character of which may be escaped.
const MAX_MANY: usize = 64 * 1024;

/// All v2 routes, with ETags.
pub(super) fn router(state: &WebState) -> Router<WebState> {
    with_uncached(cacheable().route_layer(from_fn_with_state(state.clone(), etag::etag)))
}

/// All v2 routes, without middleware.
#[cfg(test)]
pub(super) fn routes() -> Router<WebState> {
    with_uncached(cacheable())
}

/// Routes whose answers have ETags.
#[cfg(test)]
pub(super) fn tagged() -> Router<WebState> {
    Router::new().nest("/api/v2", cacheable())
}

fn with_uncached(cacheable: Router<WebState>) -> Router<WebState> {
    let routes = Router::new()
        .merge(cacheable)
        .route("/health", get(read::health))
        .route("/doctor", get(read::doctor))
        .route("/names", get(read::names))
        .route("/sessions-store", get(stores::list))
        .route("/sessions-store/{key}/preview", get(stores::preview))
        .route("/sessions-store/{key}/history", get(stores::history))
        .route("/sessions-archive", get(archives::list))
        .route("/sessions-archive/{agent}/{session}/history", get(archives::history))
        .route("/sessions/{id}/category", patch(category::set).delete(category::clear))
        .route("/sessions/{id}/category/history", get(category::history))
        .route("/category-changes", get(category::changes))
        .route("/categories", patch(many::set).layer(DefaultBodyLimit::max(MAX_MANY)))
        .route("/classifier/config", get(classifier::get).put(classifier::set).layer(DefaultBodyLimit::max(MAX_MANY)))
        .route("/speak", get(speak::info).post(speak::say).layer(DefaultBodyLimit::max(MAX_MANY)))
        .route("/classifier/replay", get(classifier::replay))
        .route("/agents/{id}/avatar", get(avatar::avatar))
        .route("/events/{id}", get(read::event))
        .route(
            "/schema-events",
            get(schema_events::get).post(schema_events::post).layer(DefaultBodyLimit::max(MAX_ITEMS_BYTES)),
        )
        .route("/schema-events/live", get(schema_live::live))
        .merge(live::routes())
        .route("/{*rest}", any(|| async { ApiError::not_found("There is no such route") }));
    let hooks = post(schema_events::hooks).layer(DefaultBodyLimit::max(MAX_ITEMS_BYTES));
    Router::new().nest("/api/v2", routes).route("/api/hooks/claude-code", hooks)
}

/// Routes whose answers change only when the position in the stream does; see [`etag`].
fn cacheable() -> Router<WebState> {
    Router::new()
        .route("/home", get(read::home))
        .route("/search", get(read::search))
        .route("/sessions", get(read::sessions))
        .route("/sessions/{id}", get(read::session))
        .route("/sessions/{id}/threads/{thread}", get(read::thread))
        .route("/sessions/{id}/threads/{thread}/find", get(read::find))
        .route("/sessions/{id}/find", get(read::find_all))
        .route("/sessions/{id}/timeline", get(read::timeline))
        .route("/sessions/{id}/delegations", get(read::delegations))
        .route("/sessions/{id}/flow", get(read::flow))
        .route("/agents", get(read::agents))
        .route("/agents/{id}", get(read::agent))
        .route("/agents/{id}/activity", get(read::activity))
        .route("/delegations", get(read::all_delegations))
        .route("/quality", get(read::quality))
        .route("/drift", get(read::drift))
        .route("/events", get(read::events))
        .route("/tasks", get(read::tasks))
        .route("/tasks/{agent}/{id}", get(read::task))
}

/// Compact JSON.
fn json(value: &impl Serialize) -> Result<Response, ApiError> {
    match serde_json::to_vec(value) {
        Ok(text) => Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response()),
        Err(error) => {
            tracing::error!(%error, "an answer could not be written");
            Err(ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, ErrorCode::Internal, "Internal server error"))
        }
    }
}
