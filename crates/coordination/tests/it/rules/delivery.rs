//! Tests of the delivery state machine over every variant of `contract/events.md` §5–§6.
//!
//! Proves (delivery): The delivery state follows the contract for every variant of response and end.

use coordination::api::{AttentionKind, MarkKind, MessageKind, SearchQuery, ThreadQuery, Trouble};
use coordination::delivery::DeliveryState::{Answered, Blocked, EndedWithoutAnswer, NoReply, NoTrace, Notice, Waiting};
use coordination::delivery::{NO_TRACE_AFTER_MS, ReasonClass};
use coordination::query;
use coordination::search::index::NoIndex;
use expect_test::expect;

use super::log::{START_MS, check, complete, hub, line, printed, reply, send, states, talk, thread_at};

const ASK: &str = r#""message":"확인해줘""#;
const YES: &str = r#""message":"네, 봤어요""#;
const CONCURRENCY_FULL: &str = "[outcome] blocked: 동시 처리 한도 초과 (agent: seum)";

/// A form in which the log writes that a reply is missing.
#[derive(Debug, Clone, Copy)]
struct MissingReply {
    outcome: &'static str,
    text: &'static str,
    /// Appended to the text in brackets; may be empty.
    reason: &'static str,
    /// Field `waitStatus`; may be empty.
    wait_status: &'static str,
}

impl MissingReply {
    fn because(self, reason: &'static str) -> Self {
        Self { reason, ..self }
    }

    fn after_wait(self, wait_status: &'static str) -> Self {
        Self { wait_status, ..self }
    }

