//! Property tests of filter types: generated values are restored from their URLs. The filters of stored sessions are
//! tested by examples in `src/routes/tests.rs`.
//!
//! Proves (search): Every filter but those of stored sessions is restored from its address, for any value.

use coordination::api::{AgentPair, DeliveryFilter, ExpectedOverride, Origin, SearchKind};
use coordination::category::Category;
use coordination::delivery::DeliveryState;
use coordination::ids::{AgentId, EventId, SessionId, TaskId};
use coordination::role::Role;
use coordination::session::Status;
use coordination::workspace::TaskStatus;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

use super::super::*;

/// Any text without blanks around it, as an address keeps it.
fn word() -> impl Strategy<Value = String> {
    let text = proptest::collection::vec(any::<char>(), 1..8).prop_map(|text| text.into_iter().collect::<String>());
    let odd = select(vec![
        "가 나",
        "a&b=c",
        "100%",
        "+",
        "#x?y",
        "한글:\"따옴표\"",
        "%2C",
        "a,b",
        ",",
        "a\\,b",
        "c\\",
        "🙂",
        "\u{202E}x",
    ]);
    prop_oneof![text, odd.prop_map(str::to_owned)].prop_filter_map("blank", |text| {
        let text = text.trim().to_owned();
        (!text.is_empty()).then_some(text)
    })
}

fn agent() -> impl Strategy<Value = AgentId> {
    word().prop_filter_map("changes by itself", |text| {
        let lower = text.to_lowercase();
        (lower.trim() == lower && lower.to_lowercase() == lower).then_some(AgentId::from(lower))
    })
}

/// Up to four, each once.
fn several<T: Clone + PartialEq + std::fmt::Debug>(one: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<T>> {
    proptest::collection::vec(one, 0..4).prop_map(|all| {
        let mut each: Vec<T> = Vec::new();
        for one in all {
            if !each.contains(&one) {
                each.push(one);
            }
        }
        each
    })
}

fn day() -> impl Strategy<Value = Day> {
    (1970..2200_u32, 1..13_u32, 1..29_u32)
        .prop_filter_map("no day", |(year, month, day)| format!("{year}-{month:02}-{day:02}").parse().ok())
}

fn one<T: Clone + std::fmt::Debug + 'static>(all: &[T]) -> impl Strategy<Value = T> + use<T> {
    select(all.to_vec())
}

/// From pairs to an address and back, as a browser does it.
fn there_and_back(pairs: &[(String, String)]) -> Vec<(String, String)> {
    parse_query(&query_string(pairs))
}

fn sessions() -> impl Strategy<Value = SessionsFilter> {
    let who = (of(agent()), several(agent()), of(one(&DeliveryFilter::ALL)), of(any::<bool>()));
    let what = (of(one(&Status::ALL)), of(word()), of(word()), any::<[bool; 3]>());
    let when = (of(one(&Since::ALL)), of(day()), of(day()));
    (who, what, when).prop_map(|((agent, with, delivery, resolved), (status, tag, q, flags), (since, first, last))| {
        let [unread, secondary, grouped] = flags;
        let group = if grouped { Grouping::Category } else { Grouping::Latest };
        SessionsFilter { status, agent, with, delivery, resolved, tag, secondary, q, since, first, last, unread, group }
    })
}

fn tree() -> impl Strategy<Value = TreeView> {
    let turned = proptest::collection::vec(word(), 0..4);
    (of(1..99_u32), any::<bool>(), any::<bool>(), turned, of(word().prop_map(EventId::from)))
        .prop_map(|(level, hide_done, hide_small, turned, run)| TreeView { level, hide_done, hide_small, turned, run })
}

fn events() -> impl Strategy<Value = EventsFilter> {
    let pair = (agent(), agent()).prop_map(|(one, other)| AgentPair::new(one, other));
    let who = (several(agent()), of(agent()), of(agent()), several(pair), several(one(&DeliveryState::ALL)));
    let who = (who, of(one(&Origin::ALL)));
    let what = (
        of(one(&Role::ALL)),
        several(word()),
        of(word().prop_map(SessionId::from)),
        of(word().prop_map(TaskId::from)),
        of(word()),
    );
    let when = (of(one(&Since::ALL)), of(day()), of(day()));
    let unfolded = proptest::collection::vec(word().prop_map(EventId::from), 0..4);
    let look = (of(word().prop_map(EventId::from)), any::<bool>(), tree(), any::<bool>(), any::<bool>(), unfolded);
    (who, what, when, look).prop_map(|(who, what, when, look)| {
        let (((agents, from, to, pairs, delivery), origin), (role, types, session, task, q)) = (who, what);
        let ((since, first, last), (open, as_tree, tree, apart, as_table, unfolded)) = (when, look);
        EventsFilter {
            role,
            types,
            agents,
            from,
            to,
            pairs,
            delivery,
            origin,
            session,
            task,
            since,
            first,
            last,
            q,
            open,
            as_tree,
            tree,
            apart,
            as_table,
            unfolded,
        }
    })
}

