//! Crash tests of the ingest of coding agents' events. Clients post them over several connections, and a growing drop
//! file (`logs/hook-events.ndjson`) holds those that hooks could not post. The program is killed at random moments. No
//! acknowledged event is lost or doubled.
//!
//! Proves (claude-code): No acknowledged event of a coding agent is lost or doubled, whenever the monitor is killed.
//! Long form: `make soak ARGS=ingest`.

use crate::support;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use serde_json::{Value, json};

use self::support::{PATIENCE, TestServer, ask, count, text};

const CLIENTS: usize = 6;
const EVENTS: &str = "/api/v2/schema-events";
const HOOKS: &str = "/api/hooks/claude-code";

fn event(id: &str) -> Value {
    json!({
        "id": id, "version": "1.1", "ts": "2026-02-13T15:00:00.000Z", "type": "task_progress", "source": "sdk",
        "workspace_id": "repo_x", "terminal_session_id": "t", "agent_id": "core/worker-1", "task_id": id,
        "payload": {"summary": "불안정한 테스트 수정"},
    })
}

/// A hook whose call names it; the event that follows from it bears that name.
fn hook(id: &str) -> Value {
    json!({"received_at": "2026-02-21T05:16:00.000Z", "payload": {
        "session_id": "8c35adc1-0000-4000-8000-000000000001", "cwd": "/repo", "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"description": "테스트 실행"}, "tool_use_id": id,
    }})
}

#[derive(Default)]
struct Senders {
    /// Keys that were acknowledged.
    acknowledged: Mutex<BTreeSet<String>>,
    requests: AtomicUsize,
    /// Items that had been stored without an acknowledgement.
    stored_unacknowledged: AtomicUsize,
}

impl Senders {
    /// One connection after the other; each request is repeated until it is answered.
    fn post(&self, client: usize, requests: usize, address: &RwLock<String>) {
        for number in 0..requests {
            let ids: Vec<String> = (0..=number % 4).map(|item| format!("p{client}-{number}-{item}")).collect();
            let hooks = number % 3 == 0;
            let items: Vec<Value> = ids.iter().map(|id| if hooks { hook(id) } else { event(id) }).collect();
            let (path, body) = (if hooks { HOOKS } else { EVENTS }, Value::Array(items).to_string());
            let start = Instant::now();
            loop {
                let to = address.read().unwrap().clone();
                match ask(&to, "POST", path, &body) {
                    Ok(answer) if answer.status == 200 => {
                        self.note(&answer.json());
                        break;
                    }
                    // The one before was killed a moment ago, and the right to write is looked for once a second.
                    Ok(answer) if answer.status == 503 => std::thread::sleep(Duration::from_millis(5)),
                    Ok(answer) => panic!("{}: {}", answer.status, answer.body),
                    Err(_) => std::thread::sleep(Duration::from_millis(2)),
                }
                assert!(start.elapsed() < PATIENCE, "{ids:?} are never answered");
            }
        }
    }

    fn note(&self, answer: &Value) {
        for item in answer["items"].as_array().expect("items") {
            let key = item["key"].as_str().unwrap_or_else(|| panic!("{item}")).to_owned();
            match item["state"].as_str() {
                Some("accepted") => {}
                Some("duplicate") => drop(self.stored_unacknowledged.fetch_add(1, Ordering::SeqCst)),
                _ => panic!("{item}"),
            }
            assert!(self.acknowledged.lock().unwrap().insert(key), "acknowledged twice: {item}");
        }
        self.requests.fetch_add(1, Ordering::SeqCst);
    }
}

/// Appends lines to the drop file, many of them in two writes.
fn drop_lines(home: &Path, lines: usize, pace: impl Fn(usize) -> bool) {
    let path = home.join("logs/hook-events.ndjson");
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).expect("the drop file");
    for number in 0..lines {
        while !pace(number) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let id = format!("d-{number}");
        let line = format!("{}\n", if number % 2 == 0 { hook(&id) } else { event(&id) });
        let (first, second) = line.as_bytes().split_at(number * 7 % line.len());
        file.write_all(first).expect("written");
        std::thread::sleep(Duration::from_micros(number as u64 % 5 * 200));
        file.write_all(second).expect("written");
    }
}

/// Names of the events that readers get, page by page: each once.
fn shown(server: &TestServer) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut since = String::new();
    loop {
        let page = server.json(&format!("{EVENTS}?limit=97{since}"));
        for event in page["events"].as_array().expect("events") {
            let name = match event["type"].as_str() {
                Some("task_progress") => &event["id"],
                Some("tool_started") => &event["payload"]["tool_use_id"],
                // Events that follow from several hooks together.
                _ => continue,
            };
            let name = name.as_str().unwrap_or_else(|| panic!("{event}")).to_owned();
            assert!(names.insert(name), "twice: {event}");
        }
        if page["more"] == false {
            return names;
        }
        since = format!("&since={}", page["next"].as_str().expect("next"));
    }
}

