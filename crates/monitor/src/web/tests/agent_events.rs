//! Tests of coding agents' events over REST: posting, the list of the schema events made from them, and its live
//! stream.
//!
//! Proves (claude-code): Events are posted, listed and streamed over REST.

use axum::body::Bytes;
use futures::StreamExt as _;

use super::*;

const EVENTS: &str = "/api/v2/schema-events";
const HOOKS: &str = "/api/hooks/claude-code";

fn event(id: &str, agent: &str) -> Value {
    json!({
        "id": id, "version": "1.1", "ts": "2026-02-13T15:00:00.000Z", "type": "task_progress", "source": "sdk",
        "workspace_id": "repo_x", "terminal_session_id": "t", "agent_id": agent, "task_id": "1",
        "payload": {"summary": "하나"},
    })
}

fn hook(number: usize) -> Value {
    json!({"received_at": "2026-02-21T05:16:00.000Z", "payload": {
        "session_id": "8c35adc1-0000-4000-8000-000000000001", "cwd": "/repo", "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"description": "테스트 실행"}, "tool_use_id": format!("toolu_{number}"),
    }})
}

async fn post(fixture: &WebFixture, path: &str, body: &Value) -> TestResponse {
    fixture.call(write("POST", path).body(Body::from(body.to_string())).expect("request")).await
}

fn states(answer: &TestResponse) -> Vec<String> {
    assert_eq!(answer.status, 200, "{}", answer.text());
    let body = answer.json();
    let items = body["items"].as_array().expect("items");
    items.iter().map(|item| item["state"].as_str().expect("state").to_owned()).collect()
}

fn ids(page: &Value) -> Vec<&str> {
    page["events"].as_array().expect("events").iter().map(|event| event["id"].as_str().expect("id")).collect()
}

#[tokio::test]
async fn items_are_answered_individually_and_repeats_duplicate() {
    let fixture = WebFixture::new().await;
    let body = json!([event("a", "core/leader"), {"id": "b"}, 7, event("a", "core/leader"), event("c", "core/worker")]);
    let answer = post(&fixture, EVENTS, &body).await;
    assert_eq!(states(&answer), ["accepted", "rejected", "rejected", "duplicate", "accepted"]);
    let items = answer.json()["items"].clone();
    assert_eq!((&items[0]["key"], &items[4]["key"]), (&json!("a"), &json!("c")));
    assert!(items[1].get("key").is_none());
    let codes: Vec<_> = items[1]["errors"].as_array().expect("errors").iter().map(|it| it["code"].clone()).collect();
    assert!(codes.len() > 3 && codes.contains(&json!("required")), "all faults, not the first: {items}");
    assert_eq!(states(&post(&fixture, EVENTS, &event("a", "core/leader")).await), ["duplicate"]);
    let page = fixture.get(EVENTS).await.json();
    assert_eq!(page["events"].as_array().map(Vec::len), Some(3), "{page}");
    assert_eq!(page["events"].as_array().expect("events").iter().filter(|it| it["type"] == "schema_error").count(), 1);
    let ingest =
        eventually(&fixture, "/api/v2/health", |health| health["ingest"]["events"] == 3).await["ingest"].clone();
    let counted = ["accepted", "duplicates", "rejected", "errorsLeftOut", "inputs"].map(|name| ingest[name].clone());
    assert_eq!(counted, [2, 2, 2, 1, 3].map(|number| json!(number)), "{ingest}");
    assert_eq!((&ingest["writable"], &ingest["agents"]), (&json!(true), &json!(2)), "{ingest}");
}

#[tokio::test]
async fn bare_and_wrapped_hooks_become_events() {
    let fixture = WebFixture::new().await;
    let bare = hook(2)["payload"].clone();
    let answer = post(&fixture, HOOKS, &json!([hook(1), bare, event("a", "core/leader"), {"x": 1}, hook(1)])).await;
    assert_eq!(states(&answer), ["accepted", "accepted", "accepted", "rejected", "duplicate"]);
    let page = fixture.get(&format!("{EVENTS}?type=tool_started")).await.json();
    assert_eq!(page["events"].as_array().map(Vec::len), Some(2), "{page}");
    assert!(ids(&fixture.get(&format!("{EVENTS}?agent=CORE/leader")).await.json()).contains(&"a"));
    // An item of the other route is invalid here.
    assert_eq!(states(&post(&fixture, EVENTS, &hook(3)).await), ["rejected"]);
}

