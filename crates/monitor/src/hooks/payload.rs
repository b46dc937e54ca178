//! What of an event is passed on: as much as the capture level allows and never more than a request
//! may hold (`contract/event-schema-v1_1.md` C.6). The monitor reduces again; this keeps the drop file as small.

use std::collections::BTreeMap;
use std::path::Path;

use coordination::event::repair_surrogates;
use coordination::transcript::mask;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Most bytes of one item: the ingest takes 1 MiB, and the brackets of a list belong to it.
pub(super) const LARGEST: usize = (1 << 20) - 1024;
/// Characters of a short text, of an error, of what one agent says to another, and of any text at the highest level.
const SHORT: usize = 200;
const ERROR: usize = 500;
const MESSAGE: usize = 4000;
const FULL: usize = 16 << 10;
/// Entries of a list that is kept.
const ENTRIES: usize = 100;

/// How much of what people and agents wrote is kept; set by `capture` below `[hooks]` in the TOML settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Capture {
    /// Names, ids and states; no text.
    None,
    /// Short summaries, file names below the project, errors, what agents say to each other; no commands and outputs, and
    /// of a prompt its beginning.
    #[default]
    Summary,
    /// All texts, the long ones cut.
    Full,
}

/// Names, ids and states: what the schema needs to know what happened at all.
const PLAIN: &[&str] = &[
    "hook_event_name",
    "session_id",
    "prompt_id",
    "agent_id",
    "agent_type",
    "tool_name",
    "tool_use_id",
    "permission_mode",
    "duration_ms",
    "is_interrupt",
    "source",
    "model",
    "reason",
    "notification_type",
    "task_id",
    "teammate_name",
    "team_name",
    "trigger",
    "stop_hook_active",
    "effort",
];
/// Texts of which the beginning is a summary.
const TEXTS: &[&str] = &["prompt", "message", "title", "last_assistant_message", "task_subject", "task_description"];
const ERRORS: &[&str] = &["error", "error_details"];

/// Tools that speak of agents, tasks and messages. Of all others only outcome, files and a command's description are
/// looked at: what else they are given and answer is anybody's.
const OF_WORK: &[&str] = &["Agent", "Task", "TaskCreate", "TaskUpdate", "TodoWrite", "SendMessage", "TeamCreate"];
/// What those are given.
const INPUT_PLAIN: &[&str] = &[
    "taskId",
    "task_id",
    "status",
    "owner",
    "addBlocks",
    "addBlockedBy",
    "subagent_type",
    "name",
    "team_name",
    "to",
    "recipient",
    "type",
    "run_in_background",
    "model",
    "resume",
];
const INPUT_TEXTS: &[&str] = &["description", "subject", "activeForm", "summary", "message", "content"];
const INPUT_FILES: &[&str] = &["file_path", "notebook_path", "path"];
/// How a call ended.
const OUTCOME: &[&str] = &["is_error", "isError", "success", "interrupted", "exit_code", "exitCode"];
/// What those answer.
const RESPONSE_PLAIN: &[&str] = &[
    "status",
    "taskId",
    "task_id",
    "id",
    "agentId",
    "agent_id",
    "agentType",
    "team_name",
    "teammate_id",
    "totalDurationMs",
    "statusChange",
    "updatedFields",
];
/// Those whose answer in words holds the id of what was made.
const TELLS_ID: &[&str] = &["TaskCreate", "TaskUpdate"];

/// Reads an event leniently: lone surrogates become U+FFFD, bytes that are no UTF-8 likewise, and a member that cannot
/// be read (deeper than any reader goes) is left out. Nothing if it is no object.
pub(super) fn read(text: &[u8]) -> Option<Map<String, Value>> {
    if let Ok(payload) = serde_json::from_slice(text) {
        return Some(payload);
    }
    let text = String::from_utf8_lossy(text);
    let text = repair_surrogates(&text).map_or(text, Into::into);
    if let Ok(payload) = serde_json::from_str(&text) {
        return Some(payload);
    }
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(&text).ok()?;
    let members = members.into_iter().filter_map(|(name, raw)| Some((name, serde_json::from_str(raw.get()).ok()?)));
    Some(members.collect())
}

