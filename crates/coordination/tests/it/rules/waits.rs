//! Tests of the wait-for graph of agents: its waits with their evidence, deadlocks on the work list, and the search
//! operators `is:root` and `is:deadlock`.
//!
//! Proves (work): A chain of waits is traced to its root with the evidence of each step, and a cycle of open waits is a
//! line for a person once its youngest wait is a minute old; a send whose time is over never makes one.

use coordination::api::{
    AttentionGroup, AttentionKind, SearchHit, SearchKind, SearchQuery, WaitKind, WaitsPage, WaitsQuery,
};
use coordination::delivery::NO_TRACE_AFTER_MS;
use coordination::hub::Hub;
use coordination::query;
use coordination::search::index::NoIndex;

use super::log::{START_MS, hub, line};

const MINUTE: i64 = 60_000;
/// One minute after the last send of each story.
const NOW: i64 = START_MS + 5 * MINUTE;

/// A send at minute `after` that is not answered yet.
fn asks(from: &str, to: &str, after: i64) -> String {
    let talk = format!(
        r#""fromAgent":"{from}","toAgent":"{to}","conversationId":"{from}{to}","workSessionId":"ws_{from}","message":"{to} 확인 부탁""#
    );
    line("a2a.send", from, START_MS + after * MINUTE, &talk)
}

fn blocked(agent: &str, helper: &str, after: i64) -> String {
    let more = format!(
        r#""taskId":"task_{agent}","workSessionId":"ws_{agent}","reason":"권한 없음","unblockedBy":["{helper}"]"#
    );
    line("task.blocked", agent, START_MS + after * MINUTE, &more)
}

fn graph(hub: &Hub, agent: Option<&str>) -> WaitsPage {
    query::waits(hub, NOW, &WaitsQuery { agent: agent.map(Into::into) })
}

fn pairs(graph: &WaitsPage) -> Vec<(&str, &str, WaitKind)> {
    graph.waits.iter().map(|wait| (wait.from.as_str(), wait.to.as_str(), wait.kind)).collect()
}

fn found(hub: &Hub, q: &str) -> Vec<String> {
    let page = query::search(hub, &NoIndex, NOW, &SearchQuery { q: q.to_owned(), ..SearchQuery::default() }).unwrap();
    let id = |hit: &SearchHit| match hit.kind {
        SearchKind::Agents => hit.from.as_ref().unwrap().to_string(),
        SearchKind::Tasks => hit.task_id.as_ref().unwrap().to_string(),
        SearchKind::Sessions => hit.session_id.as_ref().unwrap().to_string(),
        _ => hit.event_id.as_ref().unwrap().to_string(),
    };
    let mut found: Vec<String> = page.hits.iter().map(|hit| format!("{} {}", hit.kind.as_str(), id(hit))).collect();
    found.sort();
    found
}

/// Miri waits for Eden, Eden and Dajim for Seum.
fn chain() -> Hub {
    hub(&[asks("eden", "seum", 1), blocked("dajim", "seum", 2), asks("miri", "eden", 3), asks("miri", "eden", 4)])
}

#[test]
fn chain_is_traced_with_its_evidence() {
    let hub = chain();
    let chain = graph(&hub, Some("seum"));
    let agents: Vec<_> = chain.agents.iter().map(|it| (it.id.as_str(), it.steps, it.held_up, it.root)).collect();
    let expected = [
        ("seum", Some(0), 3, true),
        ("eden", Some(1), 1, false),
        ("dajim", Some(1), 0, false),
        ("miri", Some(2), 0, false),
    ];
    assert_eq!(agents, expected);
    let expected =
        [("eden", "seum", WaitKind::Reply), ("dajim", "seum", WaitKind::Task), ("miri", "eden", WaitKind::Reply)];
    assert_eq!(pairs(&chain), expected);
    let [by_eden, by_dajim, by_miri] = &chain.waits[..] else { panic!("{chain:?}") };
    assert_eq!((by_eden.text.as_str(), by_eden.queue, by_eden.since), ("seum 확인 부탁", Some(1), START_MS + MINUTE));
    assert!(by_eden.thread_id.is_some() && by_eden.event_id.is_some());
    assert_eq!((by_dajim.text.as_str(), by_dajim.task_id.as_ref().unwrap().as_str()), ("권한 없음", "task_dajim"));
    assert_eq!((by_miri.times, by_miri.since), (2, START_MS + 3 * MINUTE), "the longest stands for both");
}

