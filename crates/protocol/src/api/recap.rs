//! Types of `GET /api/v2/recap`: what changed since a moment, such as the reader's last visit, in at most ten lines. Each
//! line names its evidence.

use serde::{Deserialize, Serialize};

use super::{Attention, Cursor};
use crate::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};

/// Parameters of `GET recap`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct RecapQuery {
    /// Changes after this moment, epoch ms. One day ago when absent.
    #[cfg_attr(feature = "openapi", param(value_type = Option<super::Moment>))]
    pub since: Option<i64>,
}

/// What changed since a moment.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Recap {
    /// The moment.
    pub since: i64,
    /// At most [`Recap::MAX_LINES`], by kind in the order of [`RecapKind::ALL`], the weightiest of each kind first.
    #[serde(default)]
    pub lines: Vec<RecapLine>,
    /// Number of all changes of each kind, those without a line included.
    #[serde(default)]
    pub totals: Vec<RecapTotal>,
    /// Sessions with an event since then.
    #[serde(default)]
    pub sessions: u32,
    /// Events since then.
    #[serde(default)]
    pub events: u32,
    /// Position this answer reflects.
    pub cursor: Cursor,
    /// The `now` it was computed for.
    pub now: i64,
}

impl Recap {
    /// Most lines.
    pub const MAX_LINES: usize = 10;

    /// Number of changes of a kind.
    #[must_use]
    pub fn total(&self, kind: RecapKind) -> u32 {
        self.totals.iter().find(|total| total.kind == kind).map_or(0, |total| total.count)
    }
}

/// Number of changes of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RecapTotal {
    /// The kind.
    pub kind: RecapKind,
    /// The number.
    pub count: u32,
}

/// What changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum RecapKind {
    /// A matter of the work list began to wait, and still does.
    Blocked,
    /// Sends between two agents were refused or got no reply, a run could not start, or a task was given up.
    Failed,
    /// A task was approved or called off.
    Decided,
    /// A task was completed, or resumed after it was blocked or waited for approval.
    Resolved,
    /// An answer took much longer than answers of this agent usually take.
    Slow,
    /// An agent that was active in each of the three periods of the same length before did nothing.
    Quiet,
    /// A kind this build does not know.
    #[serde(other)]
    Unknown,
}

impl RecapKind {
    /// All that this build knows, in the order of lines.
    pub const ALL: [Self; 6] = [Self::Blocked, Self::Failed, Self::Decided, Self::Resolved, Self::Slow, Self::Quiet];
}

/// What happened, where a kind covers several things.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum RecapOutcome {
    /// A send was refused.
    Refused,
    /// A send got no reply.
    NoReply,
    /// A run could not start.
    NotStarted,
    /// A task was given up.
    Abandoned,
    /// A task was approved.
    Approved,
    /// A task was called off.
    Cancelled,
    /// A task was completed.
    Completed,
    /// A blocked task was resumed.
    Unblocked,
    /// An outcome this build does not know.
    #[serde(other)]
    Unknown,
}

/// One change with its evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RecapLine {
    /// The kind.
    pub kind: RecapKind,
    /// What happened, of [`RecapKind::Failed`], [`RecapKind::Decided`] and [`RecapKind::Resolved`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<RecapOutcome>,
    /// When, epoch ms; of several the newest. Of [`RecapKind::Quiet`] the agent's last event.
    pub at: i64,
    /// Number of such changes that the line covers.
    pub count: u32,
    /// The agent concerned: whose task it is, or who sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// The other agent: who refused, did not answer, or took long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<AgentId>,
    /// Title of the task or session; empty when nothing gives one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Of [`RecapKind::Slow`]: how long the answer took, in ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<i64>,
    /// Of [`RecapKind::Slow`]: how long half of the answers of this agent take at most, in ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usual_ms: Option<i64>,
    /// Of [`RecapKind::Blocked`]: the line of the work list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attention: Option<Box<Attention>>,
    /// The session to open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The thread inside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// The event that proves it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<EventId>,
    /// The task concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
}
