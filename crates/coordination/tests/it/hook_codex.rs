//! Tests of recorded hooks of the real Codex (`fixtures/codex/real`), and of what differs from Claude Code: the end of a
//! turn tells that a request was refused, ids begin with the time, and no terminal is named. `make test-codex` runs Codex
//! itself.
//!
//! Proves (claude-code): A recorded session of Codex 0.171.0 with a subagent gives the right agents, delegation and waits.

use crate::hooks;

use coordination::schema::hook::Capture;
use coordination::schema::{InputKind, Ledger, SchemaInput, read_item, write_item};
use hooks::{NOW, brief, only, valid};
use serde_json::{Value, json};

/// The main agent makes a subagent, which asks for a permission and gets it.
const SUBAGENT: &str = include_str!("../../../../fixtures/codex/real/0.171.0-subagent.ndjson");
const SESSION: &str = "01a22361-0444-7413-9610-f5e9eace3c5f";

fn inputs(recorded: &str, capture: Capture) -> Vec<SchemaInput> {
    let item = |line: &str| read_item(&serde_json::from_str(line).unwrap(), NOW, capture).unwrap();
    recorded.lines().map(item).collect()
}

fn ledger_of(inputs: Vec<SchemaInput>) -> Ledger {
    let mut ledger = Ledger::default();
    ledger.take(inputs);
    ledger.timeline().events().for_each(valid);
    ledger
}

fn hook(after_seconds: i64, name: &str, own: &Value) -> SchemaInput {
    let mut payload = json!({"session_id": SESSION, "hook_event_name": name, "cwd": "/home/kim/bookstore",
        "model": "gpt-5.1-codex", "turn_id": "01a22361-12bd-7db1-924e-7367094e5e64"});
    for (name, value) in own.as_object().unwrap() {
        payload[name] = value.clone();
    }
    let item = json!({"program": "codex", "payload": payload,
        "received_at": coordination::time::to_iso(NOW + after_seconds * 1_000)});
    read_item(&item, NOW + after_seconds * 1_000, Capture::Summary).unwrap()
}

#[test]
fn recorded_subagent_is_a_delegation() {
    let ledger = ledger_of(inputs(SUBAGENT, Capture::Summary));
    let events = brief(&ledger);
    for expected in [
        "agent_started bookstore/leader",
        "manager_assign bookstore/leader > bookstore/default-1fea6a # call_1",
        "agent_started bookstore/default-1fea6a > bookstore/leader",
        "agent_blocked bookstore/default-1fea6a",
        "agent_unblocked bookstore/default-1fea6a ~",
        "agent_stopped bookstore/default-1fea6a > bookstore/leader",
    ] {
        let native = SUBAGENT.lines().find_map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            Some(line["payload"]["agent_id"].as_str()?.to_owned())
        });
        let native = native.unwrap();
        let expected = expected.replace("1fea6a", &native[native.len() - 6..]);
        assert!(events.contains(&expected), "{expected} in {events:#?}");
    }
    let assigned = only(&ledger, "manager_assign");
    assert_eq!(assigned.text("label"), Some("결과 파일을 대신 만든다."));
    let raw = assigned.raw.as_ref().unwrap();
    assert_eq!((raw["provider"].as_str(), raw["event_name"].as_str()), (Some("codex"), Some("PreToolUse")));
    assert!(assigned.run_id.as_deref().is_some_and(|run| run.starts_with("01a2")), "the turn is the run");
    // The first letters of a session's id tell its minute, so other sessions may have the same.
    assert_eq!(assigned.terminal_session_id, format!("term_{}", &assigned.session_id.as_deref().unwrap()[28..]));
    let text = serde_json::to_string(&ledger.timeline().events().collect::<Vec<_>>()).unwrap();
    assert!(!text.contains("touch ") && !text.contains("/home/kim"), "neither commands nor paths at the summary level");
}

/// Codex starts its hooks side by side: a subagent's first one may come before or after the answer of the call that made
/// it, with or without a type in the call.
#[test]
fn hooks_one_by_one_give_the_same_events() {
    let spawn = json!({"message": "결과 파일"});
    let typed = json!({"message": "결과 파일", "agent_type": "default"});
    let (native, answer) =
        ("01a22364-4399-7cb3-b45e-994a00f96cee", "{\"agent_id\":\"01a22364-4399-7cb3-b45e-994a00f96cee\"}");
    for input in [&spawn, &typed] {
        for start in [2, 4] {
            let call = |more: Value| {
                let mut own = json!({"tool_name": "spawn_agent", "tool_use_id": "call_1", "tool_input": input});
                own.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                own
            };
            let child = |more: Value| {
                let mut own = json!({"agent_id": native, "agent_type": "default"});
                own.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                own
            };
            let mut hooks = vec![
                hook(0, "PreToolUse", &call(json!({}))),
                hook(3, "PostToolUse", &call(json!({"tool_response": answer}))),
                hook(start, "SubagentStart", &child(json!({}))),
                hook(5, "SubagentStop", &child(json!({"last_assistant_message": "됐습니다"}))),
            ];
            hooks.sort_by_key(|hook| hook.at);
            let whole = ledger_of(hooks.clone());
            let mut ledger = Ledger::default();
            hooks.into_iter().for_each(|hook| drop(ledger.take(vec![hook])));
            let events = |ledger: &Ledger| ledger.timeline().events().cloned().collect::<Vec<_>>();
            assert_eq!(events(&ledger), events(&whole), "{input} {start}");
            let assigned = only(&ledger, "manager_assign");
            assert_eq!(assigned.target_agent_id.as_deref(), Some("bookstore/default-f96cee"), "{input} {start}");
        }
    }
}

#[test]
fn refused_request_ends_with_the_turn() {
    let asks = [
        hook(0, "PreToolUse", &json!({"tool_name": "Bash", "tool_use_id": "call_1"})),
        hook(1, "PermissionRequest", &json!({"tool_name": "Bash", "tool_input": {"description": "결과 파일"}})),
    ];
    for end in ["Stop", "Interrupt"] {
        let events = brief(&ledger_of(asks.iter().cloned().chain([hook(20, end, &json!({}))]).collect()));
        assert_eq!(
            events,
            ["tool_started bookstore/leader", "agent_blocked bookstore/leader", "agent_unblocked bookstore/leader ~"],
            "{end}"
        );
    }
}

#[test]
fn program_of_an_item_round_trips() {
    let input = hook(0, "Stop", &json!({}));
    let item = write_item(&input);
    assert_eq!(item["program"], "codex");
    assert_eq!(read_item(&item, NOW, Capture::Summary).unwrap(), input);
    let mut other = item.clone();
    other["program"] = json!("claude_code");
    let InputKind::Hook { stamp, .. } = read_item(&other, NOW, Capture::Summary).unwrap().what else {
        panic!("a hook")
    };
    assert_eq!(stamp.program.to_string(), "Claude Code");
    for (wrong, code) in [(json!("rm -rf"), "enum"), (json!(7), "type"), (json!("x".repeat(200)), "length")] {
        other["program"] = wrong;
        let faults = read_item(&other, NOW, Capture::Summary).unwrap_err();
        assert_eq!(
            faults.iter().map(|fault| (fault.path.as_str(), fault.code.as_str())).collect::<Vec<_>>(),
            [("program", code)]
        );
    }
}