#[tokio::test]
async fn unreadable_item_does_not_stop_its_neighbours() {
    let fixture = WebFixture::new().await;
    let (deep, first, last) = (format!("{}1{}", "[".repeat(500), "]".repeat(500)), hook(1), hook(2));
    // A text that was cut in the middle of a letter, as an escape and as bytes, is mended; the others are no values.
    let cut = hook(3).to_string().replace("테스트 실행", "\\ud83d");
    let body = format!("[{first},{{\"x\":1e400}},{deep},{cut},{last}]");
    let mut bytes = body.replacen("실행", "실\u{1}", 1).into_bytes();
    let at = bytes.iter().position(|byte| *byte == 1).expect("the mark");
    bytes[at] = 0xed;
    let answer = fixture.call(write("POST", HOOKS).body(Body::from(bytes)).expect("request")).await;
    assert_eq!(states(&answer), ["accepted", "rejected", "rejected", "accepted", "accepted"]);
    let errors =
        answer.json()["items"].as_array().expect("items").iter().map(|it| it["errors"].clone()).collect::<Vec<_>>();
    assert_eq!((&errors[1], &errors[2]), (&json!([{"path": "", "code": "json"}]), &errors[1].clone()));
    let page = fixture.get(&format!("{EVENTS}?type=tool_started")).await.json();
    assert_eq!(page["events"].as_array().map(Vec::len), Some(3), "{page}");
    assert!(page.to_string().contains('\u{fffd}'), "{page}");
    let alone = write("POST", EVENTS).body(Body::from("{\"id\":1e400}")).expect("request");
    assert_eq!(states(&fixture.call(alone).await), ["rejected"]);
}

#[tokio::test]
async fn body_without_items_is_refused() {
    let fixture = WebFixture::new().await;
    for path in [EVENTS, HOOKS] {
        let hundred_one = Value::Array(vec![json!({}); 101]);
        for (body, status, code) in [
            ("nonsense".to_owned(), 400, "invalid_body"),
            ("7".to_owned(), 400, "invalid_body"),
            (String::new(), 400, "invalid_body"),
            ("[1,".to_owned(), 400, "invalid_body"),
            ("{\"a\":}".to_owned(), 400, "invalid_body"),
            (hundred_one.to_string(), 400, "invalid_body"),
            (format!("[\"{}\"]", "x".repeat(1 << 20)), 413, "too_large"),
        ] {
            let answer = fixture.call(write("POST", path).body(Body::from(body.clone())).expect("request")).await;
            let code_and_status = (answer.status.as_u16(), answer.json()["code"].as_str().map(str::to_owned));
            assert_eq!(code_and_status, (status, Some(code.to_owned())), "{path} {:.60}", body);
        }
        let large = format!("[\"{}\"]", "x".repeat((1 << 20) - 4));
        let answer = fixture.call(write("POST", path).body(Body::from(large)).expect("request")).await;
        assert_eq!(states(&answer), ["rejected"], "{path}");
        assert_eq!(post(&fixture, path, &json!([])).await.json(), json!({"items": []}));
        let nobody = ask("POST", path).header("content-type", "application/json").body(Body::from("{}"));
        assert_eq!(fixture.call(nobody.expect("request")).await.status, 401, "{path}");
    }
    assert_eq!(fixture.get("/api/v2/health").await.json()["ingest"]["accepted"], 0);
}

#[tokio::test]
async fn paging_continues_and_foreign_cursor_restarts() {
    let fixture = WebFixture::new().await;
    let all: Vec<Value> = (0..5).map(|number| event(&format!("e{number}"), "x/1")).collect();
    post(&fixture, EVENTS, &Value::Array(all)).await;
    let first = fixture.get(&format!("{EVENTS}?limit=2")).await.json();
    assert_eq!((ids(&first), &first["more"]), (vec!["e0", "e1"], &json!(true)));
    let next = first["next"].as_str().expect("next").to_owned();
    let rest = fixture.get(&format!("{EVENTS}?since={next}")).await.json();
    assert_eq!((ids(&rest), &rest["more"], rest.get("restarted")), (vec!["e2", "e3", "e4"], &json!(false), None));
    let end = rest["next"].as_str().expect("next").to_owned();
    assert!(ids(&fixture.get(&format!("{EVENTS}?since={end}")).await.json()).is_empty());
    for place in ["0123456789abcdef.3", &format!("{}9", end)] {
        let restarted = fixture.get(&format!("{EVENTS}?since={place}")).await.json();
        assert_eq!((ids(&restarted).len(), &restarted["restarted"]), (5, &json!(true)), "{place}");
    }
    for wrong in ["since=x", "since=a.b", "since=a.+1", "since=A.1", "limit=0", "limit=1001", "format=xml", "path=/etc"]
    {
        assert_eq!(fixture.get(&format!("{EVENTS}?{wrong}")).await.status, 400, "{wrong}");
    }
}