    fn line(&self, after: i64) -> String {
        let status = self.wait_status;
        let wait_status = if status.is_empty() { String::new() } else { format!(r#","waitStatus":"{status}""#) };
        let reason = if self.reason.is_empty() { String::new() } else { format!(" ({})", self.reason) };
        let (outcome, text) = (self.outcome, self.text);
        reply(after, &format!(r#""outcome":"{outcome}","message":"{text}{reason}"{wait_status}"#))
    }
}

/// The form that the log has now.
const MISSING: MissingReply = MissingReply {
    outcome: "no_reply",
    text: "[outcome] no_reply: 메시지가 전달되었으나 응답을 수신하지 못했습니다",
    reason: "",
    wait_status: "",
};
/// The form of eras E4–E5.
const OLD_MISSING: MissingReply =
    MissingReply { outcome: "blocked", text: "[outcome] blocked: 응답을 받지 못했습니다", ..MISSING };

#[test]
fn missing_reply_forms_have_state_and_reason() {
    let cases = [
        (MISSING, ReasonClass::Unspecified),
        (MISSING.because("대기 시간 300초 초과"), ReasonClass::Timeout),
        (MISSING.because("실행 상태를 찾을 수 없음"), ReasonClass::RunNotFound),
        (MISSING.because("실행 오류"), ReasonClass::RunError),
        (MISSING.because("429 Too Many Requests"), ReasonClass::RateLimit),
        (MISSING.because("prompt is too long (210000 tokens)"), ReasonClass::ContextOverflow),
        // The words of the specification, with and without the status of the wait.
        (MISSING.because("LLM request rejected"), ReasonClass::ContextOverflow),
        (MISSING.because("LLM request rejected").after_wait("error"), ReasonClass::ContextOverflow),
        (MISSING.after_wait("timeout"), ReasonClass::Timeout),
        (MISSING.after_wait("not_found"), ReasonClass::RunNotFound),
        (MISSING.after_wait("error"), ReasonClass::RunError),
        // E4–E5 wrote `blocked` for what is not a refusal.
        (OLD_MISSING, ReasonClass::Unspecified),
        (OLD_MISSING.because("대기 시간 300초 초과").after_wait("timeout"), ReasonClass::Timeout),
        (OLD_MISSING.after_wait("not_found"), ReasonClass::RunNotFound),
    ];
    for (case, class) in cases {
        let page = thread_at(&[send(0, ASK), case.line(300_000)], 400_000);
        // The machine's text is a mark of the exchange and no message.
        let expected = format!("1 NoReply {class:?} after 300000 ms\n1 messages, 1 marks, 1 no reply\n");
        assert_eq!(printed(&page), expected, "{case:?}");
        assert!(matches!(page.marks[0].kind, MarkKind::NoReply { reason, .. } if reason == class), "{case:?}");
        assert_eq!(page.marks[0].exchange_id.as_ref(), Some(&page.exchanges[0].id), "{case:?}");
    }
}

#[test]
fn waited_seconds_are_read_from_reason() {
    let page = thread_at(&[send(0, ASK), MISSING.because("대기 시간 300초 초과").line(9)], 99);
    assert!(matches!(page.marks[0].kind, MarkKind::NoReply { waited_secs: Some(300), .. }));
}

#[test]
fn answer_settles_send_and_is_linked_to_it() {
    check(
        &[send(0, ASK), reply(61_500, YES)],
        99_000,
        &expect![[r#"
        1 Answered after 61500 ms by message 2
        2 messages, 0 marks, 1 answered
    "#]],
    );
    assert_eq!(thread_at(&[send(0, ASK), reply(61_500, YES)], 99_000).messages[1].kind, MessageKind::Reply);
}

#[test]
fn turns_continue_exchange_end_gives_reason() {
    let turn = |from: &str, to: &str, at_ms, number| {
        talk("a2a.response", from, to, at_ms, &format!(r#""turn":{number},"maxTurns":3,"message":"말 {number}""#))
    };
    let end = r#""announced":true,"configuredMaxTurns":5,"effectiveTurns":3,"actualTurns":2,"earlyTermination":true,"terminationReason":"conclusion_detected","messageIntent":"request""#;
    let lines =
        [send(0, ASK), reply(10, YES), turn("eden", "seum", 20, 1), turn("seum", "eden", 30, 2), complete(40, end)];
    check(
        &lines,
        99,
        &expect![[r#"
        1 Answered after 10 ms by message 2, 2/3 turns, ended by conclusion_detected
        4 messages, 1 marks, 1 answered
    "#]],
    );
    let page = thread_at(&lines, 99);
    let kinds: Vec<_> = page.messages.iter().map(|message| (message.kind, message.turn)).collect();
    let turn = MessageKind::Turn;
    assert_eq!(kinds, [(MessageKind::Send, None), (MessageKind::Reply, None), (turn, Some(1)), (turn, Some(2))]);
    let delivery = &page.exchanges[0].delivery;
    assert_eq!((delivery.announced, delivery.intent.as_deref()), (Some(true), Some("request")));
    let MarkKind::Complete { early, turns, max_turns, failed, .. } = &page.marks[0].kind else { panic!("no end") };
    assert_eq!((*early, *turns, *max_turns, *failed), (true, Some(2), Some(3), false));
}

#[test]
fn concurrency_block_comes_from_target() {
    // The writer does not swap from and to here (D23).
    let data = format!(
        r#""fromAgent":"eden","toAgent":"seum","conversationId":"c","outcome":"blocked","message":"{CONCURRENCY_FULL}""#
    );
    let refused = line("a2a.response", "seum", START_MS + 30_000, &data);
    let end = complete(30_001, r#""announced":false,"concurrencyBlocked":true"#);
    for lines in
        [vec![send(0, ASK), refused.clone()], vec![send(0, ASK), refused, end.clone()], vec![send(0, ASK), end]]
    {
        let page = thread_at(&lines, 99_000);
        assert_eq!(page.exchanges[0].state, Blocked, "{lines:?}");
        assert_eq!(page.exchanges[0].delivery.reason, Some(ReasonClass::Concurrency), "{lines:?}");
        assert_eq!(page.messages.len(), 1, "{lines:?}");
        assert_eq!((page.marks[0].from.as_str(), page.marks[0].to.as_str()), ("eden", "seum"), "asked, was asked");
        assert_eq!((page.thread.trouble.blocked, page.thread.trouble.no_reply), (1, 0), "{lines:?}");
    }
    let hub = hub(&[line("a2a.response", "seum", START_MS, &data)]);
    let row = &query::events(&hub, START_MS, &coordination::api::EventsQuery::default()).unwrap().events[0];
    assert_eq!(
        (row.from.as_ref().map(|id| id.as_str()), row.to.as_ref().map(|id| id.as_str())),
        (Some("seum"), Some("eden"))
    );
}

fn retry(after: i64, attempt: u32, run: &str) -> String {
    let data =
        format!(r#""runId":"{run}","attempt":{attempt},"maxAttempts":3,"errorCode":"ECONNRESET","backoffMs":2000"#);
    talk("a2a.retry", "eden", "seum", after, &data)
}

#[test]
fn retry_joins_run_send_or_open_send() {
    let first = send(0, r#""message":"하나","runId":"r1""#);
    let second = send(10, r#""message":"둘","runId":"r2""#);
    let retries = |lines: &[String]| -> Vec<u32> {
        thread_at(lines, 99).exchanges.iter().map(|exchange| exchange.delivery.retries).collect()
    };
    assert_eq!(retries(&[first.clone(), second.clone(), retry(20, 2, "r2")]), [0, 2]);
    assert_eq!(retries(&[first.clone(), second.clone(), retry(20, 1, "r1"), retry(30, 2, "r2")]), [1, 2]);
    assert_eq!(retries(&[first, second, retry(20, 3, "unknown")]), [3, 0], "the oldest open send waits");
    let page = thread_at(&[send(0, ASK), retry(20, 2, "unknown")], 99);
    assert_eq!(page.exchanges[0].state, Waiting);
    assert_eq!(page.exchanges[0].delivery.max_retries, Some(3));
    let MarkKind::Retry { attempt, max_attempts, error_code, backoff_ms } = &page.marks[0].kind else {
        panic!("no retry")
    };
    assert_eq!((*attempt, *max_attempts, *backoff_ms), (2, 3, Some(2000)));
    assert_eq!(error_code.as_deref(), Some("ECONNRESET"));
}

#[test]
fn retry_restarts_the_wait() {
    assert_eq!(states(&[send(0, ASK)], NO_TRACE_AFTER_MS), [Waiting], "exactly the wait is not past it");
    assert_eq!(states(&[send(0, ASK)], NO_TRACE_AFTER_MS + 1), [NoTrace]);
    let retried = [send(0, ASK), retry(600_000, 1, "unknown")];
    assert_eq!(states(&retried, NO_TRACE_AFTER_MS + 1), [Waiting]);
    assert_eq!(states(&retried, 602_000 + NO_TRACE_AFTER_MS + 1), [NoTrace], "the back-off is part of the wait");
}

#[test]
fn late_answer_replaces_missing_reply() {
    let late = [send(0, ASK), MISSING.because("대기 시간 300초 초과").line(300_000), reply(500_000, YES)];
    // It counts once, and what happened before stays visible.
    check(
        &late,
        600_000,
        &expect![[r#"
        1 Answered after 500000 ms by message 2
        2 messages, 1 marks, 1 answered
    "#]],
    );
    assert_eq!(thread_at(&late, 600_000).exchanges[0].delivery.detail, None);
}

#[test]
fn open_sends_of_pair_are_answered_in_order() {
    let ask = |after| send(after, ASK);
    assert_eq!(states(&[ask(0), ask(10), ask(20)], 99), [Waiting, Waiting, Waiting]);
    assert_eq!(states(&[ask(0), ask(10), reply(20, YES)], 99), [Answered, Waiting]);
    assert_eq!(states(&[ask(0), ask(10), reply(20, YES), reply(30, YES)], 99), [Answered, Answered]);
    let refused = MISSING.line(20);
    assert_eq!(states(&[ask(0), ask(10), refused, reply(30, YES)], 99), [NoReply, Answered]);
}

#[test]
fn abandoned_send_takes_no_later_answer() {
    let hours = 3_600_000;
    assert_eq!(states(&[send(0, ASK), send(hours, ASK), reply(hours + 10, YES)], hours + 20), [NoTrace, Answered]);
}

#[test]
fn ends_without_answer_differ_by_reason() {
    let failed = r#""outcome":"failed","error":"boom""#;
    let lost = r#""waitStatus":"not_found""#;
    for (data, state, reason) in [
        (r#""announced":false"#, EndedWithoutAnswer, None),
        (failed, NoReply, Some(ReasonClass::RunError)),
        (r#""outcome":"failed","error":"context overflow""#, NoReply, Some(ReasonClass::ContextOverflow)),
        (lost, NoReply, Some(ReasonClass::RunNotFound)),
        (r#""waitStatus":"timeout","waitError":"x""#, NoReply, Some(ReasonClass::Timeout)),
    ] {
        let page = thread_at(&[send(0, ASK), complete(10, data)], 99);
        assert_eq!((page.exchanges[0].state, page.exchanges[0].delivery.reason), (state, reason), "{data}");
        assert_eq!(page.messages.len(), 1, "{data}: an end is no bubble");
        assert!(matches!(&page.marks[0].kind, MarkKind::Complete { failed, .. } if *failed == data.contains("failed")));
    }
}

#[test]
fn end_after_answer_changes_nothing() {
    let failed = complete(20, r#""outcome":"failed","error":"boom""#);
    check(
        &[send(0, ASK), reply(10, YES), failed],
        99,
        &expect![[r#"
        1 Answered after 10 ms by message 2
        2 messages, 1 marks, 1 answered
    "#]],
    );
    // The response said it first.
    let lost = MISSING.because("실행 오류").line(10);
    check(
        &[send(0, ASK), lost, complete(20, r#""waitStatus":"timeout""#)],
        99,
        &expect![[r#"
        1 NoReply RunError after 10 ms
        1 messages, 2 marks, 1 no reply
    "#]],
    );
}

#[test]
fn broken_flow_preserves_earlier_answer() {
    let lines = [send(0, ASK), reply(10, YES)];
    check(
        &lines,
        NO_TRACE_AFTER_MS * 9,
        &expect![[r#"
        1 Answered after 10 ms by message 2
        2 messages, 0 marks, 1 answered
    "#]],
    );
    let announced = thread_at(&lines, NO_TRACE_AFTER_MS * 9).exchanges[0].delivery.announced;
    assert_eq!(announced, None, "nobody said whether it was announced");
}

#[test]
fn old_send_after_its_answer_never_waits() {
    // E1: no conversation id, no role, the answer only as a preview.
    let day = 1_771_060_000_000;
    let pair = r#""fromAgent":"eden","toAgent":"seum""#;
    let sent = line("a2a.send", "eden", day, &format!(r#"{pair},"message":"어디까지?""#));
    let turn = line(
        "a2a.response",
        "seum",
        day + 50,
        r#""fromAgent":"seum","toAgent":"eden","turn":2,"maxTurns":5,"replyPreview":"거의 다""#,
    );
    let hub = hub(&[sent, turn]);
    let (session, thread) = (format!("thread:pair:eden_seum:{day}"), "pair:eden_seum");
    let far = day + 9 * NO_TRACE_AFTER_MS;
    let page = query::thread_page(&hub, far, &session.as_str().into(), &thread.into(), &ThreadQuery::default())
        .unwrap()
        .unwrap();
    assert_eq!(page.exchanges[0].state, Answered);
    assert_eq!(page.messages.iter().map(|message| message.text.as_str()).collect::<Vec<_>>(), ["어디까지?", "거의 다"]);
    assert_eq!(page.exchanges[0].delivery.answer_id.as_ref(), Some(&page.messages[1].id));
}

#[test]
fn answer_of_unknown_side_counts_strangers_do_not() {
    let stranger = talk("a2a.response", "miri", "eden", 10, YES);
    assert_eq!(states(&[send(0, ASK), stranger], 99), [Waiting]);
}

#[test]
fn home_and_session_trouble_counts_agree() {
    let full = r#""outcome":"blocked","message":"[outcome] blocked: 동시 처리 한도 초과 (agent: seum)""#;
    let cases = [
        (vec![send(0, ASK)], NO_TRACE_AFTER_MS, (1, 0, 0, 0)),
        (vec![send(0, ASK)], NO_TRACE_AFTER_MS + 1, (0, 0, 0, 1)),
        (vec![send(0, ASK), MISSING.line(9)], 99, (0, 1, 0, 0)),
        (vec![send(0, ASK), reply(9, full)], 99, (0, 0, 1, 0)),
        (vec![send(0, ASK), reply(9, YES)], 99, (0, 0, 0, 0)),
    ];
    for (lines, after, counts) in cases {
        let hub = hub(&lines);
        let detail = query::session(&hub, START_MS + after, &"conv:c".into()).unwrap();
        let tally = |trouble: Trouble| (trouble.waiting, trouble.no_reply, trouble.blocked, trouble.no_trace);
        assert_eq!(tally(detail.threads[0].trouble), counts, "{lines:?}");
        assert_eq!(tally(detail.session.attention.unwrap_or_default()), counts, "{lines:?}");
        let (_, no_reply, blocked, no_trace) = counts;
        let home = query::home(&hub, START_MS + after).attention;
        let line_count = |kind, inferred| home.iter().filter(|it| it.kind == kind && it.inferred == inferred).count();
        assert_eq!(line_count(AttentionKind::NoReply, false), no_reply as usize, "{lines:?}");
        assert_eq!(line_count(AttentionKind::NoReply, true), no_trace as usize, "{lines:?}");
        assert_eq!(line_count(AttentionKind::Blocked, false), blocked as usize, "{lines:?}");
    }
}

/// `[NO_REPLY_NEEDED]`, `[NOTIFICATION]` and the intent of the same meaning expect no answer, however
/// the exchange ends and however long ago it was (`contract/events.md` §7.1, §7.2).
#[test]
fn notification_needs_no_answer() {
    let asks = [
        r#""message":"[NO_REPLY_NEEDED] 배포를 마쳤습니다""#,
        r#""message":"배포를 마쳤습니다 [notification]""#,
        r#""message":"배포를 마쳤습니다","messageIntent":"notification""#,
    ];
    let timeout = MISSING.because("대기 시간 300초 초과");
    let ends = [
        vec![],
        vec![timeout.after_wait("timeout").line(300_000)],
        vec![OLD_MISSING.because("LLM request rejected").after_wait("error").line(9_000)],
        vec![complete(9_000, r#""announced":false,"messageIntent":"notification""#)],
        vec![complete(9_000, r#""announced":false,"waitStatus":"timeout""#)],
        vec![timeout.line(300_000), complete(301_000, r#""announced":false,"waitStatus":"timeout""#)],
    ];
    for ask in asks {
        for end in &ends {
            let lines: Vec<String> = std::iter::once(send(0, ask)).chain(end.iter().cloned()).collect();
            for now in [1_000, 400_000, NO_TRACE_AFTER_MS + 1_000, 80_000_000] {
                let case = format!("{lines:?} at {now}");
                let page = thread_at(&lines, now);
                assert_eq!(page.exchanges[0].state, Notice, "{case}");
                assert_eq!(page.exchanges[0].delivery.reason, None, "no answer is missing: {case}");
                assert_eq!(page.thread.trouble, Trouble::default(), "{case}");
                let notices = page.marks.iter().filter(|mark| matches!(mark.kind, MarkKind::NoReply { .. }));
                assert_eq!(notices.count(), 0, "{case}");
                let home = query::home(&hub(&lines), START_MS + now);
                assert!(home.attention.iter().all(|line| line.thread_id.is_none()), "{case}");
                let search_query = SearchQuery { q: "is:unanswered".to_owned(), ..SearchQuery::default() };
                let found = query::search(&hub(&lines), &NoIndex, START_MS + now, &search_query).unwrap();
                assert_eq!(found.hits.len(), 0, "{case}");
            }
        }
    }
}

/// An answer that comes all the same is shown as one; of a request and a notification it answers the request.
#[test]
fn answer_joins_request_not_notification() {
    let notification = r#""message":"[NOTIFICATION] 배포를 시작합니다""#;
    assert_eq!(states(&[send(0, notification), reply(9_000, YES)], 99_000), [Answered]);
    assert_eq!(states(&[send(0, notification), send(5_000, ASK), reply(9_000, YES)], 99_000), [Notice, Answered]);
    let timeout = MISSING.because("대기 시간 300초 초과").after_wait("timeout").line(300_000);
    let mut lines = vec![send(0, notification), send(200_000, ASK), timeout];
    assert_eq!(states(&lines, 301_000), [Notice, Waiting], "the notification's own time-out");
    lines.push(reply(310_000, YES));
    assert_eq!(states(&lines, 311_000), [Notice, Answered]);
    let refused =
        reply(9_000, &format!(r#""outcome":"blocked","message":"{CONCURRENCY_FULL}","concurrencyBlocked":true"#));
    assert_eq!(states(&[send(0, notification), refused], 99_000), [Blocked], "it was not delivered");
}

/// The texts that OpenClaw 2026.2.26 and 2026.9.6 (their packages' `dist`) put into `error` of
/// `sessions_send` and `sessions_spawn`, and the provider's that they pass on.
#[test]
fn openclaw_error_texts_have_reasons() {
    use ReasonClass::{ContextOverflow, Policy, RateLimit, RunError, RunNotFound, Timeout};
    let texts = [
        ("forbidden", Policy),
        (
            "Agent-to-agent messaging is disabled. Set tools.agentToAgent.enabled=true to allow cross-agent sends.",
            Policy,
        ),
        ("Agent-to-agent messaging denied by tools.agentToAgent.allow.", Policy),
        (
            "Session send visibility is restricted. Set tools.sessions.visibility=all to allow cross-agent access.",
            Policy,
        ),
        ("Session send visibility is restricted to the current session tree (tools.sessions.visibility=tree).", Policy),
        ("Session send visibility is restricted to the current session (tools.sessions.visibility=self).", Policy),
        ("Session not visible from this sandboxed agent session.", Policy),
        ("Session not visible from this sandboxed agent session: agent:seum:main", Policy),
        ("Session not visible from session tools: agent:seum:main", Policy),
        ("Sandboxed sessions_send label lookup is limited to this agent", Policy),
        ("agentId is not allowed for sessions_spawn (allowed: eden, ruda)", Policy),
        ("sessions_spawn is not allowed at this depth (current depth: 1, max: 1)", Policy),
        ("ACP is disabled by policy (`acp.enabled=false`).", Policy),
        ("Task outside session tree.", Policy),
        ("LLM request rejected", ContextOverflow),
        ("LLM request rejected:", ContextOverflow),
        ("Context overflow: prompt too large for the model.", ContextOverflow),
        ("LLM request rejected: prompt is too long: 210000 tokens > 200000 maximum", ContextOverflow),
        (
            "LLM request rejected: configured maxTokens is 9, above the provider maximum of 8. Lower maxTokens and try again.",
            RunError,
        ),
        ("LLM request rejected: provider allows at most 4 cache_control blocks; the request contained 5.", RunError),
        ("LLM request timed out.", Timeout),
        ("LLM request rate limited.", RateLimit),
        ("LLM request unauthorized.", RunError),
        ("LLM request failed.", RunError),
        ("LLM request failed with an unknown error.", RunError),
        ("LLM request failed: connection refused by the provider endpoint.", RunError),
        ("LLM request failed: proxy or tunnel configuration blocked the provider request.", RunError),
        ("No session found with label: ops", RunError),
        ("No session found: agent:seum:x", RunError),
        ("agent error", RunError),
        ("실행 상태를 찾을 수 없음", RunNotFound),
        ("실행 오류", RunError),
        ("대기 시간 300초 초과", Timeout),
    ];
    for (text, class) in texts {
        let state = if class == Policy { Blocked } else { NoReply };
        for field in [
            format!(r#""outcome":"no_reply","waitError":"{text}""#),
            format!(r#""outcome":"no_reply","waitStatus":"error","waitError":"{text}""#),
            format!(r#""waitError":"{text}""#),
        ] {
            let page = thread_at(&[send(0, ASK), reply(9_000, &field)], 99_000);
            assert_eq!(page.exchanges[0].delivery.reason, Some(class), "{field}");
            assert_eq!(page.exchanges[0].state, state, "{field}");
        }
    }
    // What a transcript records of a refused call.
    let refused = reply(
        9_000,
        r#""outcome":"blocked","waitError":"Agent-to-agent messaging denied by tools.agentToAgent.allow.""#,
    );
    let page = thread_at(&[send(0, ASK), refused], 99_000);
    assert_eq!((page.exchanges[0].state, page.exchanges[0].delivery.reason), (Blocked, Some(Policy)));
}
