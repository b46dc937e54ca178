//! Tests of ETags: an answer that the client already has is not sent again.
//!
//! Proves (api): An unchanged answer gives 304.

use axum::body::Body;
use axum::http::{Request, StatusCode};

use super::{NOW, SESSION, WebFixture, ask, send, write};

fn showing(path: &str, tag: &str) -> Request<Body> {
    ask("GET", path).header("if-none-match", tag).body(Body::empty()).expect("request")
}

#[tokio::test]
async fn matching_etag_returns_304() {
    let fixture = WebFixture::new().await;
    let paths =
        ["home", "sessions", "sessions?limit=1", "events", "tasks", "agents", "delegations", "quality", "drift"];
    for path in paths.map(|path| format!("/api/v2/{path}")).into_iter().chain([format!("/api/v2/sessions/{SESSION}")]) {
        let first = fixture.call(showing(&path, "")).await;
        let tag = first.header("etag").to_owned();
        assert!(first.status == StatusCode::OK && tag.starts_with("W/\""), "{path}: {tag}");
        let revalidated = fixture.call(showing(&path, &tag)).await;
        assert_eq!((revalidated.status, revalidated.body.len()), (StatusCode::NOT_MODIFIED, 0), "{path}");
        assert_eq!(revalidated.header("etag"), tag, "{path}");
        assert_eq!(revalidated.header("cache-control"), "no-store", "{path}");
        assert!(!revalidated.header("x-request-id").is_empty(), "{path}");
        let listed = fixture.call(showing(&path, &format!("\"x\", {}", tag.trim_start_matches("W/")))).await;
        assert_eq!(listed.status, StatusCode::NOT_MODIFIED, "{path}: one of several, by weak comparison");
        for other in ["*", "\"x\"", "", "W/\"1-2-3\""] {
            assert_eq!(fixture.call(showing(&path, other)).await.status, StatusCode::OK, "{path}: {other}");
        }
    }
}

#[tokio::test]
async fn etag_differs_per_query_and_position() {
    let fixture = WebFixture::new().await;
    let path = "/api/v2/events";
    let tag = fixture.call(showing(path, "")).await.header("etag").to_owned();
    let other = fixture.call(showing("/api/v2/events?limit=7", &tag)).await;
    assert_eq!(other.status, StatusCode::OK);
    let wrong = fixture.call(showing("/api/v2/events?limit=0", &tag)).await;
    assert_eq!((wrong.status, wrong.header("etag")), (StatusCode::BAD_REQUEST, ""), "a fault bears no tag");
    let mut seq = fixture.state.live().newest();
    fixture.append(&send(NOW - 1000, "재배포 완료"));
    seq.changed().await.expect("a delta");
    let after = fixture.call(showing(path, &tag)).await;
    assert_eq!(after.status, StatusCode::OK);
    assert!(after.text().contains("재배포 완료"), "{}", after.text());
    assert_ne!(after.header("etag"), tag);
}

#[tokio::test]
async fn what_changes_without_the_stream_bears_no_tag() {
    let fixture = WebFixture::new().await;
    for path in ["/api/v2/health", "/api/v2/doctor", "/api/v2/category-changes", "/api/v2/classifier/config"] {
        let answer = fixture.call(showing(path, "")).await;
        assert_eq!((answer.status, answer.header("etag")), (StatusCode::OK, ""), "{path}");
    }
}

#[tokio::test]
async fn answers_reflect_own_change() {
    let fixture = WebFixture::new().await;
    let path = format!("/api/v2/sessions/{SESSION}");
    let before = fixture.call(showing(&path, "")).await;
    assert_eq!(fixture.call(showing(&path, "")).await.text(), before.text(), "made once");
    let change =
        write("PATCH", &format!("{path}/category")).body(Body::from(r#"{"collabCategory":"legal_compliance"}"#));
    let change = fixture.call(change.expect("request")).await;
    assert_eq!(change.status, StatusCode::OK, "{}", change.text());
    // The next position may not be published yet.
    let after = fixture.call(showing(&path, "")).await;
    assert!(after.text().contains("manual_override") && after.text() != before.text(), "{}", after.text());
}

#[tokio::test]
async fn unchanged_v1_list_returns_304() {
    let fixture = WebFixture::new().await;
    let lists =
        ["events?limit=3", "events/search?q=a", "work-sessions", "work-sessions?limit=1", "work-sessions/search?q=a"];
    let paths = lists.map(str::to_owned).into_iter().chain([format!("work-sessions/{SESSION}")]);
    let mut tags = std::collections::BTreeSet::new();
    for path in paths.map(|path| format!("/api/{path}")) {
        let first = fixture.call(showing(&path, "")).await;
        let tag = first.header("etag").to_owned();
        assert!(first.status == StatusCode::OK && tag.starts_with("W/\"v1-"), "{path}: {tag}");
        assert!(tags.insert(tag.clone()), "{path}: each address has its own");
        let again = fixture.call(showing(&path, &tag)).await;
        assert_eq!(
            (again.status, again.body.len(), again.header("etag")),
            (StatusCode::NOT_MODIFIED, 0, &*tag),
            "{path}"
        );
        assert_eq!(fixture.call(showing(&path, "*")).await.text(), first.text(), "{path}");
    }
    let path = "/api/work-sessions";
    let tag = fixture.call(showing(path, "")).await.header("etag").to_owned();
    let mut seq = fixture.state.live().newest();
    fixture.append(&send(NOW - 1000, "재배포 완료"));
    seq.changed().await.expect("a delta");
    let after = fixture.call(showing(path, &tag)).await;
    assert_eq!(after.status, StatusCode::OK);
    assert!(after.text().contains("재배포 완료") && after.header("etag") != tag, "{}", after.text());
    let missing = fixture.call(showing("/api/work-sessions/none", "")).await;
    assert_eq!((missing.status, missing.header("etag")), (StatusCode::NOT_FOUND, ""));
}
