//! Tests of the override store (manual categories, shared records) under system failures, on Linux only. strace kills the
//! program at every system call of the write path, or makes one of them fail. A small disk is really full, then read-only.
//!
//! Proves (shared): Notes, resolved marks and views for everybody survive a kill at every system call of the write path.
//!
//! Proves (categories): Category changes survive a kill at every system call of the write path, every error of each
//! call, and a full disk.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails loudly")]

#[path = "it/support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

use self::support::{PATIENCE, ServerResponse, TestServer, ask, audit, overrides, program, set, text};

/// Calls that are left out when calls fail: `close` and `fcntl` cannot in the ways tried here, and the others look at
/// the home for somebody else.
const SPARED: [&str; 4] = ["close", "fcntl", "getdents64", "inotify_add_watch"];
/// Full, over quota, input/output error, read-only, too many open files, permission denied.
const ERRORS: [&str; 6] = ["ENOSPC", "EDQUOT", "EIO", "EROFS", "EMFILE", "EACCES"];
const FULL: [&str; 2] = ["ENOSPC", "EDQUOT"];

/// A home, and what strace writes about the program in it.
struct StraceFixture {
    dir: tempfile::TempDir,
}

impl StraceFixture {
    /// A home with one acknowledged change and something that another program wrote.
    fn new() -> Self {
        let fixture = Self { dir: tempfile::tempdir().expect("a folder") };
        std::fs::create_dir(fixture.home()).expect("a home");
        std::fs::write(overrides(&fixture.home()), json!({"note": "hi"}).to_string()).expect("a file of others");
        let server = TestServer::start(&["--home", text(&fixture.home())]);
        assert_eq!(set(&server.address, "ws_old", "infra_ops", "1").expect("an answer").status, 200);
        fixture
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    fn bytes(&self) -> Vec<u8> {
        std::fs::read(overrides(&self.home())).expect("the file is there at every moment")
    }

    fn held(&self) -> Value {
        serde_json::from_slice(&self.bytes()).expect("valid JSON at every moment")
    }

    /// The author of the last change of a session, by the file.
    fn updated_by(&self, id: &str) -> Option<String> {
        self.held()[id]["updatedBy"].as_str().map(str::to_owned)
    }

    /// Files that a change of a category writes, and their folder.
    fn category_files(&self) -> Vec<PathBuf> {
        let home = self.home();
        vec![overrides(&home), audit(&home), home.join(".work-session-category-overrides.json.tmp"), home]
    }

    /// The same of a change of a shared record.
    fn shared_files(&self) -> Vec<PathBuf> {
        vec![shared(&self.home()), self.home()]
    }

    /// The program under strace, which looks only at calls about these files. An error when it ended before it had an
    /// address.
    fn traced_on(&self, files: &[PathBuf], inject: Option<&str>) -> Result<TestServer, String> {
        let mut strace = Command::new("strace");
        // As a grandchild the tracer can be ended and the program continues without it.
        strace.args(["-D", "-f", "-o"]).arg(self.dir.path().join("trace"));
        for path in files {
            strace.arg("-P").arg(path);
        }
        if let Some(inject) = inject {
            strace.args(["-e", &format!("inject={inject}")]);
        }
        strace.arg(program().get_program()).args(["serve", "--port", "0", "--home", text(&self.home())]);
        TestServer::spawn(strace)
    }

    fn traced(&self, inject: Option<&str>) -> Result<TestServer, String> {
        self.traced_on(&self.category_files(), inject)
    }

    /// Each system call and how often any one thread makes it from the start to the second acknowledged change:
    /// strace counts every thread and every call by itself.
    fn calls(&self) -> Vec<(String, usize)> {
        self.calls_of(&self.category_files(), |address, by| set(address, "ws_count", "infra_ops", by))
    }

    fn calls_of(
        &self,
        files: &[PathBuf],
        change: impl Fn(&str, &str) -> io::Result<ServerResponse>,
    ) -> Vec<(String, usize)> {
        let mut server =
            self.traced_on(files, None).unwrap_or_else(|output| panic!("strace is missing or may not trace: {output}"));
        for by in ["1", "2"] {
            assert_eq!(change(&server.address, by).expect("an answer").status, 200);
        }
        server.kill();
        let trace = std::fs::read_to_string(self.dir.path().join("trace")).expect("a trace");
        let mut calls: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for (thread, rest) in trace.lines().filter_map(|line| line.split_once(' ')) {
            if let Some((call, _)) = rest.trim_start().split_once('(').filter(|(call, _)| !call.contains(' ')) {
                *calls.entry((thread, call)).or_default() += 1;
            }
        }
        let mut most: BTreeMap<String, usize> = BTreeMap::new();
        for ((_, call), count) in calls {
            let most = most.entry(call.to_owned()).or_default();
            *most = count.max(*most);
        }
        for call in ["openat", "write", "fsync"] {
            assert!(most.contains_key(call), "strace saw no {call}:\n{trace}");
        }
        most.into_iter().collect()
    }

    /// Everything in order: the log leads to the file, and no other file is left.
    fn check(&self) {
        let log = std::fs::read_to_string(audit(&self.home())).expect("the audit log");
        let held = self.held();
        let mut last: BTreeMap<String, Value> = BTreeMap::new();
        for line in log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            last.insert(line["workSessionId"].as_str().expect("a session").to_owned(), line);
        }
        for (id, line) in &last {
            assert_eq!((&line["to"], &line["by"]), (&held[id]["collabCategory"], &held[id]["updatedBy"]), "{id}");
        }
        assert_eq!(held["note"], "hi", "what others wrote stays");
        let files = std::fs::read_dir(self.home()).expect("a list").count();
        assert_eq!(files, 2, "only the file and its audit log");
    }
}

