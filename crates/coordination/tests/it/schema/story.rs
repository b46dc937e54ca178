//! Tests of a Claude Code team's events in the hub. Messages between leader and teammates become messages of threads.
//! Each subagent's work is a delegated run of its own, also when one prompt starts several subagents.
//!
//! Proves (claude-code): Messages of leader and teammates are messages in the hub, and subagents are delegated runs.

use coordination::api::{DelegationState, DelegationsQuery, ThreadQuery};
use coordination::delivery::DeliveryState;
use coordination::event::event_from_value;
use coordination::hub::Hub;
use coordination::ids::{EventId, SessionId};
use coordination::query;
use coordination::schema::{SchemaEvent, to_coordination, work_session_id};
use serde_json::{Value, json};

use super::{START, event};

fn hub(events: &[SchemaEvent]) -> Hub {
    let mut hub = Hub::new();
    for event in events {
        let lines = to_coordination(event).into_iter().enumerate();
        let id = |number: usize| EventId::from(format!("0.team.{}-{number}", event.id).as_str());
        hub.apply(lines.map(|(number, line)| event_from_value(&line, &id(number)).unwrap()).collect());
    }
    hub
}

fn session() -> SessionId {
    SessionId::from(work_session_id("repo_task-hub", "core").as_str())
}

fn of_leader(id: &str, at: i64, kind: &str, mut more: Value) -> SchemaEvent {
    more["agent_id"] = json!("core/leader");
    more["run_id"] = json!("prompt_1");
    event(id, at, kind, more)
}

fn of_child(id: &str, at: i64, kind: &str, number: u8, more: Value) -> SchemaEvent {
    let mut payload = json!({"native_agent_id": format!("n{number}"), "agent_kind": "subagent"});
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let task = format!("toolu_{number}");
    let body = json!({
        "agent_id": format!("core/Explore-{number}"), "target_agent_id": "core/leader", "task_id": task,
        "run_id": "prompt_1", "payload": payload,
    });
    event(id, at, kind, body)
}

fn given(number: u8, at: i64) -> SchemaEvent {
    let payload = json!({
        "summary": format!("조사 {number}"), "native_agent_id": format!("n{number}"), "target_kind": "subagent",
    });
    let more = json!({
        "target_agent_id": format!("core/Explore-{number}"), "task_id": format!("toolu_{number}"), "payload": payload,
    });
    of_leader(&format!("a{number}"), at, "manager_assign", more)
}

#[test]
fn children_of_one_prompt_are_separate_runs() {
    let mut events = vec![given(1, 0), given(2, 10)];
    for number in [1, 2] {
        let at = i64::from(number) * 100;
        events.push(of_child(&format!("b{number}"), at, "agent_started", number, json!({})));
        events.push(of_child(&format!("c{number}"), at + 1, "agent_acknowledged", number, json!({})));
    }
    let runs =
        |hub: &Hub| query::delegations(hub, START + 900, &session(), &DelegationsQuery::default()).unwrap().unwrap();
    let open = runs(&hub(&events));
    let states: Vec<_> = open.rows.iter().map(|row| (row.to.as_str().to_owned(), row.state)).collect();
    let running = |name: &str| (name.to_owned(), DelegationState::Running);
    assert_eq!(
        states,
        [running("core~explore-1"), running("core~explore-2")],
        "D.2 who took the work has not ended it"
    );
    // The first one ends first, although both run for the same prompt.
    events.push(of_child("d1", 400, "agent_stopped", 1, json!({"summary": "첫째 결과"})));
    let half = runs(&hub(&events));
    let results: Vec<_> = half.rows.iter().map(|row| (row.state, row.result.as_deref())).collect();
    assert_eq!(results, [(DelegationState::Succeeded, Some("첫째 결과")), (DelegationState::Running, None)]);
    assert!(half.rows.iter().all(|row| !row.orphan && row.label.is_some()));
    events.push(of_child("d2", 500, "agent_stopped", 2, json!({})));
    let done = runs(&hub(&events));
    assert_eq!(done.rows[1].state, DelegationState::Finished, "a child that ended without a word");
    assert!(done.rows.iter().all(|row| row.from.as_ref().is_some_and(|from| from.as_str() == "core~leader")));
}

#[test]
fn accepting_task_is_not_an_answer() {
    let assign = json!({"target_agent_id": "core/worker-1", "task_id": "task_101", "payload": {"summary": "고치기"}});
    let taken = json!({"target_agent_id": "core/leader", "task_id": "task_101"});
    let answer = json!({"target_agent_id": "core/leader", "task_id": "task_101", "payload": {"message": "고쳤습니다", "answers": true}});
    let events = [
        of_leader("a", 0, "manager_assign", assign),
        event("b", 1_000, "agent_acknowledged", taken),
        event("c", 1_500, "task_progress", answer),
    ];
    let states = |events: &[SchemaEvent]| {
        let hub = hub(events);
        let detail = query::session(&hub, START + 2_000, &session()).unwrap();
        assert_eq!(detail.threads.len(), 1, "talk of main agents");
        let thread = &detail.threads[0].thread_id;
        let page = query::thread_page(&hub, START + 2_000, &session(), thread, &ThreadQuery::default());
        page.unwrap().unwrap().exchanges.iter().map(|exchange| exchange.state).collect::<Vec<_>>()
    };
    assert_eq!(states(&events[..1]), [DeliveryState::Waiting]);
    assert_eq!(states(&events[..2]), [DeliveryState::Acknowledged], "D.2 agent_acknowledged");
    assert_eq!(states(&events), [DeliveryState::Answered]);
}

#[test]
fn roles_match_the_story() {
    let events = [
        given(1, 0),
        of_leader("t", 1, "task_created", json!({"task_id": "task_1", "payload": {"summary": "할 일"}})),
        of_leader("u", 2, "tool_started", json!({"payload": {"tool_name": "Bash"}})),
        of_leader(
            "m",
            3,
            "meeting_requested",
            json!({"target_agent_id": "core/worker-1", "payload": {"message": "잠깐", "participants": ["core/leader", "core/worker-1"]}}),
        ),
    ];
    let detail = query::session(&hub(&events), START + 10, &session()).unwrap();
    let counts = detail.role_counts;
    let counts =
        [counts.conversation_main, counts.delegation_subagent, counts.orchestration_task, counts.system_observability];
    assert_eq!(counts, [1, 1, 1, 1]);
}
