//! Crash tests of category changes: many clients, random kills, a second monitor, failed writes. No acknowledged change
//! is lost.
//!
//! Proves (categories): No acknowledged category change is lost: with many clients, kills at random moments, a second
//! monitor and a full disk.
//! Long form: `make soak ARGS=overrides`.

use crate::support;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use serde_json::{Value, json};

use self::support::{PATIENCE, TestServer, audit, count, overrides, program, set, text};

const CATEGORIES: [&str; 4] = ["infra_ops", "qa_validation", "docs_knowledge", "biz_strategy"];
const CLIENTS: usize = 50;
/// Sessions that each client changes again and again.
const SESSIONS: usize = 4;

/// What another program left in the file, and an entry of ours with a key that is not ours.
fn of_others() -> Value {
    json!({
        "note": "hi",
        "ws_far": {"collabCategory": "galactic", "colour": "red"},
        "ws_0_0": {"collabCategory": "infra_ops", "updatedBy": "0", "mine": [1, 2]},
    })
}

/// What fifty operators know: of each session the number of the newest change that was acknowledged.
struct Operators {
    acknowledged: Vec<AtomicU64>,
    requests: Mutex<Vec<String>>,
    total: AtomicUsize,
}

impl Operators {
    fn new() -> Self {
        let acknowledged = (0..CLIENTS * SESSIONS).map(|_| AtomicU64::new(0)).collect();
        Self { acknowledged, requests: Mutex::default(), total: AtomicUsize::new(0) }
    }

    /// One operator makes changes one after the other, and repeats each until it is acknowledged.
    fn work(&self, client: usize, changes: usize, address: &RwLock<String>) {
        for number in 1..=changes {
            let session = number % SESSIONS;
            let id = format!("ws_{client}_{session}");
            let start = Instant::now();
            loop {
                let to = address.read().unwrap().clone();
                match set(&to, &id, CATEGORIES[number % CATEGORIES.len()], &number.to_string()) {
                    Ok(answer) if answer.status == 200 => {
                        let request = answer.header("x-request-id").expect("a request id").to_owned();
                        self.acknowledged[client * SESSIONS + session].store(number as u64, Ordering::SeqCst);
                        self.requests.lock().unwrap().push(request);
                        self.total.fetch_add(1, Ordering::SeqCst);
                        break;
                    }
                    Ok(answer) => panic!("{id}: {} {}", answer.status, answer.body),
                    // Killed under us; the next one listens soon.
                    Err(_) => std::thread::sleep(Duration::from_millis(2)),
                }
                assert!(start.elapsed() < PATIENCE, "{id} is never answered");
            }
        }
    }

    /// Reads the file as it is at this moment: valid, with everything that was acknowledged before.
    fn look(&self, home: &Path) {
        let before: Vec<u64> = self.acknowledged.iter().map(|newest| newest.load(Ordering::SeqCst)).collect();
        let bytes = std::fs::read(overrides(home)).expect("the file is there at every moment");
        let held: Value = serde_json::from_slice(&bytes)
            .unwrap_or_else(|error| panic!("{error}:\n{}", String::from_utf8_lossy(&bytes)));
        for (place, newest) in before.iter().enumerate().filter(|(_, newest)| **newest > 0) {
            let id = format!("ws_{}_{}", place / SESSIONS, place % SESSIONS);
            let by = held[&id]["updatedBy"].as_str().unwrap_or("-1").parse::<i64>().expect("a number");
            assert!(by >= i64::try_from(*newest).unwrap(), "{id}: {newest} was acknowledged, the file says {by}");
        }
        let others = of_others();
        assert_eq!((&held["note"], &held["ws_far"]), (&others["note"], &others["ws_far"]));
        assert_eq!(held["ws_0_0"]["mine"], others["ws_0_0"]["mine"]);
    }

    /// The audit log leads to the file, and each acknowledged request has exactly one line.
    fn check_audit(&self, home: &Path) {
        let log = std::fs::read_to_string(audit(home)).expect("the audit log");
        let mut last: BTreeMap<String, Value> = BTreeMap::new();
        let mut lines: BTreeMap<String, usize> = BTreeMap::new();
        for line in log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            *lines.entry(line["requestId"].as_str().expect("a request id").to_owned()).or_default() += 1;
            last.insert(line["workSessionId"].as_str().expect("a session").to_owned(), line);
        }
        for request in self.requests.lock().unwrap().iter() {
            assert_eq!(lines.get(request), Some(&1), "lines of {request}");
        }
        let held: Value = serde_json::from_slice(&std::fs::read(overrides(home)).expect("the file")).expect("JSON");
        for (id, line) in &last {
            assert_eq!(line["to"], held[id]["collabCategory"], "{id}");
            assert_eq!((&line["at"], &line["by"]), (&held[id]["updatedAt"], &held[id]["updatedBy"]), "{id}");
        }
        assert_eq!(last.len(), CLIENTS * SESSIONS, "every session that was changed has its lines");
    }
}

/// Marks the work as over, also when a check failed.
struct OverridesDone<'a>(&'a AtomicBool);

impl Drop for OverridesDone<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

/// Moments of the kills: after how many acknowledged changes, and how long after the last of them.
fn moments(kills: usize, changes: usize) -> Vec<(usize, Duration)> {
    let moment = (0..changes * 9 / 10, (0..6000_u64).prop_map(Duration::from_micros));
    let mut runner = proptest::test_runner::TestRunner::default();
    let moments = proptest::collection::vec(moment, kills).new_tree(&mut runner).expect("moments").current();
    let mut moments: Vec<_> = moments;
    moments.sort();
    moments
}

