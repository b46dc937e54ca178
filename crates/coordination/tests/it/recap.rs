//! Tests of the recap (what changed since a moment): each kind of line with its evidence, the order, and the limit of ten
//! lines.
//!
//! Proves (past): The recap of a period names what began to wait, failed, was decided, was resolved, took unusually long
//! and went unusually quiet, each with its evidence, in at most ten lines. The same events give the same lines in any
//! order of arrival, and a period in which nothing happened has none.

use coordination::api::{Recap, RecapKind, RecapOutcome, RecapQuery};
use coordination::event::{Event, parse_lines};
use coordination::hub::Hub;
use coordination::query;
use coordination::roster::Roster;
use serde_json::{Value, json};

use crate::packed::{events, stories};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const NOW: i64 = 1_772_000_000_000;

/// A log that is written line by line.
#[derive(Default)]
struct RecapLog(Vec<Value>);

impl RecapLog {
    fn add(&mut self, at: i64, kind: &str, agent: &str, data: &Value) {
        self.0.push(json!({"type": kind, "agentId": agent, "ts": at, "data": data}));
    }

    fn send(&mut self, at: i64, conversation: &str, from: &str, to: &str) {
        let data = json!({"fromAgent": from, "toAgent": to, "conversationId": conversation, "message": "부탁해요",
            "eventRole": "conversation.main", "workSessionId": format!("ws_{conversation}")});
        self.add(at, "a2a.send", from, &data);
    }

    fn reply(&mut self, at: i64, conversation: &str, from: &str, to: &str, message: &str) {
        let data = json!({"fromAgent": from, "toAgent": to, "conversationId": conversation, "message": message,
            "eventRole": "conversation.main", "workSessionId": format!("ws_{conversation}")});
        self.add(at, "a2a.response", from, &data);
    }

    fn task(&mut self, at: i64, kind: &str, agent: &str, task: &str) {
        self.add(at, kind, agent, &json!({"taskId": task, "workSessionId": format!("ws_{task}")}));
    }

    fn events(&self) -> Vec<Event> {
        let lines: String = self.0.iter().map(|line| format!("{line}\n")).collect();
        parse_lines(lines.as_bytes(), "f", 0).0
    }

    fn hub(&self) -> Hub {
        hub(self.events())
    }
}

fn hub(events: Vec<Event>) -> Hub {
    let config = r#"{"agents":{"list":[{"id":"eden"},{"id":"seum"},{"id":"miri"}]}}"#;
    let mut hub = Hub::new();
    hub.set_roster(Roster::parse(config, &mut |path| Err(path.to_owned())).unwrap());
    hub.apply(events);
    hub
}

fn recap(hub: &Hub, since: i64) -> Recap {
    query::recap(hub, NOW, &RecapQuery { since: Some(since) })
}

/// Kind, outcome, agents and number of each line.
fn brief(recap: &Recap) -> Vec<(RecapKind, Option<RecapOutcome>, String, String, u32)> {
    let name = |id: &Option<coordination::ids::AgentId>| id.as_ref().map_or("", |id| id.as_str()).to_owned();
    let lines = recap.lines.iter();
    lines.map(|line| (line.kind, line.outcome, name(&line.agent), name(&line.other), line.count)).collect()
}

