//! Property tests of the delivery state machine. In any order of arrival, each send ends in exactly one state, and all
//! counts of states agree.
//!
//! Proves (delivery): Each send ends in exactly one state, in whatever order its events arrive, and every count of
//! states agrees. The random logs contain every form of response, retry and end that the contract describes.
//! Long form: `make soak ARGS=delivery`.

use std::collections::BTreeSet;

use coordination::api::{Exchange, ThreadPage, ThreadQuery};
use coordination::delivery::{DeliveryState, NO_TRACE_AFTER_MS};
use coordination::event::parse_lines;
use coordination::hub::Hub;
use coordination::query;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::log::{START_MS, line, roster, talk};

/// After every wait there can be in a script.
const FAR_MS: i64 = 1_000 * NO_TRACE_AFTER_MS;

/// What a log can say of one conversation, every variant of `contract/events.md` §5–§6 and what no writer writes.
const EVENT_FORMS: usize = 16;

/// One line: what, at what time, by whom.
fn deed(kind: usize, at: i64, turned: bool) -> String {
    let (sender, receiver) = if turned { ("seum", "eden") } else { ("eden", "seum") };
    let say = |kind: &str, from: &str, to: &str, more: &str| talk(kind, from, to, at, more);
    let missing = "[outcome] no_reply: 메시지가 전달되었으나 응답을 수신하지 못했습니다";
    match kind {
        0..4 => say("a2a.send", sender, receiver, &format!(r#""message":"확인해줘","runId":"r{at}""#)),
        4 | 5 => say("a2a.response", receiver, sender, r#""message":"네, 봤어요""#),
        6 => say("a2a.response", sender, receiver, r#""turn":1,"maxTurns":3,"message":"그럼 이건요?""#),
        7 => say("a2a.response", receiver, sender, r#""turn":2,"maxTurns":3,"message":"됐어요""#),
        8 => say("a2a.response", receiver, sender, &format!(r#""outcome":"no_reply","message":"{missing}""#)),
        9 => say(
            "a2a.response",
            receiver,
            sender,
            r#""outcome":"blocked","message":"[outcome] blocked: 응답을 받지 못했습니다 (실행 오류)""#,
        ),
        10 => {
            let text = format!("[outcome] blocked: 동시 처리 한도 초과 (agent: {receiver})");
            let data = format!(
                r#""fromAgent":"{sender}","toAgent":"{receiver}","conversationId":"c","outcome":"blocked","message":"{text}""#
            );
            line("a2a.response", receiver, START_MS + at, &data)
        }
        11 => say("a2a.retry", sender, receiver, r#""runId":"unknown","attempt":2,"maxAttempts":3,"backoffMs":2000"#),
        12 => say("a2a.complete", sender, receiver, r#""announced":true,"actualTurns":2,"effectiveTurns":3"#),
        13 => say("a2a.complete", sender, receiver, r#""waitStatus":"timeout","waitError":"x""#),
        14 => say("a2a.complete", sender, receiver, r#""announced":false,"concurrencyBlocked":true"#),
        _ => say("a2a.complete", sender, receiver, r#""outcome":"failed","error":"boom""#),
    }
}

/// The conversation, with lines arriving in the given order, in batches.
fn page(lines: &[String], order: &[usize], batch: usize, after: i64) -> Option<ThreadPage> {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let (events, errors) = parse_lines(text.as_bytes(), "f", 0);
    assert!(errors.is_empty(), "{errors:?}");
    let mut hub = Hub::new();
    hub.set_roster(roster());
    for part in order.chunks(batch) {
        hub.apply(part.iter().map(|at| events[*at].clone()).collect());
    }
    let query = ThreadQuery { limit: Some(500), ..ThreadQuery::default() };
    query::thread_page(&hub, START_MS + after, &"conv:c".into(), &"conv:c".into(), &query).unwrap()
}

fn count(page: &ThreadPage, state: DeliveryState) -> usize {
    page.exchanges.iter().filter(|exchange| exchange.state == state).count()
}

fn draws() -> ProptestConfig {
    let (cases, rng_seed) = match std::env::var_os("TASK_HUB_SOAK") {
        Some(_) => (50_000, RngSeed::Random),
        None => (300, RngSeed::Fixed(300)),
    };
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

/// A script of deeds with the pauses before them, and an order of arrival.
fn scripts() -> impl Strategy<Value = (Vec<(usize, i64, bool)>, Vec<usize>, usize)> {
    let pause = prop_oneof![Just(0_i64), 1_i64..400_000, Just(NO_TRACE_AFTER_MS), Just(9 * NO_TRACE_AFTER_MS)];
    let deeds = proptest::collection::vec((0..EVENT_FORMS, pause, proptest::bool::weighted(0.3)), 1..16);
    deeds.prop_flat_map(|deeds| {
        let order = Just((0..deeds.len()).collect::<Vec<_>>()).prop_shuffle();
        (Just(deeds), order, 1_usize..5)
    })
}

proptest! {
    #![proptest_config(draws())]

    #[test]
    fn each_send_ends_in_one_state((deeds, order, batch) in scripts()) {
        let mut at = 0;
        let mut lines = Vec::new();
        for (kind, pause, turned) in &deeds {
            at += pause;
            lines.push(deed(*kind, at, *turned));
        }
        let straight: Vec<usize> = (0..lines.len()).collect();
        let sends = deeds.iter().filter(|(kind, ..)| *kind < 4).count();
        let mut before: Vec<Exchange> = Vec::new();
        for now in [at, at + NO_TRACE_AFTER_MS / 2, at + FAR_MS] {
            let Some(thread_page) = page(&lines, &straight, lines.len(), now) else {
                prop_assert_eq!(sends, 0);
                continue;
            };
            let mut other = page(&lines, &order, batch, now).expect("a page in any order of arrival");
            other.cursor = thread_page.cursor.clone();
            prop_assert_eq!(&thread_page, &other, "the order of arrival shows");

            // Each send is one exchange; its states add up and agree with the counts of the list.
            prop_assert_eq!(thread_page.exchanges.len(), sends);
            let trouble = thread_page.thread.trouble;
            let counted = [
                (DeliveryState::Answered, thread_page.thread.answered),
                (DeliveryState::Waiting, trouble.waiting),
                (DeliveryState::NoReply, trouble.no_reply),
                (DeliveryState::Blocked, trouble.blocked),
                (DeliveryState::NoTrace, trouble.no_trace),
            ];
            let mut sum = count(&thread_page, DeliveryState::EndedWithoutAnswer);
            for (state, expected) in counted {
                prop_assert_eq!(count(&thread_page, state), expected as usize, "{:?}", state);
                sum += expected as usize;
            }
            prop_assert_eq!(sum, sends);

            // An answer answers one send and comes from the one who was asked; a missing answer has its reason.
            let mut answers = BTreeSet::new();
            for exchange in &thread_page.exchanges {
                let answered = exchange.state == DeliveryState::Answered;
                if let Some(answer) = &exchange.delivery.answer_id {
                    prop_assert!(answered && answers.insert(answer.clone()));
                    let answer_message = thread_page.messages.iter().find(|message| message.id == *answer).expect("it is a bubble");
                    let request_message = thread_page.messages.iter().find(|message| message.id == exchange.id).expect("a bubble");
                    prop_assert_eq!((&answer_message.from, &answer_message.to), (&request_message.to, &request_message.from));
                    prop_assert!(answer_message.at >= request_message.at);
                }
                let reason = matches!(exchange.state, DeliveryState::NoReply | DeliveryState::Blocked);
                prop_assert_eq!(exchange.delivery.reason.is_some(), reason);
            }

            // Time alone only lets a wait end.
            for (earlier, later) in before.iter().zip(&thread_page.exchanges) {
                let gave_up = (earlier.state, later.state) == (DeliveryState::Waiting, DeliveryState::NoTrace);
                prop_assert!(earlier.state == later.state || gave_up, "{:?} → {:?}", earlier, later);
            }
            before = thread_page.exchanges;
        }
        prop_assert!(before.iter().all(|exchange| exchange.state != DeliveryState::Waiting));
    }
}
