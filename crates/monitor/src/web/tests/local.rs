//! Tests of the local monitor, which answers from files without a server: it answers every question as this monitor does
//! over a home with the same files.
//!
//! Proves (local): A dropped home and a monitor over the same files give the same answers to every question, now and at
//! past moments, however the files are packed.

mod transcripts;

use std::io::{Cursor, Write as _};
use std::path::Path;

use local_monitor::{Input, LocalMonitor, LocalRequest};
use serde_json::{Value, json};

use super::{WebFixture, eventually};

const FIXTURE_NOW: i64 = 1_771_651_020_000;
/// A file: its path and its bytes.
type TestFile = (String, Vec<u8>);

const HOMES: [&str; 12] = [
    "a2a-keys",
    "blocked-task",
    "deadlock",
    "everything",
    "fan-out",
    "legacy-eras",
    "no-work-session",
    "ping-pong",
    "resumed-session",
    "spawn",
    "text-zoo",
    "trouble",
];

/// All files below a folder, by their paths.
fn files(root: &Path, below: &str, out: &mut Vec<TestFile>) {
    for entry in std::fs::read_dir(root.join(below)).expect("a folder") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() { name } else { format!("{below}/{name}") };
        match root.join(&path).is_dir() {
            true => files(root, &path, out),
            false => out.push((path.clone(), std::fs::read(root.join(&path)).expect("a file"))),
        }
    }
}

fn of_fixture(name: &str) -> Vec<TestFile> {
    let mut found = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name), "", &mut found);
    found
}

/// A local monitor of files, which marks pages as the server does.
fn opened(files: Vec<TestFile>, server: &WebFixture, now: i64) -> LocalMonitor {
    let mut monitor = LocalMonitor::new(server.state.hub().cursor().epoch);
    monitor.open(files.into_iter().map(|(path, bytes)| Input::of_bytes(path, bytes)).collect());
    while !monitor.step(now).done {}
    while monitor.index_more(1_000) {}
    monitor
}

/// Without what names the process and its files.
fn comparable(mut answer: Value) -> Value {
    if let Some(fields) = answer.as_object_mut() {
        for field in ["cursor", "source", "requestId", "error", "tookMs"] {
            fields.remove(field);
        }
    }
    answer
}

/// The first place where two values differ, with both.
fn difference(ours: &Value, theirs: &Value, place: &str) -> Option<String> {
    let differ = || Some(format!("{place}: {ours} for {theirs}"));
    match (ours, theirs) {
        (Value::Object(one), Value::Object(other)) if one.keys().eq(other.keys()) => {
            one.iter().find_map(|(name, value)| difference(value, &other[name], &format!("{place}/{name}")))
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let mut pairs = one.iter().zip(other).enumerate();
            pairs.find_map(|(at, (one, other))| difference(one, other, &format!("{place}/{at}")))
        }
        _ if ours == theirs => None,
        _ => differ(),
    }
}

/// Values of a field at any depth.
fn values(value: &Value, field: &str, out: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            out.extend(fields.get(field).and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|value| values(value, field, out));
        }
        Value::Array(items) => items.iter().for_each(|value| values(value, field, out)),
        _ => {}
    }
}

fn unique(value: &Value, field: &str) -> Vec<String> {
    let mut all = values_of(value, field);
    all.sort();
    all.dedup();
    all
}

