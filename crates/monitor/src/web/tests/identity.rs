//! Tests of people that a trusted proxy names: author of a change, and rights.
//!
//! Proves (security): A user name in a header is believed only from a trusted proxy. It becomes the author of a change,
//! whatever the request says. A person without the right is refused.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use serde_json::{Value, json};

use super::{SESSION, TestResponse, WebFixture, ask, write};
use crate::config::{IdentitySettings, Members};

const PROXY: &str = "10.0.0.1:1";
const STRANGER: &str = "10.0.0.9:1";

fn listed(names: &[&str]) -> Members {
    Members::Listed(names.iter().map(|name| (*name).to_owned()).collect())
}

async fn fixture(view: Members) -> WebFixture {
    WebFixture::with(|settings| {
        settings.trusted_proxies = vec!["10.0.0.1".parse().expect("an address")];
        settings.identity = Some(IdentitySettings {
            header: "x-forwarded-user".parse().expect("a header"),
            groups_header: Some("x-forwarded-groups".parse().expect("a header")),
            view,
            categorize: listed(&["eden", "@ops"]),
            speak: listed(&[]),
            answer: listed(&["@ops"]),
        });
    })
    .await
}

/// A change of a category that claims to be by `mallory`.
async fn patch(fixture: &WebFixture, peer: &str, headers: &[(&str, &str)]) -> TestResponse {
    let mut request = write("PATCH", &format!("/api/v2/sessions/{SESSION}/category"));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let body = json!({"collabCategory": "infra_ops", "updatedBy": "mallory"}).to_string();
    let mut request = request.body(Body::from(body)).expect("request");
    request.extensions_mut().insert(ConnectInfo(peer.parse::<SocketAddr>().expect("peer")));
    fixture.call(request).await
}

async fn newest_author(fixture: &WebFixture) -> Value {
    let history = fixture.get(&format!("/api/v2/sessions/{SESSION}/category/history")).await.json();
    history["changes"][0]["by"].clone()
}

#[tokio::test]
async fn author_is_the_person_whom_the_proxy_names() {
    let fixture = fixture(Members::Everybody).await;
    assert_eq!(patch(&fixture, PROXY, &[("x-forwarded-user", "eden")]).await.status, 200);
    assert_eq!(newest_author(&fixture).await, "eden");
    let of_group = [("x-forwarded-user", "세움"), ("x-forwarded-groups", "dev, ops")];
    assert_eq!(patch(&fixture, PROXY, &of_group).await.status, 200);
    assert_eq!(newest_author(&fixture).await, "세움");
}

#[tokio::test]
async fn person_without_the_right_is_refused() {
    let fixture = fixture(Members::Everybody).await;
    let twice = [("x-forwarded-user", "eden"), ("x-forwarded-user", "seum")];
    for headers in [&[("x-forwarded-user", "seum")][..], &[], &twice, &[("x-forwarded-user", " ")]] {
        let answer = patch(&fixture, PROXY, headers).await;
        assert_eq!((answer.status.as_u16(), answer.json()["code"].as_str()), (403, Some("forbidden")), "{headers:?}");
    }
    let history = fixture.get(&format!("/api/v2/sessions/{SESSION}/category/history")).await.json();
    assert_eq!(history["changes"], json!([]));
}

#[tokio::test]
async fn header_of_an_untrusted_peer_names_nobody() {
    let fixture = fixture(Members::Everybody).await;
    // The token alone allows it, as without a proxy.
    assert_eq!(patch(&fixture, STRANGER, &[("x-forwarded-user", "eden")]).await.status, 200);
    assert_eq!(newest_author(&fixture).await, "mallory");
}

