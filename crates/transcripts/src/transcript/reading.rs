//! Display model of a history: speakers, texts, and tool calls with their results. It is built from [`super::history`].
//! The page translates it into UI texts.

use serde_json::{Map, Value};

use super::cap::{OMITTED, TRUNCATED};
use super::history::NESTED;
use super::message::tool_name;
use super::{ContentBlock, MessageRole, TranscriptMessage, clean};

/// Characters of the arguments of a call in one line.
const MAX_SHORT_ARGUMENT_CHARS: usize = 120;

/// One entry of a displayed history.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// Position of its entry in the session.
    pub place: u64,
    /// The id of its entry, where it has one.
    pub id: Option<String>,
    /// Ids of the entries that are shown within it: results of the tools that it calls.
    pub also: Vec<String>,
    /// When, in epoch milliseconds.
    pub at_ms: Option<i64>,
    /// Its content by kind.
    pub what: TurnKind,
}

impl Turn {
    /// Whether the entry with this id is shown here.
    #[must_use]
    pub fn holds(&self, id: &str) -> bool {
        self.id.as_deref() == Some(id) || self.also.iter().any(|one| one == id)
    }
}

/// What a thing of a history is.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnKind {
    /// A message or calls of tools.
    TurnMessage(TurnMessage),
    /// What a tool gave whose call is not in the history.
    Result(ToolResult),
    /// A divider in the history.
    Divider(Divider),
    /// One message, too large to be given.
    Omitted,
}

/// Kind of a divider in the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Divider {
    /// What came before was summed up for the model.
    Compaction,
    /// The session was reset.
    Reset,
    /// Another branch was left.
    Branch,
    /// Of a kind that this build does not know.
    Other,
}

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnMessage {
    /// The speaker.
    pub from: Speaker,
    /// Contents in order.
    pub parts: Vec<MessagePart>,
    /// Why the run failed, in the provider's words.
    pub failed: Option<String>,
    /// The run was broken off.
    pub aborted: bool,
}

/// Who speaks in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Speaker {
    /// A person.
    Person,
    /// Another session, by its key; empty when it was not recorded.
    Session(String),
    /// Who spawned this session: the task.
    Task,
    /// OpenClaw itself, and through which of its tools.
    System(Option<String>),
    /// The agent.
    Agent,
    /// OpenClaw in the agent's name: a copy of what went out, or something put in.
    Mirror,
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum MessagePart {
    /// Words.
    Text(TextExcerpt),
    /// What the agent thought.
    Thinking(TextExcerpt),
    /// A tool is called.
    Call(ToolCall),
    /// A picture; its size in bytes, where it is known.
    Image(Option<u64>),
    /// A block of another kind.
    Other(String),
}

/// A text, perhaps only its beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextExcerpt {
    /// The text.
    pub text: String,
    /// The text is cut.
    pub cut: bool,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// Id of the call.
    pub id: String,
    /// The tool that was really called.
    pub name: String,
    /// Arguments of the call.
    pub arguments: Option<Map<String, Value>>,
    /// What came of it, where that is in the history.
    pub result: Option<ToolResult>,
}

impl ToolCall {
    /// The arguments in one line: names and plain values, cut.
    #[must_use]
    pub fn short(&self) -> String {
        let mut out = String::new();
        for (name, value) in self.arguments.iter().flatten() {
            let value = match value {
                Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
                Value::Array(list) => format!("[{}]", list.len()),
                Value::Object(_) => "{…}".to_owned(),
                other => other.to_string(),
            };
            if !out.is_empty() {
                out.push_str(", ");
            }
            out.push_str(&format!("{name}: {value}"));
            if out.chars().nth(MAX_SHORT_ARGUMENT_CHARS).is_some() {
                let mut cut: String = out.chars().take(MAX_SHORT_ARGUMENT_CHARS - 1).collect();
                cut.push('…');
                return cut;
            }
        }
        out
    }
}

/// What a tool gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The tool.
    pub name: String,
    /// Its words.
    pub words: TextExcerpt,
    /// It failed, or reports a failure.
    pub failed: bool,
}

/// A history as turns. `places` and `ids` are those of its messages; one that is missing counts as unknown. A result
/// is within the call that it belongs to.
#[must_use]
pub fn turns(messages: &[Value], places: &[u64], ids: &[Option<String>]) -> Vec<Turn> {
    let mut out: Vec<Turn> = Vec::new();
    for (at, value) in messages.iter().enumerate() {
        let Some(fields) = value.as_object() else { continue };
        let message = TranscriptMessage::new(fields);
        let id = ids.get(at).cloned().flatten();
        let Some(what) = what(message) else {
            // A nested call is shown within the wrapper that follows it.
            if let (Some(id), Some(last)) = (id, out.last_mut()) {
                last.also.push(id);
            }
            continue;
        };
        let what = match what {
            TurnKind::Result(result) => match call_of(&mut out, message.text_of("toolCallId")) {
                Some((call, also)) => {
                    also.extend(id);
                    call.result = Some(result);
                    continue;
                }
                None => TurnKind::Result(result),
            },
            what => what,
        };
        let place = places.get(at).copied().unwrap_or_default();
        out.push(Turn { place, id, also: Vec::new(), at_ms: at_ms(fields), what });
    }
    out
}

/// The newest call of this name that has no result yet.
fn call_of<'a>(turns: &'a mut [Turn], id: Option<&str>) -> Option<(&'a mut ToolCall, &'a mut Vec<String>)> {
    let id = id.filter(|id| !id.is_empty())?;
    turns.iter_mut().rev().find_map(|Turn { what, also, .. }| {
        let TurnKind::TurnMessage(turn_message) = what else { return None };
        let call = turn_message.parts.iter_mut().find_map(|part| match part {
            MessagePart::Call(call) if call.id == id && call.result.is_none() => Some(call),
            _ => None,
        });
        call.map(|call| (call, also))
    })
}

