//! The second classifier: what it must never do, as laws over the records it was written with, and what a session makes
//! of its answers. How often it is right, `make eval` measures on records it never saw.
//!
//! Proves (categories): A greeting or a code block never changes the category of a clear record. Neither does the order
//! of messages, the order of arrival, or a late task. A manual category always wins. The beginning of a long session
//! decides.

use std::sync::OnceLock;

use coordination::api::{ManualOverride, SessionsQuery};
use coordination::category::{Category, CategorySource};
use coordination::classify::{Classifier, Decision, record, v2};
use coordination::event::parse_lines;
use coordination::hub::Hub;
use coordination::ids::SessionId;
use coordination::query;
use proptest::prelude::*;
use serde_json::{Value, json};

const NOW: i64 = 1_771_651_020_000;

struct Written {
    label: Option<String>,
    messages: Vec<(String, String)>,
}

impl Written {
    fn texts(&self) -> impl Iterator<Item = (v2::TextZone, &str)> {
        let label = self.label.iter().map(|label| (v2::TextZone::Label, label.as_str()));
        label.chain(self.messages.iter().map(|(kind, text)| (v2::TextZone::of_type(kind), text.as_str())))
    }

    fn decide(&self, messages: &[(String, String)]) -> Decision {
        let messages: Vec<_> = messages.iter().map(|(kind, text)| (kind.as_str(), text.as_str())).collect();
        record(Classifier::V2, self.label.as_deref(), &messages)
    }
}

fn written() -> &'static [Written] {
    static ALL: OnceLock<Vec<Written>> = OnceLock::new();
    ALL.get_or_init(|| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/classifier");
        let text: String =
            (1..=4).map(|n| std::fs::read_to_string(format!("{folder}/train-{n}.jsonl")).expect("records")).collect();
        let text_of = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let parse = |line: &str| {
            let record: Value = serde_json::from_str(line).expect("a record");
            let messages = record["messages"].as_array().expect("messages");
            Written {
                label: record["label"].as_str().map(str::to_owned),
                messages: messages.iter().map(|said| (text_of(said, "type"), text_of(said, "text"))).collect(),
            }
        };
        text.lines().map(parse).collect()
    })
}

const GREETINGS: [&str; 6] = [
    "안녕하세요, 좋은 아침입니다.",
    "네, 감사합니다!",
    "수고하셨습니다 🙏",
    "hi there, hope you are well",
    "thanks a lot!",
    "ok",
];
const CODE: [&str; 3] = [
    "```rust\nfn main() {\n    let total: u32 = rows.iter().map(|row| row.len()).sum();\n}\n```",
    "```sh\n$ cargo build --release\n   Compiling hub v0.1.0\n```",
    "```json\n{\"status\": 500, \"path\": \"/api/orders/17\"}\n```",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_greeting_or_a_code_block_never_flips_a_clear_record(
        at in any::<prop::sample::Index>(), greeting in prop::sample::select(&GREETINGS[..]),
        code in prop::sample::select(&CODE[..]), first in any::<bool>(),
    ) {
        let record = &written()[at.index(written().len())];
        let before = record.decide(&record.messages);
        prop_assume!(before.confidence >= 0.8);
        for added in [greeting, code] {
            let mut messages = record.messages.clone();
            let place = if first { 0 } else { messages.len() };
            messages.insert(place, ("a2a.send".to_owned(), added.to_owned()));
            prop_assert_eq!(record.decide(&messages).category, before.category, "{}", added);
            let mut inside = record.messages.clone();
            inside[0].1 = format!("{}\n{added}", inside[0].1);
            prop_assert_eq!(record.decide(&inside).category, before.category, "{}", added);
        }
    }

    #[test]
    fn the_order_of_messages_does_not_matter_within_an_opening(
        at in any::<prop::sample::Index>(), turned in any::<prop::sample::Index>(),
    ) {
        let record = &written()[at.index(written().len())];
        let mut sum = v2::Sum::default();
        record.texts().for_each(|(place, text)| sum.add(&v2::read(place, text)));
        prop_assume!(!sum.is_long());
        let before = record.decide(&record.messages);
        let mut messages = record.messages.clone();
        let turn = turned.index(messages.len());
        messages.rotate_left(turn);
        let after = record.decide(&messages);
        prop_assert_eq!((after.category, after.confidence), (before.category, before.confidence));
        prop_assert_eq!(after.matches, before.matches);
    }

    #[test]
    fn any_text_gets_an_answer_with_a_confidence_of_a_share(text in any::<String>()) {
        let decision = record(Classifier::V2, Some(&text), &[("a2a.send", &text), ("a2a.response", &text)]);
        prop_assert!((0.0..=1.0).contains(&decision.confidence));
        prop_assert!(decision.sub_tags.len() <= 5 && decision.matches.len() <= 8);
    }
}

