//! Privacy filter for schema events that other programs send. It removes what the capture level (how much may be
//! stored) does not permit (`contract/event-schema-v1_1.md` §A.1, §C.6). Names, ids and states stay as they are. Other
//! texts are redacted and shortened, or removed. A text in a field such as `password` is masked or removed.

use serde_json::{Map, Value};

use super::Capture;
use super::secret::{SECRET, is_secret_name};
use super::words::{ERROR_UNITS, MESSAGE_UNITS, SUMMARY_UNITS, TextCleaner, is_code};
use crate::{Kind, SchemaEvent};

/// Names, ids and states: stored as they are, whatever is captured.
const PLAIN: [&str; 19] = [
    "tool_name",
    "tool_use_id",
    "state",
    "native_agent_id",
    "target_native_agent_id",
    "agent_kind",
    "target_kind",
    "agent_name",
    "target_name",
    "agent_type",
    "team_name",
    "current_task",
    "error_code",
    "start_source",
    "ts_source",
    "participants",
    "errors",
    "rejected_id",
    "task_id",
];
/// What only who chose to keep all of it keeps (§C.6).
const WHOLE: [&str; 9] =
    ["prompt", "command", "output", "stdout", "stderr", "tool_input", "tool_output", "tool_response", "diff"];
/// Where an event comes from (§A.1).
const PROVENANCE: [&str; 4] = ["provider", "event_name", "hash", "superseded"];

/// The event without what may not be kept.
pub(crate) fn reduce_published(mut event: SchemaEvent, capture: Capture) -> SchemaEvent {
    let words = TextCleaner { cwd: None, salt: "" };
    let payload = std::mem::take(&mut event.payload);
    event.payload = payload.into_iter().filter_map(|(name, value)| field(name, value, capture, &words)).collect();
    event.extra = std::mem::take(&mut event.extra)
        .into_iter()
        .filter_map(|(name, value)| inside(name, value, capture, &words, MESSAGE_UNITS))
        .collect();
    event.raw = event.raw.take().map(|raw| provenance(raw, capture, &words));
    fill_required_fields(&mut event);
    event
}

fn field(name: String, value: Value, capture: Capture, words: &TextCleaner<'_>) -> Option<(String, Value)> {
    if PLAIN.contains(&name.as_str()) || (name == "reason" && value.as_str().is_some_and(is_code)) {
        return Some((name, plain(value, capture)));
    }
    if WHOLE.contains(&name.as_str()) && capture < Capture::Full {
        return None;
    }
    let most = if name == "error_message" { ERROR_UNITS } else { MESSAGE_UNITS };
    inside(name, value, capture, words, most)
}

/// A field of an object: one whose name says that it is a secret is not stored, regardless of its value.
fn inside(
    name: String,
    value: Value,
    capture: Capture,
    words: &TextCleaner<'_>,
    most: usize,
) -> Option<(String, Value)> {
    let cleaned = if is_secret_name(&name) { masked(value, capture) } else { text(value, capture, words, most) }?;
    Some((name, cleaned))
}

/// The value below a secret's name. Counts (`max_tokens`) and switches stay as they are; nothing else does.
fn masked(value: Value, capture: Capture) -> Option<Value> {
    match value {
        Value::Bool(_) | Value::Null | Value::Number(_) => Some(value),
        Value::String(text) if text.is_empty() => Some(Value::String(text)),
        Value::String(_) => (capture > Capture::None).then(|| SECRET.into()),
        Value::Array(list) => Some(list.into_iter().filter_map(|value| masked(value, capture)).collect()),
        Value::Object(fields) => {
            let fields = fields.into_iter();
            Some(fields.filter_map(|(name, value)| Some((name, masked(value, capture)?))).collect())
        }
    }
}

/// A value stored as it is, except for secrets by their names in it.
fn plain(value: Value, capture: Capture) -> Value {
    match value {
        Value::Array(list) => list.into_iter().map(|value| plain(value, capture)).collect(),
        Value::Object(fields) => {
            let cleaned = fields.into_iter().filter_map(|(name, value)| {
                let cleaned = if is_secret_name(&name) { masked(value, capture)? } else { plain(value, capture) };
                Some((name, cleaned))
            });
            cleaned.collect()
        }
        other => other,
    }
}

/// Never the full prompt or output, whatever is captured.
fn provenance(raw: Map<String, Value>, capture: Capture, words: &TextCleaner<'_>) -> Map<String, Value> {
    let short = |(name, value): (String, Value)| match value {
        value if PROVENANCE.contains(&name.as_str()) => Some((name, plain(value, capture))),
        Value::Object(_) if name == "payload" && capture == Capture::Full => {
            inside(name, value, capture, words, MESSAGE_UNITS)
        }
        Value::Object(_) | Value::Array(_) => None,
        value => inside(name, value, capture, words, SUMMARY_UNITS),
    };
    raw.into_iter().filter_map(short).collect()
}

/// A value with its texts cleaned and cut; without them where none are stored.
fn text(value: Value, capture: Capture, words: &TextCleaner<'_>, most: usize) -> Option<Value> {
    match value {
        Value::String(_) if capture == Capture::None => None,
        Value::String(text) => Some(Value::String(words.block(&text, most))),
        Value::Array(list) => {
            Some(Value::Array(list.into_iter().filter_map(|value| text(value, capture, words, most)).collect()))
        }
        Value::Object(fields) => {
            let fields = fields.into_iter();
            let cleaned = fields.filter_map(|(name, value)| inside(name, value, capture, words, most));
            Some(Value::Object(cleaned.collect()))
        }
        other => Some(other),
    }
}

/// Fills in the fields that a type requires, without their original text (§A.3).
fn fill_required_fields(event: &mut SchemaEvent) {
    match event.kind {
        Kind::ManagerAssign if event.text("summary").is_none_or(|text| text.trim().is_empty()) => {
            event.payload.insert("summary".to_owned(), event.kind.as_str().into());
        }
        Kind::ToolFailed if event.text("error_message").is_none() => {
            let code = event.payload.get("exit_code").map(Value::to_string).unwrap_or_default();
            event.payload.insert("error_message".to_owned(), format!("exit code {code}").into());
        }
        _ => {}
    }
}
