//! Types of the REST 1.x responses, with only the fields that the page needs (`contract/monitor-api.md` §3, §4), and
//! their conversion into the workspace of an agent: tasks, plans and current task.

use coordination::ids::{AgentId, TaskId};
use coordination::workspace::{AgentWorkspace, Backlog, Blocking, CurrentTask, Plan, Task, TaskStatus};
use serde::Deserialize;
use serde_json::Value;

use crate::source::SourceError;

#[derive(Deserialize)]
pub(super) struct WireHealth {
    /// Proves that this is a monitor and not some page that answers 200 to everything.
    pub(super) timestamp: String,
}

#[derive(Deserialize)]
pub(super) struct WireAgents {
    pub(super) agents: Vec<AgentInfo>,
}

#[derive(Deserialize)]
pub(super) struct AgentInfo {
    pub(super) id: String,
}

#[derive(Deserialize)]
pub(super) struct WireEvents {
    pub(super) events: Vec<Value>,
}

#[derive(Deserialize)]
pub(super) struct WireSessions {
    pub(super) sessions: Vec<WireSession>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WireSession {
    pub(super) work_session_id: String,
    #[serde(default)]
    pub(super) collab_category: Option<String>,
    #[serde(default)]
    pub(super) category_source: Option<String>,
    #[serde(default)]
    pub(super) threads: Vec<WireThread>,
}

#[derive(Deserialize)]
pub(super) struct WireThread {
    #[serde(default)]
    pub(super) events: Vec<Value>,
}

#[derive(Deserialize)]
pub(super) struct WireTasks {
    tasks: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Current {
    has_task: bool,
    #[serde(default)]
    task_summary: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Plans {
    plans: Vec<Value>,
}

/// What three answers contain about an agent's folder. A failed answer is an unreadable file, never "none".
pub(super) fn workspace(
    agent: &str,
    tasks: Result<WireTasks, SourceError>,
    current: Result<Current, SourceError>,
    plans: Result<Plans, SourceError>,
) -> AgentWorkspace {
    let agent_id = AgentId::from(agent.to_lowercase());
    let mut unreadable = Vec::new();
    let mut unread = |what: &str| unreadable.push((format!("workspace-{agent}/{what}"), "HTTP".to_owned()));
    let tasks = tasks.map(|answer| answer.tasks).unwrap_or_else(|_| {
        unread("tasks");
        Vec::new()
    });
    let plans = plans.map(|answer| answer.plans).unwrap_or_else(|_| {
        unread(".openclaw/plans");
        Vec::new()
    });
    if current.is_err() {
        unread("CURRENT_TASK.md");
    }
    AgentWorkspace {
        tasks: tasks.iter().filter_map(task).collect(),
        current: current.map(focus).unwrap_or_default(),
        plans: plans.iter().enumerate().filter_map(|(index, value)| plan(&agent_id, index, value)).collect(),
        agent_id,
        unreadable,
        ..AgentWorkspace::default()
    }
}

/// A 1.x task is flat: what our type nests is a sibling field there, under the same names.
fn task(value: &Value) -> Option<Task> {
    let mut task: Task = serde_json::from_value(value.clone()).ok()?;
    let blocking: Blocking = serde_json::from_value(value.clone()).unwrap_or_default();
    if task.status == TaskStatus::Blocked || blocking != Blocking::default() {
        task.blocking = Some(blocking);
    }
    let backlog: Backlog = serde_json::from_value(value.clone()).unwrap_or_default();
    if backlog != Backlog::default() {
        task.backlog = Some(backlog);
    }
    Some(task)
}

fn focus(current: Current) -> CurrentTask {
    let summary = current.task_summary.filter(|_| current.has_task);
    let is_id = summary.as_deref().is_some_and(|text| text.starts_with("task_") && !text.contains(' '));
    CurrentTask {
        has_task: current.has_task,
        error: false,
        focus: summary.clone().filter(|_| is_id).map(TaskId::from),
        title: summary.filter(|_| !is_id),
    }
}

fn plan(agent: &AgentId, index: usize, value: &Value) -> Option<Plan> {
    let stem = value.get("id").and_then(Value::as_str).map_or_else(|| format!("plan-{index}"), str::to_owned);
    Some(coordination::workspace::parse_plan(&stem, agent, &value.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn flat_task_keeps_stuck_reason() {
        let task = task(&json!({
            "id": "task_1", "status": "blocked", "priority": "high", "description": "배포", "created": "2026-02-21",
            "lastActivity": "2026-02-21", "progress": [], "blockedReason": "권한", "unblockedBy": ["seum"],
            "steps": [{"id": "s1", "content": "확인", "status": "done", "order": 1}]
        }))
        .unwrap();
        assert_eq!(task.blocking.unwrap().blocked_reason.as_deref(), Some("권한"));
        assert_eq!(task.steps.len(), 1);
    }

    #[test]
    fn failed_answer_is_not_an_empty_folder() {
        let workspace =
            workspace("eden", Err(SourceError::Network), Err(SourceError::Network), Err(SourceError::Network));
        assert_eq!(workspace.unreadable.len(), 3);
    }

    #[test]
    fn focus_task_id_differs_from_title() {
        let focused = focus(Current { has_task: true, task_summary: Some("task_9".to_owned()) });
        assert_eq!(focused.focus, Some(TaskId::from("task_9")));
        let titled = focus(Current { has_task: true, task_summary: Some("task_9 를 확인".to_owned()) });
        assert_eq!(titled.title.as_deref(), Some("task_9 를 확인"));
    }
}
