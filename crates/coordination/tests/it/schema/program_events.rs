//! Tests of schema events that programs other than Claude Code send: which fields are stored at each capture level (how
//! much may be stored), and which values are masked (§A.1, §C.6 of `contract/event-schema-v1_1.md`).
//!
//! Proves (claude-code): Events of other programs are reduced to what the capture level allows.

use coordination::schema::hook::Capture;
use coordination::schema::{Defaults, InputKind, SchemaEvent, check, read_event};
use serde_json::{Value, json};

const DEFAULTS: Defaults<'_> =
    Defaults { workspace_id: "repo_x", terminal_session_id: "t", locale: "ko-KR", arrived_at: 0 };

fn stored_event(value: &Value, capture: Capture) -> SchemaEvent {
    let InputKind::Event(event) = read_event(value, &DEFAULTS, capture).unwrap().what else { panic!("an event") };
    let written = serde_json::to_value(&event).unwrap();
    assert_eq!(check(&written, &DEFAULTS).as_ref(), Ok(&*event), "what is kept is right: {written}");
    *event
}

fn failed() -> Value {
    json!({
        "id": "evt_1", "version": "1.1", "ts": "2026-02-13T15:00:00.000Z", "type": "tool_failed", "source": "sdk",
        "workspace_id": "repo_x", "terminal_session_id": "t", "agent_id": "x/leader", "later": "password=canary-extra",
        "payload": {
            "tool_name": "Bash", "tool_use_id": "toolu_1", "exit_code": 7, "interrupted": false,
            "error_message": format!("/home/kim/x.sh: Bearer sk-proj-canary0123456789 {}", "x".repeat(900)),
            "message": "배포해 주세요 AKIACANARYCANARY1234", "prompt": "canary prompt", "reason": "비밀번호: canary",
            "list": [{"text": "token=canary-in-list"}],
        },
        "raw": {"provider": "mine", "event_name": "x", "hash": "h", "prompt": "a full prompt ".repeat(50),
            "output": {"all": "canary output"}},
    })
}

#[test]
fn c6_program_events_follow_capture_level() {
    for capture in [Capture::None, Capture::Summary, Capture::Full] {
        let event = stored_event(&failed(), capture);
        let text = serde_json::to_string(&event).unwrap();
        for secret in ["sk-proj-canary", "AKIACANARY", "/home/kim", "canary-extra", "canary-in-list", "canary output"] {
            assert!(!text.contains(secret), "{secret} at {}: {text}", capture.as_str());
        }
        assert_eq!(text.contains("canary prompt"), capture == Capture::Full, "prompts are the user's choice");
        assert_eq!(text.contains("배포해 주세요"), capture > Capture::None);
        let plain = ["tool_name", "tool_use_id"].map(|name| event.text(name).unwrap());
        assert_eq!((plain, &event.payload["exit_code"]), (["Bash", "toolu_1"], &json!(7)));
        assert!(event.text("error_message").unwrap().encode_utf16().count() <= 500);
    }
    assert_eq!(stored_event(&failed(), Capture::None).text("error_message"), Some("exit code 7"));
}

#[test]
fn c6_values_below_secret_names_are_masked() {
    let value = json!({
        "id": "evt_2", "version": "1.1", "ts": "2026-02-13T15:00:00.000Z", "type": "task_progress", "source": "sdk",
        "workspace_id": "repo_x", "terminal_session_id": "t", "agent_id": "x/leader", "task_id": "1",
        "token": "canary", "extra": {"token": "canary", "deep": [{"API-Key": ["canary", {"a": "canary"}]}]},
        "payload": {
            "summary": "로그인 고침", "password": "canary", "p\u{430}ssword": "canary", "ｔｏｋｅｎ": "canary",
            "비밀번호": "canary", "accessToken": "canary", "max_tokens": 4096, "password_set": true, "empty_secret": "",
            "errors": [{"path": "a", "code": "b", "secret": "canary"}], "primary_key": "id", "passage": "머리말",
        },
        "raw": {"provider": "mine", "session_token": "canary", "hash": {"password": "canary"}},
    });
    for capture in [Capture::None, Capture::Summary, Capture::Full] {
        let event = stored_event(&value, capture);
        let text = serde_json::to_string(&event).unwrap();
        assert!(!text.contains("canary"), "{}: {text}", capture.as_str());
        assert_eq!(event.payload["max_tokens"], json!(4096), "a count is no secret");
        let masked = (capture > Capture::None).then_some("[redacted-secret]");
        assert_eq!(event.text("password"), masked, "masked at summary, dropped at none");
        assert_eq!(event.extra["extra"].get("token").and_then(Value::as_str), masked);
        assert_eq!(event.payload["errors"][0].get("secret").and_then(Value::as_str), masked);
    }
    let event = stored_event(&value, Capture::Summary);
    assert_eq!((event.text("primary_key"), event.text("passage")), (Some("id"), Some("머리말")));
    assert_eq!(event.payload["empty_secret"], json!(""));
}

#[test]
fn a1_raw_never_holds_full_prompt() {
    let raw = stored_event(&failed(), Capture::Full).raw.unwrap();
    assert_eq!((&raw["provider"], &raw["event_name"], &raw["hash"]), (&json!("mine"), &json!("x"), &json!("h")));
    assert!(raw["prompt"].as_str().unwrap().chars().count() <= 200 && !raw.contains_key("output"), "{raw:?}");
}

#[test]
fn a7_samples_are_stored_unchanged() {
    for line in [super::ASSIGN, super::FAILED] {
        let value: Value = serde_json::from_str(line).unwrap();
        assert_eq!(stored_event(&value, Capture::Summary), check(&value, &DEFAULTS).unwrap(), "{line}");
    }
    let assigned: Value = serde_json::from_str(super::ASSIGN).unwrap();
    assert_eq!(
        stored_event(&assigned, Capture::None).text("summary"),
        Some("manager_assign"),
        "the fields that §A.3 requires stay"
    );
}
