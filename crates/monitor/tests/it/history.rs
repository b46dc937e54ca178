//! Tests of a long coordination log: twelve rotated log files (archives) and the live file. The order of the file names
//! is not the order of the events. Sessions, threads, messages and roles equal an independent count, before and after a
//! restart. No response silently omits data.
//!
//! Proves (log): Events, roles, sessions, threads and messages of twelve archives and the live file are counted
//! exactly, before and after a restart. The names of the archives do not sort as their content does.
//! Long form: `make soak ARGS=million`.

#![allow(clippy::print_stdout, reason = "a proof tells what it saw")]

use crate::support;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{TestServer, count, text};

/// Events a session has.
const OF_SESSION: usize = 20;
/// Every so many events one belongs to the session that goes through all files.
const LASTING: usize = 500;
const BEGIN: i64 = 1_760_000_000_000;
/// The order of content. By name the first would be read after the second, the fourth last of all archives.
const FILES: [&str; 13] = [
    "-2026-02-17T09-10-11-926Z",
    "-2026-01",
    "-2026-02",
    "-2026-12",
    "-2025-03-02T00-00-00-000Z",
    "-2025-03",
    "-2026-05-01T23-59-59-999Z",
    "-2026-05",
    "-2026-04",
    "-2026-07-31T03-14-15-001Z",
    "-2026-07-31T03-14-15-002Z",
    "-2026-08",
    "",
];

/// Event number `number` as the writer writes it.
fn line(number: usize) -> String {
    let at = BEGIN + 1000 * i64::try_from(number).expect("a time");
    if number.is_multiple_of(LASTING) {
        return format!(
            "{{\"type\":\"a2a.send\",\"agentId\":\"eden\",\"ts\":{at},\"data\":{{\"fromAgent\":\"eden\",\"toAgent\":\"seum\",\"message\":\"이어지는 일 {number} 🚀\",\"conversationId\":\"lasting\",\"eventRole\":\"conversation.main\",\"workSessionId\":\"ws_lasting\"}}}}"
        );
    }
    // Five sessions at a time, each with up to three pairs of agents.
    let session = number / (5 * OF_SESSION) * 5 + number % 5;
    let pair = number / 5 % 3;
    let (from, to) = (format!("agent{}", session % 15), format!("agent{}", (session + 1 + pair) % 15));
    let mut data = format!("\"workSessionId\":\"ws_{session}\",\"conversationId\":\"c{session}-{pair}\"");
    let kind = match number / 5 % 10 {
        0..=3 => "a2a.send",
        4..=6 => "a2a.response",
        7 => "a2a.complete",
        8 => "task.started",
        _ if session.is_multiple_of(2) => "a2a.spawn",
        _ => "continuation.backoff",
    };
    let role = match kind {
        "task.started" => None,
        "a2a.spawn" => Some("delegation.subagent"),
        "continuation.backoff" => Some("system.observability"),
        _ => Some("conversation.main"),
    };
    if let Some(role) = role {
        write!(data, ",\"eventRole\":\"{role}\"").unwrap();
    }
    let (from, to) = if kind == "a2a.response" { (&to, &from) } else { (&from, &to) };
    match kind {
        "task.started" => write!(data, ",\"taskId\":\"task_{session}\"").unwrap(),
        "a2a.complete" => write!(data, ",\"fromAgent\":\"{from}\",\"toAgent\":\"{to}\",\"announced\":false").unwrap(),
        _ => write!(data, ",\"fromAgent\":\"{from}\",\"toAgent\":\"{to}\",\"message\":\"배포 확인 {number}: done\"")
            .unwrap(),
    }
    format!("{{\"type\":\"{kind}\",\"agentId\":\"{from}\",\"ts\":{at},\"data\":{{{data}}}}}")
}

fn write_home(home: &Path, events: usize) {
    let logs = home.join("logs");
    std::fs::create_dir_all(&logs).expect("a home");
    for (index, name) in FILES.iter().enumerate() {
        let file = std::fs::File::create(logs.join(format!("coordination-events{name}.ndjson"))).expect("a file");
        let mut file = BufWriter::new(file);
        for number in events * index / FILES.len()..events * (index + 1) / FILES.len() {
            writeln!(file, "{}", line(number)).expect("a line");
        }
        file.flush().expect("written");
    }
}

/// Content of a log.
#[derive(Debug, Default, PartialEq)]
struct LogCount {
    events: u64,
    roles: BTreeMap<String, u64>,
    /// Threads and messages of each session.
    sessions: BTreeMap<String, (u64, u64)>,
}