#[test]
fn without_a_known_word_the_answer_is_a_guess_that_says_so() {
    let decision = record(Classifier::V2, None, &[("a2a.send", "ㅇㅇ 🙂 …")]);
    assert_eq!((decision.source, decision.confidence), (CategorySource::Fallback, 0.2));
    assert!(decision.matches.is_empty() && decision.runner_up.is_none());
}

#[test]
fn letters_apart_mean_what_letters_together_mean() {
    let (apart, together) = ("\u{1109}\u{1165}\u{1107}\u{1165} \u{1107}\u{1162}\u{1111}\u{1169}", "서버 배포");
    let of = |text| record(Classifier::V2, None, &[("a2a.send", text)]);
    assert_eq!((of(apart).category, of(apart).confidence), (of(together).category, of(together).confidence));
}

#[test]
fn words_inside_other_words_are_no_evidence() {
    let of = |text| record(Classifier::V2, None, &[("a2a.send", text)]).matches;
    let found = |words: &[(String, f64)], word: &str| words.iter().any(|(known, _)| known == word);
    let words = of("the latest metrics of docker are in the prefix");
    assert!(
        !found(&words, "test") && !found(&words, "cs") && !found(&words, "doc") && !found(&words, "fix"),
        "{words:?}"
    );
}

#[test]
fn the_table_says_the_same_after_it_was_written_and_read() {
    let parts = v2::Parts {
        unit: 0.5,
        smooth: 3,
        temperature: 1.5,
        bias: [0.25; 10],
        rows: vec![(1, 16, [1; 10]), (300, 4, [-128; 10]), (0xff_ffff, 9, [127; 10])],
    };
    assert_eq!(v2::Parts::from_bytes(&parts.to_bytes()), Some(parts.clone()));
    let bytes = parts.to_bytes();
    for cut in 0..bytes.len() {
        assert_eq!(v2::Parts::from_bytes(&bytes[..cut]), None, "cut at {cut}");
    }
}

fn line(kind: &str, at: i64, data: &Value) -> String {
    let mut data = data.clone();
    data["workSessionId"] = "ws_1".into();
    json!({"type": kind, "agentId": "eden", "ts": NOW - 10_000 + at, "data": data}).to_string() + "\n"
}

fn said(kind: &str, at: i64, text: &str) -> String {
    let role = "conversation.main";
    line(
        kind,
        at,
        &json!({"fromAgent": "eden", "toAgent": "seum", "conversationId": "c", "message": text, "eventRole": role}),
    )
}

fn category(hub: &Hub) -> coordination::api::CategoryInfo {
    let page = query::sessions(hub, NOW, &SessionsQuery::default()).expect("a page");
    page.sessions.into_iter().next().expect("a session").category
}

fn hub(lines: &[String]) -> Hub {
    let mut hub = Hub::new();
    let _changes = hub.set_classifier(Classifier::V2);
    for (at, line) in (0_u64..).zip(lines) {
        let (events, bad) = parse_lines(line.as_bytes(), "log", at * 10_000);
        assert!(bad.is_empty());
        let _changes = hub.apply(events);
    }
    hub
}

fn talk() -> Vec<String> {
    vec![
        said("a2a.send", 0, "결제 서버가 계속 죽습니다. 재시작하고 이전 버전으로 롤백해 주세요."),
        said("a2a.response", 1, "롤백 배포했고 파드 네 개 모두 정상입니다. 알람도 꺼졌어요."),
        said("a2a.response", 2, "네 감사합니다."),
    ]
}

