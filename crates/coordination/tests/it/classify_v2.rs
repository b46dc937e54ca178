//! Property tests of the `v2` classifier over its training records (message texts with their category,
//! `data/classifier`), and of the session categories that the hub derives with it. `make eval` measures its accuracy on
//! other records.
//!
//! Proves (categories): A greeting, a code block or another order of the opening messages never changes the category of
//! a clear record. In a session, neither the order of arrival nor a task added later changes it. A manual category
//! always wins. The opening messages decide the category of a long session.

use std::sync::OnceLock;

use coordination::api::{ManualOverride, SessionsQuery};
use coordination::category::{Category, CategorySource};
use coordination::classify::{Classifier, Decision, classify_messages, v2};
use coordination::event::parse_lines;
use coordination::hub::Hub;
use coordination::ids::SessionId;
use coordination::query;
use proptest::prelude::*;
use serde_json::{Value, json};

const NOW: i64 = 1_771_651_020_000;

struct TrainingText {
    label: Option<String>,
    messages: Vec<(String, String)>,
}

impl TrainingText {
    fn texts(&self) -> impl Iterator<Item = (v2::TextZone, &str)> {
        let label = self.label.iter().map(|label| (v2::TextZone::Label, label.as_str()));
        label.chain(self.messages.iter().map(|(kind, text)| (v2::TextZone::of_type(kind), text.as_str())))
    }

    fn decide(&self, messages: &[(String, String)]) -> Decision {
        let messages: Vec<_> = messages.iter().map(|(kind, text)| (kind.as_str(), text.as_str())).collect();
        classify_messages(Classifier::V2, self.label.as_deref(), &messages)
    }
}

