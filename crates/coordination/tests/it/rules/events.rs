//! Tests of the event list: property tests that compare each filtered list, its pages and its counts with a linear
//! scan of all events.
//!
//! Proves (search): Each filter of the event list, and its counts, give the same result as a scan of all events.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use coordination::api::{AgentPair, EventRow, EventsPage, EventsQuery, ThreadQuery};
use coordination::delivery::{DeliveryState, NO_TRACE_AFTER_MS};
use coordination::event::parse_lines;
use coordination::hub::Hub;
use coordination::ids::{AgentId, EventId, SessionId};
use coordination::query;
use coordination::role::Role;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::log::{START_MS, hub, line, roster};

/// One of them holds what parts the items of a list.
const PEOPLE: [&str; 4] = ["eden", "seum", "miri", "a,b"];
const KINDS: [&str; 6] = ["a2a.send", "a2a.response", "a2a.complete", "a2a.spawn", "task.updated", "odd,kind"];

fn event_line(kind: &str, from: &str, to: &str, after: i64, outcome: &str) -> String {
    let mut talk = [from, to];
    talk.sort_unstable();
    let data = format!(
        r#""fromAgent":"{from}","toAgent":"{to}","conversationId":"{}","message":"말 {after}"{outcome}"#,
        talk.join("-")
    );
    line(kind, from, START_MS + after, &data)
}

/// A send right behind a spawn is its twin, and one answer of one is a run's: their roles are decided by their session.
fn log() -> impl Strategy<Value = Vec<String>> {
    let fate = select(vec![
        "",
        "",
        r#","outcome":"no_reply""#,
        r#","outcome":"blocked","concurrencyBlocked":true"#,
        r#","workSessionId":"ws_1""#,
        r#","runId":"r1","totalTurns":1"#,
    ]);
    let after = prop_oneof![0..900_000_i64, 0..20_i64];
    let one = (select(KINDS.to_vec()), select(PEOPLE.to_vec()), select(PEOPLE.to_vec()), after, fate);
    proptest::collection::vec(one, 1..40).prop_map(|events| {
        events.iter().map(|(kind, from, to, after, fate)| event_line(kind, from, to, *after, fate)).collect()
    })
}

fn any_query() -> impl Strategy<Value = EventsQuery> {
    let agent = || select(PEOPLE.to_vec()).prop_map(AgentId::from);
    let pairs = proptest::collection::vec((agent(), agent()), 0..3);
    let some = |all: Vec<&'static str>| subsequence(all, 0..3);
    let rarely = || proptest::option::weighted(0.2, agent());
    let who = (some(PEOPLE.to_vec()), rarely(), rarely(), pairs);
    let roles = vec![Role::ConversationMain, Role::DelegationSubagent, Role::OrchestrationTask];
    let time = || proptest::option::weighted(0.2, 0..900_000_i64);
    let place = (proptest::option::weighted(0.2, select(vec!["ws_1", "conv:eden-seum", "none"])), time(), time());
    let deliveries = prop_oneof![4 => Just(Vec::new()), 1 => subsequence(DeliveryState::ALL.to_vec(), 0..3)];
    (who, some(KINDS.to_vec()), subsequence(roles, 0..3), deliveries, place).prop_map(
        |((agents, from, to, pairs), types, role, delivery, (session, since, until))| EventsQuery {
            role,
            agents: agents.into_iter().map(AgentId::from).collect(),
            from,
            to,
            pairs: pairs.into_iter().map(|(one, other)| AgentPair::new(one, other)).collect(),
            types: types.into_iter().map(str::to_owned).collect(),
            delivery,
            session: session.map(SessionId::from),
            since: since.map(|after| START_MS + after),
            until: until.map(|after| START_MS + after),
            limit: Some(500),
            ..EventsQuery::default()
        },
    )
}

