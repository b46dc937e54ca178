//! Tests of category changes over REST: refusals, and the bytes on disk afterwards. Authorisation is tested in `auth`.
//!
//! Proves (categories): Category changes over REST are refused or stored exactly.

use std::fs;

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};

use super::{SESSION, TOKEN, TestResponse, WebFixture, ask, write};

fn patch(id: &str, body: impl Into<Body>, headers: &[(&str, &str)]) -> Request<Body> {
    let mut request = ask("PATCH", &format!("/api/v2/sessions/{id}/category")).header("x-task-monitor-token", TOKEN);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    if !headers.iter().any(|(name, _)| *name == "content-type") {
        request = request.header("content-type", "application/json");
    }
    request.body(body.into()).expect("request")
}

fn good() -> String {
    json!({"collabCategory": "qa_validation", "updatedBy": "운영자", "reason": "시험"}).to_string()
}

fn outcome(answer: &TestResponse) -> (u16, String) {
    (answer.status.as_u16(), answer.json()["code"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn acknowledged_change_is_durable_and_undoable() {
    let fixture = WebFixture::new().await;
    let answer = fixture.call(patch(SESSION, good(), &[])).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let body = answer.json();
    assert_eq!(body["override"]["collabCategory"], "qa_validation");
    assert_eq!(body["session"]["category"]["key"], "qa_validation");
    assert_eq!(body["session"]["category"]["source"], "manual_override");
    let file: Value =
        serde_json::from_slice(&fs::read(fixture.path("work-session-category-overrides.json")).expect("file"))
            .expect("json");
    assert_eq!(file[SESSION]["updatedBy"], "운영자");
    let shown = fixture.get(&format!("/api/v2/sessions/{SESSION}")).await.json();
    assert_eq!(shown["evidence"]["manual"]["collabCategory"], "qa_validation");

    let taken_back = fixture
        .call(write("DELETE", &format!("/api/v2/sessions/{SESSION}/category")).body(Body::empty()).expect("request"))
        .await
        .json();
    assert_eq!(taken_back.get("override"), None);
    assert_ne!(taken_back["session"]["category"]["source"], "manual_override");
    let history = fixture.get(&format!("/api/v2/sessions/{SESSION}/category/history")).await.json();
    assert_eq!(history["changes"].as_array().map(Vec::len), Some(2));
    assert_eq!(history["changes"][1]["reason"], "시험");
    assert_eq!(history["changes"][0]["undoOf"], history["changes"][1]["requestId"]);
}

#[tokio::test]
async fn session_in_unread_history_is_not_404() {
    let fixture = WebFixture::start(|_| {});
    loop {
        let answer = fixture.call(patch(SESSION, good(), &[])).await;
        match answer.status.as_u16() {
            200 => break,
            _ => assert_eq!(outcome(&answer), (503, "source_unavailable".to_owned())),
        }
        tokio::task::yield_now().await;
    }
    assert_eq!(fixture.call(patch("ws_nobody", good(), &[])).await.status, 404);
}

#[tokio::test]
async fn invalid_change_is_refused_with_its_reason() {
    let fixture = WebFixture::new().await;
    let large = json!({"collabCategory": "qa_validation", "reason": "x".repeat(20_000)}).to_string();
    for (body, id, headers, expected) in [
        (good(), "ws_nobody", vec![], (404, "not_found")),
        (r#"{"collabCategory":"galactic"}"#.to_owned(), SESSION, vec![], (422, "invalid_value")),
        ("{}".to_owned(), SESSION, vec![], (422, "invalid_value")),
        (r#"{"collabCategory":"infra_ops","updatedBy":7}"#.to_owned(), SESSION, vec![], (422, "invalid_value")),
        (r#"{"collabCategory":"infra_ops","expected":"galactic"}"#.to_owned(), SESSION, vec![], (422, "invalid_value")),
        (r#"{"collabCategory":"infra_ops","expected":7}"#.to_owned(), SESSION, vec![], (422, "invalid_value")),
        (r#"{"collabCategory":"infra_ops","expected":"qa_validation"}"#.to_owned(), SESSION, vec![], (409, "conflict")),
        ("not json".to_owned(), SESSION, vec![], (400, "invalid_body")),
        ("null".to_owned(), SESSION, vec![], (400, "invalid_body")),
        (good(), SESSION, vec![("content-type", "text/plain")], (415, "unsupported_media_type")),
        (large, SESSION, vec![], (413, "too_large")),
    ] {
        let answer = fixture.call(patch(id, body.clone(), &headers)).await;
        assert_eq!(outcome(&answer), (expected.0, expected.1.to_owned()), "{body:.40} {id} {headers:?}");
    }
    let refused = fixture.call(patch(SESSION, "{}", &[])).await.json();
    assert_eq!(refused["field"], "collabCategory");
    assert_eq!(refused["allowed"].as_array().map(Vec::len), Some(10));
    assert!(!fixture.path("work-session-category-overrides.json").exists());
}

#[tokio::test]
async fn second_conflicting_change_returns_409_with_current_value() {
    let fixture = WebFixture::new().await;
    let body = |category: &str, seen: &str| json!({"collabCategory": category, "expected": seen}).to_string();
    assert_eq!(fixture.call(patch(SESSION, body("infra_ops", "automatic"), &[])).await.status, 200);
    let second = fixture.call(patch(SESSION, body("docs_knowledge", "automatic"), &[])).await;
    assert_eq!(outcome(&second), (409, "conflict".to_owned()));
    assert!(second.json()["error"].as_str().is_some_and(|error| error.contains("infra_ops")), "{}", second.text());
    let shown = fixture.get(&format!("/api/v2/sessions/{SESSION}")).await.json();
    assert_eq!(shown["session"]["category"]["key"], "infra_ops");
    assert_eq!(fixture.call(patch(SESSION, body("docs_knowledge", "infra_ops"), &[])).await.status, 200);
}

fn patch_many(body: &Value) -> Request<Body> {
    let request = write("PATCH", "/api/v2/categories");
    request.body(Body::from(body.to_string())).expect("request")
}

#[tokio::test]
async fn batch_change_refuses_items_individually() {
    let fixture = WebFixture::new().await;
    let item = |id: &str, wanted: Option<&str>, seen: &str| json!({"workSessionId": id, "collabCategory": wanted, "expected": seen});
    fixture.append(&super::send(super::NOW - 50_000, "둘째").replace(SESSION, "ws_two"));
    super::eventually(&fixture, "/api/v2/sessions", |page| page["total"] == 2).await;
    let wanted = Some("qa_validation");
    let items = [
        item(SESSION, wanted, "automatic"),
        item("ws_nobody", wanted, "automatic"),
        item("ws_two", wanted, "infra_ops"),
    ];
    let answer = fixture.call(patch_many(&json!({"items": items, "updatedBy": "운영자", "reason": "한꺼번에"}))).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let results = &answer.json()["results"];
    assert_eq!(results[0]["session"]["category"]["source"], "manual_override");
    assert_eq!(
        [&results[0]["refused"], &results[1]["refused"], &results[2]["refused"]],
        [&Value::Null, &json!("not_found"), &json!("conflict")]
    );
    assert_eq!(results[2].get("override"), None, "the response contains the override in force: none");
    let back = json!({"items": [item(SESSION, None, "qa_validation")]});
    assert_eq!(fixture.call(patch_many(&back)).await.json()["results"][0].get("refused"), None);
    let history = fixture.get(&format!("/api/v2/sessions/{SESSION}/category/history")).await.json();
    assert_eq!(history["changes"][1]["reason"], "한꺼번에");
    assert_eq!(history["changes"][0]["undoOf"], history["changes"][1]["requestId"]);
}

#[tokio::test]
async fn change_record_pages_and_unreadable_record_fails() {
    let fixture = WebFixture::new().await;
    let page = fixture.get("/api/v2/category-changes").await.json();
    assert_eq!((page["total"].as_u64(), page["changes"].as_array().map(Vec::len)), (Some(0), Some(0)));
    fixture.call(patch(SESSION, good(), &[])).await;
    let back = write("DELETE", &format!("/api/v2/sessions/{SESSION}/category")).body(Body::empty()).expect("request");
    fixture.call(back).await;
    let page = fixture.get("/api/v2/category-changes?limit=1").await.json();
    assert_eq!((page["total"].as_u64(), page["next"].as_str()), (Some(2), Some("1")));
    assert_eq!(page["changes"][0]["change"]["undoOf"].as_str().map(str::is_empty), Some(false));
    assert_eq!(page["people"], json!([["운영자", 1]]));
    let older = fixture.get("/api/v2/category-changes?limit=1&cursor=1").await.json();
    assert_eq!(older["changes"][0]["change"]["to"], "qa_validation");
    assert_eq!(older["changes"][0]["session"]["known"], true);
    assert_eq!(older.get("next"), None);
    let only = fixture.get("/api/v2/category-changes?to=automatic&who=nobody").await.json();
    assert_eq!(only["total"], 0);
    assert_eq!(
        outcome(&fixture.get("/api/v2/category-changes?from=galactic").await),
        (400, "invalid_value".to_owned())
    );

    let record = fixture.path("work-session-category-audit.ndjson");
    fs::remove_file(&record).expect("remove");
    fs::create_dir(&record).expect("a folder in its place cannot be read, not even by root");
    assert_eq!(outcome(&fixture.get("/api/v2/category-changes").await), (503, "source_unavailable".to_owned()));
}

#[tokio::test]
async fn invalid_batch_request_changes_nothing() {
    let fixture = WebFixture::new().await;
    let good = json!({"workSessionId": SESSION, "collabCategory": "qa_validation"});
    let many: Vec<Value> = (0..201).map(|n| json!({"workSessionId": format!("ws_{n}")})).collect();
    for items in [
        json!([]),
        json!(many),
        json!([good, good]),
        json!([good, {"collabCategory": "infra_ops"}]),
        json!([good, 7]),
        json!([good, {"workSessionId": "ws_2", "collabCategory": "galactic"}]),
    ] {
        let answer = fixture.call(patch_many(&json!({"items": items}))).await;
        assert_eq!(outcome(&answer), (422, "invalid_value".to_owned()), "{}", answer.text());
    }
    assert!(!fixture.path("work-session-category-overrides.json").exists());
    let most: Vec<Value> = many.into_iter().take(200).collect();
    let answer = fixture.call(patch_many(&json!({"items": most}))).await;
    assert_eq!(answer.json()["results"].as_array().map(Vec::len), Some(200), "200 of them fit");
}

#[tokio::test]
async fn v1_accepts_any_session_id() {
    let fixture = WebFixture::new().await;
    for id in ["__proto__", "constructor", "ws_없는", "a%2Fb"] {
        let request = write("PATCH", &format!("/api/work-sessions/{}/category", percent(id)));
        let answer = fixture.call(request.body(Body::from(good())).expect("request")).await;
        assert_eq!(answer.status, 200, "{id}: {}", answer.text());
        let file: Value =
            serde_json::from_slice(&fs::read(fixture.path("work-session-category-overrides.json")).expect("file"))
                .expect("json");
        let id = answer.json()["workSessionId"].as_str().expect("id").to_owned();
        assert_eq!(file[&id]["collabCategory"], "qa_validation", "{id}");
    }
    let history = fixture.get("/api/v2/sessions/__proto__/category/history").await.json();
    assert_eq!(history["changes"][0]["to"], "qa_validation", "{history}");
    let overrides_health = fixture.get("/api/v2/health").await.json()["overrides"].clone();
    assert_eq!(
        (&overrides_health["state"], &overrides_health["entries"], &overrides_health["pending"]),
        (&json!("ok"), &json!(4), &json!(0)),
        "{overrides_health}"
    );
}

#[tokio::test]
async fn override_of_unknown_session_can_be_undone() {
    let fixture = WebFixture::new().await;
    let request = write("PATCH", "/api/work-sessions/ws_gone/category");
    assert_eq!(fixture.call(request.body(Body::from(good())).expect("request")).await.status, 200);
    assert_eq!(outcome(&fixture.call(patch("ws_gone", good(), &[])).await), (404, "not_found".to_owned()));
    let clear = |body: &'static str| {
        let request = write("DELETE", "/api/v2/sessions/ws_gone/category");
        fixture.call(request.body(Body::from(body)).expect("request"))
    };
    assert_eq!(outcome(&clear("7").await), (400, "invalid_body".to_owned()));
    assert_eq!(clear(r#"{"updatedBy":"ops","reason":"mistaken"}"#).await.status, 200);
    assert_eq!(outcome(&clear("").await), (404, "not_found".to_owned()), "nothing is left to take back");
    let history = fixture.get("/api/v2/sessions/ws_gone/category/history").await.json();
    assert_eq!((&history["changes"][0]["by"], &history["changes"][0]["reason"]), (&json!("ops"), &json!("mistaken")));
    assert_eq!(history["changes"][0]["undoOf"], history["changes"][1]["requestId"]);
}

/// Field and sentence of each refusal, and that a list is no object and an object no word.
#[tokio::test]
async fn bad_body_field_is_named_with_its_sentence() {
    let fixture = WebFixture::new().await;
    let (category, expected) =
        ("collabCategory must be one of the ten categories", "expected must be one of the ten categories or automatic");
    let (object, named) = ("every item must be an object", "every item must name its workSessionId");
    let one = format!("/api/v2/sessions/{SESSION}/category");
    let item = |key: &str, value: Value| json!({"items": [{"workSessionId": SESSION, key: value}]});
    let long = |field: &str, length: usize| json!({"collabCategory": "infra_ops", field: "x".repeat(length)});
    let config = |value: Value| json!({"config": value});
    let (shared, own_path) =
        ("/api/v2/shared/one", "content.path must be an address of the dashboard that begins with /");
    let note = |text: &str| json!({"content": {"kind": "note", "place": {"workSessionId": SESSION}, "text": text}});
    let view = |name: &str, path: &str| json!({"content": {"kind": "view", "name": name, "path": path}});
    for (method, path, body, field, error) in [
        ("PATCH", &*one, json!({"collabCategory": null}), "collabCategory", category),
        ("PATCH", &*one, json!({"collabCategory": {"infra_ops": null}}), "collabCategory", category),
        ("PATCH", &*one, json!({"collabCategory": "infra_ops", "expected": {}}), "expected", expected),
        ("PATCH", &*one, json!({"collabCategory": "infra_ops", "reason": 7}), "reason", "reason must be text"),
        ("PATCH", &*one, long("updatedBy", 201), "updatedBy", "updatedBy may hold 200 characters"),
        ("PATCH", &*one, long("reason", 1001), "reason", "reason may hold 1000 characters"),
        ("DELETE", &*one, json!({"expected": "galactic"}), "expected", expected),
        ("DELETE", &*one, json!({"updatedBy": []}), "updatedBy", "updatedBy must be text"),
        ("PATCH", "/api/v2/categories", json!({}), "items", "items must be a list"),
        ("PATCH", "/api/v2/categories", json!({"items": {}}), "items", "items must be a list"),
        ("PATCH", "/api/v2/categories", json!({"items": []}), "items", "items must hold 1 to 200 sessions"),
        ("PATCH", "/api/v2/categories", json!({"items": [["ws_1", "infra_ops"]]}), "items", object),
        ("PATCH", "/api/v2/categories", json!({"items": [{"workSessionId": ""}]}), "items", named),
        ("PATCH", "/api/v2/categories", json!({"items": [{"workSessionId": 7}]}), "items", named),
        ("PATCH", "/api/v2/categories", json!({"items": [{}]}), "items", named),
        ("PATCH", "/api/v2/categories", item("collabCategory", json!(7)), "collabCategory", category),
        ("PATCH", "/api/v2/categories", item("expected", json!("galactic")), "expected", expected),
        ("PUT", "/api/v2/classifier/config", json!({}), "config", "config: invalid type: null, expected struct Taught"),
        ("PUT", "/api/v2/classifier/config", config(json!({"words": [{}]})), "config", "config: missing field `word`"),
        ("PUT", "/api/v2/classifier/config", json!({"config": {}, "expected": 7}), "expected", "expected must be text"),
        ("PUT", shared, note(" \n"), "content.text", "content.text must not be blank"),
        ("PUT", shared, note(&"가".repeat(10_001)), "content.text", "content.text may hold 10000 characters"),
        ("PUT", shared, view("", "/all"), "content.name", "content.name must not be blank"),
        ("PUT", shared, view("하나", "//evil.example"), "content.path", own_path),
        ("PUT", shared, view("하나", "/\t/evil.example"), "content.path", own_path),
        ("PUT", shared, view("하나", "javascript:1"), "content.path", own_path),
        (
            "PUT",
            shared,
            json!({"content": {"kind": "poll"}}),
            "content.kind",
            "content.kind must be note, resolved, view or rule",
        ),
        ("DELETE", shared, json!({"expected": -1}), "expected", "expected must be a revision: a whole number from 0"),
        (
            "PUT",
            "/api/v2/shared/a%2Fb",
            view("하나", "/all"),
            "id",
            "id must have 1 to 64 letters, digits, - and _ of ASCII",
        ),
    ] {
        let answer = fixture.call(write(method, path).body(Body::from(body.to_string())).expect("request")).await;
        assert_eq!(outcome(&answer), (422, "invalid_value".to_owned()), "{body}: {}", answer.text());
        assert_eq!((&answer.json()["field"], &answer.json()["error"]), (&json!(field), &json!(error)), "{body}");
    }
}

/// What a URL needs encoded; what is encoded already stays.
fn percent(text: &str) -> String {
    text.bytes().map(|b| if b.is_ascii() { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}
