//! Tests of the transcript parsers with files of two real OpenClaw installations. Histories, previews, titles, last
//! messages and branches must equal what OpenClaw itself returned.
//!
//! Proves (transcripts): Histories, previews, titles, last messages and branches of two real homes equal what OpenClaw
//! answered.

use crate::transcripts;

use std::collections::HashMap;

use coordination::transcript::{
    EntryKind, HEAD_BYTES, HistoryOptions, MessageRole, TranscriptEntry, active, derived_title, first_user_text,
    history, items, json_bytes, last_text, lines, rows,
};
use serde_json::{Value, json};
use transcripts::{HOMES, Transcript, json, transcripts};

fn of_key(home: &'static str, key: &str) -> Transcript {
    transcripts(home).into_iter().rfind(|one| one.key.as_deref() == Some(key)).unwrap()
}

fn entries(one: &Transcript) -> Vec<TranscriptEntry> {
    let read = lines(&one.bytes, 0);
    assert_eq!(read.bad, 0, "{}", one.session_id);
    read.entries
}

#[test]
fn every_line_and_every_message_is_found() {
    for home in HOMES {
        let all = transcripts(home);
        let (mut messages, mut compactions, mut resets, mut unknown) = (0, 0, 0, 0);
        for one in &all {
            let values = one.values();
            let read = entries(one);
            assert_eq!(read.len(), values.len(), "{}", one.session_id);
            let header = read[0].header().unwrap();
            assert_eq!(header.id.as_deref(), Some(one.session_id.as_str()));
            assert_eq!(header.version, if home == "2026.2" { 3 } else { 4 });
            for (entry, value) in read.iter().zip(&values) {
                assert_eq!(Value::Object(entry.fields().clone()), *value, "nothing of a line is lost");
                assert_eq!(entry.message().is_some(), value["message"].is_object());
                let expected = value["message"]["timestamp"].as_i64();
                assert!(expected.is_none() || entry.at_ms == expected);
                assert!(entry.at_ms.is_some(), "every line tells when");
            }
            messages += read.iter().filter(|entry| entry.kind == EntryKind::Message).count();
            compactions += read.iter().filter(|entry| entry.kind == EntryKind::Compaction).count();
            resets += read.iter().filter(|entry| entry.kind == EntryKind::Reset).count();
            unknown += read.iter().filter(|entry| matches!(entry.kind, EntryKind::Other(_))).count();
            let by_row = rows(one.rows());
            assert_eq!(by_row.entries.len(), read.len());
            assert!(by_row.entries.iter().zip(0..).all(|(entry, seq)| entry.place == seq));
        }
        let of_type = |kind: &str| all.iter().flat_map(Transcript::values).filter(|one| one["type"] == kind).count();
        assert_eq!((messages, compactions), (of_type("message"), of_type("compaction")), "{home}");
        assert_eq!(resets, of_type("reset"));
        assert_eq!(compactions, 1, "{home}: one was made");
        assert_eq!(resets, if home == "2026.2" { 0 } else { 2 });
        assert!(unknown > 0, "{home}: there are kinds that are only kept");
    }
}

#[test]
fn active_branch_equals_database() {
    let all = transcripts("2026.9");
    assert_eq!(all.len(), 15, "sessions and older windows");
    for one in &all {
        let entries = rows(one.rows()).entries;
        let ours: Vec<u64> = active(&entries).into_iter().map(|at| entries[at].place).collect();
        assert_eq!(Some(ours), one.active, "{}", one.session_id);
    }
}

