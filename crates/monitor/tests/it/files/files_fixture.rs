//! Fixture of the tests that the monitor reads no file outside its home (OpenClaw state folder). It has a file at every
//! path of the home that is read, similar files outside, and the monitor's HTTP router for this home.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode};
use serde_json::{Value, json};
use task_monitor::app::AppState;
use task_monitor::clock::ServerClock;
use task_monitor::config::Settings;
use task_monitor::home::HomeDir;
use task_monitor::web::router;
use tower::ServiceExt as _;

/// A text in every file of the home.
pub(crate) const HONEST: &str = "honest51c0";
/// A text in every file outside, and a credential in the configuration. In no answer, ever.
pub(crate) const SECRET: &str = "secret7f3a91";
/// The moment of the log's only event.
pub(crate) const NOW: i64 = 1_771_651_020_000;
pub(crate) const SESSION: &str = "ws_2f0c7a52-7c1b-4a0e-9a55-5d8f3b1c9e10";
/// Longest wait for anything.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The session of each agent that its store knows.
pub(crate) const STORED: &str = "5f0c7a52-7c1b-4a0e-9a55-5d8f3b1c9e10";

pub(crate) const LOG: &str = "logs/coordination-events.ndjson";
pub(crate) const ARCHIVE: &str = "logs/coordination-events-2026-01.ndjson";
pub(crate) const OVERRIDES: &str = "work-session-category-overrides.json";
pub(crate) const AUDIT: &str = "work-session-category-audit.ndjson";
pub(crate) const LESSONS: &str = "task-hub-classifier.json";
pub(crate) const PART: &str = "parts/agents.json5";

/// Long counts under `make soak`.
pub(crate) fn count(short: usize, long: usize) -> usize {
    if std::env::var_os("TASK_HUB_SOAK").is_some() { long } else { short }
}

/// A home at `root` whose every text is marked.
pub(crate) fn write_home(root: &Path, mark: &str) {
    let put = |name: &str, text: &str| {
        let path = root.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folder");
        fs::write(path, text).expect("write");
    };
    let task = format!(
        "## Metadata\n- **Status:** in_progress\n- **Created:** 2026-02-17T02:20:00.000Z\n\n## Description\n{mark} task\n"
    );
    put("openclaw.json", &format!("{{ $include: './{PART}', gateway: {{ auth: {{ token: '{SECRET}' }} }} }}"));
    put(
        PART,
        &format!(
            "{{ agents: {{ list: [{{ id: 'ruda' }}, {{ id: 'eden', identity: {{ name: '{mark} name', avatar: 'face.png' }} }}, {{ id: 'seum' }}] }} }}"
        ),
    );
    for agent in ["eden", "seum"] {
        let put = |name: &str, text: &str| put(&format!("workspace-{agent}/{name}"), text);
        put("tasks/task_1.md", &task);
        put("CURRENT_TASK.md", &format!("# Current\n**Task:** {mark} current\n"));
        put("IDENTITY.md", &format!("- **Name:** {mark}\n- **Vibe:** {mark} vibe\n"));
        put("MILESTONES.md", &format!("# Milestones\n- [ ] {mark} milestone\n"));
        put("task-history/2026-02.md", &format!("## [2026-02-17T03:00:00.000Z] task_9\n{mark} history\n"));
        put(".openclaw/plans/plan.json", &format!("{{ \"id\": \"plan\", \"title\": \"{mark} plan\" }}"));
        put("face.png", &format!("\u{fffd}PNG {mark}"));
        let stored = json!({ format!("agent:{agent}:main"): {
            "sessionId": STORED, "updatedAt": NOW - 60_000, "label": format!("{mark} label"),
        }});
        fs::create_dir_all(root.join(format!("agents/{agent}/sessions"))).expect("folder");
        fs::write(root.join(format!("agents/{agent}/sessions/sessions.json")), stored.to_string()).expect("store");
        let transcript_line = json!({ "type": "message", "id": "m1", "message": {
            "role": "user", "content": [{ "type": "text", "text": format!("{mark} said") }],
        }});
        fs::write(root.join(format!("agents/{agent}/sessions/{STORED}.jsonl")), format!("{transcript_line}\n"))
            .expect("said");
        let png = [b"\x89PNG\r\n\x1a\n", mark.as_bytes()].concat();
        fs::write(root.join(format!("workspace-{agent}/face.png")), png).expect("picture");
    }
    put("plans/eden_shared.json", &format!("{{ \"id\": \"shared\", \"title\": \"{mark} shared\" }}"));
    put("team-state.json", &format!("{{ \"version\": 1, \"agents\": {{ \"eden\": \"{mark}\" }} }}"));
    put(LOG, &send(NOW - 60_000, mark));
    put(ARCHIVE, &send(NOW - 120_000, &format!("{mark} before")));
    put(OVERRIDES, &format!("{{ \"{SESSION}\": {{ \"collabCategory\": \"infra_ops\", \"updatedBy\": \"{mark}\" }} }}"));
    put(
        AUDIT,
        &format!(
            "{}\n",
            json!({ "at": "2026-02-21T05:00:00.000Z", "workSessionId": SESSION, "to": "infra_ops", "by": mark,
                    "requestId": "r1" })
        ),
    );
    let words = json!([{ "word": "deploy", "category": "infra_ops", "weight": 1 }]);
    put(LESSONS, &json!({ "words": words, "updatedBy": mark }).to_string());
}

