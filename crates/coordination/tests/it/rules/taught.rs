//! Tests of classifier rules that an operator teaches: a word or an agent that counts for or against a category. Each
//! rule changes the category of the sessions that it should, and of no other, in the preview and after saving.
//!
//! Proves (categories): A taught rule changes the category of the sessions that it should and of no other, in whatever
//! order they arrive. It never changes a category that an event states or a person set.

use std::path::{Path, PathBuf};

use coordination::api::{AgentHint, ManualOverride, Taught, TaughtWord};
use coordination::category::{Category, CategorySource};
use coordination::classify::Classifier;
use coordination::classify::v2::{ClassifierReplay, Lexicon, checked_rules};
use coordination::event::{Event, parse_lines};
use coordination::hub::Hub;
use coordination::query;
use serde_json::json;

const NOW: i64 = 1_771_651_020_000;

fn word(word: &str, category: Category, weight: f64) -> TaughtWord {
    TaughtWord { word: word.to_owned(), category, weight }
}

fn taught(words: &[TaughtWord]) -> Taught {
    checked_rules(Taught { words: words.to_vec(), agents: Vec::new() }).unwrap()
}

fn apply_all(hub: &mut Hub, taught: &Taught) {
    let teaching = hub.evaluate_rules(taught.clone());
    hub.apply_rules(teaching);
}

fn send(session: &str, at: i64, text: &str) -> String {
    let data = json!({"fromAgent": "ruda", "toAgent": "eden", "workSessionId": session, "conversationId": session,
        "eventRole": "conversation.main", "message": text});
    json!({"type": "a2a.send", "agentId": "ruda", "ts": at, "data": data}).to_string()
}

fn hub(lines: &[String]) -> Hub {
    let mut hub = Hub::new();
    hub.apply(parse_lines(format!("{}\n", lines.join("\n")).as_bytes(), "t", 0).0);
    hub
}

/// The log with everything in it.
fn fixture() -> Vec<Event> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/everything/logs");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let read = |(at, file): (usize, &PathBuf)| parse_lines(&std::fs::read(file).unwrap(), &format!("f{at}"), 0).0;
    files.iter().enumerate().flat_map(read).collect()
}

fn category(hub: &Hub, id: &str) -> (Category, CategorySource) {
    let info = query::session(hub, NOW, &id.into()).unwrap().session.category;
    (info.key, info.source)
}

/// All that pages see of the categories.
fn seen(hub: &Hub) -> String {
    let home = query::home(hub, NOW);
    let sessions = query::sessions(hub, NOW, &coordination::api::SessionsQuery::default()).unwrap().sessions;
    let evidence: Vec<_> =
        sessions.iter().map(|card| query::session(hub, NOW, &card.work_session_id).map(|it| it.evidence)).collect();
    serde_json::to_string(&json!({"home": home.categories, "sessions": sessions, "evidence": evidence})).unwrap()
}

#[test]
fn taught_word_classifies_shows_evidence_and_is_removable() {
    let mut hub = hub(&[
        send("ws_1", NOW - 9000, "알바트로스 어떻게 됐나요?"),
        send("ws_2", NOW - 8000, "버그를 고쳐서 구현 코드를 올려 주세요"),
    ]);
    let before = seen(&hub);
    let other = category(&hub, "ws_2");
    apply_all(&mut hub, &taught(&[word("알바트로스", Category::LegalCompliance, 3.0)]));
    assert_eq!(category(&hub, "ws_1"), (Category::LegalCompliance, CategorySource::Rule));
    assert_eq!(category(&hub, "ws_2"), other, "who does not say it stays");
    let evidence = query::session(&hub, NOW, &"ws_1".into()).unwrap().evidence;
    assert_eq!(evidence.taught, [("알바트로스".to_owned(), 3.0)]);
    assert_eq!(
        query::home(&hub, NOW).categories[Category::LegalCompliance.index()].totals.total,
        1,
        "and is counted there"
    );
    apply_all(&mut hub, &Taught::default());
    assert_eq!(seen(&hub), before);
}

