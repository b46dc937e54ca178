//! Query parameters of REST 1.x for the OpenAPI document (`contract/monitor-api.md` §2).

use coordination::api::IsoTime;
use coordination::ids::AgentId;
use coordination::role::Role;
use coordination::session::Status;
use utoipa::{IntoParams, ToSchema};

/// A count. What is no number, and 0, is as good as none; less than one is one, and more than 1,000 is 1,000.
#[derive(ToSchema)]
pub(in crate::web::v1) struct OldCount(String);

/// Who gives the categories: `v1`, as the existing monitor. The configured classifier when absent, as on the page.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
pub(in crate::web::v1) enum OldClassifier {
    V1,
}

/// Whose folder.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
pub(in crate::web::v1) struct Whose {
    /// The agent.
    id: AgentId,
}

/// What is looked for.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::web::v1) struct OldText {
    /// Plain text, any case; not blank.
    #[param(pattern = "\\S")]
    q: String,
    /// Who gives the categories, the configured one when absent.
    classifier: Option<OldClassifier>,
}

/// Which events of a session are shown.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::web::v1) struct OldShownQuery {
    /// Of this role.
    role: Option<Role>,
    /// Any of these types.
    #[param(rename = "type", required = false)]
    types: Vec<String>,
    /// Who gives the categories, the configured one when absent.
    classifier: Option<OldClassifier>,
}

/// Query of `GET /api/events`.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::web::v1) struct OldEventsQuery {
    /// At or after this ISO time.
    #[param(value_type = Option<IsoTime>)]
    since: Option<String>,
    /// Of this role.
    role: Option<Role>,
    /// Any of these types.
    #[param(rename = "type", required = false)]
    types: Vec<String>,
    /// Of this category; `all` is none.
    #[param(rename = "viewCategory")]
    view_category: Option<String>,
    /// How many at most, 100 when absent.
    limit: Option<OldCount>,
    /// Who gives the categories, the configured one when absent.
    classifier: Option<OldClassifier>,
}

/// Query of `GET /api/events/search`.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::web::v1) struct OldSearchQuery {
    /// Plain text, any case; not blank.
    #[param(pattern = "\\S")]
    q: String,
    /// Of this role.
    role: Option<Role>,
    /// Of this category; `all` is none.
    #[param(rename = "viewCategory")]
    view_category: Option<String>,
    /// How many at most, 50 when absent.
    limit: Option<OldCount>,
    /// How many to pass over.
    offset: Option<OldCount>,
    /// Who gives the categories, the configured one when absent.
    classifier: Option<OldClassifier>,
}

/// Query of `GET /api/work-sessions`.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::web::v1) struct OldSessionsQuery {
    /// Any of these.
    #[param(required = false)]
    status: Vec<Status>,
    /// Shows events of these roles.
    #[param(required = false)]
    role: Vec<Role>,
    /// Shows events of these types.
    #[param(rename = "type", required = false)]
    types: Vec<String>,
    /// Of this category; `all` is none.
    #[param(rename = "viewCategory")]
    view_category: Option<String>,
    /// One tag, any case.
    #[param(rename = "subTag")]
    sub_tag: Option<String>,
    /// How many at most, 100 when absent.
    limit: Option<OldCount>,
    /// Who gives the categories, the configured one when absent.
    classifier: Option<OldClassifier>,
}
