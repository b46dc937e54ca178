//! The timeline of a session over REST; what stands on its pages is held to the threads in `coordination/tests/law.rs`.

use axum::http::StatusCode;
use serde_json::json;

use super::{Bench, SESSION};

#[tokio::test]
async fn a_session_tells_its_timeline_and_refuses_what_it_cannot_read() {
    let bench = Bench::new().await;
    let path = format!("/api/v2/sessions/{SESSION}/timeline");
    let page = bench.get(&path).await.json();
    let items = page["items"].as_array().expect("items");
    assert_eq!(items.len(), 1, "{page}");
    assert_eq!(items[0]["message"]["message"]["text"], "배포 파이프라인 점검 부탁해요");
    assert_eq!(items[0]["message"]["exchange"]["state"], "waiting");
    let refused = bench.get(&format!("{path}?limit=501")).await;
    assert_eq!((refused.status, refused.json()["field"].clone()), (StatusCode::BAD_REQUEST, json!("limit")));
    assert_eq!(bench.get("/api/v2/sessions/nobody/timeline").await.status, StatusCode::NOT_FOUND);
}
