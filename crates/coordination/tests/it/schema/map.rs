//! Tests of the conversion of schema events into events of the coordination log (`contract/event-schema-v1_1.md`
//! §D.1–§D.3).
//!
//! Proves (claude-code): Each type of schema event becomes the log events that the conversion table of the schema
//! names.

use coordination::schema::{check, conversation_id, folded, to_coordination, work_session_id};
use serde_json::{Value, json};

use super::{ASSIGN, DEFAULTS, event, value};

/// The lines of an event of a type, with what `more` says otherwise.
pub(crate) fn lines(kind: &str, more: Value) -> Vec<Value> {
    let mut body = super::bodies::body(kind);
    for (name, value) in more.as_object().unwrap() {
        if name == "payload" {
            body["payload"].as_object_mut().unwrap().extend(value.as_object().unwrap().clone());
        } else {
            body[name.as_str()] = value.clone();
        }
    }
    to_coordination(&event("evt_1", 0, kind, body))
}

fn one(kind: &str, more: Value) -> Value {
    let mut all = lines(kind, more);
    assert_eq!(all.len(), 1, "{kind}");
    all.remove(0)
}

/// §D.3. The digests are those that the rules of §D.1 give; the document's own are only examples of their form.
#[test]
fn the_example_of_the_document() {
    let lines = to_coordination(&check(&value(ASSIGN), &DEFAULTS).unwrap());
    let mut wanted = value(
        r#"{"type":"a2a.send","agentId":"core~leader","ts":1770994800000,"data":{"fromAgent":"core~leader","toAgent":"core~worker-1","message":"불안정한 테스트 수정","label":"불안정한 테스트 수정","taskId":"task_101","runId":"run_1","workSessionId":"ws_cc_4f1d0a9b6c2e7d18","conversationId":"conv_9a0c1b2d3e4f5a6b","eventRole":"conversation.main","fromSessionType":"main","toSessionType":"main","origin":"v1.1","sourceEventId":"evt_assign_1"}}"#,
    );
    // SHA-256 of "repo_task-hub\ncore", and of the work session and both agents, each in a line.
    wanted["data"]["workSessionId"] = json!("ws_cc_a5f186de85ca7a3f");
    wanted["data"]["conversationId"] = json!("conv_b4bf18f1a4f15012");
    assert_eq!(lines, [wanted], "D.3");
}

#[test]
fn every_row_has_its_type_and_role() {
    let sub = json!({"agent_id": "core/Explore-1", "payload": {"native_agent_id": "n1"}});
    let leader = json!({"agent_id": "core/leader"});
    let to_sub = json!({"agent_id": "core/leader", "payload": {"target_kind": "subagent"}});
    let ack_of_sub = json!({"agent_id": "core/Explore-1", "payload": {"native_agent_id": "n1"}});
    let asks = json!({"target_agent_id": "core/worker-2"});
    let asks_sub = json!({"target_agent_id": "core/Explore-1", "payload": {"target_kind": "subagent"}});
    let none = json!({});
    let of_task = json!({"task_id": "task_1"});
    let (talk, delegation) = ("conversation.main", "delegation.subagent");
    let (task, seen) = ("orchestration.task", "system.observability");
    for (rule, kind, more, wanted) in [
        ("D.2 agent_started of a subagent", "agent_started", &sub, vec![("a2a.spawn_result", delegation)]),
        ("D.2 agent_started of the leader", "agent_started", &leader, vec![("agent.started", seen)]),
        ("D.2 agent_started of a teammate", "agent_started", &none, vec![("agent.started", seen)]),
        (
            "D.2 agent_stopped of a subagent",
            "agent_stopped",
            &sub,
            vec![("a2a.response", delegation), ("a2a.complete", delegation)],
        ),
        ("D.2 agent_stopped of the leader", "agent_stopped", &leader, vec![("agent.stopped", seen)]),
        ("D.2 manager_assign to a teammate", "manager_assign", &leader, vec![("a2a.send", talk)]),
        ("D.2 manager_assign to a subagent", "manager_assign", &to_sub, vec![("a2a.spawn", delegation)]),
        ("D.2 agent_acknowledged of a teammate", "agent_acknowledged", &none, vec![("a2a.response", talk)]),
        ("D.2 agent_acknowledged of a subagent", "agent_acknowledged", &ack_of_sub, vec![("a2a.response", delegation)]),
        ("D.2 meeting_requested of a teammate", "meeting_requested", &asks, vec![("a2a.send", talk)]),
        ("D.2 meeting_requested of a subagent", "meeting_requested", &asks_sub, vec![("a2a.send", delegation)]),
        ("D.2 meeting_started", "meeting_started", &none, vec![("a2a.auto_route", talk)]),
        ("D.2 meeting_ended", "meeting_ended", &none, vec![("a2a.complete", talk)]),
        ("D.2 task_created", "task_created", &none, vec![("task.backlog_added", task)]),
        ("D.2 task_started", "task_started", &none, vec![("task.started", task)]),
        ("D.2 task_progress", "task_progress", &none, vec![("task.updated", task)]),
        ("D.2 task_completed", "task_completed", &none, vec![("task.completed", task)]),
        ("D.2 task_failed", "task_failed", &none, vec![("task.cancelled", task)]),
        ("D.2 agent_blocked with a task", "agent_blocked", &of_task, vec![("task.blocked", task)]),
        ("D.2 agent_blocked without a task", "agent_blocked", &none, vec![("agent.blocked", seen)]),
        ("D.2 agent_unblocked with a task", "agent_unblocked", &of_task, vec![("task.resumed", task)]),
        ("D.2 agent_unblocked without a task", "agent_unblocked", &none, vec![("agent.unblocked", seen)]),
        ("D.2 tool_started", "tool_started", &none, vec![("tool.started", seen)]),
        ("D.2 tool_succeeded", "tool_succeeded", &none, vec![("tool.succeeded", seen)]),
        ("D.2 tool_failed", "tool_failed", &none, vec![("tool.failed", seen)]),
        ("D.2 schema_error", "schema_error", &none, vec![("system.schema_error", seen)]),
        ("D.2 heartbeats are not stored", "heartbeat", &none, vec![]),
        (
            "A.2 an unknown type is shown generically",
            "agent_daydreamed",
            &none,
            vec![("schema.agent_daydreamed", seen)],
        ),
    ] {
        let lines = lines(kind, more.clone());
        let found: Vec<_> = lines
            .iter()
            .map(|line| (line["type"].as_str().unwrap(), line["data"]["eventRole"].as_str().unwrap()))
            .collect();
        assert_eq!(found, wanted, "{rule}");
        for line in lines {
            assert_eq!(line["data"]["origin"], "v1.1", "D data.origin");
            assert_eq!(line["data"]["sourceEventId"], "evt_1", "D data.sourceEventId");
        }
    }
}

