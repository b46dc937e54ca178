//! Tests of write authorisation over REST 1.x and v2: the token, the session of the monitor's own page, and the rate
//! limit.
//!
//! Proves (security): Every change needs the token or the page's session, and writes are rate limited.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, Version};
use coordination::api::{Health, Writes};
use serde_json::json;

use super::{HOST, SESSION, TOKEN, TestResponse, WebFixture, ask};

const OURS: &str = "http://127.0.0.1:3847";
const HERE: &str = "127.0.0.1:1";
const THERE: &str = "192.168.0.7:1";

/// The cookie of our page, requested as a browser on this machine does.
pub(super) async fn cookie(fixture: &WebFixture) -> String {
    let answer = fixture.call(page(HERE)).await;
    let cookie = answer.header("set-cookie").to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    cookie.split(';').next().unwrap_or_default().to_owned()
}

fn page(peer: &str) -> Request<Body> {
    let request = ask("GET", "/").header("accept", "text/html").header("sec-fetch-mode", "navigate");
    request_from(peer, request.body(Body::empty()).expect("request"))
}

fn request_from(peer: &str, mut request: Request<Body>) -> Request<Body> {
    request.extensions_mut().insert(ConnectInfo(peer.parse::<SocketAddr>().expect("peer")));
    request
}

/// A change over both APIs, which must agree.
async fn change(fixture: &WebFixture, peer: &str, headers: &[(&str, &str)]) -> TestResponse {
    let mut answers = Vec::new();
    for api in ["work-sessions", "v2/sessions"] {
        let mut request = ask("PATCH", &format!("/api/{api}/{SESSION}/category"));
        for (name, value) in headers.iter().chain([&("content-type", "application/json")]) {
            request = request.header(*name, *value);
        }
        let body = json!({"collabCategory": "qa_validation"}).to_string();
        answers.push(fixture.call(request_from(peer, request.body(Body::from(body)).expect("request"))).await);
    }
    let (v2, v1) = (answers.pop().expect("v2"), answers.pop().expect("v1"));
    assert_eq!(v1.status, v2.status, "{headers:?} from {peer}: {} | {}", v1.text(), v2.text());
    v2
}

#[tokio::test]
async fn without_token_only_page_session_writes() {
    let fixture = WebFixture::with(|settings| settings.write_token = None).await;
    let cookie = cookie(&fixture).await;
    let status = async |headers: &[(&str, &str)], peer| change(&fixture, peer, headers).await.status.as_u16();
    assert_eq!(status(&[], HERE).await, 401, "loopback is not an identity");
    assert_eq!(status(&[("x-task-monitor-token", "")], HERE).await, 401);
    assert_eq!(status(&[("origin", OURS)], HERE).await, 401, "a page without its session");
    assert_eq!(status(&[("cookie", &cookie)], HERE).await, 401, "a session without a page");
    assert_eq!(status(&[("origin", OURS), ("cookie", "task_hub_session_3847=0")], HERE).await, 401);
    fixture.web.perimeter.forget();
    assert_eq!(status(&[("origin", OURS), ("cookie", &cookie)], HERE).await, 200);
    assert_eq!(status(&[("origin", "https://evil.example"), ("cookie", &cookie)], HERE).await, 403);
    let denied_answer = change(&fixture, HERE, &[]).await.json();
    assert_eq!(denied_answer["code"], "unauthorized");
    assert!(
        denied_answer["error"].as_str().is_some_and(|it| it.contains("TASK_MONITOR_WRITE_TOKEN")),
        "{denied_answer}"
    );
}

#[tokio::test]
async fn configured_token_and_page_session_may_write() {
    let fixture = WebFixture::new().await;
    let cookie = cookie(&fixture).await;
    let status = async |headers: &[(&str, &str)], peer| change(&fixture, peer, headers).await.status.as_u16();
    assert_eq!(status(&[], HERE).await, 401, "also from this machine");
    assert_eq!(status(&[("x-task-monitor-token", "correct horse")], HERE).await, 401);
    assert_eq!(status(&[("x-task-monitor-token", TOKEN), ("x-task-monitor-token", TOKEN)], HERE).await, 401);
    let padded = format!(" {TOKEN} ");
    assert_eq!(status(&[("x-task-monitor-token", &padded)], HERE).await, 200);
    assert_eq!(status(&[("x-task-monitor-token", TOKEN)], THERE).await, 200);
    assert_eq!(status(&[("x-task-monitor-token", TOKEN), ("x-forwarded-for", "192.168.0.7")], HERE).await, 200);
    assert_eq!(status(&[("origin", OURS), ("cookie", &cookie)], HERE).await, 200, "our own page has its session");
    assert_eq!(status(&[("cookie", &cookie)], HERE).await, 401);
}

