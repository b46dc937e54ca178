//! Tests of agents, avatars and category drift over REST v2.
//!
//! Proves (work): Agents and their pictures are served over REST v2.

use std::fs;

use coordination::api::{Drift, PeriodsQuery};
use coordination::query;
use serde_json::json;

use super::{WebFixture, eventually};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

#[tokio::test]
async fn agents_include_queue_and_pairs() {
    let fixture = WebFixture::new().await;
    let page = fixture.get("/api/v2/agents").await.json();
    let card = |id: &str| {
        let agents = page["agents"].as_array().expect("agents");
        agents.iter().find(|card| card["agent"]["id"] == id).cloned().expect("a card")
    };
    assert_eq!(
        (&card("eden")["agent"]["state"], &card("eden")["evidence"]["kind"]),
        (&json!("waiting"), &json!("send"))
    );
    assert_eq!(card("seum")["queue"][0]["from"], "eden");
    assert_eq!((&page["pairs"][0]["from"], &page["pairs"][0]["sends"]), (&json!("eden"), &json!(1)));
    assert_eq!(fixture.get("/api/v2/agents?since=soon").await.status, 400);
    let quality = fixture.get("/api/v2/quality?offset=540").await.json();
    assert!(quality["all"]["events"].as_u64() > Some(0) && quality["all"]["syncFailed"] == 0);
    assert_eq!(fixture.get("/api/v2/quality?offset=1081").await.status, 400);
    assert_eq!(fixture.get("/api/v2/delegations").await.json()["total"], 0);
    assert_eq!(fixture.get("/api/v2/delegations?limit=10001").await.status, 400);
}

#[tokio::test]
async fn drift_route_equals_the_query() {
    let fixture = WebFixture::new().await;
    let drift_answer = fixture.get("/api/v2/drift?offset=540").await.json();
    assert_eq!((&drift_answer["all"]["sessions"], &drift_answer["band"]["standing"]), (&json!(1), &json!("tooFew")));
    let periods_query = PeriodsQuery { since: None, offset_min: 540 };
    let own = fixture.state.run_query(move |hub, now| query::drift(hub, now, &periods_query)).await;
    assert_eq!(drift_answer, serde_json::to_value(&own).expect("JSON"), "nothing is added or lost");
    assert_eq!(
        serde_json::from_value::<Drift>(drift_answer).expect("a drift"),
        own,
        "and the page reads what was written"
    );
    assert_eq!(fixture.get("/api/v2/drift?since=1771651020001").await.json()["periods"], json!([]));
    assert_eq!(fixture.get("/api/v2/drift?offset=1081").await.status, 400);
    assert_eq!(fixture.get("/api/v2/drift?category=infra_ops").await.status, 400);
}

#[tokio::test]
async fn only_pictures_are_served_as_avatar() {
    let fixture = WebFixture::new().await;
    let folder = fixture.path("workspace-seum");
    fs::create_dir_all(&folder).expect("folder");
    fs::write(folder.join("face.png"), PNG).expect("picture");
    fs::write(fixture.path("secret.png"), PNG).expect("outside");
    let route = "/api/v2/agents/seum/avatar";
    let with = |avatar: &str| {
        let config =
            format!(r#"{{ agents: {{ list: [{{id: "eden"}}, {{id: "seum", identity: {{avatar: "{avatar}"}}}}] }} }}"#);
        fs::write(fixture.path("openclaw.json"), config).expect("config");
    };
    let kind = |page: &serde_json::Value| page["agents"][1]["avatar"]["kind"].clone();
    assert_eq!(fixture.get(route).await.status, 404);
    with("face.png");
    eventually(&fixture, "/api/v2/agents", |page| kind(page) == "file").await;
    let answer = fixture.get(route).await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("content-type"), answer.body.as_slice()),
        (200, "image/png", PNG)
    );
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    assert!(answer.header("content-security-policy").contains("sandbox"));
    with("https://example.org/a.png");
    eventually(&fixture, "/api/v2/agents", |page| kind(page) == "link").await;
    assert_eq!(fixture.get(route).await.status, 404, "what lies elsewhere is never fetched");
    with("../secret.png");
    eventually(&fixture, "/api/v2/agents", |page| kind(page) == "file").await;
    assert_eq!(fixture.get(route).await.status, 404, "nor is anything outside the workspace");
    assert_eq!(fixture.get("/api/v2/agents/nobody/avatar").await.status, 404);
}
