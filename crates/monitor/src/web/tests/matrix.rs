//! Test matrix of the security checks (`web::security`): combinations of host, origin, fetch metadata, method,
//! credentials and content type on each kind of route (a sample in `make test`, all in `make soak ARGS=perimeter`).
//! Expected answers come only from the rules in this file. A request that no rule refuses must pass.
//!
//! Proves (security): Of all combinations of host, origin, method, credentials and content type exactly the allowed
//! ones pass.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Method, Request};
use tower::ServiceExt as _;

use super::{HOST, SESSION, TOKEN, WebFixture, auth};

const OURS: &str = "http://127.0.0.1:3847";
const LISTED: &str = "https://hub.example";
const SHARED: &str = "https://reader.example";

/// The answer of a kind of route to an allowed request.
struct Route {
    path: &'static str,
    method: Method,
    passes: u16,
    is_page: bool,
    writes: bool,
}

const fn route(path: &'static str, method: Method, passes: u16) -> Route {
    Route { path, method, passes, is_page: false, writes: false }
}

const fn page(path: &'static str, passes: u16) -> Route {
    Route { path, method: Method::GET, passes, is_page: true, writes: false }
}

const fn change(path: &'static str, method: Method) -> Route {
    Route { path, method, passes: 200, is_page: false, writes: true }
}

/// Streams that want to be upgraded answer 426 here, where nothing can be.
fn reads() -> Vec<Route> {
    vec![
        route("/api", Method::GET, 200),
        route("/api/health", Method::GET, 200),
        route("/api/work-sessions?limit=2", Method::GET, 200),
        route("/api/milestones", Method::GET, 410),
        route("/ws", Method::GET, 426),
        route("/api/v2/home", Method::GET, 200),
        route("/api/v2/health", Method::HEAD, 200),
        route("/api/v2/sessions-store", Method::GET, 200),
        route("/api/v2/sessions-store/agent:a:main/history", Method::GET, 404),
        route("/api/v2/sessions-archive", Method::GET, 200),
        route("/api/v2/sessions-archive/eden/nobody/history", Method::GET, 404),
        route("/api/v2/speak", Method::GET, 200),
        route("/api/v2/schema-events", Method::GET, 200),
        route("/api/v2/schema-events/live", Method::GET, 200),
        route("/api/hooks/claude-code", Method::GET, 405),
        route("/api/v2/nothing", Method::GET, 404),
        route("/api/v2/live", Method::GET, 426),
        route("/api/v2/live/events", Method::GET, 200),
        route("/api/v2/live/poll?wait=0", Method::GET, 200),
        route("/api/v2/home", Method::OPTIONS, 204),
        route("/api/v2/home", Method::POST, 405),
        route("/api/v2/me/visit", Method::POST, 200),
        route("/api/v2/home", Method::TRACE, 405),
        route("/api/health", Method::DELETE, 405),
        page("/", 200),
        page("/s/ws_1", 200),
        route("/icon.svg", Method::POST, 405),
    ]
}

fn changes() -> Vec<Route> {
    vec![
        change("/api/work-sessions/{id}/category", Method::PATCH),
        change("/api/v2/sessions/{id}/category", Method::PATCH),
        change("/api/v2/sessions/{id}/category", Method::DELETE),
        change("/api/v2/categories", Method::PATCH),
        change("/api/v2/classifier/config", Method::PUT),
        change("/api/v2/shared/one", Method::PUT),
        change("/api/v2/shared/one", Method::DELETE),
        change("/api/v2/speak", Method::POST),
        change("/api/v2/schema-events", Method::POST),
        change("/api/hooks/claude-code", Method::POST),
    ]
}

const HOSTS: [(&str, Option<u16>); 8] = [
    (HOST, None),
    ("LOCALHOST:3847", None),
    ("", Some(400)),
    ("127.0.0.1:port", Some(400)),
    ("two", Some(400)),
    ("none", Some(400)),
    ("evil.example", Some(421)),
    ("127.0.0.1.evil.example:3847", Some(421)),
];

const ORIGINS: [&str; 8] =
    ["", OURS, LISTED, SHARED, "null", "https://evil.example", "http://127.0.0.1:9999", "https://127.0.0.1:3847"];

/// Site, mode and destination, as browsers send them.
const FETCHES: [(&str, &str, &str); 15] = [
    ("", "", ""),
    ("none", "navigate", "document"),
    ("same-origin", "cors", "empty"),
    ("same-origin", "navigate", "document"),
    ("same-origin", "websocket", "empty"),
    ("same-site", "cors", "empty"),
    ("same-site", "navigate", "document"),
    ("cross-site", "navigate", "document"),
    // Followed by a service worker of ours.
    ("cross-site", "navigate", "empty"),
    ("same-site", "navigate", "empty"),
    ("cross-site", "navigate", "iframe"),
    ("cross-site", "navigate", "object"),
    ("cross-site", "no-cors", "image"),
    ("cross-site", "no-cors", "script"),
    ("cross-site", "websocket", "empty"),
];

