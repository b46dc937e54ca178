//! Helpers for the tests in this folder: builders of log lines and of a hub that has read them. Queries of the hub
//! return the thread, the delegated runs and the delivery states. All messages have the conversation id `c`.

use coordination::api::{Delegations, DelegationsQuery, Exchange, ThreadPage, ThreadQuery};
use coordination::delivery::DeliveryState;
use coordination::event::parse_lines;
use coordination::hub::Hub;
use coordination::query;
use coordination::roster::Roster;
use expect_test::Expect;

/// Start of the test logs, in epoch ms. It is later than eras E1–E3, which log a send only after its answer.
pub(crate) const START_MS: i64 = 1_771_500_000_000;

/// A log line at an epoch time in ms. `data` are the JSON members of its body.
pub(crate) fn line(kind: &str, agent: &str, at: i64, data: &str) -> String {
    format!(r#"{{"type":"{kind}","agentId":"{agent}","ts":{at},"data":{{{data}}}}}"#)
}

/// An event between two agents in conversation `c`, `at_ms` after the start. `fields` are further JSON members.
pub(crate) fn talk(kind: &str, from: &str, to: &str, at_ms: i64, fields: &str) -> String {
    let comma = if fields.is_empty() { "" } else { "," };
    line(
        kind,
        from,
        START_MS + at_ms,
        &format!(r#""fromAgent":"{from}","toAgent":"{to}","conversationId":"c"{comma}{fields}"#),
    )
}

/// A send from `eden` to `seum`, `at_ms` after the start. `fields` are further JSON members.
pub(crate) fn send(at_ms: i64, fields: &str) -> String {
    talk("a2a.send", "eden", "seum", at_ms, fields)
}

/// A response from `seum` to `eden`, `at_ms` after the start.
pub(crate) fn reply(at_ms: i64, fields: &str) -> String {
    talk("a2a.response", "seum", "eden", at_ms, fields)
}

/// The end of the exchange that `eden` began, `at_ms` after the start.
pub(crate) fn complete(at_ms: i64, fields: &str) -> String {
    talk("a2a.complete", "eden", "seum", at_ms, fields)
}

pub(crate) fn roster() -> Roster {
    let config = r#"{agents:{list:[{id:"eden"},{id:"seum"},{id:"miri"}]}}"#;
    Roster::parse(config, &mut |_| Err(String::new())).unwrap()
}

pub(crate) fn hub(lines: &[String]) -> Hub {
    let mut hub = Hub::new();
    hub.set_roster(roster());
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let (events, errors) = parse_lines(text.as_bytes(), "f", 0);
    assert!(errors.is_empty(), "{errors:?}");
    hub.apply(events);
    hub
}

/// The thread of conversation `c` as seen `now_ms` after the start.
pub(crate) fn thread_at(lines: &[String], now_ms: i64) -> ThreadPage {
    let hub = hub(lines);
    let found =
        query::thread_page(&hub, START_MS + now_ms, &"conv:c".into(), &"conv:c".into(), &ThreadQuery::default());
    found.unwrap().unwrap()
}

/// Compares the thread of conversation `c`, as seen `now_ms` after the start, with a text: one exchange a line, then the
/// numbers of messages and marks and the counts of the thread that are not zero.
pub(crate) fn check(lines: &[String], now_ms: i64, expected: &Expect) {
    expected.assert_eq(&printed(&thread_at(lines, now_ms)));
}

/// The text of [`check`].
pub(crate) fn printed(page: &ThreadPage) -> String {
    let mut text: String = (1..).zip(&page.exchanges).map(|(number, it)| printed_exchange(page, number, it)).collect();
    let trouble = page.thread.trouble;
    text.push_str(&format!("{} messages, {} marks", page.messages.len(), page.marks.len()));
    for (name, count) in [
        ("answered", page.thread.answered),
        ("waiting", trouble.waiting),
        ("no reply", trouble.no_reply),
        ("blocked", trouble.blocked),
        ("no trace", trouble.no_trace),
    ] {
        if count > 0 {
            text.push_str(&format!(", {count} {name}"));
        }
    }
    text + "\n"
}

fn printed_exchange(page: &ThreadPage, number: usize, exchange: &Exchange) -> String {
    let delivery = &exchange.delivery;
    let mut text = format!("{number} {:?}", exchange.state);
    if let Some(reason) = delivery.reason {
        text.push_str(&format!(" {reason:?}"));
    }
    if let Some(at) = delivery.settled_at {
        text.push_str(&format!(" after {} ms", at - START_MS));
    }
    if let Some(at) = page.messages.iter().position(|message| Some(&message.id) == delivery.answer_id.as_ref()) {
        text.push_str(&format!(" by message {}", at + 1));
    }
    if let Some(max_retries) = delivery.max_retries {
        text.push_str(&format!(", {}/{max_retries} retries", delivery.retries));
    }
    if let Some(max_turns) = delivery.max_turns {
        text.push_str(&format!(", {}/{max_turns} turns", delivery.turns));
    }
    if let Some(ended_by) = &delivery.ended_by {
        text.push_str(&format!(", ended by {ended_by}"));
    }
    text + "\n"
}

/// The runs of conversation `c`.
pub(crate) fn runs(lines: &[String]) -> Delegations {
    query::delegations(&hub(lines), START_MS, &"conv:c".into(), &DelegationsQuery::default()).unwrap().unwrap()
}

/// The state of each send, as seen `now_ms` after the start.
pub(crate) fn states(lines: &[String], now_ms: i64) -> Vec<DeliveryState> {
    thread_at(lines, now_ms).exchanges.iter().map(|exchange| exchange.state).collect()
}
