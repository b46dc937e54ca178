//! Tests of the dashboard's URLs: the expected text of links, filters written to the URL and read back, and unknown
//! filter values.
//!
//! Proves (page): Links have the expected form, and a filter is read back from the URL that it was written to.

mod round_trip;

use coordination::api::{
    AgentPair, AgentState, AttentionGroup, AttentionKind, DeliveryFilter, Origin, SearchKind, TranscriptPlace,
};
use coordination::category::Category;
use coordination::delivery::DeliveryState;
use coordination::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};
use coordination::role::Role;
use coordination::session::Status;
use coordination::session_key::ToolKind;
use coordination::workspace::TaskStatus;

use super::*;

#[test]
fn links_have_expected_form() {
    let session = SessionId::from("conv:한글 id/1");
    let thread = ThreadId::from("pair:eden_seum");
    let built = [
        paths::home(),
        paths::category(Category::InfraOps),
        paths::all(),
        paths::session(&SessionId::from("ws_1")),
        paths::session(&session),
        paths::thread(&session, &thread),
        paths::thread_at(&SessionId::from("ws_1"), &thread, &EventId::from("ab12-450")),
        paths::whole(&session),
        paths::flow(&session, &FlowView::default()),
        paths::flow_at(&SessionId::from("ws_1"), &EventId::from("ab12-450")),
        paths::events(&EventsFilter::of_session(&session)),
        paths::tasks(&TasksFilter {
            view: TasksView::Agent,
            status: Some(TaskStatus::InProgress),
            ..Default::default()
        }),
        paths::task(&AgentId::from("eden"), &TaskId::from("task_1")),
        paths::agents(&AgentsFilter::default()),
        paths::agents(&AgentsFilter {
            state: Some(StateShown(AgentState::Blocked)),
            role: Some(RoleShown::Worker),
            since: PairsSince::Always,
            ..AgentsFilter::default()
        }),
        paths::permission("r1"),
        paths::search(&SearchFilter::default()),
        paths::search(&SearchFilter { q: "보낸이:이든 배포".to_owned(), within: Some(SearchKind::Messages) }),
        paths::stores(&StoresFilter::default()),
        paths::store("agent:eden:discord:channel:42"),
        paths::stores(&StoresFilter { records: true, ..StoresFilter::default() }),
        paths::transcript(&place("agent:eden:main:thread:한/글?", None)).unwrap(),
        paths::transcript(&place("", Some("eden"))).unwrap(),
        paths::archive_as(
            &AgentId::from("a/b"),
            "s-topic-한",
            &StoreView { of: Some("x".to_owned()), ..Default::default() },
        ),
        paths::changes(&ChangesFilter::default()),
        paths::changes(&ChangesFilter::of_session(&session)),
        paths::rules(None),
        paths::rules(Some(Category::InfraOps)),
        paths::alert_rules(),
        paths::new_alert_rule(&NewAlertRule {
            groups: vec![AttentionGroup::Person],
            kinds: vec![AttentionKind::Permission, AttentionKind::ToolApproval],
            agents: vec![AgentId::from("eden")],
        }),
        paths::drift(DriftView::default()),
        paths::drift(DriftView { since: Some(DriftSince::Month), as_table: true }),
    ];
    assert_eq!(
        built.join("\n"),
        "/\n\
         /c/infra_ops\n\
         /all\n\
         /s/ws_1\n\
         /s/conv:%ED%95%9C%EA%B8%80%20id%2F1\n\
         /s/conv:%ED%95%9C%EA%B8%80%20id%2F1/t/pair:eden_seum\n\
         /s/ws_1/t/pair:eden_seum?at=ab12-450\n\
         /s/conv:%ED%95%9C%EA%B8%80%20id%2F1/whole\n\
         /s/conv:%ED%95%9C%EA%B8%80%20id%2F1/flow\n\
         /s/ws_1/flow?sel=ab12-450\n\
         /events?session=conv:%ED%95%9C%EA%B8%80%20id%2F1\n\
         /tasks?view=agent&status=in_progress\n\
         /tasks/eden/task_1\n\
         /agents\n\
         /agents?state=blocked&role=worker&since=all\n\
         /permission/r1\n\
         /search\n\
         /search?q=%EB%B3%B4%EB%82%B8%EC%9D%B4:%EC%9D%B4%EB%93%A0%20%EB%B0%B0%ED%8F%AC&in=messages\n\
         /sessions\n\
         /sessions/agent:eden:discord:channel:42\n\
         /sessions?records=1\n\
         /sessions/agent:eden:main:thread:%ED%95%9C%2F%EA%B8%80%3F?at=0ca6c1bb-a361&of=70e14d35\n\
         /sessions/archive/eden/70e14d35?at=0ca6c1bb-a361\n\
         /sessions/archive/a%2Fb/s-topic-%ED%95%9C\n\
         /audit\n\
         /audit?q=conv:%ED%95%9C%EA%B8%80%20id%2F1\n\
         /rules\n\
         /rules?category=infra_ops\n\
         /alerts\n\
         /alerts?group=person&kind=permission&kind=toolApproval&agent=eden\n\
         /drift\n\
         /drift?since=30d&table=1"
    );
}

