//! Which lines home shows when more wait for a person than it has room for.

use coordination::api::AttentionKind::{self, Blocked, NoReply};
use coordination::query;

use super::log::{T, hub, line};

/// So many sends, each in a talk of its own; every third is refused, all others hear nothing.
const SENDS: i64 = 100;
const LINES: usize = 40;

#[test]
fn of_many_stuck_sends_the_most_urgent_and_newest_are_shown() {
    let mut lines = Vec::new();
    let mut expected: Vec<(bool, i64, i64)> = Vec::new();
    for number in 0..SENDS {
        // Neither in the order of time nor in its reverse.
        let at = number * 37 % SENDS * 1_000;
        let refused = number % 3 == 0;
        let talk = format!(r#""fromAgent":"eden","toAgent":"seum","conversationId":"c{number}""#);
        lines.push(line("a2a.send", "eden", T + at, &format!(r#"{talk},"message":"요청 {number}""#)));
        if refused {
            let full = r#""outcome":"blocked","message":"[outcome] blocked: 동시 처리 한도 초과 (agent: seum)""#;
            lines.push(line("a2a.response", "seum", T + at + 1, &format!("{talk},{full}")));
        }
        expected.push((!refused, -(T + at + i64::from(refused)), number));
    }
    expected.sort_unstable();
    let home = query::home(&hub(&lines), T + 3_600_000);
    let shown: Vec<(AttentionKind, i64, String)> =
        home.attention.into_iter().map(|line| (line.kind, line.since, line.detail)).collect();
    let expected: Vec<(AttentionKind, i64, String)> = expected
        .into_iter()
        .take(LINES)
        .map(|(silent, since, number)| (if silent { NoReply } else { Blocked }, -since, format!("요청 {number}")))
        .collect();
    assert_eq!(shown, expected);
    assert!(shown.iter().any(|(kind, ..)| *kind == NoReply), "both kinds are cut from");
}
