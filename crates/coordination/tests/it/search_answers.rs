//! Tests of search results over small logs: which terms match, the order and display of hits, the effect of operators,
//! and pages while events arrive.
//!
//! Proves (search): The pages of a search, joined in order, are the complete result of its first request, also when
//! events arrive between the pages.

use coordination::api::{SearchHit, SearchKind, SearchPage, SearchPlace, SearchQuery};
use coordination::event::parse_lines;
use coordination::hub::Hub;
use coordination::query;
use coordination::roster::Roster;
use coordination::search::index::NoIndex;
use unicode_normalization::UnicodeNormalization;

const START_MS: i64 = 1_771_500_000_000;
const NOW: i64 = START_MS + 3_600_000;

fn hub(lines: &[String]) -> Hub {
    let config = r#"{agents:{list:[{id:"eden",identity:{name:"이든",emoji:"🌱"}},{id:"seum",identity:{name:"세움"}},{id:"dajim"}]}}"#;
    let mut hub = Hub::new();
    hub.set_roster(Roster::parse(config, &mut |_| Err(String::new())).unwrap());
    add(&mut hub, "f", lines);
    hub
}

fn add(hub: &mut Hub, file: &str, lines: &[String]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let (events, errors) = parse_lines(text.as_bytes(), file, 0);
    assert!(errors.is_empty(), "{errors:?}");
    hub.apply(events);
}

