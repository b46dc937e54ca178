//! Transcripts that were put away (`contract/sessions.md` §7), on the wire.

use serde::{Deserialize, Serialize};

use super::StoreInfoRow;
use crate::ids::AgentId;
use crate::store::{ArchiveCause, ArchiveReason};

/// What `GET sessions-archive` is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct ArchiveQuery {
    /// Only this agent's.
    pub agent: Option<AgentId>,
    /// Only those of this session's key, in any case.
    #[cfg_attr(feature = "openapi", param(max_length = 400))]
    pub key: Option<String>,
    /// Only those of the session with this id.
    #[cfg_attr(feature = "openapi", param(max_length = 400))]
    pub session: Option<String>,
    /// Text in keys, ids, agents and names of files, case-insensitive.
    #[cfg_attr(feature = "openapi", param(max_length = 400))]
    pub search: Option<String>,
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
    /// What it follows from, where a store tells more than the archive's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<ArchiveCause>,
    /// When, epoch milliseconds; of one that was not put away but went on under its key, when it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<i64>,
    /// Name of the file; empty where it is in none.
    pub name: String,
}
