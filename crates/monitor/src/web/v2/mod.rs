//! REST v2, a thin layer over `coordination::query`. The tables here and in `live.rs` are the only list of its routes.
//! `docs/openapi.json` is generated from them and from the types of the handlers.

mod agent_events;
mod agent_events_stream;
mod alerts;
mod archives;
mod avatar;
mod categories;
mod category;
mod classifier;
mod etag;
mod evidence;
mod fleet;
pub(crate) mod live;
mod paths;
mod permissions;
mod read;
mod shared;
mod speak;
mod stores;
mod visit;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::any;
use coordination::api::{MAX_ASK_BYTES, MAX_ITEMS_BYTES};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt as _};

pub(crate) use self::avatar::{PICTURE_CACHING, PICTURE_POLICY};
pub(crate) use self::etag::{ResponseCache, shows_tag};
use super::error::ApiError;
use super::openapi::api_route;
use super::state::WebState;

/// Largest body of the routes that take long lists or texts: categories of many sessions, classifier words, a note, a
/// message to an agent.
const MAX_LARGE_BODY_BYTES: usize = 64 * 1024;

/// Schemas that parameters and shared answers refer to. Those of bodies and answers follow from the handlers.
#[cfg(not(feature = "embed"))]
#[derive(utoipa::OpenApi)]
#[openapi(components(schemas(
    coordination::api::AgentPair,
    coordination::api::ErrorBody,
    coordination::api::EventsFormat,
    coordination::api::EventsGroup,
    coordination::api::EvidenceFormat,
    coordination::api::KnownBy,
    coordination::api::Moment,
    coordination::api::DeliveryFilter,
    coordination::api::PageMark,
    coordination::api::SessionsSort
)))]
struct SharedSchemas;

/// All v2 routes, with ETags.
pub(super) fn router(state: &WebState) -> Router<WebState> {
    let cacheable = cacheable().route_layer(from_fn_with_state(state.clone(), etag::etag));
    let of_fleet = fleet_routes().route_layer(from_fn_with_state(state.clone(), etag::fleet_etag));
    all_routes(cacheable.merge(of_fleet)).into()
}

/// Paths and schemas of all v2 routes.
#[cfg(not(feature = "embed"))]
pub(super) fn openapi() -> utoipa::openapi::OpenApi {
    let mut described = <SharedSchemas as utoipa::OpenApi>::openapi();
    described.merge(all_routes(cacheable().merge(fleet_routes())).into_openapi());
    described
}

/// Paths of the routes whose answers have ETags.
#[cfg(not(feature = "embed"))]
pub(super) fn cacheable_paths() -> Vec<String> {
    OpenApiRouter::new()
        .nest("/api/v2", cacheable().merge(fleet_routes()))
        .into_openapi()
        .paths
        .paths
        .into_keys()
        .collect()
}

