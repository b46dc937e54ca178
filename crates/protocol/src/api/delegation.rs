//! Types of `GET /api/v2/sessions/{id}/delegations` and `GET /api/v2/delegations`: the tree of spawned runs as flat
//! rows.

use serde::{Deserialize, Serialize};

use super::{Cursor, Origin, STALE_AFTER_MS, SessionLink};
use crate::ids::{AgentId, EventId, SessionId};

/// Runs of one session, or of all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Delegations {
    /// The session; absent when the answer is about all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Runs in the order of the tree: each is followed by those it spawned, siblings oldest first, sessions newest
    /// first.
    #[serde(default)]
    pub rows: Vec<DelegationRow>,
    /// Number of matching runs; larger than `rows` when the limit cut the list.
    #[serde(default)]
    pub total: u32,
    /// Titles of the sessions of `rows`, in their order; empty in the answer about one.
    #[serde(default)]
    pub sessions: Vec<SessionLink>,
    /// The slowest branch: the run at the top that took longest, and below it, step by step, the one that ended last.
    /// Empty where there is nothing to compare.
    #[serde(default)]
    pub slowest: Vec<EventId>,
    /// Earliest time in `rows`.
    #[serde(default)]
    pub start_time: i64,
    /// Latest time in `rows`.
    #[serde(default)]
    pub end_time: i64,
    /// Position this answer reflects.
    pub cursor: Cursor,
    /// The `now` it was computed for.
    pub now: i64,
}

/// One spawned run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DelegationRow {
    /// The event that shows it first.
    pub id: EventId,
    /// Nesting depth, 0 at the top. A row is at most one deeper than the row before it.
    pub depth: u32,
    /// Its session.
    pub session_id: SessionId,
    /// Who delegated; absent for an orphan whose spawn is not in the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<AgentId>,
    /// Who works.
    pub to: AgentId,
    /// `label`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// First 400 characters of the task text, cleaned.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// `runId`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Its state.
    pub state: DelegationState,
    /// True when no spawn event was found for a result.
    #[serde(default)]
    pub orphan: bool,
    /// The type of its event, when this build does not know it (`contract/events.md` §4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown_type: Option<String>,
    /// Spawn time (or first sign of it).
    pub start_time: i64,
    /// Time of the acceptance or refusal, epoch ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_at: Option<i64>,
    /// Time of the result, epoch ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_time: Option<i64>,
    /// First 400 characters of the result text, cleaned; absent for the bare markers of `contract/events.md` §5.2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Error text as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Number of its events.
    #[serde(default)]
    pub events: u32,
    /// Number of runs that it spawned.
    #[serde(default)]
    pub children: u32,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Origin::is_log")]
    pub origin: Origin,
}

impl DelegationRow {
    /// No result yet.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.state, DelegationState::Requested | DelegationState::Running)
    }

    /// It failed or ran out of time.
    #[must_use]
    pub fn is_bad(&self) -> bool {
        matches!(self.state, DelegationState::Failed | DelegationState::TimedOut)
    }

    /// No result for so long that none may come. Shown as a guess: the log does not say it.
    #[must_use]
    pub fn is_silent(&self, now: i64) -> bool {
        let last = self.accepted_at.unwrap_or(self.start_time).max(self.start_time);
        self.is_open() && now.saturating_sub(last) > STALE_AFTER_MS
    }
}

/// State of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum DelegationState {
    /// Spawned, not yet confirmed.
    Requested,
    /// Confirmed and under way.
    Running,
    /// A result came back.
    Succeeded,
    /// Refused or failed.
    Failed,
    /// Ran out of time.
    TimedOut,
    /// A result came back without saying how it went.
    Finished,
    /// A state this build does not know.
    #[serde(other)]
    Unknown,
}