/// Counted over plain JSON, file after file.
fn counted(home: &Path) -> LogCount {
    let mut all = LogCount::default();
    let mut threads: BTreeMap<String, BTreeSet<[String; 2]>> = BTreeMap::new();
    let files: Vec<PathBuf> =
        std::fs::read_dir(home.join("logs")).expect("logs").map(|entry| entry.expect("a file").path()).collect();
    for file in files {
        for line in BufReader::new(std::fs::File::open(file).expect("a file")).lines() {
            let event: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
            let (kind, data) = (event["type"].as_str().unwrap(), &event["data"]);
            let role = data["eventRole"].as_str().unwrap_or("orchestration.task");
            all.events += 1;
            *all.roles.entry(role.to_owned()).or_default() += 1;
            let id = data["workSessionId"].as_str().unwrap();
            let session = all.sessions.entry(id.to_owned()).or_default();
            if role == "conversation.main" {
                let mut pair = [data["fromAgent"].as_str().unwrap(), data["toAgent"].as_str().unwrap()];
                pair.sort_unstable();
                threads.entry(id.to_owned()).or_default().insert(pair.map(str::to_owned));
                session.1 += u64::from(kind != "a2a.complete");
            }
        }
    }
    for (id, pairs) in threads {
        all.sessions.get_mut(&id).unwrap().0 = pairs.len() as u64;
    }
    all
}

/// The same counts by the program's answers, page after page.
fn reported(server: &TestServer) -> LogCount {
    let page = server.json("/api/v2/events?limit=1");
    let roles = page["roleCounts"].as_object().expect("roles");
    let mut all = LogCount {
        events: page["total"].as_u64().expect("a total"),
        roles: roles.iter().map(|(role, count)| (role.clone(), count.as_u64().unwrap())).collect(),
        sessions: BTreeMap::new(),
    };
    let mut path = "/api/v2/sessions?limit=200".to_owned();
    let total = loop {
        let page = server.json(&path);
        for card in page["sessions"].as_array().expect("sessions") {
            let counts = (card["threadCount"].as_u64().unwrap(), card["messageCount"].as_u64().unwrap());
            let twice = all.sessions.insert(card["workSessionId"].as_str().unwrap().to_owned(), counts);
            assert_eq!(twice, None, "{card}");
        }
        match page["next"].as_str() {
            Some(next) => path = format!("/api/v2/sessions?limit=200&after={next}"),
            None => break page["total"].as_u64(),
        }
    };
    assert_eq!(total, Some(all.sessions.len() as u64), "the list's own total");
    all
}

/// Numbers of the messages of the thread that goes through all files, oldest first.
fn lasting(server: &TestServer) -> Vec<usize> {
    let session = server.json("/api/v2/sessions/ws_lasting");
    let thread = session["threads"][0]["threadId"].as_str().expect("a thread").to_owned();
    let base = format!("/api/v2/sessions/ws_lasting/threads/{thread}?limit=200");
    let (mut numbers, mut path) = (Vec::new(), base.clone());
    loop {
        let page = server.json(&path);
        let items = page["messages"].as_array().unwrap_or_else(|| panic!("no messages: {page}"));
        let texts = items.iter().filter_map(|item| item["text"].as_str());
        let mut older: Vec<usize> =
            texts.filter_map(|text| text.split_whitespace().find_map(|word| word.parse().ok())).collect();
        older.append(&mut numbers);
        numbers = older;
        match page["previousPage"].as_str() {
            Some(before) => path = format!("{base}&before={before}"),
            None => return numbers,
        }
    }
}

fn started(home: &Path) -> TestServer {
    let begin = Instant::now();
    let server = TestServer::start(&["--home", text(home), "--clock", "1790000000000"]);
    loop {
        let health = server.json("/api/v2/health");
        if health["source"]["state"] == "ok" && health["lagBytes"] == 0 {
            break;
        }
        assert!(begin.elapsed() < Duration::from_secs(900), "never read: {health}");
        std::thread::sleep(Duration::from_millis(50));
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap_or_default();
    let memory = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or("VmRSS unknown");
    println!("read after {:.1} s, {memory}", begin.elapsed().as_secs_f64());
    server
}

#[test]
fn long_history_counts_exactly_across_restart() {
    let events = count(20_000, 1_000_000);
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path().join(".openclaw");
    write_home(&home, events);
    let expected = counted(&home);
    assert_eq!(expected.events, events as u64);
    let of_lasting: Vec<usize> = (0..events).step_by(LASTING).collect();
    for _ in 0..2 {
        let server = started(&home);
        let reported = reported(&server);
        assert_eq!((reported.events, &reported.roles), (expected.events, &expected.roles));
        let differing = expected.sessions.iter().find(|(id, counts)| reported.sessions.get(*id) != Some(*counts));
        assert_eq!(differing.map(|(id, counts)| (id, Some(counts), reported.sessions.get(id))), None);
        assert_eq!(reported.sessions.len(), expected.sessions.len());
        assert_eq!(lasting(&server), of_lasting, "one thread through all files, in its order");
    }
    println!("{events} events, {} sessions: counts equal", expected.sessions.len());
}
