//! Tests of the REST 1.x response format, field by field, over the home `fixtures/everything`
//! (`contract/monitor-api.md` §3–§4, §7).
//!
//! Proves (api): REST 1.x keeps its shapes, field by field.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use coordination::compat::{self, WorkSessionsQuery};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::super::router;
use super::feed;
use crate::app::AppState;
use crate::clock::ServerClock;
use crate::config::Settings;
use crate::home::HomeDir;
use crate::sources::workspace::{FileChange, FileEvent};
use coordination::workspace::FileKind;
use demo_home::FIXTURE_NOW;

struct Served {
    state: AppState,
    _dir: tempfile::TempDir,
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("folder");
    for entry in std::fs::read_dir(from).expect("list") {
        let entry = entry.expect("entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() { copy(&entry.path(), &target) } else { drop(std::fs::copy(entry.path(), target)) }
    }
}

async fn everything() -> Served {
    let dir = tempfile::tempdir().expect("dir");
    let home = dir.path().join(".openclaw");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/everything"), &home);
    let settings = Settings { clock: ServerClock::fixed(FIXTURE_NOW), ..Settings::for_home(HomeDir::new(home)) };
    let state = AppState::start(settings).expect("state");
    state.ready().await;
    Served { state, _dir: dir }
}

impl Served {
    async fn ask(&self, method: &str, path: &str) -> (StatusCode, String) {
        let request = Request::builder().method(method).uri(path).header(header::HOST, "127.0.0.1");
        let answer = router(&self.state).oneshot(request.body(Body::empty()).expect("request")).await.expect("answer");
        let status = answer.status();
        if status.is_success() && status != StatusCode::NO_CONTENT {
            assert_eq!(answer.headers()[header::CONTENT_TYPE], "application/json", "{path}");
        }
        let bytes = axum::body::to_bytes(answer.into_body(), usize::MAX).await.expect("body");
        (status, String::from_utf8(bytes.to_vec()).expect("utf-8"))
    }

