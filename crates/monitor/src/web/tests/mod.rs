//! Tests of the monitor's HTTP answers over a home on disk: errors, health, event detail and home page data. Modules
//! below this one test further routes. Their shared fixture `WebFixture` calls the router without a socket wherever
//! possible.

mod agent_events;
mod agents;
mod alerts;
mod approvals;
mod archives;
mod auth;
mod bundle;
mod connection_timeout;
mod doctor;
mod etag;
mod evidence;
mod fleet;
mod fleet_approvals;
mod fleet_requests;
mod histories;
mod identity;
mod index;
mod live;
mod local;
mod matrix;
mod operate;
mod past;
mod perimeter;
mod permissions;
mod raw;
mod search;
mod speak;
mod stores;
mod talk;
mod taught;
mod timeline;
mod visits;
mod write;

use std::fs;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request, StatusCode};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::router_of;
use super::state::WebState;
use crate::app::AppState;
use crate::clock::ServerClock;
use crate::config::{IdentitySettings, Members, Secret, Settings};
use crate::home::HomeDir;
use crate::testing::copy_all;

const NOW: i64 = 1_771_651_020_000;
const HOST: &str = "127.0.0.1:3847";
/// The write token of the fixture.
const TOKEN: &str = "correct horse battery";
const SESSION: &str = "ws_2f0c7a52-7c1b-4a0e-9a55-5d8f3b1c9e10";

/// A home with one talk in it and the application over it.
struct WebFixture {
    dir: tempfile::TempDir,
    state: AppState,
    web: WebState,
    app: Router,
}

/// One answer, read whole.
struct TestResponse {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl TestResponse {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("not JSON: {}", self.text()))
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("text"))
    }
}

impl WebFixture {
    async fn new() -> Self {
        Self::with(|_| {}).await
    }

    async fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let fixture = Self::start(change);
        fixture.state.ready().await;
        fixture
    }

    /// The history may not be read yet.
    fn start(change: impl FnOnce(&mut Settings)) -> Self {
        let dir = tempfile::tempdir().expect("dir");
        let root = dir.path().join(".openclaw");
        fs::create_dir_all(root.join("logs")).expect("logs");
        fs::write(root.join("openclaw.json"), r#"{ agents: { list: [{id: "eden"}, {id: "seum"}] } }"#).expect("config");
        let first_line = send(NOW - 60_000, "배포 파이프라인 점검 부탁해요");
        fs::write(root.join("logs/coordination-events.ndjson"), first_line).expect("log");
        let mut settings = Settings::for_home(HomeDir::new(&root));
        settings.clock = ServerClock::fixed(NOW);
        settings.write_token = Secret::new(TOKEN);
        change(&mut settings);
        let state = AppState::start(settings).expect("start");
        let web = WebState::new(state.clone());
        let app = router_of(&web);
        Self { dir, state, web, app }
    }

    /// The application over a copy of a home below `fixtures/`, at this moment.
    async fn over(home: &str, now: i64) -> Self {
        Self::over_with(home, now, |_| {}).await
    }

    /// The same with other settings.
    async fn over_with(home: &str, now: i64, change: impl FnOnce(&mut Settings)) -> Self {
        let from = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(home);
        Self::prepared(|root| copy_all(&from, root), now, change).await
    }

    /// The application over a home that is written first.
    async fn prepared(write: impl FnOnce(&Path), now: i64, change: impl FnOnce(&mut Settings)) -> Self {
        let dir = tempfile::tempdir().expect("dir");
        let root = dir.path().join(".openclaw");
        write(&root);
        let mut settings = Settings::for_home(HomeDir::new(&root));
        settings.clock = ServerClock::fixed(now);
        settings.write_token = Secret::new(TOKEN);
        change(&mut settings);
        let state = AppState::start(settings).expect("start");
        state.ready().await;
        let web = WebState::new(state.clone());
        let app = router_of(&web);
        Self { dir, state, web, app }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(".openclaw").join(name)
    }

    fn append(&self, line: &str) {
        let path = self.path("logs/coordination-events.ndjson");
        let mut file = fs::OpenOptions::new().append(true).open(path).expect("open");
        file.write_all(line.as_bytes()).expect("append");
    }

    /// Sends a request from this machine unless another peer is set.
    async fn call(&self, mut request: Request<Body>) -> TestResponse {
        let here: SocketAddr = "127.0.0.1:50000".parse().expect("address");
        if request.extensions().get::<ConnectInfo<SocketAddr>>().is_none() {
            request.extensions_mut().insert(ConnectInfo(here));
        }
        let response = self.app.clone().oneshot(request).await.expect("infallible");
        let (parts, body) = response.into_parts();
        let body = axum::body::to_bytes(body, usize::MAX).await.expect("body").to_vec();
        TestResponse { status: parts.status, headers: parts.headers, body }
    }

    async fn get(&self, path: &str) -> TestResponse {
        self.call(ask("GET", path).body(Body::empty()).expect("request")).await
    }
}

