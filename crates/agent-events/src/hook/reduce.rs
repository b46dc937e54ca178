//! Reduction of a hook to the fields and texts that the capture level (how much of a hook may be stored) permits
//! (`contract/event-schema-v1_1.md` §C.6). Other fields are dropped. The result is again a hook payload; reducing it
//! a second time changes nothing.

use serde_json::{Map, Value};

use super::Capture;
use super::capture::CAPTURED;
use super::fingerprint::fingerprint;
use super::payload_reducer::{PayloadReducer, visible};
use super::shape;
use super::tool::{error, input, response};
use super::words::{ERROR_UNITS, MESSAGE_UNITS, SUMMARY_UNITS, TextCleaner};
use crate::event::moment;
use crate::{Fault, HookStamp, InputKind, SchemaInput};

/// Words by which a notification of a build without types says what it waits for, in small letters.
const WAITS: [(&str, &str); 3] =
    [("permission", "permission_prompt"), ("waiting for your input", "idle_prompt"), ("approval", "permission_prompt")];

/// How a prompt begins that the program wrote itself.
const NOTICE: &str = "<task-notification>";

/// The input that a payload is: named by all of it, holding no more than the capture level allows.
///
/// # Errors
/// What it lacks to be a hook at all.
pub fn reduce(payload: &Value, stamp: HookStamp, capture: Capture) -> Result<SchemaInput, Vec<Fault>> {
    reduce_named(payload, stamp, capture, None)
}

/// The same for a payload that was reduced before: `key` is the name it got then.
pub(crate) fn reduce_named(
    payload: &Value,
    mut stamp: HookStamp,
    capture: Capture,
    key: Option<&str>,
) -> Result<SchemaInput, Vec<Fault>> {
    let Value::Object(payload_fields) = payload else {
        return Err(vec![Fault { path: "payload".to_owned(), code: "type".to_owned() }]);
    };
    let fields = &*shape::converted(payload_fields);
    let cwd = fields.get("cwd").and_then(Value::as_str).map(str::trim).filter(|cwd| !cwd.is_empty());
    let salt = fields.get("session_id").and_then(Value::as_str).unwrap_or_default();
    let words = TextCleaner { cwd, salt };
    let mut keep = PayloadReducer::new(fields, capture, &words);
    keep.need("hook_event_name");
    keep.need("session_id");
    let name = keep.str("hook_event_name").unwrap_or_default();
    if is_known(name) {
        common(&mut keep);
        own(name, &mut keep);
    }
    if !keep.faults.is_empty() {
        return Err(keep.faults);
    }
    // An event's time and names are within what every other writer's must be.
    stamp.received_at = stamp.received_at.map(moment);
    stamp.terminal_session_id = stamp.terminal_session_id.map(|name| visible(&name));
    let at = stamp.received_at.unwrap_or(stamp.arrived_at);
    let hash = keep.str("hash").filter(|_| key.is_some()).map(str::to_owned);
    let (key, hash) = match (key, hash) {
        (Some(key), Some(hash)) => (key.to_owned(), hash.chars().take(64).collect()),
        _ => {
            let print = fingerprint(stamp.program, payload_fields, payload, at);
            (print.key, print.hash)
        }
    };
    keep.put("hash", hash);
    if capture == Capture::Full {
        keep.put(CAPTURED, capture.as_str());
    }
    let stamped = stamp.workspace_id.filter(|name| !name.trim().is_empty()).map(|name| visible(&name));
    stamp.workspace_id = stamped.or_else(|| workspace(cwd?));
    Ok(SchemaInput { key, at, what: InputKind::Hook { payload: keep.to, stamp } })
}

/// A hook that this build reads; the document's others are only counted, like those it does not know.
pub(super) fn is_known(name: &str) -> bool {
    matches!(
        name,
        "SessionStart"
            | "SessionEnd"
            | "UserPromptSubmit"
            | "PreToolUse"
            | "PostToolUse"
            | "PostToolUseFailure"
            | "SubagentStart"
            | "SubagentStop"
            | "Stop"
            | "StopFailure"
            | "Interrupt"
            | "Notification"
            | "PermissionRequest"
            | "PermissionDenied"
            | "TaskCreated"
            | "TaskCompleted"
            | "TeammateIdle"
    )
}