#[tokio::test]
async fn an_allowed_origin_is_not_our_page() {
    let other = "http://127.0.0.1:3000";
    let fixture = WebFixture::with(|settings| settings.allowed_origins = vec![other.to_owned()]).await;
    let cookie = cookie(&fixture).await;
    let status = async |headers: &[(&str, &str)]| change(&fixture, HERE, headers).await.status.as_u16();
    assert_eq!(status(&[("origin", other), ("cookie", &cookie)]).await, 401, "ports of a host share their cookies");
    assert_eq!(status(&[("origin", other), ("x-task-monitor-token", TOKEN)]).await, 200);
}

#[tokio::test]
async fn public_listener_without_token_refuses_writes() {
    let open = async |token: bool| {
        WebFixture::with(move |settings| {
            settings.host = "0.0.0.0".to_owned();
            if !token {
                settings.write_token = None;
            }
        })
        .await
    };
    let writes = async |fixture: &WebFixture| {
        serde_json::from_value::<Health>(fixture.get("/api/v2/health").await.json()).expect("health").writes
    };
    let fixture = open(false).await;
    assert_eq!(fixture.call(page(HERE)).await.header("set-cookie"), "", "there is no session to have");
    let session = format!("task_hub_session_3847={}", fixture.web.page_session.for_cookie());
    for headers in [vec![], vec![("x-task-monitor-token", TOKEN)], vec![("origin", OURS), ("cookie", session.as_str())]]
    {
        let answer = change(&fixture, HERE, &headers).await;
        assert_eq!((answer.status.as_u16(), answer.json()["code"].as_str()), (401, Some("read_only")), "{headers:?}");
    }
    assert!(!fixture.path("work-session-category-overrides.json").exists());
    assert_eq!(writes(&fixture).await, Some(Writes::Nobody));
    let fixture = open(true).await;
    assert_eq!(change(&fixture, THERE, &[("x-task-monitor-token", TOKEN)]).await.status, 200);
    assert_eq!(writes(&fixture).await, Some(Writes::Token));
    assert_eq!(writes(&WebFixture::with(|settings| settings.write_token = None).await).await, Some(Writes::Page));
}

#[tokio::test]
async fn only_direct_local_pages_get_a_session() {
    let fixture = WebFixture::new().await;
    assert_eq!(fixture.call(page(THERE)).await.header("set-cookie"), "");
    let granted = async |headers: &[(&str, &str)]| {
        let mut request = ask("GET", "/").header("accept", "text/html");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = fixture.call(request_from(HERE, request.body(Body::empty()).expect("request"))).await;
        !answer.header("set-cookie").is_empty()
    };
    let (site, mode, dest) = ("sec-fetch-site", "sec-fetch-mode", ("sec-fetch-dest", "document"));
    assert!(granted(&[(site, "none"), (mode, "navigate"), dest]).await);
    assert!(
        granted(&[(site, "same-origin"), (mode, "cors")]).await,
        "a page that was led here gets it by its own reads"
    );
    assert!(!granted(&[(site, "cross-site"), (mode, "navigate"), dest]).await);
    assert!(!granted(&[(site, "same-site"), (mode, "navigate"), dest]).await);
    assert!(!granted(&[(site, "none"), (mode, "navigate"), dest, ("x-forwarded-for", "203.0.113.7")]).await);
    assert!(!granted(&[]).await, "a program");
}

