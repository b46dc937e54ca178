//! Line-by-line parser of a task file, `tasks/task_<id>.md`, by the rules of the program that writes it
//! (`contract/workspace.md` §3). It also reports which parts could not be parsed.

use serde_json::Value;

use super::flaw::note;
use super::{Backlog, Blocking, FlawKind, Priority, Step, StepState, StepsProgress, Task, TaskOutcome, TaskStatus};
use crate::ids::{SessionId, TaskId};

const NO_TASK: &str = "*(No task)*";

/// Reads `tasks/task_*.md`. The id is the file's stem; the heading is only decoration. Nothing for an empty file,
/// for `*(No task)*` and for a text without any section of a task.
#[must_use]
pub fn parse_task(id: TaskId, text: &str) -> Option<Task> {
    if text.contains(NO_TASK) {
        return None;
    }
    let mut reader = TaskFileParser { task: Task { id, ..Task::default() }, ..TaskFileParser::default() };
    for line in text.trim_start_matches('\u{feff}').lines() {
        reader.line(line);
    }
    reader.finish()
}

impl Task {
    /// Steps by state.
    #[must_use]
    pub fn steps_progress(&self) -> StepsProgress {
        let mut counts = StepsProgress::default();
        for step in &self.steps {
            counts.total += 1;
            match step.status {
                StepState::Done => counts.done += 1,
                StepState::InProgress => counts.in_progress += 1,
                StepState::Pending => counts.pending += 1,
                StepState::Skipped => counts.skipped += 1,
                StepState::Unknown => {}
            }
        }
        counts
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum TaskFileSection {
    #[default]
    Unknown,
    Metadata,
    Description,
    Context,
    Steps,
    Progress,
    LastActivity,
    Blocking,
    Backlog,
    Outcome,
    Delegations,
}

impl TaskFileSection {
    fn from_heading(heading: &str) -> Self {
        match heading.trim().to_lowercase().as_str() {
            "metadata" => Self::Metadata,
            "description" => Self::Description,
            "context" => Self::Context,
            "steps" => Self::Steps,
            "progress" => Self::Progress,
            "last activity" => Self::LastActivity,
            "blocking" => Self::Blocking,
            "backlog" => Self::Backlog,
            "outcome" => Self::Outcome,
            "delegations" => Self::Delegations,
            _ => Self::Unknown,
        }
    }

    fn holds_json(self) -> bool {
        matches!(self, Self::Blocking | Self::Backlog | Self::Outcome | Self::Delegations)
    }
}

#[derive(Debug, Default)]
struct TaskFileParser {
    task: Task,
    section: TaskFileSection,
    known: bool,
    description: Vec<String>,
    context: Vec<String>,
    json: String,
    /// The heading as written.
    heading: String,
    has_status: bool,
    blocking: Blocking,
    has_blocking: bool,
}

impl TaskFileParser {
    fn line(&mut self, line: &str) {
        let line = line.trim();
        if let Some(heading) = line.strip_prefix("## ") {
            self.take_json();
            self.section = TaskFileSection::from_heading(heading);
            heading.trim().clone_into(&mut self.heading);
            self.known |= self.section != TaskFileSection::Unknown;
            return;
        }
        if line.is_empty() || line == "---" || line.starts_with("# Task:") || line.starts_with("*Managed by") {
            return;
        }
        match self.section {
            TaskFileSection::Metadata => self.metadata(line),
            TaskFileSection::Description => self.description.push(line.to_owned()),
            TaskFileSection::Context => self.context.push(line.to_owned()),
            TaskFileSection::Steps => {
                let order = u32::try_from(self.task.steps.len()).unwrap_or(u32::MAX).saturating_add(1);
                match step(line, order) {
                    Some(step) => self.task.steps.push(step),
                    None => note(&mut self.task.flaws, FlawKind::Steps, line),
                }
            }
            TaskFileSection::Progress => match line.strip_prefix('-').map(str::trim) {
                Some("") => {}
                Some(item) if line.starts_with("- ") => self.task.progress.push(item.to_owned()),
                _ => note(&mut self.task.flaws, FlawKind::Progress, line),
            },
            TaskFileSection::LastActivity => self.task.last_activity = Some(line.to_owned()),
            section if section.holds_json() && !line.starts_with("```") => {
                self.json.push_str(line);
                self.json.push('\n');
            }
            TaskFileSection::Unknown if !self.heading.is_empty() => {
                note(&mut self.task.flaws, FlawKind::Heading, &self.heading);
            }
            _ => {}
        }
    }

    fn metadata(&mut self, line: &str) {
        let line = line.strip_prefix('-').unwrap_or(line).trim();
        let Some((key, value)) = line.split_once(':') else { return };
        let value = value.trim_start_matches('*').trim();
        if value.is_empty() {
            return;
        }
        let text = || Some(value.to_owned());
        let task = &mut self.task;
        match key.replace('*', "").trim().to_lowercase().as_str() {
            "status" => {
                (task.status, task.raw_status) = status(value);
                self.has_status = true;
            }
            "priority" => (task.priority, task.raw_priority) = priority(value),
            "created" => task.created = text(),
            "source" => task.source = text(),
            "work session" => task.work_session_id = Some(SessionId::from(value)),
            "previous work session" => task.previous_work_session_id = Some(SessionId::from(value)),
            "created by session" => task.created_by_session = text(),
            "simple" => task.simple = value.eq_ignore_ascii_case("true"),
            other => self.old_blocking(other, value),
        }
    }

    /// Files before 2026-02-08 had the blocking fields in the metadata.
    fn old_blocking(&mut self, key: &str, value: &str) {
        let blocking = &mut self.blocking;
        match key {
            "blocked reason" => blocking.blocked_reason = Some(value.to_owned()),
            "unblocked by" => {
                let names = value.split(',').map(str::trim).filter(|name| !name.is_empty());
                blocking.unblocked_by = names.map(str::to_owned).collect();
            }
            "unblocked action" => blocking.unblocked_action = Some(value.to_owned()),
            "unblock request count" => blocking.unblock_request_count = value.parse().ok(),
            "escalation state" => blocking.escalation_state = Some(value.to_owned()),
            "last unblocker index" => blocking.last_unblocker_index = value.parse().ok(),
            "last unblock request at" => blocking.last_unblock_request_at = Some(value.to_owned()),
            _ => return,
        }
        self.has_blocking = true;
    }

    fn take_json(&mut self) {
        let text = std::mem::take(&mut self.json);
        let value = serde_json::from_str::<Value>(&text).ok().filter(Value::is_object);
        let Some(value) = value else {
            if !text.is_empty() {
                note(&mut self.task.flaws, FlawKind::Section, &self.heading);
            }
            return;
        };
        match self.section {
            TaskFileSection::Blocking => {
                self.has_blocking = true;
                overlay(&mut self.blocking, &value);
            }
            TaskFileSection::Backlog => self.task.backlog = Some(backlog(&value)),
            TaskFileSection::Outcome => self.task.outcome = Some(outcome(&value)),
            TaskFileSection::Delegations => self.task.delegations = Some(value),
            _ => {}
        }
    }

    fn finish(mut self) -> Option<Task> {
        self.take_json();
        if !self.known {
            return None;
        }
        self.task.description = self.description.join("\n");
        self.task.context = Some(self.context.join("\n")).filter(|context| !context.is_empty());
        self.task.blocking = self.has_blocking.then_some(self.blocking);
        let Task { raw_status, raw_priority, description, flaws, .. } = &mut self.task;
        for (kind, written) in [(FlawKind::Status, raw_status), (FlawKind::Priority, raw_priority)] {
            if let Some(written) = written {
                note(flaws, kind, written);
            }
        }
        if !self.has_status {
            note(flaws, FlawKind::NoStatus, "");
        }
        if description.is_empty() {
            note(flaws, FlawKind::NoDescription, "");
        }
        Some(self.task)
    }
}

pub(super) fn status(value: &str) -> (TaskStatus, Option<String>) {
    match value.to_lowercase().parse() {
        Ok(status) => (status, None),
        Err(()) => (TaskStatus::Unknown, Some(value.to_owned())),
    }
}

pub(super) fn priority(value: &str) -> (Priority, Option<String>) {
    let known = [Priority::Urgent, Priority::High, Priority::Medium, Priority::Low];
    match known.into_iter().find(|priority| priority.as_str().eq_ignore_ascii_case(value)) {
        Some(priority) => (priority, None),
        None => (Priority::Unknown, Some(value.to_owned())),
    }
}

/// `- [x] (s1) text`
fn step(line: &str, order: u32) -> Option<Step> {
    let rest = line.strip_prefix('-')?.trim_start().strip_prefix('[')?;
    let (mark, rest) = rest.split_once(']')?;
    let (id, content) = rest.trim_start().strip_prefix('(')?.split_once(')')?;
    let status = match mark {
        "x" | "X" => StepState::Done,
        ">" => StepState::InProgress,
        "-" => StepState::Skipped,
        blank if blank.trim().is_empty() => StepState::Pending,
        _ => return None,
    };
    let word = !id.is_empty() && id.chars().all(|c| c.is_alphanumeric() || c == '_');
    word.then(|| Step { id: id.to_owned(), content: content.trim().to_owned(), status, order })
}

fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn count(value: &Value, key: &str) -> Option<u32> {
    value.get(key)?.as_u64().and_then(|number| u32::try_from(number).ok())
}

fn texts(value: &Value, key: &str) -> Option<Vec<String>> {
    let items = value.get(key)?.as_array()?.iter().filter_map(Value::as_str);
    Some(items.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned).collect())
}

/// The fence wins over the metadata, field by field.
fn overlay(blocking: &mut Blocking, value: &Value) {
    fn set<T>(slot: &mut Option<T>, found: Option<T>) {
        if found.is_some() {
            *slot = found;
        }
    }
    set(&mut blocking.blocked_reason, text(value, "blockedReason"));
    if let Some(names) = texts(value, "unblockedBy") {
        blocking.unblocked_by = names;
    }
    set(&mut blocking.unblocked_action, text(value, "unblockedAction"));
    set(&mut blocking.unblock_request_count, count(value, "unblockRequestCount"));
    set(&mut blocking.last_unblocker_index, value.get("lastUnblockerIndex").and_then(Value::as_i64));
    set(&mut blocking.last_unblock_request_at, text(value, "lastUnblockRequestAt"));
    set(&mut blocking.escalation_state, text(value, "escalationState"));
    set(&mut blocking.unblock_request_failures, count(value, "unblockRequestFailures"));
}

fn backlog(value: &Value) -> Backlog {
    Backlog {
        created_by: text(value, "createdBy"),
        assignee: text(value, "assignee"),
        depends_on: texts(value, "dependsOn").unwrap_or_default(),
        estimated_effort: text(value, "estimatedEffort"),
        start_date: text(value, "startDate"),
        due_date: text(value, "dueDate"),
        milestone_id: text(value, "milestoneId"),
        milestone_item_id: text(value, "milestoneItemId"),
        reassign_count: count(value, "reassignCount"),
    }
}

fn outcome(value: &Value) -> TaskOutcome {
    TaskOutcome {
        kind: text(value, "kind").unwrap_or_default(),
        summary: text(value, "summary"),
        reason: text(value, "reason"),
        by: text(value, "by"),
        error: text(value, "error"),
        retriable: value.get("retriable").and_then(Value::as_bool),
    }
}
