//! Tests of the commands of the built `task-monitor` program: output, exit codes and error messages.
//!
//! Proves (api): `task-monitor sessions` prints the answer of the REST 1.x route, and the exit code of `check` reports
//! damage in the log. A failed command prints one line that names the cause.

use crate::support;

use std::net::TcpListener;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use self::support::{TestServer, program, story, text};

/// The time given to program and server alike, so that equal homes give equal answers.
const CLOCK: &str = "1771300000000";

fn run(args: &[&str]) -> Output {
    program().args(args).stdin(Stdio::null()).output().expect("the program starts")
}

#[test]
fn enrich_answers_all_recorded_vectors() {
    let vectors = std::fs::read_to_string(story("v1-vectors.jsonl")).expect("the vectors");
    let vectors: Vec<Value> = vectors.lines().map(|line| serde_json::from_str(line).expect("a vector")).collect();
    assert_eq!(vectors.len(), 250);
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("openclaw.json");
    // The configuration the vectors were recorded with.
    let agents = r#"{agents:{list:[{id:"eden"},{id:"seum"},{id:"dajim"},{id:"ruda"},{id:"worker-quick"}]}}"#;
    std::fs::write(&config, agents).expect("a configuration");
    let input = folder.path().join("events.ndjson");
    let lines: String = vectors.iter().map(|vector| format!("{}\n", vector["event"])).collect();
    std::fs::write(&input, lines).expect("events");

    let output = run(&["enrich", "--classifier", "v1", "--config", text(&config), text(&input)]);

    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{messages}");
    let mut answers = std::str::from_utf8(&output.stdout).expect("UTF-8").lines();
    for (number, vector) in vectors.iter().enumerate() {
        // Where null is expected the line is no event: it has no answer and is reported instead.
        let Value::Object(expected) = &vector["expect"] else {
            assert!(messages.contains(&format!("line {}: ", number + 1)), "vector {}: {messages}", number + 1);
            continue;
        };
        let answer: Value = serde_json::from_str(answers.next().expect("an answer each")).expect("JSON");
        for (key, value) in expected {
            assert_eq!(&answer[key], value, "{key} of vector {}: {}", number + 1, vector["event"]);
        }
    }
    assert_eq!(answers.next(), None, "an answer nobody asked for");
}

#[test]
fn sessions_prints_what_the_1x_route_answers() {
    for name in ["everything", "legacy-eras", "resumed-session"] {
        let home = story(name);
        let printed = run(&["sessions", "--home", text(&home), "--clock", CLOCK]);
        assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
        let printed: Value = serde_json::from_slice(&printed.stdout).expect("JSON");

        let server = TestServer::start(&["--home", text(&home), "--clock", CLOCK]);
        server.state("ok");
        let answered = server.json("/api/work-sessions?limit=500&classifier=v1");

        let total = answered["totalSessions"].as_u64().expect("a total");
        assert!((1..500).contains(&total), "{name}: {total}");
        let list = |answer: &Value| answer["sessions"].as_array().cloned().unwrap_or_default();
        assert_eq!(list(&printed).len() as u64, total, "{name}");
        for (printed, answered) in list(&printed).iter().zip(&list(&answered)) {
            assert_eq!(printed, answered, "{name}");
        }
        assert_eq!(printed, answered, "{name}");
    }
}

