//! Tests of the text filter of the session list, and of the counts beside search results (facets), with 80 agents. The
//! hub stores the first 63 agents of sessions as bits and the others separately, and both kinds must be found. The
//! pages of a filtered list together give the whole list.

use std::collections::BTreeMap;

use coordination::api::{SearchKind, SearchQuery, SessionsPage, SessionsQuery};
use coordination::event::parse_lines;
use coordination::hub::Hub;
use coordination::query;
use coordination::roster::Roster;
use coordination::search::index::NoIndex;

const T: i64 = 1_771_500_000_000;
const NOW: i64 = T + 3_600_000;
/// More than a bit each has room for.
const AGENTS: usize = 80;
const SESSIONS: usize = 160;

/// Every agent is called by its number and takes part in sessions with another one.
fn hub() -> Hub {
    let agents: Vec<String> =
        (0..AGENTS).map(|number| format!(r#"{{id:"a{number:02}",identity:{{name:"이름{number:02}"}}}}"#)).collect();
    let mut hub = Hub::new();
    let config = format!("{{agents:{{list:[{}]}}}}", agents.join(","));
    hub.set_roster(Roster::parse(&config, &mut |_| Err(String::new())).unwrap());
    let lines: String = (0..SESSIONS).map(|number| message(number, 0, "배포 점검")).collect();
    hub.apply(parse_lines(lines.as_bytes(), "f", 0).0);
    hub
}

fn parties(session: usize) -> [String; 2] {
    [session % AGENTS, (session * 7 + 1) % AGENTS].map(|number| format!("a{number:02}"))
}

fn message(session: usize, after: i64, text: &str) -> String {
    let [from, to] = parties(session);
    format!(
        "{{\"type\":\"a2a.send\",\"agentId\":\"{from}\",\"ts\":{},\"data\":{{\"fromAgent\":\"{from}\",\"toAgent\":\"{to}\",\"workSessionId\":\"WS_{session:03}\",\"conversationId\":\"c{session}\",\"message\":\"{text} {session:03}\"}}}}\n",
        T + (session % 40) as i64 * 1_000 + after
    )
}

fn listed(hub: &Hub, q: &str, limit: u32, after: Option<String>) -> SessionsPage {
    let query = SessionsQuery { q: Some(q.to_owned()), limit: Some(limit), after, ..SessionsQuery::default() };
    query::sessions(hub, NOW, &query).unwrap()
}

fn ids(page: &SessionsPage) -> Vec<String> {
    page.sessions.iter().map(|card| card.work_session_id.to_string()).collect()
}

#[test]
fn session_facets_count_every_participant() {
    let hub = hub();
    let query = SearchQuery { q: "점검 in:sessions".to_owned(), ..SearchQuery::default() };
    let page = query::search(&hub, &NoIndex, NOW, &query).unwrap();
    assert_eq!(page.counts.of(SearchKind::Sessions) as usize, SESSIONS);
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for session in 0..SESSIONS {
        let [from, to] = parties(session);
        *counts.entry(from.clone()).or_default() += 1;
        if from != to {
            *counts.entry(to).or_default() += 1;
        }
    }
    let mut expected: Vec<(String, u32)> = counts.into_iter().collect();
    expected.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
    let found: Vec<(String, u32)> = page.facets.agents.iter().map(|(id, sum)| (id.to_string(), *sum)).collect();
    assert_eq!(found, expected[..found.len()]);
    // All sums of sessions are equal: the least ids are shown.
    let query = SearchQuery { q: "점검 in:messages".to_owned(), ..SearchQuery::default() };
    let page = query::search(&hub, &NoIndex, NOW, &query).unwrap();
    let shown: Vec<String> = page.facets.sessions.iter().map(|(id, _, _)| id.to_string()).collect();
    assert_eq!(shown, (0..shown.len()).map(|number| format!("WS_{number:03}")).collect::<Vec<_>>());
    assert_eq!(shown.len(), 20);
}

#[test]
fn display_name_finds_sessions_of_every_agent() {
    let hub = hub();
    for number in 0..AGENTS {
        let id = format!("a{number:02}");
        let expected = (0..SESSIONS).filter(|session| parties(*session).contains(&id)).count();
        assert_eq!(listed(&hub, &format!("이름{number:02}"), 1, None).total as usize, expected, "{id}");
    }
}

#[test]
fn filtered_pages_join_to_the_whole() {
    let hub = hub();
    for q in ["점검", "이름07", "a0", "\"배포 점검\"", "ㅂㅍ"] {
        let whole = ids(&listed(&hub, q, 200, None));
        let mut query = SessionsQuery { limit: Some(200), ..SessionsQuery::default() };
        query.q = None;
        let order = ids(&query::sessions(&hub, NOW, &query).unwrap());
        assert_eq!(whole, order.into_iter().filter(|id| whole.contains(id)).collect::<Vec<_>>(), "{q}");
        let (mut joined, mut after) = (Vec::new(), None);
        loop {
            let page = listed(&hub, q, 7, after);
            joined.extend(ids(&page));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(joined, whole, "{q}");
    }
}

#[test]
fn filter_follows_the_newest_line_and_id() {
    let mut hub = hub();
    let at = |q: &str, hub: &Hub| listed(hub, q, 200, None).total;
    assert_eq!((at("ws_017", &hub), at("롤백", &hub)), (1, 0));
    let lines: String = (0..3).map(|session| message(session, 60_000, "롤백 완료")).collect();
    hub.apply(parse_lines(lines.as_bytes(), "g", 0).0);
    assert_eq!((at("롤백", &hub), at("ㄹㅂ", &hub), at("\"롤백 완료\"", &hub)), (3, 3, 3));
    assert_eq!(at("점검", &hub) as usize, SESSIONS, "older messages are still found");
}
