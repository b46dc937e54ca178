//! Property tests of the merged lists of a fleet. For every page size, the pages together are the merge of the lists of the
//! machines: newest first, then by machine, then in the order of that machine. Machines share times, ids and whole lines.
//!
//! Proves (fleet): Merged lists of sessions, events and tasks are the merge of the lists of the machines; with every page
//! size, each row comes exactly once.

use std::cmp::Reverse;

use coordination::api::{EventsQuery, FleetListSource, SessionsQuery, SessionsSort, TasksQuery};
use coordination::event::parse_lines;
use coordination::hub::Hub;
use coordination::ids::TaskId;
use coordination::query::{self, MachinePage, QueryError};
use coordination::search::index::NoIndex;
use coordination::workspace::{AgentWorkspace, Task, TaskStatus, Workspace};
use proptest::collection::vec;
use proptest::prelude::*;

const START_MS: i64 = 1_771_500_000_000;
const NOW: i64 = START_MS + 3_600_000;
const NAMES: [&str; 3] = ["alpha", "mac", "mac-012345"];

type RowNames = Vec<(String, String)>;

fn line() -> impl Strategy<Value = String> {
    let who = || prop::sample::select(vec!["eden", "seum"]);
    let kinds = ["a2a.send", "a2a.response", "task.created", "task.started", "task.completed"];
    let kind = prop::sample::select(kinds.to_vec());
    (kind, who(), who(), 0_i64..4, 0_i64..4, any::<bool>()).prop_map(|(kind, from, to, number, minute, has_time)| {
        let mut line = serde_json::json!({"type": kind, "agentId": from, "data": {
            "fromAgent": from, "toAgent": to, "workSessionId": format!("ws-{number}"), "message": format!("글 {minute}"),
            "taskId": format!("T-{number}"), "eventRole": "conversation.main",
        }});
        if has_time || kind.starts_with("a2a") {
            line["ts"] = (START_MS + minute * 60_000).into();
        }
        line.to_string()
    })
}

/// Task files of an agent. They share ids and times with events, and with files of other machines.
fn folder() -> impl Strategy<Value = AgentWorkspace> {
    let status = prop::sample::select(vec![TaskStatus::Pending, TaskStatus::InProgress, TaskStatus::Completed]);
    let time = prop::option::of((0_u32..3).prop_map(|minute| format!("2026-02-19T11:{minute:02}:00Z")));
    let task = (0_u8..6, status, time).prop_map(|(number, status, last_activity)| Task {
        id: TaskId::from(format!("T-{number}")),
        description: format!("T-{number} 정리"),
        status,
        last_activity,
        ..Task::default()
    });
    let agent = prop::sample::select(vec!["eden", "seum"]);
    (agent, vec(task, 0..5)).prop_map(|(agent, tasks)| AgentWorkspace {
        agent_id: agent.into(),
        tasks,
        ..AgentWorkspace::default()
    })
}

fn hub(lines: &[String], folder: AgentWorkspace) -> Hub {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let (events, errors) = parse_lines(text.as_bytes(), "f", 0);
    assert!(errors.is_empty(), "{errors:?}");
    let mut hub = Hub::new();
    hub.set_workspace(Workspace { agents: vec![folder] });
    hub.apply(events);
    hub
}

/// Up to three machines. The last one has the lines of the first as well: a copied home.
fn fleet() -> impl Strategy<Value = Vec<(String, Hub)>> {
    vec((vec(line(), 0..12), folder()), 1..=3).prop_map(|mut homes| {
        let copied = homes[0].0.clone();
        homes.last_mut().expect("a machine").0.extend(copied);
        let named = NAMES.iter().zip(homes);
        named.map(|(name, (lines, folder))| ((*name).to_owned(), hub(&lines, folder))).collect()
    })
}

fn list<P>(name: &str, (page, agents): (P, Vec<coordination::api::AgentSummary>)) -> MachinePage<P> {
    let source = FleetListSource { source: name.to_owned(), ..FleetListSource::default() };
    MachinePage { source, page, agents }
}

/// All rows, by following the cursor. Fails when a page is too long or the cursor does not end.
fn followed(
    limit: u32,
    page: impl Fn(Option<String>) -> Result<(RowNames, Option<String>, u32), QueryError>,
) -> RowNames {
    let (mut rows, mut cursor) = (RowNames::new(), None);
    for _ in 0..200 {
        let (more, next, total) = page(cursor).expect("a page");
        assert!(more.len() <= limit as usize, "a page of {} rows", more.len());
        assert!(next.is_none() || more.len() == limit as usize, "a page before the last is full");
        rows.extend(more);
        match next {
            Some(next) => cursor = Some(next),
            None => {
                assert_eq!(rows.len(), total as usize, "the total");
                return rows;
            }
        }
    }
    panic!("the cursor does not end")
}

/// The merge by definition: all rows by key, machine, and place in the list of the machine.
fn merged<T, K: Ord>(fleet: &[(String, Vec<T>)], key: impl Fn(&T) -> K, id: impl Fn(&T) -> String) -> RowNames {
    let rows =
        fleet.iter().flat_map(|(name, rows)| rows.iter().enumerate().map(move |(place, row)| (name, place, row)));
    let mut keyed: Vec<_> =
        rows.map(|(name, place, row)| ((key(row), name.clone(), place), (name.clone(), id(row)))).collect();
    keyed.sort_by(|(one, _), (other, _)| one.cmp(other));
    keyed.into_iter().map(|(_, row)| row).collect()
}

