//! Builders of log lines for the rule tests.

use coordination::api::{Delegations, DelegationsQuery, ThreadPage, ThreadQuery};
use coordination::delivery::DeliveryState;
use coordination::event::parse_lines;
use coordination::hub::Hub;
use coordination::query;
use coordination::roster::Roster;

/// Lies after every old era, so that an unanswered send is one.
pub(crate) const T: i64 = 1_771_500_000_000;

/// One line; `data` are the members of its body.
pub(crate) fn line(kind: &str, agent: &str, at: i64, data: &str) -> String {
    format!(r#"{{"type":"{kind}","agentId":"{agent}","ts":{at},"data":{{{data}}}}}"#)
}

/// A line of talk in conversation `c`: `from` and `to`, then what else it says.
pub(crate) fn talk(kind: &str, from: &str, to: &str, after: i64, more: &str) -> String {
    let comma = if more.is_empty() { "" } else { "," };
    line(kind, from, T + after, &format!(r#""fromAgent":"{from}","toAgent":"{to}","conversationId":"c"{comma}{more}"#))
}

pub(crate) fn send(after: i64, more: &str) -> String {
    talk("a2a.send", "eden", "seum", after, more)
}

/// What the target says.
pub(crate) fn back(after: i64, more: &str) -> String {
    talk("a2a.response", "seum", "eden", after, more)
}

pub(crate) fn complete(after: i64, more: &str) -> String {
    talk("a2a.complete", "eden", "seum", after, more)
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

/// The thread of conversation `c`, `after` milliseconds from the start.
pub(crate) fn page(lines: &[String], after: i64) -> ThreadPage {
    let hub = hub(lines);
    let found = query::thread_page(&hub, T + after, &"conv:c".into(), &"conv:c".into(), &ThreadQuery::default());
    found.unwrap().unwrap()
}

/// The runs of conversation `c`.
pub(crate) fn runs(lines: &[String]) -> Delegations {
    query::delegations(&hub(lines), T, &"conv:c".into(), &DelegationsQuery::default()).unwrap().unwrap()
}

/// The state of each send.
pub(crate) fn states(lines: &[String], after: i64) -> Vec<DeliveryState> {
    page(lines, after).exchanges.iter().map(|exchange| exchange.state).collect()
}