fn written() -> &'static [TrainingText] {
    static ALL: OnceLock<Vec<TrainingText>> = OnceLock::new();
    ALL.get_or_init(|| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/classifier");
        let text: String =
            (1..=4).map(|n| std::fs::read_to_string(format!("{folder}/train-{n}.jsonl")).expect("records")).collect();
        let text_of = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let parse = |line: &str| {
            let record: Value = serde_json::from_str(line).expect("a record");
            let messages = record["messages"].as_array().expect("messages");
            TrainingText {
                label: record["label"].as_str().map(str::to_owned),
                messages: messages.iter().map(|message| (text_of(message, "type"), text_of(message, "text"))).collect(),
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
    fn greeting_or_code_block_preserves_clear_category(
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
    fn opening_message_order_is_irrelevant(
        at in any::<prop::sample::Index>(), turned in any::<prop::sample::Index>(),
    ) {
        let record = &written()[at.index(written().len())];
        let mut sum = v2::ScoreSum::default();
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
    fn any_text_gets_confidence_between_zero_and_one(text in any::<String>()) {
        let decision = classify_messages(Classifier::V2, Some(&text), &[("a2a.send", &text), ("a2a.response", &text)]);
        prop_assert!((0.0..=1.0).contains(&decision.confidence));
        prop_assert!(decision.sub_tags.len() <= 5 && decision.matches.len() <= 8);
    }
}

#[test]
fn unknown_words_give_fallback_category() {
    let decision = classify_messages(Classifier::V2, None, &[("a2a.send", "ㅇㅇ 🙂 …")]);
    assert_eq!((decision.source, decision.confidence), (CategorySource::Fallback, 0.2));
    assert!(decision.matches.is_empty() && decision.runner_up.is_none());
}

#[test]
fn decomposed_hangul_classifies_like_composed() {
    let (apart, together) = ("\u{1109}\u{1165}\u{1107}\u{1165} \u{1107}\u{1162}\u{1111}\u{1169}", "서버 배포");
    let classified = |text| classify_messages(Classifier::V2, None, &[("a2a.send", text)]);
    assert_eq!(
        (classified(apart).category, classified(apart).confidence),
        (classified(together).category, classified(together).confidence)
    );
}

#[test]
fn embedded_words_are_not_evidence() {
    let evidence = |text| classify_messages(Classifier::V2, None, &[("a2a.send", text)]).matches;
    let found = |words: &[(String, f64)], word: &str| words.iter().any(|(known, _)| known == word);
    let words = evidence("the latest metrics of docker are in the prefix");
    assert!(
        !found(&words, "test") && !found(&words, "cs") && !found(&words, "doc") && !found(&words, "fix"),
        "{words:?}"
    );
}

#[test]
fn table_round_trip_preserves_answers() {
    let parts = v2::TableParts {
        unit: 0.5,
        smooth: 3,
        temperature: 1.5,
        bias: [0.25; 10],
        rows: vec![(1, 16, [1; 10]), (300, 4, [-128; 10]), (0xff_ffff, 9, [127; 10])],
    };
    assert_eq!(v2::TableParts::from_bytes(&parts.to_bytes()), Some(parts.clone()));
    let bytes = parts.to_bytes();
    for cut in 0..bytes.len() {
        assert_eq!(v2::TableParts::from_bytes(&bytes[..cut]), None, "cut at {cut}");
    }
}

fn line(kind: &str, at: i64, data: &Value) -> String {
    let mut data = data.clone();
    data["workSessionId"] = "ws_1".into();
    json!({"type": kind, "agentId": "eden", "ts": NOW - 10_000 + at, "data": data}).to_string() + "\n"
}

fn message_line(kind: &str, at: i64, text: &str) -> String {
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
        message_line("a2a.send", 0, "결제 서버가 계속 죽습니다. 재시작하고 이전 버전으로 롤백해 주세요."),
        message_line("a2a.response", 1, "롤백 배포했고 파드 네 개 모두 정상입니다. 알람도 꺼졌어요."),
        message_line("a2a.response", 2, "네 감사합니다."),
    ]
}

#[test]
fn late_tasks_and_empty_messages_preserve_category() {
    let mut lines = talk();
    let before = category(&hub(&lines));
    assert_eq!((before.key, before.source, before.version.as_str()), (Category::InfraOps, CategorySource::Rule, "v2"));
    lines.push(line(
        "task.started",
        3,
        &json!({"taskId": "task_1", "description": "마케팅 캠페인 광고 문구 초안 쓰기"}),
    ));
    lines.push(message_line("a2a.response", 4, "ㅇㅇ"));
    lines.push(line("continuation.sent", 5, &json!({"taskId": "task_1"})));
    let after = category(&hub(&lines));
    assert_eq!((after.key, after.confidence), (before.key, before.confidence));
    lines.reverse();
    assert_eq!(category(&hub(&lines)), after, "whatever the order of arrival");
}

/// A deployment, of which most messages are about the checks before it.
#[test]
fn opening_decides_long_session_in_any_order() {
    let mut lines = talk();
    lines.push(message_line("a2a.send", 3, "서버 두 대를 늘리고 로드 밸런서에 붙여 주세요. 디스크 경보도 봐 주세요."));
    lines.push(message_line("a2a.response", 4, "노드 두 대를 붙였고 디스크는 로그를 지워 62%로 내렸습니다."));
    lines.push(message_line("a2a.send", 5, "데이터베이스 복제 지연도 확인하고 커넥션 풀을 200으로 올려 주세요."));
    lines.push(message_line("a2a.response", 6, "복제 지연은 1초 아래이고 풀을 올린 뒤 파드를 차례로 재시작했습니다."));
    lines.push(message_line("a2a.send", 7, "인증서 만료 전에 갱신하고 nginx 설정을 다시 읽혀 주세요."));
    lines.push(message_line("a2a.response", 8, "인증서를 갱신해 배포했고 모니터링 대시보드에 경보 규칙을 넣었습니다."));
    for at in 9..60 {
        lines.push(message_line("a2a.response", at, "회귀 테스트 케이스를 다시 돌렸고 전부 통과했습니다."));
    }
    let before = category(&hub(&lines));
    assert_eq!(before.key, Category::InfraOps, "{before:?}");
    lines.reverse();
    assert_eq!(category(&hub(&lines)), before);
    // The same talk without its opening is what it says.
    assert_eq!(category(&hub(&lines[..45])).key, Category::QaValidation);
}

#[test]
fn stated_category_beats_words_override_beats_both() {
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
    let (events, _) = parse_lines(message_line("a2a.send", 6, "서버 재시작해 주세요").as_bytes(), "log", 900_000);
    let _changes = hub.apply(events);
    assert_eq!(category(&hub).key, Category::BizStrategy);
    let _changes = hub.set_classifier(Classifier::V1);
    assert_eq!((category(&hub).key, category(&hub).version.as_str()), (Category::BizStrategy, "v1"));
}

#[test]
fn enriched_machine_category_is_not_a_statement() {
    let enriched = json!({"fromAgent": "eden", "toAgent": "seum", "conversationId": "c", "eventRole": "conversation.main",
        "message": "결제 서버가 계속 죽습니다. 재시작하고 롤백해 주세요.",
        "collabCategory": "docs_knowledge", "categorySource": "rule", "categoryConfidence": 0.63});
    let hub = hub(&[line("a2a.send", 0, &enriched)]);
    assert_eq!((category(&hub).key, category(&hub).source), (Category::InfraOps, CategorySource::Rule));
}