/// A line of a session with this key; without a key, of an archived session of an agent.
fn place(key: &str, agent: Option<&str>) -> TranscriptPlace {
    TranscriptPlace {
        key: key.to_owned(),
        agent: agent.map(AgentId::from),
        session: Some("70e14d35".to_owned()),
        entry: Some("0ca6c1bb-a361".to_owned()),
    }
}

#[test]
fn incomplete_target_has_no_link() {
    assert_eq!(paths::transcript(&place("", None)), None);
    let named = TranscriptPlace { session: None, ..place("agent:eden:main", None) };
    assert_eq!(paths::transcript(&named).unwrap(), "/sessions/agent:eden:main?at=0ca6c1bb-a361", "as before");
    assert_eq!(paths::transcript(&TranscriptPlace { session: None, ..place("", Some("eden")) }), None);
}

#[test]
fn session_filters_round_trip_through_url() {
    let filter = SessionsFilter {
        status: Some(Status::Quiet),
        agent: Some(AgentId::from("eden")),
        with: vec![AgentId::from("seum")],
        delivery: Some(DeliveryFilter::Blocked),
        resolved: Some(false),
        first: "2026-02-20".parse().ok(),
        last: "2026-02-21".parse().ok(),
        tag: Some("A/B & C".to_owned()),
        q: Some("결제 100%".to_owned()),
        since: Some(Since::Week),
        unread: true,
        secondary: true,
        group: Grouping::Category,
    };
    let link = paths::sessions(None, &filter);
    let (_, query) = link.split_once('?').unwrap();
    assert_eq!(SessionsFilter::from_pairs(&parse_query(query)), filter);
}

/// Links that were shared when a list had one agent and one type, and no id could hold a comma.
#[test]
fn older_links_still_parse() {
    let pairs = parse_query("?type=a2a.send&agent=Eden&view=tree&turn=ab-1,conv:x&burst=ab-3,cd-4&hide=done,small");
    let filter = EventsFilter::from_pairs(&pairs);
    assert_eq!((filter.types, filter.agents), (vec!["a2a.send".to_owned()], vec!["eden".into()]));
    assert_eq!(filter.tree.turned, ["ab-1", "conv:x"]);
    assert_eq!(filter.unfolded, ["ab-3".into(), "cd-4".into()]);
    assert!(filter.tree.hide_done && filter.tree.hide_small && EventsFilter::unknown(&pairs).is_empty());
    let pairs = parse_query("?pair=eden&pair=eden,seum&delivery=lost&delivery=noReply&origin=log");
    let unknown: Vec<String> = EventsFilter::unknown(&pairs).into_iter().map(|(_, written)| written).collect();
    assert_eq!(unknown, ["eden", "lost"], "unknown values are named, the rest is used");
    let filter = EventsFilter::from_pairs(&pairs);
    assert_eq!((filter.pairs.len(), filter.delivery), (1, vec![DeliveryState::NoReply]));
    assert_eq!(filter.origin, Some(Origin::Log));
    assert_eq!(EventsFilter::unknown(&parse_query("?origin=dream")).len(), 1);
}

#[test]
fn event_and_task_filters_round_trip() {
    let events = EventsFilter {
        role: Some(Role::DelegationSubagent),
        types: vec!["a2a.spawn_result".to_owned(), "odd, kind".to_owned()],
        agents: vec![AgentId::from("seum"), AgentId::from("a,b")],
        from: Some(AgentId::from("eden")),
        to: Some(AgentId::from("miri")),
        pairs: vec![AgentPair::new("eden".into(), "a,b".into())],
        delivery: DeliveryState::ALL.to_vec(),
        origin: Some(Origin::Transcript),
        first: "2026-02-20".parse().ok(),
        last: None,
        session: Some(SessionId::from("ws_1")),
        task: Some(TaskId::from("task_9")),
        since: Some(Since::Hour),
        q: Some("+ 와 &".to_owned()),
        open: Some(EventId::from("f-0")),
        as_tree: true,
        tree: TreeView {
            level: Some(2),
            hide_done: true,
            hide_small: true,
            turned: vec!["ab-1".to_owned(), "conv:x".to_owned()],
            run: Some(EventId::from("ab-9")),
        },
        apart: true,
        as_table: true,
        unfolded: vec!["ab-3".into(), "cd-4".into()],
    };
    assert_eq!(EventsFilter::from_pairs(&parse_query(&query_string(&events.to_pairs()))), events);
    let tasks = TasksFilter { q: Some("배포".to_owned()), agent: Some(AgentId::from("eden")), ..Default::default() };
    assert_eq!(TasksFilter::from_pairs(&parse_query(&query_string(&tasks.to_pairs()))), tasks);
}