/// Every question, with the ids that a home has.
async fn questions(monitor: &WebFixture) -> Vec<String> {
    let mut all: Vec<String> = [
        "home",
        "sessions?limit=200",
        "sessions?q=%EB%B0%B0%ED%8F%AC&sort=started",
        "sessions?status=nothing",
        "agents",
        "agents/nobody",
        "waits",
        "quality",
        "drift",
        "days?offset=540",
        "events?limit=200",
        "events?limit=0",
        "events?group=true&limit=20",
        "tasks?limit=200",
        "tasks/nobody/task_1",
        "delegations",
        "doctor",
        "totals",
        "shared?all=true",
        "category-changes?limit=3",
        "category-changes?who=nobody",
        "search?q=%EB%B3%B4%EB%A5%98",
        "recap?since=1771600000000",
        "search?q=%EB%B0%B0",
        "search?q=is%3Ablocked",
        "search?q=%22unclosed",
        "search?q=a%20-b&limit=5",
        "no-such-route",
    ]
    .map(str::to_owned)
    .to_vec();
    let get = async |path: &str| monitor.get(&format!("/api/v2/{path}")).await.json();
    let encoded = |id: &String| coordination::url_encode::url_encode(id);
    for agent in unique(&get("agents").await, "agentId").iter().map(encoded) {
        all.extend([format!("agents/{agent}"), format!("agents/{agent}/activity")]);
    }
    for task in get("tasks?limit=200").await["tasks"].as_array().into_iter().flatten() {
        let (agent, id) = (task["agentId"].as_str(), task["id"].as_str());
        all.extend(agent.zip(id).map(|(agent, id)| format!("tasks/{agent}/{id}")));
    }
    for event in unique(&get("events?limit=200").await, "id").iter().step_by(7).map(encoded) {
        all.push(format!("events/{event}"));
    }
    for session in unique(&get("sessions?limit=200").await, "workSessionId") {
        let session = encoded(&session);
        for below in
            ["", "?classifier=v1", "/timeline", "/flow", "/delegations", "/find?q=a", "/nothing", "/category/history"]
        {
            all.push(format!("sessions/{session}{below}"));
        }
        for thread in unique(&get(&format!("sessions/{session}")).await, "threadId").iter().map(encoded) {
            all.push(format!("sessions/{session}/threads/{thread}?limit=20"));
            all.push(format!("sessions/{session}/threads/{thread}/find?q=%EC%9A%94"));
        }
    }
    all
}

async fn assert_equal_answers(name: &str, server: &WebFixture, local: &mut LocalMonitor, paths: &[String], now: i64) {
    for path in paths {
        let (theirs, ours) =
            (server.get(&format!("/api/v2/{path}")).await, local.answer(&LocalRequest::get(path), now));
        assert_eq!(ours.status, theirs.status.as_u16(), "{name}: {path}: {}", ours.body);
        let ours: Value = serde_json::from_str(&ours.body).expect("JSON");
        let difference = difference(&comparable(ours), &comparable(theirs.json()), "");
        assert!(difference.is_none(), "{name}: {path}: {difference:?}");
    }
}

#[tokio::test]
async fn dropped_home_answers_like_a_monitor() {
    for name in HOMES {
        let server = WebFixture::over(name, FIXTURE_NOW).await;
        let mut local = opened(of_fixture(name), &server, FIXTURE_NOW);
        let errors: Vec<_> = local.reports().iter().filter(|report| report.error.is_some()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        let paths = questions(&server).await;
        assert_equal_answers(name, &server, &mut local, &paths, FIXTURE_NOW).await;
    }
}

/// Moments are few, because each moves the hub.
#[tokio::test]
async fn dropped_home_has_the_same_past() {
    for name in ["trouble", "ping-pong", "spawn"] {
        let server = WebFixture::over(name, FIXTURE_NOW).await;
        let mut local = opened(of_fixture(name), &server, FIXTURE_NOW);
        let days = server.get("/api/v2/days").await.json();
        let (first, last) = (days["first"].as_i64().expect("first"), days["last"].as_i64().expect("last"));
        let paths = questions(&server).await;
        for moment in [first - 1, first, first + (last - first) / 3, first + (last - first) / 2, last] {
            let at = |path: &String| format!("{path}{}at={moment}", if path.contains('?') { '&' } else { '?' });
            let takes_moment = |path: &&String| !path.starts_with("days") && !path.starts_with("events/");
            let paths: Vec<String> = paths.iter().filter(takes_moment).map(at).collect();
            assert_equal_answers(name, &server, &mut local, &paths, FIXTURE_NOW).await;
        }
        let future = vec![format!("home?at={}", FIXTURE_NOW + 1), "home?at=yesterday".to_owned()];
        assert_equal_answers(name, &server, &mut local, &future, FIXTURE_NOW).await;
    }
}

/// What people write on the dashboard, beside the categories that the fixture has.
fn people_files() -> Vec<TestFile> {
    let session = "ws_31bc9f75-05f7-497d-9c42-abc7b8e0a70f";
    let line = |at: i64, id: &str, revision: u32, content: Value| {
        json!({"at": at, "by": "온새", "requestId": "r", "id": id, "revision": revision, "content": content})
            .to_string()
    };
    let note = |text: &str| json!({"kind": "note", "place": {"workSessionId": session}, "text": text});
    let shared = [
        line(FIXTURE_NOW - 7_200_000, "a", 1, note("배포는 보류")),
        line(FIXTURE_NOW - 3_600_000, "b", 1, note("지운 메모")),
        "{ torn".to_owned(),
        line(FIXTURE_NOW - 1_800_000, "a", 2, note("배포 보류 해제")),
        line(FIXTURE_NOW - 900_000, "b", 2, Value::Null),
    ];
    let rules = json!({"words": [{"word": "배포", "category": "docs_knowledge", "weight": 20.0}], "updatedBy": "온새"});
    vec![
        ("task-hub-shared.ndjson".to_owned(), format!("{}\n", shared.join("\n")).into_bytes()),
        ("task-hub-classifier.json".to_owned(), rules.to_string().into_bytes()),
    ]
}

#[tokio::test]
async fn dropped_home_has_what_people_wrote() {
    let name = "everything";
    let files: Vec<TestFile> = of_fixture(name).into_iter().chain(people_files()).collect();
    let write = |root: &Path| {
        for (path, bytes) in &files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("folder");
            std::fs::write(path, bytes).expect("file");
        }
    };
    let server = WebFixture::prepared(write, FIXTURE_NOW, |_| {}).await;
    let plain = WebFixture::over(name, FIXTURE_NOW).await;
    let categories = "/api/v2/sessions?limit=200";
    let plain = values_of(&plain.get(categories).await.json(), "key");
    eventually(&server, categories, |answer| values_of(answer, "key") != plain).await;
    let mut local = opened(files.clone(), &server, FIXTURE_NOW);
    let paths = questions(&server).await;
    assert_equal_answers(name, &server, &mut local, &paths, FIXTURE_NOW).await;
    let notes = server.get("/api/v2/shared?all=true").await.json();
    assert_eq!(values_of(&notes, "text"), ["배포 보류 해제"]);
    for moment in [FIXTURE_NOW - 86_400_000, FIXTURE_NOW - 1_000_000] {
        let paths = ["home", "sessions?limit=200", "shared?all=true", "search?q=%EB%B3%B4%EB%A5%98"];
        let paths = paths.map(|path| format!("{path}{}at={moment}", if path.contains('?') { '&' } else { '?' }));
        assert_equal_answers(name, &server, &mut local, &paths, FIXTURE_NOW).await;
    }
}