/// The lines in files of their own, which come in some order and in batches; the agents become known in between.
fn arrived(lines: &[String], order: &[usize], batch: usize, known: usize) -> Hub {
    let mut hub = Hub::new();
    let mut places: Vec<usize> = (0..lines.len()).collect();
    places.sort_by_key(|at| order[at % order.len()] + at / order.len());
    // One of them comes twice.
    places.push(places[0]);
    for (number, places) in places.chunks(batch).enumerate() {
        let event = |at: &usize| parse_lines(format!("{}\n", lines[*at]).as_bytes(), "f", *at as u64 * 1_000).0;
        hub.apply(places.iter().flat_map(event).collect());
        if number == known {
            hub.set_roster(roster());
        }
    }
    hub.set_roster(roster());
    hub
}

fn page(hub: &Hub, now: i64, query: &EventsQuery) -> EventsPage {
    query::events(hub, now, query).unwrap()
}

/// What became of each send, as the threads tell it.
fn fates(hub: &Hub, now: i64, all: &[EventRow]) -> BTreeMap<EventId, DeliveryState> {
    let threads: BTreeSet<_> = all.iter().filter_map(|row| row.session_id.clone().zip(row.thread_id.clone())).collect();
    let thread_query = ThreadQuery { limit: Some(500), ..ThreadQuery::default() };
    let pages =
        threads.iter().filter_map(|(session, id)| query::thread_page(hub, now, session, id, &thread_query).unwrap());
    pages.flat_map(|page| page.exchanges).map(|exchange| (exchange.id, exchange.state)).collect()
}

fn between(row: &EventRow) -> Option<AgentPair> {
    Some(AgentPair::new(row.from.clone()?, row.to.clone()?))
}

fn fits(row: &EventRow, query: &EventsQuery, fates: &BTreeMap<EventId, DeliveryState>) -> bool {
    let concerns = |id: &AgentId| row.from.as_ref() == Some(id) || row.to.as_ref() == Some(id) || row.agent_id == *id;
    (query.agents.is_empty() || query.agents.iter().any(concerns))
        && query.from.as_ref().is_none_or(|from| row.from.as_ref() == Some(from))
        && query.to.as_ref().is_none_or(|to| row.to.as_ref() == Some(to))
        && (query.role.is_empty() || query.role.contains(&row.role))
        && (query.types.is_empty() || query.types.contains(&row.event_type))
        && (query.pairs.is_empty() || between(row).is_some_and(|pair| query.pairs.contains(&pair)))
        && (query.delivery.is_empty() || fates.get(&row.id).is_some_and(|state| query.delivery.contains(state)))
        && query.session.as_ref().is_none_or(|session| row.session_id.as_ref() == Some(session))
        && query.since.is_none_or(|since| row.at >= since)
        && query.until.is_none_or(|until| row.at <= until)
}

fn counted<K: Ord>(keys: impl Iterator<Item = K>) -> BTreeMap<K, u32> {
    let mut counts = BTreeMap::new();
    keys.for_each(|key| *counts.entry(key).or_default() += 1);
    counts
}

