//! Tests of the mapping from log lines to schema events. §D of `contract/event-schema-v1_1.md` maps schema events to
//! the log; this is the opposite direction.
//!
//! Proves (claude-code): Every row of the mapping from the log to schema events holds.

use coordination::schema::{check, from_coordination};
use serde_json::{Value, json};

use super::DEFAULTS;

/// Types that the log has, and some that it has not.
pub(crate) const TYPES: [&str; 27] = [
    "a2a.send",
    "a2a.response",
    "a2a.complete",
    "a2a.auto_route",
    "a2a.spawn",
    "a2a.spawn_result",
    "a2a.retry",
    "task.started",
    "task.updated",
    "task.completed",
    "task.cancelled",
    "task.approved",
    "task.resumed",
    "task.backlog_picked",
    "task.blocked",
    "task.backlog_added",
    "continuation.sent",
    "continuation.backoff",
    "backlog.auto_picked",
    "zombie.abandoned",
    "milestone.sync_failed",
    "agent.started",
    "agent.stopped",
    "tool.started",
    "tool.succeeded",
    "tool.failed",
    "event.one",
];
/// Fields that the reverse reads.
pub(crate) const FIELDS: [&str; 20] = [
    "fromAgent",
    "toAgent",
    "senderAgentId",
    "targetAgentId",
    "taskId",
    "conversationId",
    "workSessionId",
    "runId",
    "message",
    "replyPreview",
    "label",
    "eventRole",
    "outcome",
    "status",
    "turn",
    "reason",
    "fromSessionType",
    "toSessionType",
    "error",
    "assignee",
];

fn line(kind: &str, data: Value) -> Value {
    let mut fields = json!({"fromAgent": "eden", "toAgent": "seum", "taskId": "task_1", "workSessionId": "ws_1", "conversationId": "c1"});
    fields.as_object_mut().unwrap().extend(data.as_object().unwrap().clone());
    json!({"type": kind, "agentId": "eden", "ts": super::START, "data": fields})
}

#[test]
fn every_row_of_the_log_has_its_type() {
    let described = |kind: &str, data: Value| {
        let event = from_coordination(&line(kind, data), 0)?;
        assert!(check(&serde_json::to_value(&event).unwrap(), &DEFAULTS).is_ok());
        let target = event.target_agent_id.unwrap_or_else(|| "-".to_owned());
        Some(format!("{} {} {target}", event.kind.as_str(), event.agent_id))
    };
    let back = json!({"fromAgent": "seum", "toAgent": "eden"});
    let with = |more: Value| {
        let mut data = back.clone();
        data.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        data
    };
    let delegation = json!({"eventRole": "delegation.subagent", "message": "x"});
    for (rule, kind, data, wanted) in [
        ("D a2a.send of a delegation", "a2a.send", delegation, "manager_assign openclaw/eden openclaw/seum"),
        ("D a2a.send of a talk", "a2a.send", json!({"message": "x"}), "meeting_requested openclaw/eden openclaw/seum"),
        ("D a2a.spawn", "a2a.spawn", json!({"message": "x"}), "manager_assign openclaw/eden openclaw/seum"),
        (
            "D a2a.spawn_result accepted",
            "a2a.spawn_result",
            json!({"status": "accepted"}),
            "agent_started openclaw/seum openclaw/eden",
        ),
        (
            "D a2a.spawn_result error",
            "a2a.spawn_result",
            json!({"status": "error"}),
            "agent_blocked openclaw/seum openclaw/eden",
        ),
        (
            "D a2a.response, the first",
            "a2a.response",
            with(json!({"message": "네"})),
            "agent_acknowledged openclaw/seum openclaw/eden",
        ),
        (
            "D a2a.response, a turn",
            "a2a.response",
            json!({"turn": 1, "message": "네"}),
            "task_progress openclaw/eden -",
        ),
        (
            "D outcome no_reply",
            "a2a.response",
            with(json!({"outcome": "no_reply"})),
            "agent_blocked openclaw/seum openclaw/eden",
        ),
        (
            "D outcome blocked by the limit",
            "a2a.response",
            json!({"outcome": "blocked", "fromAgent": "dajim", "toAgent": "eden"}),
            "agent_blocked openclaw/eden openclaw/dajim",
        ),
        ("D a2a.complete", "a2a.complete", json!({}), "meeting_ended openclaw/eden openclaw/seum"),
        (
            "D a2a.complete of a child",
            "a2a.complete",
            with(json!({"totalTurns": 1, "runId": "r"})),
            "agent_stopped openclaw/seum openclaw/eden",
        ),
        ("D a2a.auto_route", "a2a.auto_route", json!({}), "meeting_started openclaw/eden openclaw/seum"),
        (
            "D task.backlog_added",
            "task.backlog_added",
            json!({"assignee": "seum"}),
            "task_created openclaw/eden openclaw/seum",
        ),
        ("D task.started", "task.started", json!({}), "task_started openclaw/eden -"),
        ("D task.backlog_picked", "task.backlog_picked", json!({}), "task_started openclaw/eden -"),
        ("D task.updated", "task.updated", json!({}), "task_progress openclaw/eden -"),
        ("D task.completed", "task.completed", json!({}), "task_completed openclaw/eden -"),
        ("D task.cancelled", "task.cancelled", json!({}), "task_failed openclaw/eden -"),
        ("D task.blocked", "task.blocked", json!({"reason": "권한"}), "agent_blocked openclaw/eden -"),
        ("D task.resumed", "task.resumed", json!({}), "agent_unblocked openclaw/eden -"),
        ("D zombie.abandoned", "zombie.abandoned", json!({}), "task_failed openclaw/eden -"),
        (
            "D continuation.backoff",
            "continuation.backoff",
            json!({"reason": "billing"}),
            "agent_blocked openclaw/eden -",
        ),
        ("D agent.started", "agent.started", json!({}), "agent_started openclaw/eden -"),
        ("D agent.stopped", "agent.stopped", json!({}), "agent_stopped openclaw/eden -"),
        ("D agent.blocked", "agent.blocked", json!({}), "agent_blocked openclaw/eden -"),
        ("D agent.unblocked", "agent.unblocked", json!({}), "agent_unblocked openclaw/eden -"),
        ("D tool.started", "tool.started", json!({"toolName": "Bash"}), "tool_started openclaw/eden -"),
        ("D tool.succeeded", "tool.succeeded", json!({"toolName": "Bash"}), "tool_succeeded openclaw/eden -"),
        ("D tool.failed", "tool.failed", json!({"toolName": "Bash", "error": "x"}), "tool_failed openclaw/eden -"),
    ] {
        assert_eq!(described(kind, data).as_deref(), Some(wanted), "{rule}");
    }
    for kind in ["a2a.retry", "milestone.sync_failed", "continuation.sent", "event.one"] {
        assert_eq!(described(kind, json!({})), None, "D nothing tells {kind}");
    }
}