/// What an event keeps at a level.
pub(super) fn reduced(payload: Map<String, Value>, level: Capture) -> Map<String, Value> {
    if level == Capture::Full {
        return payload.into_iter().map(|(name, value)| kept_in_full(name, value)).collect();
    }
    let words = level == Capture::Summary;
    let cwd = payload.get("cwd").and_then(Value::as_str).unwrap_or_default().to_owned();
    let tool = payload.get("tool_name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let event = payload.get("hook_event_name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut kept = Map::new();
    let folder = format!("{}/", cwd.trim_end_matches('/'));
    for (name, mut value) in payload {
        // Texts tell of files as well.
        if folder.len() > 1 && !PLAIN.contains(&name.as_str()) {
            each_text(&mut value, &mut |text| {
                if text.contains(&folder) {
                    *text = text.replace(&folder, "");
                }
            });
        }
        let value = match name.as_str() {
            known if PLAIN.contains(&known) => plain(value),
            known if words && TEXTS.contains(&known) => short(&value, SHORT),
            // There it is a short code.
            "error" if event == "StopFailure" => plain(value),
            known if words && ERRORS.contains(&known) => short(&value, ERROR),
            "tool_input" => Some(input(value, &tool, words, &cwd)),
            "tool_response" => response(value, &tool, words),
            _ => None,
        };
        if let Some(value) = value {
            kept.insert(name, value);
        }
    }
    kept
}

/// Everything below [`FULL`]; names and ids are nobody's secret, and masking could make two of them one.
fn kept_in_full(name: String, mut value: Value) -> (String, Value) {
    if PLAIN.contains(&name.as_str()) {
        return (name, plain(value).unwrap_or_default());
    }
    each_text(&mut value, &mut |text| *text = mask(&cut(text, FULL)));
    (name, value)
}

/// A name, number or state, and lists and levels of such.
fn plain(value: Value) -> Option<Value> {
    match value {
        Value::String(text) => Some(Value::String(cut(&text, SHORT))),
        Value::Array(list) => Some(list.into_iter().take(ENTRIES).filter_map(plain).collect()),
        Value::Object(members) => {
            let members = members.into_iter().take(ENTRIES);
            let flat = members.filter(|(_, value)| !value.is_array() && !value.is_object());
            Some(Value::Object(flat.filter_map(|(name, value)| Some((name, plain(value)?))).collect()))
        }
        other => Some(other),
    }
}

/// The beginning of a text, without what looks like a secret. What is no text is left out.
fn short(value: &Value, most: usize) -> Option<Value> {
    // Masked before it is cut as well: half a token is still one. Far more than is kept need not be looked at.
    let text = mask(&cut(value.as_str()?, most * 4));
    Some(Value::String(cut(&text, most)))
}

fn input(value: Value, tool: &str, words: bool, cwd: &str) -> Value {
    let Value::Object(members) = value else { return Value::Object(Map::new()) };
    let of_work = OF_WORK.contains(&tool);
    let kept = members.into_iter().filter_map(|(name, value)| {
        let value = match name.as_str() {
            known if of_work && INPUT_PLAIN.contains(&known) => plain(value),
            "todos" if of_work => todos(value, words),
            "message" | "content" if words && tool == "SendMessage" => short(&value, MESSAGE),
            known if of_work && words && INPUT_TEXTS.contains(&known) => short(&value, SHORT),
            "description" if words && tool == "Bash" => short(&value, SHORT),
            known if words && INPUT_FILES.contains(&known) => value.as_str().map(|path| below(path, cwd).into()),
            _ => None,
        };
        Some((name, value?))
    });
    Value::Object(kept.collect())
}

fn todos(value: Value, words: bool) -> Option<Value> {
    let Value::Array(list) = value else { return None };
    Some(list.into_iter().take(ENTRIES).map(|todo| input(todo, "TodoWrite", words, "")).collect())
}

/// How it ended, and of tools of work ids and states; of words only an error, and the sentence that names what was made.
fn response(value: Value, tool: &str, words: bool) -> Option<Value> {
    let said = if words && failed(&value) { error_of(&value) } else { None };
    let of_work = OF_WORK.contains(&tool);
    let agent = if makes_agents(tool) { agent_of(&value) } else { None };
    let mut kept = match value {
        Value::Object(members) => members,
        other if words && TELLS_ID.contains(&tool) => return short(&Value::from(text_of(&other)?), SHORT),
        _ => Map::new(),
    };
    kept = kept
        .into_iter()
        .filter_map(|(name, value)| {
            let value = match name.as_str() {
                known if OUTCOME.contains(&known) => plain(value),
                "error" if words => short(&value, ERROR),
                "task" if of_work => Some(task(value, words)),
                known if of_work && RESPONSE_PLAIN.contains(&known) => plain(value),
                _ => None,
            };
            Some((name, value?))
        })
        .collect();
    if let Some(agent) = agent {
        kept.entry("agentId").or_insert_with(|| agent.into());
    }
    if let Some(said) = said {
        kept.entry("error").or_insert(said);
    }
    (!kept.is_empty()).then_some(Value::Object(kept))
}

/// Tools that make agents; the second is the older name.
fn makes_agents(tool: &str) -> bool {
    matches!(tool, "Agent" | "Task")
}

/// Whether an answer marks that its call failed (C.2).
fn failed(response: &Value) -> bool {
    let is = |name: &str, value: bool| response.get(name).and_then(Value::as_bool) == Some(value);
    is("is_error", true) || is("isError", true) || is("interrupted", true) || is("success", false)
}

/// What a failed call says; its exit code is read of it (C.4).
fn error_of(response: &Value) -> Option<Value> {
    let text = ["error", "stderr", "message"].into_iter().find_map(|name| text_of(response.get(name)?));
    short(&Value::from(text.or_else(|| text_of(response))?), ERROR)
}

/// The agent that an answer in words names.
fn agent_of(response: &Value) -> Option<String> {
    let text = text_of(response)?;
    let rest = text.split_once("agentId: ")?.1;
    let word: String =
        rest.chars().take_while(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).take(SHORT).collect();
    (!word.is_empty()).then_some(word)
}

/// The text of an answer, whatever its shape.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        Value::Array(parts) => parts.iter().find_map(text_of),
        Value::Object(members) => ["text", "output", "stdout", "stderr", "content", "result", "error"]
            .into_iter()
            .find_map(|name| text_of(members.get(name)?)),
        _ => None,
    }
}