#[test]
fn answer_is_limited_to_those_who_wait_for_one() {
    let hub = chain();
    let of_eden = graph(&hub, Some("eden"));
    assert_eq!(pairs(&of_eden), [("miri", "eden", WaitKind::Reply)]);
    // Eden itself needs Seum, who is not part of this answer.
    let needs: Vec<_> = of_eden.agents.iter().map(|it| (it.id.as_str(), it.waits_elsewhere)).collect();
    assert_eq!(needs, [("eden", 1), ("miri", 0)]);
    let nobody = graph(&hub, Some("nobody"));
    assert!(nobody.agents.is_empty() && nobody.waits.is_empty());
    let whole = graph(&hub, None);
    assert_eq!((whole.agents.len(), whole.waits.len(), whole.agents[0].steps), (4, 3, None));
    assert_eq!(whole.agents[0].id.as_str(), "seum", "who holds up most comes first");
}

#[test]
fn cycle_of_open_waits_is_a_line_for_a_person() {
    let hub = hub(&[
        blocked("seum", "eden", 1),
        asks("eden", "miri", 2),
        blocked("dajim", "eden", 3),
        asks("miri", "seum", 4),
    ]);
    let home = query::home(&hub, NOW);
    let line = home.attention.iter().find(|line| line.kind == AttentionKind::Deadlock).unwrap();
    let cycle: Vec<&str> = line.cycle.iter().map(|agent| agent.as_str()).collect();
    assert_eq!(cycle, ["miri", "seum", "eden"], "the newest wait closed it");
    assert_eq!((line.group(), line.inferred, line.since), (AttentionGroup::Person, true, START_MS + 4 * MINUTE));
    assert_eq!((line.detail.as_str(), line.evidence.as_str(), line.held_up), ("seum 확인 부탁", "a2a.send", 3));
    assert!(line.thread_id.is_some() && line.event_id.is_some());
    let deadlocked: Vec<_> =
        graph(&hub, None).agents.into_iter().filter(|it| it.deadlock).map(|it| it.id.to_string()).collect();
    assert_eq!(deadlocked, ["eden", "miri", "seum"]);
    let totals = query::totals(&hub, NOW);
    assert_eq!((totals.attention.get(&AttentionKind::Deadlock), totals.held_up), (Some(&1), 4));
}

/// Agents that ask each other for some seconds answer soon; a new wait between members of an old cycle changes nothing.
#[test]
fn deadlock_younger_than_a_minute_is_no_line() {
    let newest_send = START_MS + 4 * MINUTE;
    let since = |hub: &Hub, now| {
        let home = query::home(hub, now);
        let lines: Vec<_> = home.attention.iter().filter(|line| line.kind == AttentionKind::Deadlock).collect();
        let count = query::totals(hub, now).attention.get(&AttentionKind::Deadlock).copied();
        assert_eq!(count.unwrap_or(0), lines.len() as u64);
        lines.first().map(|line| line.since)
    };
    let young = hub(&[asks("eden", "seum", 1), asks("seum", "eden", 4)]);
    assert_eq!(since(&young, newest_send + MINUTE - 1), None);
    assert!(graph(&young, None).agents.iter().all(|agent| agent.deadlock), "a minute old");
    assert_eq!(since(&young, newest_send + MINUTE), Some(newest_send));
    let chord = [asks("eden", "seum", 1), asks("seum", "miri", 2), asks("miri", "eden", 3), asks("seum", "eden", 4)];
    let old = hub(&chord);
    assert_eq!(since(&old, newest_send), Some(START_MS + 3 * MINUTE), "the cycle of three is old enough");
    assert_eq!(since(&old, newest_send + MINUTE), Some(START_MS + 3 * MINUTE), "a newer wait makes it no younger");
}

#[test]
fn send_whose_time_is_over_makes_no_deadlock() {
    let lines = [blocked("seum", "eden", 1), asks("eden", "seum", 2)];
    let hub = hub(&lines);
    let is_deadlock = |now| query::home(&hub, now).attention.iter().any(|line| line.kind == AttentionKind::Deadlock);
    assert!(is_deadlock(NOW));
    let later = NOW + NO_TRACE_AFTER_MS;
    assert!(!is_deadlock(later), "eden went on without the answer");
    let whole = query::waits(&hub, later, &WaitsQuery::default());
    assert_eq!(pairs(&whole), [("seum", "eden", WaitKind::Task), ("eden", "seum", WaitKind::NoReply)]);
    let roots: Vec<_> = whole.agents.iter().map(|agent| (agent.id.as_str(), agent.root)).collect();
    assert_eq!(roots, [("eden", true), ("seum", false)], "eden waits for nobody any more");
}

