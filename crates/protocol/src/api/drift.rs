//! Types of `GET /api/v2/drift`: quality of the automatic classification over time. A session counts at its start time.
//! Sessions whose events state a category are counted separately, because nothing was classified there.

use serde::{Deserialize, Serialize};

use super::Cursor;
use super::TitleSource;
use crate::category::Category;
use crate::ids::SessionId;

/// Shares over time, where people disagree with the rules, and where the rules disagree with themselves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Drift {
    /// Length of a period in milliseconds: an hour, a day, or whole days where history is long.
    #[serde(default)]
    pub step_ms: i64,
    /// Periods without a gap, oldest first; the last one is still running. Empty when there are no sessions.
    #[serde(default)]
    pub periods: Vec<DriftPeriod>,
    /// The same of the whole time.
    #[serde(default)]
    pub all: DriftPeriod,
    /// Sessions without a usable time; they count nowhere else in this answer.
    #[serde(default)]
    pub undated: u32,
    /// What people did with each category, in seed order.
    #[serde(default)]
    pub overrides: Vec<CategoryOverrides>,
    /// Sessions by the confidence of their automatic category: ten bins, the first up to 0.1, the last from 0.9 to 1.
    #[serde(default)]
    pub confidence: Vec<u32>,
    /// Whether sessions of the same intent got the same category.
    #[serde(default)]
    pub intents: Intents,
    /// Whether sessions without evidence are as frequent as before. Always over all sessions, whatever the query.
    pub band: FallbackBand,
    /// The earliest time asked for; absent for all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<i64>,
    /// Position this answer reflects.
    pub cursor: Cursor,
    /// The `now` it was computed for.
    pub now: i64,
}

/// Sessions that began in one period.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DriftPeriod {
    /// When it begins.
    #[serde(default)]
    pub at: i64,
    /// Sessions that were filed by the classifier; what people changed later does not matter here.
    #[serde(default)]
    pub sessions: u32,
    /// Of these, without any evidence: the category is the fallback (`contract/monitor-api.md` §6).
    #[serde(default)]
    pub fallback: u32,
    /// Of these, with a confidence below [`LOW_CONFIDENCE`](crate::category::LOW_CONFIDENCE), the fallback included.
    #[serde(default)]
    pub doubtful: u32,
    /// These by automatic category, in seed order; empty when there are none.
    #[serde(default)]
    pub categories: Vec<u32>,
    /// Sessions whose events state their category.
    #[serde(default)]
    pub stated: u32,
}

impl DriftPeriod {
    /// How many were filed into this category.
    #[must_use]
    pub fn filed_as(&self, category: Category) -> u32 {
        self.categories.get(category.index()).copied().unwrap_or_default()
    }
}

/// What people did with the sessions that the rules filed into one category.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CategoryOverrides {
    /// The automatic category.
    pub key: Category,
    /// Sessions filed there.
    pub sessions: u32,
    /// Of these, moved to another category by a person.
    pub moved: u32,
    /// Of these, set to the very same category by a person.
    pub confirmed: u32,
    /// Target categories, most sessions first, equals in seed order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<MovedTo>,
}

/// Number of sessions moved to one category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct MovedTo {
    /// The category in force.
    pub key: Category,
    /// Sessions.
    pub sessions: u32,
}

/// Sessions of the same intent: titled with the same words. Only groups of two and more count.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Intents {
    /// Groups.
    pub groups: u32,
    /// Sessions in them.
    pub sessions: u32,
    /// Sessions whose automatic category is the most frequent one of their group.
    pub agreeing: u32,
    /// Groups in which not all agree.
    pub divided_total: u32,
    /// The first of these, those with most sessions out of line first; at most [`Intents::MAX_DIVIDED`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub divided: Vec<DividedIntent>,
}

impl Intents {
    /// Divided groups named at most.
    pub const MAX_DIVIDED: usize = 20;
}

/// A group of sessions of the same intent that were filed differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DividedIntent {
    /// Title of its newest session.
    pub title: String,
    /// Source of that title.
    pub title_source: TitleSource,
    /// The most frequent automatic category; among equals the first in the order of the category list.
    pub primary: Category,
    /// Number of sessions in the group.
    pub sessions: u32,
    /// Number of these whose category is `primary`.
    pub agreeing: u32,
    /// Its sessions, those out of line first, newest first within; at most [`DividedIntent::MAX_MEMBERS`].
    pub members: Vec<IntentMember>,
}

impl DividedIntent {
    /// Sessions named of one group.
    pub const MAX_MEMBERS: usize = 8;
}

/// One session of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct IntentMember {
    /// Its id.
    pub work_session_id: SessionId,
    /// Its automatic category.
    pub key: Category,
    /// Its category is the fallback.
    pub fallback: bool,
    /// When it began, in epoch milliseconds.
    pub at: i64,
}

/// Sessions that the rules filed, and how many of them got the fallback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FiledShare {
    /// Sessions.
    pub sessions: u32,
    /// Of these, with the fallback.
    pub fallback: u32,
}

/// Whether sessions without evidence are as frequent as before.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FallbackBand {
    /// Since when a session is recent.
    pub since: i64,
    /// Sessions begun since.
    pub recent: FiledShare,
    /// Sessions begun before.
    pub earlier: FiledShare,
    /// Lowest recent share (0–1) that is still normal; 0 while there are too few sessions.
    pub low: f64,
    /// Highest such share; 1 while there are too few sessions.
    pub high: f64,
    /// Position of the recent share.
    pub standing: BandStanding,
}

/// Position of a share relative to its band.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum BandStanding {
    /// Within it.
    Inside,
    /// More often than it used to be.
    Above,
    /// More seldom.
    Below,
    /// There are too few sessions.
    TooFew,
    /// A position this build does not know.
    #[serde(other)]
    Unknown,
}