/// Content types of a write, and two that no write has.
const WRITER_FETCHES: [(&str, &str, &str); 4] = [FETCHES[0], FETCHES[2], FETCHES[5], FETCHES[7]];

/// Credentials of a request: the header and whether it allows writes, for which route.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Brings {
    Nothing,
    Token,
    WrongToken,
    Session,
    WrongSession,
}

const KINDS: [(&str, bool); 5] = [
    ("application/json", true),
    ("application/json; charset=utf-8", true),
    ("", false),
    ("text/plain", false),
    ("application/x-www-form-urlencoded", false),
];

struct MatrixCase<'a> {
    route: &'a Route,
    host: (&'static str, Option<u16>),
    origin: &'static str,
    fetch: (&'static str, &'static str, &'static str),
    brings: Brings,
    kind: (&'static str, bool),
    framed: bool,
}

/// The rules, in order. A request that comes to their end passes.
fn expected(case: &MatrixCase<'_>) -> u16 {
    let (site, mode, dest) = case.fetch;
    // The host of this request as it is written in an origin.
    let our_origin = case.origin == "https://127.0.0.1:3847" || case.origin == OURS;
    let our_origin = our_origin && case.host.0 == HOST;
    let trusted = our_origin || case.origin == LISTED || case.origin == SHARED;
    let opens = case.route.is_page
        && case.route.method == Method::GET
        && mode == "navigate"
        && (dest == "document" || dest == "empty" || (dest == "iframe" && case.framed));
    let at_home = matches!(site, "" | "none" | "same-origin");
    let auth = case.brings == Brings::Token || (case.brings == Brings::Session && our_origin);
    let rules = [
        (case.host.1.is_some(), case.host.1.unwrap_or_default()),
        (!case.origin.is_empty() && !trusted, 403),
        (case.origin.is_empty() && !at_home && !opens, 403),
        (case.route.writes && !auth, 401),
        (case.route.writes && !case.kind.1, 415),
    ];
    rules.into_iter().find(|(holds, _)| *holds).map_or(case.route.passes, |(_, status)| status)
}

fn request(case: &MatrixCase<'_>, cookie: &str) -> Request<Body> {
    let path = case.route.path.replace("{id}", SESSION);
    let mut request = Request::builder().method(case.route.method.clone()).uri(path).header("accept", "text/html");
    request = match case.host.0 {
        "none" => request,
        "two" => request.header("host", HOST).header("host", HOST),
        host => request.header("host", host),
    };
    let (site, mode, dest) = case.fetch;
    let wrong = "task_hub_session_3847=00000000000000000000000000000000";
    let (token, session) = match case.brings {
        Brings::Nothing => ("", ""),
        Brings::Token => (TOKEN, ""),
        Brings::WrongToken => ("correct horse", ""),
        Brings::Session => ("", cookie),
        Brings::WrongSession => ("", wrong),
    };
    for (name, value) in [
        ("origin", case.origin),
        ("sec-fetch-site", site),
        ("sec-fetch-mode", mode),
        ("sec-fetch-dest", dest),
        ("content-type", case.kind.0),
        ("x-task-monitor-token", token),
        ("cookie", session),
    ] {
        if !value.is_empty() {
            request = request.header(name, value);
        }
    }
    if case.route.passes == 426 {
        let key = "dGhlIHNhbXBsZSBub25jZQ==";
        for (name, value) in [("connection", "upgrade"), ("upgrade", "websocket"), ("sec-websocket-key", key)] {
            request = request.header(name, value);
        }
        request = request.header("sec-websocket-version", "13");
    }
    let body = match case.route.path {
        _ if !case.route.writes => String::new(),
        "/api/v2/categories" => {
            format!(r#"{{"items":[{{"workSessionId":"{SESSION}","collabCategory":"infra_ops"}}]}}"#)
        }
        "/api/v2/classifier/config" => r#"{"config":{}}"#.to_owned(),
        "/api/v2/shared/one" => r#"{"content":{"kind":"view","name":"하나","path":"/all"}}"#.to_owned(),
        "/api/v2/speak" => r#"{"to":"eden","text":"멈춰 주세요","requestId":"one-of-many"}"#.to_owned(),
        _ => r#"{"collabCategory":"infra_ops"}"#.to_owned(),
    };
    let mut request = request.body(Body::from(body)).expect("request");
    let here: SocketAddr = "127.0.0.1:50000".parse().expect("address");
    request.extensions_mut().insert(ConnectInfo(here));
    request
}

/// How often which answer came.
#[derive(Default)]
struct StatusTally(std::collections::BTreeMap<u16, usize>);

impl StatusTally {
    async fn check(&mut self, fixture: &WebFixture, case: &MatrixCase<'_>, cookie: &str) {
        // Failing too often has tests of its own.
        fixture.web.perimeter.forget();
        let answer = fixture.app.clone().oneshot(request(case, cookie)).await.expect("infallible");
        let case_text = format!(
            "{} {} host {:?} origin {:?} fetch {:?} {:?} {:?} framed {}",
            case.route.method,
            case.route.path,
            case.host.0,
            case.origin,
            case.fetch,
            case.brings,
            case.kind,
            case.framed
        );
        assert_eq!(answer.status().as_u16(), expected(case), "{case_text}");
        let header = |name: &str| answer.headers().get(name).map_or("", |value| value.to_str().expect("text"));
        let shared = case.origin == SHARED && case.host.1.is_none();
        assert_eq!(header("access-control-allow-origin"), if shared { SHARED } else { "" }, "{case_text}");
        assert_eq!(header("access-control-allow-credentials"), "", "{case_text}");
        for (name, value) in [("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer")] {
            assert_eq!(header(name), value, "{case_text}");
        }
        for name in ["cross-origin-opener-policy", "cross-origin-resource-policy"] {
            assert_eq!(header(name), "same-origin", "{case_text}");
        }
        assert!(header("content-security-policy").starts_with("default-src 'none'"), "{case_text}");
        assert!(!header("permissions-policy").is_empty(), "{case_text}");
        if case.route.path.starts_with("/api") || case.route.path == "/ws" || answer.status().is_client_error() {
            assert!(header("cache-control").starts_with("no-store"), "{case_text}");
        }
        *self.0.entry(answer.status().as_u16()).or_default() += 1;
    }
}

/// Under `make soak` nothing is left out, not even combinations that cannot make a difference.
fn some<T>(all: &'static [T], short: &'static [T]) -> &'static [T] {
    if std::env::var_os("TASK_HUB_SOAK").is_some() { all } else { short }
}

async fn matrix_fixture(framed: bool) -> WebFixture {
    WebFixture::with(move |settings| {
        settings.allowed_origins = vec![LISTED.to_owned()];
        settings.cors_origins = vec![SHARED.to_owned()];
        if framed {
            settings.frame_ancestors = vec![LISTED.to_owned()];
        }
    })
    .await
}

#[tokio::test]
async fn of_all_readers_exactly_the_listed_pass() {
    let mut seen = StatusTally::default();
    for framed in [false, true] {
        let fixture = matrix_fixture(framed).await;
        for route in &reads() {
            for host in HOSTS {
                // A host that is refused is refused whatever else comes with it: a sample of that is enough.
                let origins = if host.1.is_some() { some(&ORIGINS, &ORIGINS[..3]) } else { &ORIGINS[..] };
                for origin in origins {
                    for fetch in FETCHES {
                        let (brings, kind) = (Brings::Nothing, KINDS[2]);
                        let case = MatrixCase { route, host, origin, fetch, brings, kind, framed };
                        seen.check(&fixture, &case, "").await;
                    }
                }
            }
        }
    }
    let all: usize = seen.0.values().sum();
    println!("{all} requests to read, by answer: {:?}", seen.0);
    assert!(all >= 400 && [200, 204, 400, 403, 404, 405, 410, 421, 426].iter().all(|it| seen.0.contains_key(it)));
}

#[tokio::test]
async fn of_all_writers_exactly_the_listed_pass() {
    let fixture = matrix_fixture(false).await;
    let cookie = auth::cookie(&fixture).await;
    let mut seen = StatusTally::default();
    for route in &changes() {
        for host in HOSTS {
            let origins = if host.1.is_some() { some(&ORIGINS, &ORIGINS[..2]) } else { &ORIGINS[..] };
            for origin in origins {
                for &fetch in some(&FETCHES, &WRITER_FETCHES) {
                    for brings in
                        [Brings::Nothing, Brings::Token, Brings::WrongToken, Brings::Session, Brings::WrongSession]
                    {
                        for kind in KINDS {
                            let case = MatrixCase { route, host, origin, fetch, brings, kind, framed: false };
                            seen.check(&fixture, &case, &cookie).await;
                        }
                    }
                }
            }
        }
    }
    let all: usize = seen.0.values().sum();
    println!("{all} requests to write, by answer: {:?}", seen.0);
    assert!(all >= 400 && [200, 400, 401, 403, 415, 421].iter().all(|it| seen.0.contains_key(it)));
}