#[test]
fn blocked_tasks_of_each_other_are_a_deadlock() {
    let hub = hub(&[blocked("seum", "eden", 1), blocked("eden", "seum", 2)]);
    let home = query::home(&hub, NOW);
    let line = home.attention.iter().find(|line| line.kind == AttentionKind::Deadlock).unwrap();
    assert_eq!((line.agent.as_ref().unwrap().as_str(), line.task_id.as_ref().unwrap().as_str()), ("eden", "task_eden"));
    assert_eq!((line.detail.as_str(), line.thread_id.as_ref()), ("권한 없음", None));
}

#[test]
fn search_finds_roots_and_deadlocks() {
    let hub = chain();
    let roots = found(&hub, "is:root");
    assert!(roots.iter().any(|hit| hit == "agents seum"), "{roots:?}");
    assert!(roots.iter().any(|hit| hit == "tasks task_dajim"), "{roots:?}");
    assert!(!roots.iter().any(|hit| hit == "agents eden"), "eden waits for seum: {roots:?}");
    assert_eq!(roots.iter().filter(|hit| hit.starts_with("messages")).count(), 1, "{roots:?}");
    assert!(found(&hub, "상태:교착").is_empty());
    assert!(!found(&hub, "-is:root in:agents").contains(&"agents seum".to_owned()));
    let cycle = super::log::hub(&[blocked("seum", "eden", 1), asks("eden", "seum", 2), asks("miri", "eden", 3)]);
    let hits = found(&cycle, "is:deadlock in:agents");
    assert_eq!(hits, ["agents eden", "agents seum"]);
    assert_eq!(found(&cycle, "is:deadlock in:messages").len(), 1, "miri's send is outside of the cycle");
    assert_eq!(found(&cycle, "상태:병목"), Vec::<String>::new(), "nobody in a cycle is a root");
}

#[test]
fn root_says_what_a_person_has_to_decide() {
    let approval = line("plan.submitted", "seum", START_MS, r#""planId":"p","taskId":"task_p","title":"봄 캠페인""#);
    let started = line("task.started", "seum", START_MS + 1, r#""taskId":"task_p","requiresApproval":true"#);
    let hub = hub(&[approval, started, asks("eden", "seum", 1)]);
    let waiting = graph(&hub, Some("seum"));
    let root = &waiting.agents[0];
    let person = root.person.unwrap();
    assert_eq!((root.id.as_str(), root.root, person.kind, person.total), ("seum", true, AttentionKind::Approval, 1));
    assert_eq!(waiting.agents[1].person, None);
    let hits = found(&hub, "is:root in:tasks");
    assert_eq!(hits, ["tasks task_p"]);
}

#[test]
fn helper_that_is_no_agent_is_not_waited_for() {
    let hub = hub(&[blocked("seum", "human", 1), blocked("eden", "seum", 2)]);
    assert_eq!(pairs(&graph(&hub, None)), [("eden", "seum", WaitKind::Task)]);
}

/// 40 agents wait for each other and for seum: more pairs than one answer holds.
#[test]
fn large_answer_keeps_the_way_of_each_agent() {
    let ids: Vec<String> = (0..40).map(|number| format!("agent-{number:02}")).collect();
    let mut lines = Vec::new();
    for (at, id) in ids.iter().enumerate() {
        let others =
            ids.iter().filter(|other| *other != id).map(|other| format!("\"{other}\"")).collect::<Vec<_>>().join(",");
        let more =
            |task: &str, helpers: &str| format!(r#""taskId":"{task}-{at}","reason":"r","unblockedBy":[{helpers}]"#);
        let at = START_MS + i64::try_from(at).unwrap();
        lines.push(line("task.blocked", id, at, &more("task_others", &others)));
        lines.push(line("task.blocked", id, at + MINUTE, &more("task_seum", r#""seum""#)));
    }
    lines.push(line("task.started", "seum", START_MS, r#""taskId":"task_own""#));
    let waiting = graph(&hub(&lines), Some("seum"));
    assert_eq!((waiting.agents.len(), waiting.waits.len()), (41, 600));
    assert!(waiting.waits_total > 600);
    let ways = waiting.waits.iter().filter(|wait| wait.to.as_str() == "seum").count();
    assert_eq!(ways, 40, "each agent's way to seum is there, though it is the newer wait");
}