/// All v2 routes. [`api_route!`] derives the description from the types of the handler. `cacheable` is an argument,
/// because the served router adds ETags to it and the OpenAPI document does not.
fn all_routes(cacheable: OpenApiRouter<WebState>) -> OpenApiRouter<WebState> {
    let large_body = DefaultBodyLimit::max(MAX_LARGE_BODY_BYTES);
    let items_body = DefaultBodyLimit::max(MAX_ITEMS_BYTES);
    let ask_body = DefaultBodyLimit::max(MAX_ASK_BYTES);
    let v2 = OpenApiRouter::new()
        .merge(cacheable)
        .routes(api_route!("/health": get read::health))
        .routes(api_route!("/doctor": get read::doctor))
        .routes(api_route!("/names": get read::names))
        .routes(api_route!("/sessions-store": get stores::list))
        .routes(api_route!("/sessions-store/{key}/preview": get stores::preview))
        .routes(api_route!("/sessions-store/{key}/history": get stores::history))
        .routes(api_route!("/sessions-archive": get archives::list))
        .routes(api_route!("/sessions-archive/{agent}/{session}/history": get archives::history))
        .routes(api_route!("/sessions/{id}/category": patch category::set, delete category::clear))
        .routes(api_route!("/sessions/{id}/category/history": get category::history))
        .routes(api_route!("/category-changes": get category::changes))
        .routes(api_route!("/shared/{id}": put shared::put, delete shared::remove).layer(large_body))
        .routes(api_route!("/me": get read::me))
        .routes(api_route!("/me/visit": post visit::record))
        .routes(api_route!("/categories": patch categories::set).layer(large_body))
        .routes(api_route!("/classifier/config": get classifier::get, put classifier::set).layer(large_body))
        .routes(api_route!("/speak": get speak::info, post speak::say).layer(large_body))
        .routes(api_route!("/alerts": get alerts::info))
        .routes(api_route!("/alerts/test": post alerts::test))
        .routes(api_route!("/alerts/retry": post alerts::retry))
        .routes(api_route!("/push-subscriptions": post alerts::subscribe))
        .routes(api_route!("/push-subscriptions/{id}": delete alerts::unsubscribe))
        .routes(api_route!("/classifier/replay": get classifier::replay))
        .routes(api_route!("/agents/{id}/avatar": get avatar::avatar))
        .routes(api_route!("/events/{id}": get read::event))
        .routes(api_route!("/evidence": get evidence::get))
        .routes(api_route!("/fleet/live": get fleet::live::live))
        .routes(api_route!("/schema-events": get agent_events::get, post agent_events::post).layer(items_body))
        .routes(api_route!("/schema-events/live": get agent_events_stream::live))
        .routes(api_route!("/permission-requests": get permissions::list))
        .routes(api_route!("/permission-requests/{id}": get permissions::get))
        .routes(api_route!("/permission-requests/{id}/answer": post permissions::answer))
        .merge(live::routes())
        .route("/{*rest}", any(|| async { ApiError::not_found("There is no such route") }));
    OpenApiRouter::new()
        .nest("/api/v2", v2)
        // Outside `/api/v2`.
        .routes(api_route!("/api/hooks/claude-code": post agent_events::receive_hook).layer(items_body))
        .routes(api_route!("/api/hooks/permission": post permissions::ask).layer(ask_body))
}

/// Routes with ETags. Their answers change only when the position of the live stream advances; see [`etag`].
fn cacheable() -> OpenApiRouter<WebState> {
    OpenApiRouter::new()
        .routes(api_route!("/home": get read::home))
        .routes(api_route!("/search": get read::search))
        .routes(api_route!("/sessions": get read::sessions))
        .routes(api_route!("/sessions/{id}": get read::session))
        .routes(api_route!("/sessions/{id}/threads/{thread}": get read::thread))
        .routes(api_route!("/sessions/{id}/threads/{thread}/find": get read::find_in_thread))
        .routes(api_route!("/sessions/{id}/find": get read::find_in_session))
        .routes(api_route!("/sessions/{id}/timeline": get read::timeline))
        .routes(api_route!("/sessions/{id}/delegations": get read::session_delegations))
        .routes(api_route!("/sessions/{id}/flow": get read::flow))
        .routes(api_route!("/agents": get read::agents))
        .routes(api_route!("/agents/{id}": get read::agent))
        .routes(api_route!("/agents/{id}/activity": get read::activity))
        .routes(api_route!("/delegations": get read::delegations))
        .routes(api_route!("/quality": get read::quality))
        .routes(api_route!("/drift": get read::drift))
        .routes(api_route!("/events": get read::events))
        .routes(api_route!("/days": get read::days))
        .routes(api_route!("/recap": get read::recap))
        .routes(api_route!("/totals": get read::totals))
        .routes(api_route!("/shared": get shared::list))
        .routes(api_route!("/waits": get read::waits))
        .routes(api_route!("/tasks": get read::tasks))
        .routes(api_route!("/tasks/{agent}/{id}": get read::task))
}

/// Routes with ETags whose answers are of all machines of a fleet.
fn fleet_routes() -> OpenApiRouter<WebState> {
    OpenApiRouter::new()
        .routes(api_route!("/fleet": get fleet::page))
        .routes(api_route!("/fleet/search": get fleet::search))
        .routes(api_route!("/fleet/sessions": get fleet::lists::sessions))
        .routes(api_route!("/fleet/events": get fleet::lists::events))
        .routes(api_route!("/fleet/tasks": get fleet::lists::tasks))
        .routes(api_route!("/fleet/agents": get fleet::lists::agents))
        .routes(api_route!("/fleet/drift": get fleet::lists::drift))
}
