//! Filter of a hook's payload by the configured capture level (how much may be stored; `contract/event-schema-v1_1.md`
//! §C.6), before it is posted to the monitor or written to the drop file `logs/hook-events.ndjson`. The monitor filters
//! received payloads with the same code, `coordination::schema::hook`.

use std::collections::BTreeMap;

use coordination::event::readable;
use coordination::schema::hook::{Capture, reduce};
use coordination::schema::{HookStamp, write_item};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// Most bytes of one item: the ingest takes 1 MiB, and the brackets of a list belong to it.
pub(super) const MAX_ITEM_BYTES: usize = (1 << 20) - 1024;
/// Longest event name, in bytes, that is sent for an event whose text is dropped.
const MAX_NAME_BYTES: usize = 64;

/// The event's members, as many as can be read.
pub(super) fn read(text: &[u8]) -> Option<Map<String, Value>> {
    if let Ok(payload) = serde_json::from_slice(text) {
        return Some(payload);
    }
    let text = readable(text);
    if let Ok(payload) = serde_json::from_str(&text) {
        return Some(payload);
    }
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(&text).ok()?;
    let members = members.into_iter().filter_map(|(name, raw)| Some((name, serde_json::from_str(raw.get()).ok()?)));
    Some(members.collect())
}

/// An event as both ways of delivery take it.
#[derive(Debug)]
pub(super) struct HookItem {
    /// JSON of the item.
    pub(super) bytes: Vec<u8>,
    /// Key of the event; absent where its text is dropped.
    pub(super) key: Option<String>,
}

/// The item of a payload.
pub(super) fn item(payload: Option<Map<String, Value>>, stamp: &HookStamp, level: Capture) -> HookItem {
    let name = payload.as_ref().and_then(|payload| payload.get("hook_event_name")?.as_str().map(str::to_owned));
    let reduced = payload.and_then(|payload| reduce(&Value::Object(payload), stamp.clone(), level).ok());
    let written = reduced.map(|input| (write_item(&input).to_string(), Some(input.key)));
    let (written, key) = written.filter(|(text, _)| text.len() <= MAX_ITEM_BYTES).unwrap_or_else(|| {
        // Its text is dropped, but the event is counted: the monitor makes a `schema_error` of it.
        let name =
            name.filter(|name| name.len() <= MAX_NAME_BYTES && name.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        let at = coordination::time::to_iso(stamp.received_at.unwrap_or(stamp.arrived_at));
        let mut payload = json!({"unreadable": true});
        if let Some(name) = name {
            payload["hook_event_name"] = name.into();
        }
        (json!({"received_at": at, "payload": payload}).to_string(), None)
    });
    HookItem { bytes: written.into_bytes(), key }
}

/// A person's words as events hold them: cut, and without secrets, as the capture level says; nothing where it allows no
/// text.
pub(super) fn captured_words(session: &str, words: &str, level: Capture) -> Option<String> {
    let payload = json!({"hook_event_name": "UserPromptSubmit", "session_id": session, "prompt": words});
    let input = reduce(&payload, HookStamp::default(), level).ok()?;
    write_item(&input)["payload"]["prompt"].as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent_json(payload: Value, level: Capture) -> Value {
        let Value::Object(payload) = payload else { panic!("no object") };
        let stamp = HookStamp { received_at: Some(1_771_651_020_000), ..HookStamp::default() };
        let HookItem { bytes, .. } = item(Some(payload), &stamp, level);
        assert!(bytes.len() <= MAX_ITEM_BYTES, "{level:?}: {}", bytes.len());
        serde_json::from_slice(&bytes).expect("json")
    }

    #[test]
    fn odd_texts_are_read() {
        assert_eq!(read(br#"{"prompt":"cut \ud83d"}"#).expect("read")["prompt"], "cut \u{fffd}");
        assert_eq!(read(b"{\"prompt\":\"\xff\"}").expect("read")["prompt"], "\u{fffd}");
        let deep = format!("{{\"session_id\":\"s\",\"tool_input\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(read(deep.as_bytes()).map(Value::Object), Some(json!({"session_id": "s"})));
        for none in ["", "[]", "1", "nonsense", "{"] {
            assert_eq!(read(none.as_bytes()), None, "{none}");
        }
    }

    #[test]
    fn sent_item_is_reduced_and_rereads_equal() {
        let bash = json!({
            "session_id": "8c35adc1", "transcript_path": "/home/kim/.claude/x.jsonl", "cwd": "/home/kim/repo",
            "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "toolu_01", "duration_ms": 12,
            "tool_input": {"command": "curl -H secret-command", "description": "테스트 실행"},
            "tool_response": {"stdout": "secret-output", "stderr": "secret-error-output", "interrupted": false}
        });
        for level in [Capture::None, Capture::Summary] {
            let sent_item = sent_json(bash.clone(), level);
            assert!(
                !sent_item.to_string().contains("secret") && !sent_item.to_string().contains("/home/kim"),
                "{sent_item}"
            );
            assert_eq!(sent_item["received_at"], "2026-02-21T05:17:00.000Z");
            let reread =
                coordination::schema::read_item(&sent_item, 1_771_651_021_000, Capture::Full).expect("an input");
            assert_eq!(Some(reread.key.as_str()), sent_item["key"].as_str(), "named by all that it was");
        }
        assert!(sent_json(bash, Capture::Full).to_string().contains("secret-output"), "the reader's own choice");
    }

    #[test]
    fn whatever_is_written_fits_into_one_item() {
        let text = "\u{1}".repeat(200_000);
        let many: Vec<Value> = (0..50_000).map(|number| json!({ "line": number, "text": "x\"\\" })).collect();
        let wide: Map<String, Value> = (0..20_000).map(|number| (format!("key {number}"), json!("value"))).collect();
        for response in [json!(text), json!(many), json!(wide), json!({ "stdout": text, "stderr": text })] {
            let payload = json!({"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash",
                "tool_use_id": "t", "tool_input": {"command": text}, "tool_response": response});
            for level in [Capture::None, Capture::Summary, Capture::Full] {
                assert_eq!(sent_json(payload.clone(), level)["payload"]["tool_use_id"], "t", "{level:?}");
            }
        }
        let todos: Vec<Value> =
            (0..5_000).map(|n| json!({"content": text, "status": format!("{n}")})).take(200).collect();
        let payload = json!({"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "TodoWrite",
            "tool_use_id": "t", "tool_input": {"todos": todos}});
        assert!(sent_json(payload, Capture::Full)["payload"].is_object());
    }

    #[test]
    fn non_hook_input_keeps_only_its_name() {
        for odd in
            [json!({}), json!({"hook_event_name": "PreToolUse"}), json!({"hook_event_name": "a b", "prompt": "x"})]
        {
            let sent_item = sent_json(odd.clone(), Capture::Full);
            assert_eq!(sent_item["payload"]["unreadable"], true, "{sent_item}");
            assert!(!sent_item.to_string().contains("prompt") && !sent_item.to_string().contains("a b"), "{sent_item}");
        }
    }
}
