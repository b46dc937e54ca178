//! Converter of hook payloads to the shape that Claude Code sends. The original specification of the event schema names
//! other fields (`contract/event-schema-v1_1.md` §B lists the differences), and so does Codex. A payload with these
//! fields is converted to Claude Code's. Fields without a counterpart stay as they are.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

/// Set on a `Stop` of the document's shape, which is the end of an agent. The program's own ends a turn only.
pub(super) const END_FLAG: &str = "is_end";
/// End of the name of Codex's tool that makes an agent; the name of its group of tools may stand before it.
const SPAWN_TOOL: &str = "spawn_agent";

/// The payload in Claude Code's shape; the same where it has none of the other fields.
///
/// | document or Codex | Claude Code |
/// |---|---|
/// | `parent_session_id` without `session_id` | `session_id` |
/// | `SubagentStop.result` | `last_assistant_message` |
/// | `PostToolUse.tool_result` | `tool_response` |
/// | `PostToolUse.error` | `tool_response` with `is_error`, `error` and, where there is one, `exit_code` |
/// | `Stop.reason`, `Stop.summary` | as they are, with [`END_FLAG`] |
/// | `turn_id` | `prompt_id` |
/// | `spawn_agent` with `agent_type`, `message` | `Agent` with `subagent_type`, `prompt`, `description` |
/// | its `tool_response`, JSON as a text | an object |
///
/// `agent_name`, `SubagentStart.prompt` and `Notification.level` have no counterpart and stay as they are.
pub(super) fn converted(fields: &Map<String, Value>) -> Cow<'_, Map<String, Value>> {
    let mut to = Cow::Borrowed(fields);
    if is_missing(fields, "session_id")
        && let Some(parent) = fields.get("parent_session_id")
    {
        to.to_mut().insert("session_id".to_owned(), parent.clone());
    }
    if is_missing(fields, "prompt_id")
        && let Some(turn) = fields.get("turn_id")
    {
        to.to_mut().insert("prompt_id".to_owned(), turn.clone());
    }
    if fields.get("tool_name").and_then(Value::as_str).is_some_and(|name| name.ends_with(SPAWN_TOOL)) {
        spawn_converted(to.to_mut());
    }
    match fields.get("hook_event_name").and_then(Value::as_str) {
        Some("SubagentStop") if is_missing(fields, "last_assistant_message") => {
            if let Some(result) = fields.get("result").and_then(super::tool::text_of) {
                to.to_mut().insert("last_assistant_message".to_owned(), result.into());
            }
        }
        Some("PostToolUse") if is_missing(fields, "tool_response") => {
            if let Some(error) = fields.get("error").filter(|error| is_error(error)) {
                to.to_mut().insert("tool_response".to_owned(), failed(fields, error));
            } else if let Some(result) = fields.get("tool_result") {
                to.to_mut().insert("tool_response".to_owned(), result.clone());
            }
        }
        Some("Stop")
            if is_missing(fields, "stop_hook_active")
                && !(is_missing(fields, "reason") && is_missing(fields, "summary")) =>
        {
            to.to_mut().insert(END_FLAG.to_owned(), true.into());
        }
        _ => {}
    }
    to
}

/// Codex's call that makes an agent, as Claude Code's.
fn spawn_converted(fields: &mut Map<String, Value>) {
    fields.insert("tool_name".to_owned(), "Agent".into());
    if let Some(Value::Object(input)) = fields.get_mut("tool_input") {
        if let Some(message) = input.get("message").filter(|_| is_missing(input, "description")).cloned() {
            input.insert("description".to_owned(), message);
        }
        for (from, to) in [("agent_type", "subagent_type"), ("message", "prompt")] {
            if let Some(value) = input.remove(from) {
                input.entry(to).or_insert(value);
            }
        }
    }
    let response = fields.get("tool_response").and_then(Value::as_str);
    if let Some(response) = response.and_then(|text| serde_json::from_str::<Map<String, Value>>(text).ok()) {
        fields.insert("tool_response".to_owned(), Value::Object(response));
    }
}

fn is_missing(fields: &Map<String, Value>, name: &str) -> bool {
    fields.get(name).is_none_or(Value::is_null)
}

/// Writers that always emit the field say `null`, `false` or an empty text where nothing failed.
fn is_error(error: &Value) -> bool {
    match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(true) | Value::Number(_) => true,
    }
}

/// A failed tool's response. A code anywhere in the payload is taken; none is made up.
fn failed(fields: &Map<String, Value>, error: &Value) -> Value {
    let error_text = super::tool::text_of(error)
        .or_else(|| error.get("message").and_then(super::tool::text_of))
        .or_else(|| fields.get("tool_result").and_then(super::tool::text_of))
        .unwrap_or_default();
    let mut response = json!({"is_error": true, "error": error_text});
    let code_of = |from: &Value| ["exit_code", "exitCode"].into_iter().find_map(|name| from.get(name)?.as_i64());
    let top = ["exit_code", "exitCode"].into_iter().find_map(|name| fields.get(name)?.as_i64());
    if let Some(code) = top.or_else(|| code_of(error)).or_else(|| code_of(fields.get("tool_result")?)) {
        response["exit_code"] = code.into();
    }
    response
}