#[test]
fn event_has_openclaw_workspace_and_line_id() {
    let line = line("a2a.send", json!({"message": "배포해 주세요", "runId": "run_1"}));
    let event = from_coordination(&line, 0).unwrap();
    assert_eq!(event.source.as_str(), "synthetic", "D source");
    assert_eq!((event.workspace_id.as_str(), event.terminal_session_id.as_str()), ("openclaw", "gateway"), "D");
    assert_eq!(
        (event.ts, event.run_id.as_deref(), event.task_id.as_deref()),
        (super::START, Some("run_1"), Some("task_1"))
    );
    assert_eq!(event.text("message"), Some("배포해 주세요"));
    assert!(event.id.starts_with("evt_") && event.id.len() == 30, "D evt_ and 26 letters");
    assert_eq!(from_coordination(&line, 0).unwrap().id, event.id);
    assert_ne!(from_coordination(&line, 1).unwrap().id, event.id, "D and its occurrence number");
    assert_eq!(from_coordination(&json!("no line"), 0), None);
    assert_eq!(from_coordination(&json!({"agentId": "eden"}), 0), None);
}

/// There and back: what a line became of, as far as the log can tell it. A teammate's task is talk there.
#[test]
fn every_row_round_trips() {
    let sub = json!({"agent_id": "core/Explore-1", "payload": {"native_agent_id": "n1", "summary": "끝"}});
    let to_sub = json!({"agent_id": "core/leader", "payload": {"target_kind": "subagent", "summary": "조사"}});
    let none = json!({});
    for (kind, more, wanted) in [
        ("agent_started", &sub, vec!["agent_started"]),
        ("agent_started", &none, vec!["agent_started"]),
        ("agent_stopped", &sub, vec!["task_progress", "agent_stopped"]),
        ("agent_stopped", &none, vec!["agent_stopped"]),
        ("agent_blocked", &none, vec!["agent_blocked"]),
        ("agent_blocked", &json!({"task_id": "task_1"}), vec!["agent_blocked"]),
        ("agent_unblocked", &none, vec!["agent_unblocked"]),
        ("agent_unblocked", &json!({"task_id": "task_1"}), vec!["agent_unblocked"]),
        ("task_created", &none, vec!["task_created"]),
        ("manager_assign", &to_sub, vec!["manager_assign"]),
        ("manager_assign", &none, vec!["meeting_requested"]),
        ("agent_acknowledged", &none, vec!["agent_acknowledged"]),
        ("agent_acknowledged", &sub, vec!["agent_acknowledged"]),
        ("task_started", &none, vec!["task_started"]),
        ("task_progress", &none, vec!["task_progress"]),
        ("task_completed", &none, vec!["task_completed"]),
        ("task_failed", &none, vec!["task_failed"]),
        ("meeting_requested", &json!({"target_agent_id": "core/leader"}), vec!["meeting_requested"]),
        ("meeting_started", &none, vec!["meeting_started"]),
        ("meeting_ended", &none, vec!["meeting_ended"]),
        ("tool_started", &none, vec!["tool_started"]),
        ("tool_succeeded", &none, vec!["tool_succeeded"]),
        ("tool_failed", &none, vec!["tool_failed"]),
        ("heartbeat", &none, vec![]),
        ("schema_error", &none, vec![]),
        ("agent_daydreamed", &none, vec![]),
    ] {
        let lines = super::map::lines(kind, more.clone());
        let read_back = lines.into_iter().filter_map(|mut line| {
            assert_eq!(from_coordination(&line, 0), None, "D an event of the schema is not read back");
            line["data"]["origin"] = json!(null);
            from_coordination(&line, 0)
        });
        let read_back: Vec<_> = read_back.collect();
        let kinds: Vec<_> = read_back.iter().map(|event| event.kind.as_str()).collect();
        assert_eq!(kinds, wanted, "D.2 {kind} {more}");
        for event in read_back {
            let subject =
                if more["agent_id"].is_string() { more["agent_id"].as_str().unwrap() } else { "core/worker-1" };
            assert_eq!(event.agent_id, subject.to_lowercase(), "D.2 {kind}: whom it is about");
            assert_eq!(event.ts, super::START);
        }
    }
}
