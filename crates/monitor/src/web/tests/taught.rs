//! Tests of classifier rules over REST. Rules are durable before the answer, visible at once, and refused when invalid.
//!
//! Proves (categories): Rules are durable before the answer, visible at once, and refused when invalid.

use std::fs;

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

use super::{SESSION, WebFixture, ask, write};

const CONFIG: &str = "/api/v2/classifier/config";
const FILE: &str = "task-hub-classifier.json";

fn put(body: &Value) -> Request<Body> {
    let request = write("PUT", CONFIG);
    request.body(Body::from(body.to_string())).expect("request")
}

fn word(word: &str, category: &str, weight: f64) -> Value {
    json!({"word": word, "category": category, "weight": weight})
}

/// A word of the session's messages.
async fn word_of_session(fixture: &WebFixture) -> String {
    let page = fixture.get("/api/v2/classifier/replay?limit=1000").await.json();
    let sessions = page["sessions"].as_array().expect("sessions").clone();
    let session = sessions.into_iter().find(|it| it["session"]["workSessionId"] == SESSION).expect("the session");
    let text = session["main"][0]["text"].as_str().expect("text").to_owned();
    text.split_whitespace().find(|word| word.chars().count() >= 2).expect("a word").to_owned()
}

#[tokio::test]
async fn rules_are_durable_and_active_when_acknowledged() {
    let fixture = WebFixture::new().await;
    let before = fixture.get(CONFIG).await.json();
    assert_eq!(before["config"], json!({}));
    let category = |detail: &Value| detail["session"]["category"]["key"].as_str().unwrap_or_default().to_owned();
    let route = format!("/api/v2/sessions/{SESSION}");
    let was = category(&fixture.get(&route).await.json());
    let wanted = if was == "legal_compliance" { "biz_strategy" } else { "legal_compliance" };
    let word = word(&word_of_session(&fixture).await, wanted, 20.0);
    let body = json!({"config": {"words": [word]}, "expected": before["revision"], "updatedBy": "온새"});
    let answer = fixture.call(put(&body)).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.json()["updatedBy"], "온새");
    assert_eq!(answer.json()["config"]["words"], json!([word]));
    let file: Value = serde_json::from_slice(&fs::read(fixture.path(FILE)).expect("file")).expect("json");
    assert_eq!(file["words"], json!([word]));
    let shown = fixture.get(&route).await.json();
    assert_eq!(category(&shown), wanted);
    assert_eq!(shown["evidence"]["taught"][0][0], word["word"]);

    // A client with the old revision gets a conflict.
    let late = json!({"config": {}, "expected": before["revision"]});
    let answer = fixture.call(put(&late)).await;
    assert_eq!((answer.status.as_u16(), answer.json()["code"].clone()), (409, json!("conflict")));
    let back = json!({"config": {}, "expected": fixture.get(CONFIG).await.json()["revision"]});
    assert_eq!(fixture.call(put(&back)).await.status, 200);
    assert_eq!(category(&fixture.get(&route).await.json()), was);
}

#[tokio::test]
async fn invalid_rules_are_refused_and_change_nothing() {
    let fixture = WebFixture::new().await;
    for (config, field) in [
        (json!({"words": [word("...", "qa_validation", 1.0)]}), "config.words[0].word"),
        (json!({"words": [word("배포", "qa_validation", 21.0)]}), "config.words[0].weight"),
        (json!({"words": [word("배포", "galactic", 1.0)]}), "config"),
        (json!({"agents": [{"agent": " ", "category": "qa_validation", "weight": 1}]}), "config.agents[0].agent"),
        (json!(7), "config"),
    ] {
        let answer = fixture.call(put(&json!({"config": config}))).await;
        assert_eq!((answer.status.as_u16(), answer.json()["field"].clone()), (422, json!(field)), "{config}");
    }
    assert_eq!(fixture.call(put(&json!([]))).await.status, 400);
    let foreign = ask("PUT", CONFIG).header("content-type", "application/json").header("origin", "http://evil.example");
    let answer = fixture.call(foreign.body(Body::from(json!({"config": {}}).to_string())).expect("request")).await;
    assert_eq!(answer.status, 403);
    assert!(!fixture.path(FILE).exists(), "nothing was written");
    assert_eq!(fixture.get("/api/v2/classifier/replay?after=x").await.status, 400);
}

#[tokio::test]
async fn unreadable_rules_file_is_reported_not_overwritten() {
    let fixture = WebFixture::new().await;
    fs::write(fixture.path(FILE), "{\"words\": 7}").expect("write");
    let trouble = async || fixture.get(CONFIG).await.json()["trouble"].as_str().map(str::to_owned);
    for _ in 0..400 {
        if trouble().await.is_some() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    assert!(trouble().await.is_some_and(|cause| cause.contains("invalid type")), "within ten seconds");
    let answer = fixture.call(put(&json!({"config": {"words": [word("배포", "qa_validation", 1.0)]}}))).await;
    assert_eq!((answer.status.as_u16(), answer.json()["code"].clone()), (503, json!("not_committed")));
    assert_eq!(fs::read_to_string(fixture.path(FILE)).expect("file"), "{\"words\": 7}");
}
