//! One step of the fold over a session's hooks (`session.rs`): takes a hook, updates the session's state and returns
//! the hook's events (`contract/event-schema-v1_1.md` §C.2).

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::capture::{CAPTURED, Capture};
use super::names::SessionNames;
use super::reduce::{is_known, is_passed_over};
use super::seen::{HookOrderKey, HookView};
use super::shape::END_FLAG;
use super::state::SessionFoldState;
use super::who::{TeamName, TeamRole, Who};
use crate::key::{segment, short_id};
use crate::{Kind, SchemaEvent, Severity, Source, VERSION, canonical};

/// From this difference on the clocks of wrapper and monitor are reported as different (§E.4).
const SKEW_MS: i64 = 2_000;
/// Bytes of a payload in an event's `raw`, which may hold 16 KiB.
const MAX_RAW_BYTES: usize = 14 * 1024;
/// The project of a session that names none.
const NO_WORKSPACE: &str = "repo_unknown";
/// Letters of a session's id in names made of it (§C.3).
const SHORT_SESSION_LETTERS: usize = 8;

/// What became of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HookOutcome {
    /// It made events.
    Emitted,
    /// It makes none.
    Ignored,
    /// This build does not know its name.
    Unknown,
    /// It repeated what another hook had reported.
    Doubled,
    /// It ended a subagent, and did not say which.
    Unjoined,
}

/// One hook being read.
pub(super) struct HookStep<'a> {
    /// Facts that the whole session shows, later hooks included.
    pub(super) names: &'a SessionNames,
    /// State before the hook; changed by it.
    pub(super) state: &'a mut SessionFoldState,
    pub(super) hook: HookView<'a>,
    /// Position of the hook in its session.
    pub(super) place: HookOrderKey,
    /// Time up to which the fold is settled, in epoch milliseconds.
    pub(super) clock: i64,
    /// Events made so far.
    pub(super) out: Vec<SchemaEvent>,
    /// Agents for which it is a sign of life.
    lively: &'a mut BTreeSet<String>,
}

/// The events of a hook after all before it. Notes the agents for which it is a sign of life.
pub(super) fn step(
    names: &SessionNames,
    state: &mut SessionFoldState,
    hook: HookView<'_>,
    clock: i64,
    lively: &mut BTreeSet<String>,
) -> (Vec<SchemaEvent>, HookOutcome) {
    if state.workspace.is_none() {
        state.workspace.clone_from(&hook.stamp.workspace_id);
    }
    if is_passed_over(hook.name()) {
        return (Vec::new(), HookOutcome::Ignored);
    }
    if !is_known(hook.name()) {
        return (Vec::new(), HookOutcome::Unknown);
    }
    if hook.call().is_none() && state.is_double(hook.text("hash").unwrap_or(hook.key), hook.at) {
        return (Vec::new(), HookOutcome::Doubled);
    }
    let mut step = HookStep { names, state, hook, place: hook.place(), clock, out: Vec::new(), lively };
    let fate = step.read();
    (step.out, fate)
}

