//! Tests of query parameters: accepted values, refused values with their errors, and parameters that are written into
//! an address and parsed again.
//!
//! Proves (search): Query parameters are accepted or refused with an error that names the field. Written and parsed
//! again, they are unchanged.

use coordination::api::{
    AgentPair, DelegationsQuery, DeliveryFilter, EventsQuery, Origin, SessionsQuery, SessionsSort, TasksQuery,
    ThreadQuery,
};
use coordination::category::Category;
use coordination::delivery::DeliveryState;
use coordination::query::QueryError;
use coordination::query::params::{FromPairs as _, ToPairs};
use coordination::role::Role;
use coordination::session::Status;
use coordination::workspace::TaskStatus;

type ParamPairs = Vec<(String, String)>;

fn pairs(list: &[(&str, &str)]) -> ParamPairs {
    list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn bad_value_names_field_and_accepted_values() {
    type ParamParser = fn(&[(String, String)]) -> Option<QueryError>;
    let sessions: ParamParser = |pairs| SessionsQuery::from_pairs(pairs).err();
    let thread: ParamParser = |pairs| ThreadQuery::from_pairs(pairs).err();
    let events: ParamParser = |pairs| EventsQuery::from_pairs(pairs).err();
    let tasks: ParamParser = |pairs| TasksQuery::from_pairs(pairs).err();
    for (read, field, value, allowed) in [
        (sessions, "category", "cooking", "engineering_build"),
        (sessions, "status", "asleep", "QUIET"),
        (sessions, "status", "active,asleep", "ARCHIVED"),
        (sessions, "sort", "oldest", "latest"),
        (sessions, "since", "yesterday", "ISO 8601"),
        (sessions, "since", "-1", "epoch milliseconds"),
        (sessions, "limit", "0", "1..200"),
        (sessions, "limit", "201", "1..200"),
        (sessions, "limit", "many", "1..200"),
        (sessions, "colour", "red", "category"),
        (thread, "limit", "501", "1..500"),
        (events, "role", "boss", "conversation.main"),
        (events, "until", "soon", "ISO 8601"),
        (events, "limit", "-3", "1..500"),
        (events, "delivery", "lost", "noReply"),
        (tasks, "status", "forgotten", "in_progress"),
        (tasks, "limit", "501", "1..500"),
        (tasks, "before", "x", "status"),
    ] {
        let error = read(&pairs(&[(field, value)])).unwrap_or_else(|| panic!("{field}={value} was accepted"));
        assert_eq!(error.field, field, "{value}");
        assert!(error.allowed.iter().any(|item| item == allowed), "{field}={value}: {:?}", error.allowed);
        assert!(error.message.starts_with(field), "{}", error.message);
    }
}

#[test]
fn repeated_overlong_and_excess_values_are_refused() {
    let field = |list: &[(&str, &str)]| SessionsQuery::from_pairs(&pairs(list)).unwrap_err().field;
    assert_eq!(field(&[("q", "a"), ("q", "b")]), "q");
    assert_eq!(field(&[("q", &"가".repeat(401))]), "q");
    assert!(SessionsQuery::from_pairs(&pairs(&[("q", &"가".repeat(400))])).is_ok());
    for wrong in ["eden", "eden,seum,miri", ","] {
        assert_eq!(EventsQuery::from_pairs(&pairs(&[("pair", wrong)])).unwrap_err().field, "pair", "{wrong}");
    }
    let many: ParamPairs = (0..51).map(|number| ("type".to_owned(), format!("t{number}"))).collect();
    assert_eq!(EventsQuery::from_pairs(&many).unwrap_err().field, "type");
    assert!(EventsQuery::from_pairs(&many[1..]).is_ok());
    assert_eq!(ThreadQuery::from_pairs(&pairs(&[("before", "a"), ("around", "b")])).unwrap_err().field, "around");
}

#[test]
fn blanks_are_ignored_lists_repeat_or_separate() {
    assert_eq!(
        SessionsQuery::from_pairs(&pairs(&[("q", "  "), ("status", ","), ("limit", "")])).unwrap(),
        SessionsQuery::default()
    );
    let read =
        SessionsQuery::from_pairs(&pairs(&[("status", "active, QUIET"), ("status", "active"), ("agent", "Eden")]))
            .unwrap();
    assert_eq!(read.status, [Status::Active, Status::Quiet]);
    assert_eq!(read.agent.unwrap().as_str(), "eden");
    assert_eq!(SessionsQuery::from_pairs(&pairs(&[("since", "1970-01-02")])).unwrap().since, Some(86_400_000));
    // As one agent was asked for before there could be several.
    assert_eq!(EventsQuery::from_pairs(&pairs(&[("agent", "Eden")])).unwrap().agents, ["eden".into()]);
    let several =
        EventsQuery::from_pairs(&pairs(&[("agent", "eden,Seum"), ("agent", "EDEN"), ("agent", r"a\,b")])).unwrap();
    assert_eq!(several.agents, ["eden".into(), "seum".into(), "a,b".into()]);
    let pair = EventsQuery::from_pairs(&pairs(&[("pair", "Seum, eden"), ("pair", "eden,seum")])).unwrap().pairs;
    assert_eq!(pair, [AgentPair::new("eden".into(), "seum".into())], "either way it is one pair");
}

#[test]
fn written_params_round_trip() {
    let sessions = SessionsQuery {
        category: Some(Category::InfraOps),
        include_secondary: true,
        status: Status::ALL.to_vec(),
        agent: Some("eden".into()),
        with: vec!["seum".into(), "mi,ri".into()],
        session_key: Some("agent:eden:main, x".to_owned()),
        delivery: DeliveryFilter::ALL.to_vec(),
        resolved: Some(true),
        tag: Some("배포".to_owned()),
        q: Some("a & b, c".to_owned()),
        since: Some(1),
        until: Some(2),
        sort: SessionsSort::Category,
        limit: Some(200),
        after: Some("mark".to_owned()),
    };
    assert_eq!(SessionsQuery::from_pairs(&sessions.to_pairs()).unwrap(), sessions);
    let events = EventsQuery {
        role: Role::ALL.to_vec(),
        types: vec!["a2a.send".to_owned(), "task,blocked".to_owned()],
        agents: vec!["seum".into(), "a,b".into()],
        from: Some("eden".into()),
        to: Some("seum".into()),
        pairs: vec![AgentPair::new("seum".into(), "eden".into()), AgentPair::new("a,b".into(), r"c".into())],
        delivery: DeliveryState::ALL.to_vec(),
        origin: Some(Origin::Transcript),
        session: Some("conv:C".into()),
        task: Some("task_a1".into()),
        since: Some(1),
        until: Some(2),
        q: Some("로그".to_owned()),
        limit: Some(500),
        before: Some("mark".to_owned()),
    };
    assert_eq!(EventsQuery::from_pairs(&events.to_pairs()).unwrap(), events);
    let runs = DelegationsQuery {
        since: Some(1),
        until: Some(2),
        agents: events.agents.clone(),
        from: events.from.clone(),
        to: events.to.clone(),
        pairs: events.pairs.clone(),
        limit: Some(10_000),
    };
    assert_eq!(DelegationsQuery::from_pairs(&runs.to_pairs()).unwrap(), runs);
    let tasks = TasksQuery {
        agent: Some("eden".into()),
        status: TaskStatus::ALL.to_vec(),
        session: Some("ws-1".into()),
        q: Some("x".to_owned()),
        limit: Some(500),
        after: Some("mark".to_owned()),
    };
    assert_eq!(TasksQuery::from_pairs(&tasks.to_pairs()).unwrap(), tasks);
    let thread = ThreadQuery { around: Some("f-1".to_owned()), limit: Some(1), ..ThreadQuery::default() };
    assert_eq!(ThreadQuery::from_pairs(&thread.to_pairs()).unwrap(), thread);
    assert!(SessionsQuery::default().to_pairs().is_empty() && TasksQuery::default().to_pairs().is_empty());
    assert!(EventsQuery::default().to_pairs().is_empty() && ThreadQuery::default().to_pairs().is_empty());
}
