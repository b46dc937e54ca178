//! Detection of agents that wait for a person or stopped with an error, and of the end of the wait
//! (`contract/event-schema-v1_1.md` §C.2). Repeated reports of one wait give one event.
//!
//! A permission notification may not name its agent. If exactly one agent has an open tool call, that agent counts as
//! waiting. Otherwise the main agent of the Claude Code session does, until another agent requests a permission within
//! ten seconds.

use super::state::PersonWait;
use super::step::{HookOutcome, HookStep, put, put_some, set_target};
use super::who::{TeamRole, Who};
use super::words::{SUMMARY_UNITS, cut};
use crate::{Kind, SchemaEvent, Severity};

/// A notification that names nobody is about the same wait as a request within this time.
const SAME_WAIT_MS: i64 = 10_000;
/// The call that is being asked for may be reported this long after the question.
const LATE_CALL_MS: i64 = 2_000;

const PERMISSION: &str = "permission";
const QUESTION: &str = "question";
const IDLE: &str = "idle";
const ERROR: &str = "error";

impl HookStep<'_> {
    pub(super) fn notified(&mut self, who: &Who) -> HookOutcome {
        let reason = match self.hook.text("notification_type") {
            Some("permission_prompt") => PERMISSION,
            Some("elicitation_dialog" | "agent_needs_input") => QUESTION,
            Some("idle_prompt") => IDLE,
            // The document's shape has no type: its errors stop the agent.
            None if self.hook.text("level") == Some("error") => ERROR,
            _ => return HookOutcome::Ignored,
        };
        // It names no agent, also when a subagent waits.
        let others = self.state.waits.values().any(|wait| matches!(wait.reason, PERMISSION | QUESTION));
        if reason == PERMISSION && self.hook.agent().is_none() && others {
            return HookOutcome::Doubled;
        }
        let unnamed = self.hook.agent().is_none();
        if reason == PERMISSION
            && unnamed
            && let Some(only) = self.only_caller()
        {
            return self.block(&only, reason, self.hook.text("message"), true, None);
        }
        let is_waiting = self.state.waits.get(&who.id).is_some_and(|wait| matches!(wait.reason, PERMISSION | QUESTION));
        if reason == IDLE && is_waiting {
            // It waits at its prompt: its request was refused, which no hook reports.
            self.end_wait(who);
        }
        self.block(who, reason, self.hook.text("message"), unnamed, None)
    }

    /// The one agent with an open call, where the main thread has none: a dialog is about that call. Not every version of
    /// the program reports a teammate's request by `PermissionRequest`; a notification names nobody.
    fn only_caller(&self) -> Option<Who> {
        let mut callers = self.state.open.keys();
        let only = callers.next().filter(|agent| !agent.is_empty() && callers.next().is_none())?;
        Some(self.names.native(self.team(), only))
    }

    pub(super) fn permission_requested(&mut self, who: &Who) -> HookOutcome {
        let reason = if self.hook.tool() == "AskUserQuestion" { QUESTION } else { PERMISSION };
        let main = self.main();
        let already_waiting = self.state.waits.get(&main.id).is_some_and(|wait| {
            wait.unnamed && wait.reason == PERMISSION && self.hook.at.saturating_sub(wait.since) <= SAME_WAIT_MS
        });
        if already_waiting && main.id != who.id {
            // What was taken for the main thread's wait is this agent's.
            self.end_wait(&main);
        }
        self.block(who, reason, self.hook.input("description"), false, None)
    }

    pub(super) fn failed(&mut self, who: &Who) -> HookOutcome {
        let error_text = self.hook.text("error_details").or_else(|| self.hook.text("error"));
        self.block(who, ERROR, error_text, false, None)
    }

    /// The end of a turn is the end of the agent's own request: it was refused, which not every program reports.
    pub(super) fn turn_ended(&mut self, who: &Who) -> HookOutcome {
        let is_own = |wait: &PersonWait| !wait.unnamed && matches!(wait.reason, PERMISSION | QUESTION);
        if self.state.waits.get(&who.id).is_some_and(is_own) {
            self.end_wait(who);
        }
        if self.out.is_empty() { HookOutcome::Ignored } else { HookOutcome::Emitted }
    }

    pub(super) fn idle(&mut self, who: &Who) -> HookOutcome {
        let leader = self.team().leader();
        self.block(who, IDLE, None, false, Some(&leader))
    }

    fn block(
        &mut self,
        who: &Who,
        reason: &'static str,
        summary: Option<&str>,
        unnamed: bool,
        target: Option<&Who>,
    ) -> HookOutcome {
        if let Some(wait) = self.state.waits.get(&who.id)
            && (wait.reason == reason || reason == IDLE)
        {
            return HookOutcome::Doubled;
        }
        let tool = self.hook.text("tool_name").map(str::to_owned);
        let task = self.current(who);
        let mut event = self.event("", Kind::AgentBlocked, who);
        Self::own_task(&mut event, who, task.clone());
        put(&mut event, "state", if reason == ERROR { "failed" } else { "pending_input" });
        put(&mut event, "reason", reason);
        put_some(&mut event, "tool_name", tool.as_deref());
        if unnamed && who.id != self.main().id {
            put(&mut event, "guess", true);
        }
        put_some(&mut event, "summary", summary.map(|text| cut(text, SUMMARY_UNITS)).as_deref());
        if let Some(level) = self.hook.text("level") {
            put(&mut event, "level", level);
            let severity = Severity::of(if level == "warning" { "warn" } else { level });
            event.severity = if severity.is_known() { severity } else { event.severity };
        }
        if reason == ERROR {
            put_some(&mut event, "error_code", self.hook.text("error"));
        }
        if let Some(target) = target {
            set_target(&mut event, target);
        }
        self.out.push(event);
        self.state.waits.insert(who.id.clone(), PersonWait { reason, since: self.hook.at, tool, task, unnamed });
        HookOutcome::Emitted
    }

    /// A wait is about the agent's own task; the leader's is not held up by what others wait for. Its end names the
    /// task that was current when it began, regardless of its state now.
    fn own_task(event: &mut SchemaEvent, who: &Who, task: Option<String>) {
        event.payload.remove("current_task");
        if who.party == TeamRole::Leader {
            put_some(event, "current_task", task.as_deref());
        }
        event.task_id = task;
    }

    /// Ends the wait of an agent for a permission, a question, an error or input: its next hook shows that it continues.
    pub(super) fn end_wait(&mut self, who: &Who) {
        self.end_wait_as(who, "unblocked");
    }

    /// The same where one hook ends the waits of several.
    pub(super) fn end_wait_as(&mut self, who: &Who, suffix: &str) {
        let Some(wait) = self.state.waits.get(&who.id) else { return };
        let late =
            self.hook.at.saturating_sub(wait.since) <= LATE_CALL_MS && wait.tool.as_deref() == Some(self.hook.tool());
        if late && self.hook.name() == "PreToolUse" {
            return;
        }
        let Some(wait) = self.state.waits.remove(&who.id) else { return };
        let mut event = self.concluded(suffix, Kind::AgentUnblocked, who);
        // It comes before the event that showed it.
        event.id = event.id.replacen('_', "-", 1);
        Self::own_task(&mut event, who, wait.task);
        put(&mut event, "reason", wait.reason);
        put_some(&mut event, "tool_name", wait.tool.as_deref());
        put(&mut event, "waited_ms", self.hook.at.saturating_sub(wait.since));
        self.out.push(event);
    }
}
