//! Tests of event schema 1.1 (`contract/event-schema-v1_1.md`): validation, order and duplicates, agent states, mapping
//! to and from log lines. Most test modules name the section (§) of the contract that they test.
//!
//! Proves (claude-code): Every rule of event schema 1.1 has a test that names it.
#![allow(clippy::needless_pass_by_value, reason = "tests")]

mod back;
mod beats;
mod bodies;
mod book;
mod broken;
mod check;
mod forms;
mod map;
mod program_events;
mod refused;
mod schema_law;
mod state;
mod story;

use coordination::schema::{Defaults, SchemaEvent, check};
use serde_json::{Value, json};

/// 2026-02-13T15:00:00Z.
pub(crate) const START: i64 = 1_770_994_800_000;

/// What a server would fill in.
pub(crate) const DEFAULTS: Defaults<'static> =
    Defaults { workspace_id: "repo_filled", terminal_session_id: "term_filled", locale: "ko-KR", arrived_at: START };

/// The first sample of §A.7.
pub(crate) const ASSIGN: &str = r#"{"id":"evt_assign_1","version":"1.1","ts":"2026-02-13T15:00:00.000Z","type":"manager_assign","source":"synthetic","workspace_id":"repo_task-hub","terminal_session_id":"term_a1b2c3","run_id":"run_1","session_id":"sess_1","agent_id":"core/leader","target_agent_id":"core/worker-1","task_id":"task_101","severity":"info","locale":"ko-KR","payload":{"summary":"불안정한 테스트 수정"},"raw":{"provider":"dashboard"}}"#;
/// The second.
pub(crate) const FAILED: &str = r#"{"id":"evt_5b0f0c5d7e1a2b3c4d5e6f7a8b","version":"1.1","ts":"2026-02-13T15:03:10.000Z","type":"tool_failed","source":"hook","workspace_id":"repo_task-hub","terminal_session_id":"term_a1b2c3","session_id":"sess_1","agent_id":"core/worker-1","target_agent_id":null,"task_id":"task_101","severity":"error","locale":"ko-KR","payload":{"tool_name":"Bash","exit_code":1,"exit_code_known":true,"error_message":"Command failed with exit code 1"},"raw":{"provider":"claude_code","event_name":"PostToolUseFailure"}}"#;

/// JSON that a test wrote.
pub(crate) fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// An event with what all have; `more` says the rest or says it otherwise.
pub(crate) fn event(id: &str, at: i64, kind: &str, more: Value) -> SchemaEvent {
    let mut event = json!({
        "id": id, "version": "1.1", "ts": coordination::time::to_iso(START + at), "type": kind, "source": "hook",
        "workspace_id": "repo_task-hub", "terminal_session_id": "term_1", "session_id": "sess_1",
        "agent_id": "core/worker-1",
    });
    let Value::Object(more) = more else { panic!("fields") };
    event.as_object_mut().unwrap().extend(more);
    check(&event, &DEFAULTS).unwrap_or_else(|faults| panic!("{event}: {faults:?}"))
}

/// Faults as `path code`, in their order.
pub(crate) fn faults(value: &Value) -> Vec<String> {
    let found = check(value, &DEFAULTS).err().unwrap_or_default();
    found.into_iter().map(|fault| format!("{} {}", fault.path, fault.code)).collect()
}
