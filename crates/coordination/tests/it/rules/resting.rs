//! Tests of when a coding team, its agents and its tasks count as active or inactive, for example after a turn, a
//! subagent or the session ends (`contract/event-schema-v1_1.md`: hooks in §C.2, agent states in §C.5, session status
//! in §D.2).
//!
//! Proves (claude-code): A team, its agents and its tasks become inactive when they are idle, have failed or have
//! ended, but not while an agent works or waits for a person.

use coordination::api::{AgentState, AgentsQuery, AttentionKind, SessionsQuery, TasksQuery};
use coordination::hub::Hub;
use coordination::query;
use coordination::session::Status;
use serde_json::{Value, json};

use super::log::START_MS;
use super::teams::team;

/// A leader that begins and takes a task up.
fn begun() -> Vec<(i64, Value)> {
    let update = json!({"taskId": "1", "status": "in_progress"});
    vec![
        (0, json!({"hook_event_name": "SessionStart", "source": "startup"})),
        (10, json!({"hook_event_name": "TaskCreated", "task_id": "1", "task_subject": "고치기"})),
        (
            20,
            json!({"hook_event_name": "PostToolUse", "tool_name": "TaskUpdate", "tool_use_id": "u1",
            "tool_input": update, "tool_response": {"success": true}}),
        ),
    ]
}

fn team_hub(mut hooks: Vec<(i64, Value)>, more: Vec<(i64, Value)>) -> Hub {
    hooks.extend(more);
    team("repo", hooks)
}

fn attention(hub: &Hub, now: i64) -> Vec<AttentionKind> {
    query::home(hub, now).attention.into_iter().map(|line| line.kind).collect()
}

fn status(hub: &Hub, now: i64) -> Status {
    query::sessions(hub, now, &SessionsQuery::default()).unwrap().sessions[0].status_at(now)
}

