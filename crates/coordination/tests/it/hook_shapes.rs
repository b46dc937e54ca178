//! Tests of Claude Code hooks in the form that the original schema document assumed (`contract/event-schema-v1_1.md`
//! §B), with fields such as `agent_name`, `team_name` and `tool_result`. The fields that Claude Code really sends are
//! tested in `hook_rows`.
//!
//! Proves (claude-code): Hook payloads with the fields of the schema document become schema events.

use crate::hooks;

use coordination::schema::hook::{Capture, reduce};
use coordination::schema::{AgentStage, HookStamp, Ledger, Severity, read_item, write_item};
use hooks::{START, TestHook, brief, ledger, ledger_at, line, only};
use serde_json::{Value, json};

const SESSION: &str = "8c35adc1-0000-4000-8000-000000000001";

fn start(own: Value) -> TestHook {
    (0, "SubagentStart", own)
}

fn worker() -> TestHook {
    start(json!({"agent_name": "worker-1", "parent_session_id": SESSION, "team_name": "core",
        "prompt": "불안정한 테스트를 고쳐 주세요"}))
}

/// Faults of a bare payload.
fn faults(payload: &Value) -> Vec<String> {
    let found = reduce(payload, HookStamp::default(), Capture::Summary).err().unwrap_or_default();
    found.into_iter().map(|fault| format!("{} {}", fault.path, fault.code)).collect()
}

#[test]
fn subagent_start_agent_name_gives_team_and_name() {
    let ledger = ledger(&[worker()]);
    assert_eq!(brief(&ledger), ["agent_started core/worker-1 > core/leader"]);
    let event = only(&ledger, "agent_started");
    assert_eq!(event.text("agent_kind"), Some("teammate"));
    assert_eq!((event.text("parent_session_id"), event.text("native_agent_id")), (Some(SESSION), None));
    assert_eq!(event.text("prompt"), None, "a prompt is kept at full only");
    assert_eq!(
        only(&ledger_at(Capture::Full, &[worker()]), "agent_started").text("prompt"),
        worker().2["prompt"].as_str()
    );
}

#[test]
fn subagent_start_without_team_is_of_the_project() {
    let ledger = ledger(&[start(json!({"agent_name": "worker-1"}))]);
    assert_eq!(brief(&ledger), ["agent_started repo/worker-1 > repo/leader"]);
    assert_eq!(only(&ledger, "agent_started").text("agent_kind"), Some("subagent"));
}

#[test]
fn subagent_start_without_id_and_name_fails() {
    let bare = hooks::payload("SubagentStart", &json!({"team_name": "core"}));
    assert_eq!(faults(&bare), ["payload.agent_id required"]);
}

#[test]
fn parent_session_replaces_missing_session() {
    let mut bare = hooks::payload("SubagentStart", &worker().2);
    bare.as_object_mut().unwrap().remove("session_id");
    let mut ledger = Ledger::default();
    ledger.take(vec![read_item(&bare, START, Capture::Summary).unwrap()]);
    assert_eq!(ledger.timeline().events().next().unwrap().session_id.as_deref(), Some(SESSION));
    bare.as_object_mut().unwrap().remove("parent_session_id");
    assert_eq!(faults(&bare), ["payload.session_id required"]);
}

#[test]
fn session_below_a_parent_is_that_agents_own() {
    let above = "11111111-0000-4000-8000-000000000009";
    let ledger = ledger(&[
        start(json!({"agent_name": "worker-1", "parent_session_id": above, "team_name": "core"})),
        (1_000, "PreToolUse", json!({"tool_name": "Read", "tool_input": {"file_path": "/home/mina/repo/a.rs"}})),
    ]);
    assert_eq!(brief(&ledger), ["agent_started core/worker-1 > core/leader", "tool_started core/worker-1"]);
}

