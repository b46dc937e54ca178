//! Transcripts that were put away (`contract/sessions.md` §7), on the wire.

use serde::{Deserialize, Serialize};

use super::StoreInfoRow;
use crate::ids::AgentId;
use crate::store::ArchiveReason;

/// What `GET sessions-archive` is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct ArchiveQuery {
    /// Only this agent's.
    pub agent: Option<AgentId>,
    /// At most this many, 1–10,000; all when absent.
    #[cfg_attr(feature = "openapi", param(minimum = 1, maximum = 10000))]
    pub limit: Option<u32>,
}

/// `GET /api/v2/sessions-archive`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ArchiveList {
    /// When it was asked, epoch milliseconds.
    pub ts: i64,
    /// Rows given.
    pub count: usize,
    /// Rows that fit, with those that the limit left out.
    pub total_count: usize,
    /// What was put away last comes first; what does not tell when comes last.
    pub archives: Vec<ArchiveRow>,
    /// Every place where sessions are kept, and how it stands.
    pub places: Vec<StoreInfoRow>,
}

/// A transcript that was put away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ArchiveRow {
    /// Whose.
    pub agent_id: AgentId,
    /// Id of the session: with the agent's, what its history is asked by.
    pub session_id: String,
    /// Key of the session, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Why it was put away.
    pub reason: ArchiveReason,
    /// When, epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<i64>,
    /// Name of the file.
    pub name: String,
}