#[test]
fn check_exit_code_reports_log_state() {
    let checked = |name: &str, more: &[&str]| {
        // The moment of the stories: after it a time would lie in the future.
        let output = run(&[&["check", "--clock", "1771651020000", "--home", text(&story(name))], more].concat());
        (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
    };
    assert_eq!(checked("ping-pong", &["--strict"]).0, Some(0));
    assert_eq!(checked("legacy-eras", &[]).0, Some(0), "what only an old writer left out is no damage");
    assert_eq!(checked("legacy-eras", &["--strict"]).0, Some(1));
    let (code, page) = checked("everything", &[]);
    assert_eq!(code, Some(1));
    assert!(page.contains("coordination-events.ndjson, byte 51286  notJson"), "{page}");
    let (code, json) = checked("everything", &["--json"]);
    let report: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(code, Some(1));
    let problems: Vec<_> = report["files"].as_array().expect("files").iter().map(|file| &file["problems"]).collect();
    assert_eq!(problems, [0, 0, 0, 0, 2]);
    assert_eq!((&report["events"], &report["findings"][0]["kind"]), (&Value::from(1581), &Value::from("unparsable")));
    let missing = run(&["check", "--home", "/nowhere/at/all"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("cannot read /nowhere/at/all/logs"), "{missing:?}");
}

#[test]
fn failures_are_reported_in_one_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let bad = folder.path().join("bad.toml");
    std::fs::write(&bad, "port = \"many\"\n").expect("a bad config");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let absent = folder.path().join("absent");
    let home = story("fan-out");
    let cases: &[(&[&str], i32, &str)] = &[
        (&["--wings"], 2, "--wings"),
        (&["serve", "--port", "70000"], 2, "70000"),
        (&["serve", "--api", "2"], 2, "2"),
        (&["serve", "--config", text(&bad)], 1, "bad.toml"),
        (&["serve", "--config", text(&absent)], 1, "absent"),
        (&["serve", "--home", text(&home), "--port", &port], 1, &port),
        (&["sessions", "--home", text(&absent)], 1, "absent"),
        (&["enrich", "--classifier", "v9"], 2, "v9"),
        (&["enrich", text(&absent)], 1, "absent"),
        (&["enrich", "--config", text(&absent), text(&bad)], 1, "absent"),
        (&["rehearse", text(&home)], 1, "fan-out"),
    ];
    for (args, code, named) in cases {
        let output = run(args);
        let messages = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(*code), "{args:?}: {messages}");
        assert!(messages.contains(named), "{args:?}: {messages}");
        assert!(!messages.contains("panicked"), "{args:?}: {messages}");
        assert_eq!(messages.trim_end().lines().count(), 1, "{args:?}: {messages}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn missing_home_is_reported_and_loaded_later() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path().join(".openclaw");
    let server = TestServer::start(&["--home", text(&home)]);
    let source_state = server.state("homeMissing");
    assert!(
        source_state["source"]["home"].as_str().is_some_and(|at| at.ends_with(".openclaw")),
        "{}",
        source_state["source"]
    );
    std::fs::create_dir_all(home.join("logs")).expect("a home");
    server.state("logMissing");
    // The log comes in one piece: an empty one would be "ok" too, with no event yet.
    let written = home.join("logs/written");
    std::fs::write(&written, "{\"type\":\"event.one\",\"agentId\":\"eden\",\"ts\":1771290000000}\n").expect("a log");
    std::fs::rename(&written, home.join("logs/coordination-events.ndjson")).expect("in place");
    server.state("ok");
    assert_eq!(server.json("/api/v2/events")["events"].as_array().map(Vec::len), Some(1));
}

#[test]
fn unreadable_log_is_reported_while_serving_rest() {
    let folder = tempfile::tempdir().expect("a folder");
    // Permissions do not bind every user; a folder in the log's place is unreadable for all.
    std::fs::create_dir_all(folder.path().join("logs/coordination-events.ndjson")).expect("a home");
    let server = TestServer::start(&["--home", text(folder.path())]);
    let home = server.state("unreadable");
    assert!(home["source"]["logPath"].as_str().is_some_and(|at| at.ends_with(".ndjson")), "{}", home["source"]);
    assert_eq!(server.get("/api/v2/sessions").0, 200);
}

#[test]
fn event_detail_names_its_log_file() {
    let server = TestServer::start(&["--home", text(&story("everything")), "--clock", CLOCK]);
    server.state("ok");
    let page = server.json("/api/v2/events");
    let events = page["events"].as_array().expect("events");
    assert!(!events.is_empty());
    for event in events {
        let id = event["id"].as_str().expect("an id");
        let detail = server.json(&format!("/api/v2/events/{id}"));
        let file = detail["file"].as_str().expect("a file");
        assert!(file.starts_with("coordination-events") && file.ends_with(".ndjson"), "{id}: {file}");
    }
}

#[test]
fn closed_output_pipe_is_no_error() {
    let mut openapi = program();
    let mut running = openapi.arg("openapi").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    // More is written than a pipe holds.
    drop(running.stdout.take());
    let done = running.wait_with_output().expect("ends");
    assert_eq!((done.status.code(), String::from_utf8_lossy(&done.stderr).as_ref()), (Some(0), ""));
}

/// An evidence file of a session is verified against its home; a changed byte and a changed log are found.
#[test]
fn exported_evidence_is_verified_and_changes_are_found() {
    let dir = tempfile::tempdir().expect("dir");
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/trouble");
    let home = home.to_str().expect("text");
    let sessions: Value = serde_json::from_slice(&run(&["sessions", "--home", home]).stdout).expect("JSON");
    let session = sessions["sessions"][0]["workSessionId"].as_str().expect("a session").to_owned();
    let file = dir.path().join("evidence.ndjson");
    let path = file.to_str().expect("text");
    let made = run(&["export", "--home", home, "--session", &session, "--mask", "--by", "이든", "--output", path]);
    assert!(made.status.success(), "{made:?}");
    let alone = run(&["verify", path]);
    assert_eq!(alone.status.code(), Some(0), "{alone:?}");
    assert!(String::from_utf8_lossy(&alone.stdout).contains("Not compared with a log"), "{alone:?}");
    let whole = run(&["verify", path, "--home", home]);
    assert_eq!(whole.status.code(), Some(0), "{whole:?}");
    assert!(String::from_utf8_lossy(&whole.stdout).contains("no other line that belongs to it"), "{whole:?}");
    assert!(!String::from_utf8_lossy(&whole.stdout).contains("Note: agent"), "all names are those of the home");
    // A home in which an agent has another name, and one that it had is gone.
    let renamed = dir.path().join("renamed");
    let logs = renamed.join("logs");
    std::fs::create_dir_all(&logs).expect("a home");
    std::fs::copy(Path::new(home).join("logs/coordination-events.ndjson"), logs.join("coordination-events.ndjson"))
        .expect("the log");
    let config = std::fs::read_to_string(Path::new(home).join("openclaw.json")).expect("the configuration");
    std::fs::write(renamed.join("openclaw.json"), config.replace("세움", "새 이름\\u001b")).expect("a configuration");
    let noted = run(&["verify", path, "--home", renamed.to_str().expect("text")]);
    assert_eq!(noted.status.code(), Some(0), "a name is no fault: {noted:?}");
    let text = String::from_utf8_lossy(&noted.stdout).into_owned();
    assert!(text.contains("Note: agent seum is “세움 🔧” in the file and has “새 이름"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
    // The log without its last line.
    let log = std::fs::read(Path::new(home).join("logs/coordination-events.ndjson")).expect("log");
    let end = log[..log.len() - 1].iter().rposition(|byte| *byte == b'\n').expect("lines") + 1;
    let shorter = dir.path().join("coordination-events.ndjson");
    std::fs::write(&shorter, &log[..end]).expect("log");
    let other = run(&["verify", path, "--log", shorter.to_str().expect("text")]);
    assert_eq!(other.status.code(), Some(1), "{other:?}");
    assert!(String::from_utf8_lossy(&other.stdout).contains("the log has another line there, or none"), "{other:?}");
    let mut bytes = std::fs::read(&file).expect("file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, bytes).expect("file");
    let changed = run(&["verify", path]);
    assert_eq!(changed.status.code(), Some(1), "{changed:?}");
    assert!(String::from_utf8_lossy(&changed.stdout).contains("The file was changed"), "{changed:?}");
    assert_eq!(run(&["verify", "/nowhere/at/all"]).status.code(), Some(2));
    let unknown = run(&["export", "--home", home, "--session", "ws_nobody"]);
    assert_eq!(unknown.status.code(), Some(1), "{unknown:?}");
}

/// Notes of the home go with a file on request; `verify` says that no log confirms them.
#[test]
fn notes_go_with_a_file_on_request() {
    let dir = tempfile::tempdir().expect("dir");
    let home = dir.path().join("home");
    let logs = home.join("logs");
    std::fs::create_dir_all(&logs).expect("a home");
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/trouble/logs/coordination-events.ndjson");
    std::fs::copy(log, logs.join("coordination-events.ndjson")).expect("the log");
    let home_text = home.to_str().expect("text");
    let sessions: Value = serde_json::from_slice(&run(&["sessions", "--home", home_text]).stdout).expect("JSON");
    let session = sessions["sessions"][0]["workSessionId"].as_str().expect("a session").to_owned();
    let export = ["export", "--home", home_text, "--session", &session, "--notes", "--mask"];
    let without = run(&export);
    assert!(without.status.success() && !String::from_utf8_lossy(&without.stdout).contains("\"notes\""), "{without:?}");
    let note = |session: &str| {
        let content = json!({"kind": "note", "place": {"workSessionId": session}, "text": "ask ops@example.com"});
        json!({"at": 1, "by": "온새", "id": session, "revision": 1, "content": content}).to_string()
    };
    let lines = format!("{}\n{{ torn\n{}\n", note(&session), note("ws_other"));
    std::fs::write(home.join("task-hub-shared.ndjson"), lines).expect("notes");
    let made = run(&export);
    let text = String::from_utf8_lossy(&made.stdout).into_owned();
    assert!(made.status.success() && String::from_utf8_lossy(&made.stderr).contains("1 lines of"), "{made:?}");
    assert!(text.contains("\"notes\"") && !text.contains("ws_other") && !text.contains("ops@example.com"), "{text}");
    let file = dir.path().join("evidence.ndjson");
    std::fs::write(&file, text).expect("file");
    let whole = run(&["verify", file.to_str().expect("text"), "--home", home_text]);
    let said = String::from_utf8_lossy(&whole.stdout).into_owned();
    assert_eq!(whole.status.code(), Some(0), "{whole:?}");
    assert!(said.contains("1 notes and resolved marks of the dashboard. No log confirms these."), "{said}");
    let refused = run(&["export", "--log", "x", "--since", "0", "--notes"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
}

/// What a file says of itself is printed as one text, so that it cannot write the words of the check.
#[test]
fn evidence_cannot_print_its_own_verdict() {
    let dir = tempfile::tempdir().expect("a folder");
    let home = story("fan-out");
    let file = dir.path().join("evidence.ndjson");
    let (home, path) = (home.to_str().expect("text"), file.to_str().expect("text"));
    let note = "ok\nThe log has every line of it.\u{202e}\u{1b}[2J";
    let made = run(&["export", "--home", home, "--since", "0", "--note", note, "--output", path]);
    assert!(made.status.success(), "{made:?}");
    let printed = String::from_utf8_lossy(&run(&["verify", path]).stdout).into_owned();
    assert!(printed.contains("Note: "), "{printed}");
    assert!(!printed.lines().any(|line| line.starts_with("The log has")), "{printed}");
    assert!(!printed.contains(['\u{202e}', '\u{1b}']), "{printed}");
    assert!(!run(&["export", "--home", home, "--search", " "]).status.success(), "no words");
    assert!(!run(&["export", "--home", home, "--since", "0", "--format", "pdf"]).status.success());
}
