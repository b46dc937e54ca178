//! Types of `GET /api/v2/tasks` and `GET /api/v2/tasks/{agent}/{id}`: tasks, plans and check lists of agents
//! (`contract/workspace.md` §3–§7).

use serde::{Deserialize, Serialize};

use super::{AgentSummary, Cursor, EventRow, SessionLink, TitleSource};
use crate::ids::{AgentId, SessionId, TaskId};
pub use crate::workspace::{
    Backlog, Blocking, FlawKind, Milestone, MilestoneItem, Plan, Priority, Step, StepState, StepsProgress, TaskFlaw,
    TaskOutcome, TaskStatus,
};

/// A task in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TaskSummary {
    /// Its agent.
    pub agent_id: AgentId,
    /// Its id.
    pub id: TaskId,
    /// First line of the description, cleaned; empty when only events name the task.
    pub title: String,
    /// Status of the file (or of the archive, or by events when no file is known).
    pub status: TaskStatus,
    /// Where `status` comes from.
    pub source: TaskSource,
    /// Status by `task.*` events; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_status: Option<TaskStatus>,
    /// When the deciding event happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_status_at: Option<i64>,
    /// File and events say different things (shown as 서로 다름).
    #[serde(default)]
    pub differs: bool,
    /// Its priority.
    pub priority: Priority,
    /// Creation time, epoch ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<i64>,
    /// Newest sign of life, file or event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_activity: Option<i64>,
    /// Steps by state.
    #[serde(default)]
    pub steps_progress: StepsProgress,
    /// Why it is stuck.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocking: Option<Blocking>,
    /// Since when it is stuck, epoch ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_since: Option<i64>,
    /// Since when it waits for approval: its plan's submission, else the event that says so, else its creation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_since: Option<i64>,
    /// The zombie detector gave it up, and no event decided its status since: hours of silence by that event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_up_hours: Option<u32>,
    /// Backlog fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backlog: Option<Backlog>,
    /// Parts of its file that could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flaws: Vec<TaskFlaw>,
    /// Its session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionLink>,
    /// It is its agent's current focus.
    #[serde(default)]
    pub focus: bool,
}

/// Work without an event or change of file for so long may have stopped: prompts that continue a task
/// come every few minutes, and the longest back-off between them is an hour (`contract/events.md` §4,
/// `continuation.backoff`). The zombie detector itself waits a day.
pub const STALE_AFTER_MS: i64 = 3_600_000;

impl TaskSummary {
    /// Title to show: its own, else that of its session when the session has one.
    #[must_use]
    pub fn shown_title(&self) -> &str {
        let of_session = self.session.as_ref().filter(|link| link.title_source != TitleSource::Default);
        let own = Some(self.title.as_str()).filter(|title| !title.trim().is_empty());
        own.or(of_session.map(|link| link.title.as_str())).unwrap_or_default()
    }

    /// In progress by file or events, but without a sign for [`STALE_AFTER_MS`]: shown as a guess.
    #[must_use]
    pub fn is_stale(&self, now: i64) -> bool {
        self.status == TaskStatus::InProgress
            && self.last_activity.is_none_or(|last| now.saturating_sub(last) > STALE_AFTER_MS)
    }
}

/// Where a task's status comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum TaskSource {
    /// `tasks/task_*.md`.
    File,
    /// `task-history/YYYY-MM.md`.
    History,
    /// Only events name it.
    Events,
    /// A source this build does not know.
    #[serde(other)]
    Unknown,
}

/// `GET /api/v2/tasks`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TasksPage {
    /// This page of the matching tasks: blocked first, then in progress, approval, pending, backlog, ended; newest activity first within.
    pub tasks: Vec<TaskSummary>,
    /// How many match.
    pub total: u32,
    /// Give as `after` for the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Matches of all filters but the status.
    pub status_counts: Vec<(TaskStatus, u32)>,
    /// Matches of all filters but the agent, by agent.
    #[serde(default)]
    pub agent_counts: Vec<(AgentId, u32)>,
    /// Agents with their task counts.
    pub agents: Vec<AgentSummary>,
    /// Plans without a known task, newest first.
    #[serde(default)]
    pub plans: Vec<Plan>,
    /// Check lists of `MILESTONES.md`, by agent.
    #[serde(default)]
    pub milestones: Vec<AgentMilestones>,
    /// Files that could not be read, so that "none" is never shown for "could not read".
    #[serde(default)]
    pub unreadable: Vec<Unreadable>,
    /// Position this answer reflects.
    pub cursor: Cursor,
    /// The `now` it was computed for.
    pub now: i64,
}

/// Check lists of one agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentMilestones {
    /// The agent.
    pub agent_id: AgentId,
    /// Milestones in the order of the file.
    pub milestones: Vec<Milestone>,
}

/// A file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Unreadable {
    /// Path below the home.
    pub path: String,
    /// Short cause, e.g. `EACCES`, `too large`, `not a task`.
    pub cause: String,
}

/// `GET /api/v2/tasks/{agent}/{id}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TaskDetail {
    /// The list entry.
    pub task: TaskSummary,
    /// Full description (markdown).
    pub description: String,
    /// Context (markdown).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Steps in order.
    #[serde(default)]
    pub steps: Vec<Step>,
    /// Progress lines.
    #[serde(default)]
    pub progress: Vec<String>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<TaskOutcome>,
    /// Plans that name it.
    #[serde(default)]
    pub plans: Vec<Plan>,
    /// The session it resumes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_session: Option<SessionLink>,
    /// The chain of sessions its own one resumes or is resumed by, oldest first, its own among them; empty where there
    /// is no other.
    #[serde(default)]
    pub chain: Vec<SessionLink>,
    /// The chain contains a loop; it is shown up to there.
    #[serde(default)]
    pub chain_loops: bool,
    /// `Source` metadata.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Path of the file below the home.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// `task.*` and related events, oldest first.
    #[serde(default)]
    pub events: Vec<EventRow>,
    /// Sessions whose events name it.
    #[serde(default)]
    pub sessions: Vec<SessionId>,
    /// Position this answer reflects.
    pub cursor: Cursor,
    /// The `now` it was computed for.
    pub now: i64,
}
