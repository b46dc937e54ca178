//! Encoder of tasks as REST 1.x JSON (`contract/monitor-api.md` §3). Two defects of the original 1.x monitor are fixed:
//! wrong outcomes of archived tasks (D13), and unchecked statuses and priorities (D25).

use std::cmp::Reverse;

use coordination::time::to_iso;
use coordination::workspace::{HistoryEntry, Priority, StepsProgress, Task, TaskStatus};
use serde_json::{Map, Value, json};

use crate::sources::workspace::progress;

/// An open task. Times that the file does not give are "now", as the old monitor has it.
pub(super) fn of_file(task: &Task, now: i64) -> Value {
    let created = task.created.clone().unwrap_or_else(|| to_iso(now));
    let last = task.last_activity.clone().unwrap_or_else(|| created.clone());
    let mut out = Map::new();
    head(&mut out, task.id.as_str(), task.status, task.priority, &task.description);
    out.insert("created".to_owned(), created.into());
    out.insert("lastActivity".to_owned(), last.into());
    out.insert("progress".to_owned(), json!(task.progress));
    put(&mut out, "rawStatus", task.raw_status.as_ref());
    put(&mut out, "rawPriority", task.raw_priority.as_ref());
    put(&mut out, "context", task.context.as_ref());
    put(&mut out, "source", task.source.as_ref());
    put(&mut out, "workSessionId", task.work_session_id.as_ref());
    put(&mut out, "previousWorkSessionId", task.previous_work_session_id.as_ref());
    for fence in [task.blocking.as_ref().map(|it| json!(it)), task.backlog.as_ref().map(|it| json!(it))] {
        out.extend(
            fence.as_ref().and_then(Value::as_object).cloned().into_iter().flatten().filter(|(key, _)| known(key)),
        );
    }
    put(&mut out, "outcome", task.outcome.as_ref());
    put(&mut out, "steps", Some(&task.steps).filter(|steps| !steps.is_empty()));
    out.insert("stepsProgress".to_owned(), json!(progress(task)));
    Value::Object(out)
}

/// An archived task: its real outcome, not always "completed" (D13).
pub(super) fn of_history(entry: &HistoryEntry) -> Value {
    let mut out = Map::new();
    let id = entry.id.as_ref().map_or("", |id| id.as_str());
    head(&mut out, id, entry.status, entry.priority, &entry.description);
    out.insert("created".to_owned(), entry.started.clone().unwrap_or_else(|| entry.completed.clone()).into());
    out.insert("lastActivity".to_owned(), entry.completed.clone().into());
    out.insert("progress".to_owned(), json!(entry.progress));
    put(&mut out, "context", entry.summary.as_ref());
    out.insert("source".to_owned(), "history".into());
    out.insert("stepsProgress".to_owned(), json!(StepsProgress::default()));
    Value::Object(out)
}

/// An entry of the `blocked` answer.
pub(super) fn of_blocked(task: &Task, now: i64) -> Value {
    let full = of_file(task, now);
    let mut out = Map::new();
    for key in ["id", "description", "lastActivity"].into_iter().chain(BLOCKING) {
        if let Some(value) = full.get(key) {
            out.insert(key.to_owned(), value.clone());
        }
    }
    Value::Object(out)
}

/// Urgent first, newest first within; an unknown priority comes last instead of anywhere (D25).
pub(super) fn sort(tasks: &mut [Task]) {
    tasks.sort_by_key(|task| (task.priority, Reverse(task.created.clone())));
}

const BLOCKING: [&str; 8] = [
    "blockedReason",
    "unblockedBy",
    "unblockedAction",
    "unblockRequestCount",
    "escalationState",
    "lastUnblockerIndex",
    "lastUnblockRequestAt",
    "unblockRequestFailures",
];

/// Keys of the fences that 1.x shows at the top of a task.
fn known(key: &str) -> bool {
    const BACKLOG: [&str; 6] = ["createdBy", "assignee", "dependsOn", "estimatedEffort", "startDate", "dueDate"];
    BLOCKING.contains(&key) || BACKLOG.contains(&key)
}

fn head(out: &mut Map<String, Value>, id: &str, status: TaskStatus, priority: Priority, description: &str) {
    let description = if description.trim().is_empty() { "(no description)" } else { description };
    out.insert("id".to_owned(), id.into());
    out.insert("status".to_owned(), status.as_str().into());
    out.insert("priority".to_owned(), priority.as_str().into());
    out.insert("description".to_owned(), description.into());
}

fn put(out: &mut Map<String, Value>, key: &str, value: Option<impl serde::Serialize>) {
    if let Some(value) = value {
        out.insert(key.to_owned(), json!(value));
    }
}