fn values_of(answer: &Value, field: &str) -> Vec<String> {
    let mut found = Vec::new();
    values(answer, field, &mut found);
    found
}

/// Packed copies of the files of a home.
fn packings(files: &[TestFile]) -> Vec<(&'static str, Vec<TestFile>)> {
    let is_log = |path: &str| path.ends_with(".ndjson");
    let each = |pack: &dyn Fn(&str, &[u8]) -> TestFile| -> Vec<TestFile> {
        let packed = |(path, bytes): &TestFile| match is_log(path) {
            true => pack(path, bytes),
            false => (path.clone(), bytes.clone()),
        };
        files.iter().map(packed).collect()
    };
    let zstd = each(&|path, bytes| (format!("{path}.zst"), zstd::encode_all(bytes, 3).expect("zstd")));
    let gzip = each(&|path, bytes| {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(bytes).expect("gzip");
        (format!("{path}.gz"), gzip.finish().expect("gzip"))
    });
    let below = |prefix: &str| files.iter().map(|(path, bytes)| (format!("{prefix}{path}"), bytes.clone())).collect();
    vec![
        ("zstd", zstd),
        ("gzip", gzip),
        ("below a folder", below("some/.openclaw/")),
        ("zip", zipped(files)),
        ("tar", in_tar(files)),
    ]
}

/// The files of a home as one packed tar archive.
fn in_tar(files: &[TestFile]) -> Vec<TestFile> {
    let gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    let mut tar = tar::Builder::new(gzip);
    for (path, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        tar.append_data(&mut header, format!("my home/{path}"), bytes.as_slice()).expect("tar");
    }
    vec![("home.tgz".to_owned(), tar.into_inner().and_then(|gzip| gzip.finish()).expect("tar"))]
}

/// The files of a home as one archive.
fn zipped(files: &[TestFile]) -> Vec<TestFile> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (path, bytes) in files {
        zip.start_file(format!("my home/{path}"), zip::write::SimpleFileOptions::default()).expect("zip");
        zip.write_all(bytes).expect("zip");
    }
    vec![("home.zip".to_owned(), zip.finish().expect("zip").into_inner())]
}

#[tokio::test]
async fn packed_home_answers_like_a_monitor() {
    let name = "blocked-task";
    let server = WebFixture::over(name, FIXTURE_NOW).await;
    let paths = questions(&server).await;
    for (packing, files) in packings(&of_fixture(name)) {
        let mut local = opened(files, &server, FIXTURE_NOW);
        assert_equal_answers(packing, &server, &mut local, &paths, FIXTURE_NOW).await;
    }
}