#[tokio::test]
async fn answers_say_what_the_person_may_do() {
    let fixture = fixture(Members::Everybody).await;
    for (user, writes) in [("eden", "token"), ("seum", "nobody")] {
        let mut request =
            ask("GET", "/api/v2/health").header("x-forwarded-user", user).body(Body::empty()).expect("request");
        request.extensions_mut().insert(ConnectInfo(PROXY.parse::<SocketAddr>().expect("peer")));
        let health = fixture.call(request).await.json();
        assert_eq!((&health["user"], &health["writes"]), (&json!(user), &json!(writes)));
        let mut request =
            ask("GET", "/api/v2/me").header("x-forwarded-user", user).body(Body::empty()).expect("request");
        request.extensions_mut().insert(ConnectInfo(PROXY.parse::<SocketAddr>().expect("peer")));
        let me = fixture.call(request).await.json();
        let rights = json!({"user": user, "mayCategorize": writes == "token", "maySpeak": false, "mayAnswer": false});
        assert_eq!(me, rights);
    }
}

#[tokio::test]
async fn note_is_by_the_person_whom_the_proxy_names() {
    let fixture = fixture(Members::Everybody).await;
    let body = json!({
        "content": {"kind": "note", "place": {"workSessionId": SESSION}, "text": "확인했습니다"},
        "updatedBy": "mallory",
    });
    let put = |user: &'static str| {
        let request = write("PUT", "/api/v2/shared/one").header("x-forwarded-user", user);
        let mut request = request.body(Body::from(body.to_string())).expect("request");
        request.extensions_mut().insert(ConnectInfo(PROXY.parse::<SocketAddr>().expect("peer")));
        fixture.call(request)
    };
    assert_eq!(put("seum").await.status, 403);
    assert_eq!(put("eden").await.status, 200);
    let session = fixture.get(&format!("/api/v2/sessions/{SESSION}")).await.json();
    assert_eq!((&session["shared"][0]["createdBy"], &session["session"]["noteCount"]), (&json!("eden"), &json!(1)));
    let found = fixture.get("/api/v2/search?q=%ED%99%95%EC%9D%B8%ED%96%88%EC%8A%B5%EB%8B%88%EB%8B%A4&in=notes").await;
    let found = found.json();
    assert_eq!((&found["hits"][0]["recordId"], &found["counts"]["notes"]), (&json!("one"), &json!(1)));
}

#[tokio::test]
async fn local_program_is_not_limited_by_rights() {
    let fixture = WebFixture::with(|settings| {
        settings.trusted_proxies = vec!["127.0.0.1".parse().expect("an address")];
        settings.identity = Some(IdentitySettings {
            header: "x-forwarded-user".parse().expect("a header"),
            groups_header: None,
            view: listed(&["eden"]),
            categorize: listed(&[]),
            speak: listed(&[]),
            answer: listed(&[]),
        });
    })
    .await;
    // Prometheus or a hook on the proxy's machine, then a person through the proxy.
    assert_eq!(fixture.get("/metrics").await.status, 200);
    assert_eq!(patch(&fixture, "127.0.0.1:1", &[]).await.status, 200);
    let forwarded = [("x-forwarded-for", "203.0.113.7"), ("x-forwarded-user", "eden")];
    assert_eq!(patch(&fixture, "127.0.0.1:1", &forwarded).await.status, 403);
}

#[tokio::test]
async fn person_without_the_right_sends_no_agent_events() {
    let fixture = fixture(Members::Everybody).await;
    for path in ["/api/v2/schema-events", "/api/hooks/claude-code"] {
        let request = write("POST", path).header("x-forwarded-user", "seum").body(Body::from("[]"));
        let mut request = request.expect("request");
        request.extensions_mut().insert(ConnectInfo(PROXY.parse::<SocketAddr>().expect("peer")));
        assert_eq!(fixture.call(request).await.status, 403, "{path}");
    }
}

#[tokio::test]
async fn view_right_covers_pages_and_answers() {
    let fixture = fixture(listed(&["eden"])).await;
    for path in ["/api/v2/home", "/api/work-sessions", "/", "/metrics"] {
        for (user, refused) in [("eden", false), ("seum", true)] {
            let mut request = ask("GET", path).header("x-forwarded-user", user).body(Body::empty()).expect("request");
            request.extensions_mut().insert(ConnectInfo(PROXY.parse::<SocketAddr>().expect("peer")));
            assert_eq!(fixture.call(request).await.status == 403, refused, "{user} {path}");
        }
    }
}