#[test]
fn histories_of_2026_2_equal_gateway() {
    for (name, agent, compacted) in [
        ("ruda", "ruda", false),
        ("ruda-after-compact", "ruda", true),
        ("seum", "seum", true),
        ("dajim", "dajim", true),
        ("page", "ruda", false),
    ] {
        let capture = json("2026.2", &format!("captures/history-{name}.json"));
        let mut entries = entries(&of_key("2026.2", &format!("agent:{agent}:main")));
        if !compacted {
            // It was captured before the session was compacted.
            let at = entries.iter().position(|entry| entry.kind == EntryKind::Compaction).unwrap();
            entries.truncate(at);
        }
        let limit = capture["args"]["limit"].as_u64().map(|limit| limit as usize);
        let ours = history(&entries, &HistoryOptions { limit, keep_silent: true, ..HistoryOptions::default() });
        let theirs = &capture["details"];
        for (one, other) in ours.messages.iter().zip(theirs["messages"].as_array().unwrap()) {
            assert_eq!(one, other, "{name}");
        }
        assert_eq!(json!(ours.messages.len()), json!(theirs["messages"].as_array().unwrap().len()), "{name}");
        assert_eq!(json!(ours.bytes), theirs["bytes"], "{name}");
        assert_eq!(json!(ours.dropped_messages), theirs["droppedMessages"], "{name}");
        assert_eq!(json!(ours.content_truncated), theirs["contentTruncated"], "{name}");
        assert_eq!(json!(ours.truncated()), theirs["truncated"], "{name}");
        assert_eq!(ours.places.len(), ours.messages.len());
    }
}

/// What the contract says 2026.9 does otherwise: splits a message with a comment and calls, gives nested tools a role
/// of their own, words failures, adds fields of its own.
fn plain(messages: &[Value]) -> Vec<(i64, String, String)> {
    let mut out: Vec<(i64, String, String)> = Vec::new();
    for message in messages.iter().filter(|message| message["role"] != "custom") {
        let text = match &message["content"] {
            Value::String(text) => text.clone(),
            content => {
                let texts = content.as_array().unwrap().iter().filter_map(|block| block["text"].as_str());
                texts.collect::<Vec<_>>().join("\n")
            }
        };
        let calls = message["content"].as_array().into_iter().flatten().filter(|block| block["type"] == "toolCall");
        let calls = calls.map(|block| block["id"].as_str().unwrap()).collect::<Vec<_>>().join(" ");
        let at = message["timestamp"].as_i64().unwrap();
        let text = if text.starts_with("⚠️ LLM request failed") { String::new() } else { text };
        match out.last_mut() {
            Some(last) if last.0 == at && last.2.is_empty() && !calls.is_empty() => last.2 = calls,
            _ => out.push((at, text, calls)),
        }
    }
    out
}

#[test]
fn histories_of_2026_9_equal_gateway() {
    for (name, agent) in [("ruda", "ruda"), ("page", "ruda"), ("seum", "seum"), ("dajim", "dajim")] {
        let capture = json("2026.9", &format!("captures/history-{name}.json"));
        let theirs = plain(capture["details"]["messages"].as_array().unwrap());
        // A later window was opened afterwards: the one that the answer is of holds its last message.
        let last = theirs.last().unwrap().0;
        let source = transcripts("2026.9").into_iter().find(|one| {
            one.key.as_deref() == Some(&format!("agent:{agent}:main"))
                && one.values().iter().any(|value| value["message"]["timestamp"] == last)
        });
        let entries = entries(&source.unwrap());
        let limit = capture["args"]["limit"].as_u64().map(|limit| limit as usize);
        let ours = history(&entries, &HistoryOptions { limit, ..HistoryOptions::default() });
        assert_eq!(plain(&ours.messages), theirs, "{name}");
        let sizes: usize = ours.messages.iter().map(json_bytes).sum();
        assert_eq!(ours.bytes, 2 + sizes + ours.messages.len() - 1);
    }
    let reset = history(
        &entries(&transcripts("2026.9").into_iter().find(|one| one.session_id.starts_with("9005c244")).unwrap()),
        &HistoryOptions::default(),
    );
    let capture = json("2026.9", "captures/history-seum.json");
    let (ours, theirs) = (&reset.messages[0], &capture["details"]["messages"][0]);
    assert_eq!((&ours["role"], &ours["content"]), (&theirs["role"], &theirs["content"]));
    assert_eq!(ours["__openclaw"]["kind"], "reset");
    assert_eq!(ours["__openclaw"]["id"], theirs["__openclaw"]["id"]);
    assert_eq!(ours["timestamp"], theirs["timestamp"]);
}

