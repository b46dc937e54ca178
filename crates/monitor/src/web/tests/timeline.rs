//! Tests of three REST routes of a session: timeline (all its threads in one list), flow and thread search. They check
//! the answers and the refusal of invalid parameters.
//!
//! Proves (reading): The timeline, the flow and the thread search of a session are served over REST. The flow equals
//! that of the hub, and invalid parameters are refused.

use axum::http::StatusCode;
use coordination::ids::SessionId;
use coordination::query;
use serde_json::json;

use super::{SESSION, WebFixture};

#[tokio::test]
async fn timeline_is_served_and_bad_parameters_refused() {
    let fixture = WebFixture::new().await;
    let path = format!("/api/v2/sessions/{SESSION}/timeline");
    let page = fixture.get(&path).await.json();
    let items = page["items"].as_array().expect("items");
    assert_eq!(items.len(), 1, "{page}");
    assert_eq!(items[0]["message"]["message"]["text"], "배포 파이프라인 점검 부탁해요");
    assert_eq!(items[0]["message"]["exchange"]["state"], "waiting");
    let refused = fixture.get(&format!("{path}?limit=501")).await;
    assert_eq!((refused.status, refused.json()["field"].clone()), (StatusCode::BAD_REQUEST, json!("limit")));
    assert_eq!(fixture.get("/api/v2/sessions/nobody/timeline").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn flow_route_equals_the_query() {
    let fixture = WebFixture::new().await;
    let flow = fixture.get(&format!("/api/v2/sessions/{SESSION}/flow")).await.json();
    assert_eq!(flow["lanes"], json!([{"agent": "eden"}, {"agent": "seum"}]), "{flow}");
    let arrow = &flow["arrows"][0];
    assert_eq!(
        (arrow["kind"].clone(), arrow["from"].clone(), arrow["to"].clone()),
        (json!("request"), json!(0), json!(1))
    );
    assert_eq!(
        (arrow["text"].clone(), arrow["exchange"]["state"].clone()),
        (json!("배포 파이프라인 점검 부탁해요"), json!("waiting"))
    );
    assert_eq!(fixture.get("/api/v2/sessions/nobody/flow").await.status, StatusCode::NOT_FOUND);
    // The monitor adds nothing to the query's answer and takes nothing from it: the page's local hub gives the same.
    let expected_flow = fixture.state.run_query(|hub, now| query::flow(hub, now, &SessionId::from(SESSION))).await;
    assert_eq!(flow, serde_json::to_value(expected_flow.expect("a flow")).expect("JSON"));
}

#[tokio::test]
async fn thread_search_returns_matching_messages() {
    let fixture = WebFixture::new().await;
    let detail = fixture.get(&format!("/api/v2/sessions/{SESSION}")).await.json();
    let thread = detail["threads"][0]["threadId"].as_str().expect("a thread");
    let path = format!("/api/v2/sessions/{SESSION}/threads/{thread}/find");
    let found = fixture.get(&format!("{path}?q=%ED%8C%8C%EC%9D%B4%ED%94%84%EB%9D%BC%EC%9D%B8")).await.json();
    assert_eq!((found["total"].clone(), found["ids"].as_array().map(Vec::len)), (json!(1), Some(1)));
    let refused = fixture.get(&path).await;
    assert_eq!((refused.status, refused.json()["field"].clone()), (StatusCode::BAD_REQUEST, json!("q")));
    let missing = fixture.get(&format!("/api/v2/sessions/{SESSION}/threads/conv:nobody/find?q=a")).await;
    assert_eq!(missing.status, StatusCode::NOT_FOUND);
}