#[tokio::test]
async fn ndjson_has_event_lines_and_cursor_header() {
    let fixture = WebFixture::new().await;
    post(&fixture, EVENTS, &json!([event("a", "x/1"), event("b", "x/1"), event("c", "x/1")])).await;
    let answer = fixture.get(&format!("{EVENTS}?format=ndjson&limit=2")).await;
    assert_eq!((answer.header("content-type"), answer.header("x-more")), ("application/x-ndjson", "true"));
    let lines: Vec<Value> = answer.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((lines.len(), &lines[0]["id"], &lines[1]["type"]), (2, &json!("a"), &json!("task_progress")));
    let since = answer.header("x-next-cursor");
    let request = ask("GET", &format!("{EVENTS}?since={since}")).header("accept", "application/x-ndjson");
    let rest = fixture.call(request.body(Body::empty()).expect("request")).await;
    assert_eq!((rest.header("content-type"), rest.text().lines().count()), ("application/x-ndjson", 1));
    assert_eq!((rest.header("x-more"), rest.header("x-restarted")), ("false", "false"));
}

/// A reader of the live stream.
struct EventStreamReader {
    body: axum::body::BodyDataStream,
    text: String,
}

impl EventStreamReader {
    async fn open(fixture: &WebFixture, query: &str, last: &str) -> Self {
        let mut request = ask("GET", &format!("{EVENTS}/live{query}"));
        if !last.is_empty() {
            request = request.header("last-event-id", last);
        }
        let mut request = request.body(Body::empty()).expect("request");
        request.extensions_mut().insert(ConnectInfo("127.0.0.1:50000".parse::<SocketAddr>().expect("address")));
        let response = fixture.app.clone().oneshot(request).await.expect("infallible");
        assert_eq!(response.status(), 200);
        Self { body: response.into_body().into_data_stream(), text: String::new() }
    }

    /// The next event that is no heartbeat.
    async fn change(&mut self) -> Option<(String, String, Value)> {
        loop {
            match self.next().await {
                Some((name, ..)) if name == "heartbeat" => {}
                other => return other,
            }
        }
    }

    /// Name, id and data of the next event; none when the stream ended.
    async fn next(&mut self) -> Option<(String, String, Value)> {
        loop {
            if let Some((one, rest)) = self.text.split_once("\n\n") {
                let field = |name: &str| {
                    let line = one.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
                    line.trim_start_matches(':').trim().to_owned()
                };
                let data = serde_json::from_str(&field("data")).expect("JSON");
                let parsed = (field("event"), field("id"), data);
                self.text = rest.to_owned();
                return Some(parsed);
            }
            let piece = tokio::time::timeout(Duration::from_secs(60), self.body.next()).await.expect("in time");
            let piece: Bytes = piece?.expect("bytes");
            self.text.push_str(std::str::from_utf8(&piece).expect("text"));
        }
    }
}