fn send(at: i64, message: &str) -> String {
    let event = json!({"type": "a2a.send", "agentId": "eden", "ts": at, "data": {
        "fromAgent": "eden", "toAgent": "seum", "message": message, "conversationId": "c1",
        "eventRole": "conversation.main", "workSessionId": SESSION,
    }});
    format!("{event}\n")
}

/// Every route that shows something of the files, and whether it reads them for each request.
pub(crate) fn routes() -> Vec<(String, bool)> {
    let one = |route: &str, at_once| (route.to_owned(), at_once);
    let mut routes = vec![one("/api/agents", false), one("/api/team-state", true), one("/api/health", false)];
    for agent in ["eden", "seum"] {
        for (route, at_once) in [
            ("info", false),
            ("tasks", true),
            ("current", true),
            ("history", true),
            ("plans", true),
            ("blocked", false),
            ("tasks/task_1", true),
        ] {
            routes.push((format!("/api/agents/{agent}/{route}"), at_once));
        }
    }
    for agent in ["eden", "seum"] {
        for part in ["preview", "history"] {
            routes.push((format!("/api/v2/sessions-store/agent:{agent}:main/{part}"), true));
        }
    }
    let at_once = ["agents/eden/avatar", "category-changes", "sessions-store"];
    let held = ["health", "home", "agents", "tasks", "tasks/eden/task_1", "sessions", "events", "doctor", "names"];
    routes.extend(at_once.map(|route| (format!("/api/v2/{route}"), true)));
    routes.extend(held.map(|route| (format!("/api/v2/{route}"), false)));
    routes.push((format!("/api/v2/sessions/{SESSION}"), false));
    routes.push((format!("/api/v2/sessions/{SESSION}/category/history"), true));
    routes.push((format!("/api/work-sessions/{SESSION}"), false));
    routes.extend(["/api/v2/classifier/config", "/api/events", "/api/work-sessions"].map(|route| one(route, false)));
    routes
}

/// One answer, read whole.
pub(crate) struct InProcessResponse {
    pub(crate) status: StatusCode,
    pub(crate) kind: String,
    pub(crate) body: Vec<u8>,
    pub(crate) took: Duration,
}

impl InProcessResponse {
    pub(crate) fn holds(&self, mark: &str) -> bool {
        holds(&self.body, mark)
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("not JSON: {}", self.text()))
    }
}

pub(crate) fn holds(bytes: &[u8], mark: &str) -> bool {
    bytes.windows(mark.len()).any(|part| part == mark.as_bytes())
}

/// The application over a home with secrets beside it.
pub(crate) struct FilesFixture {
    pub(crate) dir: tempfile::TempDir,
    app: Option<Router>,
}

impl FilesFixture {
    /// Files only.
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().expect("dir");
        write_home(&dir.path().join(".openclaw"), HONEST);
        write_home(&dir.path().join("outside"), SECRET);
        fs::create_dir_all(dir.path().join("bundle/assets")).expect("bundle");
        fs::write(dir.path().join("bundle/index.html"), "<!doctype html><title>page</title>").expect("page");
        fs::write(dir.path().join("bundle/assets/style.css"), "p {}").expect("style");
        Self { dir, app: None }
    }

    pub(crate) fn home(&self) -> HomeDir {
        HomeDir::new(self.dir.path().join(".openclaw"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(".openclaw").join(name)
    }

    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.dir.path().join("outside").join(name)
    }

    /// Starts what reads the files and answers.
    pub(crate) fn start(&mut self) -> AppState {
        let bundle = Some(self.dir.path().join("bundle"));
        let settings = Settings { clock: ServerClock::fixed(NOW), bundle, ..Settings::for_home(self.home()) };
        let state = AppState::start(settings).expect("start");
        self.app = Some(router(&state));
        state
    }

    /// Sends a request and waits for the whole answer.
    pub(crate) async fn ask(&self, method: &str, route: &str) -> InProcessResponse {
        let mut request = Request::builder().method(method).uri(route).header("host", "127.0.0.1:3847");
        if method != "GET" {
            request = request.header("content-type", "application/json").header("origin", "http://127.0.0.1:3847");
        }
        let body = if method == "GET" { Body::empty() } else { Body::from("{}") };
        let mut request = request.body(body).unwrap_or_else(|error| panic!("{route}: {error}"));
        let here: SocketAddr = "127.0.0.1:50000".parse().expect("address");
        request.extensions_mut().insert(ConnectInfo(here));
        let begun = Instant::now();
        let answering = async {
            let response = self.app.clone().expect("started").oneshot(request).await.expect("infallible");
            let (parts, body) = response.into_parts();
            (parts, axum::body::to_bytes(body, usize::MAX).await.expect("body").to_vec())
        };
        let answered = tokio::time::timeout(PATIENCE, answering).await;
        let (parts, body) = answered.unwrap_or_else(|_| panic!("{method} {route} was never answered"));
        let kind = parts.headers.get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default().to_owned();
        InProcessResponse { status: parts.status, kind, body, took: begun.elapsed() }
    }

    pub(crate) async fn get(&self, route: &str) -> InProcessResponse {
        self.ask("GET", route).await
    }

    /// Repeats a request until the answer is as wanted.
    pub(crate) async fn eventually(
        &self,
        route: &str,
        wanted: impl Fn(&InProcessResponse) -> bool,
    ) -> InProcessResponse {
        let end = Instant::now() + PATIENCE;
        loop {
            let answer = self.get(route).await;
            if wanted(&answer) {
                return answer;
            }
            assert!(Instant::now() < end, "{route} stayed {} {}", answer.status, answer.text());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}
