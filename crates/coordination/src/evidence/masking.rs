//! Masking of the lines of evidence files: texts by a function, and values of fields whose names say that they are secrets.

use agent_events::hook::{REDACTED_SECRET, is_secret_name};
use serde_json::Value;

/// Fields with ids, which join lines and look like phone numbers at times (`contract/events.md` §2, §3).
const IDS: [&str; 24] = [
    "agentId",
    "channelId",
    "conversationId",
    "eventId",
    "fromAgent",
    "milestoneId",
    "parentConversationId",
    "parentRunId",
    "parentTaskId",
    "planId",
    "previousWorkSessionId",
    "questionId",
    "requesterSessionKey",
    "rootTaskId",
    "runId",
    "senderAgentId",
    "sessionKey",
    "sourceSessionKey",
    "targetAgentId",
    "targetSessionKey",
    "taskId",
    "timestamp",
    "toAgent",
    "workSessionId",
];

/// A line with the texts in it masked, still JSON. A line that is not JSON is masked as one text.
pub(super) fn masked_line(line: &str, mask: fn(&str) -> String) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(line) else { return mask(line) };
    let before = value.clone();
    mask_texts(&mut value, mask);
    if value == before { line.to_owned() } else { value.to_string() }
}

fn mask_texts(value: &mut Value, mask: fn(&str) -> String) {
    match value {
        Value::String(text) => *text = mask(text),
        Value::Array(items) => items.iter_mut().for_each(|item| mask_texts(item, mask)),
        Value::Object(fields) => {
            for (name, item) in fields {
                match item {
                    Value::String(_) if IDS.contains(&name.as_str()) => {}
                    Value::String(secret) if is_secret_name(name) => REDACTED_SECRET.clone_into(secret),
                    _ => mask_texts(item, mask),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
