//! Types of agent workspaces and task files: status, priority, steps, block reason and backlog fields. Archived tasks,
//! plans and task outcomes are in `records.rs`.

use std::sync::Arc;

use super::{CurrentTask, HistoryEntry, Milestone, Plan, TaskFlaw, TaskOutcome};
use serde::{Deserialize, Serialize};

use crate::ids::{AgentId, SessionId, TaskId};

/// Everything read from the workspaces, one entry an agent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Workspace {
    /// By agent, in display order.
    pub agents: Vec<AgentWorkspace>,
}

/// What one agent's folder holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentWorkspace {
    /// The agent that owns the folder.
    pub agent_id: AgentId,
    /// Open tasks: `tasks/task_*.md`.
    pub tasks: Vec<Task>,
    /// Ended tasks: `task-history/*.md`, newest first. The reader of the files shares them.
    pub history: Vec<Arc<HistoryEntry>>,
    /// `CURRENT_TASK.md`.
    pub current: CurrentTask,
    /// Plans.
    pub plans: Vec<Plan>,
    /// Check lists of `MILESTONES.md`.
    pub milestones: Vec<Milestone>,
    /// Files that could not be read: path below the home, short cause.
    pub unreadable: Vec<(String, String)>,
}

/// One task file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// From the file name.
    pub id: TaskId,
    /// Status as the file states it.
    pub status: TaskStatus,
    /// The status text when it is not one of the nine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_status: Option<String>,
    /// Priority as the file states it.
    pub priority: Priority,
    /// The priority text when it is not one of the four.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_priority: Option<String>,
    /// Description, all lines.
    pub description: String,
    /// Background of the task (markdown).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// `Source` as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// `Created` as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    /// `Last Activity` as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_activity: Option<String>,
    /// `Work Session`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_session_id: Option<SessionId>,
    /// `Previous Work Session`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_work_session_id: Option<SessionId>,
    /// `Created By Session`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by_session: Option<String>,
    /// `Simple`.
    #[serde(default)]
    pub simple: bool,
    /// Steps in order.
    #[serde(default)]
    pub steps: Vec<Step>,
    /// Progress lines.
    #[serde(default)]
    pub progress: Vec<String>,
    /// Blocking fence or old metadata.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocking: Option<Blocking>,
    /// Backlog fence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backlog: Option<Backlog>,
    /// Outcome fence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<TaskOutcome>,
    /// What of the file could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flaws: Vec<TaskFlaw>,
    /// Delegations fence, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegations: Option<serde_json::Value>,
}

/// Status of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Not begun.
    #[default]
    Pending,
    /// Waits for approval.
    PendingApproval,
    /// Under way.
    InProgress,
    /// Stuck.
    Blocked,
    /// Put aside for later.
    Backlog,
    /// Done.
    Completed,
    /// Called off.
    Cancelled,
    /// Given up.
    Abandoned,
    /// Broken off.
    Interrupted,
    /// None of the nine.
    #[serde(other)]
    Unknown,
}

impl TaskStatus {
    /// The nine, in display order: what needs a person first.
    pub const ALL: [Self; 9] = [
        Self::Blocked,
        Self::InProgress,
        Self::PendingApproval,
        Self::Pending,
        Self::Interrupted,
        Self::Backlog,
        Self::Completed,
        Self::Cancelled,
        Self::Abandoned,
    ];

    /// Wire text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::PendingApproval => "pending_approval",
            Self::InProgress => "in_progress",
            Self::Blocked => "blocked",
            Self::Backlog => "backlog",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
            Self::Abandoned => "abandoned",
            Self::Interrupted => "interrupted",
            Self::Unknown => "unknown",
        }
    }

    /// Nothing more will happen.
    #[must_use]
    pub fn ended(self) -> bool {
        matches!(self, Self::Completed | Self::Cancelled | Self::Abandoned)
    }
}

impl std::str::FromStr for TaskStatus {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|status| status.as_str() == text).ok_or(())
    }
}

/// Priority of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// Urgent.
    Urgent,
    /// High.
    High,
    /// Medium, the default.
    #[default]
    Medium,
    /// Low.
    Low,
    /// None of the four.
    #[serde(other)]
    Unknown,
}

impl Priority {
    /// Wire text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Urgent => "urgent",
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
            Self::Unknown => "unknown",
        }
    }
}

/// One step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// `s1`, `s2` …
    pub id: String,
    /// Text of the step.
    pub content: String,
    /// State of the step.
    pub status: StepState,
    /// Position, from 1.
    pub order: u32,
}

/// State of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// `[x]`
    Done,
    /// `[>]`
    InProgress,
    /// `[ ]`
    Pending,
    /// `[-]`
    Skipped,
    /// A state this build does not know.
    #[serde(other)]
    Unknown,
}

/// Steps by state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StepsProgress {
    /// Number of steps.
    pub total: u32,
    /// Number of steps that are done.
    pub done: u32,
    /// Number of steps under way.
    pub in_progress: u32,
    /// Number of steps that are not begun.
    pub pending: u32,
    /// Number of skipped steps.
    pub skipped: u32,
}

/// Why a task is stuck (`contract/workspace.md` §3, Blocking).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Blocking {
    /// Why it is blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_reason: Option<String>,
    /// Who can unblock.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unblocked_by: Vec<String>,
    /// What would unblock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unblocked_action: Option<String>,
    /// Number of requests for help, 0–3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unblock_request_count: Option<u32>,
    /// Index of the agent that was asked last; may be negative.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_unblocker_index: Option<i64>,
    /// ISO time of the newest request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_unblock_request_at: Option<String>,
    /// `none`, `requesting`, `escalated`, `failed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escalation_state: Option<String>,
    /// Number of failed requests for help.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unblock_request_failures: Option<u32>,
}

/// Backlog fields (`contract/workspace.md` §3).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Backlog {
    /// The requester.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// The agent that it is assigned to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// Tasks that must end first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// `small`, `medium`, `large`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_effort: Option<String>,
    /// ISO date or date-time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_date: Option<String>,
    /// ISO date or date-time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_date: Option<String>,
    /// Id of its milestone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone_id: Option<String>,
    /// Id of its item in the milestone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone_item_id: Option<String>,
    /// How often it was handed back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reassign_count: Option<u32>,
}