#[test]
fn row_remarks_appear_in_line() {
    let sub = json!({"agent_id": "core/Explore-1", "payload": {"native_agent_id": "n1", "summary": "찾았어요"}});
    let start = one("agent_started", sub.clone());
    let data = &start["data"];
    assert_eq!(
        (&data["fromAgent"], &data["toAgent"], &data["status"]),
        (&json!("core~leader"), &json!("core~explore-1"), &json!("accepted")),
        "D.2 from the requester to the child"
    );
    assert_eq!(
        (&data["fromSessionType"], &data["toSessionType"], &data["depth"]),
        (&json!("main"), &json!("subagent"), &json!(0))
    );
    let stop = lines("agent_stopped", sub);
    let (answer, end) = (&stop[0]["data"], &stop[1]["data"]);
    assert_eq!((&answer["fromAgent"], &answer["toAgent"]), (&json!("core~explore-1"), &json!("core~leader")));
    assert_eq!(
        (&answer["turn"], &answer["maxTurns"], &answer["replyPreview"]),
        (&json!(1), &json!(1), &json!("찾았어요")),
        "D.2 turn 1/1"
    );
    assert!(answer.get("message").is_none());
    assert_eq!((&end["totalTurns"], &end["depth"]), (&json!(1), &json!(1)), "D.1 depth 1 is a subagent's");
    assert_eq!(answer["conversationId"], data["conversationId"], "D.1 one conversation for a child");
    assert_eq!(one("agent_acknowledged", json!({}))["data"]["outcome"], "acknowledged");
    assert_eq!(one("task_completed", json!({}))["data"]["status"], "completed");
    let failed = one("task_failed", json!({"payload": {"reason": "deleted"}}));
    assert_eq!((&failed["data"]["status"], &failed["data"]["reason"]), (&json!("failed"), &json!("deleted")));
    let blocked = one(
        "agent_blocked",
        json!({"task_id": "task_1", "payload": {"reason": "permission", "state": "pending_input"}}),
    );
    assert_eq!(
        (&blocked["data"]["unblockedBy"], &blocked["data"]["reason"]),
        (&json!(["human"]), &json!("permission"))
    );
    let current = one("agent_blocked", json!({"payload": {"current_task": "task_9"}}));
    assert_eq!((&current["type"], &current["data"]["taskId"]), (&json!("task.blocked"), &json!("task_9")));
    let tool = one(
        "tool_failed",
        json!({"payload": {"exit_code_known": false, "duration_ms": 12, "error_message": "아이고"}}),
    );
    let data = &tool["data"];
    assert_eq!(
        (&data["toolName"], &data["exitCode"], &data["exitCodeKnown"]),
        (&json!("Bash"), &json!(2), &json!(false))
    );
    assert_eq!(
        (&data["durationMs"], &data["error"], &data["severity"]),
        (&json!(12), &json!("아이고"), &json!("error")),
        "D.2 severity"
    );
    let wrong = one("schema_error", json!({"payload": {"rejected_id": "evt_0"}}));
    assert_eq!((&wrong["data"]["reason"], &wrong["data"]["rejectedId"]), (&json!("ts: format"), &json!("evt_0")));
    let created = one(
        "task_created",
        json!({"agent_id": "core/leader", "target_agent_id": "core/Worker-2", "payload": {"summary": "고치기"}}),
    );
    assert_eq!(
        (&created["data"]["assignee"], &created["data"]["isCrossAgent"], &created["data"]["label"]),
        (&json!("core~worker-2"), &json!(true), &json!("고치기"))
    );
}

