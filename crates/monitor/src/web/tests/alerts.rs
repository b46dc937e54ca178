//! Tests of `/api/v2/alerts`: what it shows and hides, who may test a sink, metrics and health.

use axum::body::Body;

use super::*;
use crate::config::{AlertSink, AlertSinkKind, PushSettings, SinkText, WebhookTarget};

fn with_sink(settings: &mut Settings) {
    settings.alerts.sinks = vec![AlertSink {
        name: "chat".to_owned(),
        kind: AlertSinkKind::Slack,
        webhook: Some(WebhookTarget::new("http://127.0.0.1:1/services/s3cret", None).expect("an address")),
        mail: None,
        push: None,
        text: SinkText::Title,
        sends_over: false,
    }];
}

#[tokio::test]
async fn alerts_page_shows_sinks_without_secrets() {
    let fixture = WebFixture::with(with_sink).await;
    let page = fixture.get("/api/v2/alerts").await;
    assert!(!page.text().contains("s3cret"), "{}", page.text());
    assert_eq!(page.json()["sinks"][0]["address"], "http://127.0.0.1:1");
    let none = WebFixture::new().await;
    assert_eq!(none.get("/api/v2/alerts").await.json()["sinks"], json!([]));
    assert!(!none.path("task-hub-alerts.ndjson").exists(), "a home without sinks gets no file");
    assert!(none.get("/api/v2/health").await.json().get("alerts").is_none());
}

#[tokio::test]
async fn alert_test_needs_the_write_right_and_reports_the_outcome() {
    let fixture = WebFixture::with(with_sink).await;
    let body = |sink: &str| Body::from(json!({ "sink": sink }).to_string());
    let path = "/api/v2/alerts/test";
    let refused = ask("POST", path).header("content-type", "application/json").body(body("chat")).expect("request");
    assert_eq!(fixture.call(refused).await.status, 401);
    let unknown = fixture.call(write("POST", path).body(body("mail")).expect("request")).await;
    assert_eq!((unknown.status.as_u16(), &unknown.json()["allowed"]), (422, &json!(["chat"])));
    let tested = fixture.call(write("POST", path).body(body("chat")).expect("request")).await;
    assert_eq!((tested.status.as_u16(), tested.json()["status"].as_str()), (200, Some("dead")), "{}", tested.text());
    let id = tested.json()["id"].as_u64().expect("a number");
    // Who has the answer reads the state behind it.
    assert_eq!(fixture.get("/api/v2/alerts").await.json()["dead"][0]["id"], json!(id));
    let health = eventually(&fixture, "/api/v2/health", |health| health["alerts"]["failing"] == json!(["chat"])).await;
    assert_eq!((health["status"].as_str(), &health["alerts"]["dead"]), (Some("degraded"), &json!(1)));
    let metrics = fixture.get("/metrics").await.text();
    assert!(metrics.contains("task_monitor_alerts_total{sink=\"chat\",outcome=\"given_up\"} 1"), "{metrics}");
    assert!(metrics.contains("task_monitor_alerts_outbox 0"), "{metrics}");
    let retry = |id: u64| write("POST", "/api/v2/alerts/retry").body(Body::from(json!({ "id": id }).to_string()));
    assert_eq!(fixture.call(retry(id + 9).expect("request")).await.status, 422);
    assert_eq!(fixture.call(retry(id).expect("request")).await.status, 200);
}

