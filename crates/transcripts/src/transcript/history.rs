//! History of a session in the format of the gateway's tool `sessions_history` (`contract/sessions.md` §6): the last
//! messages since the last reset, oldest first, by default 200. Hidden messages are left out. Tool results and silent
//! messages (such as `NO_REPLY`) are included only on request.
//!
//! As in that tool, a text is limited to 4,000 UTF-16 units and the list to 81,920 bytes. Older messages that exceed
//! the limit of the list are on an earlier page. A single message that exceeds it is replaced by a placeholder.
//! `fixtures/histories` has an example of each limit. The gateway's other query, `chat.history`, has larger limits.

use serde_json::{Map, Value, json};

use super::cap::{HISTORY_BYTES, HISTORY_TEXT_UNITS, OMITTED, cap, cut, json_bytes};
use super::{EntryKind, MessageRole, TranscriptEntry, TranscriptMessage, clean};

/// Messages by default, and at most.
const MESSAGE_LIMIT_DEFAULT_MAX: (usize, usize) = (200, 1_000);
/// Fields of a message that go nowhere: costs, what tools keep for themselves, bodies of failed requests.
const DROPPED: [&str; 5] = ["details", "usage", "cost", "errorBody", "openclawDisplayContent"];
const SIGNATURES: [&str; 2] = ["thinkingSignature", "textSignature"];
/// A tool that was called through the wrapper.
pub(super) const NESTED: &str = "openclaw.nested-tool.v1";

/// Options of a history query.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HistoryOptions {
    /// How many of the last messages are looked at, those that are left out then too: 1 to 1,000, else 200.
    pub limit: Option<usize>,
    /// Results of tools too.
    pub include_tools: bool,
    /// Messages that are a token and say nothing too, as 2026.2 gives them.
    pub keep_silent: bool,
}

/// What there is to read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// Messages, oldest first, in the gateway's shape.
    pub messages: Vec<Value>,
    /// Position of each in its session ([`TranscriptEntry::place`]).
    pub places: Vec<u64>,
    /// The name of the line of each, where it has one ([`TranscriptEntry::id`]).
    pub ids: Vec<Option<String>>,
    /// Position of the first examined entry, when earlier entries exist.
    pub earlier: Option<u64>,
    /// Older ones were left out because the list was too large.
    pub dropped_messages: bool,
    /// A text was cut, or a message was replaced by a mark.
    pub content_truncated: bool,
    /// Size of the list in bytes of compact JSON.
    pub bytes: usize,
}

impl History {
    /// Whether anything requested is missing.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.dropped_messages || self.content_truncated
    }
}

/// The history of the entries of one session.
#[must_use]
pub fn history(entries: &[TranscriptEntry], options: &HistoryOptions) -> History {
    let begins = entries.iter().rposition(|entry| entry.kind == EntryKind::Reset).unwrap_or(0);
    let shown: Vec<(&TranscriptEntry, HistoryItem<'_>)> =
        entries[begins..].iter().filter_map(|entry| Some((entry, item(entry, options)?))).collect();
    let limit = options.limit.map_or(MESSAGE_LIMIT_DEFAULT_MAX.0, |limit| limit.clamp(1, MESSAGE_LIMIT_DEFAULT_MAX.1));
    let left_out = shown.len().saturating_sub(limit);
    let last = &shown[left_out..];
    let before = left_out > 0 || entries[..begins].iter().any(|entry| item(entry, options).is_some());
    let mut out =
        History { earlier: last.first().filter(|_| before).map(|(entry, _)| entry.place), ..History::default() };
    for (entry, item) in last {
        let value = match item {
            HistoryItem::Tool(_) if !options.include_tools => continue,
            HistoryItem::Message(message) | HistoryItem::Tool(message) => {
                sanitized(*message, &mut out.content_truncated)
            }
            HistoryItem::Note => note(entry, &mut out.content_truncated),
            HistoryItem::Divider(kind, text) => divider(entry, kind, text),
        };
        out.messages.push(value);
        out.places.push(entry.place);
        out.ids.push(entry.id.clone());
    }
    out.keep_within(HISTORY_BYTES);
    out
}

enum HistoryItem<'a> {
    Message(TranscriptMessage<'a>),
    Tool(TranscriptMessage<'a>),
    /// An extension's line that asks to be shown.
    Note,
    Divider(&'static str, &'static str),
}

fn item<'a>(entry: &'a TranscriptEntry, options: &HistoryOptions) -> Option<HistoryItem<'a>> {
    let Some(message) = entry.message() else {
        return match entry.kind {
            EntryKind::Compaction => Some(HistoryItem::Divider("compaction", "Compaction")),
            EntryKind::Reset => Some(HistoryItem::Divider("reset", "Reset")),
            EntryKind::BranchSummary => Some(HistoryItem::Divider("branch", "Branch")),
            EntryKind::CustomMessage => {
                (entry.fields().get("display") == Some(&json!(true))).then_some(HistoryItem::Note)
            }
            _ => None,
        };
    };
    if message.is_hidden() || (!options.keep_silent && says_nothing(message)) {
        return None;
    }
    let tool = message.role() == MessageRole::Tool || message.text_of("customType") == Some(NESTED);
    Some(if tool { HistoryItem::Tool(message) } else { HistoryItem::Message(message) })
}

