//! Tests of the pages in which the messages of a thread are requested, and of the search within a thread or session.
//! The search finds every match, in order of time.
//!
//! Proves (reading): Each page of a thread says how many messages come before it, and any message or time can start a
//! page.

use coordination::api::{ThreadPage, ThreadQuery, page_mark, page_mark_at};
use coordination::hub::Hub;
use coordination::query;

use super::log::{START_MS, hub, send};

fn ask(hub: &Hub, query: &ThreadQuery) -> ThreadPage {
    query::thread_page(hub, START_MS, &"conv:c".into(), &"conv:c".into(), query).unwrap().unwrap()
}

fn texts(page: &ThreadPage) -> Vec<&str> {
    page.messages.iter().map(|message| message.text.as_str()).collect()
}

#[test]
fn page_starts_at_any_message_or_time() {
    let lines: Vec<_> = (0..10).map(|n| send(n * 1_000, &format!(r#""message":"m{n}""#))).collect();
    let hub = hub(&lines);
    let all = ask(&hub, &ThreadQuery::default());
    assert_eq!(all.offset, 0);
    let third = &all.messages[3];
    let mark = page_mark(third.at, &third.id);

    let newer = ask(&hub, &ThreadQuery { after: Some(mark.clone()), limit: Some(2), ..ThreadQuery::default() });
    assert_eq!((texts(&newer), newer.offset), (vec!["m4", "m5"], 4));
    let older = ask(&hub, &ThreadQuery { before: Some(mark), limit: Some(2), ..ThreadQuery::default() });
    assert_eq!((texts(&older), older.offset), (vec!["m1", "m2"], 1));

    let since = |at| ThreadQuery { after: Some(page_mark_at(at)), limit: Some(1), ..ThreadQuery::default() };
    assert_eq!(texts(&ask(&hub, &since(START_MS + 3_000))), ["m3"], "a moment is in its own page");
    assert_eq!(texts(&ask(&hub, &since(START_MS + 3_001))), ["m4"]);
    let oldest = ask(&hub, &since(i64::MIN));
    assert_eq!((texts(&oldest), oldest.offset), (vec!["m0"], 0));
}

#[test]
fn thread_search_finds_all_messages_in_order() {
    let lines: Vec<_> = (0..2_100)
        .map(|n| send(n * 1_000, &format!(r#""message":"{} {n}""#, if n % 2 == 0 { "배포 Deploy" } else { "리뷰" })))
        .collect();
    let hub = hub(&lines);
    let found = |text: &str| query::thread_found(&hub, &"conv:c".into(), &"conv:c".into(), text).unwrap().unwrap();
    let hits = found("deploy");
    assert_eq!((hits.ids.len(), hits.total), (1_050, 1_050));
    let id = |message: usize| {
        let around = ThreadQuery {
            limit: Some(1),
            after: Some(page_mark_at(START_MS + message as i64 * 1_000)),
            ..ThreadQuery::default()
        };
        ask(&hub, &around).messages[0].id.clone()
    };
    assert_eq!((&hits.ids[0], &hits.ids[1_049]), (&id(0), &id(2_098)));
    let many = found("1");
    assert!(many.total > 1_000 && many.ids.len() == many.total as usize);
    assert!(query::thread_found(&hub, &"conv:c".into(), &"conv:c".into(), " ").is_err(), "nothing to look for");
    assert_eq!(query::thread_found(&hub, &"conv:c".into(), &"conv:other".into(), "배포"), Ok(None));
}

#[test]
fn session_search_covers_threads_in_one_order() {
    let line = |conversation: &str, after: i64, text: &str| {
        let line = send(after, &format!(r#""workSessionId":"ws","message":"{text}""#));
        line.replace("\"conversationId\":\"c\"", &format!("\"conversationId\":\"{conversation}\""))
    };
    let hub = hub(&[
        line("c2", 1_000, "배포 먼저"),
        line("c1", 2_000, "리뷰"),
        line("c1", 3_000, "배포는 내일"),
        line("c2", 4_000, "다시 배포"),
    ]);
    let found = |text: &str| query::session_found(&hub, &"ws".into(), text);
    let hits_in = |thread: &str| query::thread_found(&hub, &"ws".into(), &thread.into(), "배포").unwrap().unwrap().ids;
    let (one, two) = (hits_in("conv:c1"), hits_in("conv:c2"));
    let hits = found("배포").unwrap().unwrap();
    assert_eq!(hits.ids, [two[0].clone(), one[0].clone(), two[1].clone()], "by time, whatever the thread");
    assert_eq!(hits.total, 3);
    assert!(found(" ").is_err(), "nothing to look for");
    assert_eq!(query::session_found(&hub, &"ws_other".into(), "배포"), Ok(None));
}