impl HookStep<'_> {
    fn read(&mut self) -> HookOutcome {
        let who = self.subject();
        self.is_active(&who);
        self.turns(&who);
        match self.hook.name() {
            "SessionStart" => self.session_started(&who),
            "SessionEnd" => self.session_ended(&who),
            "UserPromptSubmit" => self.prompted(&who),
            "SubagentStart" => self.agent_started(&who),
            // It names itself, and is no subagent: the leader.
            "SubagentStop" if self.hook.agent().is_none() && self.hook.text("agent_name").is_some() => self.ended(&who),
            "SubagentStop" => self.agent_stopped(),
            "PreToolUse" => self.tool_started(&who),
            "PostToolUse" | "PostToolUseFailure" => self.tool_ended(&who),
            "TaskCreated" | "TaskCompleted" => self.task_reported(&who),
            "Notification" => self.notified(&who),
            "PermissionRequest" => self.permission_requested(&who),
            "Stop" if self.hook.fields.contains_key(END_FLAG) => self.ended(&who),
            "Stop" | "Interrupt" => self.turn_ended(&who),
            "StopFailure" => self.failed(&who),
            "TeammateIdle" => self.idle(&who),
            // A refusal is a sign of life and nothing else.
            _ => HookOutcome::Ignored,
        }
    }

    /// Also what makes no event is a sign of life (§C.2, Stop).
    pub(super) fn is_active(&mut self, who: &Who) {
        let terminal = self.terminal();
        self.lively.insert(who.id.clone());
        self.state.active.entry(who.id.clone()).or_default().insert(terminal, self.hook.at);
    }

    fn terminal(&self) -> String {
        let stamped = self.hook.stamp.terminal_session_id.clone().filter(|name| !name.trim().is_empty());
        stamped.unwrap_or_else(|| format!("term_{}", self.short_session()))
    }

    /// Tracks ended turns. The end of a turn closes its open calls: an interrupted one gets no `PostToolUse`.
    fn turns(&mut self, who: &Who) {
        let ends = matches!(self.hook.name(), "Stop" | "StopFailure" | "Interrupt" | "UserPromptSubmit" | "SessionEnd");
        // Older builds do not say which subagent ended its turn.
        if ends || (self.hook.name() == "SubagentStop" && self.hook.agent().is_some()) {
            self.state.open.remove(self.hook.agent().unwrap_or_default());
        }
        match self.hook.name() {
            "Stop" | "StopFailure" | "Interrupt" => drop(self.state.resting.insert(who.id.clone())),
            // They report about others as well; the subagent of an end is determined there.
            "SubagentStop" | "TaskCompleted" | "TaskCreated" | "TeammateIdle" | "Notification" => {}
            _ => drop(self.state.resting.remove(&who.id)),
        }
    }

    /// The session's team; one without a name is called like the project (§C.3).
    pub(super) fn team(&self) -> TeamName<'_> {
        let team = TeamName { name: self.project() };
        self.names.team().map_or(team, |name| team.or_named(name))
    }

    fn project(&self) -> &str {
        let workspace = self.state.workspace.as_deref().unwrap_or(NO_WORKSPACE);
        workspace.strip_prefix("repo_").filter(|name| !name.is_empty()).unwrap_or(workspace)
    }

    /// The session's main thread: a leader, or a teammate in a terminal of its own.
    pub(super) fn main(&self) -> Who {
        let own = self.names.own().map(|name| self.team().named(name, TeamRole::Teammate, None));
        own.unwrap_or_else(|| self.team().leader())
    }

    /// The agent of the hook: the one it names, else the main thread.
    fn subject(&self) -> Who {
        if let Some(native) = self.hook.agent() {
            return self.names.native(self.team(), native);
        }
        let named = self.hook.text("teammate_name").filter(|name| !super::who::is_leader(name));
        let Some(name) = named.filter(|name| self.names.own() != Some(*name)) else { return self.main() };
        let team = self.hook.text("team_name").map_or(self.team(), |name| self.team().or_named(name));
        let called = self.names.called(team, name, &self.place);
        Who { party: TeamRole::Teammate, ..called }
    }

    /// Some letters of the session's id.
    pub(super) fn short_session(&self) -> String {
        segment(&short_id(self.hook.session(), SHORT_SESSION_LETTERS))
    }

    /// The main thread's task.
    pub(super) fn main_task(&self) -> Option<&String> {
        self.state.current.get(&self.main().id)
    }

    /// An event of this hook. Of several only the first has the key itself for its id.
    pub(super) fn event(&self, suffix: &str, kind: Kind, who: &Who) -> SchemaEvent {
        let hook = self.hook;
        let workspace = self.state.workspace.clone().unwrap_or_else(|| NO_WORKSPACE.to_owned());
        let run = hook.text("prompt_id").map(str::to_owned);
        let counted = || (self.state.prompts > 0).then(|| format!("run_{}_{}", hook.session(), self.state.prompts));
        let mut event = SchemaEvent {
            id: if suffix.is_empty() { hook.key.to_owned() } else { format!("{}.{suffix}", hook.key) },
            version: VERSION.to_owned(),
            ts: hook.at,
            severity: Severity::of_kind(&kind),
            kind,
            source: Source::Hook,
            workspace_id: workspace,
            terminal_session_id: self.terminal(),
            run_id: run.or_else(counted),
            session_id: Some(hook.session().to_owned()),
            agent_id: who.id.clone(),
            target_agent_id: None,
            task_id: None,
            locale: None,
            payload: serde_json::Map::new(),
            raw: Some(serde_json::Map::from_iter([
                ("provider".to_owned(), json!(hook.stamp.program.provider())),
                ("event_name".to_owned(), json!(hook.name())),
                ("hash".to_owned(), json!(hook.text("hash").unwrap_or_default())),
            ])),
            extra: serde_json::Map::new(),
        };
        if let Some(raw) = &mut event.raw {
            raw.extend(self.whole_payload().map(|payload| ("payload".to_owned(), payload)));
        }
        put(&mut event, "ts_source", if hook.stamp.received_at.is_some() { "hook" } else { "arrival" });
        if let Some(skew) = hook.stamp.received_at.map(|at| at.saturating_sub(hook.stamp.arrived_at))
            && skew.saturating_abs() > SKEW_MS
        {
            put(&mut event, "clock_skew_ms", skew);
        }
        put(&mut event, "agent_kind", who.party.as_str());
        put_some(&mut event, "native_agent_id", who.native.as_deref());
        put_some(&mut event, "agent_name", who.written.as_deref());
        put_some(&mut event, "team_name", self.names.team());
        put_some(&mut event, "current_task", self.main_task().map(String::as_str));
        event
    }

    /// The payload as stored, where all of it may be (§C.6); not of a size that provenance may not have.
    fn whole_payload(&self) -> Option<Value> {
        self.hook.text(CAPTURED).filter(|level| *level == Capture::Full.as_str())?;
        let mut payload = Value::Object(self.hook.fields.clone());
        payload.as_object_mut()?.retain(|name, _| name != CAPTURED && name != "hash");
        (canonical(&payload).len() <= MAX_RAW_BYTES).then_some(payload)
    }

    /// The same, inferred instead of reported.
    pub(super) fn concluded(&self, suffix: &str, kind: Kind, who: &Who) -> SchemaEvent {
        SchemaEvent { source: Source::Synthetic, ..self.event(suffix, kind, who) }
    }

    /// What the agent is at.
    pub(super) fn current(&self, who: &Who) -> Option<String> {
        self.state.current.get(&who.id).cloned()
    }
}

/// Puts a value into an event's payload.
pub(super) fn put(event: &mut SchemaEvent, name: &str, value: impl Into<Value>) {
    event.payload.insert(name.to_owned(), value.into());
}

/// The same, where there is one.
pub(super) fn put_some(event: &mut SchemaEvent, name: &str, value: Option<&str>) {
    if let Some(value) = value {
        put(event, name, value);
    }
}

/// Names an event's counterpart.
pub(super) fn set_target(event: &mut SchemaEvent, target: &Who) {
    event.target_agent_id = Some(target.id.clone());
    put(event, "target_kind", target.party.as_str());
    put_some(event, "target_name", target.written.as_deref());
    if target.party != TeamRole::Leader {
        // A subagent that gives work to another one has an id of its own there.
        let own = event.payload.contains_key("native_agent_id");
        put_some(event, if own { "target_native_agent_id" } else { "native_agent_id" }, target.native.as_deref());
    }
}
