//! Types of an agent's workspace records: task outcomes, archived tasks, current focus and plans.

use serde::{Deserialize, Serialize};

use crate::ids::{AgentId, TaskId};

use super::{Priority, TaskStatus};

/// How a task ended.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct TaskOutcome {
    /// `completed`, `cancelled`, `error`, `interrupted`.
    pub kind: String,
    /// Summary as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Reason as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Error text as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether it may be tried again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retriable: Option<bool>,
}

/// One archived task (`contract/workspace.md` §4).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryEntry {
    /// `Task ID`; absent in the legacy archive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<TaskId>,
    /// Description, all lines.
    pub description: String,
    /// Background of the task (markdown).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Priority as the file states it.
    pub priority: Priority,
    /// `Started` as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// `Completed` as written, else the heading's time.
    pub completed: String,
    /// Progress lines.
    #[serde(default)]
    pub progress: Vec<String>,
    /// Summary as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Real outcome: completed or cancelled.
    pub status: TaskStatus,
    /// Its month file, `YYYY-MM` or `TASK_HISTORY`.
    pub month: String,
}

/// What `CURRENT_TASK.md` says (`contract/workspace.md` §5).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CurrentTask {
    /// A task is under way.
    pub has_task: bool,
    /// The last task ended with an error.
    #[serde(default)]
    pub error: bool,
    /// Focused task id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<TaskId>,
    /// Its title or the message being answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// A plan (`contract/workspace.md` §7).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// Its id or file stem.
    pub id: String,
    /// The agent that proposes it.
    pub agent_id: AgentId,
    /// The task it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// Title.
    #[serde(default)]
    pub title: String,
    /// The proposed steps.
    #[serde(default)]
    pub steps: Vec<String>,
    /// `pending`, `approved`, `rejected`, or as written.
    #[serde(default)]
    pub status: String,
    /// Time of the proposal, ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitted_at: Option<String>,
    /// Time of the decision, ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<String>,
    /// Who decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// Why it was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reject_reason: Option<String>,
    /// The file as written, for shapes this build does not know.
    #[serde(default)]
    pub raw: serde_json::Value,
}
