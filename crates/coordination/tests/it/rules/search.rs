//! Tests of the text filter of the session list (`GET sessions`). The filter searches every message, and ignores text
//! that the page does not display.
//!
//! Proves (search): The session list's filter finds the displayed text of every message, whatever the letter case.

use coordination::api::{SessionCard, SessionsQuery};
use coordination::query;

use super::log::{START_MS, hub, line, reply, send, talk};

/// The cards that hold `q`, of a talk with an old message, a title and a newest line that all differ, and of another.
fn found(q: &str) -> Vec<SessionCard> {
    let other = r#""fromAgent":"eden","toAgent":"miri","conversationId":"d","message":"다른 이야기"#;
    let lines = [
        send(0, r#""message":"[Goal] 주간 점검""#),
        reply(1, r#""message":"API 로그에서 **디스크** 경고를 봤습니다\n```\ndf -h\n```""#),
        send(2, r#""message":"고마워요 <@123456789012345678>""#),
        reply(3, r#""message":"REPLY_SKIP""#),
        talk("a2a.spawn", "eden", "helper", 4, r#""message":"위임된 바나나""#),
        line("a2a.send", "eden", START_MS + 5, &format!("{other}\"")),
    ];
    let query = SessionsQuery { q: Some(q.to_owned()), ..SessionsQuery::default() };
    query::sessions(&hub(&lines), START_MS + 9, &query).unwrap().sessions
}

fn ids(q: &str) -> Vec<String> {
    found(q).into_iter().map(|card| card.work_session_id.into()).collect()
}

#[test]
fn session_search_reads_every_message_ignoring_case() {
    for q in ["디스크", "API 로그", "api 로그", "DF -H", "고마워요", "주간", "이야기"] {
        let wanted = if q == "이야기" { "conv:d" } else { "conv:c" };
        assert_eq!(ids(q), [wanted], "{q}");
    }
    assert_eq!(ids("eden").len(), 2, "whom they took part in stays found");
    assert!(ids("없는 말").is_empty());
}

#[test]
fn undisplayed_text_is_not_found() {
    for q in ["REPLY_SKIP", "바나나"] {
        assert!(ids(q).is_empty(), "{q}");
    }
}

#[test]
fn newest_match_is_shown_unless_title_matches() {
    let card = found("디스크").remove(0);
    let hit = card.found.unwrap();
    assert_eq!((hit.before.as_str(), hit.hit.as_str()), ("API 로그에서 ", "디스크"));
    assert_eq!(hit.after, " 경고를 봤습니다 df -h", "one line, without markdown");
    assert_eq!((hit.from.as_str(), hit.thread_id.as_str()), ("seum", "conv:c"));
    assert_eq!(found("주간").remove(0).found, None, "the title says it already");
    assert_eq!(found("eden").remove(0).found, None, "an agent's name is no message");
}

#[test]
fn a_long_message_is_cut_around_the_text() {
    let long = format!("{}바늘{}", "가나다 ".repeat(40), " 라마바".repeat(60));
    let lines = [send(0, r#""message":"처음""#), send(1, &format!(r#""message":"{long}""#))];
    let query = SessionsQuery { q: Some("바늘".to_owned()), ..SessionsQuery::default() };
    let hit = query::sessions(&hub(&lines), START_MS + 9, &query).unwrap().sessions.remove(0).found.unwrap();
    assert!(hit.before.starts_with('…') && hit.after.ends_with('…'));
    assert_eq!((hit.before.chars().count(), hit.after.chars().count()), (41, 121));
}
