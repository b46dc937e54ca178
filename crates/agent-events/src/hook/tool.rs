//! Reduction of a tool's input and result to the fields that the capture level (how much may be stored) permits
//! (`contract/event-schema-v1_1.md` §B, §C.4, §C.6).

use serde_json::{Map, Value, json};

use super::Capture;
use super::exit::{self, INTERRUPTED_EXIT_CODE, UNKNOWN_EXIT_CODE};
use super::payload_reducer::PayloadReducer;
use super::words::{ERROR_UNITS, MESSAGE_UNITS};
use crate::canonical;
use protocol::digest::digest_hex;

/// Stored entries of a to-do list.
const MAX_TODOS: usize = 200;
/// Letters of a digest by which two subjects are known to be the same.
const SUBJECT_DIGEST_LETTERS: usize = 16;

/// Tools that make agents; the second is the older name.
pub(super) fn makes_agents(tool: &str) -> bool {
    matches!(tool, "Agent" | "Task")
}

/// Keeps `tool_input`.
pub(super) fn input(keep: &mut PayloadReducer<'_>) {
    let Some(Value::Object(from)) = keep.from.get("tool_input") else { return };
    let tool = keep.str("tool_name").unwrap_or_default();
    let mut inside = keep.inside(from);
    match tool {
        "Agent" | "Task" => {
            for name in ["subagent_type", "name", "team_name"] {
                inside.id(name);
            }
            inside.line("description");
            inside.flag("run_in_background");
            inside.whole("prompt");
        }
        "TaskCreate" => {
            inside.line("subject");
            subject(&mut inside, "subject");
            inside.whole("description");
        }
        "TaskUpdate" => {
            inside.id("taskId");
            inside.code("status");
            inside.line("subject");
            inside.id("owner");
        }
        "TodoWrite" => todos(&mut inside),
        "SendMessage" => message(&mut inside),
        _ => {
            inside.line("description");
            inside.file();
            for name in ["command", "url", "query", "pattern", "prompt"] {
                inside.whole(name);
            }
        }
    }
    let reduced = inside.to;
    if !reduced.is_empty() {
        keep.object("tool_input", reduced);
    }
}

/// A digest of a subject, so that two reports of it match even when its text is not stored. The session's name is in
/// it: equal words elsewhere give another.
pub(super) fn subject(keep: &mut PayloadReducer<'_>, name: &str) {
    if let Some(digest) = keep.str("subject_digest").filter(|digest| digest.len() == SUBJECT_DIGEST_LETTERS) {
        return keep.put("subject_digest", digest);
    }
    if let Some(text) = keep.str(name) {
        keep.put(
            "subject_digest",
            digest_hex(&canonical(&json!([keep.words.salt, text.trim()])), SUBJECT_DIGEST_LETTERS),
        );
    }
}

/// `TodoWrite` of older builds.
fn todos(keep: &mut PayloadReducer<'_>) {
    let Some(Value::Array(items)) = keep.from.get("todos") else { return };
    let one = |item: &Value| {
        let Value::Object(from) = item else { return None };
        let mut inside = keep.inside(from);
        inside.line("content");
        subject(&mut inside, "content");
        inside.code("status");
        inside.to.contains_key("subject_digest").then(|| Value::Object(inside.to.clone()))
    };
    let reduced: Vec<Value> = items.iter().take(MAX_TODOS).filter_map(one).collect();
    keep.put("todos", reduced);
}

/// What one agent says to another. Earlier builds named the parts otherwise.
fn message(keep: &mut PayloadReducer<'_>) {
    keep.id("to");
    if !keep.to.contains_key("to")
        && let Some(to) = keep.str("recipient")
    {
        keep.put("to", PayloadReducer::long_id(to));
    }
    keep.code("type");
    keep.line("summary");
    let name = if keep.from.contains_key("message") { "message" } else { "content" };
    keep.text(name, "message", MESSAGE_UNITS, Capture::Summary);
}