#[test]
fn two_named_agents_preserve_the_leader() {
    let above = "11111111-0000-4000-8000-000000000009";
    let named = |after, name: &str| {
        (after, "SubagentStart", json!({"agent_name": name, "parent_session_id": above, "team_name": "core"}))
    };
    let read = (2_000, "PreToolUse", json!({"tool_name": "Read"}));
    let ledger = ledger(&[named(0, "worker-1"), named(1_000, "worker-2"), read]);
    assert_eq!(brief(&ledger)[2], "tool_started core/leader");
}

#[test]
fn leader_by_name_is_the_main_thread() {
    let ledger = ledger(&[
        start(json!({"agent_name": "leader", "team_name": "core"})),
        (1_000, "SubagentStop", json!({"agent_name": "leader", "team_name": "core", "result": "끝"})),
    ]);
    assert_eq!(brief(&ledger), ["agent_started core/leader", "agent_stopped core/leader"]);
}

#[test]
fn subagent_stop_result_is_its_summary() {
    for result in
        [json!("테스트를 고쳤습니다"), json!({"text": "테스트를 고쳤습니다"}), json!([{"text": "테스트를 고쳤습니다"}])]
    {
        let stop = (5_000, "SubagentStop", json!({"agent_name": "worker-1", "team_name": "core", "result": result}));
        let ledger = ledger(&[worker(), stop]);
        assert_eq!(brief(&ledger)[1], "agent_stopped core/worker-1 > core/leader");
        assert_eq!(only(&ledger, "agent_stopped").text("summary"), Some("테스트를 고쳤습니다"));
        assert_eq!(ledger.timeline().agents().next().unwrap().stage, AgentStage::Stopped);
    }
}

#[test]
fn post_tool_use_with_error_is_tool_failed() {
    let post = |own: Value| {
        let mut all = json!({"tool_name": "Bash", "tool_input": {"command": "cargo test"}});
        all.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
        ledger(&[(0, "PostToolUse", all)])
    };
    // What fails, the code, whether anything tells it, and the text.
    for (own, code, known, expected_text) in [
        (json!({"error": "Command failed with exit code 1"}), 1, true, "Command failed with exit code 1"),
        (json!({"error": "exited with status 101", "tool_result": null}), 101, true, "exited with status 101"),
        (json!({"error": "permission denied", "tool_result": ""}), 1, false, "permission denied"),
        (json!({"error": {"message": "no such file"}}), 1, false, "no such file"),
        (json!({"error": "no such file", "exit_code": 2}), 2, true, "no such file"),
        (json!({"error": "no such file", "tool_result": {"exit_code": 3}}), 3, true, "no such file"),
        (json!({"error": true}), 1, false, "exit code 1"),
    ] {
        let ledger = post(own.clone());
        assert_eq!(brief(&ledger), ["tool_failed repo/leader"], "{own}");
        let event = only(&ledger, "tool_failed");
        assert_eq!(event.text("tool_name"), Some("Bash"));
        assert_eq!(
            (&event.payload["exit_code"], &event.payload["exit_code_known"]),
            (&json!(code), &json!(known)),
            "{own}"
        );
        assert_eq!(event.text("error_message"), Some(expected_text), "{own}");
        assert_eq!(event.severity, Severity::Error);
    }
    for own in
        [json!({"error": null}), json!({"error": ""}), json!({"error": false}), json!({"tool_result": "ok"}), json!({})]
    {
        assert_eq!(brief(&post(own.clone())), ["tool_succeeded repo/leader"], "{own}");
    }
}

#[test]
fn tool_result_is_read_like_tool_response() {
    let made = json!({"tool_name": "TaskCreate", "tool_input": {"subject": "쿠폰 고치기"}, "tool_result": {"task": {"id": "7"}}});
    let made = ledger(&[(0, "PostToolUse", made)]);
    assert_eq!(brief(&made)[1], "task_created repo/leader # task_8c35adc1_7");
    let output = json!({"tool_name": "Bash", "tool_result": "3 passed"});
    let full = ledger_at(Capture::Full, &[(0, "PostToolUse", output)]);
    assert_eq!(only(&full, "tool_succeeded").text("output"), Some("3 passed"));
}

