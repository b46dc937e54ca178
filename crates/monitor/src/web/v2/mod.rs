//! REST v2, a thin layer over `coordination::query`. The tables here and in `live.rs` are the only list of its routes.
//! `docs/openapi.json` is generated from them and from the types of the handlers.

mod agent_events;
mod agent_events_stream;
mod archives;
mod avatar;
mod categories;
mod category;
mod classifier;
mod etag;
pub(crate) mod live;
mod paths;
mod read;
mod speak;
mod stores;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::any;
use coordination::api::{
    AgentPair, DeliveryFilter, ErrorBody, EventsFormat, EventsGroup, MAX_ITEMS_BYTES, Moment, PageMark, SessionsSort,
};
use utoipa::OpenApi as _;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt as _};

pub(crate) use self::etag::{ResponseCache, shows_tag};
use super::error::ApiError;
use super::openapi::describe::routes;
use super::state::WebState;

/// Largest body of the routes that take long lists or texts: categories of many sessions, classifier words, a message
/// to an agent.
const MAX_LARGE_BODY_BYTES: usize = 64 * 1024;

/// Schemas that parameters and shared answers refer to. Those of bodies and answers follow from the handlers.
#[derive(utoipa::OpenApi)]
#[openapi(components(schemas(
    AgentPair,
    ErrorBody,
    EventsFormat,
    EventsGroup,
    Moment,
    DeliveryFilter,
    PageMark,
    SessionsSort
)))]
struct SharedSchemas;

/// All v2 routes, with ETags.
pub(super) fn router(state: &WebState) -> Router<WebState> {
    all_routes(cacheable().route_layer(from_fn_with_state(state.clone(), etag::etag))).into()
}

/// Paths and schemas of all v2 routes.
pub(super) fn openapi() -> utoipa::openapi::OpenApi {
    all_routes(cacheable()).into_openapi()
}

/// Paths of the routes whose answers have ETags.
pub(super) fn cacheable_paths() -> Vec<String> {
    OpenApiRouter::new().nest("/api/v2", cacheable()).into_openapi().paths.paths.into_keys().collect()
}

/// All v2 routes; each handler's `#[utoipa::path]` names its method and path. `routes!` is the project's own macro: it
/// derives the description from the types of the handler. `cacheable` is an argument, because the served router adds
/// ETags to it and the OpenAPI document does not.
fn all_routes(cacheable: OpenApiRouter<WebState>) -> OpenApiRouter<WebState> {
    let large_body = DefaultBodyLimit::max(MAX_LARGE_BODY_BYTES);
    let items_body = DefaultBodyLimit::max(MAX_ITEMS_BYTES);
    let v2 = OpenApiRouter::new()
        .merge(cacheable)
        .routes(routes!(read::health))
        .routes(routes!(read::doctor))
        .routes(routes!(read::names))
        .routes(routes!(stores::list))
        .routes(routes!(stores::preview))
        .routes(routes!(stores::history))
        .routes(routes!(archives::list))
        .routes(routes!(archives::history))
        .routes(routes!(category::set, category::clear))
        .routes(routes!(category::history))
        .routes(routes!(category::changes))
        .routes(routes!(categories::set).layer(large_body))
        .routes(routes!(classifier::get, classifier::set).layer(large_body))
        .routes(routes!(speak::info, speak::say).layer(large_body))
        .routes(routes!(classifier::replay))
        .routes(routes!(avatar::avatar))
        .routes(routes!(read::event))
        .routes(routes!(agent_events::get, agent_events::post).layer(items_body))
        .routes(routes!(agent_events_stream::live))
        .merge(live::routes())
        .route("/{*rest}", any(|| async { ApiError::not_found("There is no such route") }));
    OpenApiRouter::with_openapi(SharedSchemas::openapi())
        .nest("/api/v2", v2)
        // Outside `/api/v2`: `POST /api/hooks/claude-code`.
        .routes(routes!(agent_events::receive_hook).layer(items_body))
}

/// Routes with ETags. Their answers change only when the position of the live stream advances; see [`etag`].
fn cacheable() -> OpenApiRouter<WebState> {
    OpenApiRouter::new()
        .routes(routes!(read::home))
        .routes(routes!(read::search))
        .routes(routes!(read::sessions))
        .routes(routes!(read::session))
        .routes(routes!(read::thread))
        .routes(routes!(read::find_in_thread))
        .routes(routes!(read::find_in_session))
        .routes(routes!(read::timeline))
        .routes(routes!(read::session_delegations))
        .routes(routes!(read::flow))
        .routes(routes!(read::agents))
        .routes(routes!(read::agent))
        .routes(routes!(read::activity))
        .routes(routes!(read::delegations))
        .routes(routes!(read::quality))
        .routes(routes!(read::drift))
        .routes(routes!(read::events))
        .routes(routes!(read::tasks))
        .routes(routes!(read::task))
}
