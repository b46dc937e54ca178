//! Builder of one coordination log line (JSON) from a schema event, the normalised event of a coding agent
//! (`contract/event-schema-v1_1.md` §D.1).

use serde_json::{Map, Value, json};

use super::names::{MappedTeamRole, child_of, conversation_id, folded, parties, work_session_of};
use crate::SchemaEvent;
use protocol::role::{Role, SessionType};

/// Most UTF-16 units of a message, of a preview and of a label, as the log's own writer cuts them.
const MESSAGE_UNITS: usize = 4000;
const PREVIEW_UNITS: usize = 200;
const LABEL_UNITS: usize = 64;
/// The log's text for a child that ended without a message (`contract/events.md` §5.2).
const NO_WORD: &str = "[finished with unknown status]";

/// A line that is being written.
pub(super) struct LogLineBuilder<'a> {
    event: &'a SchemaEvent,
    /// Event type of the line.
    kind: String,
    role: Role,
    /// Sender in the line, and its role in the team.
    from: (String, Option<MappedTeamRole>),
    /// Recipient in the line, and its role in the team.
    to: Option<(String, Option<MappedTeamRole>)>,
    /// Sender and recipient are exchanged: the line goes from the counterpart to the agent.
    turned: bool,
    /// The line's `data` object.
    data: Map<String, Value>,
}

impl<'a> LogLineBuilder<'a> {
    /// A line of a type, with everything that all have.
    pub(super) fn new(event: &'a SchemaEvent, kind: &str, role: Role) -> Self {
        let (agent, target) = parties(event);
        let from = (folded(&event.agent_id), Some(agent));
        let to = event.target_agent_id.as_deref().map(|id| (folded(id), target));
        Self { event, kind: kind.to_owned(), role, from, to, turned: false, data: Map::new() }
            .put_text("taskId", task_of(event).unwrap_or_default())
            .put_text("rootTaskId", event.text("current_task").unwrap_or_default())
            .put_text("runId", event.run_id.as_deref().unwrap_or_default())
    }

    /// Part of a conversation with the counterpart; of a meeting that names none, with its first other participant.
    pub(super) fn talk(self) -> Self {
        let other = self.event.target_agent_id.as_deref().or_else(|| {
            let named = self.event.payload.get("participants").and_then(Value::as_array);
            let mut named = named.into_iter().flatten().filter_map(Value::as_str);
            named.find(|name| !name.is_empty() && *name != self.event.agent_id)
        });
        let Some(other) = other.map(str::to_owned) else { return self };
        self.talk_with(&other)
    }

    /// Part of a conversation with this agent.
    pub(super) fn talk_with(mut self, other: &str) -> Self {
        if self.to.is_none() {
            let leads = other.split_once('/').is_some_and(|(_, name)| name.eq_ignore_ascii_case("leader"));
            self.to =
                Some((folded(other), Some(if leads { MappedTeamRole::Leader } else { MappedTeamRole::Teammate })));
        }
        let session = work_session_of(self.event);
        let child = child_of(self.event).filter(|_| self.role == Role::DelegationSubagent);
        let conversation = conversation_id(&session, &self.event.agent_id, other, child);
        self.put("conversationId", json!(conversation))
    }

    /// From the counterpart to the agent.
    pub(super) fn turned(mut self) -> Self {
        if let Some(to) = self.to.take() {
            self.to = Some(std::mem::replace(&mut self.from, to));
            self.turned = true;
        }
        self
    }

    /// The message, else the summary; next to a message the summary is its preview.
    pub(super) fn texts(self) -> Self {
        let (message, summary) = (self.payload("message"), self.payload("summary"));
        let preview = message.and(summary).map(|text| cut(text, PREVIEW_UNITS));
        let message = message.or(summary).map(|text| cut(text, MESSAGE_UNITS));
        self.put_text("message", message.unwrap_or_default())
            .put_text("replyPreview", preview.unwrap_or_default())
            .label()
    }

    /// A child's answer: only in brief, as the log has it.
    pub(super) fn answer(self) -> Self {
        let summary = self.payload("summary").or_else(|| self.payload("message")).unwrap_or(NO_WORD);
        self.put_text("replyPreview", cut(summary, PREVIEW_UNITS)).label()
    }

