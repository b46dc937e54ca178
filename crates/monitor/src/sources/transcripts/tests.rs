//! Tests of the transcript reader: it finds messages and delegations, reads only appended parts, and handles replaced,
//! removed and unreadable transcripts.
//!
//! Proves (transcripts): The transcript reader reads each change once and finds every transcript.

mod large;
mod published;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use coordination::api::{DelegationsQuery, SessionCard, SessionsQuery};
use coordination::hub::Hub;
use coordination::query;
use coordination::roster::Roster;
use coordination::store::StoreSnapshot;
use rusqlite::Connection;
use serde_json::{Value, json};

use super::{TranscriptReader, TranscriptUpdate};
use crate::home::HomeDir;
use crate::sources::store;
use crate::sources::workspace::ConfigReader;

const NOW: i64 = 1_771_651_020_000;

/// A home, its stores' reader and the one that is tested.
struct TranscriptReaderFixture {
    dir: tempfile::TempDir,
    stores: store::StoreReader,
    reader: TranscriptReader,
    hub: Hub,
}

impl TranscriptReaderFixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("dir");
        fs::write(dir.path().join("openclaw.json"), r#"{ agents: { list: [{id: "ruda"}, {id: "eden"}] } }"#)
            .expect("config");
        let stores = store::StoreReader::new(HomeDir::new(dir.path()));
        Self { dir, stores, reader: TranscriptReader::new(), hub: Hub::new() }
    }

    fn roster(&self) -> Roster {
        ConfigReader::new(HomeDir::new(self.dir.path())).look().0.roster.clone()
    }

    /// One look at everything there is.
    fn look(&mut self) -> Option<TranscriptUpdate> {
        let roster = self.roster();
        let _ = self.stores.look(&roster);
        let held: Arc<StoreSnapshot> = self.stores.held().map(Arc::clone).unwrap_or_default();
        let home = HomeDir::new(self.dir.path());
        let mut update: Option<TranscriptUpdate> = None;
        loop {
            let (received, more) = self.reader.look(&home, &roster, &held);
            if let Some(mut received) = received {
                if let Some(talk) = received.talk.take() {
                    self.hub.sync_transcripts(talk);
                }
                update = Some(received);
            }
            if !more {
                return update;
            }
        }
    }

    /// Bytes read since the beginning.
    fn bytes(&mut self) -> u64 {
        let _ = self.look();
        self.reader.reading.bytes
    }

    fn path(&self, name: &str) -> PathBuf {
        let path = self.dir.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        path
    }

    fn sessions(&self, agent: &str, ids: &[(&str, &str)]) {
        let entries: serde_json::Map<String, Value> = ids
            .iter()
            .map(|(key, id)| ((*key).to_owned(), json!({"sessionId": id, "updatedAt": NOW - 600_000})))
            .collect();
        fs::write(self.path(&format!("agents/{agent}/sessions/sessions.json")), Value::Object(entries).to_string())
            .expect("store");
    }

    fn append(&self, name: &str, text: &str) {
        let path = self.path(name);
        let mut file = fs::OpenOptions::new().append(true).create(true).open(path).expect("open");
        file.write_all(text.as_bytes()).expect("append");
    }

    /// Texts of all bubbles, in order of time.
    fn texts(&self) -> Vec<String> {
        let all = SessionsQuery { limit: Some(200), ..SessionsQuery::default() };
        let mut found = Vec::new();
        for card in query::sessions(&self.hub, NOW, &all).expect("sessions").sessions {
            let detail = query::session(&self.hub, NOW, &card.work_session_id).expect("a session");
            for thread in detail.threads {
                let page = query::thread_page(
                    &self.hub,
                    NOW,
                    &card.work_session_id,
                    &thread.thread_id,
                    &coordination::api::ThreadQuery::default(),
                );
                let page = page.expect("a page").expect("a thread");
                found.extend(page.messages.into_iter().map(|message| (message.at, message.text)));
            }
        }
        found.sort();
        found.into_iter().map(|(_, text)| text).collect()
    }
}

fn line(id: &str, message: &Value) -> String {
    format!("{}\n", json!({"type": "message", "id": id, "message": message}))
}

fn calls(id: &str, to: &str, text: &str, at: i64) -> String {
    let call = json!({"type": "toolCall", "id": id, "name": "sessions_send", "arguments": {"sessionKey": to, "message": text}});
    line(id, &json!({"role": "assistant", "content": [call], "stopReason": "toolUse", "timestamp": at}))
}

