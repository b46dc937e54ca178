//! Valid example event of each type of event schema 1.1, for the tests of the schema. With `set`, a test changes or
//! removes one field of an example.

use serde_json::{Value, json};

/// What a type brings with it (§A.3).
pub(crate) fn body(kind: &str) -> Value {
    let both = json!(["core/leader", "core/worker-1"]);
    let (payload, more) = match kind {
        "manager_assign" => {
            (json!({"summary": "고치기"}), json!({"target_agent_id": "core/worker-2", "task_id": "task_1"}))
        }
        "agent_acknowledged" => (json!({}), json!({"target_agent_id": "core/leader", "task_id": "task_1"})),
        "task_created" | "task_started" | "task_progress" | "task_completed" | "task_failed" => {
            (json!({}), json!({"task_id": "task_1"}))
        }
        "tool_started" | "tool_succeeded" => (json!({"tool_name": "Bash"}), json!({})),
        "tool_failed" => (json!({"tool_name": "Bash", "exit_code": 2, "error_message": ""}), json!({})),
        "meeting_requested" | "meeting_started" | "meeting_ended" => (json!({"participants": both}), json!({})),
        "heartbeat" => (json!({}), json!({"source": "synthetic"})),
        "schema_error" => (json!({"errors": [{"path": "ts", "code": "format"}]}), json!({})),
        _ => (json!({}), json!({})),
    };
    let mut more = more;
    more["payload"] = payload;
    more
}

/// A whole event of a type as it comes in.
pub(crate) fn whole(kind: &str) -> Value {
    let mut event = json!({
        "id": "evt_1", "version": "1.1", "ts": "2026-02-13T15:00:00Z", "type": kind, "source": "hook",
        "workspace_id": "repo_task-hub", "terminal_session_id": "term_1", "agent_id": "core/worker-1",
    });
    event.as_object_mut().unwrap().extend(body(kind).as_object().unwrap().clone());
    event
}

/// Sets a field, `payload.x` among them; `Null` takes it out.
pub(crate) fn set(event: &mut Value, path: &str, to: Value) {
    let (holder, name) = match path.split_once('.') {
        Some((_, name)) => (&mut event["payload"], name),
        None => (event, path),
    };
    let fields = holder.as_object_mut().unwrap();
    if to.is_null() {
        fields.remove(name);
    } else {
        fields.insert(name.to_owned(), to);
    }
}