#[test]
fn override_system_calls_are_power_cut_safe() {
    let fixture = StraceFixture::new();
    fixture.calls();
    let trace = std::fs::read_to_string(fixture.dir.path().join("trace")).expect("a trace");
    let steps = ["write(", "fsync(", "ftruncate(", "rename("];
    let made: Vec<&str> = trace
        .lines()
        .filter(|line| !line.contains("resumed>"))
        .filter_map(|line| steps.into_iter().find(|step| line.contains(&format!(" {step}"))))
        .collect();
    // New content, line of the audit log, rename, folder: each on the disk before the next begins.
    let change = ["write(", "fsync(", "write(", "fsync(", "rename(", "fsync("];
    assert_eq!(made, [change, change].concat(), "{trace}");
}

fn outcome(answer: &ServerResponse) -> (u16, String) {
    (answer.status, answer.json()["code"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn kill_at_any_call_keeps_acknowledged_overrides() {
    let fixture = StraceFixture::new();
    let calls = fixture.calls();
    let moments: Vec<_> = calls.iter().flat_map(|(call, count)| (1..=*count).map(move |at| (call, at))).collect();
    let mut acknowledged = BTreeMap::from([("ws_old".to_owned(), 1)]);
    let kills = kill_at_each_call(
        &fixture,
        &fixture.category_files(),
        &moments,
        &mut acknowledged,
        |number| ["ws_same".to_owned(), format!("ws_{number}")],
        |address, id, by| set(address, id, "qa_validation", by),
        |number| {
            let held = fixture.held();
            let next = TestServer::start(&["--home", text(&fixture.home())]);
            assert_eq!(set(&next.address, "ws_next", "infra_ops", &number.to_string()).expect("an answer").status, 200);
            assert_eq!(next.json("/api/v2/health")["overrides"]["state"], "ok");
            drop(next);
            fixture.check();
            Box::new(move |id| held[id]["updatedBy"].as_str().and_then(|by| by.parse().ok()).unwrap_or_default())
        },
    );
    assert!(kills * 10 > moments.len() * 9, "only {kills} of {} kills struck", moments.len());
    println!("killed at {kills} of {} calls, all acknowledged changes are there", moments.len());
}

/// Starts the program once for each moment and kills it there, while `change` makes two changes named by the moment's number.
/// After each kill `held` says the number that an id has in a new start, which `after` may change once more. Returns how
/// many kills struck.
fn kill_at_each_call(
    fixture: &StraceFixture,
    files: &[PathBuf],
    moments: &[(&String, usize)],
    acknowledged: &mut BTreeMap<String, usize>,
    ids: impl Fn(usize) -> [String; 2],
    change: impl Fn(&str, &str, &str) -> io::Result<ServerResponse>,
    after: impl Fn(usize) -> Box<dyn Fn(&str) -> usize>,
) -> usize {
    let mut kills = 0;
    for (number, (call, at)) in (3..).zip(moments) {
        let inject = format!("{call}:signal=SIGKILL:when={at}");
        // It may be killed while it starts, while it writes, or not at all.
        let mut struck = true;
        if let Ok(server) = fixture.traced_on(files, Some(&inject)) {
            struck = false;
            for id in ids(number) {
                let Ok(answer) = change(&server.address, &id, &number.to_string()) else {
                    struck = true;
                    break;
                };
                assert_eq!(answer.status, 200, "{}", answer.body);
                acknowledged.insert(id, number);
            }
        }
        kills += usize::from(struck);
        let held = after(number);
        for (id, newest) in &*acknowledged {
            let held = held(id);
            assert!(held >= *newest, "killed at {call} {at}: {id} was acknowledged with {newest}, there is {held}");
        }
    }
    kills
}

/// The file of shared records of a home.
fn shared(home: &Path) -> PathBuf {
    home.join("task-hub-shared.ndjson")
}

/// Writes a view for everybody, whose name is a number.
fn put_view(address: &str, id: &str, number: &str) -> io::Result<ServerResponse> {
    let body = json!({"content": {"kind": "view", "name": number, "path": "/all"}}).to_string();
    ask(address, "PUT", &format!("/api/v2/shared/{id}"), &body)
}

#[test]
fn kill_at_any_call_keeps_acknowledged_shared_records() {
    let fixture = StraceFixture::new();
    let files = fixture.shared_files();
    let calls = fixture.calls_of(&files, |address, number| put_view(address, "same", number));
    let trace = std::fs::read_to_string(fixture.dir.path().join("trace")).expect("a trace");
    let made = |step: &str| trace.lines().filter(|line| line.contains(&format!(" {step}("))).count();
    // Each line is on the disk before it is acknowledged, and the new file's entry in its folder.
    assert_eq!((made("write"), made("fsync")), (2, 3), "{trace}");

    let moments: Vec<_> = calls.iter().flat_map(|(call, count)| (1..=*count).map(move |at| (call, at))).collect();
    let kills = kill_at_each_call(
        &fixture,
        &files,
        &moments,
        &mut BTreeMap::new(),
        |number| ["same".to_owned(), format!("view-{number}")],
        put_view,
        |number| {
            let next = TestServer::start(&["--home", text(&fixture.home())]);
            let list = next.json("/api/v2/shared");
            assert_eq!(put_view(&next.address, "next", &number.to_string()).expect("an answer").status, 200);
            Box::new(move |id| {
                let records = list["records"].as_array().expect("records");
                let held = records.iter().find(|record| record["id"] == *id).map(|record| &record["content"]["name"]);
                held.and_then(Value::as_str).and_then(|name| name.parse().ok()).unwrap_or_default()
            })
        },
    );
    // Looks at the home folder are made at intervals, so some of them never come.
    assert!(kills * 10 > moments.len() * 6, "only {kills} of {} kills struck", moments.len());
    println!("killed at {kills} of {} calls, all acknowledged changes are there", moments.len());
}

/// One change while one call fails; then the disk is good again and the same process writes.
fn change_with_fault(fixture: &StraceFixture, error: &str, call: &str, number: usize) -> (u16, String) {
    let name = format!("{error} at {call} {number}");
    let before = fixture.bytes();
    let server = fixture
        .traced(Some(&format!("{call}:error={error}:when={number}")))
        .unwrap_or_else(|output| panic!("{name} ended the program: {output}"));
    let answer = set(&server.address, "ws_new", "qa_validation", &name).expect("an answer");
    let (status, code) = outcome(&answer);
    match (status, code.as_str()) {
        (200, "") | (503, "durability_uncertain") => {
            assert_eq!(fixture.updated_by("ws_new"), Some(name.clone()), "{name}")
        }
        (503 | 507, "not_committed") => assert_eq!(fixture.bytes(), before, "{name}: not one byte is other"),
        _ => panic!("{name}: {status} {}", answer.body),
    }
    assert!(status != 507 || FULL.contains(&error), "{name}: {}", answer.body);
    assert_eq!(server.get("/api/v2/sessions").0, 200, "the rest of the service goes on");
    // The fault strikes each thread once, perhaps only now.
    let mut second_change =
        (0..2).map(|_| set(&server.address, "ws_new", "docs_knowledge", &name).expect("an answer").status);
    assert!(second_change.any(|status| status == 200), "{name}: no change without a restart");
    assert_eq!(fixture.updated_by("ws_new"), Some(name));
    drop(server);
    drop(TestServer::start(&["--home", text(&fixture.home())]));
    fixture.check();
    (status, code)
}

#[test]
fn system_call_fault_is_reported_keeping_old_bytes() {
    for error in ERRORS {
        let fixture = StraceFixture::new();
        let calls = fixture.calls();
        let mut outcomes: BTreeMap<(u16, String), usize> = BTreeMap::new();
        for (call, count) in calls.iter().filter(|(call, _)| !SPARED.contains(&call.as_str())) {
            for number in 1..=*count {
                *outcomes.entry(change_with_fault(&fixture, error, call, number)).or_default() += 1;
            }
        }
        println!("{error} at each of {} calls: {outcomes:?}", outcomes.values().sum::<usize>());
        assert!(outcomes.keys().any(|(_, code)| code == "not_committed"), "{error} never struck");
        assert!(outcomes.keys().any(|(_, code)| code == "durability_uncertain"), "{error} never struck the folder");
        assert_eq!(outcomes.keys().any(|(status, _)| *status == 507), FULL.contains(&error), "{error}");
    }
}

#[test]
fn interrupted_system_call_is_retried() {
    let fixture = StraceFixture::new();
    let calls = fixture.calls();
    let slow = ["openat", "read", "write", "fsync", "ftruncate", "fchmod"];
    for (call, count) in calls.iter().filter(|(call, _)| slow.contains(&call.as_str())) {
        for number in 1..=*count {
            let name = format!("{call} {number}");
            let server = fixture.traced(Some(&format!("{call}:error=EINTR:when={number}"))).expect("an address");
            let answer = set(&server.address, "ws_new", "qa_validation", &name).expect("an answer");
            assert_eq!(answer.status, 200, "EINTR at {name}: {}", answer.body);
            assert_eq!(fixture.updated_by("ws_new"), Some(name));
        }
    }
    fixture.check();
}

#[test]
fn short_write_changes_no_override() {
    let fixture = StraceFixture::new();
    // The system claims seven bytes and writes none: first of the new content, then of the line of the audit log.
    for number in 1..=2 {
        let before = fixture.bytes();
        let server = fixture.traced(Some(&format!("write:retval=7:when={number}"))).expect("an address");
        let answer = set(&server.address, "ws_new", "qa_validation", "x").expect("an answer");
        assert_eq!(outcome(&answer), (503, "not_committed".to_owned()), "{}", answer.body);
        assert_eq!(fixture.bytes(), before);
        assert_eq!(set(&server.address, "ws_new", "qa_validation", "y").expect("an answer").status, 200);
        fixture.check();
    }
}

#[test]
fn store_recovers_after_long_disk_failure() {
    for error in ERRORS {
        let fixture = StraceFixture::new();
        // From the write on nothing works, the taking back included.
        let inject = format!("write,fsync,ftruncate,?rename,?unlink:error={error}:when=1+");
        let server = fixture.traced(Some(&inject)).expect("an address");
        let before = fixture.bytes();
        for _ in 0..3 {
            let answer = set(&server.address, "ws_new", "qa_validation", error).expect("an answer");
            assert_eq!(outcome(&answer).1, "not_committed", "{error}: {}", answer.body);
            assert_eq!(fixture.bytes(), before, "{error}");
            assert_eq!(server.json("/api/v2/health")["overrides"]["state"], "readOnly");
        }
        let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).expect("a status");
        let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:")).expect("a tracer").trim();
        assert!(Command::new("kill").args(["-9", tracer]).status().expect("kill").success());
        let start = Instant::now();
        while set(&server.address, "ws_new", "qa_validation", error).expect("an answer").status != 200 {
            assert!(start.elapsed() < PATIENCE, "{error}: no change without a restart");
        }
        assert_eq!(server.json("/api/v2/health")["overrides"]["state"], "ok");
        fixture.check();
    }
}

/// A path in the program's own view of the disks.
fn inside(server: &TestServer, path: &Path) -> PathBuf {
    PathBuf::from(format!("/proc/{}/root{}", server.pid(), path.display()))
}

/// Runs a command among the program's own disks.
fn mount(server: &TestServer, args: &[&str]) {
    let mut enter = Command::new("nsenter");
    enter.args(["-t", &server.pid().to_string(), "-U", "-m", "--preserve-credentials", "mount"]).args(args);
    assert!(enter.status().expect("nsenter").success(), "mount {args:?}");
}

#[test]
fn full_or_read_only_disk_changes_no_override() {
    let dir = tempfile::tempdir().expect("a folder");
    let home = dir.path();
    // A disk of 64 KiB that only the program sees.
    let mut command = Command::new("unshare");
    let script = "mount -t tmpfs -o size=64k none \"$HUB\" && exec \"$0\" \"$@\"";
    command.env("HUB", home).args(["-rm", "sh", "-c", script]).arg(program().get_program());
    command.args(["serve", "--port", "0", "--home", text(home)]);
    let server = TestServer::spawn(command).expect("an address");
    let file = inside(&server, &overrides(home));
    assert_eq!(set(&server.address, "ws_1", "infra_ops", "1").expect("an answer").status, 200);

    let fill = inside(&server, &home.join("fill"));
    let full = std::fs::write(&fill, vec![0; 64 * 1024]).expect_err("the disk is full");
    assert_eq!(full.kind(), std::io::ErrorKind::StorageFull);
    let before = std::fs::read(&file).expect("the file");
    for _ in 0..3 {
        let answer = set(&server.address, "ws_1", "qa_validation", "2").expect("an answer");
        assert_eq!(outcome(&answer), (507, "not_committed".to_owned()), "{}", answer.body);
        assert_eq!(std::fs::read(&file).expect("the file"), before);
    }
    std::fs::remove_file(&fill).expect("room");
    assert_eq!(set(&server.address, "ws_1", "qa_validation", "2").expect("an answer").status, 200);

    mount(&server, &["-o", "remount,ro", text(home)]);
    let before = std::fs::read(&file).expect("the file");
    let answer = set(&server.address, "ws_1", "docs_knowledge", "3").expect("an answer");
    assert_eq!(outcome(&answer), (503, "not_committed".to_owned()), "{}", answer.body);
    assert_eq!(std::fs::read(&file).expect("the file"), before);
    assert_eq!(server.get("/api/v2/sessions").0, 200, "the rest of the service goes on");
    mount(&server, &["-o", "remount,rw", text(home)]);
    assert_eq!(set(&server.address, "ws_1", "docs_knowledge", "3").expect("an answer").status, 200);
    let held: Value = serde_json::from_slice(&std::fs::read(&file).expect("the file")).expect("JSON");
    assert_eq!(held["ws_1"]["updatedBy"], "3");
}
