//! Tests of hook events in the hub, alone and with events of the log: agent states (`contract/event-schema-v1_1.md`
//! §C.5), and the types and roles of events (§D.2). A hook event that arrives again with other content replaces the
//! first in every query. The order of arrival changes nothing.
//!
//! Proves (claude-code): Hook events give the same pages in any order and any batches, before or after the log.

use coordination::api::{AgentState, AttentionKind, EventsQuery, Origin, SessionsQuery};
use coordination::burst::{Sameness, bursts, summary};
use coordination::delivery::DeliveryState;
use coordination::hub::Hub;
use coordination::query;
use coordination::schema::hook::Capture;
use coordination::schema::{
    AgentsChanged, Changed, Defaults, EventProducer, EventTimeline, Ledger, SchemaEvent, check, read_item,
};
use coordination::session::Status;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::log::{START_MS, hub as logged, send};

/// An event of the team `core`, some milliseconds after [`START_MS`].
fn event(id: &str, after: i64, kind: &str, agent: &str, more: &Value) -> SchemaEvent {
    let mut value = json!({
        "id": id, "version": "1.1", "ts": coordination::time::to_iso(START_MS + after), "type": kind, "source": "hook",
        "workspace_id": "repo_hub", "terminal_session_id": "term_1", "session_id": "sess_1", "agent_id": agent,
        "target_agent_id": null, "task_id": null, "payload": {},
    });
    for (name, field) in more.as_object().unwrap() {
        value[name] = field.clone();
    }
    let defaults =
        Defaults { workspace_id: "repo", terminal_session_id: "term", locale: "ko-KR", arrived_at: START_MS };
    check(&value, &defaults).unwrap()
}

fn tool(id: &str, after: i64, kind: &str, more: &Value) -> SchemaEvent {
    let mut payload = json!({"tool_name": "Bash"});
    for (name, field) in more.as_object().unwrap() {
        payload[name] = field.clone();
    }
    event(id, after, kind, "core/leader", &json!({"payload": payload}))
}

/// A leader with a task who gives a teammate work, uses a tool in vain and waits for a permission.
fn story() -> Vec<SchemaEvent> {
    vec![
        event("e1", 0, "agent_started", "core/leader", &json!({})),
        event(
            "e2",
            10,
            "task_created",
            "core/leader",
            &json!({"task_id": "task_101", "payload": {"label": "불안정한 테스트 수정"}}),
        ),
        event("e3", 20, "task_started", "core/leader", &json!({"task_id": "task_101"})),
        event(
            "e4",
            30,
            "manager_assign",
            "core/leader",
            &json!({"target_agent_id": "core/worker-1", "task_id": "task_101", "payload": {"summary": "불안정한 테스트를 고쳐 주세요"}}),
        ),
        event(
            "e5",
            40,
            "agent_acknowledged",
            "core/worker-1",
            &json!({"target_agent_id": "core/leader", "task_id": "task_101", "payload": {"summary": "시작합니다"}}),
        ),
        tool("e6", 50, "tool_started", &json!({})),
        tool("e7", 60, "tool_failed", &json!({"exit_code": 1, "exit_code_known": false, "error_message": "실패"})),
        tool("e8", 70, "tool_started", &json!({})),
        event(
            "e9",
            80,
            "agent_blocked",
            "core/leader",
            &json!({"task_id": "task_101", "payload": {"state": "pending_input", "reason": "permission", "tool_name": "Bash"}}),
        ),
    ]
}

fn apply_events(hub: &mut Hub, book: &mut EventTimeline, events: Vec<SchemaEvent>) {
    let changed = book.put(events, EventProducer::Hooks);
    hub.apply_agent_events(&changed, book.agents().cloned().collect());
}

fn hooked(events: Vec<SchemaEvent>) -> (Hub, EventTimeline) {
    let (mut hub, mut book) = (Hub::new(), EventTimeline::default());
    apply_events(&mut hub, &mut book, events);
    (hub, book)
}