/// Repeats a request until the answer is as wanted; the failure shows the last answer.
async fn eventually(fixture: &WebFixture, path: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        let answer = fixture.get(path).await.json();
        if wanted(&answer) {
            return answer;
        }
        assert!(Instant::now() < end, "{path} stayed {answer}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn ask(method: &str, path: &str) -> axum::http::request::Builder {
    Request::builder().method(method).uri(path).header("host", HOST)
}

/// Path of permission requests.
const PERMISSION_REQUESTS: &str = "/api/v2/permission-requests";

/// An answer as a page sends it.
fn answer_request(id: &str, body: &Value) -> Request<Body> {
    let request =
        write("POST", &format!("{PERMISSION_REQUESTS}/{id}/answer")).header("origin", format!("http://{HOST}"));
    request.body(Body::from(body.to_string())).expect("request")
}

/// Settings behind a proxy that names people, of whom only `eden` may answer.
fn only_eden_answers(settings: &mut Settings) {
    settings.trusted_proxies = vec!["10.0.0.7".parse().expect("an address")];
    settings.identity = Some(IdentitySettings {
        header: "x-forwarded-user".parse().expect("a header"),
        groups_header: None,
        view: Members::Everybody,
        categorize: Members::Everybody,
        speak: Members::Everybody,
        answer: Members::Listed(vec!["eden".to_owned()]),
    });
}

/// A request of this person, as that proxy passes it on.
fn as_user(user: &str, mut request: Request<Body>) -> Request<Body> {
    let proxy: SocketAddr = "10.0.0.7:9".parse().expect("address");
    request.extensions_mut().insert(ConnectInfo(proxy));
    for (name, value) in [("x-forwarded-for", "192.0.2.1"), ("x-forwarded-user", user)] {
        request.headers_mut().insert(name, value.parse().expect("value"));
    }
    request
}

/// A request that may write.
fn write(method: &str, path: &str) -> axum::http::request::Builder {
    ask(method, path).header("content-type", "application/json").header("x-task-monitor-token", TOKEN)
}

fn send(at: i64, message: &str) -> String {
    let event = json!({"type": "a2a.send", "agentId": "eden", "ts": at, "data": {
        "fromAgent": "eden", "toAgent": "seum", "message": message, "conversationId": "c1",
        "eventRole": "conversation.main", "workSessionId": SESSION,
    }});
    format!("{event}\n")
}

#[tokio::test]
async fn every_kind_of_error_has_the_one_shape() {
    let fixture = WebFixture::new().await;
    for (path, status, code) in [
        ("/api/v2/nope", 404, "not_found"),
        ("/api/v2/sessions/ws_nobody", 404, "not_found"),
        ("/api/v2/events?limit=0x", 400, "invalid_value"),
        ("/api/v2/sessions?status=asleep", 400, "invalid_value"),
        ("/api/v2/sessions/%FF", 400, "invalid_value"),
        ("/api/v2/live/poll?cursor=x", 400, "invalid_value"),
    ] {
        let answer = fixture.get(path).await;
        assert_eq!((answer.status.as_u16(), answer.json()["code"].as_str()), (status, Some(code)), "{path}");
        assert_eq!(answer.json()["requestId"], answer.header("x-request-id"), "{path}");
        assert_ne!(answer.json()["error"].as_str().unwrap_or_default(), "", "{path}");
    }
    let wrong = fixture.call(ask("DELETE", "/api/v2/home").body(Body::empty()).expect("request")).await;
    assert_eq!((wrong.status.as_u16(), wrong.json()["code"].as_str()), (405, Some("method_not_allowed")));
}

#[tokio::test]
async fn bad_query_value_names_field_and_alternatives() {
    let answer = WebFixture::new().await.get("/api/v2/sessions?status=asleep").await.json();
    assert_eq!(answer["field"], "status");
    assert_eq!(answer["allowed"], json!(["ACTIVE", "QUIET", "ARCHIVED"]));
}

#[tokio::test]
async fn health_reports_read_and_missing_sources() {
    let fixture = WebFixture::new().await;
    let health = fixture.get("/api/v2/health").await.json();
    assert_eq!((health["status"].as_str(), health["events"].as_u64()), (Some("ok"), Some(1)));
    assert_eq!(health["source"]["files"][0]["name"], "coordination-events.ndjson");
    assert_eq!(health["now"], NOW);
    let missing = WebFixture::with(|settings| settings.home = HomeDir::new("/nowhere/at/all")).await;
    let health = missing.get("/api/v2/health").await.json();
    assert_eq!(health["source"]["state"], "homeMissing");
    assert_eq!(health["source"]["home"], "/nowhere/at/all");
    assert_eq!(missing.get("/api/v2/home").await.status, 200);
}

#[tokio::test]
async fn event_detail_names_file_and_position() {
    let fixture = WebFixture::new().await;
    let line = send(NOW - 30_000, "둘째 줄");
    let first = fs::metadata(fixture.path("logs/coordination-events.ndjson")).expect("log").len();
    fixture.append(&line);
    let page = eventually(&fixture, "/api/v2/events", |page| page["events"][0]["at"] == NOW - 30_000).await;
    let id = page["events"][0]["id"].as_str().expect("id");
    let detail = fixture.get(&format!("/api/v2/events/{id}")).await.json();
    assert_eq!((&detail["file"], &detail["offset"]), (&json!("coordination-events.ndjson"), &json!(first)));
}

#[tokio::test]
async fn home_lists_unreadable_files() {
    let fixture = WebFixture::new().await;
    assert_eq!(fixture.get("/api/v2/home").await.json()["source"]["unreadableTotal"], 0);
    // No process reads a folder as a log, not even root.
    fs::create_dir(fixture.path("logs/coordination-events-2026-01.ndjson")).expect("folder");
    let home = eventually(&fixture, "/api/v2/home", |home| home["source"]["unreadableTotal"] == 1).await;
    let source = &home["source"];
    assert_eq!(source["unreadable"][0]["path"], "logs/coordination-events-2026-01.ndjson");
    assert_eq!(source["state"], "ok", "the live log is still followed");
}

#[tokio::test]
async fn v1_server_has_no_v2_routes() {
    let fixture = WebFixture::with(|settings| settings.api1_only = true).await;
    let answer = fixture.get("/api/v2/home").await;
    assert_eq!(answer.status, 404);
}