#[test]
fn notification_level_error_is_a_failed_agent() {
    let notified =
        |level: &str, message: &str| ledger(&[(0, "Notification", json!({"level": level, "message": message}))]);
    let failed = notified("error", "API 키가 만료되었습니다");
    let event = only(&failed, "agent_blocked");
    assert_eq!((event.text("state"), event.text("level")), (Some("failed"), Some("error")));
    assert_eq!((event.text("summary"), &event.severity), (Some("API 키가 만료되었습니다"), &Severity::Error));
    let waits = notified("warning", "Claude needs your permission to use Bash");
    let event = only(&waits, "agent_blocked");
    assert_eq!((event.text("state"), event.text("reason")), (Some("pending_input"), Some("permission")));
    assert_eq!(event.severity, Severity::Warn);
    assert!(brief(&notified("info", "빌드를 시작합니다")).is_empty(), "nobody waits");
}

#[test]
fn stop_with_reason_ends_the_agent() {
    let stop = (9_000, "Stop", json!({"reason": "completed", "summary": "할인이 한 번만 들어가게 고쳤습니다"}));
    let ledger_of = ledger(&[worker(), stop]);
    assert_eq!(
        brief(&ledger_of)[1..],
        ["agent_stopped core/leader", "agent_stopped core/worker-1 > core/leader ~"],
        "those it made end with it"
    );
    let own = ledger_of.timeline().events().find(|event| event.text("summary").is_some()).unwrap();
    assert_eq!((own.text("reason"), line(own)), (Some("completed"), "agent_stopped core/leader".to_owned()));
    let named = json!({"agent_name": "worker-1", "team_name": "core", "reason": "작업을 다 했습니다"});
    let named = ledger(&[worker(), (9_000, "Stop", named)]);
    assert_eq!(brief(&named)[1..], ["agent_stopped core/worker-1 > core/leader"]);
    assert_eq!(only(&named, "agent_stopped").text("reason"), Some("작업을 다 했습니다"));
    let turn = ledger(&[(0, "Stop", json!({"stop_hook_active": false, "last_assistant_message": "끝"}))]);
    assert!(brief(&turn).is_empty(), "the program's own Stop ends a turn");
}

#[test]
fn capture_levels_hold_for_the_documents_shape() {
    let secret = "canary 비밀번호: canary1234";
    let hooks = |level| {
        let own = |own: Value| own;
        ledger_at(
            level,
            &[
                start(own(json!({"agent_name": "worker-1", "prompt": secret}))),
                (1_000, "PostToolUse", own(json!({"tool_name": "Bash", "error": secret}))),
                (2_000, "Notification", own(json!({"level": "error", "message": secret}))),
                (3_000, "SubagentStop", own(json!({"agent_name": "worker-1", "result": secret}))),
                (4_000, "Stop", own(json!({"reason": secret, "summary": secret}))),
            ],
        )
    };
    for level in [Capture::None, Capture::Summary, Capture::Full] {
        let ledger = hooks(level);
        let text = serde_json::to_string(&ledger.timeline().events().collect::<Vec<_>>()).unwrap();
        assert!(!text.contains("canary1234"), "{text}");
        assert_eq!(text.contains("canary"), level > Capture::None, "{text}");
        assert_eq!(ledger.timeline().len(), 6, "{:?}", brief(&ledger));
    }
}

#[test]
fn reducing_document_shape_twice_changes_nothing() {
    let payloads = [
        ("SubagentStart", worker().2),
        ("SubagentStop", json!({"agent_name": "worker-1", "result": "끝"})),
        ("PostToolUse", json!({"tool_name": "Bash", "error": "exit code 3", "tool_result": "x"})),
        ("Notification", json!({"level": "error", "message": "멈춤"})),
        ("Stop", json!({"reason": "모두 끝남", "summary": "끝"})),
    ];
    for (name, own) in payloads {
        for level in [Capture::None, Capture::Summary, Capture::Full] {
            let once = hooks::input_at(level, 0, name, &own);
            assert_eq!(read_item(&write_item(&once), START + 20, level).unwrap(), once, "{name}");
        }
    }
}