#[test]
fn late_tasks_and_empty_talk_never_flip_a_session() {
    let mut lines = talk();
    let before = category(&hub(&lines));
    assert_eq!((before.key, before.source, before.version.as_str()), (Category::InfraOps, CategorySource::Rule, "v2"));
    lines.push(line(
        "task.started",
        3,
        &json!({"taskId": "task_1", "description": "마케팅 캠페인 광고 문구 초안 쓰기"}),
    ));
    lines.push(said("a2a.response", 4, "ㅇㅇ"));
    lines.push(line("continuation.sent", 5, &json!({"taskId": "task_1"})));
    let after = category(&hub(&lines));
    assert_eq!((after.key, after.confidence), (before.key, before.confidence));
    lines.reverse();
    assert_eq!(category(&hub(&lines)), after, "whatever the order of arrival");
}

/// A deployment, of which most messages are about the checks before it.
#[test]
fn the_opening_says_what_a_long_session_is_and_no_order_of_arrival_changes_it() {
    let mut lines = talk();
    lines.push(said("a2a.send", 3, "서버 두 대를 늘리고 로드 밸런서에 붙여 주세요. 디스크 경보도 봐 주세요."));
    lines.push(said("a2a.response", 4, "노드 두 대를 붙였고 디스크는 로그를 지워 62%로 내렸습니다."));
    lines.push(said("a2a.send", 5, "데이터베이스 복제 지연도 확인하고 커넥션 풀을 200으로 올려 주세요."));
    lines.push(said("a2a.response", 6, "복제 지연은 1초 아래이고 풀을 올린 뒤 파드를 차례로 재시작했습니다."));
    lines.push(said("a2a.send", 7, "인증서 만료 전에 갱신하고 nginx 설정을 다시 읽혀 주세요."));
    lines.push(said("a2a.response", 8, "인증서를 갱신해 배포했고 모니터링 대시보드에 경보 규칙을 넣었습니다."));
    for at in 9..60 {
        lines.push(said("a2a.response", at, "회귀 테스트 케이스를 다시 돌렸고 전부 통과했습니다."));
    }
    let before = category(&hub(&lines));
    assert_eq!(before.key, Category::InfraOps, "{before:?}");
    lines.reverse();
    assert_eq!(category(&hub(&lines)), before);
    // The same talk without its opening is what it says.
    assert_eq!(category(&hub(&lines[..45])).key, Category::QaValidation);
}

#[test]
fn a_statement_wins_over_words_and_an_override_over_both() {
    let mut lines = talk();
    lines.push(line("task.started", 3, &json!({"taskId": "task_1", "collabCategory": "legal_compliance"})));
    let mut hub = hub(&lines);
    assert_eq!((category(&hub).key, category(&hub).source), (Category::LegalCompliance, CategorySource::Manual));
    let manual = ManualOverride {
        collab_category: Category::BizStrategy,
        updated_at: "2026-02-21T00:00:00.000Z".to_owned(),
        updated_by: None,
    };
    hub.set_overrides([(SessionId::from("ws_1"), manual)].into());
    assert_eq!((category(&hub).key, category(&hub).source), (Category::BizStrategy, CategorySource::ManualOverride));
    let (events, _) = parse_lines(said("a2a.send", 6, "서버 재시작해 주세요").as_bytes(), "log", 900_000);
    let _changes = hub.apply(events);
    assert_eq!(category(&hub).key, Category::BizStrategy);
    let _changes = hub.set_classifier(Classifier::V1);
    assert_eq!((category(&hub).key, category(&hub).version.as_str()), (Category::BizStrategy, "v1"));
}

#[test]
fn what_a_machine_decided_in_an_enriched_event_is_no_statement() {
    let enriched = json!({"fromAgent": "eden", "toAgent": "seum", "conversationId": "c", "eventRole": "conversation.main",
        "message": "결제 서버가 계속 죽습니다. 재시작하고 롤백해 주세요.",
        "collabCategory": "docs_knowledge", "categorySource": "rule", "categoryConfidence": 0.63});
    let hub = hub(&[line("a2a.send", 0, &enriched)]);
    assert_eq!((category(&hub).key, category(&hub).source), (Category::InfraOps, CategorySource::Rule));
}