/// Stores what is needed of `tool_response`: whether it failed, which agent or task it made.
pub(super) fn response(keep: &mut PayloadReducer<'_>) {
    let Some(from) = keep.from.get("tool_response") else { return };
    let tool = keep.str("tool_name").unwrap_or_default();
    let empty = Map::new();
    let fields = from.as_object().unwrap_or(&empty);
    let is = |name: &str, value: bool| fields.get(name).and_then(Value::as_bool) == Some(value);
    let interrupted = is("interrupted", true);
    let failed = interrupted || is("is_error", true) || is("isError", true) || is("success", false);
    let mut inside = keep.inside(fields);
    if failed {
        inside.put("is_error", true);
        inside.flag("interrupted");
        let error_text = ["error", "stderr", "message"].into_iter().find_map(|name| text_of(fields.get(name)?));
        let error_text = error_text.or_else(|| text_of(from));
        failure(&mut inside, error_text.as_deref(), interrupted);
    } else if makes_agents(tool) && is_teammate(fields) {
        // `agent_id` is an address here; only newer builds say by which id its own hooks name it.
        inside.put("teammate", true);
        inside.id("team_name");
        inside.id("agentId");
    } else if makes_agents(tool) {
        let field_id =
            ["agentId", "agent_id"].into_iter().find_map(|name| fields.get(name)?.as_str().map(str::to_owned));
        let id = field_id.or_else(|| text_of(from).and_then(|text| word_behind(&text, "agentId: ").map(str::to_owned)));
        if let Some(id) = id.filter(|id| !id.is_empty()) {
            inside.put("agentId", PayloadReducer::long_id(&id));
        }
    } else if tool == "SendMessage" {
        if let Some(Value::Object(routing)) = fields.get("routing").or_else(|| fields.get("sender").map(|_| from)) {
            let mut routing = inside.inside(routing);
            routing.id("sender");
            inside.to.append(&mut routing.to);
        }
    } else if tool == "TaskCreate"
        && let Some(id) = made_task(from, fields)
    {
        inside.put("task", json!({ "id": id }));
    }
    if inside.capture == Capture::Full
        && !failed
        && let Some(output) = text_of(from)
    {
        let reduced = inside.words.block(&output, MESSAGE_UNITS);
        if !reduced.is_empty() {
            inside.put("output", reduced);
        }
    }
    let reduced = inside.to;
    if !reduced.is_empty() {
        keep.object("tool_response", reduced);
    }
}

/// The call made a member of the session's team, and not an agent below the caller.
fn is_teammate(fields: &Map<String, Value>) -> bool {
    fields.contains_key("teammate_id")
        || fields.get("status").and_then(Value::as_str) == Some("teammate_spawned")
        || fields.get("teammate").and_then(Value::as_bool) == Some(true)
}

/// Keeps what `PostToolUseFailure` says.
pub(super) fn error(keep: &mut PayloadReducer<'_>) {
    let error_text = keep.from.get("error").and_then(text_of);
    let interrupted = keep.from.get("is_interrupt").and_then(Value::as_bool) == Some(true);
    failure(keep, error_text.as_deref(), interrupted);
}

/// The error's text, and the exit code as far as it is known (§C.4). It is looked for in the whole text, before it
/// is cut.
fn failure(keep: &mut PayloadReducer<'_>, error_text: Option<&str>, interrupted: bool) {
    let field = ["exit_code", "exitCode"].into_iter().find_map(|name| keep.from.get(name)?.as_i64());
    let assumed = keep.from.get("exit_code_known").and_then(Value::as_bool) == Some(false);
    let known_code = if interrupted {
        Some(INTERRUPTED_EXIT_CODE)
    } else {
        field.filter(|_| !assumed).or_else(|| exit::exit_code_in(error_text?))
    };
    keep.put("exit_code", known_code.unwrap_or(UNKNOWN_EXIT_CODE));
    keep.put("exit_code_known", known_code.is_some());
    if let Some(error_text) = error_text.filter(|_| keep.capture >= Capture::Summary) {
        let reduced = keep.words.block(error_text, ERROR_UNITS);
        if !reduced.is_empty() {
            keep.put("error", reduced);
        }
    }
}

/// `{"task":{"id":…}}`, an id next to it, or `Task #1 created…`.
fn made_task(from: &Value, fields: &Map<String, Value>) -> Option<String> {
    let word = |value: &Value| match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let inside = fields.get("task").and_then(|task| task.get("id"));
    let beside = ["taskId", "task_id", "id"].into_iter().find_map(|name| fields.get(name));
    let id = inside.or(beside).and_then(word).or_else(|| {
        let text = text_of(from)?;
        word_behind(&text, "Task #").map(str::to_owned)
    })?;
    let id = PayloadReducer::long_id(id.trim_start_matches('#'));
    (!id.is_empty()).then_some(id)
}

/// The word that follows these letters.
fn word_behind<'a>(text: &'a str, before: &str) -> Option<&'a str> {
    let rest = &text[text.find(before)? + before.len()..];
    let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').unwrap_or(rest.len());
    Some(&rest[..length]).filter(|word| !word.is_empty())
}

/// The text of an answer, whatever its shape: itself, its output, the first of its blocks.
pub(super) fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        Value::Array(items) => items.iter().find_map(text_of),
        Value::Object(fields) => ["text", "output", "stdout", "stderr", "content", "result", "error"]
            .into_iter()
            .find_map(|name| text_of(fields.get(name)?)),
        _ => None,
    }
}
