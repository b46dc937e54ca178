//! Tests of the size limits of a stored session's history over REST, for a transcript file and a database. Expected
//! answers were written by hand (`fixtures/histories`).
//!
//! Proves (transcripts): Histories over REST apply every limit, for a file and for a database.

use std::fs;
use std::path::PathBuf;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::{NOW, WebFixture};

/// Lines of at least so many bytes are packed, as the program does.
const PACKED_FROM: usize = 1024;

/// The value with every text written out.
fn written_out(value: &Value) -> Value {
    match value {
        Value::Object(fields) => match (fields.get("$of"), fields.get("$times").and_then(Value::as_u64)) {
            (Some(Value::String(of)), Some(times)) => {
                let then = fields.get("$then").and_then(Value::as_str).unwrap_or_default();
                json!(format!("{}{then}", of.repeat(usize::try_from(times).expect("a count"))))
            }
            _ => Value::Object(fields.iter().map(|(name, value)| (name.clone(), written_out(value))).collect()),
        },
        Value::Array(all) => Value::Array(all.iter().map(written_out).collect()),
        other => other.clone(),
    }
}

/// Name and content of each file.
fn golden() -> Vec<(String, Value)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/histories");
    let files = fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
    let mut all: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|end| end == "json"))
        .map(|file| {
            let read = serde_json::from_slice(&fs::read(&file).expect("read")).expect("JSON");
            (file.file_stem().expect("a name").to_string_lossy().into_owned(), written_out(&read))
        })
        .collect();
    all.sort_by(|one, other| one.0.cmp(&other.0));
    all
}

#[tokio::test]
async fn the_route_keeps_every_cap_in_both_eras() {
    let fixture = WebFixture::new().await;
    let all = golden();
    let sessions = fixture.path("agents/eden/sessions");
    fs::create_dir_all(&sessions).expect("folders");
    fs::create_dir_all(fixture.path("agents/seum/agent")).expect("folders");
    let database = Connection::open(fixture.path("agents/seum/agent/openclaw-agent.sqlite")).expect("open");
    database
        .execute_batch(
            "CREATE TABLE session_nodes (session_key TEXT, current_session_id TEXT, entry_json TEXT, updated_at INTEGER);
             CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, event_zstd BLOB);
             PRAGMA user_version = 23;",
        )
        .expect("a schema");
    let mut store = json!({});
    for (name, golden) in &all {
        let lines: Vec<String> =
            golden["lines"].as_array().expect("lines").iter().map(|line| format!("{line}\n")).collect();
        store[format!("agent:eden:{name}")] = json!({"sessionId": name, "updatedAt": NOW});
        fs::write(sessions.join(format!("{name}.jsonl")), lines.concat()).expect("write");
        let entry = json!({"sessionId": name}).to_string();
        let key = format!("agent:seum:{name}");
        database
            .execute("INSERT INTO session_nodes VALUES (?1, ?2, ?3, ?4)", (&key, name, &entry, NOW))
            .expect("a session");
        for (seq, line) in lines.iter().enumerate() {
            let packed =
                (line.len() >= PACKED_FROM).then(|| zstd::encode_all(line.trim().as_bytes(), 0).expect("pack"));
            let plain = packed.is_none().then(|| line.trim());
            database
                .execute("INSERT INTO transcript_events VALUES (?1, ?2, ?3, ?4)", (name, seq as i64, plain, packed))
                .expect("a line");
        }
    }
    drop(database);
    fs::write(sessions.join("sessions.json"), store.to_string()).expect("write");
    let mut compared = 0;
    for (name, golden) in &all {
        for ask in golden["asked"].as_array().expect("asked") {
            for agent in ["eden", "seum"] {
                let query = ask["query"].as_str().expect("a query");
                let case = format!("{agent} {name} {query}");
                let path = format!("/api/v2/sessions-store/agent:{agent}:{name}/history?{query}");
                let answer = fixture.get(&path).await.json();
                assert_eq!(answer["status"], "ok", "{case}");
                assert!(answer["messages"] == ask["answer"]["messages"], "{case}: {:.400}", answer.to_string());
                for field in ["bytes", "droppedMessages", "contentTruncated", "truncated"] {
                    assert_eq!(answer[field], ask["answer"][field], "{case}: {field}");
                }
                let count = answer["messages"].as_array().map(Vec::len);
                assert_eq!(answer["places"].as_array().map(Vec::len), count, "{case}");
                // Messages that a cap left out can be requested.
                if answer["droppedMessages"] == true {
                    assert_eq!(answer["earlier"], answer["places"][0], "{case}");
                }
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 32);
}

#[tokio::test]
async fn paging_returns_every_message_despite_caps() {
    let fixture = WebFixture::new().await;
    let sessions = fixture.path("agents/eden/sessions");
    fs::create_dir_all(&sessions).expect("folders");
    let content_at = |at: usize| match at % 7 {
        // Larger than the list: a mark replaces it, on a page of its own.
        3 => json!([{"type": "toolCall", "id": "c", "name": "n", "arguments": {"x": "y".repeat(90_000)}}]),
        5 => json!("가".repeat(5_000)),
        _ => json!("짧음"),
    };
    let line = |at: usize| {
        let message = json!({"role": "assistant", "content": content_at(at)});
        format!("{}\n", json!({"type": "message", "id": format!("m{at}"), "message": message}))
    };
    fs::write(sessions.join("s1.jsonl"), (0..80).map(line).collect::<String>()).expect("write");
    let store = json!({"agent:eden:main": {"sessionId": "s1", "updatedAt": NOW}});
    fs::write(sessions.join("sessions.json"), store.to_string()).expect("write");
    let (mut names, mut before) = (Vec::new(), String::new());
    for _ in 0..80 {
        let answer =
            fixture.get(&format!("/api/v2/sessions-store/agent:eden:main/history?limit=25{before}")).await.json();
        let mut page: Vec<String> = serde_json::from_value(answer["ids"].clone()).expect("names");
        page.append(&mut names);
        names = page;
        let Some(place) = answer["earlier"].as_u64() else { break };
        before = format!("&before={place}");
    }
    assert_eq!(names, (0..80).map(|at| format!("m{at}")).collect::<Vec<_>>(), "each once, in order");
}
