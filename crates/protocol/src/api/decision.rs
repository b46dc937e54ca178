//! Types for the evidence of a session's category, and for manual changes: `/api/v2/sessions/{id}/category` (`PATCH`,
//! `DELETE`) with its `/history`, and `PATCH /api/v2/categories` for many sessions.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ErrorCode, SessionCard, strict};
use crate::category::Category;
use crate::ids::SessionId;

/// What the classifier counted.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CategoryEvidence {
    /// Matched words with their weight, heaviest first, at most eight.
    #[serde(default)]
    pub matches: Vec<(String, f64)>,
    /// Words and agents that an operator taught, with their points, heaviest first: above 0 for this category, below 0
    /// against another one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taught: Vec<(String, f64)>,
    /// The second best category and its distance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner_up: Option<(Category, f64)>,
    /// Who set the category by hand, when and to what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manual: Option<ManualOverride>,
    /// What it would be without the override.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub automatic: Option<Category>,
}

/// A manual override as stored (`contract/monitor-api.md` §7).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ManualOverride {
    /// The category chosen.
    pub collab_category: Category,
    /// ISO time of the change.
    pub updated_at: String,
    /// Who, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_by: Option<String>,
}

impl ManualOverride {
    /// Reads an entry of the override file; none when it has no category that this build knows. One without a time of its
    /// own keeps the time of `before`, else it is from `now_iso`.
    #[must_use]
    pub fn from_entry(value: &Value, before: Option<&Self>, now_iso: &str) -> Option<Self> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
        let collab_category = text("collabCategory")?.parse().ok()?;
        let before = before.filter(|before| before.collab_category == collab_category);
        let updated_at = text("updatedAt").or(before.map(|before| before.updated_at.as_str())).unwrap_or(now_iso);
        Some(Self {
            collab_category,
            updated_at: updated_at.to_owned(),
            updated_by: text("updatedBy").map(str::to_owned),
        })
    }
}

/// The override the client last saw. The change is made only while it is still in force (409 otherwise).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ExpectedOverride(
    /// The override, or none: the category was the automatic one.
    pub Option<Category>,
);

/// On the wire, no override.
const AUTOMATIC: &str = "automatic";

impl TryFrom<String> for ExpectedOverride {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text == AUTOMATIC {
            return Ok(Self(None));
        }
        text.parse().map(|category| Self(Some(category))).map_err(|_| format!("not a category: {text}"))
    }
}

impl From<ExpectedOverride> for String {
    fn from(seen: ExpectedOverride) -> Self {
        seen.0.map_or(AUTOMATIC, Category::as_str).to_owned()
    }
}

/// `PATCH /api/v2/sessions/{id}/category`: body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CategoryPatch {
    /// The new primary category.
    #[serde(deserialize_with = "strict::word")]
    pub collab_category: Category,
    /// Author of the change, at most 200 characters.
    #[cfg_attr(feature = "openapi", schema(max_length = 200))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_by: Option<String>,
    /// Reason for the audit log, at most 1,000 characters.
    #[cfg_attr(feature = "openapi", schema(max_length = 1000))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The override the client last saw; 409 when another one is in force. Absent: any override is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<ExpectedOverride>,
}

/// `DELETE /api/v2/sessions/{id}/category`: body, which may be left out.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CategoryClear {
    /// Author of the change, at most 200 characters.
    #[cfg_attr(feature = "openapi", schema(max_length = 200))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_by: Option<String>,
    /// Reason for the audit log, at most 1,000 characters.
    #[cfg_attr(feature = "openapi", schema(max_length = 1000))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The override the client last saw; 409 when another one is in force. Absent: any override is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<ExpectedOverride>,
}

/// Answer to the PATCH and DELETE of a category.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CategoryPatched {
    /// Always true.
    pub ok: bool,
    /// The session.
    pub work_session_id: SessionId,
    /// The override now in force; absent after DELETE.
    #[serde(default, rename = "override", skip_serializing_if = "Option::is_none")]
    pub manual: Option<ManualOverride>,
    /// The card as it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionCard>,
}

/// `PATCH /api/v2/categories`: body. Many sessions, decided by one person at once.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CategoriesPatch {
    /// What is to change, each session once, at most 200.
    #[cfg_attr(feature = "openapi", schema(min_items = 1, max_items = 200))]
    #[serde(deserialize_with = "strict::objects")]
    pub items: Vec<CategoryItem>,
    /// Author of the change, at most 200 characters.
    #[cfg_attr(feature = "openapi", schema(max_length = 200))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_by: Option<String>,
    /// Reason, recorded in the audit log with each session.
    #[cfg_attr(feature = "openapi", schema(max_length = 1000))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// One of the sessions whose categories change together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CategoryItem {
    /// The session.
    pub work_session_id: SessionId,
    /// The new primary category; absent: back to the automatic one.
    #[serde(default, deserialize_with = "strict::optional_word", skip_serializing_if = "Option::is_none")]
    pub collab_category: Option<Category>,
    /// The override the client last saw; 409 when another one is in force. Absent: any override is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<ExpectedOverride>,
}

/// Answer to the PATCH of many. Accepted changes become durable together; a refused item does not block the others.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CategoriesPatched {
    /// What became of each, in the order asked.
    #[serde(default)]
    pub results: Vec<CategoryResult>,
}

/// What became of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CategoryResult {
    /// The session.
    pub work_session_id: SessionId,
    /// Why it was not changed: `conflict` or `not_found`; absent when it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<ErrorCode>,
    /// The override now in force, made by anyone; absent: the category is automatic.
    #[serde(default, rename = "override", skip_serializing_if = "Option::is_none")]
    pub manual: Option<ManualOverride>,
    /// The card as it is now; absent when the log does not hold the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionCard>,
}

/// `GET /api/v2/sessions/{id}/category/history`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CategoryHistory {
    /// The session.
    pub work_session_id: SessionId,
    /// Changes made through the monitor, newest first, at most 200.
    pub changes: Vec<CategoryChange>,
}

/// One line of the audit log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CategoryChange {
    /// ISO time of the change, by the monitor's clock.
    pub at: String,
    /// The session.
    pub work_session_id: SessionId,
    /// The override before, as written; absent when there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The override after; absent when it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Who, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Why, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Id of the change; the answer to the request contains it.
    pub request_id: String,
    /// The change this one undoes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo_of: Option<String>,
    /// Found in the file, not requested from the monitor: mostly another program wrote it. Its time and name are those
    /// in the file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub found: bool,
}
