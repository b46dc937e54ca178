//! Tests of messages sent through OpenClaw's gateway by `POST /tools/invoke`: the request, and the outcome of each
//! answer, for two versions of the gateway (`contract/sessions.md` §8.2). Answers recorded from the real gateways are
//! used where they exist (`fixtures/openclaw-*/captures`).
//!
//! Proves (gateway): Each answer of the gateway, in both versions, is read as the right outcome.

use coordination::api::{Delivered, SpeakAnswer, SpeakState};
use coordination::gateway_message::{GatewayReply, OutgoingMessage, caller, read, target};
use coordination::session_key::KeyRules;
use serde_json::{Value, json};

/// A captured answer: its request's wait, its status and body.
fn capture(version: &str, name: &str) -> (u32, GatewayReply) {
    let path = format!("{}/../../fixtures/openclaw-{version}/captures/http-{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let capture: Value = serde_json::from_str(&text).expect("json");
    let wait = capture.pointer("/request/body/args/timeoutSeconds").and_then(Value::as_u64).unwrap_or(30);
    let body = match &capture["response"] {
        Value::String(text) => text.clone().into_bytes(),
        json => json.to_string().into_bytes(),
    };
    let status = u16::try_from(capture["status"].as_u64().expect("status")).expect("status");
    let headers = capture["headers"].as_array().expect("headers").iter();
    let after = headers.filter_map(|line| line.as_str()?.strip_prefix("Retry-After: ")?.parse().ok()).next();
    (u32::try_from(wait).expect("wait"), GatewayReply { status, retry_after: after, body, elapsed_ms: 20 })
}

fn outcome(version: &str, name: &str) -> SpeakAnswer {
    let (wait, reply) = capture(version, name);
    read(&reply, wait)
}

/// An answer that nobody captured.
fn answer_to(status: u16, body: &Value) -> SpeakAnswer {
    read(&GatewayReply { status, retry_after: None, body: body.to_string().into_bytes(), elapsed_ms: 20 }, 30)
}

const OLD: &str = "2026.2";
const NEW: &str = "2026.9";

#[test]
fn send_cases_match_both_versions() {
    use Delivered::{No, Unknown, Yes};
    use SpeakState::{Accepted, Answered, Failed, Forbidden, NoReply, NoSession, Refused};
    for (name, old, new) in [
        ("send-accepted", (Accepted, Yes), (Accepted, Yes)),
        ("send-ok", (Answered, Yes), (Answered, Yes)),
        ("send-own-caller", (Answered, Yes), (Answered, Yes)),
        ("send-error", (Failed, Unknown), (Failed, Yes)),
        ("send-no-reply", (NoReply, Yes), (NoReply, Yes)),
        ("send-forbidden", (Forbidden, No), (Forbidden, No)),
        ("send-unknown-agent", (Forbidden, No), (Forbidden, No)),
        // The older one makes the session.
        ("send-unknown-session", (Answered, Yes), (NoSession, No)),
        ("send-unknown-label", (NoSession, No), (NoSession, No)),
        // Not asked by us; the newer one takes the key.
        ("send-label-and-key", (Failed, Unknown), (Accepted, Yes)),
        // Arguments of the fork, which both ignore.
        ("send-legacy-args", (Accepted, Yes), (Accepted, Yes)),
        ("send-empty-message", (Refused, No), (Refused, No)),
        ("send-missing-message", (Refused, No), (Refused, No)),
    ] {
        for (version, expected) in [(OLD, old), (NEW, new)] {
            let answer = outcome(version, name);
            assert_eq!((answer.state, answer.delivered), expected, "{version} {name}: {answer:?}");
        }
    }
}

#[test]
fn timeout_is_detected_by_status_or_duration() {
    let state = |version: &str, elapsed_ms: u64| {
        let (wait, reply) = capture(version, "send-timeout");
        assert_eq!(wait, 2);
        let answer = read(&GatewayReply { elapsed_ms, ..reply }, wait);
        assert_eq!(answer.delivered, Delivered::Yes);
        answer.state
    };
    assert_eq!(state(OLD, 2_010), SpeakState::TimedOut);
    assert_eq!(state(NEW, 2_010), SpeakState::TimedOut);
    assert_eq!(state(NEW, 1_900), SpeakState::TimedOut, "a timer may fire early");
    assert_eq!(state(NEW, 300), SpeakState::Accepted, "taken at once");
    let (_, reply) = capture(NEW, "send-accepted");
    let slow = GatewayReply { elapsed_ms: 90_000, ..reply };
    assert_eq!(read(&slow, 0).state, SpeakState::Accepted, "nobody waited, however long it took");
}

#[test]
fn gateway_statuses_match_both_versions() {
    use Delivered::{No, Unknown};
    use SpeakState::{NotAllowed, NotGateway, Refused, Unauthorized};
    for (name, state) in [
        ("no-auth", Unauthorized),
        ("unauthorized", Unauthorized),
        ("unknown-tool", NotAllowed),
        ("spawn-denied", NotAllowed),
        ("bad-json", Refused),
        ("no-tool", Refused),
        ("get", NotGateway),
    ] {
        for version in [OLD, NEW] {
            let answer = outcome(version, name);
            assert_eq!((answer.state, answer.delivered), (state, No), "{version} {name}: {answer:?}");
        }
    }
    let draining = outcome(NEW, "503-draining");
    assert_eq!((draining.state, draining.delivered, draining.retry_after), (SpeakState::Draining, No, Some(1)));
    let tool_error = json!({"ok": false, "error": {"type": "tool_error", "message": "tool execution failed"}});
    let none = Value::Null;
    for (status, body, state, delivered) in [
        (403, &tool_error, SpeakState::Forbidden, No),
        (500, &tool_error, SpeakState::Failed, Unknown),
        (408, &none, Refused, No),
        (413, &none, Refused, No),
        (429, &none, SpeakState::TooMany, No),
        (405, &none, NotGateway, No),
        (302, &none, NotGateway, No),
        (404, &none, NotGateway, No),
        // A proxy before the gateway may have passed it on.
        (502, &none, SpeakState::Uncertain, Unknown),
        (503, &none, SpeakState::Uncertain, Unknown),
        (504, &none, SpeakState::Uncertain, Unknown),
        (500, &none, SpeakState::Uncertain, Unknown),
        (200, &none, SpeakState::Uncertain, Unknown),
        (200, &json!({"ok": true, "result": {}}), SpeakState::Uncertain, Unknown),
        (200, &json!({"ok": true, "result": {"details": {"status": "tomorrow"}}}), SpeakState::Uncertain, Unknown),
    ] {
        let answer = answer_to(status, body);
        assert_eq!((answer.state, answer.delivered), (state, delivered), "{status} {body}");
    }
}

#[test]
fn reply_has_run_and_truncation_flag() {
    let answer = outcome(OLD, "send-ok");
    assert_eq!(answer.reply.as_deref(), Some("확인했습니다. staging 클러스터를 먼저 보고 30분 안에 답하겠습니다."));
    assert_eq!(answer.session_key.as_deref(), Some("agent:seum:main"));
    assert!(answer.run_id.is_some_and(|run| run.len() == 36) && !answer.reply_cut);
    let long = outcome(NEW, "send-long-reply");
    assert_eq!((long.reply.map(|reply| reply.chars().count()), long.reply_cut), (Some(4_096), true));
    let details = json!({"status": "ok", "reply": "가".repeat(30_000)});
    let longer = answer_to(200, &json!({"ok": true, "result": {"details": details}}));
    assert_eq!((longer.reply.map(|reply| reply.chars().count()), longer.reply_cut), (Some(20_000), true));
}

#[test]
fn missing_details_fall_back_to_text() {
    for version in [OLD, NEW] {
        let (wait, reply) = capture(version, "send-ok");
        let mut body: Value = serde_json::from_slice(&reply.body).expect("json");
        body["result"].as_object_mut().expect("result").remove("details").expect("details");
        let answer = read(&GatewayReply { body: body.to_string().into_bytes(), ..reply }, wait);
        assert_eq!(answer, outcome(version, "send-ok"));
    }
}

#[test]
fn failure_text_is_one_bounded_line() {
    let message = format!("first\nsecond\u{1b}[2J{}", "x".repeat(5_000));
    let answer = answer_to(400, &json!({"ok": false, "error": {"type": "tool_error", "message": message}}));
    let text = answer.said.expect("said");
    assert!(text.starts_with("first second [2J") && text.chars().count() <= 400, "{text}");
}

fn rules() -> KeyRules {
    KeyRules { main_key: "main".to_owned(), default_agent: "ruda".to_owned(), ..KeyRules::default() }
}

#[test]
fn agent_target_is_main_session_key_unchanged() {
    assert_eq!(target("eden", &rules()).as_deref(), Some("agent:eden:main"));
    let work = KeyRules { main_key: "work".to_owned(), ..rules() };
    assert_eq!(target("eden", &work).as_deref(), Some("agent:eden:work"));
    let key = "agent:eden:discord:channel:42";
    assert_eq!(target(key, &rules()).as_deref(), Some(key));
    for bad in [
        "",
        "Eden",
        "-x",
        "agent:",
        "agent:eden",
        "agent:eden:",
        "agent::main",
        "agent:eden::x",
        "agent:eden:a b",
        "agent:eden:\n",
        "agent:../x:main",
        "main:x",
        "에덴",
    ] {
        assert_eq!(target(bad, &rules()), None, "{bad:?}");
    }
    assert_eq!(target(&"a".repeat(65), &rules()), None);
    assert_eq!(target(&format!("agent:a:{}", "x".repeat(201)), &rules()), None);
}

#[test]
fn message_has_one_human_prefix_and_caller() {
    let call = OutgoingMessage {
        caller: caller(&rules()),
        target: "agent:eden:main".to_owned(),
        text: "멈춰 주세요\n둘째 줄".to_owned(),
        conversation: None,
        work_session: None,
        wait_secs: 30,
    };
    assert_eq!(
        call.body(),
        json!({"tool": "sessions_send", "sessionKey": "agent:ruda:task-hub", "args": {
            "sessionKey": "agent:eden:main", "message": "[Human Intervention] 멈춰 주세요\n둘째 줄", "timeoutSeconds": 30,
        }})
    );
    let marked = OutgoingMessage {
        text: "[human intervention] 멈춰 주세요".to_owned(),
        conversation: Some("c1".to_owned()),
        work_session: Some("ws_1".to_owned()),
        wait_secs: 0,
        ..call
    };
    let args = &marked.body()["args"];
    assert_eq!(args["message"], "[Human Intervention] 멈춰 주세요");
    assert_eq!((&args["conversationId"], &args["workSessionId"]), (&json!("c1"), &json!("ws_1")));
    assert_eq!(args["timeoutSeconds"], 0);
}
