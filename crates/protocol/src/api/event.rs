//! Types of `GET /api/v2/events` and `GET /api/v2/events/{id}`: rows of the event list with counts for the filters, and
//! one event with its line as written.

use serde::{Deserialize, Serialize};

use super::{AgentPair, Cursor, Origin, RoleCounts};
use crate::category::Category;
use crate::delivery::{DeliveryState, ReasonClass};
use crate::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};
use crate::role::{Role, SessionType};

/// One event in a flat list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventRow {
    /// Its id.
    pub id: EventId,
    /// When; 0 when the line gives no usable time.
    pub at: i64,
    /// `type` as written.
    #[serde(rename = "type")]
    pub event_type: String,
    /// Its role.
    pub role: Role,
    /// Session type of the speaking side.
    pub from_type: SessionType,
    /// Session type of the other side.
    pub to_type: SessionType,
    /// `agentId`.
    pub agent_id: AgentId,
    /// Who speaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<AgentId>,
    /// A person speaks through the session of `from` (`contract/events.md` §7.4).
    #[serde(default)]
    pub human: bool,
    /// To whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<AgentId>,
    /// Its session, synthetic or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Title of that session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_title: Option<String>,
    /// Its thread, when it appears in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// The task it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// Agent whose page shows that task; absent when no file and no event with a status names the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_owner: Option<AgentId>,
    /// Its own category.
    pub category: Category,
    /// First 200 characters of the display text, one line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Outcome or status word as written (`no_reply`, `accepted`, `error`, `completed` …).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// It is recorded in place of an answer: none came (`contract/events.md` §6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<MissingAnswer>,
    /// The tool used, for events of hooks that name one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolUse>,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Origin::is_log")]
    pub origin: Origin,
}

/// One use of a tool by a coding agent (`contract/event-schema-v1_1.md` §A.3, §C.4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ToolUse {
    /// Its name as the agent knows it: `Bash`, `Edit`.
    pub name: String,
    /// Exit code of a failed use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// The exit code is unknown; the value means "not 0".
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inferred: bool,
    /// How long it took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// Why a response is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct MissingAnswer {
    /// [`DeliveryState::NoReply`] or [`DeliveryState::Blocked`].
    pub state: DeliveryState,
    /// Class of the reason.
    pub reason: ReasonClass,
}

/// `GET /api/v2/events`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventsPage {
    /// Newest first.
    pub events: Vec<EventRow>,
    /// Events that match all filters.
    pub total: u32,
    /// Matches of all filters but the role.
    pub role_counts: RoleCounts,
    /// Types among the matches of all filters but the type, most frequent first.
    #[serde(default)]
    pub type_counts: Vec<(String, u32)>,
    /// Pairs among the matches of all filters but the pair, most frequent first.
    #[serde(default)]
    pub pair_counts: Vec<(AgentPair, u32)>,
    /// Give as `before` for older ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Position this answer reflects.
    pub cursor: Cursor,
    /// The `now` it was computed for.
    pub now: i64,
}

/// `GET /api/v2/events/{id}`: the row and the line as written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventDetail {
    /// The row.
    pub event: EventRow,
    /// The line as JSON with every key.
    pub raw: serde_json::Value,
    /// Name of its file; absent when unknown, as with a 1.x monitor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Byte offset of its line in that file; absent with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
}
