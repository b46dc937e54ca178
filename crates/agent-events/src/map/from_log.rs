//! Conversion of a line of the coordination log into a schema event (`contract/event-schema-v1_1.md` §D, in reverse).
//! Invalid lines, lines made from a schema event, and lines of types without a counterpart in the schema are skipped.
//! Stateless: earlier lines have no influence.

use serde_json::{Map, Value, json};

use crate::event::moment;
use crate::{Kind, SchemaEvent, Severity, Source, VERSION, event_id};
use coordination_log::event::{Event, Field, event_from_value};
use protocol::ids::EventId;

/// The workspace and team of everything that OpenClaw does.
const WORKSPACE: &str = "openclaw";
/// And its terminal.
const TERMINAL: &str = "gateway";
/// Most letters of a name, of a text, of an agent's name (§A.1, §C.3, §D.1).
const NAME_LETTERS: usize = 256;
const TEXT_LETTERS: usize = 4000;
const AGENT_LETTERS: usize = 64;
/// A task has to be named; so much for lines that name none and belong to nothing.
const NO_TASK: &str = "unknown";

/// What a line becomes; `occurrence` is the number of earlier lines that are equal to it. Nothing: lines of types
/// that no event carries, lines that were made of events, and what is no line at all.
#[must_use]
pub fn from_coordination(line: &Value, occurrence: u64) -> Option<SchemaEvent> {
    let data = line.get("data");
    if data.and_then(|data| data.get("origin")).and_then(Value::as_str) == Some("v1.1") {
        return None;
    }
    let event = event_from_value(line, &EventId::from("0-0")).ok()?;
    let read = LineReader { event: &event, data };
    let parsed = read.parsed()?;
    let severity = Severity::of_kind(&parsed.kind);
    Some(SchemaEvent {
        id: event_id(&json!([line, occurrence])),
        version: VERSION.to_owned(),
        ts: moment(event.at),
        source: Source::Synthetic,
        workspace_id: WORKSPACE.to_owned(),
        terminal_session_id: TERMINAL.to_owned(),
        run_id: event.run_id().filter(|id| *id != "unknown").map(name),
        session_id: event.work_session_id().map(|id| name(id.as_str())),
        agent_id: agent(&parsed.agent),
        target_agent_id: parsed.target.as_deref().map(agent),
        task_id: parsed.task.or_else(|| read.task()),
        severity: if parsed.failed { Severity::Error } else { severity },
        locale: None,
        payload: read.payload(&parsed.kind, parsed.own),
        raw: Some(Map::from_iter([
            ("provider".to_owned(), json!(WORKSPACE)),
            ("event_name".to_owned(), json!(cut(event.event_type(), NAME_LETTERS))),
        ])),
        extra: Map::new(),
        kind: parsed.kind,
    })
}

/// Content of a log line.
struct ReadLine {
    kind: Kind,
    agent: String,
    target: Option<String>,
    /// A task that has to be named although the line does not.
    task: Option<String>,
    /// Fields of the payload that its type brings.
    own: Value,
    failed: bool,
}

impl ReadLine {
    fn own(mut self, own: Value) -> Self {
        self.own = own;
        self
    }

    fn to(mut self, target: &str) -> Self {
        self.target = (target != "unknown").then(|| target.to_owned());
        self
    }
}

struct LineReader<'a> {
    event: &'a Event,
    data: Option<&'a Value>,
}

