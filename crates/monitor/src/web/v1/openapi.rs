//! List of REST 1.x routes for the OpenAPI document. A missing route fails the test in `web::openapi`.

use coordination::api::IsoTime;
use utoipa::OpenApi as _;

use super::schema::{OldClassifier, OldCount};

/// Paths and schemas of REST 1.x.
pub(in crate::web) fn described() -> utoipa::openapi::OpenApi {
    Described::openapi()
}

#[derive(utoipa::OpenApi)]
#[openapi(
    paths(
        super::about,
        super::health,
        super::agents::list,
        super::agents::one_info,
        super::agents::open_tasks,
        super::agents::one_task,
        super::agents::current_task,
        super::agents::archive,
        super::agents::blocked_tasks,
        super::agents::plans,
        super::agents::team_state,
        super::events::list,
        super::events::search,
        super::sessions::list,
        super::sessions::search,
        super::sessions::one,
        super::category::set,
        super::socket::open,
    ),
    components(schemas(IsoTime, OldClassifier, OldCount))
)]
struct Described;
