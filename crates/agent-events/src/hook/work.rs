//! Conversion of hooks about tools, tasks and messages into events (`contract/event-schema-v1_1.md` §C.2, §C.4).

use serde_json::{Value, json};

use super::state::TaskStage;
use super::step::{HookOutcome, HookStep, put, put_some, set_target};
use super::tool::makes_agents;
use super::who::{TeamName, Who};
use super::words::{LABEL_UNITS, SUMMARY_UNITS, cut};
use crate::key::segment;
use crate::{Kind, SchemaEvent};

/// Behind this time without a word two agents begin a new meeting (§C.2).
const CONTACT_MS: i64 = 600_000;

impl HookStep<'_> {
    pub(super) fn tool_started(&mut self, who: &Who) -> HookOutcome {
        self.end_wait(who);
        if let Some(call) = self.hook.call() {
            self.state.opens(self.hook.agent().unwrap_or_default(), call);
        }
        let event = self.tool_event(Kind::ToolStarted, who);
        self.out.push(event);
        if makes_agents(self.hook.tool()) {
            self.assigned_by_call(who);
        }
        self.guess(who);
        HookOutcome::Emitted
    }

    pub(super) fn tool_ended(&mut self, who: &Who) -> HookOutcome {
        self.end_wait(who);
        if let Some(call) = self.hook.call() {
            self.state.closes(self.hook.agent().unwrap_or_default(), call);
        }
        let failed = self.hook.name() == "PostToolUseFailure" || self.hook.answer_failed();
        let mut event = self.tool_event(if failed { Kind::ToolFailed } else { Kind::ToolSucceeded }, who);
        if failed {
            self.add_failure(&mut event);
        }
        self.out.push(event);
        if !failed {
            match self.hook.tool() {
                "TaskCreate" => self.task_created_by_call(who),
                "TaskUpdate" => self.task_updated(who),
                "TodoWrite" => self.todos_written(who),
                "SendMessage" => self.message_sent(who),
                _ => {}
            }
        }
        HookOutcome::Emitted
    }

    fn tool_event(&self, kind: Kind, who: &Who) -> SchemaEvent {
        let hook = self.hook;
        let mut event = self.event("", kind, who);
        event.task_id = self.current(who);
        put(&mut event, "tool_name", hook.tool());
        put_some(&mut event, "tool_use_id", hook.call());
        for (name, of) in [
            ("summary", "description"),
            ("file", "file"),
            ("command", "command"),
            ("url", "url"),
            ("query", "query"),
            ("pattern", "pattern"),
        ] {
            put_some(&mut event, name, hook.input(of));
        }
        if let Some(took) = hook.fields.get("duration_ms") {
            put(&mut event, "duration_ms", took.clone());
        }
        put_some(&mut event, "output", hook.answer("output"));
        event
    }

    /// Code and text of a failure: both are required, and neither is in every hook (§A.3, §C.4).
    fn add_failure(&self, event: &mut SchemaEvent) {
        let details =
            if self.hook.name() == "PostToolUse" { self.hook.inside("tool_response") } else { Some(self.hook.fields) };
        let field = |name: &str| details.and_then(|fields| fields.get(name));
        let code = field("exit_code").and_then(Value::as_i64).unwrap_or(super::exit::UNKNOWN_EXIT_CODE);
        put(event, "exit_code", code);
        put(event, "exit_code_known", field("exit_code_known").and_then(Value::as_bool) == Some(true));
        let error_text = field("error").and_then(Value::as_str).map(str::to_owned);
        put(event, "error_message", error_text.unwrap_or_else(|| format!("exit code {code}")));
        if field("is_interrupt").or_else(|| field("interrupted")).and_then(Value::as_bool) == Some(true) {
            put(event, "interrupted", true);
        }
    }

    /// A task of the session's or team's own list. Each counts from one, so its name goes before.
    fn task_id(&self, native: &str) -> String {
        let team = self.hook.text("team_name").or_else(|| self.names.team());
        let list = team.map_or_else(|| self.short_session(), segment);
        format!("task_{list}_{}", segment(native))
    }

    fn task_event(&mut self, suffix: &str, kind: Kind, who: &Who, id: &str, native: Option<&str>) -> SchemaEvent {
        let mut event = self.event(suffix, kind, who);
        event.task_id = Some(id.to_owned());
        put_some(&mut event, "native_task_id", native);
        let subject = self.state.tasks.get(id).and_then(|task| task.subject.clone());
        put_some(&mut event, "summary", subject.as_deref());
        put_some(&mut event, "label", subject.map(|text| cut(&text, LABEL_UNITS)).as_deref());
        event
    }

    fn subject_of(&mut self, id: &str, subject: Option<&str>) {
        if let Some(subject) = subject {
            self.state.task(id).subject = Some(cut(subject, SUMMARY_UNITS));
        }
    }

    /// Takes a task to a stage; nothing when it is there already.
    fn task_to(
        &mut self,
        suffix: &str,
        stage: TaskStage,
        who: &Who,
        id: &str,
        native: Option<&str>,
    ) -> Option<SchemaEvent> {
        let task = self.state.task(id);
        let known = task.stage;
        if known == stage || (stage == TaskStage::Created && known != TaskStage::Known) {
            return None;
        }
        task.stage = stage;
        let owner = task.owner.clone();
        let kind = match stage {
            TaskStage::Known | TaskStage::Created => Kind::TaskCreated,
            TaskStage::Started => Kind::TaskStarted,
            TaskStage::Completed => Kind::TaskCompleted,
            TaskStage::Failed => Kind::TaskFailed,
        };
        match stage {
            TaskStage::Started => {
                drop(self.state.current.insert(owner.unwrap_or_else(|| who.id.clone()), id.to_owned()))
            }
            TaskStage::Completed | TaskStage::Failed => self.state.leave(id),
            TaskStage::Known | TaskStage::Created => {}
        }
        Some(self.task_event(suffix, kind, who, id, native))
    }

    /// `TaskCreated`, `TaskCompleted`: authoritative reports about tasks.
    pub(super) fn task_reported(&mut self, who: &Who) -> HookOutcome {
        let Some(native) = self.hook.text("task_id") else { return HookOutcome::Ignored };
        let id = self.task_id(native);
        self.subject_of(&id, self.hook.text("task_subject"));
        let stage = if self.hook.name() == "TaskCreated" { TaskStage::Created } else { TaskStage::Completed };
        if stage == TaskStage::Completed
            && self.hook.text("teammate_name").is_some()
            && self.state.resting.contains(&who.id)
        {
            // Behind a teammate's turn the program asks the hooks about each task that it is still at, and leaves the
            // task as it is.
            return HookOutcome::Ignored;
        }
        let Some(event) = self.task_to("", stage, who, &id, Some(native)) else { return HookOutcome::Doubled };
        self.out.push(event);
        HookOutcome::Emitted
    }

    fn task_created_by_call(&mut self, who: &Who) {
        let Some(native) = self.hook.inside("tool_response").and_then(|answer| answer.get("task")?.get("id")?.as_str())
        else {
            return;
        };
        let id = self.task_id(native);
        self.subject_of(&id, self.hook.input("subject"));
        let event = self.task_to("task", TaskStage::Created, who, &id, Some(native));
        self.out.extend(event);
    }

    fn task_updated(&mut self, who: &Who) {
        let Some(native) = self.hook.input("taskId") else { return };
        let id = self.task_id(native);
        self.subject_of(&id, self.hook.input("subject"));
        if let Some(owner) = self.hook.input("owner") {
            let owner = self.names.called(self.team(), owner, &self.place);
            let task = self.state.task(&id);
            if task.owner.as_deref() != Some(owner.id.as_str()) {
                task.owner = Some(owner.id.clone());
                if task.stage == TaskStage::Started {
                    self.state.leave(&id);
                    self.state.current.insert(owner.id.clone(), id.clone());
                }
                let mut event = self.task_event("assign", Kind::ManagerAssign, who, &id, Some(native));
                if !event.payload.contains_key("summary") {
                    put(&mut event, "summary", format!("#{native}"));
                }
                set_target(&mut event, &owner);
                self.out.push(event);
            }
        }
        let (stage, reason) = match self.hook.input("status") {
            Some("in_progress") => (TaskStage::Started, None),
            Some("completed") => (TaskStage::Completed, None),
            Some("deleted") => (TaskStage::Failed, Some("deleted")),
            _ => return,
        };
        if let Some(mut event) = self.task_to("task", stage, who, &id, Some(native)) {
            put_some(&mut event, "reason", reason);
            self.out.push(event);
        }
    }

    /// A call that would create or end a task, and had no confirmation for a minute.
    fn guess(&mut self, who: &Who) {
        let hook = self.hook;
        let Some(call) = hook.call().filter(|call| self.names.guesses.is_accepted(call, self.clock)) else { return };
        let (kind, id, native) = match (hook.tool(), hook.input("taskId")) {
            ("TaskCreate", _) => (Kind::TaskCreated, call.to_owned(), None),
            (_, Some(native)) => (Kind::TaskCompleted, self.task_id(native), Some(native)),
            _ => return,
        };
        let mut event = self.task_event("guess", kind, who, &id, native);
        if let Some(subject) = hook.input("subject") {
            put(&mut event, "summary", cut(subject, SUMMARY_UNITS));
            put(&mut event, "label", cut(subject, LABEL_UNITS));
        }
        put(&mut event, "guess", true);
        self.out.push(event);
    }

    /// Older builds write their whole list each time, and an entry has no id but its words. An entry with new words is
    /// created; one that is missing was withdrawn, unless it was done.
    fn todos_written(&mut self, who: &Who) {
        let list = self
            .hook
            .inside("tool_input")
            .and_then(|input| input.get("todos")?.as_array())
            .cloned()
            .unwrap_or_default();
        let mut now = Vec::new();
        for (number, todo) in list.iter().enumerate() {
            let text = |name: &str| todo.get(name).and_then(Value::as_str);
            let Some(digest) = text("subject_digest") else { continue };
            let id = format!("todo_{}_{digest}", self.short_session());
            if now.contains(&id) {
                continue;
            }
            self.subject_of(&id, text("content"));
            let created = self.task_to(&format!("todo{number}"), TaskStage::Created, who, &id, None);
            self.out.extend(created);
            let stage = match text("status") {
                Some("in_progress") => Some(TaskStage::Started),
                Some("completed") => Some(TaskStage::Completed),
                _ => None,
            };
            let moved = stage.and_then(|stage| self.task_to(&format!("todo{number}.now"), stage, who, &id, None));
            self.out.extend(moved);
            now.push(id);
        }
        let before = self.state.todos.insert(who.id.clone(), now.clone()).unwrap_or_default();
        for (number, id) in before.iter().enumerate().filter(|(_, id)| !now.contains(id)) {
            let over = |stage| matches!(stage, TaskStage::Completed | TaskStage::Failed);
            if self.state.tasks.get(id).is_none_or(|task| over(task.stage)) {
                continue;
            }
            if let Some(mut event) = self.task_to(&format!("gone{number}"), TaskStage::Failed, who, id, None) {
                put(&mut event, "reason", "deleted");
                self.out.push(event);
            }
        }
    }

    /// A message between agents: a meeting when there was none for a while, else progress of the task that
    /// one of them is at. Where neither is at any, it is a meeting again: progress must name a task (§A.3).
    fn message_sent(&mut self, who: &Who) {
        let to = self.hook.input("to").unwrap_or("*").trim_start_matches('@');
        let all = matches!(to, "*" | "all" | "everyone") || self.hook.input("type") == Some("broadcast");
        let target = (!all).then(|| self.names.called(self.team(), to, &self.place));
        let TeamName { name: team } = self.team();
        let other = target.as_ref().map_or_else(|| format!("{}/all", segment(team)), |target| target.id.clone());
        let pair = if who.id <= other { (who.id.clone(), other.clone()) } else { (other.clone(), who.id.clone()) };
        let last = self.state.contacts.insert(pair, (self.hook.at, who.id.clone()));
        let last = last.filter(|(at, _)| self.hook.at.saturating_sub(*at) < CONTACT_MS);
        let recent = last.is_some();
        let tasks = [Some(who), target.as_ref()].into_iter().flatten().find_map(|who| self.current(who));
        let task = tasks.or_else(|| self.main_task().cloned());
        let kind = if recent && task.is_some() { Kind::TaskProgress } else { Kind::MeetingRequested };
        let mut event = self.event("message", kind, who);
        event.task_id = task;
        if let Some(target) = &target {
            set_target(&mut event, target);
        }
        if last.is_some_and(|(_, speaker)| speaker == other) {
            put(&mut event, "answers", true);
        }
        put(&mut event, "participants", json!([who.id, other]));
        put_some(&mut event, "message", self.hook.input("message"));
        put_some(&mut event, "summary", self.hook.input("summary"));
        self.out.push(event);
    }
}