fn received_line(id: &str, from: &str, text: &str, at: i64) -> String {
    let provenance = json!({"kind": "inter_session", "sourceSessionKey": from, "sourceTool": "sessions_send"});
    line(id, &json!({"role": "user", "content": text, "provenance": provenance, "timestamp": at}))
}

fn says(id: &str, text: &str, at: i64) -> String {
    let blocks = json!([{"type": "text", "text": text}]);
    line(id, &json!({"role": "assistant", "content": blocks, "stopReason": "stop", "timestamp": at}))
}

fn question_line(id: &str, text: &str, at: i64) -> String {
    line(id, &json!({"role": "user", "content": text, "timestamp": at}))
}

const RUDA: &str = "agents/ruda/sessions/r1.jsonl";
const EDEN: &str = "agents/eden/sessions/e1.jsonl";

fn talking() -> TranscriptReaderFixture {
    let fixture = TranscriptReaderFixture::new();
    fixture.sessions("ruda", &[("agent:ruda:main", "r1")]);
    fixture.sessions("eden", &[("agent:eden:main", "e1")]);
    fixture.append(RUDA, &question_line("a1", "배포를 챙겨 줘", NOW - 90_000));
    fixture.append(RUDA, &calls("c1", "agent:eden:main", "배포 상태를 알려 주세요", NOW - 80_000));
    fixture
}

#[test]
fn exchange_grows_and_only_new_bytes_read() {
    let mut fixture = talking();
    assert!(fixture.look().is_some());
    assert_eq!(fixture.texts(), ["배포 상태를 알려 주세요"]);
    let first = fs::metadata(fixture.path(RUDA)).expect("file").len();
    assert_eq!(fixture.reader.reading.bytes, first);
    assert!(fixture.look().is_none(), "no change, no update");
    let received = received_line("h1", "agent:ruda:main", "배포 상태를 알려 주세요", NOW - 79_000);
    let (half, rest) = received.split_at(30);
    fixture.append(EDEN, half);
    assert_eq!(fixture.bytes(), first, "an incomplete line is not read yet");
    fixture.append(EDEN, rest);
    fixture.append(EDEN, &says("s1", "배포는 끝났습니다", NOW - 70_000));
    let all = first + fs::metadata(fixture.path(EDEN)).expect("file").len();
    assert_eq!(fixture.bytes(), all);
    assert_eq!(fixture.texts(), ["배포 상태를 알려 주세요", "배포는 끝났습니다"], "once, not once for each transcript");
    let before = fixture.reader.reading.clone();
    assert!(fixture.look().is_none());
    assert_eq!(fixture.reader.reading, before);
    // Messages between people and agents show that something changed, and are no exchange between agents.
    fixture.append(RUDA, &question_line("a2", "고마워", NOW - 60_000));
    fixture.append(RUDA, &says("s2", "천만에요", NOW - 59_000));
    let update = fixture.look().expect("the stores changed");
    assert!(update.revision > 1 && fixture.texts().len() == 2, "{update:?}");
}

#[test]
fn renamed_replaced_or_removed_transcripts_are_exact() {
    let mut fixture = talking();
    fixture.append(EDEN, &received_line("h1", "agent:ruda:main", "배포 상태를 알려 주세요", NOW - 79_000));
    fixture.append(EDEN, &says("s1", "배포는 끝났습니다", NOW - 70_000));
    let _ = fixture.look();
    let texts = fixture.texts();
    // A reset puts the transcript away and begins another one.
    let archive = fixture.path(&format!("{EDEN}.reset.2026-02-21T05-17-00.000Z"));
    fs::rename(fixture.path(EDEN), archive).expect("rename");
    fixture.sessions("eden", &[("agent:eden:main", "e2")]);
    fixture.append("agents/eden/sessions/e2.jsonl", &question_line("x", "새로 시작", NOW));
    let _ = fixture.look();
    assert_eq!(fixture.texts(), texts, "the archive says what the transcript said");
    // Other bytes under the same name.
    fs::write(fixture.path(RUDA), calls("c1", "agent:eden:main", "다른 말", NOW - 80_000)).expect("write");
    let _ = fixture.look();
    assert!(fixture.texts().contains(&"다른 말".to_owned()), "{:?}", fixture.texts());
    fs::remove_dir_all(fixture.path("agents/ruda")).expect("remove");
    fs::remove_dir_all(fixture.path("agents/eden")).expect("remove");
    let _ = fixture.look();
    assert_eq!(fixture.texts(), [] as [String; 0]);
    assert_eq!(fixture.hub.event_count(), 0);
}