#[test]
fn any_event_folds_its_burst() {
    let ids: Vec<EventId> = ["c-3", "c-2", "c-1"].map(EventId::from).to_vec();
    let open = EventsFilter::default().turn_burst(&ids);
    assert_eq!(open.unfolded, [EventId::from("c-1")]);
    // A new event came to it meanwhile.
    let grown: Vec<EventId> = std::iter::once(EventId::from("c-4")).chain(ids).collect();
    assert_eq!(open.turn_burst(&grown), EventsFilter::default());
    assert!(open.is_empty(), "how it is looked at narrows nothing");
}

/// Invalid days are dropped and named as unknown.
#[test]
fn audit_filters_round_trip_and_name_invalid_days() {
    let pairs = parse_query("?who=온새&q=a&from=automatic&to=qa_validation&since=2026-02-20&until=2026-02-21");
    let filter = ChangesFilter::from_pairs(&pairs);
    assert_eq!(filter.from, Some(OverrideSide(coordination::api::ExpectedOverride(None))));
    assert_eq!(filter.until.as_ref().map(Day::as_str), Some("2026-02-21"));
    assert_eq!(ChangesFilter::from_pairs(&parse_query(&query_string(&filter.to_pairs()))), filter);
    let odd = parse_query("?from=galactic&since=2026-02-30&until=yesterday");
    assert!(ChangesFilter::from_pairs(&odd).is_empty());
    assert_eq!(ChangesFilter::unknown(&odd).len(), 3);
}

#[test]
fn store_views_round_trip_through_url() {
    let filter = StoresFilter {
        kinds: vec![ToolKind::Main, ToolKind::Cron],
        agent: Some(AgentId::from("eden")),
        since: Some(Since::Day),
        q: Some("배포 & +".to_owned()),
        archived: true,
        records: true,
    };
    assert_eq!(StoresFilter::from_pairs(&parse_query(&query_string(&filter.to_pairs()))), filter);
    assert!(StoresFilter { archived: true, records: true, ..StoresFilter::default() }.is_empty());
    let odd = parse_query("?kind=main&kind=dream&since=9y&archived=yes");
    assert_eq!(StoresFilter::from_pairs(&odd), StoresFilter { kinds: vec![ToolKind::Main], ..Default::default() });
    assert_eq!(StoresFilter::unknown(&odd).len(), 2);
    let view = StoreView { tools: true, older: 3, at: Some("a/b c".to_owned()), of: Some("70e14d35".to_owned()) };
    assert_eq!(StoreView::from_pairs(&parse_query(&query_string(&view.to_pairs()))), view);
    let far = StoreView::from_pairs(&parse_query("?older=4000000000"));
    assert!(far.is_at_its_end() && far.with_older() == far && StoreView::default().to_pairs().is_empty());
}

#[test]
fn drift_view_round_trips_through_url() {
    for since in DriftSince::ALL.map(Some).into_iter().chain([None]) {
        let view = DriftView { since, as_table: since.is_some() };
        assert_eq!(DriftView::from_pairs(&parse_query(&query_string(&view.to_pairs()))), view);
    }
    let odd = parse_query("?since=6h&table=yes");
    assert_eq!((DriftView::from_pairs(&odd), DriftView::unknown(&odd).len()), (DriftView::default(), 1));
}

#[test]
fn unknown_filter_values_are_dropped() {
    let filter = SessionsFilter::from_pairs(&parse_query("?status=nonsense&agent=Eden&since=3w&tag=&q=%ZZ"));
    assert_eq!(filter.status, None);
    assert_eq!(filter.since, None);
    assert_eq!(filter.tag, None);
    assert_eq!(filter.agent, Some(AgentId::from("eden")));
    assert_eq!(filter.q.as_deref(), Some("%ZZ"));
}