#[test]
fn team_session_shows_origin_hooks() {
    let (mut hub, mut book) = (logged(&[send(0, r#""message":"배포 부탁드립니다""#)]), EventTimeline::default());
    apply_events(&mut hub, &mut book, story());
    let sessions =
        query::sessions(&hub, START_MS + 100, &coordination::api::SessionsQuery::default()).unwrap().sessions;
    assert_eq!(sessions.len(), 2);
    let card = sessions.iter().find(|card| card.origin() == Origin::Hooks).unwrap();
    assert!(card.work_session_id.as_str().starts_with("ws_cc_"));
    assert_eq!((card.hook_events, card.event_count, card.transcript_only_events), (9, 9, 0));
    assert_eq!((card.message_count, card.thread_count, card.status), (2, 1, Status::Active), "assignment and answer");
    let rows = query::events(&hub, START_MS + 100, &EventsQuery::default()).unwrap().events;
    assert_eq!(rows.iter().filter(|row| row.origin == Origin::Hooks).count(), 9);
    let failed = rows.iter().find(|row| row.event_type == "tool.failed").unwrap();
    assert!(failed.text.contains("실패"), "its line contains the reason: {:?}", failed.text);
    let failed = failed.tool.clone().unwrap();
    assert_eq!((failed.name.as_str(), failed.exit_code, failed.inferred), ("Bash", Some(1), true));
}

#[test]
fn permission_wait_is_listed_once() {
    let (mut hub, mut book) = hooked(story());
    let home = query::home(&hub, START_MS + 180_080);
    let waits: Vec<_> = home.attention.iter().map(|line| (line.kind, line.since, line.detail.as_str())).collect();
    assert_eq!(waits, [(AttentionKind::Permission, START_MS + 80, "Bash")], "and not once more as a blocked task");
    let card = query::sessions(&hub, START_MS, &SessionsQuery::default()).unwrap().sessions.remove(0);
    assert_eq!(home.attention[0].session_id.as_ref(), Some(&card.work_session_id), "it opens the team's session");
    let leader = home.agents.iter().find(|agent| agent.id.as_str() == "core~leader").unwrap();
    assert_eq!(
        (leader.name.as_str(), leader.state, leader.origin),
        ("core/leader", AgentState::PendingInput, Origin::Hooks)
    );
    assert!(leader.main);
    apply_events(
        &mut hub,
        &mut book,
        vec![event("f1", 90, "agent_unblocked", "core/leader", &json!({"task_id": "task_101"}))],
    );
    let home = query::home(&hub, START_MS + 180_080);
    assert!(home.attention.is_empty(), "{:?}", home.attention);
    // The end of a turn waits for the next prompt: nobody is needed.
    let idle = json!({"payload": {"state": "pending_input", "reason": "idle"}});
    apply_events(&mut hub, &mut book, vec![event("f2", 100, "agent_blocked", "core/leader", &idle)]);
    let home = query::home(&hub, START_MS + 180_080);
    assert!(home.attention.is_empty(), "{:?}", home.attention);
    let failed = json!({"payload": {"state": "failed", "reason": "rate_limit"}});
    apply_events(&mut hub, &mut book, vec![event("f3", 110, "agent_blocked", "core/leader", &failed)]);
    let home = query::home(&hub, START_MS + 180_080);
    assert_eq!(home.attention.iter().map(|line| line.kind).collect::<Vec<_>>(), [AttentionKind::AgentFailed]);
}

#[test]
fn team_messages_are_one_thread_without_waits() {
    let message = |id: &str, after: i64, kind: &str, from: &str, to: &str, more: &Value| {
        let mut payload = json!({"message": format!("{id} 내용"), "participants": [from, to]});
        for (name, field) in more.as_object().unwrap() {
            payload[name] = field.clone();
        }
        event(id, after, kind, from, &json!({"target_agent_id": to, "task_id": "task_101", "payload": payload}))
    };
    let (one, other) = ("core/leader", "core/worker-1");
    let (hub, _) = hooked(vec![
        message("m1", 0, "meeting_requested", other, one, &json!({})),
        message("m2", 1_000, "task_progress", one, other, &json!({"answers": true})),
        message("m3", 2_000, "task_progress", one, other, &json!({})),
    ]);
    let late = START_MS + 3_600_000;
    let card = query::sessions(&hub, late, &coordination::api::SessionsQuery::default()).unwrap().sessions.remove(0);
    assert_eq!((card.message_count, card.thread_count, card.attention), (3, 1, None));
    assert!(query::home(&hub, late).attention.is_empty(), "silence is no trouble where nobody waits");
    let thread = card.talks[0].thread_id.clone();
    let page =
        query::thread_page(&hub, late, &card.work_session_id, &thread, &coordination::api::ThreadQuery::default());
    let page = page.unwrap().unwrap();
    let states: Vec<_> = page.exchanges.iter().map(|exchange| exchange.state_at(late)).collect();
    assert_eq!(states, [DeliveryState::Answered, DeliveryState::NoAnswerRequested], "{:?}", page.messages);
}

#[test]
fn nested_subagent_is_a_child_delegation() {
    let hook = |after: i64, name: &str, more: &Value| {
        let mut payload = json!({"session_id": "s1", "cwd": "/home/kim/hub", "hook_event_name": name});
        for (name, field) in more.as_object().unwrap() {
            payload[name] = field.clone();
        }
        let at = coordination::time::to_iso(START_MS + after);
        read_item(&json!({"received_at": at, "payload": payload}), START_MS + after, Capture::Summary).unwrap()
    };
    let call = |id: &str, what: &str| json!({"tool_name": "Agent", "tool_use_id": id, "tool_input": {"description": what, "subagent_type": "Explore"}});
    let by = |mut more: Value, agent: &str| {
        more["agent_id"] = json!(agent);
        more["agent_type"] = json!("Explore");
        more
    };
    let (outer, inner) = ("a1b2c3d4e5f60001", "b1b2c3d4e5f60002");
    let mut ledger = Ledger::default();
    let changed = ledger.take(vec![
        hook(0, "SessionStart", &json!({"source": "startup"})),
        hook(1_000, "PreToolUse", &call("toolu_1", "바깥 일")),
        hook(2_000, "SubagentStart", &by(json!({}), outer)),
        hook(3_000, "PreToolUse", &by(call("toolu_2", "안쪽 일"), outer)),
        hook(4_000, "SubagentStart", &by(json!({}), inner)),
        hook(5_000, "SubagentStop", &by(json!({"last_assistant_message": "안쪽 끝"}), inner)),
        hook(6_000, "SubagentStop", &by(json!({"last_assistant_message": "바깥 끝"}), outer)),
    ]);
    let mut hub = Hub::new();
    hub.apply_agent_events(&changed, ledger.timeline().agents().cloned().collect());
    let found =
        query::all_delegations(&hub, START_MS + 7_000, &coordination::api::DelegationsQuery::default()).unwrap();
    let seen: Vec<_> = found.rows.iter().map(|row| (row.label.as_deref().unwrap_or_default(), row.state)).collect();
    let done = coordination::api::DelegationState::Succeeded;
    let finished = coordination::api::DelegationState::Finished;
    assert_eq!(seen.len(), 2, "{seen:?}");
    assert!(seen.iter().all(|(_, state)| [done, finished].contains(state)), "{seen:?}");
    assert_eq!(
        seen.iter().map(|(label, _)| *label).collect::<std::collections::BTreeSet<_>>(),
        ["바깥 일", "안쪽 일"].into()
    );
}

#[test]
fn task_title_from_hooks_call_assigns_nothing() {
    let by_call = json!({"target_agent_id": "core/worker-1", "task_id": "toolu_1", "payload": {"summary": "봐 주세요", "tool_use_id": "toolu_1"}});
    let mut all = story();
    all.push(event("h1", 100, "manager_assign", "core/leader", &by_call));
    let (hub, _) = hooked(all);
    let tasks = query::tasks(&hub, START_MS + 200, &coordination::api::TasksQuery::default()).unwrap().tasks;
    let seen: Vec<_> = tasks.iter().map(|task| (task.id.as_str(), task.title.as_str())).collect();
    assert_eq!(seen, [("task_101", "불안정한 테스트 수정")]);
    let card =
        query::sessions(&hub, START_MS + 200, &coordination::api::SessionsQuery::default()).unwrap().sessions.remove(0);
    assert_eq!(card.task_count, 1);
    let line = &query::home(&hub, START_MS + 200).attention[0];
    assert_eq!((line.kind, line.title.as_str()), (AttentionKind::Permission, "불안정한 테스트 수정"));
}

#[test]
fn hook_session_is_quiet_after_end_or_idle() {
    let status = |events: Vec<SchemaEvent>, now: i64| {
        let (hub, _) = hooked(events);
        let page = query::sessions(&hub, now, &coordination::api::SessionsQuery::default()).unwrap();
        let card = page.sessions[0].clone();
        assert_eq!(card.status, card.status_at(now), "a tab decides the same");
        card.status
    };
    let done = |id: &str, after| event(id, after, "task_completed", "core/leader", &json!({"task_id": "task_101"}));
    let mut over = story();
    over.push(event("g0", 900, "agent_unblocked", "core/leader", &json!({"task_id": "task_101"})));
    over.push(done("g1", 1_000));
    assert_eq!(status(over.clone(), START_MS + 600_999), Status::Active, "its task is over, and it may go on");
    assert_eq!(status(over.clone(), START_MS + 601_000), Status::Quiet);
    over.push(tool("g2", 500_000, "tool_started", &json!({})));
    assert_eq!(status(over, START_MS + 1_000_000), Status::Active, "a tool was used since");
    let mut ended = story();
    ended.push(event("g1", 1_000, "agent_stopped", "core/leader", &json!({"payload": {"reason": "logout"}})));
    assert_eq!(status(ended.clone(), START_MS + 1_001), Status::Quiet);
    let mut other = story();
    other.push(event("g1", 1_000, "agent_stopped", "core/worker-1", &json!({})));
    assert_eq!(status(other, START_MS + 1_001), Status::Active, "a teammate's end is not the team's");
    ended.push(event("g2", 2_000, "agent_started", "core/leader", &json!({})));
    assert_eq!(status(ended, START_MS + 2_001), Status::Active, "it began again");
    assert_eq!(status(story(), START_MS + 80 + 86_400_001), Status::Archived);
}

#[test]
fn tool_calls_are_one_line_failures_separate() {
    let mut events: Vec<SchemaEvent> = Vec::new();
    for number in 0..6 {
        let id = format!("{number:02}");
        events.push(tool(&format!("a{id}"), number * 1_000, "tool_started", &json!({})));
        events.push(tool(&format!("b{id}"), number * 1_000 + 500, "tool_succeeded", &json!({"duration_ms": 500})));
    }
    let (hub, _) = hooked(events.clone());
    let rows = query::events(&hub, START_MS, &EventsQuery::default()).unwrap().events;
    let all = bursts(&rows, |at| at / 86_400_000);
    assert_eq!(all.iter().map(|burst| (burst.rows.len(), burst.of)).collect::<Vec<_>>(), [(12, Some(Sameness::Tools))]);
    assert_eq!(summary(&rows).tools, [("Bash".to_owned(), 6)]);
    events[11] = tool("b05", 5_500, "tool_failed", &json!({"exit_code": 2, "error_message": "x"}));
    let (hub, _) = hooked(events);
    let rows = query::events(&hub, START_MS, &EventsQuery::default()).unwrap().events;
    let all = bursts(&rows, |at| at / 86_400_000);
    assert_eq!(all.iter().map(|burst| burst.rows.len()).collect::<Vec<_>>(), [1, 11]);
}

#[test]
fn terminal_activity_ends_only_own_wait() {
    let at = |terminal: &str, session: &str, mut event: SchemaEvent| {
        event.id = format!("{}-{terminal}", event.id);
        (event.terminal_session_id, event.session_id) = (terminal.to_owned(), Some(session.to_owned()));
        event.workspace_id = "repo_core".to_owned();
        event
    };
    let asks = |id: &str, ts: i64| {
        let payload = json!({"payload": {"state": "pending_input", "reason": "permission", "tool_name": "Bash"}});
        event(id, ts, "agent_blocked", "core/leader", &payload)
    };
    let works = |id: &str, ts: i64| tool(id, ts, "tool_started", &json!({}));
    let (mut hub, mut book) = hooked(vec![at("one", "sess_1", asks("e1", 10)), at("two", "sess_2", works("e2", 20))]);
    let waits = |hub: &Hub| -> Vec<(AttentionKind, i64, String)> {
        let home = query::home(hub, START_MS + 1_000);
        let brief =
            |line: coordination::api::Attention| (line.kind, line.since - START_MS, line.event_id.unwrap().to_string());
        home.attention.into_iter().map(brief).collect()
    };
    let one = (AttentionKind::Permission, 10, "0.hooks.e1-one-0".to_owned());
    assert_eq!(waits(&hub), std::slice::from_ref(&one), "it still waits, and its own event says so");
    let state = |hub: &Hub| {
        let page = query::agents(hub, START_MS + 1_000, &coordination::api::AgentsQuery::default());
        let leader = page.agents.into_iter().find(|agent| agent.agent.id.as_str() == "core~leader").unwrap();
        leader.agent.state
    };
    assert_eq!(state(&hub), AgentState::PendingInput);
    // Both wait: two lines. One continues: its line is removed.
    apply_events(&mut hub, &mut book, vec![at("two", "sess_2", asks("e3", 30))]);
    let mut both = waits(&hub);
    both.sort_by_key(|line| line.1);
    assert_eq!(both, [one, (AttentionKind::Permission, 30, "0.hooks.e3-two-0".to_owned())]);
    let unblocked = event("e4", 40, "agent_unblocked", "core/leader", &json!({}));
    apply_events(&mut hub, &mut book, vec![at("one", "sess_1", unblocked)]);
    assert_eq!(waits(&hub).iter().map(|line| line.1).collect::<Vec<_>>(), [30]);
    // A day later nobody sits there any more.
    let much_later = works("e5", 86_400_031);
    apply_events(&mut hub, &mut book, vec![at("one", "sess_1", much_later)]);
    assert_eq!(state(&hub), AgentState::Working);
}

#[test]
fn finished_helpers_are_listed_for_a_day() {
    let helper = |id: &str, ts: i64, kind: &str| {
        let payload = json!({"payload": {"agent_kind": "subagent"}, "target_agent_id": "core/leader"});
        event(id, ts, kind, "core/Explore-a1b2c3", &payload)
    };
    let mut all = story();
    all.extend([helper("h1", 90, "agent_started"), helper("h2", 100, "agent_stopped")]);
    let (hub, _) = hooked(all);
    let day = coordination::session::ARCHIVE_AFTER_MS;
    for (now, listed) in [(START_MS + 200, true), (START_MS + 100 + day, true), (START_MS + 101 + day, false)] {
        let home = query::home(&hub, now);
        let found = home.agents.iter().find(|agent| agent.id.as_str() == "core~explore-a1b2c3");
        assert_eq!(found.is_some(), listed);
        assert!(found.is_none_or(coordination::api::AgentSummary::is_done_helper), "home's list leaves it out at once");
        let page = query::agents(&hub, now, &coordination::api::AgentsQuery::default());
        assert_eq!(page.agents.len(), home.agents.len());
        assert!(page.agents.iter().any(|card| card.agent.id.as_str() == "core~leader"), "leaders stay");
    }
}

#[test]
fn changed_event_is_replaced_everywhere() {
    let (mut hub, mut book) = hooked(story());
    let mut renamed = story().swap_remove(1);
    renamed.payload.insert("label".to_owned(), json!("다른 제목"));
    apply_events(&mut hub, &mut book, vec![renamed.clone()]);
    let (fresh, _) = hooked({
        let mut all = story();
        all[1] = renamed;
        all
    });
    assert_eq!(seen(&hub), seen(&fresh));
    // Taken away, its task is known by what is left.
    let changed = book.remove(&["e2".to_owned()]);
    hub.apply_agent_events(&changed, book.agents().cloned().collect());
    let (fresh, _) = hooked(story().into_iter().filter(|event| event.id != "e2").collect());
    assert_eq!(seen(&hub), seen(&fresh));
    let all = Changed { removed: story().into_iter().map(|event| event.id).collect(), ..Changed::default() };
    let no_agents = book.agents().map(|agent| (agent.agent_id.clone(), Vec::new())).collect();
    hub.apply_agent_events(&all, AgentsChanged(no_agents));
    assert_eq!(seen(&hub), seen(&Hub::new()));
}

/// Everything that pages are made of.
fn seen(hub: &Hub) -> Value {
    let now = START_MS + 200;
    let mut out = json!({
        "home": query::home(hub, now),
        "sessions": query::sessions(hub, now, &coordination::api::SessionsQuery::default()).unwrap(),
        "events": query::events(hub, now, &EventsQuery::default()).unwrap(),
        "tasks": query::tasks(hub, now, &coordination::api::TasksQuery::default()).unwrap(),
        "agents": query::agents(hub, now, &coordination::api::AgentsQuery::default()),
    });
    // How many changes led here is no part of it.
    for page in out.as_object_mut().unwrap().values_mut() {
        page.as_object_mut().unwrap().remove("cursor");
    }
    out
}

proptest! {
    /// However the events come, in whatever batches, before or after the log: the pages are the same.
    #[test]
    fn hook_order_is_irrelevant(
        order in Just((0..story().len()).collect::<Vec<_>>()).prop_shuffle(),
        repeated in prop::collection::vec(0_usize..9, 0..5),
        cut in 1_usize..5,
        log_first: bool,
    ) {
        let log = send(5, r#""message":"배포 부탁드립니다""#);
        let (mut hub, mut book) = (logged(if log_first { std::slice::from_ref(&log) } else { &[] }), EventTimeline::default());
        let all: Vec<SchemaEvent> = order.into_iter().chain(repeated).map(|at| story().swap_remove(at)).collect();
        for batch in all.chunks(cut) {
            apply_events(&mut hub, &mut book, batch.to_vec());
        }
        if !log_first {
            let text = format!("{log}\n");
            hub.apply(coordination::event::parse_lines(text.as_bytes(), "f", 0).0);
        }
        let (mut fresh, mut book) = (logged(std::slice::from_ref(&log)), EventTimeline::default());
        apply_events(&mut fresh, &mut book, story());
        prop_assert_eq!(seen(&hub), seen(&fresh));
    }
}
