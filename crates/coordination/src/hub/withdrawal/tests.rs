//! Tests of the withdrawal of events, over random logs.
//!
//! Proves (past): Withdrawn events leave no trace in any answer, whether they are withdrawn one by one or many at once,
//! and wherever they are in the order of events. They return as they were.

use proptest::prelude::*;

use crate::api::{Cursor, EventsQuery, SessionsQuery, TasksQuery};
use crate::category::Category;
use crate::event::{Event, parse_lines};
use crate::hub::Hub;
use crate::hub::number_set::NumberSet;
use crate::query;

const BEGIN: i64 = 1_771_500_000_000;
const NOW: i64 = BEGIN + 100 * 60_000;
const TYPES: [&str; 7] = [
    "a2a.send",
    "a2a.response",
    "a2a.spawn",
    "task.started",
    "task.completed",
    "unblock.failed",
    "continuation.backoff",
];

/// An event by type, minute, pair of agents, and what it names: work session, conversation, task.
type Spec = (usize, i64, usize, Option<u8>, Option<u8>, Option<u8>);

fn log(specs: &[Spec]) -> Vec<Event> {
    let line = |(number, (kind, minute, pair, session, conversation, task)): (usize, &Spec)| {
        let (from, to) = [("eden", "seum"), ("seum", "eden"), ("eden", "miri")][*pair];
        let mut data = serde_json::json!({"fromAgent": from, "toAgent": to, "message": format!("배포 {number}")});
        if let Some(session) = session {
            data["workSessionId"] = format!("ws_{session}").into();
        }
        if let Some(conversation) = conversation {
            data["conversationId"] = format!("c{conversation}").into();
        }
        if let Some(task) = task {
            data["taskId"] = format!("t{task}").into();
        }
        let ts = BEGIN + minute * 60_000;
        serde_json::json!({"type": TYPES[*kind], "agentId": from, "ts": ts, "data": data}).to_string() + "\n"
    };
    let text: String = specs.iter().enumerate().map(line).collect();
    parse_lines(text.as_bytes(), "f", 0).0
}

fn answers(hub: &Hub) -> Vec<String> {
    let json = |value: serde_json::Result<String>| value.unwrap();
    let mut snapshot = query::snapshot(hub, NOW);
    snapshot.cursor = Cursor::default();
    vec![
        json(serde_json::to_string(&snapshot)),
        json(serde_json::to_string(&query::sessions(hub, NOW, &SessionsQuery::default()).unwrap())),
        json(serde_json::to_string(&query::events(hub, NOW, &EventsQuery::default()).unwrap())),
        json(serde_json::to_string(&query::tasks(hub, NOW, &TasksQuery::default()).unwrap())),
    ]
}

fn spec() -> impl Strategy<Value = Spec> {
    let few = |most: u8| prop::option::of(0..most);
    (0..TYPES.len(), 0_i64..90, 0_usize..3, few(3), few(3), few(3))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Events may be withdrawn one by one or at once, wherever they are in the order. The others then answer like a
    /// hub that never had them, and all of them as before once they are back.
    #[test]
    fn withdrawn_events_leave_no_trace_and_return(
        specs in prop::collection::vec(spec(), 1..40),
        marks in prop::collection::vec((any::<bool>(), any::<bool>()), 40),
        many in any::<bool>(),
    ) {
        let all = log(&specs);
        let mut hub = Hub::new();
        hub.apply(all.clone());
        let complete = answers(&hub);
        // The second round withdraws some of those that stayed, and brings others back.
        let mut away = NumberSet::default();
        for round in 0..3 {
            let leaves = |(one, other): &(bool, bool)| match round {
                0 => *one,
                1 => *other,
                _ => *one && *other,
            };
            let next = NumberSet::from_numbers((0..).zip(&marks[..all.len()]).filter(|it| leaves(it.1)).map(|it| it.0));
            let (gone, back) = (next.without(&away), away.without(&next));
            if many {
                hub.withdraw_many(&gone);
            } else {
                hub.withdraw_events(&gone);
            }
            hub.restore_events(back.iter());
            away = next;
            let mut fresh = Hub::new();
            fresh.apply((0..).zip(&all).filter(|(number, _)| !away.contains(*number)).map(|it| it.1.clone()).collect());
            prop_assert_eq!(answers(&hub), answers(&fresh));
            let hours = |hub: &Hub| -> Vec<Vec<(i64, u32)>> {
                let sums = Category::ALL.iter().map(|category| hub.sessions.overview.sum(*category));
                sums.map(|sum| sum.hours(i64::MIN, i64::MAX).collect()).collect()
            };
            prop_assert_eq!(hours(&hub), hours(&fresh));
        }
        hub.restore_events(away.iter());
        prop_assert_eq!(answers(&hub), complete);
    }
}
