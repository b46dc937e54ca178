//! Tests of query answers over minimal logs: waiting, answered, refused and unanswered sends, results of delegated
//! runs, and page cursors that stay valid while sessions arrive.
//!
//! Proves (work): A send is shown as waiting, answered, without reply, refused or ended, by its log lines and its age.
//! A page cursor stays valid while sessions arrive.

use coordination::api::{DelegationState, DelegationsQuery, SessionsQuery, ThreadQuery};
use coordination::delivery::{DeliveryState, ReasonClass};
use coordination::event::parse_lines;
use coordination::hub::Hub;
use coordination::query;
use coordination::roster::Roster;

const START_MS: i64 = 1_771_500_000_000;

fn hub(lines: &[String]) -> Hub {
    let config = r#"{agents:{list:[{id:"eden"},{id:"seum"},{id:"worker"}]}}"#;
    let mut hub = Hub::new();
    hub.set_roster(Roster::parse(config, &mut |_| Err(String::new())).unwrap());
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let (events, errors) = parse_lines(text.as_bytes(), "f", 0);
    assert!(errors.is_empty(), "{errors:?}");
    hub.apply(events);
    hub
}

fn line(kind: &str, agent: &str, after: i64, data: &str) -> String {
    format!(r#"{{"type":"{kind}","agentId":"{agent}","ts":{},"data":{{{data}}}}}"#, START_MS + after)
}

fn send(after: i64) -> String {
    line("a2a.send", "eden", after, r#""fromAgent":"eden","toAgent":"seum","conversationId":"c","message":"확인해줘""#)
}

/// State and reason of each send of the only thread, an hour after the last line.
fn fates(lines: &[String], now: i64) -> Vec<(DeliveryState, Option<ReasonClass>)> {
    let hub = hub(lines);
    let session = "conv:c".into();
    let page =
        query::thread_page(&hub, START_MS + now, &session, &"conv:c".into(), &ThreadQuery::default()).unwrap().unwrap();
    page.exchanges.iter().map(|exchange| (exchange.state, exchange.delivery.reason)).collect()
}

#[test]
fn send_waits_then_has_no_trace() {
    assert_eq!(fates(&[send(0)], 60_000), [(DeliveryState::Waiting, None)]);
    assert_eq!(fates(&[send(0)], 3_600_000), [(DeliveryState::NoTrace, None)]);
}

#[test]
fn reply_no_reply_refusal_and_end_differ() {
    let back = r#""fromAgent":"seum","toAgent":"eden","conversationId":"c""#;
    let forth = r#""fromAgent":"eden","toAgent":"seum","conversationId":"c""#;
    let reply = line("a2a.response", "seum", 9, &format!(r#"{back},"message":"네""#));
    assert_eq!(fates(&[send(0), reply], 99), [(DeliveryState::Answered, None)]);
    let words = "[outcome] blocked: 응답을 받지 못했습니다 (대기 시간 300초 초과)";
    let old = line("a2a.response", "seum", 9, &format!(r#"{back},"outcome":"blocked","message":"{words}""#));
    assert_eq!(fates(&[send(0), old], 99), [(DeliveryState::NoReply, Some(ReasonClass::Timeout))]);
    let full = "[outcome] blocked: 동시 처리 한도 초과 (agent: seum)";
    let refused = line("a2a.response", "seum", 9, &format!(r#"{forth},"outcome":"blocked","message":"{full}""#));
    assert_eq!(fates(&[send(0), refused], 99), [(DeliveryState::Blocked, Some(ReasonClass::Concurrency))]);
    let end = line("a2a.complete", "eden", 9, forth);
    assert_eq!(fates(&[send(0), end], 99), [(DeliveryState::EndedWithoutAnswer, None)]);
}

#[test]
fn listed_worker_result_is_not_a_message() {
    let hub = hub(&[
        line(
            "a2a.spawn",
            "eden",
            0,
            r#""fromAgent":"eden","toAgent":"worker","conversationId":"c","message":"고쳐줘""#,
        ),
        line("a2a.send", "eden", 2, r#""fromAgent":"eden","toAgent":"worker","conversationId":"c","message":"고쳐줘""#),
        line(
            "a2a.spawn_result",
            "eden",
            9,
            r#""fromAgent":"eden","toAgent":"worker","conversationId":"c","runId":"r","status":"accepted""#,
        ),
        line(
            "a2a.response",
            "worker",
            20,
            r#""fromAgent":"worker","toAgent":"eden","conversationId":"c","runId":"r","turn":1,"maxTurns":1,"replyPreview":"끝""#,
        ),
        line(
            "a2a.complete",
            "worker",
            21,
            r#""fromAgent":"worker","toAgent":"eden","conversationId":"c","runId":"r","totalTurns":1"#,
        ),
    ]);
    let detail = query::session(&hub, START_MS + 99, &"conv:c".into()).unwrap();
    assert!(detail.threads.is_empty());
    let tree =
        query::delegations(&hub, START_MS + 99, &"conv:c".into(), &DelegationsQuery::default()).unwrap().unwrap();
    assert_eq!(tree.rows.len(), 1);
    assert_eq!(tree.rows[0].state, DelegationState::Succeeded);
    assert_eq!(tree.rows[0].events, 5);
}

#[test]
fn page_cursor_stays_valid_with_new_sessions() {
    let talk = |id: &str, after| {
        line(
            "a2a.send",
            "eden",
            after,
            &format!(r#""fromAgent":"eden","toAgent":"seum","conversationId":"{id}","message":"가""#),
        )
    };
    let mut hub = hub(&[talk("a", 1), talk("b", 2), talk("c", 3)]);
    let mut query = SessionsQuery { limit: Some(2), ..SessionsQuery::default() };
    query.after = query::sessions(&hub, START_MS, &query).unwrap().next;
    hub.apply(parse_lines(format!("{}\n", talk("d", 4)).as_bytes(), "g", 0).0);
    let rest = query::sessions(&hub, START_MS, &query).unwrap().sessions;
    assert_eq!(rest.iter().map(|card| card.work_session_id.as_str()).collect::<Vec<_>>(), ["conv:a"]);
}