fn says_nothing(message: TranscriptMessage<'_>) -> bool {
    let role = message.role();
    matches!(role, MessageRole::User | MessageRole::Assistant)
        && message.calls().next().is_none()
        && message.whole_text().is_some_and(|text| clean::is_silent(&clean::stored(&text, role)))
}

fn divider(entry: &TranscriptEntry, kind: &str, text: &str) -> Value {
    let mut own = json!({ "kind": kind });
    if let (Some(own), Some(id)) = (own.as_object_mut(), &entry.id) {
        own.insert("id".to_owned(), json!(id));
    }
    let mut fields = Map::new();
    fields.insert("role".to_owned(), json!("system"));
    fields.insert("content".to_owned(), json!([{ "type": "text", "text": text }]));
    if let Some(at_ms) = entry.at_ms {
        fields.insert("timestamp".to_owned(), json!(at_ms));
    }
    fields.insert("__openclaw".to_owned(), own);
    Value::Object(fields)
}

/// A line that holds no message, in the shape of one. Its `details` are its extension's own.
fn note(entry: &TranscriptEntry, truncated: &mut bool) -> Value {
    let mut fields = Map::new();
    fields.insert("role".to_owned(), json!("custom"));
    for name in ["customType", "content"] {
        if let Some(value) = entry.fields().get(name) {
            fields.insert(name.to_owned(), value.clone());
        }
    }
    if let Some(at_ms) = entry.at_ms {
        fields.insert("timestamp".to_owned(), json!(at_ms));
    }
    sanitized(TranscriptMessage::new(&fields), truncated)
}

fn sanitized(message: TranscriptMessage<'_>, truncated: &mut bool) -> Value {
    let role = message.role();
    let mut fields = Map::new();
    for (name, value) in message.fields() {
        if DROPPED.contains(&name.as_str()) {
            continue;
        }
        let value = match (name.as_str(), value) {
            ("content" | "text", Value::String(text)) => Value::String(readable(text, role, truncated)),
            ("content", Value::Array(blocks)) => sanitized_blocks(blocks, role, truncated),
            (_, value) => value.clone(),
        };
        fields.insert(name.clone(), value);
    }
    Value::Object(fields)
}

fn sanitized_blocks(blocks: &[Value], role: MessageRole, truncated: &mut bool) -> Value {
    Value::Array(blocks.iter().map(|block| sanitized_block(block, role, truncated)).collect())
}

fn sanitized_block(block: &Value, role: MessageRole, truncated: &mut bool) -> Value {
    let Some(block) = block.as_object() else { return block.clone() };
    let image = block.get("type").and_then(Value::as_str) == Some("image");
    let mut fields = Map::new();
    let mut bytes = None;
    for (name, value) in block {
        if SIGNATURES.contains(&name.as_str()) {
            continue;
        }
        let value = match (name.as_str(), value) {
            ("data", Value::String(data)) if image => {
                bytes = Some(data.len());
                continue;
            }
            // As some providers write it.
            ("source", Value::Object(source)) if image => {
                let mut source = source.clone();
                if let Some(Value::String(data)) = source.remove("data") {
                    bytes = Some(data.len());
                }
                Value::Object(source)
            }
            // The result of a tool within a message: its text has no wrapper.
            ("content", Value::Array(blocks)) => sanitized_blocks(blocks, MessageRole::Tool, truncated),
            ("content", Value::String(text)) => Value::String(bounded(text, truncated)),
            ("text", Value::String(text)) => Value::String(readable(text, role, truncated)),
            ("thinking" | "partialJson", Value::String(text)) => Value::String(bounded(text, truncated)),
            (_, value) => value.clone(),
        };
        fields.insert(name.clone(), value);
    }
    if let Some(bytes) = bytes {
        *truncated = true;
        fields.insert("omitted".to_owned(), json!(true));
        fields.insert("bytes".to_owned(), json!(bytes));
    }
    Value::Object(fields)
}

fn readable(text: &str, role: MessageRole, truncated: &mut bool) -> String {
    bounded(&clean::stored(text, role), truncated)
}

fn bounded(text: &str, truncated: &mut bool) -> String {
    cut(text, HISTORY_TEXT_UNITS).inspect(|_| *truncated = true).unwrap_or_else(|| text.to_owned())
}

impl History {
    fn keep_within(&mut self, max: usize) {
        let sizes: Vec<usize> = self.messages.iter().map(json_bytes).collect();
        let (dropped, bytes) = cap(&sizes, max);
        self.dropped_messages = dropped > 0;
        self.messages.drain(..dropped);
        self.places.drain(..dropped);
        self.ids.drain(..dropped);
        if dropped > 0 {
            self.earlier = self.places.first().copied();
        }
        self.bytes = bytes;
        if bytes > max {
            let mark = json!({ "role": "assistant", "content": OMITTED });
            self.bytes = 2 + json_bytes(&mark);
            self.dropped_messages = true;
            self.content_truncated = true;
            self.messages = vec![mark];
            // Position of the replaced message, so that a reader can go there.
            self.places.truncate(1);
            self.ids.truncate(1);
        }
    }
}