impl LineReader<'_> {
    fn parsed(&self) -> Option<ReadLine> {
        let event = self.event;
        let (agent, from, to) = (event.agent(), event.speaker(), event.addressee());
        let (from, to) = (from.as_str(), to.as_str());
        let kind = event.event_type();
        let by = |kind: Kind, agent: &str| ReadLine {
            kind,
            agent: agent.to_owned(),
            target: None,
            task: None,
            own: Value::Null,
            failed: false,
        };
        let blocked =
            |agent: &str, reason: &str| by(Kind::AgentBlocked, agent).own(json!({"state": "failed", "reason": reason}));
        Some(match kind {
            "a2a.spawn" => self.assigned(by(Kind::ManagerAssign, from).to(to)),
            "a2a.send" if self.delegated() => self.assigned(by(Kind::ManagerAssign, from).to(to)),
            "a2a.send" => by(Kind::MeetingRequested, from).to(to).own(self.meeting(from, to)),
            "a2a.auto_route" => by(Kind::MeetingStarted, from).to(to).own(self.meeting(from, to)),
            "a2a.spawn_result" if event.status() == Some("error") => blocked(to, "spawn_failed").to(from),
            "a2a.spawn_result" => by(Kind::AgentStarted, to).to(from),
            // The refusal of an agent over its limit was written for it, with from and to as in the request.
            "a2a.response" if event.missing_answer().is_some() => {
                let (agent, other) = if event.is_concurrency_block() { (agent, to) } else { (from, to) };
                blocked(agent, event.outcome().unwrap_or("no_reply")).to(if agent == other { from } else { other })
            }
            // Earlier lines are unknown here: a response with a known receiver and no turn number counts as the first
            // answer of its exchange.
            "a2a.response" if event.turn().is_some() || to == "unknown" => self.progress(by(Kind::TaskProgress, from)),
            "a2a.response" => {
                let task = Some(self.task_or_other());
                ReadLine { task, ..by(Kind::AgentAcknowledged, from).to(to) }
            }
            "a2a.complete" if self.of_child() => by(Kind::AgentStopped, from).to(to),
            "a2a.complete" => {
                let failed = event.outcome() == Some("failed");
                ReadLine { failed, ..by(Kind::MeetingEnded, from).to(to).own(self.meeting(from, to)) }
            }
            "task.backlog_added" => {
                let parsed = self.progress(by(Kind::TaskCreated, agent));
                match event.text(Field::Assignee) {
                    Some(assignee) => parsed.to(assignee),
                    None => parsed,
                }
            }
            "task.started" | "task.backlog_picked" | "backlog.auto_picked" => {
                self.progress(by(Kind::TaskStarted, agent))
            }
            "task.completed" | "continuation.complete" | "continuation.completed" => {
                self.progress(by(Kind::TaskCompleted, agent))
            }
            "task.cancelled" | "zombie.abandoned" => self.progress(by(Kind::TaskFailed, agent)),
            "task.blocked" | "agent.blocked" => {
                by(Kind::AgentBlocked, agent).own(json!({"state": self.field("state").unwrap_or("pending_input")}))
            }
            "task.resumed" | "agent.unblocked" => by(Kind::AgentUnblocked, agent),
            "continuation.backoff" => blocked(agent, event.reason().unwrap_or("unknown")),
            kind if kind.starts_with("task.") => self.progress(by(Kind::TaskProgress, agent)),
            "agent.started" => by(Kind::AgentStarted, agent),
            "agent.stopped" => by(Kind::AgentStopped, agent),
            "tool.started" => self.tool(by(Kind::ToolStarted, agent)),
            "tool.succeeded" => self.tool(by(Kind::ToolSucceeded, agent)),
            "tool.failed" => self.tool(by(Kind::ToolFailed, agent)),
            _ => return None,
        })
    }

    /// An event that gives a task must name agent and task; a line that names neither is progress.
    fn assigned(&self, parsed: ReadLine) -> ReadLine {
        if parsed.target.is_none() {
            return self.progress(ReadLine { kind: Kind::TaskProgress, ..parsed });
        }
        let summary = self.words().unwrap_or_else(|| NO_TASK.to_owned());
        ReadLine { task: Some(self.task_or_other()), ..parsed.own(json!({"summary": summary})) }
    }

    fn progress(&self, parsed: ReadLine) -> ReadLine {
        ReadLine { task: Some(self.task_or_other()), ..parsed }
    }

    fn tool(&self, parsed: ReadLine) -> ReadLine {
        let mut own = json!({"tool_name": self.field("toolName").unwrap_or("unknown")});
        if parsed.kind == Kind::ToolFailed {
            let code = self.data.and_then(|data| data.get("exitCode")).and_then(Value::as_i64);
            own["exit_code"] = json!(code.unwrap_or(1));
            own["exit_code_known"] = json!(code.is_some());
            own["error_message"] = json!(cut(self.event.error().unwrap_or_default(), TEXT_LETTERS));
        }
        parsed.own(own)
    }

    fn meeting(&self, from: &str, to: &str) -> Value {
        json!({"participants": [agent(from), agent(to)]})
    }

    fn task(&self) -> Option<String> {
        self.event.task_id().map(|id| name(id.as_str()))
    }

    /// The task of a line: its own, the root's, or the one it belongs to.
    fn task_or_other(&self) -> String {
        let event = self.event;
        let other = [event.text(Field::RootTaskId), event.conversation_id(), event.run_id()];
        let session = event.work_session_id();
        let other = other.into_iter().flatten().chain(session.as_ref().map(|id| id.as_str()));
        self.task().or_else(|| other.map(name).next()).unwrap_or_else(|| NO_TASK.to_owned())
    }

    /// The line's own word for what it is (`contract/monitor-api.md` §5); a roster is nothing of a line.
    fn delegated(&self) -> bool {
        match self.event.text(Field::EventRole) {
            Some(role) => role == "delegation.subagent",
            None => self.event.delegation_hint() || self.is_subagent(Field::FromSessionType) || self.is_child(),
        }
    }

    fn is_child(&self) -> bool {
        self.is_subagent(Field::ToSessionType)
            || self.event.target_session_key().is_some_and(|key| key.contains(":subagent:"))
    }

    fn is_subagent(&self, field: Field) -> bool {
        self.event.text(field) == Some("subagent")
    }

    /// A child's end, by its form (`contract/events.md` §5.3) or by the type of its session.
    fn of_child(&self) -> bool {
        self.is_subagent(Field::FromSessionType)
            || (self.event.count(Field::TotalTurns) == Some(1) && self.event.run_id().is_some())
    }

    fn field(&self, name: &str) -> Option<&str> {
        let text = self.data?.get(name)?.as_str()?.trim();
        (!text.is_empty()).then(|| cut(text, NAME_LETTERS))
    }

    fn words(&self) -> Option<String> {
        let event = self.event;
        let message = event.message().or(event.reply_preview()).or(event.label());
        message.map(|text| cut(text, TEXT_LETTERS).to_owned())
    }

    /// What the type brings, and what most lines may have.
    fn payload(&self, kind: &Kind, own: Value) -> Map<String, Value> {
        let mut payload = Map::new();
        let event = self.event;
        let mut add = |name: &str, text: Option<&str>| {
            if let Some(text) = text {
                payload.insert(name.to_owned(), json!(cut(text, TEXT_LETTERS)));
            }
        };
        add("message", event.message().filter(|_| *kind != Kind::ManagerAssign));
        add("summary", event.reply_preview().or(event.message()));
        add("label", event.label());
        let abandoned = (event.event_type() == "zombie.abandoned").then_some("abandoned");
        let cancelled = (event.event_type() == "task.cancelled").then_some("cancelled");
        add("reason", event.reason().or(abandoned).or(cancelled));
        let subagent = match kind {
            Kind::ManagerAssign => {
                add("target_kind", (event.event_type() == "a2a.spawn" || self.is_child()).then_some("subagent"));
                false
            }
            Kind::AgentStarted => event.event_type() == "a2a.spawn_result",
            Kind::AgentStopped => event.event_type() == "a2a.complete",
            _ => self.is_subagent(Field::FromSessionType),
        };
        add("agent_kind", subagent.then_some("subagent"));
        if let Value::Object(own) = own {
            payload.extend(own);
        }
        payload
    }
}

/// The beginning of a text.
fn cut(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(at, _)| text.get(..at).unwrap_or(text))
}

/// A name that the check lets pass.
fn name(text: &str) -> String {
    let name: String = text.trim().chars().filter(|letter| !letter.is_control()).take(NAME_LETTERS).collect();
    if name.trim().is_empty() { NO_TASK.to_owned() } else { name }
}

/// An agent of the log as `team/agent`; characters that are not allowed in a name become hyphens.
fn agent(id: &str) -> String {
    let (team, name) = id.split_once('~').unwrap_or((WORKSPACE, id));
    let part = |part: &str, other: &str| {
        let fold = |letter: char| if letter.is_alphanumeric() || "_.-".contains(letter) { letter } else { '-' };
        let folded: String = part.chars().take(AGENT_LETTERS).map(fold).collect();
        if folded.is_empty() { other.to_owned() } else { folded }
    };
    format!("{}/{}", part(team, WORKSPACE), part(name, "unknown"))
}