#[test]
fn each_kind_of_change_has_a_line_with_its_evidence() {
    let since = NOW - DAY;
    let mut log = RecapLog::default();
    // Usual: seum answers within a minute; miri is active each day.
    for day in 1..=5 {
        let at = since - day * DAY + HOUR;
        log.send(at, &format!("u{day}"), "eden", "seum");
        log.reply(at + MINUTE, &format!("u{day}"), "seum", "eden", "했어요");
        log.add(at, "note", "miri", &json!({}));
    }
    log.task(since - HOUR, "task.blocked", "eden", "task_stuck");
    log.task(since - HOUR, "task.started", "eden", "task_going");
    log.add(since - HOUR, "task.started", "seum", &json!({"taskId": "task_asks", "requiresApproval": true}));
    // In the period.
    log.task(NOW - 3 * HOUR, "task.resumed", "eden", "task_stuck");
    log.task(NOW - 2 * HOUR, "task.completed", "eden", "task_going");
    log.task(NOW - 2 * HOUR, "task.approved", "seum", "task_asks");
    log.add(
        NOW - HOUR,
        "task.blocked",
        "seum",
        &json!({"taskId": "task_new", "reason": "열쇠 필요", "unblockedBy": []}),
    );
    log.send(NOW - 5 * HOUR, "slow", "eden", "seum");
    log.reply(NOW - 4 * HOUR, "slow", "seum", "eden", "늦었어요");
    for number in 0..3 {
        let (at, conversation) = (NOW - HOUR + number * MINUTE, format!("lost{number}"));
        log.send(at, &conversation, "seum", "eden");
        log.reply(at + 1_000, &conversation, "eden", "seum", "[outcome] no_reply: 응답 없음");
        // The thread went on: it is over, and not on the work list.
        log.send(at + 2_000, &conversation, "seum", "eden");
        log.reply(at + 3_000, &conversation, "eden", "seum", "이제 봤어요");
    }
    let hub = log.hub();
    let summary = recap(&hub, since);
    let all = brief(&summary);
    assert!(
        all.iter().any(|line| line.0 == RecapKind::Blocked && line.2 == "seum"),
        "the new block comes first: {all:?}"
    );
    let expected = [
        (RecapKind::Failed, Some(RecapOutcome::NoReply), "seum", "eden", 3),
        (RecapKind::Decided, Some(RecapOutcome::Approved), "seum", "", 1),
        (RecapKind::Resolved, Some(RecapOutcome::Completed), "eden", "", 1),
        (RecapKind::Resolved, Some(RecapOutcome::Unblocked), "eden", "", 1),
        (RecapKind::Slow, None, "eden", "seum", 1),
        (RecapKind::Quiet, None, "miri", "", 1),
    ];
    let expected =
        expected.map(|(kind, outcome, agent, other, count)| (kind, outcome, agent.to_owned(), other.to_owned(), count));
    for line in expected {
        assert!(all.contains(&line), "{line:?} in {all:?}");
    }
    for line in &summary.lines {
        let has_evidence = line.event_id.is_some() || line.task_id.is_some();
        assert!(has_evidence && line.at > 0, "{line:?}");
    }
    let slow = summary.lines.iter().find(|line| line.kind == RecapKind::Slow).unwrap();
    assert_eq!((slow.took_ms, slow.usual_ms), (Some(HOUR), Some(MINUTE)));
    assert_eq!(summary.total(RecapKind::Failed), 3);
    let kinds: Vec<RecapKind> = summary.lines.iter().map(|line| line.kind).collect();
    assert!(kinds.is_sorted(), "by kind: {kinds:?}");
}

#[test]
fn nothing_new_gives_no_lines() {
    let mut log = RecapLog::default();
    log.task(NOW - 3 * DAY, "task.completed", "eden", "task_old");
    let summary = recap(&log.hub(), NOW - HOUR);
    assert_eq!((summary.lines.len(), summary.events, summary.sessions), (0, 0, 0));
    assert_eq!(recap(&log.hub(), NOW + DAY).since, NOW, "a moment in the future is now");
    assert!(recap(&Hub::new(), 0).lines.is_empty());
}

/// Many changes of one kind do not crowd out the others, and use what is left.
#[test]
fn many_changes_give_ten_lines_of_all_kinds() {
    let mut log = RecapLog::default();
    for number in 0..30 {
        log.task(NOW - HOUR, "task.completed", "eden", &format!("task_done{number}"));
    }
    let only = recap(&log.hub(), NOW - DAY);
    assert_eq!((only.lines.len(), only.total(RecapKind::Resolved)), (Recap::MAX_LINES, 30));
    for number in 0..30 {
        let data = json!({"taskId": format!("task_stuck{number}"), "reason": "열쇠", "unblockedBy": []});
        log.add(NOW - HOUR, "task.blocked", "seum", &data);
    }
    log.task(NOW - HOUR, "task.cancelled", "eden", "task_off");
    let both = recap(&log.hub(), NOW - DAY);
    let count = |kind| both.lines.iter().filter(|line| line.kind == kind).count();
    assert_eq!((count(RecapKind::Blocked), count(RecapKind::Decided), count(RecapKind::Resolved)), (7, 1, 2));
}

/// The law, over all stories: order of arrival changes nothing.
#[test]
fn any_order_of_arrival_gives_the_same_recap() {
    for story in stories() {
        let log = events(&story);
        let times = || log.iter().map(|event| event.at).filter(|at| *at > 0);
        let (Some(first), Some(last)) = (times().min(), times().max()) else { continue };
        let (forward, backward) = (hub(log.clone()), hub(log.iter().rev().cloned().collect()));
        for since in [first - 1, first + (last - first) / 2, last - HOUR, last] {
            let query = RecapQuery { since: Some(since) };
            assert_eq!(query::recap(&forward, last, &query), query::recap(&backward, last, &query), "{story} {since}");
            // The past is as it was: of the present hub at a moment, and of one that knows no more.
            let known: Vec<Event> = log.iter().filter(|event| event.at <= last).cloned().collect();
            assert_eq!(
                query::recap(&forward, last, &query),
                query::recap(&hub(known), last, &query),
                "{story} {since}"
            );
        }
    }
}
