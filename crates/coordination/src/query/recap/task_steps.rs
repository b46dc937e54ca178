//! Steps of tasks in a recap: by people decided, completed, or going on after a wait.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::event_line;
use crate::api::{Origin, RecapKind, RecapLine, RecapOutcome};
use crate::hub::{Hub, decided, emitter};
use crate::ids::TaskId;
use crate::query::task::{places, title};
use crate::workspace::TaskStatus;

/// Lines about tasks, the newest first.
pub(super) struct TaskSteps(Vec<RecapLine>);

impl TaskSteps {
    /// Decisions of people.
    pub(super) fn take_decided(&mut self) -> Vec<RecapLine> {
        self.take(RecapKind::Decided)
    }

    /// What was completed, and what is no longer blocked.
    pub(super) fn take_resolved(&mut self) -> Vec<RecapLine> {
        self.take(RecapKind::Resolved)
    }

    fn take(&mut self, kind: RecapKind) -> Vec<RecapLine> {
        self.0.extract_if(.., |line| line.kind == kind).collect()
    }
}

/// What became of the tasks that these events name, compared with the moment before them.
pub(super) fn task_steps(hub: &Hub, events: &[u32], since: i64) -> TaskSteps {
    let is_step = |kind: &str| ["task.", "backlog."].iter().any(|family| kind.starts_with(family));
    let mut tasks: BTreeMap<TaskId, u32> = BTreeMap::new();
    for event in events.iter().filter(|event| hub.indexes.kinds.may(hub.meta_of(**event).kind, is_step)) {
        let read = hub.event(*event);
        if read.origin() != Origin::Transcript
            && let Some(id) = read.task_id()
            && decided(read, None).is_some()
        {
            tasks.insert(id, *event);
        }
    }
    let mut lines: Vec<RecapLine> = tasks.into_iter().filter_map(|(id, event)| line(hub, &id, event, since)).collect();
    lines.sort_by_cached_key(|line| (Reverse(line.at), line.task_id.clone()));
    TaskSteps(lines)
}

/// The line of a task; `event` is its newest step.
fn line(hub: &Hub, id: &TaskId, event: u32, since: i64) -> Option<RecapLine> {
    let mut before = None;
    let mut now = None;
    let mut approved = None;
    for index in hub.indexes.task_log.events(id) {
        let read = hub.event(*index);
        if let Some(status) = decided(read, now) {
            now = Some(status);
        }
        if read.at <= since {
            before = now;
        } else if read.event_type() == "task.approved" {
            approved = Some(*index);
        }
        if *index == event {
            break;
        }
    }
    let waited = matches!(before, Some(TaskStatus::Blocked | TaskStatus::PendingApproval));
    let (kind, outcome, event) = match now? {
        TaskStatus::Completed if before != Some(TaskStatus::Completed) => {
            (RecapKind::Resolved, RecapOutcome::Completed, event)
        }
        TaskStatus::Cancelled if before != Some(TaskStatus::Cancelled) => {
            (RecapKind::Decided, RecapOutcome::Cancelled, event)
        }
        TaskStatus::InProgress if approved.is_some() => (RecapKind::Decided, RecapOutcome::Approved, approved?),
        TaskStatus::InProgress if waited => (RecapKind::Resolved, RecapOutcome::Unblocked, event),
        _ => return None,
    };
    let (owner, at) = places(hub, id).into_iter().next().unwrap_or_else(|| (emitter(hub.event(event)), None));
    let line = event_line(hub, kind, Some(outcome), event);
    let named = title(hub, id, at);
    let title = if named.is_empty() { line.title } else { named };
    Some(RecapLine { agent: Some(owner), task_id: Some(id.clone()), title, ..line })
}