fn permission(at: i64) -> (i64, Value) {
    (at, json!({"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "x"}}))
}

#[test]
fn c5_idle_agent_rests_task_is_not_stuck() {
    let idle = json!({"hook_event_name": "Notification", "notification_type": "idle_prompt", "message": "waiting"});
    let hub = team_hub(begun(), vec![(30, json!({"hook_event_name": "Stop"})), (60_000, idle)]);
    assert_eq!(attention(&hub, START_MS + 120_000), []);
    let agent = query::agents(&hub, START_MS + 120_000, &AgentsQuery::default()).agents.remove(0).agent;
    assert_eq!(agent.state, AgentState::Idle);
    // With a permission request the same task is listed as waiting, once.
    assert_eq!(attention(&team_hub(begun(), vec![permission(30)]), START_MS + 120_000), [AttentionKind::Permission]);
}

#[test]
fn c5_ended_agent_and_task_stop_waiting() {
    let end = |at| (at, json!({"hook_event_name": "SessionEnd", "reason": "other"}));
    let hub = team_hub(begun(), vec![permission(30), end(1_000)]);
    assert_eq!(attention(&hub, START_MS + 3_600_000), []);
    let resumed = (1_000, json!({"hook_event_name": "SessionStart", "source": "resume"}));
    assert_eq!(attention(&team_hub(begun(), vec![permission(30), resumed]), START_MS + 3_600_000), []);
    let child = |mut hook: Value| {
        (hook["agent_id"], hook["agent_type"]) = (json!("a1b2c3d4"), json!("Explore"));
        hook
    };
    let of_child = vec![
        (30, child(json!({"hook_event_name": "SubagentStart"}))),
        (40, child(permission(0).1)),
        (50, child(json!({"hook_event_name": "SubagentStop"}))),
    ];
    assert_eq!(attention(&team_hub(begun(), of_child), START_MS + 3_600_000), []);
}

#[test]
fn d2_only_leader_ends_session() {
    let child = |name: &str| json!({"hook_event_name": name, "agent_id": "a1b2c3d4", "agent_type": "Explore"});
    let end = |at| (at, json!({"hook_event_name": "SessionEnd", "reason": "other"}));
    let late = team_hub(begun(), vec![(30, child("SubagentStart")), end(100), (5_000, child("SubagentStop"))]);
    assert_eq!(status(&late, START_MS + 6_000), Status::Quiet, "the end of a helper is no work");
    let works = json!({"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_use_id": "t9", "tool_input": {},
        "agent_id": "a1b2c3d4", "agent_type": "Explore"});
    let on = team_hub(begun(), vec![(30, child("SubagentStart")), end(100), (5_000, works)]);
    assert_eq!(status(&on, START_MS + 6_000), Status::Active, "a helper that goes on works");
    let running = team_hub(begun(), vec![(30, child("SubagentStart")), (40, child("SubagentStop"))]);
    assert_eq!(status(&running, START_MS + 6_000), Status::Active);
}

#[test]
fn d2_session_is_active_while_waiting_for_person() {
    let done = json!({"hook_event_name": "PostToolUse", "tool_name": "TaskUpdate", "tool_use_id": "u2",
        "tool_input": {"taskId": "1", "status": "completed"}, "tool_response": {"success": true}});
    let over = team_hub(begun(), vec![(30, done.clone())]);
    assert_eq!(status(&over, START_MS + 900_000), Status::Quiet);
    let waits = team_hub(begun(), vec![(30, done), permission(40)]);
    assert_eq!(status(&waits, START_MS + 900_000), Status::Active);
}

#[test]
fn c5_resume_elsewhere_ends_the_wait() {
    let resumed = |at| (at, json!({"hook_event_name": "SessionStart", "source": "resume", "terminal": "term_2"}));
    let failed = json!({"hook_event_name": "StopFailure", "error": "overloaded"});
    for wait in [permission(30), (30, failed)] {
        assert_eq!(attention(&team_hub(begun(), vec![wait.clone()]), START_MS + 60_000).len(), 1);
        assert_eq!(attention(&team_hub(begun(), vec![wait, resumed(1_000)]), START_MS + 60_000), []);
    }
}

/// A teammate inside the leader's program, which has been given the task and has begun it.
fn mate() -> Vec<(i64, Value)> {
    let own = |mut hook: Value| {
        (hook["agent_id"], hook["agent_type"]) = (json!("a1b2c3d4"), json!("nara"));
        hook
    };
    let call = json!({"description": "고치기", "prompt": "p", "subagent_type": "general-purpose", "name": "nara", "team_name": "core"});
    let tool = |name: &str, id: &str, input: Value| {
        json!({"hook_event_name": "PostToolUse", "tool_name": name,
        "tool_use_id": id, "tool_input": input, "tool_response": {"success": true}})
    };
    vec![
        (0, json!({"hook_event_name": "SessionStart", "source": "startup"})),
        (10, json!({"hook_event_name": "TaskCreated", "task_id": "1", "task_subject": "고치기", "team_name": "core"})),
        (20, json!({"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_use_id": "t1", "tool_input": call})),
        (30, own(json!({"hook_event_name": "SubagentStart"}))),
        (40, tool("TaskUpdate", "t2", json!({"taskId": "1", "owner": "nara"}))),
        (50, own(tool("TaskUpdate", "t3", json!({"taskId": "1", "status": "in_progress"})))),
        (60, own(json!({"hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": {"command": "x"}}))),
    ]
}

#[test]
fn d2_assigned_task_wait_is_listed_once() {
    let hub = team("repo", mate());
    let tasks = query::tasks(&hub, START_MS + 100, &TasksQuery::default()).unwrap().tasks;
    let whose: Vec<_> = tasks.iter().map(|task| (task.agent_id.as_str(), task.title.as_str())).collect();
    assert_eq!(whose, [("core~nara", "고치기")]);
    let agents = query::agents(&hub, START_MS + 100, &AgentsQuery::default()).agents;
    let at: Vec<_> = agents.iter().map(|it| (it.agent.id.as_str(), it.agent.current_task.as_deref())).collect();
    assert_eq!(at, [("core~leader", None), ("core~nara", Some("고치기"))]);
    let lines = query::home(&hub, START_MS + 180_000).attention;
    let waits: Vec<_> = lines.iter().map(|line| (line.kind, line.agent.as_ref().unwrap().as_str())).collect();
    assert_eq!(waits, [(AttentionKind::Permission, "core~nara")]);
}

#[test]
fn c5_session_end_ends_its_agents() {
    let mut hooks = mate();
    hooks.push((1_000, json!({"hook_event_name": "SessionEnd", "reason": "other"})));
    let hub = team("repo", hooks);
    assert_eq!(attention(&hub, START_MS + 180_000), []);
    let agents = query::agents(&hub, START_MS + 2_000, &AgentsQuery::default()).agents;
    assert!(agents.iter().all(|agent| agent.agent.state == AgentState::Stopped), "{agents:?}");
    assert_eq!(status(&hub, START_MS + 2_000), Status::Quiet);
}

#[test]
fn c2_turn_end_updates_activity_without_event() {
    let hub = team_hub(begun(), vec![(300_000, json!({"hook_event_name": "Stop"}))]);
    let card = query::agents(&hub, START_MS + 310_000, &AgentsQuery::default()).agents.remove(0);
    assert_eq!((card.agent.last_time, card.agent.state_at), (Some(START_MS + 300_000), Some(START_MS + 300_000)));
    assert_eq!(card.evidence.and_then(|evidence| evidence.at), Some(START_MS + 20), "what the state rests on is older");
}

#[test]
fn d2_failed_agent_holds_no_session() {
    let done = json!({"hook_event_name": "TaskCompleted", "task_id": "1", "task_subject": "고치기"});
    let failed = json!({"hook_event_name": "StopFailure", "error": "overloaded"});
    let later = START_MS + 1_200_000;
    assert_eq!(status(&team_hub(begun(), vec![(1_000, done.clone()), (2_000, failed)]), later), Status::Quiet);
    assert_eq!(status(&team_hub(begun(), vec![(1_000, done), permission(2_000)]), later), Status::Active);
}
