//! Task bars of a flow diagram: one bar for each task, divided into spans of one status. An event that changes the
//! status begins a span. Without such an event, the first span is derived from the task's status and times. If the
//! task's file has another status than the last span, a span with that status is added.

use std::collections::HashMap;

use super::lanes::Lanes;
use crate::api::{FlowSpan, FlowTaskBar, TaskSource, TaskSummary};
use crate::hub::{Hub, Session, decided};
use crate::ids::TaskId;
use crate::query::tasks::of_session;
use crate::text;
use crate::workspace::TaskStatus;

/// Longest reason beside a task bar.
const REASON_CHARS: usize = 80;

/// Task bars during the build.
pub(super) struct TaskBars {
    /// Tasks of the session, by id.
    tasks: HashMap<TaskId, TaskSummary>,
    /// Tasks whose file names the session: they have a task bar even without an event in the session.
    by_file: Vec<TaskId>,
    /// Position in `list` by task.
    order: HashMap<TaskId, usize>,
    /// Task bars in order of the tasks' first events.
    list: Vec<FlowTaskBar>,
}

impl TaskBars {
    pub(super) fn new(hub: &Hub, session: &Session) -> Self {
        let mut tasks = HashMap::new();
        for task in of_session(hub, session) {
            tasks.entry(task.id.clone()).or_insert(task);
        }
        let by_file = hub.inputs.tasks.by_session.get(&session.id).cloned().unwrap_or_default();
        Self { tasks, by_file, order: HashMap::new(), list: Vec::new() }
    }

    /// Adds an event of a task; false when it has no task, or one without a page.
    pub(super) fn take(&mut self, hub: &Hub, index: u32, lanes: &mut Lanes<'_>) -> bool {
        let event = hub.event(index);
        let Some(id) = event.task_id().filter(|_| !event.event_type().starts_with("a2a.")) else { return false };
        let Some(position) = self.task_bar(&id, lanes) else { return false };
        let task_bar = &mut self.list[position];
        task_bar.events.push(event.id());
        let before = task_bar.spans.last().map(|span| span.status);
        if let Some(status) = decided(event, before).filter(|status| before != Some(*status)) {
            let reason = event.reason().map(|reason| text::preview(reason, REASON_CHARS));
            task_bar.spans.push(FlowSpan { from: event.at, status, event: Some(event.id()), reason });
        }
        true
    }

    fn task_bar(&mut self, id: &TaskId, lanes: &mut Lanes<'_>) -> Option<usize> {
        if let Some(position) = self.order.get(id) {
            return Some(*position);
        }
        let task = self.tasks.get(id)?;
        self.order.insert(id.clone(), self.list.len());
        self.list.push(FlowTaskBar {
            id: id.clone(),
            owner: task.agent_id.clone(),
            lane: lanes.lane_of(&task.agent_id),
            title: task.title.clone(),
            status: task.status,
            source: task.source,
            differs: task.differs,
            steps: task.steps_progress,
            spans: Vec::new(),
            events: Vec::new(),
        });
        Some(self.list.len() - 1)
    }

    /// All task bars, each with at least one span. `bounds` are the session's first and newest time.
    pub(super) fn finish(mut self, hub: &Hub, lanes: &mut Lanes<'_>, bounds: (i64, i64)) -> Vec<FlowTaskBar> {
        for id in std::mem::take(&mut self.by_file) {
            self.task_bar(&id, lanes);
        }
        for task_bar in &mut self.list {
            let Some(task) = self.tasks.get(&task_bar.id) else { continue };
            // Without a deciding event in this session, the task has the status from its first sign here on.
            if task_bar.spans.is_empty() {
                let first = task_bar.events.first().and_then(|id| hub.find(id)).map(|index| hub.at(index));
                let from = first.or(task.created).or(task.last_activity).unwrap_or(bounds.0);
                let status = if task.status.ended() { TaskStatus::InProgress } else { task.status };
                task_bar.spans.push(FlowSpan { from: from.max(bounds.0), status, event: None, reason: None });
            }
            let known = task.last_activity.filter(|_| task.source != TaskSource::Events);
            let newest = task_bar.spans.last().map_or((TaskStatus::Unknown, 0), |span| (span.status, span.from));
            if newest.0 != task.status
                && let Some(at) = known
            {
                let reason = task.blocking.as_ref().and_then(|blocking| blocking.blocked_reason.as_deref());
                let reason = reason.map(|reason| text::preview(reason, REASON_CHARS));
                let from = at.max(newest.1);
                task_bar.spans.push(FlowSpan { from, status: task.status, event: None, reason });
            }
        }
        self.list
    }
}
