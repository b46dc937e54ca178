//! Tests of agent states with their evidence, and of answer times between pairs of agents.
//!
//! Proves (work): An agent's state names its evidence, and work without an event for an hour is silent. The answer
//! times of a pair cover the answers in the requested period.

use coordination::api::{AgentCard, AgentState, AgentsPage, AgentsQuery, EvidenceKind, STALE_AFTER_MS, TasksQuery};
use coordination::hub::Hub;
use coordination::query;
use coordination::workspace::{AgentWorkspace, Plan, Task, TaskStatus, Workspace, parse_plan};

use super::log::{START_MS, hub, line, send, talk};

fn task(id: &str, status: TaskStatus) -> Task {
    Task { id: id.into(), status, description: "결제 점검".to_owned(), ..Task::default() }
}

fn with_folder(hub: &mut Hub, tasks: Vec<Task>, plans: Vec<Plan>) {
    let agent = AgentWorkspace { agent_id: "eden".into(), tasks, plans, ..AgentWorkspace::default() };
    hub.set_workspace(Workspace { agents: vec![agent] });
}

fn page(hub: &Hub, after: i64) -> AgentsPage {
    query::agents(hub, START_MS + after, &AgentsQuery::default())
}

fn card(hub: &Hub, after: i64, id: &str) -> AgentCard {
    page(hub, after).agents.into_iter().find(|card| card.agent.id.as_str() == id).unwrap()
}

