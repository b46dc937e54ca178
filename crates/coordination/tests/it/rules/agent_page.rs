//! Tests of the page of one agent: who waits for whom, and the agent's activity while an answer was awaited.
//!
//! Proves (work): The page of an agent names who waits for whom and what the agent did meanwhile.

use coordination::api::{ActivityQuery, AgentActivity, AgentDetail, AgentsQuery};
use coordination::hub::Hub;
use coordination::query;
use coordination::workspace::{AgentWorkspace, Task, TaskStatus, Workspace};

use super::log::{START_MS, hub, line, talk};

const MAIN: &str = r#""message":"배포해 줘","eventRole":"conversation.main""#;
/// The answer that a send waits for does not come: written in the name of the agent that was asked.
const MISSING: &str =
    r#""message":"[outcome] no_reply: timed out","waitStatus":"timeout","eventRole":"conversation.main""#;

/// A line of the conversation `id` instead of `c`.
fn event_of(id: &str, line: &str) -> String {
    line.replace("\"c\"", &format!("\"{id}\""))
}

fn detail(hub: &Hub, after: i64, id: &str) -> AgentDetail {
    query::agent_detail(hub, START_MS + after, &id.into(), &AgentsQuery::default()).unwrap()
}

fn activity(hub: &Hub, since: i64, until: i64) -> AgentActivity {
    let query = ActivityQuery { since: Some(START_MS + since), until: Some(START_MS + until) };
    query::activity(hub, START_MS + until, &"seum".into(), &query).unwrap()
}

#[test]
fn a5_missing_answer_shows_task_events_and_queue() {
    let lines = [
        line("task.started", "seum", START_MS - 600_000, r#""taskId":"task_d1""#),
        event_of("early", &talk("a2a.send", "miri", "seum", -60_000, MAIN)),
        talk("a2a.send", "eden", "seum", 0, MAIN),
        event_of("other", &talk("a2a.send", "seum", "miri", 100_000, MAIN)),
        talk("a2a.response", "seum", "eden", 300_000, MISSING),
    ];
    let mut hub = hub(&lines);
    let task =
        Task { id: "task_d1".into(), status: TaskStatus::InProgress, description: "배포".into(), ..Task::default() };
    let folder = AgentWorkspace { agent_id: "seum".into(), tasks: vec![task], ..AgentWorkspace::default() };
    hub.set_workspace(Workspace { agents: vec![folder] });
    let then = activity(&hub, 0, 300_000);
    assert_eq!(then.events, 1, "the missing answer is no act of the agent that was asked");
    assert_eq!(then.newest.and_then(|newest| newest.at), Some(START_MS + 100_000));
    let task = then.task.unwrap();
    assert_eq!((task.title.as_str(), task.status, task.since), ("배포", TaskStatus::InProgress, START_MS - 600_000));
    assert_eq!((then.ahead, then.last_before), (1, Some(START_MS - 600_000)));
    // Before that message nobody waited.
    assert_eq!(activity(&hub, -90_000, -70_000).ahead, 0);
}

#[test]
fn a5_task_that_ended_before_is_not_shown() {
    let lines = [
        line("task.started", "seum", START_MS - 900, r#""taskId":"task_d1""#),
        line("task.blocked", "seum", START_MS - 800, r#""taskId":"task_d2","reason":"권한""#),
        line("task.completed", "seum", START_MS - 700, r#""taskId":"task_d1""#),
        talk("a2a.send", "eden", "seum", 0, MAIN),
    ];
    let task = activity(&hub(&lines), 0, 300_000).task.unwrap();
    assert_eq!((task.id.as_str(), task.status), ("task_d2", TaskStatus::Blocked));
    // In the middle of the first task.
    let task = activity(&hub(&lines), -900, -850).task.unwrap();
    assert_eq!(task.id.as_str(), "task_d1");
}

#[test]
fn a5_silent_agent_shows_its_last_event() {
    let lines = [
        event_of("old", &talk("a2a.send", "seum", "miri", -5_000_000, MAIN)),
        talk("a2a.send", "eden", "seum", 0, MAIN),
        talk("a2a.response", "seum", "eden", 300_000, MISSING),
    ];
    let then = activity(&hub(&lines), 0, 300_000);
    assert_eq!((then.events, then.newest, then.task), (0, None, None));
    assert_eq!(then.last_before, Some(START_MS - 5_000_000));
    let unknown = query::activity(&hub(&lines), START_MS, &"nobody".into(), &ActivityQuery::default());
    assert_eq!(unknown, None);
}

#[test]
fn a5_detail_joins_waits_threads_and_pairs() {
    let lines = [
        event_of("one", &talk("a2a.send", "eden", "seum", 0, MAIN)),
        event_of("two", &talk("a2a.send", "seum", "miri", 10, MAIN)),
        event_of("three", &talk("a2a.send", "eden", "miri", 20, MAIN)),
        line("task.blocked", "eden", START_MS + 30, r#""taskId":"task_a1","reason":"권한","unblockedBy":["seum"]"#),
    ];
    let hub = hub(&lines);
    let seum = detail(&hub, 60_000, "seum");
    assert_eq!(seum.card.queue.iter().map(|send| send.from.as_str()).collect::<Vec<_>>(), ["eden"]);
    assert_eq!(seum.waits_for.iter().map(|send| send.to.as_str()).collect::<Vec<_>>(), ["miri"]);
    assert_eq!(seum.threads.iter().map(|thread| thread.other.as_str()).collect::<Vec<_>>(), ["miri", "eden"]);
    assert!(seum.threads.iter().all(|thread| thread.open && thread.waiting));
    let pairs: Vec<(&str, &str)> = seum.pairs.iter().map(|pair| (pair.from.as_str(), pair.to.as_str())).collect();
    assert_eq!(pairs, [("eden", "seum"), ("seum", "miri")]);
    assert_eq!((seum.sessions_total, seum.sessions.len()), (2, 2));
    assert_eq!(seum.attention.iter().filter(|line| line.unblockers == ["seum".into()]).count(), 1);
    // Its card is the one in the list of all.
    let all = query::agents(&hub, START_MS + 60_000, &AgentsQuery::default()).agents;
    assert!(all.contains(&seum.card));
    assert_eq!(query::agent_detail(&hub, START_MS, &"nobody".into(), &AgentsQuery::default()), None);
}
