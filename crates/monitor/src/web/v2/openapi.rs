//! List of REST v2 routes for the OpenAPI document. A missing route fails the test in `web::openapi`.

use coordination::api::{
    AgentPair, DeliveryFilter, ErrorBody, EventsFormat, EventsGroup, Moment, PageMark, SessionsSort,
};
use utoipa::OpenApi as _;

/// Paths and schemas of REST v2.
pub(in crate::web) fn described() -> utoipa::openapi::OpenApi {
    Described::openapi()
}

#[derive(utoipa::OpenApi)]
#[openapi(
    paths(
        super::read::health,
        super::read::doctor,
        super::read::home,
        super::read::names,
        super::read::search,
        super::read::sessions,
        super::read::session,
        super::read::thread,
        super::read::find,
        super::read::find_all,
        super::read::timeline,
        super::read::delegations,
        super::read::flow,
        super::stores::list,
        super::stores::preview,
        super::stores::history,
        super::archives::list,
        super::archives::history,
        super::category::set,
        super::category::clear,
        super::category::history,
        super::category::changes,
        super::many::set,
        super::classifier::get,
        super::classifier::set,
        super::classifier::replay,
        super::speak::info,
        super::speak::say,
        super::read::agents,
        super::read::agent,
        super::read::activity,
        super::avatar::avatar,
        super::read::all_delegations,
        super::read::quality,
        super::read::drift,
        super::read::events,
        super::read::event,
        super::read::tasks,
        super::read::task,
        super::schema_events::hooks,
        super::schema_events::post,
        super::schema_events::get,
        super::schema_live::live,
        super::live::socket,
        super::live::events,
        super::live::long_poll,
    ),
    components(schemas(
        AgentPair,
        ErrorBody,
        EventsFormat,
        EventsGroup,
        Moment,
        DeliveryFilter,
        PageMark,
        SessionsSort
    ))
)]
struct Described;