    /// The title, if the event has one.
    pub(super) fn label(self) -> Self {
        let label = self.payload("label").map(|label| cut(label, LABEL_UNITS));
        self.put_text("label", label.unwrap_or_default())
    }

    /// The title of a new object.
    pub(super) fn title(self) -> Self {
        if self.data.contains_key("label") {
            return self;
        }
        let title = self.payload("summary").map(|title| cut(title, LABEL_UNITS));
        self.put_text("label", title.unwrap_or_default())
    }

    /// Why.
    pub(super) fn reason(self) -> Self {
        let reason = self.payload("reason").map(|reason| cut(reason, PREVIEW_UNITS));
        self.put_text("reason", reason.unwrap_or_default())
    }

    /// A field, unless its text is blank.
    pub(super) fn put_text(self, name: &str, text: &str) -> Self {
        if text.trim().is_empty() { self } else { self.put(name, json!(text)) }
    }

    /// A field.
    pub(super) fn put(mut self, name: &str, value: Value) -> Self {
        self.data.insert(name.to_owned(), value);
        self
    }

    /// A field of the payload under the log's name for it.
    pub(super) fn copy(self, name: &str, of: &str) -> Self {
        match self.event.payload.get(of) {
            None | Some(Value::Null) => self,
            Some(value) => {
                let value = value.clone();
                self.put(name, value)
            }
        }
    }

    /// The line. Role and both session types are always written, so nothing has to be inferred (§D.2).
    pub(super) fn finish(self) -> Value {
        let event = self.event;
        let delegated = self.role == Role::DelegationSubagent;
        let depth = u8::from(self.from.1 == Some(MappedTeamRole::Subagent));
        let original = folded(&event.agent_id) != event.agent_id.replace('/', "~");
        let (from, to) = (self.from.clone(), self.to.clone());
        let (kind, role, turned) = (self.kind.clone(), self.role, self.turned);
        let mut line = self
            .put("fromAgent", json!(from.0))
            .put("workSessionId", json!(work_session_of(event)))
            .put("eventRole", json!(role.as_str()))
            .put("fromSessionType", json!(session_type(from.1).as_str()))
            .put("toSessionType", json!(session_type(to.as_ref().and_then(|to| to.1)).as_str()))
            .put("origin", json!("v1.1"))
            .put("sourceEventId", json!(event.id));
        if let Some((to, _)) = to {
            line = line.put("toAgent", json!(to));
        }
        if delegated {
            line = line.put("depth", json!(depth));
        }
        if event.severity != crate::Severity::Info {
            line = line.put("severity", json!(event.severity));
        }
        if original {
            // The log has agent names in lower case; the display keeps the original.
            line = line.put("agentName", json!(event.agent_id));
        }
        // The agent that started a child is the writer of its start event, as in the log (`contract/events.md` §4).
        let writer = if turned { from.0 } else { folded(&event.agent_id) };
        json!({"type": kind, "agentId": writer, "ts": event.ts, "data": line.data})
    }

    fn payload(&self, name: &str) -> Option<&'a str> {
        self.event.text(name).filter(|text| !text.trim().is_empty())
    }
}

/// Its task. An assignment without one is named by its call (§E.1), which is no task to be listed.
fn task_of(event: &SchemaEvent) -> Option<&str> {
    event.task_id.as_deref().filter(|id| event.text("tool_use_id") != Some(id))
}

fn session_type(party: Option<MappedTeamRole>) -> SessionType {
    match party {
        Some(MappedTeamRole::Leader | MappedTeamRole::Teammate) => SessionType::Main,
        Some(MappedTeamRole::Subagent) => SessionType::Subagent,
        None => SessionType::Unknown,
    }
}

/// The beginning of a text: whole characters, at most `units` UTF-16 units.
fn cut(text: &str, most: usize) -> &str {
    let mut units = 0;
    let end = text.char_indices().find(|(_, letter)| {
        units += letter.len_utf16();
        units > most
    });
    end.map_or(text, |(at, _)| text.get(..at).unwrap_or(text))
}