#[test]
fn unreadable_transcript_is_reported_and_state_stays() {
    let mut fixture = talking();
    let _ = fixture.look();
    let link = fixture.path("agents/eden/sessions/e9.jsonl");
    std::os::unix::fs::symlink("/etc/hostname", &link).expect("link");
    let update = fixture.look().expect("an update");
    let causes: Vec<_> = update.unreadable.iter().map(|it| (it.path.as_str(), it.cause.as_str())).collect();
    assert_eq!(causes, [("agents/eden/sessions/e9.jsonl", "a link")]);
    fs::remove_file(link).expect("remove");
    assert!(fixture.look().expect("an update").unreadable.is_empty(), "and that it is well again");
    fs::rename(fixture.path("agents/ruda/sessions"), fixture.path("elsewhere")).expect("rename");
    fs::write(fixture.path("agents/ruda/sessions"), "no folder").expect("write");
    let update = fixture.look().expect("an update");
    assert!(!update.unreadable.is_empty());
    assert_eq!(fixture.texts().len(), 1, "a folder that cannot be listed is not an empty one");
}

/// An agent's database with so many sessions of so many lines.
fn database(fixture: &TranscriptReaderFixture, agent: &str, sessions: usize, lines: usize) -> PathBuf {
    let path = fixture.path(&format!("agents/{agent}/agent/openclaw-agent.sqlite"));
    let mut open = Connection::open(&path).expect("open");
    open.execute_batch(
        "PRAGMA user_version = 23;
         CREATE TABLE session_nodes (session_key TEXT PRIMARY KEY, current_session_id TEXT, entry_json TEXT, updated_at INTEGER);
         CREATE TABLE session_windows (session_id TEXT PRIMARY KEY, session_key TEXT, previous_session_id TEXT, reason TEXT, created_at INTEGER, updated_at INTEGER);
         CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, event_zstd BLOB, PRIMARY KEY (session_id, seq)) WITHOUT ROWID;",
    )
    .expect("schema");
    let many = open.transaction().expect("transaction");
    for number in 0..sessions {
        let (key, id) = (format!("agent:{agent}:direct:p{number}"), format!("s{number}"));
        many.execute(
            "INSERT INTO session_nodes VALUES (?1, ?2, ?3, ?4)",
            (&key, &id, json!({"sessionId": id}).to_string(), NOW),
        )
        .expect("node");
        many.execute("INSERT INTO session_windows VALUES (?1, ?2, NULL, NULL, ?3, ?3)", (&id, &key, NOW))
            .expect("window");
        for seq in 0..lines {
            let line = question_line(&format!("l{seq}"), "안녕하세요", NOW);
            many.execute("INSERT INTO transcript_events VALUES (?1, ?2, ?3, NULL)", (&id, seq as i64, line.trim()))
                .expect("line");
        }
    }
    many.commit().expect("commit");
    path
}

fn insert(database: &Path, session_id: &str, seq: i64, line: &str) {
    let open = Connection::open(database).expect("open");
    open.execute("INSERT INTO transcript_events VALUES (?1, ?2, ?3, NULL)", (session_id, seq, line.trim()))
        .expect("line");
}

#[test]
fn only_new_rows_of_many_sessions_read() {
    let mut fixture = TranscriptReaderFixture::new();
    let database = database(&fixture, "ruda", 5_000, 4);
    fixture.sessions("eden", &[("agent:eden:main", "e1")]);
    let _ = fixture.look();
    let reading = fixture.reader.reading.clone();
    assert_eq!((reading.transcripts, reading.rows), (5_000, 20_000), "each row once");
    assert!(reading.remembered <= 20_000, "{reading:?}");
    insert(&database, "s4711", 4, &calls("c1", "agent:eden:main", "하나만 더", NOW));
    insert(&database, "s4711", 5, &question_line("l5", "끝", NOW));
    let _ = fixture.look();
    let now = fixture.reader.reading.clone();
    assert_eq!(now.rows - reading.rows, 2, "only what is new");
    assert!(now.bytes - reading.bytes < 1_000, "{now:?}");
    assert_eq!(fixture.texts(), ["하나만 더"]);
    let _ = fixture.look();
    assert_eq!(fixture.reader.reading, now, "nothing new, nothing read");
}