#[test]
fn agent_hint_loses_to_statement_and_override() {
    let stated = json!({"type": "a2a.send", "agentId": "ruda", "ts": NOW - 100, "data": {"fromAgent": "ruda",
        "toAgent": "eden", "workSessionId": "ws_2", "message": "알바트로스", "collabCategory": "biz_strategy"}});
    let mut hub = hub(&[send("ws_1", NOW - 200, "뷁뷁"), stated.to_string(), send("ws_3", NOW - 50, "알바트로스")]);
    let by_hand = ManualOverride {
        collab_category: Category::DocsKnowledge,
        updated_at: "2026-02-21T00:00:00.000Z".to_owned(),
        updated_by: None,
    };
    hub.set_overrides([("ws_3".into(), by_hand)].into());
    assert_eq!(category(&hub, "ws_1").1, CategorySource::Fallback);
    let hint = AgentHint { agent: "RUDA".into(), category: Category::QaValidation, weight: 1.0 };
    apply_all(&mut hub, &checked_rules(Taught { words: Vec::new(), agents: vec![hint] }).unwrap());
    assert_eq!(category(&hub, "ws_1"), (Category::QaValidation, CategorySource::Rule));
    assert_eq!(category(&hub, "ws_2").0, Category::BizStrategy);
    assert_eq!(category(&hub, "ws_3"), (Category::DocsKnowledge, CategorySource::ManualOverride));
}

#[test]
fn taught_rules_are_independent_of_order() {
    let lesson = taught(&[
        word("배포", Category::LegalCompliance, 2.5),
        word("결제", Category::GrowthMarketing, -1.0),
        word("release notes", Category::BizStrategy, 4.0),
        word("테스트", Category::CustomerCommunity, 1.25),
    ]);
    let events = fixture();
    let mut after = Hub::new();
    after.apply(events.clone());
    let untaught = seen(&after);
    apply_all(&mut after, &lesson);
    let mut before = Hub::new();
    apply_all(&mut before, &lesson);
    for event in events.into_iter().rev() {
        before.apply(vec![event]);
    }
    assert_eq!(seen(&before), seen(&after));
    assert_ne!(seen(&after), untaught, "the words are said in it");
}

#[test]
fn browser_trial_equals_monitor_result() {
    let mut hub = Hub::new();
    hub.apply(fixture());
    let mut replays = Vec::new();
    let mut after = None;
    loop {
        let page = query::replay(&hub, after, Some(50)).unwrap();
        let text = serde_json::to_string(&page).unwrap();
        let page: coordination::api::ReplayPage = serde_json::from_str(&text).unwrap();
        replays.extend(page.sessions.into_iter().map(ClassifierReplay::new));
        match page.next {
            Some(next) => after = Some(next),
            None => break,
        }
    }
    assert_eq!(replays.len(), hub.session_count());
    for lesson in [
        Taught::default(),
        taught(&[word("배포", Category::LegalCompliance, 2.5), word("deploy", Category::DocsKnowledge, 5.0)]),
        taught(&[word("확인", Category::ResearchAnalysis, -5.0)]),
    ] {
        apply_all(&mut hub, &lesson);
        let lexicon = Lexicon::new(&lesson);
        for replay in &replays {
            let id = &replay.session().session.work_session_id;
            let detail = query::session(&hub, NOW, id).unwrap();
            let outcome = replay.outcome(&lexicon);
            assert_eq!(Some(outcome.category), detail.evidence.automatic, "{id} with {lesson:?}");
            assert_eq!(outcome.taught, detail.evidence.taught, "{id}");
        }
    }
}

#[test]
fn both_classifiers_are_queryable_under_either_default() {
    let mut hub = Hub::new();
    hub.apply(fixture());
    let mut old = Hub::new();
    old.set_classifier(Classifier::V1);
    old.apply(fixture());
    apply_all(&mut hub, &taught(&[word("배포", Category::LegalCompliance, 2.5)]));
    apply_all(&mut old, &taught(&[word("배포", Category::LegalCompliance, 2.5)]));
    let page = query::replay(&hub, None, Some(1000)).unwrap();
    let mut apart = 0;
    for id in page.sessions.iter().map(|it| &it.session.work_session_id) {
        let by = |hub: &Hub, classifier| query::session_by(hub, NOW, id, classifier).unwrap();
        let category_and_evidence =
            |detail: coordination::api::SessionDetail| (detail.session.category, detail.evidence);
        let plain = |hub: &Hub| category_and_evidence(query::session(hub, NOW, id).unwrap());
        assert_eq!(category_and_evidence(by(&hub, Classifier::V1)), plain(&old), "{id}");
        assert_eq!(category_and_evidence(by(&old, Classifier::V2)), plain(&hub), "{id}");
        assert_eq!(category_and_evidence(by(&hub, Classifier::V2)), plain(&hub), "{id}");
        apart += u32::from(plain(&hub).0.key != plain(&old).0.key);
    }
    assert!(apart > 10, "they differ in {apart}");
}