#[test]
fn unknown_filter_values_are_named_as_written() {
    let pairs = parse_query("?status=bogus&since=3w&role=boss&agent=nobody");
    let named = |unknown: Vec<(String, String)>| -> Vec<String> {
        unknown.into_iter().map(|(key, value)| format!("{key}={value}")).collect()
    };
    assert_eq!(named(SessionsFilter::unknown(&pairs)), ["status=bogus", "since=3w"]);
    assert_eq!(named(EventsFilter::unknown(&pairs)), ["role=boss", "since=3w"]);
    assert_eq!(named(TasksFilter::unknown(&pairs)), ["status=bogus"]);
    assert!(SessionsFilter::unknown(&parse_query("?status=quiet&since=7d")).is_empty());
}

#[test]
fn subject_ignores_open_details() {
    for (path, about) in [
        ("/", "/"),
        ("/all", "/all"),
        ("/c/infra_ops", "/c/infra_ops"),
        ("/s/ws_1", "/s/ws_1"),
        ("/s/ws_1/t/conv:1", "/s/ws_1"),
        ("/s/ws_1/flow", "/s/ws_1/flow"),
        ("/tasks", "/tasks"),
        ("/tasks/eden/task_1", "/tasks"),
        ("/events", "/events"),
        ("/drift", "/drift"),
        ("/sessions", "/sessions"),
        ("/sessions/agent:eden:main", "/sessions/agent:eden:main"),
        ("/sessions/archive", "/sessions/archive"),
        ("/sessions/archive/eden/70e14d35", "/sessions/archive/eden/70e14d35"),
    ] {
        assert_eq!(subject(path), about);
    }
    assert_eq!(session_list("/c/infra_ops"), Some(Some(Category::InfraOps)));
    assert_eq!(session_list("/all"), Some(None));
    assert_eq!(session_list("/s/ws_1").or(session_list("/c/nothing")), None);
}

#[test]
fn thread_view_round_trips_through_url() {
    let view = ThreadViewState {
        at: Some(EventId::from("ab12-450")),
        raw: Some(EventId::from("ab12-9")),
        marked: vec!["배포".to_owned(), "a&b".to_owned()],
    };
    assert_eq!(ThreadViewState::from_pairs(&parse_query(&query_string(&view.to_pairs()))), view);
}

#[test]
fn time_window_query_is_stable_for_a_minute() {
    assert_eq!(Since::Hour.earliest_ms(7_200_001), Since::Hour.earliest_ms(7_259_999));
    assert_eq!(Since::Hour.earliest_ms(7_200_000), 3_600_000);
}

#[test]
fn flow_view_round_trips_through_url() {
    for open in [Unfolded::None, Unfolded::All, Unfolded::These(vec![1_771_632_000_000, 7])] {
        let sel = Some(EventId::from("ab12-450"));
        let view = FlowView { table: true, sel, zoom: 150, open, raw: Some(EventId::from("f-1")) };
        assert_eq!(FlowView::from_pairs(&parse_query(&query_string(&view.to_pairs()))), view);
    }
    assert_eq!(FlowView::from_pairs(&parse_query("?view=spiral&zoom=9000&open=x")).zoom, 200);
    assert!(FlowView::default().to_pairs().is_empty());
}

#[test]
fn pauses_unfold_and_fold_singly_or_together() {
    let one = Unfolded::None.toggled(5, &[5, 9]);
    assert_eq!(one, Unfolded::These(vec![5]));
    assert_eq!(one.toggled(9, &[5, 9]), Unfolded::All);
    assert_eq!(Unfolded::All.toggled(5, &[5, 9]), Unfolded::These(vec![9]));
    assert_eq!(one.toggled(5, &[5, 9]), Unfolded::None);
}

#[test]
fn agent_filters_round_trip_and_name_unknown_values() {
    for state in STATES.map(StateShown) {
        for (role, since) in [(None, PairsSince::Day), (Some(RoleShown::Main), PairsSince::Week)] {
            let order = PairsOrder::default().press(PairsColumn::P95).press(PairsColumn::P95);
            let filter = AgentsFilter { state: Some(state), role, since, order, all_pairs: true };
            assert_eq!(AgentsFilter::from_pairs(&filter.to_pairs()), filter);
        }
    }
    let pairs = [("state".to_owned(), "asleep".to_owned()), ("since".to_owned(), "9y".to_owned())];
    assert_eq!(AgentsFilter::from_pairs(&pairs), AgentsFilter::default());
    assert_eq!(AgentsFilter::unknown(&pairs), pairs);
}