#[test]
fn team_or_lone_session_is_one_work_session() {
    let session = |more: Value| one("task_started", more)["data"]["workSessionId"].as_str().unwrap().to_owned();
    let team = session(json!({}));
    assert_eq!(team, work_session_id("repo_task-hub", "core"), "D.1");
    assert_eq!(
        session(json!({"session_id": "sess_2", "run_id": "run_9"})),
        team,
        "D.1 neither session nor run divide a team"
    );
    let lone = json!({"agent_id": "task-hub/leader", "session_id": "sess_1"});
    assert_eq!(session(lone), work_session_id("repo_task-hub", "sess_1"), "D.1 a lone session");
    let named = json!({"agent_id": "task-hub/leader", "session_id": "sess_1", "payload": {"team_name": "task-hub"}});
    assert_eq!(session(named), work_session_id("repo_task-hub", "task-hub"), "D.1 a team named like its workspace");
    assert_ne!(session(json!({"workspace_id": "repo_other"})), team);
}

#[test]
fn a_conversation_is_a_pair_and_a_child() {
    let conversation = |one: &str, other: &str, child| conversation_id("ws_1", one, other, child);
    assert_eq!(conversation("core/a", "core/b", None), conversation("core/b", "core/A", None), "D.1 sorted pair");
    assert_ne!(conversation("core/a", "core/b", None), conversation("core/a", "core/c", None));
    assert_ne!(
        conversation("core/a", "core/b", Some("n1")),
        conversation("core/a", "core/b", Some("n2")),
        "D.1 and the child's native id"
    );
    assert_ne!(conversation("core/a", "core/b", None), conversation_id("ws_2", "core/a", "core/b", None));
}

#[test]
fn names_are_folded_originals_preserved() {
    assert_eq!(folded("Core/Worker-1"), "core~worker-1", "D.1");
    let line = one("agent_started", json!({"agent_id": "Core/Worker-1"}));
    assert_eq!((&line["agentId"], &line["data"]["agentName"]), (&json!("core~worker-1"), &json!("Core/Worker-1")));
    assert!(one("agent_started", json!({}))["data"].get("agentName").is_none());
}

#[test]
fn texts_are_cut_as_the_log_cuts_them() {
    let (message, summary) = ("가나😀".repeat(2_000), "다라😀".repeat(100));
    let line = one("meeting_requested", json!({"payload": {"message": message, "summary": summary}}));
    let units = |name: &str| line["data"][name].as_str().unwrap().encode_utf16().count();
    assert_eq!((units("message"), units("replyPreview")), (4_000, 200), "D.1");
    let title = one("manager_assign", json!({"payload": {"summary": "😀".repeat(60)}}));
    assert_eq!(title["data"]["label"].as_str().unwrap().encode_utf16().count(), 64, "D.1 label");
    let both = one("manager_assign", json!({"payload": {"summary": "요약", "label": "제목"}}));
    assert_eq!((&both["data"]["label"], &both["data"]["message"]), (&json!("제목"), &json!("요약")));
    let root = one("task_progress", json!({"payload": {"current_task": "task_0"}}));
    assert_eq!(root["data"]["rootTaskId"], "task_0", "D.1 the leader's current task");
}

#[test]
fn session_types_are_set_on_both_sides() {
    let talk = one("manager_assign", json!({"agent_id": "core/leader"}));
    assert_eq!((&talk["data"]["fromSessionType"], &talk["data"]["toSessionType"]), (&json!("main"), &json!("main")));
    let alone = one("tool_started", json!({"payload": {"native_agent_id": "n1"}}));
    assert_eq!(
        (&alone["data"]["fromSessionType"], &alone["data"]["toSessionType"]),
        (&json!("subagent"), &json!("unknown"))
    );
    let hint = one("tool_started", json!({"agent_id": "core/leader", "payload": {"agent_kind": "subagent"}}));
    assert_eq!(hint["data"]["fromSessionType"], "subagent", "a hint is stronger than a name");
}
