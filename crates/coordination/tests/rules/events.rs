//! The list of events: whatever it is narrowed to is what a look at each event gives, and so are its counts.

use std::collections::{BTreeMap, BTreeSet};

use coordination::api::{Between, EventRow, EventsPage, EventsQuery, ThreadQuery};
use coordination::delivery::{DeliveryState, NO_TRACE_AFTER_MS};
use coordination::hub::Hub;
use coordination::ids::{AgentId, EventId};
use coordination::query;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::log::{T, hub, line};

/// One of them holds what parts the items of a list.
const PEOPLE: [&str; 4] = ["eden", "seum", "miri", "a,b"];
const KINDS: [&str; 5] = ["a2a.send", "a2a.response", "a2a.complete", "task.updated", "odd,kind"];

fn said(kind: &str, from: &str, to: &str, after: i64, outcome: &str) -> String {
    let mut talk = [from, to];
    talk.sort_unstable();
    let data = format!(
        r#""fromAgent":"{from}","toAgent":"{to}","conversationId":"{}","message":"말 {after}"{outcome}"#,
        talk.join("-")
    );
    line(kind, from, T + after, &data)
}

fn log() -> impl Strategy<Value = Vec<String>> {
    let fate = select(vec!["", "", r#","outcome":"no_reply""#, r#","outcome":"blocked","concurrencyBlocked":true"#]);
    let one = (select(KINDS.to_vec()), select(PEOPLE.to_vec()), select(PEOPLE.to_vec()), 0..900_000_i64, fate);
    proptest::collection::vec(one, 1..40).prop_map(|events| {
        events.iter().map(|(kind, from, to, after, fate)| said(kind, from, to, *after, fate)).collect()
    })
}

fn asked() -> impl Strategy<Value = EventsQuery> {
    let agent = || select(PEOPLE.to_vec()).prop_map(AgentId::from);
    let pairs = proptest::collection::vec((agent(), agent()), 0..3);
    let some = |all: Vec<&'static str>| subsequence(all, 0..3);
    let who = (some(PEOPLE.to_vec()), proptest::option::weighted(0.2, agent()), pairs);
    (who, some(KINDS.to_vec()), subsequence(DeliveryState::ALL.to_vec(), 0..3)).prop_map(
        |((agents, from, pairs), types, delivery)| EventsQuery {
            agents: agents.into_iter().map(AgentId::from).collect(),
            from,
            pairs: pairs.into_iter().map(|(one, other)| Between::of(one, other)).collect(),
            types: types.into_iter().map(str::to_owned).collect(),
            delivery,
            limit: Some(500),
            ..EventsQuery::default()
        },
    )
}

fn page(hub: &Hub, now: i64, query: &EventsQuery) -> EventsPage {
    query::events(hub, now, query).unwrap()
}

/// What became of each send, as the threads tell it.
fn fates(hub: &Hub, now: i64, all: &[EventRow]) -> BTreeMap<EventId, DeliveryState> {
    let threads: BTreeSet<_> = all.iter().filter_map(|row| row.session_id.clone().zip(row.thread_id.clone())).collect();
    let asked = ThreadQuery { limit: Some(500), ..ThreadQuery::default() };
    let pages = threads.iter().filter_map(|(session, id)| query::thread_page(hub, now, session, id, &asked).unwrap());
    pages.flat_map(|page| page.exchanges).map(|exchange| (exchange.id, exchange.state)).collect()
}

fn between(row: &EventRow) -> Option<Between> {
    Some(Between::of(row.from.clone()?, row.to.clone()?))
}

fn fits(row: &EventRow, query: &EventsQuery, fates: &BTreeMap<EventId, DeliveryState>) -> bool {
    let concerns = |id: &AgentId| row.from.as_ref() == Some(id) || row.to.as_ref() == Some(id) || row.agent_id == *id;
    (query.agents.is_empty() || query.agents.iter().any(concerns))
        && query.from.as_ref().is_none_or(|from| row.from.as_ref() == Some(from))
        && (query.types.is_empty() || query.types.contains(&row.event_type))
        && (query.pairs.is_empty() || between(row).is_some_and(|pair| query.pairs.contains(&pair)))
        && (query.delivery.is_empty() || fates.get(&row.id).is_some_and(|state| query.delivery.contains(state)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_narrowed_list_is_what_a_look_at_each_event_gives(lines in log(), query in asked(), later in select(vec![0, 2 * NO_TRACE_AFTER_MS])) {
        let (hub, now) = (hub(&lines), T + 900_000 + later);
        let all = page(&hub, now, &EventsQuery { limit: Some(500), ..EventsQuery::default() }).events;
        prop_assert_eq!(all.len(), lines.len());
        let fates = fates(&hub, now, &all);
        let of = |query: &EventsQuery| all.iter().filter(|row| fits(row, query, &fates)).collect::<Vec<_>>();
        let found = page(&hub, now, &query);
        prop_assert_eq!(found.events.iter().collect::<Vec<_>>(), of(&query));
        prop_assert_eq!(found.total as usize, found.events.len());
        let mut pairs: BTreeMap<Between, u32> = BTreeMap::new();
        for row in of(&EventsQuery { pairs: Vec::new(), ..query.clone() }) {
            if row.from != row.to {
                *pairs.entry(between(row).unwrap()).or_default() += 1;
            }
        }
        prop_assert_eq!(found.pair_counts.into_iter().collect::<BTreeMap<_, _>>(), pairs);
        let types: u32 = found.type_counts.iter().map(|(_, n)| n).sum();
        prop_assert_eq!(types as usize, of(&EventsQuery { types: Vec::new(), ..query }).len());
    }
}

#[test]
fn every_state_of_a_send_is_asked_for_by_its_name() {
    let refused = r#","outcome":"blocked","concurrencyBlocked":true"#;
    let silent = r#","outcome":"no_reply""#;
    let hub = hub(&[
        said("a2a.send", "eden", "seum", 0, ""),
        said("a2a.response", "seum", "eden", 10, ""),
        said("a2a.send", "eden", "miri", 20, ""),
        said("a2a.response", "miri", "eden", 30, silent),
        said("a2a.send", "seum", "miri", 40, ""),
        said("a2a.complete", "seum", "miri", 50, refused),
        said("a2a.send", "miri", "seum", 60, ""),
    ]);
    let total = |state: DeliveryState, now: i64| {
        let delivery = vec![state];
        page(&hub, now, &EventsQuery { delivery, ..EventsQuery::default() }).total
    };
    let told = |now: i64| DeliveryState::ALL.map(|state| (state.as_str(), total(state, now)));
    let [answered, no_reply, blocked] = [("answered", 1), ("noReply", 1), ("blocked", 1)];
    assert_eq!(told(T + 100), [("waiting", 1), answered, no_reply, blocked, ("endedWithoutAnswer", 0), ("noTrace", 0)]);
    let later = T + 100 + NO_TRACE_AFTER_MS;
    assert_eq!(told(later), [("waiting", 0), answered, no_reply, blocked, ("endedWithoutAnswer", 0), ("noTrace", 1)]);
}