#[tokio::test]
async fn rule_of_the_page_replaces_the_default_ones() {
    let fixture = WebFixture::with(with_sink).await;
    let rules = |page: &Value| {
        let rules = page["rules"].as_array().expect("rules").iter();
        rules.map(|rule| (rule["origin"].clone(), rule["rule"]["name"].clone())).collect::<Vec<_>>()
    };
    let page = fixture.get("/api/v2/alerts").await.json();
    assert_eq!(rules(&page), [(json!("default"), json!("person")), (json!("default"), json!("agents"))]);
    let put = |rule: Value| {
        let body = json!({ "content": rule, "expected": 0 });
        write("PUT", "/api/v2/shared/r1").body(Body::from(body.to_string())).expect("request")
    };
    let wrong = fixture.call(put(json!({ "kind": "rule", "name": "밤", "afterMs": 1, "repeatMs": 5 }))).await;
    assert_eq!((wrong.status.as_u16(), wrong.json()["field"].as_str()), (422, Some("content.repeatMs")));
    let unknown = fixture.call(put(json!({ "kind": "rule", "name": "밤", "afterMs": 1, "kinds": ["vote"] }))).await;
    assert_eq!((unknown.status.as_u16(), unknown.json()["field"].as_str()), (422, Some("content.kinds")));
    let quiet = json!({ "from": 1320, "to": 480, "offset": 540 });
    let rule = json!({ "kind": "rule", "name": " 밤 ", "afterMs": 60_000, "kinds": ["permission"], "quiet": quiet });
    assert_eq!(fixture.call(put(rule)).await.status, 200);
    let page = fixture.get("/api/v2/alerts").await.json();
    assert_eq!(rules(&page), [(json!("page"), json!("밤"))]);
    assert_eq!((&page["rules"][0]["id"], &page["rules"][0]["revision"]), (&json!("r1"), &json!(1)));
    assert_eq!(page["rules"][0]["rule"]["sinks"], json!(["chat"]), "it is sent to all");
    let removal = write("DELETE", "/api/v2/shared/r1").body(Body::from("{}")).expect("request");
    assert_eq!(fixture.call(removal).await.status, 200);
    assert_eq!(rules(&fixture.get("/api/v2/alerts").await.json()).len(), 2);
}

fn with_push(settings: &mut Settings) {
    with_sink(settings);
    let push = PushSettings { contact: "mailto:ops@example.org".to_owned(), services: Vec::new() };
    let phones = AlertSink {
        name: "phones".to_owned(),
        kind: AlertSinkKind::Push,
        webhook: None,
        push: Some(push),
        ..settings.alerts.sinks[0].clone()
    };
    settings.alerts.sinks.push(phones);
}

#[tokio::test]
async fn push_subscriptions_need_the_write_right_and_a_push_service() {
    let fixture = WebFixture::with(with_push).await;
    let subscription = |endpoint: &str| {
        let keys = json!({
            "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "auth": "BTBZMqHH6r4Tts7J_aSIgg",
        });
        // `PushSubscription.toJSON()` has more than is needed.
        Body::from(json!({ "endpoint": endpoint, "expirationTime": null, "keys": keys, "name": "Safari" }).to_string())
    };
    let path = "/api/v2/push-subscriptions";
    let apple = "https://web.push.apple.com/s3cret";
    let refused = ask("POST", path).header("content-type", "application/json").body(subscription(apple));
    assert_eq!(fixture.call(refused.expect("request")).await.status, 401);
    let inside = fixture.call(write("POST", path).body(subscription("http://127.0.0.1:80/x")).expect("request")).await;
    assert_eq!((inside.status.as_u16(), inside.json()["field"].as_str()), (422, Some("endpoint")), "{}", inside.text());
    let taken = fixture.call(write("POST", path).body(subscription(apple)).expect("request")).await;
    let id = taken.json()["id"].as_str().expect("an id").to_owned();
    let page = fixture.get("/api/v2/alerts").await;
    assert!(!page.text().contains("s3cret") && page.json()["sinks"][1]["publicKey"].is_string(), "{}", page.text());
    assert_eq!(page.json()["sinks"][1]["receivers"][0]["name"], "Safari");
    let remove = || write("DELETE", &format!("{path}/{id}")).body(Body::empty()).expect("request");
    assert_eq!(fixture.call(remove()).await.json()["sinks"][1].get("receivers"), None);
    assert_eq!(fixture.call(remove()).await.status, 200, "it is gone");
    let without = WebFixture::with(with_sink).await;
    let none = without.call(write("POST", path).body(subscription(apple)).expect("request")).await;
    assert!(none.status == 422 && none.text().contains("kind push"), "{}", none.text());
}