#[tokio::test]
async fn silent_proxy_gets_no_session() {
    let fixture = WebFixture::with(|settings| settings.allowed_hosts = vec!["hub.example".to_owned()]).await;
    let page_request = Request::builder().uri("/").header("host", "hub.example").header("accept", "text/html");
    let request = page_request.header("sec-fetch-mode", "navigate").body(Body::empty()).expect("request");
    let answer = fixture.call(request_from(HERE, request)).await;
    assert_eq!((answer.status.as_u16(), answer.header("set-cookie")), (200, ""));
    // nginx, left to itself, calls us by our own name and speaks HTTP/1.0.
    let mut old = page(HERE);
    *old.version_mut() = Version::HTTP_10;
    assert_eq!(fixture.call(old).await.header("set-cookie"), "");
    assert_ne!(fixture.call(page(HERE)).await.header("set-cookie"), "", "the same as a browser asks it");
    let named =
        WebFixture::with(|settings| settings.trusted_proxies = vec!["127.0.0.1".parse().expect("network")]).await;
    assert_eq!(named.call(page(HERE)).await.header("set-cookie"), "", "a proxy that is known to be one");
}

#[tokio::test]
async fn ten_failures_block_tokens_but_not_page() {
    let fixture = WebFixture::new().await;
    let cookie = cookie(&fixture).await;
    let wrong = [("x-task-monitor-token", "wrong")];
    for _ in 0..5 {
        assert_eq!(change(&fixture, HERE, &wrong).await.status, 401, "two a time, one over each API");
    }
    for headers in [&wrong[..], &[("x-task-monitor-token", TOKEN)], &[]] {
        let answer = change(&fixture, HERE, headers).await;
        assert_eq!(
            (answer.status.as_u16(), answer.json()["code"].as_str()),
            (429, Some("rate_limited")),
            "{headers:?}"
        );
        let wait: u64 = answer.header("retry-after").parse().expect("seconds");
        assert!((1..=60).contains(&wait), "{wait}");
    }
    assert_eq!(change(&fixture, HERE, &[("origin", OURS), ("cookie", &cookie)]).await.status, 200, "never locked out");
    assert_eq!(change(&fixture, THERE, &[("x-task-monitor-token", TOKEN)]).await.status, 200, "others are not meant");
    assert_eq!(fixture.get("/api/v2/home").await.status, 200, "reading is no attempt");
}

#[tokio::test]
async fn a_foreign_page_locks_nobody_out() {
    let fixture = WebFixture::new().await;
    for _ in 0..50 {
        assert_eq!(change(&fixture, HERE, &[("origin", "https://evil.example")]).await.status, 403);
        assert_eq!(change(&fixture, HERE, &[("sec-fetch-site", "cross-site")]).await.status, 403);
        let rebound = Request::builder().method("PATCH").uri("/api/v2/categories").header("host", "evil.example");
        assert_eq!(fixture.call(request_from(HERE, rebound.body(Body::empty()).expect("request"))).await.status, 421);
    }
    assert_eq!(change(&fixture, HERE, &[("x-task-monitor-token", TOKEN)]).await.status, 200);
}

#[tokio::test]
async fn proxied_clients_are_limited_individually() {
    let fixture = WebFixture::with(|settings| {
        settings.trusted_proxies = vec!["127.0.0.1".parse().expect("network")];
        settings.allowed_hosts = vec!["hub.example".to_owned()];
    })
    .await;
    let status_for = async |client: &str, name: &str| {
        change(&fixture, HERE, &[("x-forwarded-for", client), ("x-forwarded-host", name)]).await.status.as_u16()
    };
    for _ in 0..5 {
        assert_eq!(status_for("203.0.113.7", "hub.example").await, 401);
    }
    assert_eq!(status_for("203.0.113.7", "hub.example").await, 429);
    assert_eq!(
        status_for("198.51.100.1, 203.0.113.7", "hub.example").await,
        429,
        "what a client makes up does not help it"
    );
    assert_eq!(status_for("203.0.113.8", "hub.example").await, 401);
    assert_eq!(status_for("203.0.113.7", "evil.example").await, 421);
    let host =
        [("x-forwarded-host", "hub.example"), ("origin", "https://hub.example"), ("x-task-monitor-token", TOKEN)];
    assert_eq!(change(&fixture, HERE, &host).await.status, 200, "the name it was called by is the page's");
    assert_eq!(HOST, "127.0.0.1:3847");
}