/// What a look at each event gives, beside what is answered, page by page.
fn compared(hub: &Hub, now: i64, query: &EventsQuery) -> Result<(), TestCaseError> {
    let all = page(hub, now, &EventsQuery { limit: Some(500), ..EventsQuery::default() }).events;
    prop_assert!(all.is_sorted_by_key(|row| Reverse(row.at)));
    let fates = fates(hub, now, &all);
    let matching = |query: &EventsQuery| all.iter().filter(|row| fits(row, query, &fates)).collect::<Vec<_>>();
    let found = page(hub, now, query);
    prop_assert_eq!(found.events.iter().collect::<Vec<_>>(), matching(query));
    prop_assert_eq!(found.total as usize, found.events.len());
    let mut pages = Vec::new();
    let mut narrow = EventsQuery { limit: Some(3), ..query.clone() };
    loop {
        let page = page(hub, now, &narrow);
        prop_assert_eq!(page.total, found.total, "whatever the page");
        pages.extend(page.events);
        let Some(next) = page.next else { break };
        narrow.before = Some(next);
    }
    prop_assert_eq!(&pages, &found.events);
    let without_pair = matching(&EventsQuery { pairs: Vec::new(), ..query.clone() });
    let pairs = without_pair.into_iter().filter(|row| row.from != row.to).map(|row| between(row).unwrap());
    prop_assert_eq!(found.pair_counts.into_iter().collect::<BTreeMap<_, _>>(), counted(pairs));
    let without_type = matching(&EventsQuery { types: Vec::new(), ..query.clone() });
    let types = counted(without_type.into_iter().map(|row| row.event_type.clone()));
    prop_assert_eq!(found.type_counts.into_iter().collect::<BTreeMap<_, _>>(), types);
    let roles = counted(matching(&EventsQuery { role: Vec::new(), ..query.clone() }).into_iter().map(|row| row.role));
    let role_counts = found.role_counts;
    let role_counts = [
        (Role::ConversationMain, role_counts.conversation_main),
        (Role::DelegationSubagent, role_counts.delegation_subagent),
        (Role::OrchestrationTask, role_counts.orchestration_task),
        (Role::SystemObservability, role_counts.system_observability),
    ];
    prop_assert_eq!(role_counts.into_iter().filter(|(_, count)| *count > 0).collect::<BTreeMap<_, _>>(), roles);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the order in which events come, and whatever their session or the agents' names make of them afterwards.
    #[test]
    fn filtered_events_and_counts_match_linear_scan(
        lines in log(),
        order in proptest::collection::vec(0_usize..40, 8),
        (batch, known) in (1_usize..12, 0_usize..6),
        query in any_query(),
        later in select(vec![0, 2 * NO_TRACE_AFTER_MS]),
    ) {
        let hub = arrived(&lines, &order, batch, known);
        prop_assert_eq!(hub.events().len(), lines.len());
        let now = START_MS + 900_000 + later;
        compared(&hub, now, &EventsQuery { limit: Some(500), ..EventsQuery::default() })?;
        compared(&hub, now, &query)?;
    }
}

#[test]
fn delivery_filter_finds_every_state() {
    let refused = r#","outcome":"blocked","concurrencyBlocked":true"#;
    let silent = r#","outcome":"no_reply""#;
    let hub = hub(&[
        event_line("a2a.send", "eden", "seum", 0, ""),
        event_line("a2a.response", "seum", "eden", 10, ""),
        event_line("a2a.send", "eden", "miri", 20, ""),
        event_line("a2a.response", "miri", "eden", 30, silent),
        event_line("a2a.send", "seum", "miri", 40, ""),
        event_line("a2a.complete", "seum", "miri", 50, refused),
        event_line("a2a.send", "miri", "seum", 60, ""),
        event_line("a2a.send", "eden", "seum", 70, r#","messageIntent":"notification""#),
    ]);
    let total = |state: DeliveryState, now: i64| {
        let delivery = vec![state];
        page(&hub, now, &EventsQuery { delivery, ..EventsQuery::default() }).total
    };
    let totals = |now: i64| DeliveryState::ALL.map(|state| (state.as_str(), total(state, now)));
    let [answered, no_reply, blocked] = [("answered", 1), ("noReply", 1), ("blocked", 1)];
    assert_eq!(
        totals(START_MS + 100),
        [
            ("waiting", 1),
            answered,
            no_reply,
            blocked,
            ("endedWithoutAnswer", 0),
            ("noTrace", 0),
            ("told", 0),
            ("notice", 1),
            ("acknowledged", 0)
        ]
    );
    let later = START_MS + 100 + NO_TRACE_AFTER_MS;
    assert_eq!(
        totals(later),
        [
            ("waiting", 0),
            answered,
            no_reply,
            blocked,
            ("endedWithoutAnswer", 0),
            ("noTrace", 1),
            ("told", 0),
            ("notice", 1),
            ("acknowledged", 0)
        ]
    );
}