#[test]
fn random_kills_lose_no_acknowledged_override() {
    let (changes, kills, reads) = (count(300, 1000), count(5, 200), count(500, 10_000));
    let dir = tempfile::tempdir().expect("a folder");
    let home = dir.path();
    std::fs::write(overrides(home), of_others().to_string()).expect("a file of others");
    let mut server = TestServer::start(&["--home", text(home)]);
    let address = RwLock::new(server.address.clone());
    let operators = Operators::new();
    let (working, looked) = (AtomicBool::new(true), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let over = OverridesDone(&working);
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let (operators, address) = (&operators, &address);
                scope.spawn(move || operators.work(client, changes / CLIENTS, address))
            })
            .collect();
        for _ in 0..2 {
            scope.spawn(|| {
                while working.load(Ordering::SeqCst) || looked.load(Ordering::SeqCst) < reads {
                    operators.look(home);
                    looked.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        for (after, pause) in moments(kills, changes) {
            while operators.total.load(Ordering::SeqCst) < after && clients.iter().any(|client| !client.is_finished()) {
                std::thread::sleep(Duration::from_micros(200));
            }
            std::thread::sleep(pause);
            server.kill();
            operators.look(home);
            server = TestServer::start(&["--home", text(home)]);
            address.write().unwrap().clone_from(&server.address);
        }
        let outcomes: Vec<_> = clients.into_iter().map(|client| client.join()).collect();
        drop(over);
        assert!(outcomes.iter().all(Result::is_ok), "an operator gave up");
    });
    server.kill();
    let server = TestServer::start(&["--home", text(home)]);
    operators.look(home);
    operators.check_audit(home);
    let overrides_health = server.json("/api/v2/health")["overrides"].clone();
    assert_eq!(
        (&overrides_health["state"], &overrides_health["entries"]),
        (&json!("ok"), &json!(CLIENTS * SESSIONS)),
        "{overrides_health}"
    );
    println!(
        "{} changes acknowledged to {CLIENTS} clients over {kills} kills, {} reads, all valid",
        operators.total.load(Ordering::SeqCst),
        looked.load(Ordering::SeqCst)
    );
}

#[test]
fn second_program_cannot_write_until_first_ends() {
    let dir = tempfile::tempdir().expect("a folder");
    let first = TestServer::start(&["--home", text(dir.path())]);
    let second = TestServer::start(&["--home", text(dir.path())]);
    assert_eq!(set(&first.address, "ws_1", "infra_ops", "a").expect("an answer").status, 200);
    let refused = set(&second.address, "ws_1", "qa_validation", "b").expect("an answer");
    assert_eq!((refused.status, &refused.json()["code"]), (503, &json!("not_committed")), "{}", refused.body);
    assert!(refused.body.contains("another monitor writes this home"), "{}", refused.body);
    let start = Instant::now();
    loop {
        let overrides_health = second.json("/api/v2/health")["overrides"].clone();
        if overrides_health["entries"] == 1 && overrides_health["state"] == "readOnly" {
            break;
        }
        assert!(start.elapsed() < PATIENCE, "the second never reads: {overrides_health}");
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(first);
    // The lock ended with the process: nothing stale is left, and no process has to wait.
    assert_eq!(set(&second.address, "ws_2", "qa_validation", "b").expect("an answer").status, 200);
    assert_eq!(second.json("/api/v2/health")["overrides"]["state"], "ok");
    let held: Value = serde_json::from_slice(&std::fs::read(overrides(dir.path())).expect("the file")).expect("JSON");
    assert_eq!((&held["ws_1"]["updatedBy"], &held["ws_2"]["updatedBy"]), (&json!("a"), &json!("b")));
}

#[test]
fn refused_override_keeps_bytes_and_next_succeeds() {
    let dir = tempfile::tempdir().expect("a folder");
    let large = json!({"ws_1": {"collabCategory": "infra_ops"}, "note": "x".repeat(100_000)}).to_string();
    std::fs::write(overrides(dir.path()), &large).expect("a large file");
    // A limit on the size of files: the system takes a part of the write and refuses the rest.
    let mut limited = Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\""]).arg(program().get_program());
    let server = TestServer::spawn({
        limited.args(["serve", "--port", "0", "--home", text(dir.path())]);
        limited
    })
    .expect("an address");
    for _ in 0..3 {
        let refused = set(&server.address, "ws_1", "qa_validation", "a").expect("an answer");
        assert_eq!((refused.status, &refused.json()["code"]), (503, &json!("not_committed")), "{}", refused.body);
        assert_eq!(std::fs::read_to_string(overrides(dir.path())).expect("the file"), large, "not one byte is other");
    }
    let overrides_health = server.json("/api/v2/health")["overrides"].clone();
    assert_eq!(overrides_health["state"], "readOnly", "{overrides_health}");
    assert!(overrides_health["lastError"]["cause"].is_string(), "{overrides_health}");
    assert_eq!(server.get("/api/v2/sessions").0, 200, "the rest of the service goes on");
    let small = json!({"ws_1": {"collabCategory": "infra_ops"}, "note": "y"}).to_string();
    std::fs::write(overrides(dir.path()), small).expect("a smaller file");
    assert_eq!(set(&server.address, "ws_1", "qa_validation", "a").expect("an answer").status, 200);
    assert_eq!(server.json("/api/v2/health")["overrides"]["state"], "ok");
    let left = std::fs::read_dir(dir.path()).expect("a list").count();
    assert_eq!(left, 2, "only the file and its audit log");
}