fn on_each<T>(fleet: &[(String, Hub)], rows: impl Fn(&Hub) -> Vec<T>) -> Vec<(String, Vec<T>)> {
    fleet.iter().map(|(name, hub)| (name.clone(), rows(hub))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn event_pages_are_the_merge(fleet in fleet(), limit in 1_u32..9) {
        let alone = on_each(&fleet, |hub| {
            query::events(hub, NOW, &EventsQuery { limit: Some(500), ..EventsQuery::default() }).expect("a page").events
        });
        let wanted = merged(&alone, |row| Reverse(row.at), |row| row.id.to_string());
        let found = followed(limit, |before| {
            let query = EventsQuery { limit: Some(limit), before, ..EventsQuery::default() };
            let lists = fleet.iter().map(|(name, hub)| {
                Ok(list(name, query::machine_events(hub, &NoIndex, NOW, &query, name)?))
            });
            let page = query::merge_events(lists.collect::<Result<_, _>>()?, &query, NOW)?;
            let rows = page.events.into_iter().map(|row| (row.source, row.event.id.to_string()));
            Ok((rows.collect(), page.next, page.total))
        });
        prop_assert_eq!(found, wanted);
    }

    #[test]
    fn session_pages_are_the_merge(fleet in fleet(), limit in 1_u32..6, by_category in any::<bool>(), q in any::<bool>()) {
        let sort = if by_category { SessionsSort::Category } else { SessionsSort::Latest };
        let q = q.then(|| "글 1".to_owned());
        let query = |limit, after| SessionsQuery { limit: Some(limit), after, sort, q: q.clone(), ..SessionsQuery::default() };
        let alone = on_each(&fleet, |hub| query::sessions(hub, NOW, &query(200, None)).expect("a page").sessions);
        let group = |card: &coordination::api::SessionCard| if by_category { card.category.key.index() } else { 0 };
        let wanted =
            merged(&alone, |card| (group(card), Reverse(card.last_time)), |card| card.work_session_id.to_string());
        let found = followed(limit, |after| {
            let query = query(limit, after);
            let lists = fleet.iter().map(|(name, hub)| {
                Ok(list(name, query::machine_sessions(hub, &NoIndex, NOW, &query, name)?))
            });
            let page = query::merge_sessions(lists.collect::<Result<_, _>>()?, &query, NOW)?;
            let rows = page.sessions.into_iter().map(|row| (row.source, row.session.work_session_id.to_string()));
            Ok((rows.collect(), page.next, page.total))
        });
        prop_assert_eq!(found, wanted);
    }

    #[test]
    fn task_pages_are_the_merge(fleet in fleet(), limit in 1_u32..6, q in any::<bool>()) {
        let q = q.then(|| "T-".to_owned());
        let query = |limit, after| TasksQuery { limit: Some(limit), after, q: q.clone(), ..TasksQuery::default() };
        let alone = on_each(&fleet, |hub| query::tasks(hub, NOW, &query(500, None)).expect("a page").tasks);
        let rank = |task: &coordination::api::TaskSummary| {
            let all = TaskStatus::ALL;
            all.iter().position(|status| *status == task.status).unwrap_or(all.len())
        };
        let wanted = merged(&alone, |task| (rank(task), Reverse(task.last_activity)), |task| task.id.to_string());
        let found = followed(limit, |after| {
            let query = query(limit, after);
            let lists =
                fleet.iter().map(|(name, hub)| Ok(list(name, query::machine_tasks(hub, NOW, &query, name)?)));
            let page = query::merge_tasks(lists.collect::<Result<_, _>>()?, &query, NOW)?;
            let rows = page.tasks.into_iter().map(|row| (row.source, row.task.id.to_string()));
            Ok((rows.collect(), page.next, page.total))
        });
        prop_assert_eq!(found, wanted);
    }

    #[test]
    fn agents_are_the_merge(fleet in fleet()) {
        let lists = fleet.iter().map(|(name, hub)| list(name, (query::machine_agents(hub, NOW), Vec::new())));
        let page = query::merge_agents(lists.collect(), NOW);
        let order = page.agents.iter().map(|row| (Reverse(row.card.agent.last_time), row.source.clone()));
        let order: Vec<_> = order.collect();
        prop_assert!(order.is_sorted(), "{:?}", order);
        let all: usize = fleet.iter().map(|(_, hub)| query::machine_agents(hub, NOW).len()).sum();
        prop_assert_eq!(page.agents.len(), all);
    }
}

#[test]
fn damaged_cursor_is_refused() {
    let hub = hub(&[], AgentWorkspace::default());
    for cursor in ["", "x", ".1.f-1", "alpha.", "alpha.x", "alpha.1."] {
        let before = Some(cursor.to_owned());
        let query = EventsQuery { before, ..EventsQuery::default() };
        let error = query::machine_events(&hub, &NoIndex, NOW, &query, "alpha").expect_err(cursor);
        assert_eq!(error.field, "before", "{cursor}");
    }
}
