//! Tests of the `v1` classifier against recorded answers of the original 1.x monitor (`fixtures/v1-vectors.jsonl`), and
//! against the table of examples in `contract/monitor-api.md` §9.
//!
//! Proves (categories): The `v1` classifier equals the original 1.x monitor on all 250 recorded vectors
//! (`fixtures/v1-vectors.jsonl`).

#![allow(clippy::needless_pass_by_value, reason = "a test fails loudly, and its helpers take literals")]

use coordination::classify;
use coordination::event::derive_role;
use coordination::event::event_from_value;
use coordination::roster::Roster;
use serde_json::{Value, json};

/// The configuration the vectors were recorded with.
const CONFIG: &str =
    r#"{agents: {list: [{id: "eden"}, {id: "seum"}, {id: "dajim"}, {id: "ruda"}, {id: "worker-quick"}]}}"#;

fn roster() -> Roster {
    Roster::parse(CONFIG, &mut |path| Err(format!("no {path}"))).expect("the configuration is good")
}

fn answer(event: &Value) -> Value {
    // A blank type makes no event; the vectors expect null there.
    let Ok(event) = event_from_value(event, &"vector-0".into()) else { return Value::Null };
    let derived = derive_role(&event, &roster());
    let classified = coordination::event::category::v1(&event, derived.role);
    json!({
        "eventRole": derived.role,
        "fromSessionType": derived.from_type,
        "toSessionType": derived.to_type,
        "collabCategory": classified.category,
        "collabSubTags": classified.sub_tags,
        "categoryConfidence": coordination::json_number::number(classified.confidence),
        "categorySource": classified.source,
    })
}

#[test]
fn v1_answers_all_recorded_vectors() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/v1-vectors.jsonl");
    let text = std::fs::read_to_string(path).expect("the vectors are readable");
    let mut wrong = Vec::new();
    let mut count = 0;
    for (number, line) in text.lines().enumerate() {
        let vector: Value = serde_json::from_str(line).expect("every vector is JSON");
        let got = answer(&vector["event"]);
        count += 1;
        if got != vector["expect"] {
            wrong.push(format!("{}: {}\n  want {}\n  got  {got}", number + 1, vector["event"], vector["expect"]));
        }
    }
    assert_eq!(count, 250);
    assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// `contract/monitor-api.md` §9, row by row: event, then role / from / to, then category, tags, confidence, source.
#[test]
fn v1_answers_the_verified_table() {
    let send = |data: Value| {
        let mut body = json!({"fromAgent": "eden", "toAgent": "seum"});
        for (key, value) in data.as_object().expect("an object") {
            body[key] = value.clone();
        }
        json!({"type": "a2a.send", "agentId": "eden", "ts": 1_771_290_000_000_i64, "data": body})
    };
    let check = |event: Value, expect: Value| {
        let got = answer(&event);
        for (key, value) in expect.as_object().expect("an object") {
            assert_eq!(&got[key], value, "{key} of {event}");
        }
    };
    let category = |key: &str, tags: &[&str], confidence: f64, source: &str| json!({"collabCategory": key, "collabSubTags": tags, "categoryConfidence": coordination::json_number::number(confidence), "categorySource": source});
    let types =
        |role: &str, from: &str, to: &str| json!({"eventRole": role, "fromSessionType": from, "toSessionType": to});

    check(send(json!({"message": "fix"})), category("engineering_build", &["fix"], 0.63, "rule"));
    check(send(json!({"message": "fix"})), types("conversation.main", "main", "main"));
    check(send(json!({"message": "hello"})), category("engineering_build", &[], 0.2, "fallback"));
    let talk = json!({"message": "배포 서버 장애 확인", "eventRole": "conversation.main",
        "fromSessionType": "main", "toSessionType": "unknown"});
    check(send(talk.clone()), category("infra_ops", &["배포", "장애", "서버"], 0.89, "rule"));
    check(send(talk), types("conversation.main", "main", "unknown"));
    check(send(json!({"targetSessionKey": "agent:seum:a2a:c1"})), types("conversation.main", "main", "main"));
    check(send(json!({"depth": 0, "hop": 0})), types("delegation.subagent", "main", "main"));
    check(
        json!({"type": "a2a.auto_route", "data": {"senderAgentId": "eden", "targetAgentId": "seum"}}),
        types("conversation.main", "main", "main"),
    );
    check(send(json!({"fromAgent": "ghost"})), types("delegation.subagent", "unknown", "main"));
    let refused = json!({"type": "a2a.response", "agentId": "seum", "data": {"fromAgent": "eden", "toAgent": "seum",
        "outcome": "blocked", "message": "[outcome] blocked: 동시 처리 한도 초과 (agent: seum)"}});
    check(refused.clone(), types("conversation.main", "main", "main"));
    check(refused, category("engineering_build", &[], 0.2, "fallback"));
    check(
        json!({"type": "a2a.response", "agentId": "ruda", "data": {"fromAgent": "ruda", "toAgent": "main",
            "message": "E2E 테스트와 회귀 검증을 완료했습니다"}}),
        category("qa_validation", &["e2e", "회귀", "검증"], 0.95, "rule"),
    );
    check(send(json!({"message": "docker"})), category("infra_ops", &["docker"], 0.71, "rule"));
    check(send(json!({"message": "metrics"})), category("customer_community", &["cs"], 0.63, "rule"));
    check(
        send(json!({"message": "the latest discussion about prefix docs"})),
        category("docs_knowledge", &["doc", "docs"], 0.71, "rule"),
    );
    check(send(json!({"message": "test design"})), category("planning_decision", &["design"], 0.71, "rule"));
    check(
        send(json!({"message": "[Goal] 로그인 API 리팩토링 구현 후 테스트 부탁해"})),
        category("engineering_build", &["구현", "리팩토링"], 0.71, "rule"),
    );
    check(
        send(json!({"collabCategory": "qa_validation", "collabSubTags": ["a", "b", "c", "d", "e", "f"]})),
        category("qa_validation", &["a", "b", "c", "d", "e"], 1.0, "manual"),
    );
    let plan = json!({"type": "plan.submitted", "agentId": "eden", "data": {}});
    check(plan.clone(), category("planning_decision", &["plan"], 0.63, "rule"));
    check(plan, types("orchestration.task", "main", "unknown"));
    let updated = json!({"type": "task.updated", "agentId": "eden", "data": {}});
    check(updated.clone(), category("planning_decision", &[], 0.2, "fallback"));
    check(updated, types("orchestration.task", "main", "unknown"));
}

/// The one-pass search finds exactly what a plain substring search finds.
#[test]
fn every_keyword_is_found_anywhere() {
    for (category, keywords) in classify::KEYWORDS {
        for keyword in keywords {
            for text in [(*keyword).to_owned(), format!("x{keyword}"), format!("가\n{keyword}나")] {
                let found = classify::v1_words(&text, coordination::role::Role::ConversationMain);
                let own = classify::KEYWORDS.iter().find(|(key, _)| *key == found.category).expect("a category").1;
                let plain: Vec<&str> = own.iter().copied().filter(|word| text.contains(word)).collect();
                let matches: Vec<&str> = found.matches.iter().map(|(word, _)| word.as_ref()).collect();
                assert_eq!(matches, plain, "{text}");
                assert!(found.score >= 1.0, "{category:?} {text}");
            }
        }
    }
}