fn side() -> impl Strategy<Value = OverrideSide> {
    of(one(&Category::ALL)).prop_map(|category| OverrideSide(ExpectedOverride(category)))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sessions_come_back(filter in sessions()) {
        prop_assert_eq!(SessionsFilter::from_pairs(&there_and_back(&filter.to_pairs())), filter);
    }

    #[test]
    fn events_come_back(filter in events()) {
        prop_assert_eq!(EventsFilter::from_pairs(&there_and_back(&filter.to_pairs())), filter);
    }

    #[test]
    fn tasks_come_back(by_agent: bool, agent in of(agent()), status in of(one(&TaskStatus::ALL)), session in of(word()), q in of(word())) {
        let view = if by_agent { TasksView::Agent } else { TasksView::Status };
        let filter = TasksFilter { view, agent, status, session: session.map(SessionId::from), q };
        prop_assert_eq!(TasksFilter::from_pairs(&there_and_back(&filter.to_pairs())), filter);
    }

    #[test]
    fn searches_come_back(q in of(word()), within in of(one(&SearchKind::ALL))) {
        let filter = SearchFilter { q: q.unwrap_or_default(), within };
        prop_assert_eq!(SearchFilter::from_pairs(&there_and_back(&filter.to_pairs())), filter);
    }

    #[test]
    fn threads_come_back(at in of(word()), raw in of(word()), marked in proptest::collection::vec(word(), 0..5)) {
        let view = ThreadViewState { at: at.map(EventId::from), raw: raw.map(EventId::from), marked };
        prop_assert_eq!(ThreadViewState::from_pairs(&there_and_back(&view.to_pairs())), view);
    }

    #[test]
    fn flow_views_come_back(table: bool, sel in of(word()), zoom in 50..=200_u32, times in proptest::collection::vec(any::<i64>(), 0..4), all: bool, raw in of(word())) {
        let open = match (all, times.is_empty()) {
            (true, _) => Unfolded::All,
            (false, true) => Unfolded::None,
            (false, false) => Unfolded::These(times),
        };
        let view = FlowView { table, sel: sel.map(EventId::from), zoom, open, raw: raw.map(EventId::from) };
        prop_assert_eq!(FlowView::from_pairs(&there_and_back(&view.to_pairs())), view);
    }

    #[test]
    fn agents_come_back(state in of(one(&STATES)), role in of(one(&RoleShown::ALL)), since in one(&PairsSince::ALL), column in one(&PairsColumn::ALL), ascending: bool, all_pairs: bool) {
        let order = PairsOrder { column, ascending };
        let filter = AgentsFilter { state: state.map(StateShown), role, since, order, all_pairs };
        prop_assert_eq!(AgentsFilter::from_pairs(&there_and_back(&filter.to_pairs())), filter);
    }

    #[test]
    fn changes_come_back(who in of(word()), q in of(word()), from in of(side()), to in of(side()), since in of(day()), until in of(day())) {
        let filter = ChangesFilter { who, q, from, to, since, until };
        prop_assert_eq!(ChangesFilter::from_pairs(&there_and_back(&filter.to_pairs())), filter);
    }

    #[test]
    fn drifts_come_back(since in of(one(&DriftSince::ALL)), as_table: bool) {
        let view = DriftView { since, as_table };
        prop_assert_eq!(DriftView::from_pairs(&there_and_back(&view.to_pairs())), view);
    }

    /// A saved view is an address: it shows the same list again, narrowed alike, whatever name it is shared under.
    #[test]
    fn saved_views_come_back(filter in sessions(), events in events(), name in word()) {
        let (list, log) = (paths::sessions(Some(Category::InfraOps), &filter), paths::events(&events));
        prop_assert_eq!(listed_at(&list), Some(SavableList::Sessions(Some(Category::InfraOps), filter)));
        prop_assert_eq!(listed_at(&log), Some(SavableList::Events(Box::new(events))));
        let shared = shared_view(&list, &name);
        prop_assert_eq!(listed_at(&shared), listed_at(&list));
        let (_, query) = shared.split_once('?').unwrap();
        prop_assert_eq!(shared_name(&parse_query(query)), Some(name));
    }
}

fn listed_at(path: &str) -> Option<SavableList> {
    super::super::savable_list(below(path))
}
