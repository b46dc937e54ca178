//! Tests of the routes for operators: probes, metrics, a wrong clock and the served OpenAPI document.
//!
//! Proves (api): The probes answer under any host name. Metrics have bounded labels and follow the state. `/metrics` is
//! refused to foreign hosts and origins. A monitor whose clock is behind the events reports by how much.

use axum::body::Body;
use axum::http::Request;

use serde_json::json;

use super::{NOW, WebFixture, ask, eventually, send, write};

/// Value of a series such as `task_monitor_sessions{status="active"}`.
fn value(text: &str, series: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' ')?.parse().ok())
}

#[tokio::test]
async fn probes_answer_under_any_host_with_one_word() {
    let fixture = WebFixture::new().await;
    for path in ["/livez", "/readyz"] {
        let request =
            Request::builder().uri(path).header("host", "10.1.2.3:8080").header("origin", "https://a.example");
        let answer = fixture.call(request.body(Body::empty()).expect("request")).await;
        assert_eq!((answer.status.as_u16(), answer.text().as_str()), (200, "ok\n"), "{path}");
        assert_eq!(answer.header("cache-control"), "no-store");
    }
    fixture.state.close();
    assert_eq!(fixture.get("/readyz").await.text(), "closing\n");
    assert_eq!(fixture.get("/readyz").await.status, 503);
    assert_eq!(fixture.get("/livez").await.status, 200);
}

#[tokio::test]
async fn metrics_follow_the_state() {
    let fixture = WebFixture::over("everything", 1_772_450_000_000).await;
    fixture.get("/api/v2/home").await;
    fixture.get("/api/v2/sessions/absent").await;
    let answer = fixture.get("/metrics").await;
    assert!(answer.header("content-type").starts_with("text/plain; version=0.0.4"));
    let text = answer.text();
    let home = fixture.get("/api/v2/home").await.json();
    for (status, key) in [("active", "active"), ("quiet", "quiet"), ("archived", "archived")] {
        let series = format!("task_monitor_sessions{{status=\"{status}\"}}");
        assert_eq!(value(&text, &series), home["statusCounts"][key].as_f64(), "{series}");
    }
    assert_eq!(value(&text, "task_monitor_ready"), Some(1.0));
    assert_eq!(value(&text, "task_monitor_log_state{state=\"ok\"}"), Some(1.0));
    let count = "task_monitor_http_request_duration_seconds_count";
    let series = format!("{count}{{route=\"/api/v2/home\",method=\"GET\",status=\"2xx\"}}");
    assert_eq!(value(&text, &series), Some(1.0), "{text}");
    let series = format!("{count}{{route=\"/api/v2/sessions/{{id}}\",method=\"GET\",status=\"4xx\"}}");
    assert_eq!(value(&text, &series), Some(1.0), "{text}");
    assert!(value(&text, "task_monitor_reply_seconds_count").is_some_and(|count| count > 0.0), "{text}");
    assert!(value(&text, "process_resident_memory_bytes").is_some_and(|bytes| bytes > 1e6), "{text}");
}

/// Three events are five hours ahead of the monitor's clock; one of them alone would be a fault of that event.
#[tokio::test]
async fn clock_behind_events_degrades_health() {
    const HOUR: i64 = 3_600_000;
    let fixture = WebFixture::new().await;
    fixture.append(&send(NOW + 9 * HOUR, "혼자 앞선 시각"));
    // The facts of the source follow the events.
    let is_newest = |health: &serde_json::Value| health["source"]["newestEvent"] == NOW + 9 * HOUR;
    let health = eventually(&fixture, "/api/v2/health", is_newest).await;
    assert_eq!((&health["status"], &health["events"]), (&json!("ok"), &json!(2)));
    let series = "task_monitor_log_clock_ahead_seconds";
    assert_eq!(value(&fixture.get("/metrics").await.text(), series), Some(0.0));
    fixture.append(&send(NOW + 5 * HOUR, "둘째"));
    fixture.append(&send(NOW + 5 * HOUR + 1000, "셋째"));
    let health = eventually(&fixture, "/api/v2/health", |health| health["status"] == "degraded").await;
    assert_eq!(health["source"]["thirdNewestEvent"], NOW + 5 * HOUR);
    assert_eq!(value(&fixture.get("/metrics").await.text(), series), Some(18_000.0));
    let home = eventually(&fixture, "/api/v2/home", |home| home["source"]["thirdNewestEvent"].is_i64()).await;
    assert_eq!(home["now"], NOW);
}

#[tokio::test]
async fn metrics_count_changes_by_outcome() {
    let fixture = WebFixture::new().await;
    let put = |expected: u32| {
        let body =
            format!(r#"{{"content":{{"kind":"view","name":"{expected}","path":"/all"}},"expected":{expected}}}"#);
        fixture.call(write("PUT", "/api/v2/shared/one").body(Body::from(body)).expect("request"))
    };
    assert_eq!((put(0).await.status.as_u16(), put(7).await.status.as_u16()), (200, 409));
    let text = fixture.get("/metrics").await.text();
    for (outcome, number) in [("written", 1.0), ("conflict", 1.0), ("failed", 0.0), ("uncertain", 0.0)] {
        let series = format!("task_monitor_changes_total{{outcome=\"{outcome}\"}}");
        assert_eq!(value(&text, &series), Some(number), "{series}");
    }
    assert!(!text.contains("task_monitor_cache"), "the cache is off");
}

#[tokio::test]
async fn unknown_paths_and_methods_add_no_series() {
    let fixture = WebFixture::new().await;
    for number in 0..20 {
        fixture.get(&format!("/made/up/{number}")).await;
        let request = ask(&format!("METHOD{number}"), "/api/v2/home");
        fixture.call(request.body(Body::empty()).expect("request")).await;
    }
    let text = fixture.get("/metrics").await.text();
    let series =
        text.lines().filter(|line| line.starts_with("task_monitor_http_request_duration_seconds_count")).count();
    assert!(series <= 4, "{series}:\n{text}");
}

#[tokio::test]
async fn metrics_are_refused_to_foreign_hosts_and_origins() {
    let fixture = WebFixture::new().await;
    let foreign_host = Request::builder().uri("/metrics").header("host", "evil.example");
    assert_eq!(fixture.call(foreign_host.body(Body::empty()).expect("request")).await.status, 421);
    let foreign_page =
        ask("GET", "/metrics").header("origin", "https://evil.example").header("sec-fetch-site", "cross-site");
    assert_eq!(fixture.call(foreign_page.body(Body::empty()).expect("request")).await.status, 403);
}

#[tokio::test]
async fn openapi_document_is_served() {
    let answer = WebFixture::new().await.get("/openapi.json").await;
    assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, "application/json"));
    assert_eq!(answer.text(), crate::web::document());
}
