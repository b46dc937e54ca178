//! Conversion of a schema event into events of the coordination log (`contract/event-schema-v1_1.md` §D). It is
//! stateless. Facts without a field in the schema, such as whether an agent is a leader or a subagent, are payload
//! fields that this crate adds when it makes the event from hooks (listed at [`to_coordination`]).

mod from_log;
mod line;
mod names;

use serde_json::{Value, json};

pub use self::from_log::from_coordination;
pub use self::names::{conversation_id, folded, work_session_id};

use self::line::LogLineBuilder;
use self::names::{MappedTeamRole, leader_of, parties};
use super::{Kind, SchemaEvent};
use protocol::role::Role;

/// What an event becomes: nothing (heartbeats), one line, or two (a subagent's end: what it answered, and that it
/// ended).
///
/// Of a type that this build does not know it is `schema.<type>`, for the list of events only.
///
/// The fold of the hooks adds payload fields that are read here, among them `agent_kind` and `target_kind` (`leader`,
/// `teammate`, `subagent`), `native_agent_id`, `target_native_agent_id` (when a subagent delegates work, the id of the
/// new subagent), `team_name`, `label`, `current_task`, `native_task_id`, `answers` (true when the message answers the
/// counterpart's) and `tool_use_id`.
///
/// If `agent_kind` or `target_kind` is missing, an agent named `leader` is the leader. The agent to which
/// `native_agent_id` belongs (the target of a `manager_assign`, else the event's agent) is a subagent. All others are
/// teammates.
#[must_use]
pub fn to_coordination(event: &SchemaEvent) -> Vec<Value> {
    let (agent, target) = parties(event);
    let between = if agent == MappedTeamRole::Subagent || target == Some(MappedTeamRole::Subagent) {
        Role::DelegationSubagent
    } else {
        Role::ConversationMain
    };
    let one = |line: LogLineBuilder<'_>| vec![line.finish()];
    match &event.kind {
        Kind::Heartbeat => Vec::new(),
        Kind::AgentStarted if agent == MappedTeamRole::Subagent => one(started(event)),
        Kind::AgentStopped if agent == MappedTeamRole::Subagent => stopped(event),
        Kind::AgentStarted => one(LogLineBuilder::new(event, "agent.started", Role::SystemObservability).texts()),
        Kind::AgentStopped => {
            one(LogLineBuilder::new(event, "agent.stopped", Role::SystemObservability).texts().reason())
        }
        Kind::ManagerAssign if target == Some(MappedTeamRole::Subagent) => {
            one(LogLineBuilder::new(event, "a2a.spawn", Role::DelegationSubagent).talk().texts().title())
        }
        Kind::ManagerAssign => {
            one(assigned(event, LogLineBuilder::new(event, "a2a.send", between).talk().texts().title()))
        }
        Kind::AgentAcknowledged => one(LogLineBuilder::new(event, "a2a.response", between)
            .talk()
            .texts()
            .put("outcome", json!("acknowledged"))),
        // A message is one in the log too, even if the schema calls it progress (§C.2): without it a conversation would
        // have only the first message of each ten minutes. A message that follows the other's message answers it.
        Kind::MeetingRequested | Kind::TaskProgress if is_message(event) => {
            let kind = if answers(event) { "a2a.response" } else { "a2a.send" };
            one(LogLineBuilder::new(event, kind, between).talk().texts())
        }
        Kind::MeetingRequested => one(LogLineBuilder::new(event, "a2a.send", between).talk().texts()),
        Kind::MeetingStarted => {
            one(LogLineBuilder::new(event, "a2a.auto_route", Role::ConversationMain).talk().texts())
        }
        Kind::MeetingEnded => {
            one(LogLineBuilder::new(event, "a2a.complete", Role::ConversationMain).talk().texts().reason())
        }
        Kind::TaskCreated => one(created(event)),
        Kind::TaskStarted => one(LogLineBuilder::new(event, "task.started", Role::OrchestrationTask).texts()),
        Kind::TaskProgress => one(LogLineBuilder::new(event, "task.updated", Role::OrchestrationTask).texts()),
        Kind::TaskCompleted => one(LogLineBuilder::new(event, "task.completed", Role::OrchestrationTask)
            .texts()
            .put("status", json!("completed"))),
        Kind::TaskFailed => {
            let line = LogLineBuilder::new(event, "task.cancelled", Role::OrchestrationTask);
            one(line.texts().reason().put("status", json!("failed")))
        }
        Kind::AgentBlocked | Kind::AgentUnblocked => one(waiting(event)),
        Kind::ToolStarted => one(tool(event, "tool.started")),
        Kind::ToolSucceeded => one(tool(event, "tool.succeeded")),
        Kind::ToolFailed => one(tool(event, "tool.failed")),
        Kind::SchemaError => one(refused(event)),
        Kind::Other(kind) => {
            one(LogLineBuilder::new(event, &format!("schema.{kind}"), Role::SystemObservability).texts().reason())
        }
    }
}

