//! Test of the limits of a transcript's history (number of messages, length of texts, bytes) against hand-written
//! answers (`fixtures/histories`).
//!
//! Proves (transcripts): Each limit of a history gives the answer that was written by hand from the contract.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use coordination::transcript::{HISTORY_BYTES, HistoryOptions, history, lines};
use serde_json::{Value, json};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/histories")
}

/// The value with every text written out.
fn written_out(value: &Value) -> Value {
    match value {
        Value::Object(fields) => match (fields.get("$of"), fields.get("$times").and_then(Value::as_u64)) {
            (Some(Value::String(of)), Some(times)) => {
                let then = fields.get("$then").and_then(Value::as_str).unwrap_or_default();
                json!(format!("{}{then}", of.repeat(usize::try_from(times).unwrap())))
            }
            _ => Value::Object(fields.iter().map(|(name, value)| (name.clone(), written_out(value))).collect()),
        },
        Value::Array(all) => Value::Array(all.iter().map(written_out).collect()),
        other => other.clone(),
    }
}

#[test]
fn every_cap_gives_recorded_answer() {
    let mut caps = BTreeMap::new();
    for file in fs::read_dir(folder()).unwrap().map(|file| file.unwrap().path()) {
        if file.extension().is_none_or(|end| end != "json") {
            continue;
        }
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let golden = written_out(&serde_json::from_slice(&fs::read(&file).unwrap()).unwrap());
        let text: String = golden["lines"].as_array().unwrap().iter().map(|line| format!("{line}\n")).collect();
        let read = lines(text.as_bytes(), 0);
        assert_eq!(read.bad, 0, "{name}");
        let queries = golden["asked"].as_array().unwrap();
        for ask in queries {
            let query = ask["query"].as_str().unwrap();
            let limit = query.split('&').find_map(|one| one.strip_prefix("limit=")).map(|it| it.parse().unwrap());
            let include_tools = query.contains("includeTools=true");
            let out = history(&read.entries, &HistoryOptions { limit, include_tools, keep_silent: false });
            let answer = &ask["answer"];
            let expected = answer["messages"].as_array().unwrap();
            assert_eq!(out.messages.len(), expected.len(), "{name} {query}");
            for (at, (ours, theirs)) in out.messages.iter().zip(expected).enumerate() {
                assert!(
                    ours == theirs,
                    "{name} {query} {at}: {:.300} is not {:.300}",
                    ours.to_string(),
                    theirs.to_string()
                );
            }
            let flags = json!({
                "bytes": out.bytes, "droppedMessages": out.dropped_messages,
                "contentTruncated": out.content_truncated, "truncated": out.truncated(),
            });
            for (field, value) in flags.as_object().unwrap() {
                assert_eq!(value, &answer[field], "{name} {query}: {field}");
            }
            assert!(out.bytes <= HISTORY_BYTES, "{name}");
        }
        caps.insert(name, queries.len());
    }
    let known = [
        "alone-fits",
        "alone-too-large",
        "dividers",
        "fields",
        "large-in-the-middle",
        "list-fits",
        "list-over",
        "silent",
        "texts",
        "tools",
    ];
    assert_eq!(caps.keys().map(String::as_str).collect::<Vec<_>>(), known);
    assert_eq!(caps.values().sum::<usize>(), 16, "queries");
}
