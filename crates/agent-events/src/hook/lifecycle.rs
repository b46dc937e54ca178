//! Conversion of lifecycle hooks into events: start and end of sessions and agents, and prompts
//! (`contract/event-schema-v1_1.md` §C.2).

use super::seen::HookView;
use super::step::{HookOutcome, HookStep, put, put_some, set_target};
use super::who::{TeamRole, Who};
use super::words::{LABEL_UNITS, SUMMARY_UNITS, cut};
use crate::Kind;
use protocol::digest::digest_hex;

/// A start within this time after its call is its answer (§C.2).
const ACKNOWLEDGED_MS: i64 = 30_000;
/// Letters of a digest that distinguishes events of one hook about several agents.
const AGENT_DIGEST_LETTERS: usize = 6;

impl HookStep<'_> {
    pub(super) fn session_started(&mut self, who: &Who) -> HookOutcome {
        self.end_wait(who);
        let mut event = self.event("", Kind::AgentStarted, who);
        put_some(&mut event, "start_source", self.hook.text("source"));
        put_some(&mut event, "agent_type", self.hook.text("agent_type"));
        self.out.push(event);
        HookOutcome::Emitted
    }

    pub(super) fn session_ended(&mut self, who: &Who) -> HookOutcome {
        // Who ends waits no more, nor does its task.
        self.end_wait(who);
        let mut event = self.event("", Kind::AgentStopped, who);
        put_some(&mut event, "reason", self.hook.text("reason"));
        self.out.push(event);
        self.stop_remaining_agents(who);
        HookOutcome::Emitted
    }

    /// The end of an agent as the document's `Stop` reports it: a subagent's is that of a `SubagentStop`.
    pub(super) fn ended(&mut self, who: &Who) -> HookOutcome {
        if let Some(native) = self.hook.agent() {
            self.state.running.remove(native);
        }
        self.end_wait(who);
        let mut event = self.event("", Kind::AgentStopped, who);
        if let Some(native) = self.hook.agent() {
            set_target(&mut event, &self.parent(native));
        }
        put_some(&mut event, "reason", self.hook.text("reason"));
        put_some(&mut event, "summary", self.hook.text("summary"));
        self.out.push(event);
        if who.id == self.main().id {
            self.stop_remaining_agents(who);
        }
        HookOutcome::Emitted
    }

    /// With the session's program end the agents that ran in it, and their waits.
    fn stop_remaining_agents(&mut self, main: &Who) {
        let running = std::mem::take(&mut self.state.running);
        let mut crew: Vec<Who> = running.iter().map(|native| self.names.native(self.team(), native)).collect();
        for id in self.state.waits.keys().filter(|id| **id != main.id) {
            if !crew.iter().any(|who| who.id == *id) {
                crew.push(Who { id: id.clone(), party: TeamRole::Teammate, native: None, written: None });
            }
        }
        for who in crew.iter().filter(|who| who.id != main.id) {
            let short = digest_hex(&who.id, AGENT_DIGEST_LETTERS);
            self.end_wait_as(who, &format!("unblocked-{short}"));
            let mut event = self.concluded(&format!("gone-{short}"), Kind::AgentStopped, who);
            set_target(&mut event, main);
            put(&mut event, "reason", "session_ended");
            self.out.push(event);
        }
    }

    pub(super) fn prompted(&mut self, who: &Who) -> HookOutcome {
        self.state.prompts += 1;
        self.end_wait(who);
        let by_user = !self.hook.text("source").is_some_and(|source| source != "user" && source != "sdk");
        if let Some(task) = self.current(who).filter(|_| by_user) {
            let mut event = self.event("", Kind::TaskProgress, who);
            event.task_id = Some(task);
            let prompt = self.hook.text("prompt");
            put_some(&mut event, "summary", prompt.map(|text| line(text, SUMMARY_UNITS)).as_deref());
            put_some(&mut event, "prompt", prompt.filter(|text| line(text, SUMMARY_UNITS) != *text));
            self.out.push(event);
        }
        if self.out.is_empty() { HookOutcome::Ignored } else { HookOutcome::Emitted }
    }

    pub(super) fn agent_started(&mut self, who: &Who) -> HookOutcome {
        let Some(native) = self.hook.agent() else { return self.session_started(who) };
        self.state.running.insert(native.to_owned());
        let mut event = self.event("", Kind::AgentStarted, who);
        put_some(&mut event, "agent_type", self.hook.text("agent_type"));
        put_some(&mut event, "parent_session_id", self.hook.text("parent_session_id"));
        put_some(&mut event, "prompt", self.hook.text("prompt"));
        let parent = self.parent(native);
        set_target(&mut event, &parent);
        self.of_call(native, &mut event);
        self.out.push(event);
        let Some((id, call)) = self.names.call_of(native) else { return HookOutcome::Emitted };
        let delay_ms = call.before.as_ref().map(|place| self.hook.at.saturating_sub(place.0));
        if delay_ms.is_some_and(|after| (0..=ACKNOWLEDGED_MS).contains(&after))
            && self.state.acknowledged.insert(id.to_owned())
        {
            let mut event = self.concluded("ack", Kind::AgentAcknowledged, who);
            set_target(&mut event, &parent);
            event.task_id = Some(id.to_owned());
            put(&mut event, "tool_use_id", id);
            put_some(&mut event, "label", call.label.as_deref().map(|text| cut(text, LABEL_UNITS)).as_deref());
            self.out.push(event);
        }
        HookOutcome::Emitted
    }

    /// The end of a subagent. Older builds do not say of which: then it is the only one that runs.
    pub(super) fn agent_stopped(&mut self) -> HookOutcome {
        let only = || self.state.running.first().filter(|_| self.state.running.len() == 1).cloned();
        let Some(native) = self.hook.agent().map(str::to_owned).or_else(only) else { return HookOutcome::Unjoined };
        self.state.running.remove(&native);
        let who = self.names.native(self.team(), &native);
        self.end_wait(&who);
        self.is_active(&who);
        self.state.resting.insert(who.id.clone());
        let mut event = self.event("", Kind::AgentStopped, &who);
        set_target(&mut event, &self.parent(&native));
        self.of_call(&native, &mut event);
        let last_message = self.hook.text("last_assistant_message");
        put_some(&mut event, "summary", last_message.map(|text| line(text, SUMMARY_UNITS)).as_deref());
        put_some(&mut event, "message", last_message.filter(|text| line(text, SUMMARY_UNITS) != *text));
        self.out.push(event);
        HookOutcome::Emitted
    }

    /// The agent that made another one.
    fn parent(&self, native: &str) -> Who {
        match self.names.call_of(native).and_then(|(_, call)| call.by.as_deref()) {
            Some(by) if by != native => self.names.native(self.team(), by),
            // The agent of this session was made in another session.
            _ if self.main().id == self.names.native(self.team(), native).id => self.team().leader(),
            _ => self.main(),
        }
    }

    /// What the call that made an agent says of it.
    fn of_call(&self, native: &str, event: &mut crate::SchemaEvent) {
        if let Some((id, call)) = self.names.call_of(native) {
            put(event, "tool_use_id", id);
            put_some(event, "label", call.label.as_deref().map(|text| cut(text, LABEL_UNITS)).as_deref());
        }
    }

    /// `manager_assign` of a call that makes an agent, before it ran: a guess.
    pub(super) fn assigned_by_call(&mut self, who: &Who) {
        let hook: HookView<'_> = self.hook;
        let Some(call) = hook.call() else { return };
        let Some(target) = self.names.target(self.team(), call) else { return };
        let mut event = self.event("assign", Kind::ManagerAssign, who);
        set_target(&mut event, &target);
        event.task_id = Some(call.to_owned());
        put(&mut event, "tool_use_id", call);
        let label = hook.input("description");
        put(&mut event, "summary", label.map_or_else(|| kind_of(&hook), |text| cut(text, SUMMARY_UNITS)));
        put_some(&mut event, "label", label.map(|text| cut(text, LABEL_UNITS)).as_deref());
        put_some(&mut event, "message", hook.input("prompt"));
        put_some(&mut event, "agent_type", hook.input("subagent_type"));
        put(&mut event, "guess", true);
        self.out.push(event);
    }
}

/// Replacement for a description that is not stored.
fn kind_of(hook: &HookView<'_>) -> String {
    hook.input("name").or_else(|| hook.input("subagent_type")).unwrap_or("general-purpose").to_owned()
}

/// A text in one line.
fn line(text: &str, max: usize) -> String {
    cut(&text.split_whitespace().collect::<Vec<_>>().join(" "), max)
}
