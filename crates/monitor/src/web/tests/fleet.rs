//! Tests of the routes below `/api/v2/fleet/` over running monitors, without servers between them.
//!
//! Proves (fleet): Merged lists are those of the machines' own monitors in one order, name each machine and what it lacks,
//! and refuse an unknown one. A stream says when an answer may have changed.

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::StatusCode;
use axum::response::Response;
use coordination::api::{FleetHole, FleetRetention, FleetSource, FleetSourceState};
use futures::StreamExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::{NOW, WebFixture, ask, send};
use crate::fleet::{Fleet, FleetView};

/// Routes whose rows are compared, with the list and the field of its rows.
const LISTS: [(&str, &str, &str); 3] =
    [("events", "events", "event"), ("sessions", "sessions", "session"), ("tasks", "tasks", "task")];

/// An aggregator and the monitors that it shows.
struct FleetFixture {
    machines: Vec<WebFixture>,
    aggregator: WebFixture,
    fleet: Fleet,
    _folder: tempfile::TempDir,
}

fn source(number: usize, state: FleetSourceState) -> FleetSource {
    let name = ["alpha", "mac", "zeta"][number];
    FleetSource { id: format!("{number:032x}"), name: name.to_owned(), state, ..FleetSource::default() }
}

impl FleetFixture {
    /// Three machines. All have a line of the same time; each has lines and a task of its own.
    async fn new() -> Self {
        let mut machines = Vec::new();
        for number in 0..3_i64 {
            let machine = WebFixture::new().await;
            for minute in 0..=number {
                machine.append(&send(NOW - 50_000 - minute * 1_000 - number % 2, &format!("글 {number}-{minute}")));
            }
            let task =
                json!({"type": "task.started", "agentId": "eden", "ts": NOW - 40_000, "data": {"taskId": "T-1"}});
            machine.append(&format!("{task}\n"));
            let lines = 3 + number;
            super::eventually(&machine, "/api/v2/events", |page| page["total"] == lines).await;
            machines.push(machine);
        }
        let mut aggregator = WebFixture::new().await;
        let folder = tempfile::tempdir().expect("folder");
        let monitors = machines.iter().enumerate();
        let monitors =
            monitors.map(|(number, machine)| (source(number, FleetSourceState::Live), machine.state.clone()));
        let fleet = Fleet::of_monitors(folder.path(), monitors.collect());
        aggregator.app = crate::web::router_with(&aggregator.state, fleet.clone());
        Self { machines, aggregator, fleet, _folder: folder }
    }

    fn show(&self, states: [FleetSource; 3], pending: &[&str]) {
        let pending = pending.iter().map(|name| (*name).to_owned()).collect();
        self.show_view(states, FleetView { pending, ..FleetView::default() });
    }

    fn show_view(&self, states: [FleetSource; 3], view: FleetView) {
        let apps = self.machines.iter().map(|machine| machine.state.clone());
        self.fleet.show_monitors(states.into_iter().zip(apps).collect(), view);
    }

    async fn get(&self, path: &str) -> Value {
        let answer = self.aggregator.get(&format!("/api/v2/fleet/{path}")).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.text());
        answer.json()
    }

    /// An open stream.
    async fn open(&self, last_id: &str) -> Response {
        let mut request =
            ask("GET", "/api/v2/fleet/live").header("last-event-id", last_id).body(Body::empty()).expect("request");
        let here: std::net::SocketAddr = "127.0.0.1:50000".parse().expect("address");
        request.extensions_mut().insert(ConnectInfo(here));
        self.aggregator.app.clone().oneshot(request).await.expect("infallible")
    }
}

/// The next event of a stream; `None` at its end.
async fn event(stream: &mut axum::body::BodyDataStream) -> Option<String> {
    let chunk = tokio::time::timeout(std::time::Duration::from_secs(20), stream.next()).await.expect("within 20 s");
    chunk.map(|chunk| String::from_utf8_lossy(&chunk.expect("bytes")).into_owned())
}

fn id_of(event: &str) -> String {
    event.lines().find_map(|line| line.strip_prefix("id: ")).unwrap_or_default().to_owned()
}