/// A message from one agent to another.
fn is_message(event: &SchemaEvent) -> bool {
    event.target_agent_id.is_some() && event.text("message").is_some_and(|text| !text.trim().is_empty())
}

/// The counterpart spoke last, a short while ago.
fn answers(event: &SchemaEvent) -> bool {
    event.payload.get("answers") == Some(&Value::Bool(true))
}

/// A subagent's start: from the requesting agent to the child, as the log has it (`contract/events.md` §4).
fn started(event: &SchemaEvent) -> LogLineBuilder<'_> {
    let requester = event.target_agent_id.clone().unwrap_or_else(|| leader_of(&event.agent_id));
    let line = LogLineBuilder::new(event, "a2a.spawn_result", Role::DelegationSubagent).talk_with(&requester).turned();
    line.label().put("status", json!("accepted"))
}

/// A subagent's end: its answer, and that it ended (`contract/events.md` §5.2, §5.3).
fn stopped(event: &SchemaEvent) -> Vec<Value> {
    let requester = event.target_agent_id.clone().unwrap_or_else(|| leader_of(&event.agent_id));
    let line = |kind| LogLineBuilder::new(event, kind, Role::DelegationSubagent).talk_with(&requester);
    let answer = line("a2a.response").answer().put("turn", json!(1)).put("maxTurns", json!(1));
    let end = line("a2a.complete").put("totalTurns", json!(1)).put("announced", json!(false)).reason();
    vec![answer.finish(), end.finish()]
}

/// For a task in a list of its own, its current owner: others are only mentioned.
fn assigned<'a>(event: &'a SchemaEvent, line: LogLineBuilder<'a>) -> LogLineBuilder<'a> {
    match event.target_agent_id.as_deref().filter(|_| event.text("native_task_id").is_some()) {
        Some(assignee) => line.put("assignee", json!(folded(assignee))),
        None => line,
    }
}

fn created(event: &SchemaEvent) -> LogLineBuilder<'_> {
    let assignee = event.target_agent_id.as_deref().unwrap_or(&event.agent_id);
    let line = LogLineBuilder::new(event, "task.backlog_added", Role::OrchestrationTask).texts().title();
    line.put("assignee", json!(folded(assignee))).put("isCrossAgent", json!(assignee != event.agent_id))
}

/// Waiting for a person, or an error, and the end of it: of the task where one is current, else of the agent.
fn waiting(event: &SchemaEvent) -> LogLineBuilder<'_> {
    // Who waits for the next prompt rests: that holds up no task.
    let rests = event.text("reason") == Some("idle");
    let of_task = !rests && (event.task_id.is_some() || event.text("current_task").is_some());
    let blocked = event.kind == Kind::AgentBlocked;
    let line = match (blocked, of_task) {
        (true, true) => LogLineBuilder::new(event, "task.blocked", Role::OrchestrationTask),
        (true, false) => LogLineBuilder::new(event, "agent.blocked", Role::SystemObservability),
        (false, true) => LogLineBuilder::new(event, "task.resumed", Role::OrchestrationTask),
        (false, false) => LogLineBuilder::new(event, "agent.unblocked", Role::SystemObservability),
    };
    let line = if event.task_id.is_none() { line.copy("taskId", "current_task") } else { line };
    let line = line.texts().reason();
    if blocked { line.copy("state", "state").put("unblockedBy", json!(["human"])) } else { line }
}

fn tool<'a>(event: &'a SchemaEvent, kind: &str) -> LogLineBuilder<'a> {
    let line = LogLineBuilder::new(event, kind, Role::SystemObservability).texts();
    line.copy("toolName", "tool_name")
        .copy("toolUseId", "tool_use_id")
        .copy("durationMs", "duration_ms")
        .copy("exitCode", "exit_code")
        .copy("exitCodeKnown", "exit_code_known")
        .copy("error", "error_message")
}

fn refused(event: &SchemaEvent) -> LogLineBuilder<'_> {
    let line = LogLineBuilder::new(event, "system.schema_error", Role::SystemObservability);
    let errors = event.payload.get("errors").and_then(Value::as_array);
    let error_field =
        |error: &Value, name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let error_texts = errors.into_iter().flatten().map(|error| {
        let (path, code) = (error_field(error, "path"), error_field(error, "code"));
        if path.is_empty() { code } else { format!("{path}: {code}") }
    });
    let reason = error_texts.collect::<Vec<_>>().join(", ");
    line.copy("errors", "errors").copy("rejectedId", "rejected_id").put_text("reason", &reason)
}
