//! Tests of the work list: which events are combined in one line, who can settle it, and the order of lines.
//!
//! Proves (work): The work list combines the events of one problem in one line, names who can settle it, and orders
//! lines by how many agents go on when they are settled, then by how many wait.

use coordination::api::AttentionKind::{self, Approval, Blocked, NoReply, TaskBlocked, UnblockFailed};
use coordination::api::{Attention, AttentionGroup, Home};
use coordination::query;

use super::log::{START_MS, hub, line};

const HOUR: i64 = 3_600_000;

fn home(lines: &[String]) -> Home {
    query::home(&hub(lines), START_MS + HOUR)
}

/// Without what the classifier asks.
fn matters(home: Home) -> Vec<Attention> {
    home.attention.into_iter().filter(|line| line.group() != AttentionGroup::Check).collect()
}

/// A request at minute `after` that nobody answered.
fn unanswered(from: &str, to: &str, session: &str, text: &str, after: i64) -> [String; 2] {
    let talk = format!(
        r#""fromAgent":"{from}","toAgent":"{to}","conversationId":"{from}{to}{session}{after}","workSessionId":"{session}""#
    );
    let ended = r#""outcome":"no_reply","waitStatus":"timeout""#;
    [
        line("a2a.send", from, START_MS + after * 60_000, &format!(r#"{talk},"message":"{text}""#)),
        line("a2a.response", to, START_MS + after * 60_000 + 1, &format!("{talk},{ended}")),
    ]
}

/// A task of `agent` that is blocked since minute `after`.
fn blocked(agent: &str, task: &str, session: &str, helpers: &str, after: i64) -> String {
    let more =
        format!(r#""taskId":"{task}","workSessionId":"{session}","reason":"권한 없음","unblockedBy":[{helpers}]"#);
    line("task.blocked", agent, START_MS + after * 60_000, &more)
}

fn brief(line: &Attention) -> (AttentionGroup, AttentionKind, &str) {
    (line.group(), line.kind, line.agent.as_ref().map_or("", |agent| agent.as_str()))
}

#[test]
fn person_decisions_come_before_agent_waits() {
    let mut lines = vec![
        blocked("seum", "task_helped", "ws_a", r#""eden""#, 1),
        blocked("miri", "task_alone", "ws_b", "", 20),
        line("plan.submitted", "eden", START_MS + 30 * 60_000, r#""planId":"p","taskId":"task_p","title":"봄 캠페인""#),
        line("task.started", "eden", START_MS + 29 * 60_000, r#""taskId":"task_p","requiresApproval":true"#),
    ];
    lines.extend(unanswered("eden", "seum", "ws_c", "확인 부탁", 5));
    let waiting = matters(home(&lines));
    let (person, agents) = (AttentionGroup::Person, AttentionGroup::Agents);
    let expected = [
        (person, TaskBlocked, "miri"),
        (person, Approval, "eden"),
        (agents, NoReply, "eden"),
        (agents, TaskBlocked, "seum"),
    ];
    let mut found: Vec<_> = waiting.iter().map(brief).collect();
    // Eden waits for Seum and Seum for Eden: each holds up one, so age decides among them.
    assert_eq!(
        waiting.iter().filter(|line| line.group() == agents).map(|line| line.held_up).collect::<Vec<_>>(),
        [1, 1]
    );
    assert!(found[2].1 == TaskBlocked && found[3].1 == NoReply, "the longest wait first: {found:?}");
    found.sort_by_key(|it| format!("{it:?}"));
    let mut expected = expected.to_vec();
    expected.sort_by_key(|it| format!("{it:?}"));
    assert_eq!(found, expected);
}

#[test]
fn exhausted_escalations_need_a_person() {
    let lines = [
        blocked("seum", "task_x", "ws_a", r#""eden""#, 1),
        line("unblock.failed", "seum", START_MS + 9 * 60_000, r#""taskId":"task_x""#),
    ];
    let waiting = matters(home(&lines));
    assert_eq!(waiting.iter().map(brief).collect::<Vec<_>>(), [(AttentionGroup::Person, UnblockFailed, "seum")]);
}

#[test]
fn lines_blocking_more_agents_come_first() {
    let mut lines = vec![blocked("miri", "task_old", "ws_a", r#""nobody""#, 1)];
    lines.push(blocked("seum", "task_new", "ws_b", r#""nobody""#, 30));
    // Eden waits for Seum, and Miri's own request waits for Eden: both wait for Seum in the end.
    lines.extend(unanswered("eden", "seum", "ws_c", "언제 되나요?", 31));
    lines.extend(unanswered("miri", "eden", "ws_d", "결과 주세요", 32));
    let waiting = matters(home(&lines));
    let found: Vec<_> = waiting.iter().map(|line| (line.agent.as_ref().unwrap().as_str(), line.held_up)).collect();
    assert_eq!(found, [("seum", 2), ("eden", 1), ("miri", 0), ("miri", 0)]);
}

#[test]
fn line_that_frees_more_agents_comes_first() {
    // Three wait for eden, and two of them for miri as well: settling eden's task frees one.
    let asks = |from: &str, to: &str| {
        let talk = format!(
            r#""fromAgent":"{from}","toAgent":"{to}","conversationId":"{from}{to}","eventRole":"conversation.main","workSessionId":"ws_{from}""#
        );
        line("a2a.send", from, START_MS + HOUR - 30_000, &format!(r#"{talk},"message":"확인 부탁""#))
    };
    let lines = [
        blocked("eden", "task_eden", "ws_eden", "", 1),
        blocked("miri", "task_miri", "ws_miri", "", 2),
        asks("seum", "eden"),
        asks("dajim", "eden"),
        asks("dajim", "miri"),
        asks("narae", "eden"),
        asks("narae", "miri"),
        asks("haru", "miri"),
        asks("bora", "haru"),
    ];
    let counts = |line: Attention| (line.agent.unwrap(), line.freed, line.held_up);
    let waiting: Vec<_> = matters(home(&lines)).into_iter().map(counts).collect();
    assert_eq!(
        waiting,
        [("miri".into(), 2, 4), ("eden".into(), 1, 3)],
        "haru and bora go on with miri, seum alone with eden"
    );
}

#[test]
fn task_and_its_failed_requests_are_one_line() {
    let mut lines = vec![blocked("seum", "task_x", "ws_a", r#""eden""#, 1)];
    lines.extend(unanswered("seum", "eden", "ws_a", "샌드박스 키만 주세요", 2));
    lines.extend(unanswered("seum", "miri", "ws_a", "혹시 키 있나요?", 3));
    lines.extend(unanswered("eden", "miri", "ws_a", "다른 일", 4));
    let off = |n: i64| {
        line(
            "continuation.backoff",
            "seum",
            START_MS + (4 + n) * 60_000,
            &format!(r#""taskId":"task_x","reason":"timeout","consecutiveFailures":{n}"#),
        )
    };
    lines.extend([off(1), off(2), off(3)]);
    let waiting = matters(home(&lines));
    let found: Vec<_> =
        waiting.iter().map(|line| (line.kind, line.agent.as_ref().unwrap().as_str(), line.messages)).collect();
    assert_eq!(found, [(NoReply, "eden", 0), (TaskBlocked, "seum", 2)], "Seum waits for Eden");
}

#[test]
fn repeated_requests_are_one_counted_line() {
    let mut lines = Vec::new();
    for after in 1..5 {
        lines.extend(unanswered("eden", "seum", &format!("ws_{after}"), "배포 상태 알려 주세요", after));
    }
    lines.extend(unanswered("eden", "seum", "ws_5", "다른 질문", 5));
    lines.extend(unanswered("miri", "seum", "ws_6", "배포 상태 알려 주세요", 6));
    let waiting = matters(home(&lines));
    let found: Vec<_> = waiting
        .iter()
        .map(|line| {
            (line.agent.as_ref().unwrap().as_str(), line.detail.as_str(), line.times, (line.since - START_MS) / 60_000)
        })
        .collect();
    let (same, other) = ("배포 상태 알려 주세요", "다른 질문");
    assert_eq!(found, [("eden", same, 4, 4), ("eden", other, 1, 5), ("miri", same, 1, 6)], "the newest represents all");
    assert_eq!(waiting[0].session_id.as_ref().unwrap().as_str(), "ws_4");
}

/// So many sends, each in a talk of its own; every third is refused, all others hear nothing.
const SENDS: i64 = 100;
const LINES: usize = 40;

#[test]
fn longest_waiting_sends_are_shown_rest_counted() {
    let mut lines = Vec::new();
    let mut expected: Vec<(i64, AttentionKind, String)> = Vec::new();
    for number in 0..SENDS {
        // Neither in the order of time nor in its reverse.
        let at = START_MS + number * 37 % SENDS * 1_000;
        let refused = number % 3 == 0;
        let talk = format!(r#""fromAgent":"eden","toAgent":"seum","conversationId":"c{number}""#);
        lines.push(line("a2a.send", "eden", at, &format!(r#"{talk},"message":"요청 {number}""#)));
        if refused {
            let full = r#""outcome":"blocked","message":"[outcome] blocked: 동시 처리 한도 초과 (agent: seum)""#;
            lines.push(line("a2a.response", "seum", at + 1, &format!("{talk},{full}")));
        }
        let kind = if refused { Blocked } else { NoReply };
        expected.push((at + i64::from(refused), kind, format!("요청 {number}")));
    }
    expected.sort_by_key(|(since, ..)| *since);
    expected.truncate(LINES);
    let home = home(&lines);
    assert!(home.attention_more);
    let shown = matters(home).into_iter().map(|line| (line.since, line.kind, line.detail));
    assert_eq!(shown.collect::<Vec<_>>(), expected);
    assert!(expected.iter().any(|(_, kind, _)| *kind == NoReply), "both kinds are cut from");
}