fn answers(home: &'static str, method: &str) -> Vec<Value> {
    let lists = json(home, "captures/lists.json");
    lists.as_array().unwrap().iter().filter(|one| one["method"] == method).cloned().collect()
}

#[test]
fn previews_of_2026_2_equal_gateway() {
    let mut compared = 0;
    for answer in answers("2026.2", "sessions.preview") {
        let param = |name: &str| answer["params"][name].as_u64().unwrap() as usize;
        for preview in answer["payload"]["previews"].as_array().unwrap() {
            let key = preview["key"].as_str().unwrap();
            let Some(one) = transcripts("2026.2").into_iter().rfind(|one| one.key.as_deref() == Some(key)) else {
                assert_eq!(preview["status"], "missing");
                continue;
            };
            let before = before_compaction(&one.bytes);
            let ours = items(before, true, param("limit"), param("maxChars")).unwrap();
            let ours: Vec<Value> =
                ours.iter().map(|item| json!({ "role": item.role.as_str(), "text": item.text })).collect();
            assert_eq!(json!(ours), preview["items"], "{key}");
            compared += 1;
        }
    }
    assert_eq!(compared, 3);
}

/// The lists were captured before the compaction of one session.
fn before_compaction(bytes: &[u8]) -> &[u8] {
    let text = std::str::from_utf8(bytes).unwrap();
    text.find("{\"type\":\"compaction\"").map_or(bytes, |at| &bytes[..at])
}

#[test]
fn previews_of_2026_9_equal_gateway_without_notes() {
    let answer = &answers("2026.9", "sessions.preview")[0];
    for preview in answer["payload"]["previews"].as_array().unwrap() {
        let key = preview["key"].as_str().unwrap();
        if preview["status"] == "missing" {
            continue;
        }
        // Later windows came after the capture.
        let one = transcripts("2026.9").into_iter().find(|one| one.key.as_deref() == Some(key)).unwrap();
        let ours = items(&one.bytes, true, 50, 240).unwrap();
        for theirs in preview["items"].as_array().unwrap() {
            let text = theirs["text"].as_str().unwrap();
            let found = ours.iter().any(|item| item.role.as_str() == theirs["role"] && item.text == text);
            assert!(found || text.starts_with("[Inter-session message]"), "{key}: {text}");
        }
        assert!(ours.iter().all(|item| !item.text.contains("[Inter-session message]")), "{key}");
    }
}

#[test]
fn titles_and_last_messages_equal_gateway() {
    let answer = &answers("2026.2", "sessions.list")[0];
    let rows = answer["payload"]["sessions"].as_array().unwrap();
    assert_eq!(rows.len(), 13);
    let by_id: HashMap<String, Transcript> =
        transcripts("2026.2").into_iter().map(|one| (one.session_id.clone(), one)).collect();
    for row in rows {
        let text = |name: &str| row[name].as_str();
        let one = &by_id[text("sessionId").unwrap()];
        let bytes = before_compaction(&one.bytes);
        let first = first_user_text(&bytes[..bytes.len().min(HEAD_BYTES)], false);
        let key = text("key").unwrap();
        // The name that a row shows is made of its origin; the sessions here were given none.
        let title = derived_title(None, text("subject"), first.as_deref(), &one.session_id, row["updatedAt"].as_i64());
        assert_eq!(title.as_deref(), text("derivedTitle"), "{key}");
        let (role, last) = last_text(bytes, true).unwrap();
        assert!(matches!(role, MessageRole::User | MessageRole::Assistant));
        assert_eq!(Some(last.as_str()), text("lastMessagePreview"), "{key}");
    }
}