    async fn get(&self, path: &str) -> Value {
        let (status, text) = self.ask("GET", path).await;
        assert_eq!(status, StatusCode::OK, "{path}: {text}");
        serde_json::from_str(&text).expect("json")
    }
}

/// Reads of a body that is packed on its way end after its last part, and only there.
#[tokio::test]
async fn large_list_is_streamed_whole_and_packed() {
    let served = everything().await;
    let path = "/api/work-sessions?limit=1000";
    let (status, plain) = served.ask("GET", path).await;
    assert!(status == StatusCode::OK && plain.len() > 1 << 20, "{} bytes are streamed", plain.len());
    for encoding in ["zstd", "gzip"] {
        let request = Request::builder().uri(path).header(header::HOST, "127.0.0.1");
        let request = request.header(header::ACCEPT_ENCODING, encoding).body(Body::empty()).expect("request");
        let answer = router(&served.state).oneshot(request).await.expect("answer");
        let packed = answer.headers().get(header::CONTENT_ENCODING).cloned();
        let bytes = axum::body::to_bytes(answer.into_body(), usize::MAX).await.expect("the answer does not break off");
        // A route without packing sends the text itself.
        assert!(packed.is_none() || bytes.len() < plain.len() / 2, "{encoding}: {packed:?}, {} bytes", bytes.len());
        assert!(packed.is_some() || bytes == plain.as_bytes(), "{encoding}");
    }
}

/// All of `must` are there with the right type, and nothing but `may` beside them. `?` after a type allows `null`.
fn shape(value: &Value, must: &[(&str, &str)], may: &[&str]) {
    let object = value.as_object().unwrap_or_else(|| panic!("no object: {value}"));
    for (key, kind) in must {
        let found = object.get(*key).unwrap_or_else(|| panic!("{key} is missing in {value}"));
        let fits = match kind.trim_end_matches('?') {
            "text" => found.is_string(),
            "number" => found.is_number(),
            "flag" => found.is_boolean(),
            "list" => found.is_array(),
            _ => found.is_object(),
        };
        assert!(fits || (kind.ends_with('?') && found.is_null()), "{key} is no {kind}: {found}");
    }
    let known: BTreeSet<&str> = must.iter().map(|(key, _)| *key).chain(may.iter().copied()).collect();
    let unknown: Vec<&String> = object.keys().filter(|key| !known.contains(key.as_str())).collect();
    assert!(unknown.is_empty(), "the contract does not know {unknown:?}");
}

const TASK: [(&str, &str); 8] = [
    ("id", "text"),
    ("status", "text"),
    ("priority", "text"),
    ("description", "text"),
    ("created", "text"),
    ("lastActivity", "text"),
    ("progress", "list"),
    ("stepsProgress", "object"),
];

#[tokio::test(flavor = "multi_thread")]
async fn agents_and_their_folders_have_the_contracts_shapes() {
    let served = everything().await;
    let agents = served.get("/api/agents").await;
    shape(&agents, &[("agents", "list"), ("count", "number")], &[]);
    let ids: Vec<&str> = agents["agents"].as_array().expect("list").iter().filter_map(|it| it["id"].as_str()).collect();
    assert!(ids.contains(&"ruda"), "the default agent's folder has no suffix (D14): {ids:?}");
    let info = [("id", "text"), ("workspaceDir", "text"), ("hasCurrentTask", "flag"), ("taskCount", "number")];
    for agent in agents["agents"].as_array().expect("list") {
        shape(agent, &info, &[]);
        assert!(agent["workspaceDir"].as_str().is_some_and(|path| path.starts_with('/')));
    }
    shape(&served.get("/api/agents/eden/info").await, &info, &[]);

    let tasks = served.get("/api/agents/eden/tasks").await;
    shape(&tasks, &[("agentId", "text"), ("tasks", "list"), ("count", "number")], &[]);
    let optional = [
        "context",
        "source",
        "workSessionId",
        "previousWorkSessionId",
        "blockedReason",
        "unblockedBy",
        "unblockedAction",
        "unblockRequestCount",
        "escalationState",
        "lastUnblockerIndex",
        "lastUnblockRequestAt",
        "unblockRequestFailures",
        "createdBy",
        "assignee",
        "dependsOn",
        "estimatedEffort",
        "startDate",
        "dueDate",
        "outcome",
        "steps",
    ];
    let task = &tasks["tasks"][0];
    shape(task, &TASK, &optional);
    assert_eq!(task["stepsProgress"], json!({ "total": 4, "done": 1, "inProgress": 1, "pending": 1, "skipped": 1 }));
    assert_eq!((&task["unblockRequestCount"], &task["status"]), (&json!(2), &json!("blocked")));

    let one = served.get("/api/agents/eden/tasks/task_7f3a91c02b4de8815a60").await;
    shape(&one, &[("agentId", "text"), ("task", "object"), ("source", "text")], &[]);
    let none = served.get("/api/agents/eden/tasks/task_00").await;
    assert_eq!(none, json!({ "agentId": "eden", "task": null, "source": "not_found" }));

    let blocked = served.get("/api/agents/eden/blocked").await;
    shape(&blocked, &[("agentId", "text"), ("blockedTasks", "list"), ("count", "number")], &[]);
    shape(&blocked["blockedTasks"][0], &[("id", "text"), ("description", "text"), ("lastActivity", "text")], &optional);

    let current = served.get("/api/agents/eden/current").await;
    let shape_of_current = [("agentId", "text"), ("hasTask", "flag"), ("content", "text?"), ("taskSummary", "text?")];
    shape(&current, &shape_of_current, &[]);
    assert_eq!(current["taskSummary"], "task_7f3a91c02b4de8815a60");
    let failed = served.get("/api/agents/miri/current").await;
    assert_eq!((&failed["hasTask"], &failed["taskSummary"]), (&json!(false), &Value::Null), "D12");

    let history = served.get("/api/agents/onsae/history?limit=1").await;
    let of_history = [
        ("agentId", "text"),
        ("history", "text"),
        ("months", "list"),
        ("currentMonth", "text?"),
        ("hasHistory", "flag"),
    ];
    shape(&history, &of_history, &[]);
    assert_eq!(history["history"].as_str().map(|text| text.matches("## [").count()), Some(1));
    assert_eq!(served.get("/api/agents/onsae/history?month=1999-01").await["history"], "");

    let plans = served.get("/api/agents/eden/plans").await;
    shape(&plans, &[("agentId", "text"), ("plans", "list"), ("count", "number")], &[]);
    assert_eq!(plans["plans"][0]["id"], "plan_mlv0k2x1_9f3a");
    let team = served.get("/api/team-state").await;
    shape(&team, &[("version", "number"), ("agents", "object"), ("lastUpdatedMs", "number")], &[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn events_and_sessions_have_the_contracts_shapes() {
    let served = everything().await;
    let events = served.get("/api/events?limit=3&type=a2a.send,a2a.response").await;
    let of_events = [
        ("events", "list"),
        ("count", "number"),
        ("total", "number"),
        ("totalMatched", "number"),
        ("role", "text?"),
        ("type", "list"),
        ("viewCategory", "text?"),
        ("categoryCounts", "object"),
    ];
    shape(&events, &of_events, &[]);
    assert_eq!(events["events"].as_array().map(Vec::len), Some(3));
    let found = served.get("/api/events/search?q=%ED%99%98%EB%B6%88&limit=2").await;
    assert!(found["total"].as_u64().is_some_and(|total| total > 2), "search works over memory");

    let sessions = served.get("/api/work-sessions?limit=2").await;
    let of_sessions = [
        ("sessions", "list"),
        ("count", "number"),
        ("totalMatched", "number"),
        ("totalSessions", "number"),
        ("role", "list"),
        ("type", "list"),
        ("status", "list"),
        ("viewCategory", "text?"),
        ("subTag", "text?"),
        ("categoryCounts", "object"),
    ];
    shape(&sessions, &of_sessions, &[]);
    let session = &sessions["sessions"][0];
    let of_session = [
        ("id", "text"),
        ("workSessionId", "text"),
        ("status", "text"),
        ("startTime", "number"),
        ("lastTime", "number"),
        ("durationMs", "number"),
        ("threadCount", "number"),
        ("eventCount", "number"),
        ("collabCategory", "text"),
        ("collabSubTags", "list"),
        ("categorySource", "text"),
        ("roleCounts", "object"),
        ("threads", "list"),
    ];
    for (key, _) in of_session {
        assert!(session.get(key).is_some(), "{key} is missing");
    }
    let id = session["workSessionId"].as_str().expect("id");
    let one = served.get(&format!("/api/work-sessions/{id}")).await;
    shape(&one, &[("session", "object"), ("role", "text?"), ("type", "list")], &[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_route_equals_sessions_command_output() {
    let served = everything().await;
    let query = WorkSessionsQuery { limit: 1000, ..WorkSessionsQuery::default() };
    let printed =
        served.state.run_query(move |hub, now| compat::work_sessions(hub, true, now, &query).into_value()).await;
    assert_eq!(served.get("/api/work-sessions?limit=1000&classifier=v1").await, printed);
}

#[tokio::test(flavor = "multi_thread")]
async fn both_api_versions_agree_on_categories() {
    let served = everything().await;
    let list = |answer: Value, key: &str| answer[key].as_array().expect("a list").clone();
    let id = |session: &Value| session["workSessionId"].as_str().expect("id").to_owned();
    let new = list(served.get("/api/v2/sessions?limit=200").await, "sessions");
    let new: BTreeMap<String, Value> =
        new.iter().map(|session| (id(session), session["category"]["key"].clone())).collect();
    let old = list(served.get("/api/work-sessions?limit=1000").await, "sessions");
    let old: BTreeMap<String, Value> =
        old.iter().map(|session| (id(session), session["collabCategory"].clone())).collect();
    let shared = old.iter().filter(|(id, _)| new.contains_key(*id)).count();
    assert!(shared > 30, "{shared}");
    for (id, category) in &old {
        assert_eq!(new.get(id).unwrap_or(category), category, "{id}");
    }
    let by_v1 = list(served.get("/api/work-sessions?limit=1000&classifier=v1").await, "sessions");
    assert!(
        by_v1.iter().any(|session| session["collabCategory"] != old[&id(session)]),
        "the classifiers differ somewhere"
    );

    let home = served.get("/api/v2/home").await;
    for badge in home["categories"].as_array().expect("ten") {
        let key = badge["key"].as_str().expect("key");
        let filtered = served.get(&format!("/api/work-sessions?limit=1000&viewCategory={key}")).await;
        let counted = old.values().filter(|category| *category == key).count();
        assert_eq!(filtered["totalMatched"], json!(counted), "{key}");
        let events = served.get(&format!("/api/events?limit=1000&viewCategory={key}")).await;
        for event in list(events, "events") {
            assert_eq!((&event["collabCategory"], &event["data"]["categoryVersion"]), (&json!(key), &json!("v2")));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn large_lists_beyond_limit_get_retry_after() {
    let served = everything().await;
    let app = router(&served.state);
    let ask = |path: &'static str| {
        let request = Request::builder().uri(path).header(header::HOST, "127.0.0.1").body(Body::empty());
        app.clone().oneshot(request.expect("request"))
    };
    let list = "/api/work-sessions?limit=1000";
    // These two are never read.
    let unread = [ask(list).await.expect("answer"), ask(list).await.expect("answer")];
    assert!(unread.iter().all(|answer| answer.status() == StatusCode::OK));
    let busy = ask(list).await.expect("answer");
    assert_eq!(
        (busy.status(), &busy.headers()[header::RETRY_AFTER]),
        (StatusCode::SERVICE_UNAVAILABLE, &"5".parse().expect("a number"))
    );
    assert_eq!(ask("/api/health").await.expect("answer").status(), StatusCode::OK, "small answers go on");
    let [one, _] = unread;
    let body = axum::body::to_bytes(one.into_body(), usize::MAX).await.expect("body");
    assert!(body.len() > 256 * 1024, "{}", body.len());
    let small = ask("/api/events?limit=1").await.expect("answer");
    assert_eq!(ask(list).await.expect("answer").status(), StatusCode::OK, "a small answer keeps no place");
    drop(small);
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_value_returns_400_with_field() {
    let served = everything().await;
    for (path, field) in [
        ("/api/events?since=yesterday", "since"),
        ("/api/work-sessions?role=conversation.main,nonsense", "role"),
        ("/api/work-sessions?status=BUSY", "status"),
        ("/api/agents/eden/history?month=../../x", "month"),
        ("/api/agents/eden/tasks/task_..%2fx", "taskId"),
        ("/api/events/search", "q"),
        ("/api/work-sessions?classifier=v3", "classifier"),
    ] {
        let (status, text) = served.ask("GET", path).await;
        let body: Value = serde_json::from_str(&text).expect("json");
        assert_eq!((status, &body["field"]), (StatusCode::BAD_REQUEST, &json!(field)), "{path}: {text}");
        assert!(body["error"].is_string() && body["allowed"].is_array(), "{text}");
    }
    assert_eq!(served.get("/api/events?limit=-5").await["count"], 1);
    assert_eq!(served.get("/api/events?limit=999999").await["count"], 1000);
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_removed_and_wrong_method_statuses() {
    let served = everything().await;
    for (method, path, expected, error) in [
        ("GET", "/api/agents/nobody/info", 404, "Agent not found: nobody"),
        ("GET", "/api/agents/..%2f..%2fetc/info", 404, "Agent not found: ../../etc"),
        ("GET", "/api/agents/eden/dance", 404, "Unknown action: dance"),
        ("GET", "/api/work-sessions/ws_none", 404, "Work session not found: ws_none"),
        ("GET", "/api/nothing", 404, "Not found"),
        ("POST", "/api/agents", 405, "Method not allowed"),
        ("DELETE", "/api/health", 405, "Method not allowed"),
        ("GET", "/api/milestones", 410, ""),
    ] {
        let (status, text) = served.ask(method, path).await;
        assert_eq!(status.as_u16(), expected, "{method} {path}: {text}");
        let body: Value = serde_json::from_str(&text).expect("json");
        assert!(error.is_empty() || body["error"] == error, "{text}");
    }
    assert_eq!(served.ask("OPTIONS", "/api/agents").await, (StatusCode::NO_CONTENT, String::new()));
}

#[test]
fn task_file_notifies_twice_team_state_once() {
    let steps = coordination::workspace::StepsProgress { total: 2, done: 1, pending: 1, ..Default::default() };
    let change = FileChange {
        event: FileEvent::Change,
        kind: FileKind::Task,
        agent_id: Some("eden".into()),
        file: "task_1.md".to_owned(),
        task_id: Some("task_1".into()),
        steps: Some(steps),
    };
    let notices: Vec<Value> = feed::of_file(&change, "2026-02-21T05:17:00.000Z")
        .iter()
        .map(|text| serde_json::from_str(text).expect("json"))
        .collect();
    assert_eq!(notices[0]["type"], "task_update");
    assert_eq!(
        notices[1],
        json!({
            "type": "task_step_update", "agentId": "eden", "taskId": "task_1",
            "timestamp": "2026-02-21T05:17:00.000Z",
            "data": {
                "event": "change", "file": "task_1.md", "stepCount": 2,
                "stepsProgress": { "total": 2, "done": 1, "inProgress": 0, "pending": 1, "skipped": 0 },
            },
        })
    );
    let team = FileChange { kind: FileKind::TeamState, agent_id: None, task_id: None, steps: None, ..change };
    assert_eq!(feed::of_file(&team, "t").len(), 1);
}
