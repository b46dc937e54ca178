//! Payload of a hook as it is passed on: reduced to the capture level by `coordination::schema::hook`, so that the drop
//! file holds no more than the monitor's journal (`contract/event-schema-v1_1.md` C.6).

use std::collections::BTreeMap;

use coordination::event::readable;
use coordination::schema::hook::{Capture, reduce};
use coordination::schema::{Stamp, write_item};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// Most bytes of one item: the ingest takes 1 MiB, and the brackets of a list belong to it.
pub(super) const LARGEST: usize = (1 << 20) - 1024;
/// Longest event name, in bytes, that is sent for an event whose text is dropped.
const NAME: usize = 64;

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

/// One item as both ways of delivery take it.
pub(super) fn item(payload: Option<Map<String, Value>>, stamp: &Stamp, level: Capture) -> Vec<u8> {
    let name = payload.as_ref().and_then(|payload| payload.get("hook_event_name")?.as_str().map(str::to_owned));
    let kept = payload.and_then(|payload| reduce(&Value::Object(payload), stamp.clone(), level).ok());
    let written = kept.map(|input| write_item(&input).to_string()).filter(|text| text.len() <= LARGEST);
    let written = written.unwrap_or_else(|| {
        // Its text is dropped, but the event is counted: the monitor makes a `schema_error` of it.
        let name = name.filter(|name| name.len() <= NAME && name.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        let at = coordination::time::to_iso(stamp.received_at.unwrap_or(stamp.arrived_at));
        let mut payload = json!({"unreadable": true});
        if let Some(name) = name {
            payload["hook_event_name"] = name.into();
        }
        json!({"received_at": at, "payload": payload}).to_string()
    });
    written.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(payload: Value, level: Capture) -> Value {
        let Value::Object(payload) = payload else { panic!("no object") };
        let stamp = Stamp { received_at: Some(1_771_651_020_000), ..Stamp::default() };
        let bytes = item(Some(payload), &stamp, level);
        assert!(bytes.len() <= LARGEST, "{level:?}: {}", bytes.len());
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
    fn what_is_passed_on_is_what_the_core_keeps_and_says_the_same_when_it_is_read() {
        let bash = json!({
            "session_id": "8c35adc1", "transcript_path": "/home/kim/.claude/x.jsonl", "cwd": "/home/kim/repo",
            "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "toolu_01", "duration_ms": 12,
            "tool_input": {"command": "curl -H secret-command", "description": "테스트 실행"},
            "tool_response": {"stdout": "secret-output", "stderr": "secret-error-output", "interrupted": false}
        });
        for level in [Capture::None, Capture::Summary] {
            let told = of(bash.clone(), level);
            assert!(!told.to_string().contains("secret") && !told.to_string().contains("/home/kim"), "{told}");
            assert_eq!(told["received_at"], "2026-02-21T05:17:00.000Z");
            let again = coordination::schema::read_item(&told, 1_771_651_021_000, Capture::Full).expect("an input");
            assert_eq!(Some(again.key.as_str()), told["key"].as_str(), "named by all that it was");
        }
        assert!(of(bash, Capture::Full).to_string().contains("secret-output"), "the reader's own choice");
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
                assert_eq!(of(payload.clone(), level)["payload"]["tool_use_id"], "t", "{level:?}");
            }
        }
        let todos: Vec<Value> =
            (0..5_000).map(|n| json!({"content": text, "status": format!("{n}")})).take(200).collect();
        let payload = json!({"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "TodoWrite",
            "tool_use_id": "t", "tool_input": {"todos": todos}});
        assert!(of(payload, Capture::Full)["payload"].is_object());
    }

    #[test]
    fn what_is_no_hook_is_told_by_its_name_alone() {
        for odd in
            [json!({}), json!({"hook_event_name": "PreToolUse"}), json!({"hook_event_name": "a b", "prompt": "x"})]
        {
            let told = of(odd.clone(), Capture::Full);
            assert_eq!(told["payload"]["unreadable"], true, "{told}");
            assert!(!told.to_string().contains("prompt") && !told.to_string().contains("a b"), "{told}");
        }
    }
}