#[tokio::test]
async fn live_stream_resumes_from_last_event_id() {
    let fixture = WebFixture::new().await;
    post(&fixture, EVENTS, &json!([event("a", "x/1"), event("b", "x/2")])).await;
    let mut reader = EventStreamReader::open(&fixture, "", "").await;
    let (name, first, data) = reader.change().await.expect("an event");
    assert_eq!((name.as_str(), &data["id"]), ("put", &json!("a")));
    assert_eq!(reader.change().await.expect("an event").2["id"], "b");
    post(&fixture, EVENTS, &event("c", "x/1")).await;
    let (_, last, data) = reader.change().await.expect("an event");
    assert_eq!(data["id"], "c");
    // Only events after the last id; it takes precedence over `since`.
    let mut reopened = EventStreamReader::open(&fixture, "?since=nobody.0", &first).await;
    assert_eq!(reopened.change().await.expect("an event").2["id"], "b");
    let mut some = EventStreamReader::open(&fixture, &format!("?since={last}&agent=x/2"), "").await;
    post(&fixture, EVENTS, &json!([event("d", "x/1"), event("e", "x/2")])).await;
    assert_eq!(some.change().await.expect("an event").2["id"], "e");
    let mut restarted = EventStreamReader::open(&fixture, "?since=0123456789abcdef.9", "").await;
    assert_eq!(restarted.change().await.expect("an event").0, "restart");
    assert_eq!(restarted.change().await.expect("an event").2["id"], "a");
    // A removed journal withdraws its events.
    let end = fixture.get(EVENTS).await.json()["next"].as_str().expect("next").to_owned();
    let mut continued = EventStreamReader::open(&fixture, &format!("?since={end}"), "").await;
    fs::remove_file(fixture.path("logs/task-hub-ingest.ndjson")).expect("removed");
    let mut withdrawn: Vec<String> = Vec::new();
    while withdrawn.len() < 5 {
        let (name, _, data) = continued.change().await.expect("an event");
        assert_eq!(name, "gone");
        withdrawn.push(data["id"].as_str().expect("id").to_owned());
    }
    withdrawn.sort();
    assert_eq!(withdrawn, ["a", "b", "c", "d", "e"]);
    let page = fixture.get(&format!("{EVENTS}?since={end}")).await.json();
    assert_eq!((ids(&page).len(), page["gone"].as_array().map(Vec::len)), (0, Some(5)), "{page}");
    let lines = fixture.get(&format!("{EVENTS}?since={end}&format=ndjson")).await.text();
    assert_eq!(lines.lines().next(), Some(r#"{"gone":"a"}"#));
    fixture.state.close();
    while continued.change().await.is_some() {}
}

#[tokio::test(start_paused = true)]
async fn a5_idle_stream_sends_heartbeats() {
    let fixture = WebFixture::with(|settings| settings.hooks.heartbeat = Duration::from_secs(5)).await;
    let mut reader = EventStreamReader::open(&fixture, "", "").await;
    let begun = tokio::time::Instant::now();
    for beat in 1..=3_u32 {
        let (name, id, data) = reader.next().await.expect("a heartbeat");
        assert_eq!((name.as_str(), data["ts"].as_str()), ("heartbeat", Some("2026-02-21T05:17:00.000Z")));
        let fields =
            ["type", "source", "version", "severity", "agent_id"].map(|name| data[name].as_str().expect("text"));
        assert_eq!(fields, ["heartbeat", "synthetic", "1.1", "debug", "system/monitor"], "a standard event");
        assert!(data["id"].as_str().is_some_and(|id| id.starts_with("evt_")), "{data}");
        assert_eq!(data["payload"]["interval_sec"], 5);
        assert!(id.ends_with(".0"), "{id}");
        // The first comes at once.
        assert!(begun.elapsed() >= Duration::from_secs(5) * (beat - 1));
    }
}

#[tokio::test]
async fn active_agent_beats_in_list_and_stream() {
    let fixture = WebFixture::new().await;
    let now = json!({"received_at": "2026-02-21T05:16:50.000Z", "payload": hook(1)["payload"]});
    post(&fixture, HOOKS, &now).await;
    let page = eventually(&fixture, &format!("{EVENTS}?type=heartbeat"), |page| !ids(page).is_empty()).await;
    let beat = &page["events"][0];
    assert_eq!((&beat["agent_id"], &beat["source"]), (&json!("repo/leader"), &json!("synthetic")));
    assert_eq!((&beat["payload"]["scope"], &beat["payload"]["state"]), (&json!("agent"), &json!("active")));
    let mut reader = EventStreamReader::open(&fixture, "?type=heartbeat", "").await;
    let (name, _, data) = reader.change().await.expect("an event");
    assert_eq!((name.as_str(), &data), ("put", beat));
    // Heartbeats follow from no input and are not counted.
    eventually(&fixture, "/api/v2/health", |health| health["ingest"]["events"] == 1).await;
}

#[tokio::test]
async fn run_id_filters_and_groups_events() {
    let fixture = WebFixture::new().await;
    let run_event = |id: &str, run: &str, terminal: &str| {
        let mut event = event(id, "x/1");
        (event["run_id"], event["terminal_session_id"]) = (json!(run), json!(terminal));
        event
    };
    post(
        &fixture,
        EVENTS,
        &json!([run_event("a", "r1", "t1"), run_event("b", "r2", "t1"), run_event("c", "r1", "t2"), event("d", "x/1")]),
    )
    .await;
    assert_eq!(ids(&fixture.get(&format!("{EVENTS}?run_id=r1")).await.json()), ["a", "c"]);
    assert_eq!(ids(&fixture.get(&format!("{EVENTS}?run_id=r1&terminal_session_id=t1")).await.json()), ["a"]);
    let mut reader = EventStreamReader::open(&fixture, "?run_id=r2", "").await;
    assert_eq!(reader.change().await.expect("an event").2["id"], "b");
    let page = fixture.get(&format!("{EVENTS}?group=run")).await.json();
    let expected = json!([
        {"terminalSessionId": "t", "events": ["d"]},
        {"terminalSessionId": "t1", "runId": "r1", "events": ["a"]},
        {"terminalSessionId": "t1", "runId": "r2", "events": ["b"]},
        {"terminalSessionId": "t2", "runId": "r1", "events": ["c"]},
    ]);
    assert_eq!(page["runs"], expected);
    assert!(fixture.get(EVENTS).await.json().get("runs").is_none(), "only where it is asked");
    assert_eq!(fixture.get(&format!("{EVENTS}?group=agent")).await.status, 400);
}

#[tokio::test]
async fn ingest_without_home_lock_is_refused() {
    let first = WebFixture::new().await;
    let home = HomeDir::new(first.path(""));
    let second = WebFixture::with(|settings| settings.home = home).await;
    let answer = post(&second, EVENTS, &event("a", "x/1")).await;
    assert_eq!((answer.status.as_u16(), answer.json()["code"].as_str()), (503, Some("not_committed")));
    assert_eq!(states(&post(&first, EVENTS, &event("a", "x/1")).await), ["accepted"]);
    eventually(&second, EVENTS, |page| ids(page) == ["a"]).await;
    let writable = second.get("/api/v2/health").await.json()["ingest"]["writable"].clone();
    assert_eq!(writable, false);
}

#[tokio::test]
async fn a_dropped_line_shows_like_a_posted_one() {
    let fixture = WebFixture::new().await;
    fs::write(fixture.path("logs/hook-events.ndjson"), format!("{}\n{}\n", hook(1), event("a", "x/1"))).expect("drop");
    let page = eventually(&fixture, EVENTS, |page| ids(page).len() >= 2).await;
    assert!(ids(&page).contains(&"a"));
    assert_eq!(states(&post(&fixture, HOOKS, &hook(1)).await), ["duplicate"]);
}

#[tokio::test]
async fn unreadable_journal_is_an_error() {
    let fixture = WebFixture::new().await;
    let other = WebFixture::with(|settings| settings.home = HomeDir::new(fixture.path("nowhere"))).await;
    assert_eq!(other.get(EVENTS).await.json()["events"], json!([]), "no home, no record: nothing there");
    let dir = tempfile::tempdir().expect("dir");
    fs::create_dir_all(dir.path().join("logs/task-hub-ingest.ndjson")).expect("a folder in its place");
    let fixture = WebFixture::with(|settings| settings.home = HomeDir::new(dir.path())).await;
    for path in [EVENTS.to_owned(), format!("{EVENTS}/live")] {
        let answer = fixture.get(&path).await;
        assert_eq!((answer.status.as_u16(), answer.json()["code"].as_str()), (503, Some("source_unavailable")));
    }
    assert_eq!(post(&fixture, EVENTS, &event("a", "x/1")).await.json()["code"], "not_committed");
    let health = eventually(&fixture, "/api/v2/health", |health| health["status"] == "degraded").await;
    assert!(health["unreadable"].to_string().contains("task-hub-ingest"), "{health}");
    fs::remove_dir(dir.path().join("logs/task-hub-ingest.ndjson")).expect("good again");
    assert_eq!(states(&post(&fixture, EVENTS, &event("a", "x/1")).await), ["accepted"]);
    assert_eq!(ids(&fixture.get(EVENTS).await.json()), ["a"]);
}

#[tokio::test]
async fn concurrent_equal_items_are_accepted_once() {
    let fixture = WebFixture::new().await;
    let same = event("a", "x/1");
    let answers = futures::future::join_all((0..30).map(|_| post(&fixture, EVENTS, &same))).await;
    let accepted = answers.iter().filter(|answer| states(answer) == ["accepted"]).count();
    assert_eq!(accepted, 1);
    let record = fs::read_to_string(fixture.path("logs/task-hub-ingest.ndjson")).expect("record");
    assert_eq!(record.lines().count(), 1);
}
