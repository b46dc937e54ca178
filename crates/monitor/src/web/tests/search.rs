//! Tests of `GET /api/v2/search`: hits in the history and in appended events, and the error for an invalid query.
//!
//! Proves (search): REST serves the search over old and new events, and names the position of an error in a query.

use axum::http::StatusCode;
use coordination::api::SearchQuery;
use coordination::query;
use serde_json::json;

use super::*;

#[tokio::test]
async fn search_finds_history_and_appended_events() {
    let fixture = WebFixture::new().await;
    // 파이프라인을
    let path = "/api/v2/search?q=%ED%8C%8C%EC%9D%B4%ED%94%84%EB%9D%BC%EC%9D%B8%EC%9D%84&in=messages";
    let page = fixture.get(path).await.json();
    assert_eq!(page["total"], json!(1), "{page}");
    let hit = &page["hits"][0];
    assert_eq!((&hit["kind"], &hit["sessionId"]), (&json!("messages"), &json!(SESSION)));
    assert_eq!(hit["snippet"], json!({"text": "배포 파이프라인 점검 부탁해요", "marks": [[3, 8]]}));
    assert_eq!(page["clauses"][0]["value"], json!("파이프라인"));
    fixture.append(&send(NOW - 30_000, "파이프라인이 멈췄습니다"));
    let page = eventually(&fixture, path, |page| page["total"] == 2).await;
    assert_eq!(page["hits"][0]["snippet"]["text"], "파이프라인이 멈췄습니다");
    // The monitor adds nothing to the query's answer and takes nothing from it.
    let search_query = SearchQuery { q: "파이프라인".to_owned(), ..SearchQuery::default() };
    let answer = fixture.get("/api/v2/search?q=%ED%8C%8C%EC%9D%B4%ED%94%84%EB%9D%BC%EC%9D%B8").await.json();
    let own =
        fixture.state.run_indexed_query(move |hub, index, now| query::search(hub, index, now, &search_query)).await;
    assert_eq!(answer, serde_json::to_value(own.expect("a page")).expect("JSON"));
}

#[tokio::test]
async fn bad_search_query_names_its_position() {
    let fixture = WebFixture::new().await;
    let refused = fixture.get("/api/v2/search?q=%F0%9F%9A%80%20is:broken").await;
    let body = refused.json();
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert_eq!((&body["field"], &body["range"], &body["fault"]), (&json!("q"), &json!([3, 12]), &json!("badValue")));
    assert_eq!(body["allowed"][0], json!("blocked"));
    for (path, field) in [
        ("/api/v2/search", "q"),
        ("/api/v2/search?q=%20", "q"),
        ("/api/v2/search?q=a&in=nothing", "in"),
        ("/api/v2/search?q=a&limit=101", "limit"),
        ("/api/v2/search?q=a&after=1.2.3", "after"),
        ("/api/v2/search?q=a&offset=5000", "offset"),
        ("/api/v2/search?q=a&sort=x", "sort"),
    ] {
        let refused = fixture.get(path).await;
        assert_eq!(
            (refused.status, refused.json()["field"].clone()),
            (StatusCode::BAD_REQUEST, json!(field)),
            "{path}"
        );
    }
}