#[tokio::test]
async fn merged_pages_are_the_lists_of_the_machines() {
    let fixture = FleetFixture::new().await;
    for (route, list, row) in LISTS {
        let mut wanted = Vec::new();
        for (number, machine) in fixture.machines.iter().enumerate() {
            let own = machine.get(&format!("/api/v2/{route}")).await.json();
            let rows = own[list].as_array().expect("rows").clone();
            assert!(!rows.is_empty(), "{route}");
            wanted.extend(rows.into_iter().map(|item| (source(number, FleetSourceState::Live).name, item)));
        }
        // Stable: the machines are in the order of their names.
        wanted.sort_by_key(|(_, item)| match route {
            "events" => std::cmp::Reverse(item["at"].as_i64()),
            "sessions" => std::cmp::Reverse(item["lastTime"].as_i64()),
            _ => std::cmp::Reverse(item["lastActivity"].as_i64()),
        });
        // All three have a session of the same id.
        let others =
            |name: &str| ["alpha", "mac", "zeta"].into_iter().filter(|other| *other != name).collect::<Vec<_>>();
        let wanted = wanted.into_iter().map(|(name, item)| match route {
            "sessions" => json!({"source": name, row: item, "alsoOn": others(&name)}),
            _ => json!({"source": name, row: item}),
        });
        let wanted: Vec<Value> = wanted.collect();
        for limit in [1, 2, 50] {
            let (mut rows, mut query) = (Vec::new(), format!("?limit={limit}"));
            loop {
                let page = fixture.get(&format!("{route}{query}")).await;
                rows.extend(page[list].as_array().expect("rows").clone());
                assert_eq!(page["total"], wanted.len(), "{route}");
                let Some(next) = page["next"].as_str() else { break };
                let cursor = if route == "events" { "before" } else { "after" };
                query = format!("?limit={limit}&{cursor}={next}");
            }
            assert_eq!(rows, wanted, "{route}?limit={limit}");
        }
    }
}

#[tokio::test]
async fn agents_and_drift_name_their_machines() {
    let fixture = FleetFixture::new().await;
    let agents = fixture.get("agents").await;
    let named = |id: &str| {
        agents["agents"].as_array().expect("rows").iter().filter(|row| row["card"]["agent"]["id"] == id).count()
    };
    assert_eq!((named("eden"), named("seum")), (3, 3), "agents of the same id are several");
    let own = fixture.machines[1].get("/api/v2/agents").await.json();
    let eden = |rows: &Value| rows.as_array().expect("rows").iter().find(|card| card["agent"]["id"] == "eden").cloned();
    let of_mac = agents["agents"].as_array().expect("rows").iter().filter(|row| row["source"] == "mac");
    let of_mac = Value::Array(of_mac.map(|row| row["card"].clone()).collect());
    assert_eq!(eden(&of_mac), eden(&own["agents"]));
    let drift = fixture.get("drift?host=zeta").await;
    let own = fixture.machines[2].get("/api/v2/drift").await.json();
    assert_eq!(drift["drifts"], json!([{"source": "zeta", "drift": own}]));
}