#[test]
fn a3_work_without_events_for_hour_is_silent() {
    let mut hub = hub(&[line("task.started", "eden", START_MS, r#""taskId":"task_a1""#)]);
    with_folder(&mut hub, vec![task("task_a1", TaskStatus::InProgress)], Vec::new());
    for (after, silent) in [(0, false), (STALE_AFTER_MS, false), (STALE_AFTER_MS + 1, true)] {
        let card = card(&hub, after, "eden");
        let state = if silent { AgentState::Silent } else { AgentState::Working };
        assert_eq!((card.agent.state, card.agent.state_at), (state, Some(START_MS)), "{after}");
        let task = query::tasks(&hub, START_MS + after, &TasksQuery::default()).unwrap().tasks.remove(0);
        assert_eq!(task.is_stale(START_MS + after), silent, "the task's row says the same");
        let home = query::home(&hub, START_MS + after).agents.into_iter().find(|agent| agent.id.as_str() == "eden");
        assert_eq!(home, Some(card.agent), "home says the same");
    }
    // A client that shows an earlier answer computes the same by its own clock.
    let before = card(&hub, 0, "eden").agent;
    assert_eq!(before.state_by(START_MS + STALE_AFTER_MS), AgentState::Working);
    assert_eq!(before.state_by(START_MS + STALE_AFTER_MS + 1), AgentState::Silent);
    // A sign of the agent, though not of the task, is a sign of its work; the age shown is of the event that is named.
    let started = line("task.started", "eden", START_MS, r#""taskId":"task_a1""#);
    let mut with_send = super::log::hub(&[started, send(STALE_AFTER_MS, "")]);
    with_folder(&mut with_send, vec![task("task_a1", TaskStatus::InProgress)], Vec::new());
    let card = card(&with_send, STALE_AFTER_MS + 1, "eden");
    assert_eq!(card.agent.state, AgentState::Working);
    assert_eq!((card.agent.state_at, card.agent.acted_at), (Some(START_MS), Some(START_MS + STALE_AFTER_MS)));
    assert_eq!(card.evidence.map(|evidence| evidence.source).as_deref(), Some("task.started"));
}

/// The first operator's log: a task begun days ago, another begun just now and blocked two minutes later.
#[test]
fn a3_current_task_is_newest_blocked_are_counted() {
    const DAY: i64 = 86_400_000;
    let started = |task: &str, at: i64| line("task.started", "eden", at, &format!(r#""taskId":"{task}""#));
    let mut lines = vec![started("task_a1", START_MS), started("task_b2", START_MS + 10 * DAY)];
    let mut hub = super::log::hub(&lines);
    let both = |second| vec![task("task_a1", TaskStatus::InProgress), task("task_b2", second)];
    with_folder(&mut hub, both(TaskStatus::InProgress), Vec::new());
    let now = 10 * DAY + 60_000;
    let at = |hub: &Hub| card(hub, now, "eden");
    assert_eq!(at(&hub).agent.current_task_id, Some("task_b2".into()));
    assert_eq!(at(&hub).agent.state_at, Some(START_MS + 10 * DAY));
    lines.push(line("task.blocked", "eden", START_MS + 10 * DAY + 9, r#""taskId":"task_b2","reason":"권한""#));
    let mut hub = super::log::hub(&lines);
    with_folder(&mut hub, both(TaskStatus::Blocked), Vec::new());
    assert_eq!((at(&hub).agent.state, at(&hub).agent.blocked_tasks), (AgentState::Blocked, 1));
    // Back at the other one: it works, and the blocked one is counted beside it.
    lines.push(line("task.resumed", "eden", START_MS + 10 * DAY + 99, r#""taskId":"task_a1""#));
    let mut hub = super::log::hub(&lines);
    with_folder(&mut hub, both(TaskStatus::Blocked), Vec::new());
    assert_eq!(at(&hub).agent.current_task_id, Some("task_a1".into()));
    assert_eq!((at(&hub).agent.state, at(&hub).agent.blocked_tasks), (AgentState::Working, 1));
}

/// A task begun more than a day ago is no evidence of work; what the agent did since is, and is named.
#[test]
fn a3_day_old_evidence_is_not_work() {
    const DAY: i64 = 86_400_000;
    let started = line("task.started", "eden", START_MS, r#""taskId":"task_a1""#);
    let folder = || vec![task("task_a1", TaskStatus::InProgress)];
    let mut quiet = hub(std::slice::from_ref(&started));
    with_folder(&mut quiet, folder(), Vec::new());
    assert_eq!(card(&quiet, DAY + 1, "eden").agent.state, AgentState::Silent);
    let mut spoke = hub(&[started, send(DAY, "")]);
    with_folder(&mut spoke, folder(), Vec::new());
    let card = card(&spoke, DAY + 1, "eden");
    let evidence = card.evidence.unwrap();
    assert_eq!((card.agent.state, card.agent.state_at), (AgentState::Working, Some(START_MS + DAY)));
    assert_eq!((evidence.kind, evidence.source.as_str()), (EvidenceKind::Event, "a2a.send"));
}

#[test]
fn a_state_names_what_it_rests_on() {
    let blocked = r#""taskId":"task_a1","reason":"권한","unblockedBy":["seum"]"#;
    let mut hub = hub(&[line("task.blocked", "eden", START_MS, blocked), send(9, "")]);
    with_folder(&mut hub, vec![task("task_a1", TaskStatus::Blocked)], Vec::new());
    let stuck = card(&hub, 60_000, "eden");
    let evidence = stuck.evidence.unwrap();
    assert_eq!((stuck.agent.state, evidence.kind), (AgentState::Blocked, EvidenceKind::Task));
    assert_eq!((evidence.source.as_str(), evidence.at), ("task.blocked", Some(START_MS)));
    assert!(evidence.event_id.is_some() && evidence.task_id.is_some());
    // By the file alone there is no event to name.
    with_folder(&mut hub, vec![task("task_b2", TaskStatus::Blocked)], Vec::new());
    let evidence = card(&hub, 60_000, "eden").evidence.unwrap();
    assert_eq!((evidence.source.as_str(), evidence.event_id), ("tasks/task_b2.md", None));
    // Without a task, what it waits for.
    with_folder(&mut hub, Vec::new(), Vec::new());
    let waits = card(&hub, 60_000, "eden");
    let evidence = waits.evidence.unwrap();
    assert_eq!((waits.agent.state, evidence.kind), (AgentState::Waiting, EvidenceKind::Send));
    assert_eq!((evidence.other.as_ref().map(|id| id.as_str()), evidence.at), (Some("seum"), Some(START_MS + 9)));
    assert!(evidence.thread_id.is_some());
    // Asked only, it rests; and nobody who never acted has evidence.
    assert_eq!(card(&hub, 60_000, "seum").agent.state, AgentState::Idle);
    assert!(card(&hub, 60_000, "seum").evidence.is_none());
}

#[test]
fn overlapping_sends_queue_until_answered() {
    let ask = |from: &str, after: i64, talk_id: &str| {
        let data = format!(r#""message":"{talk_id}","eventRole":"conversation.main""#);
        talk("a2a.send", from, "seum", after, &data).replace("\"c\"", &format!("\"{talk_id}\""))
    };
    let mut lines = vec![ask("eden", 0, "one"), ask("miri", 5, "two"), ask("eden", 9, "three")];
    let queued = hub(&lines);
    let seum = card(&queued, 100, "seum");
    let texts: Vec<&str> = seum.queue.iter().map(|send| send.text.as_str()).collect();
    assert_eq!((texts, seum.agent.queue_total), (vec!["one", "two", "three"], 3));
    assert_eq!(seum.agent.place_in_queue(&seum.queue[1].id), Some(2));
    assert_eq!(card(&queued, 100, "eden").talks.len(), 2);
    assert!(card(&queued, 100, "eden").talks.iter().all(|talk| talk.waiting && talk.other.as_str() == "seum"));
    let answer = talk("a2a.response", "seum", "eden", 20, r#""message":"네","eventRole":"conversation.main""#);
    lines.push(answer.replace("\"c\"", "\"one\""));
    let seum = card(&hub(&lines), 100, "seum");
    assert_eq!((seum.agent.queue_total, seum.queue[0].text.as_str()), (2, "two"));
    // Long past every wait the queue is empty.
    assert_eq!(card(&hub(&lines), 7_200_000, "seum").agent.queue_total, 0);
}

#[test]
fn pair_figures_cover_answers_and_period() {
    let main = r#""eventRole":"conversation.main""#;
    let mut lines = Vec::new();
    for (number, took) in [10, 20, 30, 1_000].into_iter().enumerate() {
        let at = i64::try_from(number).unwrap() * 10_000;
        lines.push(talk("a2a.send", "eden", "seum", at, &format!(r#""message":"해줘",{main}"#)));
        lines.push(talk("a2a.response", "seum", "eden", at + took, &format!(r#""message":"네",{main}"#)));
        lines.push(talk("a2a.complete", "eden", "seum", at + took + 1, &format!(r#"{main},"actualTurns":1"#)));
    }
    let blocked = format!(r#""outcome":"blocked","message":"[outcome] blocked: x",{main}"#);
    lines.push(talk("a2a.send", "eden", "seum", 50_000, &format!(r#""message":"또",{main}"#)));
    lines.push(talk("a2a.response", "seum", "eden", 50_009, &blocked));
    let hub = hub(&lines);
    let pair = page(&hub, 60_000).pairs.remove(0);
    assert_eq!((pair.from.as_str(), pair.to.as_str()), ("eden", "seum"));
    assert_eq!((pair.sends, pair.answered, pair.blocked, pair.measured), (5, 4, 1, 4));
    assert_eq!((pair.p50_ms, pair.p95_ms), (Some(20), Some(1_000)));
    let since = AgentsQuery { since: Some(START_MS + 30_000) };
    let late = query::agents(&hub, START_MS + 60_000, &since).pairs.remove(0);
    assert_eq!((late.sends, late.p50_ms), (2, Some(1_000)));
    assert!(query::agents(&hub, START_MS + 60_000, &AgentsQuery { since: Some(START_MS + 99_000) }).pairs.is_empty());
}

#[test]
fn plan_wait_is_equal_on_home_and_tasks() {
    let mut hub = hub(&[line("task.started", "eden", START_MS, r#""taskId":"task_a1","requiresApproval":true"#)]);
    let waiting = || vec![task("task_a1", TaskStatus::PendingApproval)];
    let since = |hub: &Hub| {
        let line = query::home(hub, START_MS + 90_000).attention.remove(0);
        let task = query::tasks(hub, START_MS + 90_000, &TasksQuery::default()).unwrap().tasks.remove(0);
        assert_eq!(Some(line.since), task.approval_since);
        assert_eq!(card(hub, 90_000, "eden").agent.state_at, task.approval_since, "its agent waits as long");
        line.since - START_MS
    };
    with_folder(&mut hub, waiting(), Vec::new());
    assert_eq!(since(&hub), 0);
    let plan = r#"{"agentId":"eden","taskId":"task_a1","status":"pending","title":"p","submittedAt":"2026-02-21T05:17:05.000Z"}"#;
    with_folder(&mut hub, waiting(), vec![parse_plan("p", &"eden".into(), plan)]);
    assert_ne!(since(&hub), 0);
}
