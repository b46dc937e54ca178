//! Archived transcripts (`contract/sessions.md` §7).

use serde::{Deserialize, Serialize};

use super::StoreInfoRow;
use crate::ids::AgentId;

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

/// Why a transcript was put away, where a store tells more than the name of the archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum ArchiveCause {
    /// A spawned session, so many minutes after it was asked for (`archiveAfterMinutes`).
    AfterMinutes {
        /// How many.
        minutes: i64,
    },
    /// A spawned session whose spawn asked for its removal at the end (`cleanup: "delete"`).
    Cleanup,
    /// The store's own word: `idle`, `daily` and the like.
    Word {
        /// The word.
        word: String,
    },
    /// A cause that this build does not know.
    #[serde(other)]
    Unknown,
}

/// Why a transcript was put away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum ArchiveReason {
    /// The session was reset.
    Reset,
    /// The session was deleted.
    Deleted,
    /// It stands in a database now.
    Imported,
    /// Moved to cold storage.
    Cold,
    /// Its key went on to a newer session; it stands in the database as before.
    Earlier,
    /// A reason that this build does not know.
    #[serde(other)]
    Unknown,
}

impl ArchiveReason {
    /// By the word in names and columns.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        match word {
            "reset" => Some(Self::Reset),
            "deleted" => Some(Self::Deleted),
            "imported" => Some(Self::Imported),
            "cold" => Some(Self::Cold),
            _ => None,
        }
    }
}
