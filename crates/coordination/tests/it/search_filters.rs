//! Tests of the text filters of the event, session and task lists, and of find-in-thread. A word or phrase is matched by
//! the same rules in each of them, and a search index does not change a result.
//!
//! Proves (search): The text filters of lists and find-in-thread follow the rules of search.
#![allow(clippy::cast_sign_loss, reason = "tests")]

use coordination::api::{EventsQuery, SessionsQuery, TasksQuery};
use coordination::event::parse_lines;
use coordination::hub::Hub;
use coordination::ids::AgentId;
use coordination::query;
use coordination::roster::Roster;
use coordination::search::index::SearchIndex;
use coordination::workspace::{AgentWorkspace, Task, Workspace};
use unicode_normalization::UnicodeNormalization;

const START_MS: i64 = 1_771_500_000_000;

fn hub() -> Hub {
    let config = r#"{agents:{list:[{id:"eden",identity:{name:"이든"}},{id:"seum"}]}}"#;
    let says = |session: &str, after: i64, text: &str| {
        let text = serde_json::to_string(text).unwrap();
        format!(
            r#"{{"type":"a2a.send","agentId":"eden","ts":{},"data":{{"fromAgent":"eden","toAgent":"seum","workSessionId":"{session}","conversationId":"c-{session}","message":{text}}}}}"#,
            START_MS + after
        )
    };
    let decomposed: String = "서버 배포 절차".nfd().collect();
    let lines = [
        says("ws-1", 0, "API 서버 배포를 준비해 주세요"),
        says("ws-1", 1_000, "nginx 설정의 workSessionId 확인"),
        says("ws-2", 2_000, &decomposed),
        says("ws-3", 3_000, "점심 메뉴"),
    ];
    let mut hub = Hub::new();
    hub.set_roster(Roster::parse(config, &mut |_| Err(String::new())).unwrap());
    hub.apply(parse_lines((lines.join("\n") + "\n").as_bytes(), "f", 0).0);
    let task =
        |id: &str, description: &str| Task { id: id.into(), description: description.to_owned(), ..Task::default() };
    let tasks = vec![task("task_nginx", "서버 배포 자동화"), task("task_lunch", "점심 메뉴 고르기")];
    let folder = AgentWorkspace { agent_id: AgentId::from("eden"), tasks, ..AgentWorkspace::default() };
    hub.set_workspace(Workspace { agents: vec![folder] });
    hub
}

/// How many events, sessions and tasks fit, and how many messages of the first session.
fn counts(hub: &Hub, q: &str) -> [u32; 4] {
    let text = q;
    let q = Some(q.to_owned());
    let events = EventsQuery { q: q.clone(), ..EventsQuery::default() };
    let sessions = SessionsQuery { q: q.clone(), ..SessionsQuery::default() };
    let tasks = TasksQuery { q: q.clone(), ..TasksQuery::default() };
    [
        query::events(hub, START_MS, &events).unwrap().total,
        query::sessions(hub, START_MS, &sessions).unwrap().total,
        query::tasks(hub, START_MS, &tasks).unwrap().total,
        query::session_found(hub, &"ws-1".into(), text).unwrap().unwrap().total,
    ]
}

#[test]
fn words_mean_the_same_in_every_list() {
    let hub = hub();
    let decomposed: String = "배포를".nfd().collect();
    for (q, expected) in [
        ("배포", [2, 2, 1, 1]),
        ("배포를", [2, 2, 1, 1]),
        (&decomposed, [2, 2, 1, 1]),
        ("ㅂㅍ", [2, 2, 1, 1]),
        ("서버 배포", [2, 2, 1, 1]),
        ("\"배포 서버\"", [0, 0, 0, 0]),
        ("nginx를", [1, 1, 1, 1]),
        ("NGINX 배포", [0, 1, 1, 0]),
        ("work_session_id", [1, 1, 0, 1]),
        ("메뉴", [1, 1, 1, 0]),
        ("이든", [0, 3, 0, 0]),
        ("eden", [4, 3, 0, 0]),
        ("a2a.send 메뉴", [1, 0, 0, 0]),
        ("ws-2", [0, 1, 0, 0]),
        ("없는말", [0, 0, 0, 0]),
    ] {
        assert_eq!(counts(&hub, q), expected, "{q}");
    }
}

#[test]
fn session_match_is_shown_as_written() {
    let hub = hub();
    let sessions_query = SessionsQuery { q: Some("절차를".to_owned()), ..SessionsQuery::default() };
    let page = query::sessions(&hub, START_MS, &sessions_query).unwrap();
    let card = &page.sessions[0];
    let nfd = |text: &str| text.nfd().collect::<String>();
    // The title of this session is its first message, and already holds it.
    assert!(card.found.is_none());
    let sessions_query = SessionsQuery { q: Some("nginx 확인".to_owned()), ..SessionsQuery::default() };
    let found = query::sessions(&hub, START_MS, &sessions_query).unwrap().sessions.remove(0).found.unwrap();
    assert_eq!(
        (found.before.as_str(), found.hit.as_str(), found.after.as_str()),
        ("", "nginx", " 설정의 workSessionId 확인")
    );
    assert_eq!(card.title.nfd().collect::<String>(), nfd("서버 배포 절차"));
}

/// Lists answer the same whatever an index covers: nothing, a part, or all of a log that is too long to be looked at one
/// by one.
#[test]
fn an_index_changes_no_list() {
    const LINES: i64 = 6_000;
    let texts = ["서버 배포", "NO_REPLY", "nginx 확인", "점심 메뉴", "배포 nginx NO_REPLY"];
    let line = |number: i64| {
        let (from, to) = if number % 2 == 0 { ("eden", "seum") } else { ("seum", "eden") };
        let kind = ["a2a.send", "a2a.response", "task.updated"][number as usize % 3];
        format!(
            r#"{{"type":"{kind}","agentId":"{from}","ts":{},"data":{{"fromAgent":"{from}","toAgent":"{to}","workSessionId":"ws-{}","conversationId":"c-{}","message":"{}","label":"정기 {}"}}}}"#,
            START_MS + number,
            number / 7,
            number / 7,
            texts[(number / 7) as usize % texts.len()],
            if number % 11 == 0 { "nginx" } else { "작업" },
        ) + "\n"
    };
    let mut hub = hub();
    hub.apply(parse_lines((0..LINES).map(line).collect::<String>().as_bytes(), "g", 0).0);
    let index = |covered: u32| {
        let mut index = SearchIndex::new();
        assert!(hub.index_entries(0, covered).iter().all(|entry| index.add(entry)));
        index
    };
    let (part, all) = (index(4_000), index(u32::MAX));
    for q in
        ["배포", "no_reply", "reply", "nginx 배포", "NO_REPLY 배포", "a2a.send 메뉴", "ㅂㅍ", "정기 nginx", "없는말"]
    {
        let events = EventsQuery { q: Some(q.to_owned()), limit: Some(500), ..EventsQuery::default() };
        let sessions = SessionsQuery { q: Some(q.to_owned()), limit: Some(200), ..SessionsQuery::default() };
        let expected =
            (query::events(&hub, START_MS, &events).unwrap(), query::sessions(&hub, START_MS, &sessions).unwrap());
        for by in [&part, &all] {
            let found = (
                query::events_with_index(&hub, by, START_MS, &events).unwrap(),
                query::sessions_with_index(&hub, by, START_MS, &sessions).unwrap(),
            );
            assert_eq!(found, expected, "{q}");
        }
        assert_eq!(expected.0.total == 0, q == "없는말", "{q}");
    }
}