fn line(kind: &str, agent: &str, after: i64, data: &str) -> String {
    format!(r#"{{"type":"{kind}","agentId":"{agent}","ts":{},"data":{{{data}}}}}"#, START_MS + after)
}

fn says(session: &str, from: &str, to: &str, after: i64, text: &str) -> String {
    let text = serde_json::to_string(text).unwrap();
    let data = format!(
        r#""fromAgent":"{from}","toAgent":"{to}","workSessionId":"{session}","conversationId":"c-{session}","message":{text}"#
    );
    line("a2a.send", from, after, &data)
}

fn ask(q: &str) -> SearchQuery {
    SearchQuery { q: q.to_owned(), ..SearchQuery::default() }
}

fn page(hub: &Hub, q: &str) -> SearchPage {
    query::search(hub, &NoIndex, NOW, &ask(q)).unwrap_or_else(|error| panic!("{q}: {error}"))
}

/// Snippets of the messages found, with what is marked in brackets.
fn messages(hub: &Hub, q: &str) -> Vec<String> {
    let search_query = SearchQuery { within: vec![SearchKind::Messages], ..ask(q) };
    let page = query::search(hub, &NoIndex, NOW, &search_query).unwrap_or_else(|error| panic!("{q}: {error}"));
    assert_eq!(page.total as usize, page.hits.len());
    page.hits.iter().map(shown).collect()
}

fn shown(hit: &SearchHit) -> String {
    let snippet = hit.snippet.as_ref().unwrap();
    let units: Vec<u16> = snippet.text.encode_utf16().collect();
    let (mut out, mut at) = (String::new(), 0);
    for [from, to] in &snippet.marks {
        let (from, to) = (*from as usize, *to as usize);
        out += &format!("{}[{}]", text(&units[at..from]), text(&units[from..to]));
        at = to;
    }
    out + &text(&units[at..])
}

fn text(units: &[u16]) -> String {
    String::from_utf16(units).expect("on boundaries")
}

fn story() -> Hub {
    let decomposed: String = "배포 끝났어요".nfd().collect();
    hub(&[
        says("ws-api", "eden", "seum", 0, "API 서버 배포를 준비해 주세요 🚀"),
        says("ws-api", "seum", "eden", 1_000, "**배포** 전에 nginx 설정의 workSessionId 확인"),
        says("ws-docs", "eden", "dajim", 2_000, "[Human Intervention] 문서의 배포 절차를 고쳐 주세요"),
        says("ws-docs", "dajim", "eden", 3_000, &decomposed),
        line(
            "task.blocked",
            "seum",
            4_000,
            r#""taskId":"T-7","workSessionId":"ws-api","reason":"배포 권한이 없습니다","status":"blocked""#,
        ),
        line("unblock.requested", "eden", 5_000, r#""taskId":"T-7","label":"권한 요청""#),
    ])
}

#[test]
fn messages_are_found_by_their_words() {
    let hub = story();
    let decomposed: String = "배포".nfd().collect();
    assert_eq!(messages(&hub, "ㅂㅍ").len(), 4);
    assert_eq!(messages(&hub, "배포를 nginx"), ["[배포] 전에 [nginx] 설정의 workSessionId 확인"]);
    assert_eq!(messages(&hub, "\"배포 절차를\""), ["문서의 [배포 절차를] 고쳐 주세요"]);
    assert_eq!(messages(&hub, "work_session_id"), ["배포 전에 nginx 설정의 [workSessionId] 확인"]);
    assert_eq!(messages(&hub, "끝났어요"), [format!("{decomposed} [{}]", "끝났어요".nfd().collect::<String>())]);
    assert_eq!(messages(&hub, &decomposed).len(), 4);
    assert_eq!(messages(&hub, "배포 -nginx -🚀").len(), 2);
    assert_eq!(messages(&hub, "-배포"), Vec::<String>::new());
    assert_eq!(messages(&hub, "🚀"), ["API 서버 배포를 준비해 주세요 [🚀]"]);
    assert_eq!(messages(&hub, "서버 문서"), Vec::<String>::new(), "all words in one message");
}

#[test]
fn operators_narrow_and_negations_exclude() {
    let hub = story();
    for (q, sessions, messages, events) in [
        ("from:eden", 0, 2, 1),
        ("보낸이:이든", 0, 2, 1),
        ("-from:eden", 2, 2, 1),
        ("to:eden", 0, 2, 0),
        ("agent:seum", 1, 2, 1),
        ("agent:eden agent:seum", 1, 2, 0),
        ("from:seum from:dajim", 0, 2, 1),
        ("type:a2a.send", 0, 4, 0),
        ("type:task", 0, 0, 1),
        ("type:a2a type:task", 0, 4, 1),
        ("role:대화", 0, 4, 0),
        ("-role:대화", 2, 0, 2),
        ("is:human", 0, 1, 0),
        ("is:blocked", 0, 0, 1),
        ("is:active", 2, 4, 1),
        ("is:archived", 0, 0, 0),
        ("session:ws-docs", 1, 2, 0),
        ("-session:ws-docs", 1, 2, 2),
        ("task:T-7", 1, 0, 2),
        ("after:2026-02-19T11:20:02Z", 2, 2, 2),
        ("before:2026-02-19T11:20:02Z", 0, 2, 0),
        ("in:messages", 0, 4, 0),
        ("-in:events", 2, 4, 0),
        ("in:messages in:events 배포 -from:eden", 0, 2, 1),
        ("배포 session:ws-api", 1, 2, 1),
    ] {
        let counts = page(&hub, q).counts;
        assert_eq!((counts.sessions, counts.messages, counts.events), (sessions, messages, events), "{q}");
    }
    let waiting = query::search(&hub, &NoIndex, START_MS + 60_000, &ask("is:unanswered in:messages")).unwrap();
    let later = query::search(&hub, &NoIndex, NOW, &ask("is:unanswered in:messages")).unwrap();
    assert_eq!((waiting.total, later.total), (4, 4), "waiting, and long past every wait");
    let category = page(&hub, "in:sessions").hits[0].category.unwrap();
    let same = page(&hub, &format!("in:sessions category:{}", category.as_str())).total;
    assert_eq!(same + page(&hub, &format!("in:sessions -category:{}", category.as_str())).total, 2);
}

#[test]
fn hits_rank_by_place_word_then_time() {
    let mut hub = hub(&[
        says("ws-1", "eden", "seum", 0, "결제 오류 조사"),
        says("ws-2", "eden", "seum", 1_000, "점검 요청"),
        says("ws-2", "seum", "eden", 2_000, "결제를 보겠습니다"),
        says("ws-2", "seum", "eden", 3_000, "결제 확인"),
    ]);
    add(&mut hub, "g", &[line("a2a.spawn", "eden", 500, r#""workSessionId":"ws-3","label":"결제 점검""#)]);
    let ranked = |q: &str| -> Vec<(SearchKind, SearchPlace, i64)> {
        page(&hub, q).hits.iter().map(|hit| (hit.kind, hit.place, hit.at.unwrap() - START_MS)).collect()
    };
    let (session, message, event) = (SearchKind::Sessions, SearchKind::Messages, SearchKind::Events);
    assert_eq!(
        ranked("결제"),
        [
            (session, SearchPlace::Title, 500),
            (session, SearchPlace::Title, 0),
            // By its tag.
            (session, SearchPlace::Label, 3_000),
            (event, SearchPlace::Label, 500),
            (message, SearchPlace::Text, 3_000),
            (message, SearchPlace::Text, 2_000),
            (message, SearchPlace::Text, 0),
        ]
    );
    let words = ranked("결제를");
    assert_eq!(
        words[words.len() - 3..],
        [(message, SearchPlace::Text, 2_000), (message, SearchPlace::Text, 3_000), (message, SearchPlace::Text, 0),],
        "as written before its stem"
    );
    assert_eq!(ranked("in:messages").first(), Some(&(message, SearchPlace::Filter, 3_000)));
    assert_eq!(ranked("이든 in:agents")[0].1, SearchPlace::Title);
    assert_eq!(ranked("🌱 in:agents")[0].1, SearchPlace::Label);
    assert_eq!(ranked("ws-2 in:sessions")[0].1, SearchPlace::Label);
}

#[test]
fn hits_have_context_query_is_explained() {
    let hub = story();
    let page = page(&hub, "배포를 from:이든 -\"안 됨\"");
    let in_docs = |hit: &&SearchHit| hit.session_id.as_ref().is_some_and(|id| id.as_str() == "ws-docs");
    let hit = page.hits.iter().filter(in_docs).find(|hit| hit.kind == SearchKind::Messages).unwrap();
    assert!(hit.human && hit.thread_id.is_some() && hit.category.is_some() && hit.session_title.is_some());
    assert_eq!((hit.from.as_ref().unwrap().as_str(), hit.to.as_ref().unwrap().as_str()), ("eden", "dajim"));
    let clauses: Vec<_> =
        page.clauses.iter().map(|it| (it.name.as_str(), it.value.as_str(), it.not, it.range)).collect();
    assert_eq!(
        clauses,
        [("text", "배포", false, [0, 3]), ("from", "이든", false, [4, 11]), ("phrase", "안 됨", true, [12, 18]),]
    );
    assert_eq!(page.facets.agents, [("eden".into(), 2)]);
    assert_eq!(page.facets.types, [("a2a.send".to_owned(), 2)]);
    assert_eq!(page.facets.sessions.len(), 2);
    assert_eq!(page.facets.categories.iter().map(|(_, sum)| sum).sum::<u32>(), 2);
}

#[test]
fn long_text_is_cut_around_match() {
    let long = format!("{}배포{}", "가 ".repeat(100), " 나".repeat(200));
    let hub = hub(&[says("ws", "eden", "seum", 0, &long)]);
    let snippet = page(&hub, "배포 in:messages").hits[0].snippet.clone().unwrap();
    let chars = snippet.text.chars().count();
    assert!(snippet.text.starts_with('…') && snippet.text.ends_with('…') && chars == 162, "{chars}");
    assert_eq!(snippet.marks, [[41, 43]]);
}

#[test]
fn joined_pages_are_complete_despite_new_events() {
    let lines: Vec<String> = (0..57)
        .map(|n| says(&format!("ws-{}", n % 9), "eden", "seum", n * 1000 % 13_000, &format!("배포를 {n}")))
        .collect();
    for arriving in [false, true] {
        let mut hub = hub(&lines);
        let all = query::search(&hub, &NoIndex, NOW, &SearchQuery { limit: Some(100), ..ask("배포") }).unwrap();
        assert_eq!((all.hits.len(), all.next.is_none()), (all.total as usize, true));
        let (mut joined, mut after, mut pages) = (Vec::new(), None, 0);
        loop {
            let search_query = SearchQuery { limit: Some(7), after: after.clone(), ..ask("배포") };
            let part = query::search(&hub, &NoIndex, NOW, &search_query).unwrap();
            assert_eq!((part.total, &part.counts), (all.total, &all.counts), "of the log as the first page found it");
            joined.extend(part.hits);
            pages += 1;
            if arriving {
                let more = says(&format!("ws-{pages}"), "seum", "eden", 20_000 + pages, "배포를 새로");
                add(&mut hub, &format!("g{pages}"), &[more]);
            }
            after = part.next;
            if after.is_none() {
                break;
            }
        }
        let ids = |hits: &[SearchHit]| -> Vec<String> {
            hits.iter().map(|hit| format!("{:?} {:?} {:?}", hit.event_id, hit.session_id, hit.kind)).collect()
        };
        assert_eq!(ids(&joined), ids(&all.hits));
        assert_eq!(pages, (all.hits.len() as i64 + 6) / 7);
        let fresh = page(&hub, "배포").counts.messages;
        assert_eq!(i64::from(fresh), 57 + if arriving { pages } else { 0 });
    }
}
