//! Tests of the search index: it stays up to date with the log.
//!
//! Proves (search): The search index follows the log.

use serde_json::json;

use super::*;

#[tokio::test]
async fn index_covers_history_and_appended_events() {
    let fixture = WebFixture::new().await;
    let health = eventually(&fixture, "/api/v2/health", |health| health["index"]["events"] == 1).await;
    let words = health["index"]["words"].as_u64().expect("words");
    fixture.append(&send(NOW - 30_000, "깃털처럼 가볍게"));
    let health = eventually(&fixture, "/api/v2/health", |health| health["index"]["events"] == 2).await;
    assert_eq!(health["index"]["words"], json!(words + 2));
    assert!(health["index"]["bytes"].as_u64().is_some_and(|bytes| bytes > 0));
}
