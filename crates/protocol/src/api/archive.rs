//! Types of `GET /api/v2/sessions-archive`: archived transcripts and the query parameters (`contract/sessions.md` §7).

use serde::{Deserialize, Serialize};

use super::StoreInfoRow;
use crate::ids::AgentId;

/// Query parameters of `GET sessions-archive`.
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
    /// Time of the request, epoch milliseconds.
    pub ts: i64,
    /// Number of rows in this answer.
    pub count: usize,
    /// Rows that fit, with those that the limit left out.
    pub total_count: usize,
    /// Newest archive first; archives without a time last.
    pub archives: Vec<ArchiveRow>,
    /// Every session store with its state.
    pub places: Vec<StoreInfoRow>,
}

/// An archived transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ArchiveRow {
    /// Its agent.
    pub agent_id: AgentId,
    /// Id of the session. Agent and id together address its history.
    pub session_id: String,
    /// Key of the session, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Why it was archived.
    pub reason: ArchiveReason,
    /// The cause, where a store states more than the archive's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<ArchiveCause>,
    /// Time of archiving, epoch milliseconds; for a session whose key continued, the time it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<i64>,
    /// Name of the file; empty when it is not in a file.
    pub name: String,
}

/// Why a transcript was archived, where a store states more than the archive's name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum ArchiveCause {
    /// A spawned session, so many minutes after it was asked for (`archiveAfterMinutes`).
    AfterMinutes {
        /// Number of minutes.
        minutes: i64,
    },
    /// A spawned session whose spawn asked for its removal at the end (`cleanup: "delete"`).
    Cleanup,
    /// The store's own word: `idle`, `daily` and the like.
    Word {
        /// The word as stored.
        word: String,
    },
    /// A cause that this build does not know.
    #[serde(other)]
    Unknown,
}

/// Why a transcript was archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum ArchiveReason {
    /// The session was reset.
    Reset,
    /// The session was deleted.
    Deleted,
    /// It was moved to a database.
    Imported,
    /// Moved to cold storage.
    Cold,
    /// Its key continued with a newer session; it stays in the database.
    Earlier,
    /// A reason that this build does not know.
    #[serde(other)]
    Unknown,
}

impl ArchiveReason {
    /// From the word in file names and columns.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "reset" => Some(Self::Reset),
            "deleted" => Some(Self::Deleted),
            "imported" => Some(Self::Imported),
            "cold" => Some(Self::Cold),
            _ => None,
        }
    }
}