/// Keys of the journal; each is there once.
fn recorded(home: &Path) -> BTreeMap<String, usize> {
    let record = std::fs::read_to_string(home.join("logs/task-hub-ingest.ndjson")).expect("the record");
    let mut keys: BTreeMap<String, usize> = BTreeMap::new();
    for line in record.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        if let Some(key) = line["key"].as_str() {
            *keys.entry(key.to_owned()).or_default() += 1;
        }
    }
    keys
}

fn moments(kills: usize, requests: usize) -> Vec<(usize, Duration)> {
    let moment = (0..requests * 9 / 10, (0..6000_u64).prop_map(Duration::from_micros));
    let mut runner = proptest::test_runner::TestRunner::default();
    let moments = proptest::collection::vec(moment, kills).new_tree(&mut runner).expect("moments").current();
    let mut moments: Vec<_> = moments;
    moments.sort();
    moments
}

/// Marks the work as over, also when a check failed.
struct SchemaEventsDone<'a>(&'a AtomicBool);

impl Drop for SchemaEventsDone<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn random_kills_keep_acknowledged_items_exactly_once() {
    let (each, kills) = (count(30, 400), count(5, 100));
    let (all, dropped) = (each * CLIENTS, each * 2);
    let dir = tempfile::tempdir().expect("a folder");
    let home = dir.path();
    std::fs::create_dir(home.join("logs")).expect("logs");
    let mut server = TestServer::start(&["--home", text(home)]);
    let address = RwLock::new(server.address.clone());
    let (senders, over) = (Senders::default(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let ended = SchemaEventsDone(&over);
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let (senders, address) = (&senders, &address);
                scope.spawn(move || senders.post(client, each, address))
            })
            .collect();
        // It grows as the requests do, also while it is not read.
        let pace = |number: usize| {
            over.load(Ordering::SeqCst) || senders.requests.load(Ordering::SeqCst) * dropped / all + 5 >= number
        };
        let dropper = scope.spawn(move || drop_lines(home, dropped, pace));
        for (after, pause) in moments(kills, all) {
            while senders.requests.load(Ordering::SeqCst) < after && clients.iter().any(|client| !client.is_finished())
            {
                std::thread::sleep(Duration::from_micros(200));
            }
            std::thread::sleep(pause);
            server.kill();
            server = TestServer::start(&["--home", text(home)]);
            address.write().unwrap().clone_from(&server.address);
        }
        let outcomes: Vec<_> = clients.into_iter().map(|client| client.join()).collect();
        drop(ended);
        assert!(outcomes.iter().all(Result::is_ok), "a client gave up");
        dropper.join().expect("the drop file is written");
    });
    let posted = (0..CLIENTS).flat_map(|client| {
        (0..each).flat_map(move |number| (0..=number % 4).map(move |item| format!("p{client}-{number}-{item}")))
    });
    let expected: BTreeSet<String> = posted.chain((0..dropped).map(|number| format!("d-{number}"))).collect();
    let start = Instant::now();
    while shown(&server).len() < expected.len() {
        assert!(start.elapsed() < PATIENCE, "of the drop file something never comes");
        std::thread::sleep(Duration::from_millis(20));
    }
    server.kill();
    let server = TestServer::start(&["--home", text(home)]);
    assert_eq!(shown(&server), expected, "all of it and nothing else, after one more restart");
    let keys = recorded(home);
    for key in senders.acknowledged.lock().unwrap().iter() {
        assert_eq!(keys.get(key), Some(&1), "lines of {key}");
    }
    assert!(keys.values().all(|lines| *lines == 1), "a key is in the journal twice");
    assert_eq!(keys.len(), expected.len());
    let ingest_health = server.json("/api/v2/health")["ingest"].clone();
    let size = |name: &str| std::fs::metadata(home.join("logs").join(name)).expect("a file").len();
    assert_eq!(ingest_health["inputs"], expected.len(), "{ingest_health}");
    assert_eq!(ingest_health["bytes"], size("task-hub-ingest.ndjson"), "{ingest_health}");
    // Sent once more, all of it is known.
    let repeated: Vec<Value> = (0..50).map(|number| hook(&format!("d-{}", number * 2 % dropped))).collect();
    let answer = ask(&server.address, "POST", HOOKS, &Value::Array(repeated).to_string()).expect("an answer").json();
    assert!(answer["items"].as_array().expect("items").iter().all(|item| item["state"] == "duplicate"), "{answer}");
    println!(
        "{} items in {all} requests and {dropped} dropped lines over {kills} kills; {} recorded without an answer",
        expected.len(),
        senders.stored_unacknowledged.load(Ordering::SeqCst)
    );
}