#[tokio::test]
async fn host_narrows_by_name_and_id_and_refuses_unknown_ones() {
    let fixture = FleetFixture::new().await;
    let names = |page: &Value| -> Vec<String> {
        let sources = page["sources"].as_array().expect("sources");
        sources.iter().map(|source| source["source"].as_str().expect("name").to_owned()).collect()
    };
    let second = source(1, FleetSourceState::Live).id;
    for (query, wanted) in [
        ("", vec!["alpha", "mac", "zeta"]),
        ("?host=MAC", vec!["mac"]),
        (&format!("?host={second}"), vec!["mac"]),
        ("?host=zeta&host=alpha", vec!["alpha", "zeta"]),
        ("?host=zeta,alpha", vec!["alpha", "zeta"]),
        ("?q=host:zeta", vec!["zeta"]),
        ("?q=%EA%B8%B0%EA%B8%B0:alpha%20%EA%B8%80", vec!["alpha"]),
    ] {
        for route in ["events", "sessions", "tasks"] {
            let page = fixture.get(&format!("{route}{query}")).await;
            assert_eq!(names(&page), wanted, "{route}{query}");
        }
    }
    assert_eq!(fixture.get("events?q=host:zeta%20%EA%B8%80").await["total"], 3, "the rest of q is the query");
    let narrowed = fixture.get("sessions?host=mac").await;
    assert_eq!(narrowed["sessions"][0]["alsoOn"], json!(["alpha", "zeta"]), "machines that are not selected, too");
    assert_eq!(fixture.aggregator.get("/api/v2/fleet").await.json()["sessions"][0]["alsoOn"], json!(["mac", "zeta"]));
    let word = ["events", "sessions", "tasks", "search"].map(|route| format!("{route}?q=host:nowhere"));
    let parameter = ["events", "sessions", "tasks", "agents", "drift"].map(|route| format!("{route}?host=nowhere"));
    for path in word.into_iter().chain(parameter) {
        let answer = fixture.aggregator.get(&format!("/api/v2/fleet/{path}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{path}");
        let error = answer.json();
        assert_eq!((&error["field"], &error["allowed"]), (&json!("host"), &json!(["alpha", "mac", "zeta"])), "{path}");
    }
    for route in ["events", "sessions", "tasks", "agents", "drift"] {
        let answer = fixture.aggregator.get(&format!("/api/v2/fleet/{route}?hosts=mac")).await;
        assert!(
            answer.status == StatusCode::BAD_REQUEST && answer.text().contains("host"),
            "{route}: {}",
            answer.text()
        );
        let plain = fixture.machines[0].get(&format!("/api/v2/fleet/{route}")).await;
        assert_eq!(plain.status, StatusCode::NOT_FOUND, "{route}: a monitor without a fleet");
    }
}

#[tokio::test]
async fn lists_name_what_a_machine_lacks() {
    let fixture = FleetFixture::new().await;
    let holes = vec![FleetHole { path: "logs/a.ndjson".to_owned(), from: 100, to: 600, known_from: None }];
    let states = [
        FleetSource { bytes_behind: 70, ..source(0, FleetSourceState::Behind) },
        FleetSource { holes, refused: 2, ..source(1, FleetSourceState::Incomplete) },
        source(2, FleetSourceState::Live),
    ];
    fixture.show(states, &["fresh"]);
    for route in ["events", "sessions", "tasks", "agents", "drift"] {
        let page = fixture.get(route).await;
        let sources = page["sources"].as_array().expect("sources");
        let names: Vec<&str> = sources.iter().filter_map(|source| source["source"].as_str()).collect();
        assert_eq!(names, ["alpha", "fresh", "mac", "zeta"], "{route}");
        assert_eq!((&sources[0]["state"], &sources[0]["bytesBehind"]), (&json!("behind"), &json!(70)), "{route}");
        assert_eq!((&sources[1]["starting"], &sources[1]["total"]), (&json!(true), &json!(0)), "{route}");
        assert_eq!((&sources[2]["bytesMissing"], &sources[2]["refused"]), (&json!(500), &json!(2)), "{route}");
        assert_eq!(sources[3]["state"], "live", "{route}");
    }
    assert_eq!(fixture.get("tasks?host=fresh").await["tasks"], json!([]), "it is known, and has nothing yet");
}

#[tokio::test]
async fn machines_without_rows_are_on_the_page() {
    let fixture = FleetFixture::new().await;
    let states = [0, 1, 2].map(|number| source(number, FleetSourceState::Live));
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let (pending, beyond_limit) = (names(&["fresh"]), names(&["many"]));
    let retention = Some(FleetRetention { max_bytes: Some(10_000), bytes: 70, ..FleetRetention::default() });
    fixture.show_view(states, FleetView { pending, beyond_limit, retention, ..FleetView::default() });
    let page = fixture.aggregator.get("/api/v2/fleet").await.json();
    assert_eq!((&page["pending"], &page["beyondLimit"]), (&json!(["fresh"]), &json!(["many"])));
    let sums = &page["sources"][0]["categories"];
    let own = fixture.machines[0].get("/api/v2/home").await.json();
    let own: Vec<&Value> = own["categories"].as_array().expect("ten").iter().filter(|row| row["total"] != 0).collect();
    assert!(!own.is_empty() && *sums == json!(own), "{sums}");
    assert_eq!(page["retention"], json!({"maxBytes": 10_000, "bytes": 70}));
    assert_eq!(page["sources"][0].get("starting"), None, "its history is read");
    // Long enough to be read for some time.
    let log = (0..5_000).map(|number| send(NOW - number, "글")).collect::<String>();
    let long = WebFixture::start(|settings| {
        std::fs::write(settings.home.live_log(), &log).expect("a log");
    });
    let monitors = || vec![(source(0, FleetSourceState::Live), long.state.clone())];
    fixture.fleet.show_monitors(monitors(), FleetView::default());
    assert_eq!(fixture.aggregator.get("/api/v2/fleet").await.json()["sources"][0]["starting"], true);
    long.state.ready().await;
    let page = fixture.aggregator.get("/api/v2/fleet").await.json();
    assert_eq!((page["sources"][0].get("starting"), &page["pending"]), (None, &json!([])));
}

#[tokio::test]
async fn removed_machine_is_404_and_comes_back_with_its_new_monitor() {
    let fixture = FleetFixture::new().await;
    let shown = async |number: usize, name: &str| {
        let machine = WebFixture::with(|settings| settings.base_path = format!("/@{name}/")).await;
        (machine, source(number, FleetSourceState::Live))
    };
    let (alpha, mac, again) = (shown(0, "alpha").await, shown(1, "mac").await, shown(0, "alpha").await);
    let show = |machines: &[&(WebFixture, FleetSource)]| {
        let machines = machines.iter().map(|(machine, info)| (info.clone(), machine.state.clone()));
        fixture.fleet.show_monitors(machines.collect(), FleetView::default());
    };
    let path = "/@alpha/api/v2/events";
    show(&[&alpha, &mac]);
    assert_eq!(fixture.aggregator.get(path).await.json()["total"], 1);
    show(&[&mac]);
    alpha.0.state.close();
    let gone = fixture.aggregator.get(path).await;
    assert_eq!((gone.status, &gone.json()["code"]), (StatusCode::NOT_FOUND, &json!("not_found")));
    assert!(!gone.header("content-security-policy").is_empty() && !gone.json()["requestId"].is_null());
    assert_eq!(fixture.aggregator.get("/@mac/api/v2/events").await.json()["total"], 1, "the others stay");
    again.0.append(&send(NOW - 1_000, "새 글"));
    super::eventually(&again.0, "/@alpha/api/v2/events", |page| page["total"] == 2).await;
    show(&[&again, &mac]);
    assert_eq!(fixture.aggregator.get(path).await.json()["total"], 2, "of the new monitor");
}

#[tokio::test]
async fn health_below_a_machine_has_its_state() {
    let fixture = FleetFixture::new().await;
    let machine = WebFixture::with(|settings| settings.base_path = "/@alpha/".to_owned()).await;
    let hole = FleetHole { path: "logs/a.ndjson".to_owned(), from: 100, to: 600, known_from: None };
    for (state, word) in [(FleetSourceState::Incomplete, "incomplete"), (FleetSourceState::Silent, "silent")] {
        let info = FleetSource { holes: vec![hole.clone()], last_seen: Some(NOW), ..source(0, state) };
        fixture.fleet.show_monitors(vec![(info, machine.state.clone())], FleetView::default());
        let health = fixture.aggregator.get("/@alpha/api/v2/health").await.json();
        let wanted = json!({"name": "alpha", "link": "connected", "state": word, "lastSeen": NOW, "bytesBehind": 0, "bytesMissing": 500, "refused": 0});
        assert_eq!(health["machine"], wanted);
    }
    assert_eq!(machine.get("/@alpha/api/v2/health").await.json().get("machine"), None, "its own monitor");
}

#[tokio::test]
async fn unchanged_list_gives_304_until_a_machine_changes() {
    let fixture = FleetFixture::new().await;
    let with =
        |path: &str, tag: &str| ask("GET", path).header("if-none-match", tag).body(Body::empty()).expect("request");
    for route in ["", "/events", "/sessions", "/tasks", "/agents", "/drift", "/search?q=a"] {
        let path = format!("/api/v2/fleet{route}");
        let mut answered = (StatusCode::OK, 0);
        // The last frames of a machine that has just started follow within a second.
        for _ in 0..100 {
            let tag = fixture.aggregator.get(&path).await.header("etag").to_owned();
            assert!(tag.starts_with("W/\""), "{path}: {tag}");
            let again = fixture.aggregator.call(with(&path, &tag)).await;
            answered = (again.status, again.body.len());
            if answered.0 == StatusCode::NOT_MODIFIED {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        assert_eq!(answered, (StatusCode::NOT_MODIFIED, 0), "{path}");
    }
    let path = "/api/v2/fleet/events";
    let tag = fixture.aggregator.get(path).await.header("etag").to_owned();
    let mut seq = fixture.machines[2].state.live().newest();
    fixture.machines[2].append(&send(NOW - 1_000, "새 글"));
    seq.changed().await.expect("a delta");
    let after = fixture.aggregator.call(with(path, &tag)).await;
    assert!(after.status == StatusCode::OK && after.text().contains("새 글"), "{}", after.text());
    let tag = after.header("etag").to_owned();
    fixture.show([0, 1, 2].map(|number| source(number, FleetSourceState::Silent)), &[]);
    assert_eq!(fixture.aggregator.call(with(path, &tag)).await.status, StatusCode::OK, "its machines changed");
}

#[tokio::test]
async fn stream_says_when_a_machine_changed() {
    let fixture = FleetFixture::new().await;
    let clients = fixture.aggregator.state.live().clients();
    let response = fixture.open("").await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    assert_eq!(clients.info().events, 1, "it counts as a live client");
    let mut stream = response.into_body().into_data_stream();
    let first = event(&mut stream).await.expect("an event");
    assert!(first.starts_with("event: change"), "{first}");
    fixture.machines[1].append(&send(NOW - 1_000, "새 글"));
    let second = event(&mut stream).await.expect("an event");
    assert!(second.starts_with("event: change") && id_of(&second) != id_of(&first), "{second}");
    fixture.show([0, 1, 2].map(|number| source(number, FleetSourceState::Silent)), &[]);
    // A delta may bring home a moment later: more changes may come before this one.
    let known = event(&mut stream).await.map(|event| id_of(&event)).expect("an event");
    let mut resumed = fixture.open(&known).await.into_body().into_data_stream();
    let next = tokio::time::timeout(std::time::Duration::from_millis(300), event(&mut resumed)).await;
    assert!(
        next.is_err() || next.is_ok_and(|event| event.is_some_and(|event| id_of(&event) != known)),
        "what is known"
    );
    fixture.aggregator.state.close();
    for stream in [&mut stream, &mut resumed] {
        while event(stream).await.is_some() {}
    }
    drop((stream, resumed));
    assert_eq!(clients.info().events, 0);
    assert_eq!(fixture.machines[0].get("/api/v2/fleet/live").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_have_machines_by_state_and_what_is_missing() {
    let fixture = FleetFixture::new().await;
    let silent = source(1, FleetSourceState::Silent);
    let hole = FleetHole { path: "logs/coordination-events.ndjson".to_owned(), from: 10, to: 52, known_from: None };
    let incomplete =
        FleetSource { holes: vec![hole], refused: 2, bytes_behind: 7, ..source(2, FleetSourceState::Incomplete) };
    fixture.show([source(0, FleetSourceState::Live), silent, incomplete], &[]);
    let text = fixture.aggregator.get("/metrics").await.text();
    for line in [
        r#"task_monitor_fleet_link{state="connected"} 1"#,
        r#"task_monitor_fleet_link{state="lost"} 0"#,
        r#"task_monitor_fleet_machines{state="live"} 1"#,
        r#"task_monitor_fleet_machines{state="silent"} 1"#,
        r#"task_monitor_fleet_machines{state="incomplete"} 1"#,
        r#"task_monitor_fleet_machines{state="conflict"} 0"#,
        "task_monitor_fleet_behind_bytes 7",
        "task_monitor_fleet_missing_bytes 42",
        "task_monitor_fleet_refused_messages 2",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    let plain = fixture.machines[0].get("/metrics").await.text();
    assert!(!plain.contains("task_monitor_fleet"), "a process without a fleet has none of it");
}
