//! Types of `GET /api/v2/category-changes`: record of all category changes.

use serde::{Deserialize, Serialize};

use super::{CategoryChange, Cursor, ExpectedOverride, SessionLink};

/// `GET category-changes`.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct ChangesQuery {
    /// Made under this name, whatever its case.
    #[cfg_attr(feature = "openapi", param(max_length = 400))]
    pub who: Option<String>,
    /// Text in the title or id of the session, case-insensitive.
    #[cfg_attr(feature = "openapi", param(max_length = 400))]
    pub session: Option<String>,
    /// What was in force before.
    pub from: Option<ExpectedOverride>,
    /// What was in force after.
    pub to: Option<ExpectedOverride>,
    /// At or after, epoch ms.
    #[cfg_attr(feature = "openapi", param(value_type = Option<super::Moment>))]
    pub since: Option<i64>,
    /// At or before, epoch ms.
    #[cfg_attr(feature = "openapi", param(value_type = Option<super::Moment>))]
    pub until: Option<i64>,
    /// Page size, 1–500, default 100.
    #[cfg_attr(feature = "openapi", param(minimum = 1, maximum = 500))]
    pub limit: Option<u32>,
    /// Older than this `next`.
    #[cfg_attr(feature = "openapi", param(pattern = "^[0-9]{1,19}$"))]
    pub cursor: Option<String>,
}

/// `GET /api/v2/category-changes`: newest first, in the order in which they were recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChangesPage {
    /// Changes of this page.
    pub changes: Vec<ChangeRow>,
    /// Changes that fit all filters.
    pub total: u32,
    /// Names under which the changes were made that fit all other filters, with how many; most first, at most 100.
    #[serde(default)]
    pub people: Vec<(String, u32)>,
    /// Lines of the record that could not be read: torn ones, mostly.
    #[serde(default)]
    pub bad_lines: u64,
    /// Give as `cursor` for the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Position this answer reflects.
    pub cursor: Cursor,
    /// The `now` it was computed for.
    pub now: i64,
}

/// One change and the session it is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ChangeRow {
    /// Its place in the record, from 0. The record only grows, so it names the change.
    pub number: u32,
    /// The change.
    pub change: CategoryChange,
    /// The session; not `known` when the log does not hold it (any more).
    pub session: SessionLink,
}