/// The task an answer speaks of: its id, and its subject where words are kept.
fn task(value: Value, words: bool) -> Value {
    let Value::Object(members) = value else { return Value::Object(Map::new()) };
    let kept = members.into_iter().filter_map(|(name, value)| match name.as_str() {
        "id" | "status" | "owner" => Some((name, plain(value)?)),
        "subject" if words => Some((name, short(&value, SHORT)?)),
        _ => None,
    });
    Value::Object(kept.collect())
}

/// A file's path below the project, or only its name.
fn below(path: &str, cwd: &str) -> String {
    let path = Path::new(path);
    let inside = if path.is_absolute() { path.strip_prefix(cwd).ok().filter(|_| !cwd.is_empty()) } else { Some(path) };
    let plain = inside.filter(|rest| rest.components().all(|step| matches!(step, std::path::Component::Normal(_))));
    let shown = plain.or_else(|| path.file_name().map(Path::new)).unwrap_or(Path::new(""));
    cut(&shown.to_string_lossy(), SHORT)
}

/// An item as bytes of at most [`LARGEST`], whatever it holds: texts and lists are cut shorter until it fits.
pub(super) fn packed(item: &mut Map<String, Value>) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(item).unwrap_or_default();
    for (most, entries) in [(4096, 1000), (SHORT, ENTRIES), (40, 20), (40, 4)] {
        if bytes.len() <= LARGEST {
            return bytes;
        }
        for (_, value) in item.iter_mut() {
            each_text(value, &mut |text| *text = cut(text, most));
            shorten(value, entries);
        }
        bytes = serde_json::to_vec(item).unwrap_or_default();
    }
    if bytes.len() <= LARGEST {
        return bytes;
    }
    if let Some(Value::Object(payload)) = item.get_mut("payload") {
        payload.retain(|name, _| PLAIN.contains(&name.as_str()));
    }
    serde_json::to_vec(item).unwrap_or_default()
}

fn each_text(value: &mut Value, change: &mut dyn FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(list) => list.iter_mut().for_each(|value| each_text(value, change)),
        Value::Object(members) => members.iter_mut().for_each(|(_, value)| each_text(value, change)),
        _ => {}
    }
}

fn shorten(value: &mut Value, entries: usize) {
    match value {
        Value::Array(list) => {
            list.truncate(entries);
            list.iter_mut().for_each(|value| shorten(value, entries));
        }
        Value::Object(members) => {
            let mut seen = 0;
            members.retain(|_, _| {
                seen += 1;
                seen <= entries.max(40)
            });
            members.iter_mut().for_each(|(_, value)| shorten(value, entries));
        }
        _ => {}
    }
}

/// At most that many characters; what is cut ends with `…`.
fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => text.chars().take(most - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests;