#[test]
fn long_transcript_is_read_once_in_bounded_memory() {
    let mut fixture = talking();
    let result =
        json!({"role": "toolResult", "toolName": "exec", "content": [{"type": "text", "text": "가".repeat(20_000)}]});
    let mut text = String::new();
    for number in 0..1_150 {
        text.push_str(&line(&format!("t{number}"), &result));
        text.push_str(&says(&format!("s{number}"), "다음으로 넘어갑니다", NOW - 50_000));
    }
    fixture.append(RUDA, &text);
    let size = fs::metadata(fixture.path(RUDA)).expect("file").len();
    assert!(size > 64 << 20, "longer than one look reads: {size}");
    assert_eq!(fixture.bytes(), size, "every byte once");
    assert!(fixture.reader.reading.remembered < 10, "{:?}", fixture.reader.reading);
    fixture.append(RUDA, &calls("c2", "agent:eden:main", "마지막 부탁", NOW));
    let grown = fs::metadata(fixture.path(RUDA)).expect("file").len();
    assert_eq!(fixture.bytes(), grown, "and then only what was added");
    assert_eq!(fixture.texts().last().map(String::as_str), Some("마지막 부탁"));
}

#[test]
fn running_and_failed_jobs_become_exchanges() {
    let mut fixture = TranscriptReaderFixture::new();
    let job = |status: &str, more: Value| {
        let mut job = json!({
            "jobId": "run-1", "status": status, "requesterSessionKey": "agent:ruda:main",
            "targetSessionKey": "agent:eden:main", "message": "긴 일을 부탁합니다", "conversationId": "c-1",
            "workSessionId": "ws_1", "createdAt": NOW - 60_000, "updatedAt": NOW,
        });
        more.as_object().expect("fields").iter().for_each(|(name, value)| job[name] = value.clone());
        job.to_string()
    };
    fs::write(fixture.path("a2a-jobs/job-run-1.json"), job("RUNNING", json!({}))).expect("write");
    fs::write(fixture.path("a2a-jobs/job-x.json"), "{").expect("write");
    let _ = fixture.look();
    assert_eq!(fixture.texts(), ["긴 일을 부탁합니다"]);
    let card = &query::sessions(&fixture.hub, NOW, &SessionsQuery::default()).expect("sessions").sessions[0];
    let trouble = |card: &SessionCard| card.attention.map(|it| (it.waiting, it.no_reply));
    assert_eq!((card.work_session_id.as_str(), trouble(card)), ("ws_1", Some((1, 0))));
    assert!(fixture.look().is_none());
    fs::write(fixture.path("a2a-jobs/job-run-1.json"), job("FAILED", json!({"lastError": "context overflow"})))
        .expect("write");
    let _ = fixture.look();
    let card = &query::sessions(&fixture.hub, NOW, &SessionsQuery::default()).expect("sessions").sessions[0];
    assert_eq!(trouble(card), Some((0, 1)));
}

#[test]
fn registry_only_child_is_a_delegation() {
    let mut fixture = TranscriptReaderFixture::new();
    let run = json!({
        "runId": "run-1", "childSessionKey": "agent:eden:subagent:k1", "requesterSessionKey": "agent:ruda:main",
        "task": "문서를 고쳐 주세요", "label": "docs-fix", "createdAt": NOW - 60_000, "endedAt": NOW,
        "outcome": {"status": "error", "error": "no quota"},
    });
    fs::write(fixture.path("subagents/runs.json"), json!({"version": 2, "runs": {"run-1": run}}).to_string())
        .expect("write");
    let _ = fixture.look();
    let runs = query::all_delegations(&fixture.hub, NOW, &DelegationsQuery::default()).expect("runs");
    let row = &runs.rows[0];
    assert_eq!((row.label.as_deref(), row.error.as_deref(), runs.rows.len()), (Some("docs-fix"), Some("no quota"), 1));
    assert!(row.text.contains("문서를 고쳐") && row.is_bad());
}

#[test]
fn home_without_stores_is_reported_once() {
    let mut fixture = TranscriptReaderFixture::new();
    let update = fixture.look().expect("the first look tells");
    assert!(update.stores.is_empty() && update.unreadable.is_empty());
    assert_eq!(update.reading, coordination::api::TranscriptReading::default());
    assert!(fixture.look().is_none());
}