fn what(message: TranscriptMessage<'_>) -> Option<TurnKind> {
    let own = message.fields().get("__openclaw");
    if message.role() == MessageRole::System
        && let Some(kind) = own.and_then(|own| own.get("kind")).and_then(Value::as_str)
    {
        return Some(TurnKind::Divider(match kind {
            "compaction" => Divider::Compaction,
            "reset" => Divider::Reset,
            "branch" => Divider::Branch,
            _ => Divider::Other,
        }));
    }
    if message.text_of("content") == Some(OMITTED) {
        return Some(TurnKind::Omitted);
    }
    if message.text_of("customType") == Some(NESTED) {
        return None;
    }
    if message.role() == MessageRole::Tool {
        return Some(TurnKind::Result(result(message)));
    }
    let from = speaker(message);
    let parts = parts(message);
    let failed = message.text_of("errorMessage").filter(|text| !text.trim().is_empty()).map(str::to_owned);
    let stop = message.stop_reason();
    let failed = failed.or_else(|| (stop == Some("error")).then(String::new));
    let aborted = stop == Some("aborted");
    let empty = parts.is_empty() && failed.is_none() && !aborted;
    (!empty).then_some(TurnKind::TurnMessage(TurnMessage { from, parts, failed, aborted }))
}

fn speaker(message: TranscriptMessage<'_>) -> Speaker {
    match message.role() {
        MessageRole::User => {}
        MessageRole::Assistant if message.is_injected() => return Speaker::Mirror,
        MessageRole::Assistant => return Speaker::Agent,
        _ => return Speaker::System(None),
    }
    let text = message.first_text().unwrap_or_default();
    match message.provenance() {
        _ if message.is_inter_session() => {
            let key = message.provenance().and_then(|provenance| provenance.source_session_key).unwrap_or_default();
            Speaker::Session(key.to_owned())
        }
        Some(provenance) if provenance.kind == "internal_system" => {
            Speaker::System(provenance.source_tool.map(str::to_owned))
        }
        _ if text.starts_with("[Subagent Context]") => Speaker::Task,
        // 2026.2 writes these as a person's words (`contract/sessions.md` §3.1).
        _ if text.starts_with("[cron:") => Speaker::System(Some("cron".to_owned())),
        _ if text.starts_with("[System Message]") => Speaker::System(None),
        _ => Speaker::Person,
    }
}

fn parts(message: TranscriptMessage<'_>) -> Vec<MessagePart> {
    let role = message.role();
    let raw = message.fields().get("content").and_then(Value::as_array);
    let blocks = message.blocks().enumerate();
    blocks
        .filter_map(|(at, block)| match block {
            ContentBlock::Text(text) => {
                let TextExcerpt { text, cut } = words(text);
                clean::shown(&text, role).map(|text| MessagePart::Text(TextExcerpt { text, cut }))
            }
            ContentBlock::Thinking(text) => {
                Some(MessagePart::Thinking(words(text))).filter(|_| !text.trim().is_empty())
            }
            ContentBlock::Call(call) => Some(MessagePart::Call(ToolCall {
                id: call.id.to_owned(),
                name: call.name.to_owned(),
                arguments: call.arguments.cloned(),
                result: None,
            })),
            ContentBlock::Image => {
                // Of a list of nothing but objects, which blocks are made of, the places agree.
                let image = raw.and_then(|list| list.iter().filter(|one| one.is_object()).nth(at));
                Some(MessagePart::Image(image.and_then(|one| one.get("bytes")).and_then(Value::as_u64)))
            }
            // It is encrypted, and the reader need not know about it.
            ContentBlock::Other("redacted_thinking") => None,
            ContentBlock::Other(kind) => Some(MessagePart::Other(kind.to_owned())),
        })
        .collect()
}

fn words(text: &str) -> TextExcerpt {
    match text.strip_suffix(TRUNCATED) {
        Some(beginning) => TextExcerpt { text: beginning.to_owned(), cut: true },
        None => TextExcerpt { text: text.to_owned(), cut: false },
    }
}

fn result(message: TranscriptMessage<'_>) -> ToolResult {
    let name = message.text_of("toolName").unwrap_or_default();
    let given = words(&message.whole_text().or_else(|| message.text_of("text").map(str::to_owned)).unwrap_or_default());
    let written = serde_json::from_str::<Value>(&given.text).unwrap_or_default();
    // Out of the wrapper of the tool search: the true name and the true words.
    let inner = written.get("tool").and_then(|tool| tool.get("name")).and_then(Value::as_str);
    let (name, text, status_fields) = match inner {
        Some(inner) => {
            let text = inner_text(&written).unwrap_or_else(|| given.text.clone());
            let status_fields = serde_json::from_str::<Value>(&text).unwrap_or_default();
            (tool_name(inner), text, status_fields)
        }
        None => (name, given.text, written),
    };
    let status = status_fields.get("status").and_then(Value::as_str);
    let failed = message.fields().get("isError").and_then(Value::as_bool) == Some(true)
        || matches!(status, Some("error" | "forbidden"));
    ToolResult { name: name.to_owned(), words: TextExcerpt { text, cut: given.cut }, failed }
}

fn inner_text(written: &Value) -> Option<String> {
    let fields = written.get("result")?.as_object()?;
    TranscriptMessage::new(fields).whole_text()
}

fn at_ms(fields: &Map<String, Value>) -> Option<i64> {
    match fields.get("timestamp")? {
        Value::String(text) => protocol::time::parse_iso(text),
        number => number.as_i64().or_else(|| number.as_f64().filter(|ms| ms.abs() < 9e15).map(|ms| ms as i64)),
    }
}
