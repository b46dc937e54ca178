//! Tests of the built program with many connections, on a system that allows few open files.
//!
//! Proves (security): One client cannot take all connections, also where the system gives few open files.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use crate::support::{PATIENCE, TestServer, program, text};

#[test]
fn connection_cap_protects_descriptors_and_answers_refusals() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path().join(".openclaw");
    std::fs::create_dir_all(home.join("logs")).expect("a home");
    let log = home.join("logs/coordination-events.ndjson");
    let line = r#"{"type":"a2a.send","agentId":"eden","ts":1771372312845,"data":{"message":"x"}}"#;
    std::fs::write(&log, format!("{line}\n")).expect("a log");
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n 64 && exec \"$0\" \"$@\""]).arg(program().get_program());
    command.args(["serve", "--port", "0", "--home", text(&home)]).env_remove("RUST_LOG");
    let server = TestServer::spawn(command).expect("it starts");
    server.state("ok");
    let head = format!("GET /api/v2/names HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    let mut open_streams = Vec::new();
    let mut answers = std::collections::BTreeMap::<String, usize>::new();
    for _ in 0..100 {
        let mut stream = TcpStream::connect(&server.address).expect("connected");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        // A refused connection is closed already.
        drop(stream.write_all(head.as_bytes()));
        let mut status = [0; 12];
        let answered = stream.read_exact(&mut status).is_ok();
        let status = if answered { String::from_utf8_lossy(&status).into_owned() } else { "closed".to_owned() };
        *answers.entry(status).or_default() += 1;
        open_streams.push(stream);
    }
    let served = answers.get("HTTP/1.1 200").copied().unwrap_or_default();
    let refused = answers.get("HTTP/1.1 503").copied().unwrap_or_default();
    assert_eq!(served, 16, "{answers:?}");
    assert!(refused > 0, "{answers:?}");
    // Idle ones give way after a second, and the files of the home can still be opened.
    std::thread::sleep(Duration::from_millis(1100));
    let mut log = std::fs::OpenOptions::new().append(true).open(&log).expect("the log");
    writeln!(log, "{}", line.replace("845", "846")).expect("a second line");
    let start = std::time::Instant::now();
    loop {
        let health = server.json("/api/v2/health");
        assert_eq!(health["source"]["state"], "ok", "{health}");
        assert_eq!(health["unreadable"], serde_json::json!([]), "{health}");
        let events = server.json("/api/v2/events");
        if events["events"].as_array().is_some_and(|events| events.len() == 2) {
            break;
        }
        assert!(start.elapsed() < PATIENCE, "{health}");
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(open_streams);
}