/// A hook that the document names and of which nothing is made (§B).
pub(super) fn is_passed_over(name: &str) -> bool {
    matches!(
        name,
        "PostToolBatch"
            | "PreCompact"
            | "PostCompact"
            | "UserPromptExpansion"
            | "InstructionsLoaded"
            | "ConfigChange"
            | "CwdChanged"
            | "FileChanged"
            | "WorktreeCreate"
            | "WorktreeRemove"
            | "Setup"
            | "Elicitation"
            | "ElicitationResult"
    )
}

fn common(keep: &mut PayloadReducer<'_>) {
    for name in [
        "agent_id",
        "agent_type",
        "agent_name",
        "parent_session_id",
        "prompt_id",
        "tool_use_id",
        "teammate_name",
        "team_name",
    ] {
        keep.id(name);
    }
}

fn own(name: &str, keep: &mut PayloadReducer<'_>) {
    match name {
        "SessionStart" => keep.code("source"),
        "SessionEnd" => keep.code("reason"),
        "UserPromptSubmit" => prompt(keep),
        "PreToolUse" => {
            keep.need("tool_name");
            input(keep);
        }
        "PostToolUse" => {
            keep.need("tool_name");
            keep.count("duration_ms");
            input(keep);
            response(keep);
        }
        "PostToolUseFailure" => {
            keep.need("tool_name");
            keep.count("duration_ms");
            keep.flag("is_interrupt");
            input(keep);
            error(keep);
        }
        "SubagentStart" => {
            if !keep.to.contains_key("agent_name") {
                keep.need("agent_id");
            }
            keep.whole("prompt");
        }
        "SubagentStop" => last_message(keep),
        "Stop" => {
            keep.flag(shape::END_FLAG);
            if keep.to.contains_key(shape::END_FLAG) {
                keep.code("reason");
                if !keep.to.contains_key("reason") {
                    keep.line("reason");
                }
                keep.line("summary");
            }
        }
        "StopFailure" => {
            keep.code("error");
            keep.text("error_details", "error_details", ERROR_UNITS, Capture::Summary);
        }
        "Notification" => notification(keep),
        "PermissionRequest" | "PermissionDenied" => {
            keep.id("tool_name");
            input(keep);
        }
        "TaskCreated" | "TaskCompleted" => {
            keep.need("task_id");
            keep.line("task_subject");
            super::tool::subject(keep, "task_subject");
        }
        "TeammateIdle" => keep.need("teammate_name"),
        _ => {}
    }
}

fn prompt(keep: &mut PayloadReducer<'_>) {
    keep.code("source");
    if keep.str("prompt").is_some_and(|text| text.trim_start().starts_with(NOTICE)) {
        // The program's own note that something ended, not a person's words.
        keep.put("source", "system");
    }
    if keep.to.get("source").is_some_and(|source| source != "user" && source != "sdk") {
        return;
    }
    let max = if keep.capture == Capture::Full { MESSAGE_UNITS } else { SUMMARY_UNITS };
    keep.text("prompt", "prompt", max, Capture::Summary);
}

fn last_message(keep: &mut PayloadReducer<'_>) {
    let max = if keep.capture == Capture::Full { MESSAGE_UNITS } else { SUMMARY_UNITS };
    keep.text("last_assistant_message", "last_assistant_message", max, Capture::Summary);
}

fn notification(keep: &mut PayloadReducer<'_>) {
    keep.line("message");
    keep.code("notification_type");
    keep.code("level");
    keep.id("tool_name");
    let Some(message) = keep.str("message") else { return };
    if !keep.to.contains_key("notification_type") {
        let small: String = message.chars().take(1_024).collect::<String>().to_lowercase();
        if let Some((_, kind)) = WAITS.into_iter().find(|(words, _)| small.contains(words)) {
            keep.put("notification_type", kind);
        }
    }
    if !keep.to.contains_key("tool_name")
        && keep.to.get("notification_type").is_some_and(|kind| kind == "permission_prompt")
    {
        // "Claude needs your permission to use Bash".
        let tool = message.split_once("permission to use ").and_then(|(_, tool)| tool.split_whitespace().next());
        let tool: String =
            tool.unwrap_or_default().chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        if (1..=64).contains(&tool.len()) {
            keep.put("tool_name", tool);
        }
    }
}

/// `repo_` and the last part of a folder's path, never the path (§C.3).
fn workspace(cwd: &str) -> Option<String> {
    let name = cwd.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next()?;
    let name: String = name.chars().filter(|c| !c.is_control()).take(64).collect();
    (!name.is_empty() && name != "~").then(|| format!("repo_{name}"))
}

/// Text of a stored field.
pub(super) fn text<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    fields.get(name).and_then(Value::as_str)
}
