//! Loader of test transcripts from two real OpenClaw homes (state folders, `fixtures/transcripts`), as bytes, as plain
//! JSON and as database rows. It does not use the transcript readers under test.
#![allow(dead_code, reason = "each test takes what it needs")]

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

pub(crate) const HOMES: [&str; 2] = ["2026.2", "2026.9"];

/// One transcript as it lies in the fixtures.
pub(crate) struct Transcript {
    pub(crate) home: &'static str,
    pub(crate) agent: String,
    pub(crate) session_id: String,
    pub(crate) key: Option<String>,
    /// The active branch as the database has it.
    pub(crate) active: Option<Vec<u64>>,
    pub(crate) bytes: Vec<u8>,
}

pub(crate) fn folder(home: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/transcripts").join(home)
}

pub(crate) fn json(home: &str, name: &str) -> Value {
    serde_json::from_slice(&fs::read(folder(home).join(name)).unwrap()).unwrap()
}

pub(crate) fn transcripts(home: &'static str) -> Vec<Transcript> {
    let list = json(home, "sessions.json");
    let text = |one: &Value, name: &str| one[name].as_str().map(str::to_owned);
    list.as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let (agent, session_id) = (text(one, "agent").unwrap(), text(one, "sessionId").unwrap());
            let file = text(one, "file").unwrap_or_else(|| format!("{session_id}.jsonl"));
            let bytes = fs::read(folder(home).join(&agent).join(file)).unwrap();
            let active = one["active"].as_array().map(|all| all.iter().map(|seq| seq.as_u64().unwrap()).collect());
            Transcript { home, agent, session_id, key: text(one, "key"), active, bytes }
        })
        .collect()
}

impl Transcript {
    /// Its lines as plain JSON.
    pub(crate) fn values(&self) -> Vec<Value> {
        let text = std::str::from_utf8(&self.bytes).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Its lines as rows of a database.
    pub(crate) fn rows(&self) -> Vec<(u64, &str)> {
        (0..).zip(std::str::from_utf8(&self.bytes).unwrap().lines()).collect()
    }
}
