//! Tests of the ingest of coding agents' events, on real files: restart, invalid and repeated items, an unreadable or
//! replaced journal, and two processes with one journal.
//!
//! Proves (claude-code): On real files, accepted events survive a restart, an invalid item becomes one error event, and
//! of several events with one id the first stays.

mod cuts;
mod disk;
mod drops;
mod evicted;
mod rotated_drop_file;
mod supervisor;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use coordination::api::ItemState;
use coordination::schema::{InputKind, check, read_item_with};
use serde_json::{Value, json};

use super::journal::DropPositions;
use super::writer::JournalWriter;
use super::*;
use crate::clock::ServerClock;
use crate::home::HomeDir;
use crate::sink::ValueSink;

const NOW: i64 = 1_771_651_020_000;
const RECORD: &str = "logs/task-hub-ingest.ndjson";
const DROP: &str = "logs/hook-events.ndjson";

/// A home for the journal writer, which runs without its thread: a test makes every step.
struct AgentEventsFixture {
    dir: tempfile::TempDir,
    may_write: Arc<AtomicBool>,
    hooks: HooksConfig,
}

/// One run of the monitor's journal writer over the home.
struct TestProcess {
    writer: JournalWriter,
    shared: Arc<AgentEventsShared>,
    /// Updates for the hub.
    changes: mpsc::Receiver<AgentEventsUpdate>,
}

impl AgentEventsFixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("dir");
        fs::create_dir(dir.path().join("logs")).expect("logs");
        Self { dir, may_write: Arc::new(AtomicBool::new(true)), hooks: HooksConfig::default() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn append(&self, name: &str, bytes: &[u8]) {
        let mut file = fs::OpenOptions::new().create(true).append(true).open(self.path(name)).expect("open");
        file.write_all(bytes).expect("append");
    }

    /// Starts a process that has read the files there are.
    fn start(&self) -> TestProcess {
        self.start_at(NOW)
    }

    fn start_at(&self, now: i64) -> TestProcess {
        let mut process = self.unsettled_at(now);
        process.writer.settle();
        process
    }

    /// Starts a process that has read no file yet.
    fn unsettled_at(&self, now: i64) -> TestProcess {
        let mut settings = Settings::for_home(HomeDir::new(self.dir.path()));
        settings.clock = ServerClock::fixed(now);
        settings.hooks = self.hooks.clone();
        let shared = Arc::<AgentEventsShared>::default();
        let may_write = Arc::clone(&self.may_write);
        let may_write = Box::new(move || may_write.load(Ordering::Relaxed));
        let (sender, changes) = mpsc::channel();
        let hub = ValueSink::new(move |change| sender.send(change).is_ok());
        let writer = JournalWriter::new(&settings, hub, Arc::clone(&shared), may_write);
        TestProcess { writer, shared, changes }
    }
}

impl JournalWriter {
    /// Steps until nothing is left to do.
    fn settle(&mut self) {
        while self.step() {}
        self.step();
    }
}

impl TestProcess {
    fn take(&mut self, items: Vec<SubmittedItem>) -> Result<Vec<ItemState>, WriteError> {
        let results =
            self.writer.commit(items.into_iter().map(|item| (Some(item), DropPositions::default())).collect())?;
        Ok(results.into_iter().map(|result| result.expect("an answer").state).collect())
    }

    /// Ids of the events that readers get, sorted.
    fn ids(&self) -> Vec<String> {
        let board = self.shared.board.read().expect("board");
        let mut ids: Vec<String> = board.ids().map(str::to_owned).collect();
        ids.sort();
        ids
    }

    fn info(&mut self) -> IngestInfo {
        self.writer.settle();
        self.shared.info().clone()
    }
}

fn event(id: &str, summary: &str) -> Value {
    json!({
        "id": id, "version": "1.1", "ts": "2026-02-13T15:00:00.000Z", "type": "task_progress", "source": "sdk",
        "workspace_id": "repo_x", "terminal_session_id": "t", "agent_id": format!("x/{id}"), "task_id": "1",
        "payload": {"summary": summary},
    })
}

fn input(value: &Value) -> SubmittedItem {
    let event = check(value, &defaults(&HooksConfig::default(), NOW)).expect("an event");
    SubmittedItem::Input(Box::new(SchemaInput {
        key: event.id.clone(),
        at: event.ts,
        what: InputKind::Event(Box::new(event)),
    }))
}

fn refused(value: Value) -> SubmittedItem {
    SubmittedItem::Refused {
        faults: vec![Fault { path: "ts".to_owned(), code: "required".to_owned() }],
        value,
        route: IngestRoute::Hooks,
    }
}

fn line(value: &Value) -> String {
    format!("{value}\n")
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |meta| meta.len())
}

use ItemState::{Accepted, Duplicate, Rejected};

#[test]
fn acknowledged_items_survive_a_restart() {
    let fixture = AgentEventsFixture::new();
    let mut process = fixture.start();
    assert_eq!(size(&fixture.path(RECORD)), 0, "a home that is only looked at gets no record");
    let answers = process.take(vec![input(&event("a", "하나")), input(&event("b", "둘")), input(&event("a", "하나"))]);
    assert_eq!(answers.expect("taken"), [Accepted, Accepted, Duplicate]);
    assert_eq!(process.take(vec![input(&event("b", "둘"))]).expect("taken"), [Duplicate]);
    assert_eq!(process.ids(), ["a", "b"]);
    assert_eq!(fs::read_to_string(fixture.path(RECORD)).expect("record").lines().count(), 2);
    let board = process.shared.board.read().expect("board").since(None, &EventFilter::default(), 10);
    let mut reloaded = fixture.start();
    assert_eq!(reloaded.ids(), ["a", "b"]);
    let reloaded_page = reloaded.shared.board.read().expect("board").since(None, &EventFilter::default(), 10);
    assert_eq!(reloaded_page, board, "the same events, to the letter");
    assert_eq!(reloaded.take(vec![input(&event("a", "하나"))]).expect("taken"), [Duplicate]);
    let info = reloaded.info();
    assert_eq!((info.inputs, info.events, info.duplicates, info.bytes), (2, 2, 1, size(&fixture.path(RECORD))));
}

#[test]
fn bad_item_makes_one_error_event() {
    let fixture = AgentEventsFixture::new();
    let mut process = fixture.start();
    let answers = process.take(vec![
        input(&event("a", "1")),
        refused(json!({"id": "bad-1"})),
        refused(json!({"id": "bad-2"})),
        input(&event("b", "2")),
    ]);
    assert_eq!(answers.expect("taken"), [Accepted, Rejected, Rejected, Accepted]);
    assert_eq!(process.ids().len(), 3, "the second error within a second is counted only");
    assert_eq!(process.take(vec![refused(json!({"id": "bad-1"}))]).expect("taken"), [Rejected]);
    let info = process.info();
    assert_eq!((info.accepted, info.rejected, info.errors_left_out, info.events), (2, 3, 1, 3));
    let mut defer = fixture.start_at(NOW + 2_000);
    assert_eq!(defer.take(vec![refused(json!({"id": "bad-2"}))]).expect("taken"), [Rejected]);
    assert_eq!(defer.info().events, 4);
}

#[test]
fn hub_gets_full_state_then_changes() {
    let fixture = AgentEventsFixture::new();
    let mut process = fixture.start();
    process.take(vec![input(&event("a", "1")), input(&event("b", "2"))]).expect("taken");
    let next_change = |process: &TestProcess| process.changes.recv().expect("a change");
    let change = next_change(&process);
    assert!(change.whole && change.changed.put.is_empty(), "the record was read and is empty");
    let change = next_change(&process);
    assert_eq!((change.changed.put.len(), change.agents.0.len(), change.whole), (2, 2, false));
    assert!(process.changes.recv_timeout(Duration::from_millis(20)).is_err());
    process.take(vec![input(&event("a", "1")), input(&event("c", "3"))]).expect("taken");
    let change = next_change(&process);
    assert_eq!((change.changed.put.len(), change.agents.0.len()), (1, 1), "only what differs");
    let reloaded = fixture.start();
    let change = next_change(&reloaded);
    assert_eq!((change.changed.put.len(), change.changed.removed.len(), change.agents.0.len()), (3, 0, 3));
    assert!(change.whole);
}

#[test]
fn reader_without_lock_follows_other_writer() {
    let fixture = AgentEventsFixture::new();
    fixture.may_write.store(false, Ordering::Relaxed);
    let mut reader = fixture.start();
    let refusal = reader.take(vec![input(&event("a", "1"))]).expect_err("refused");
    assert!(refusal.to_string().contains("another monitor"), "{refusal}");
    fixture.append(DROP, line(&event("d", "4")).as_bytes());
    reader.writer.settle();
    assert!(reader.ids().is_empty() && size(&fixture.path(RECORD)) == 0);
    fixture.may_write.store(true, Ordering::Relaxed);
    let mut writer = fixture.start();
    writer.take(vec![input(&event("a", "1"))]).expect("taken");
    fixture.may_write.store(false, Ordering::Relaxed);
    reader.writer.settle();
    assert_eq!(reader.ids(), ["a", "d"]);
    assert!(!reader.info().writable);
    // The right goes over: nothing is taken in twice.
    fixture.may_write.store(true, Ordering::Relaxed);
    reader.writer.settle();
    assert_eq!(reader.take(vec![input(&event("a", "1")), input(&event("d", "4"))]).expect("taken"), [Duplicate; 2]);
    assert_eq!(fs::read_to_string(fixture.path(RECORD)).expect("record").lines().count(), 2);
}

#[test]
fn two_processes_never_write_the_record_at_once() {
    let fixture = AgentEventsFixture::new();
    let mut process = fixture.start();
    process.take(vec![input(&event("a", "1"))]).expect("taken");
    let other = fs::File::open(fixture.path(RECORD)).expect("open");
    other.lock().expect("lock");
    assert!(process.take(vec![input(&event("b", "2"))]).is_err());
    drop(other);
    assert_eq!(process.take(vec![input(&event("b", "2"))]).expect("taken"), [Accepted]);
}

#[test]
fn replaced_journal_removes_its_events() {
    let fixture = AgentEventsFixture::new();
    let mut process = fixture.start();
    process.take(vec![input(&event("a", "1")), input(&event("b", "2"))]).expect("taken");
    let whole = fs::read_to_string(fixture.path(RECORD)).expect("record");
    let only_b = whole.lines().nth(1).expect("line").to_owned();
    fs::write(fixture.path(RECORD), format!("{only_b}\n")).expect("replace");
    process.writer.settle();
    assert_eq!(process.ids(), ["b"]);
    let page = process.shared.board.read().expect("board").since(Some(0), &EventFilter::default(), 10);
    assert!(page.changes.iter().any(|(_, change)| *change == EventChange::Removed("a".into())), "{page:?}");
    assert_eq!(process.take(vec![input(&event("a", "1"))]).expect("taken"), [Accepted], "it is not there any more");
    fs::remove_file(fixture.path(RECORD)).expect("remove");
    process.writer.settle();
    assert!(process.ids().is_empty());
    assert_eq!(process.take(vec![input(&event("b", "2"))]).expect("taken"), [Accepted]);
    assert_eq!(fixture.start().ids(), ["b"]);
}

#[test]
fn unreadable_journal_is_reported_and_not_written() {
    let fixture = AgentEventsFixture::new();
    fs::create_dir(fixture.path(RECORD)).expect("a folder in its place");
    let mut process = fixture.start();
    let reading = *process.shared.reading.borrow();
    assert_eq!(reading, JournalProgress { revision: None, unreadable: true }, "it is not known what there is");
    let change = process.changes.recv().expect("a change");
    assert_eq!(change.unreadable[0].path, RECORD);
    assert!(process.take(vec![input(&event("a", "1"))]).is_err());
    assert!(process.info().last_error.is_some());
    fs::remove_dir(fixture.path(RECORD)).expect("good again");
    assert_eq!(process.take(vec![input(&event("a", "1"))]).expect("taken"), [Accepted]);
}

#[test]
fn heartbeat_is_accepted_and_not_stored() {
    let fixture = AgentEventsFixture::new();
    let mut process = fixture.start();
    let mut beat = event("h", "");
    beat["type"] = json!("heartbeat");
    beat["source"] = json!("synthetic");
    assert_eq!(process.take(vec![input(&beat), input(&beat)]).expect("taken"), [Accepted, Accepted]);
    assert_eq!(size(&fixture.path(RECORD)), 0);
}

#[test]
fn duplicate_id_conflicts_and_first_event_stays() {
    let fixture = AgentEventsFixture::new();
    let mut process = fixture.start();
    process.take(vec![input(&event("a", "처음"))]).expect("taken");
    let results =
        process.writer.commit(vec![(Some(input(&event("a", "나중"))), DropPositions::default())]).expect("taken");
    let result = results[0].clone().expect("an answer");
    assert_eq!((result.state, result.errors[0].code.as_str()), (Duplicate, "conflict"));
    for mut process in [process, fixture.start()] {
        let page = process.shared.board.read().expect("board").since(None, &EventFilter::default(), 10);
        assert!(format!("{page:?}").contains("처음") && page.changes.len() == 1, "{page:?}");
        assert_eq!(
            process.take(vec![input(&event("a", "나중")), input(&event("a", "처음"))]).expect("taken"),
            [Duplicate; 2]
        );
        assert_eq!(process.info().conflicts, 1);
    }
}

#[test]
fn batch_equals_items_sent_singly() {
    let hook = |second: u32, text: &str| {
        let item = json!({"received_at": format!("2026-02-21T05:16:{second:02}.000Z"), "payload": {
            "session_id": "s", "cwd": "/repo", "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"description": text}, "tool_use_id": "toolu_1",
        }});
        let hooks = HooksConfig::default();
        SubmittedItem::Input(Box::new(read_item_with(&item, &defaults(&hooks, NOW), hooks.capture).expect("an input")))
    };
    // A hook that another way brings again, received earlier; another event of a known id.
    let all = || vec![hook(9, "실행"), hook(0, "실행"), input(&event("a", "하나")), input(&event("a", "둘"))];
    let seen = |pieces: Vec<Vec<SubmittedItem>>| {
        let fixture = AgentEventsFixture::new();
        let mut process = fixture.start();
        let states: Vec<_> = pieces.into_iter().flat_map(|piece| process.take(piece).expect("taken")).collect();
        let info = process.info();
        let board = process.shared.board.read().expect("board");
        let mut events: Vec<String> = board
            .since(None, &EventFilter::default(), 10)
            .changes
            .iter()
            .map(|(_, change)| format!("{change:?}"))
            .collect();
        events.sort();
        (states, info.conflicts, info.inputs, events)
    };
    let at_once = seen(vec![all()]);
    let one_by_one = seen(all().into_iter().map(|item| vec![item]).collect());
    assert_eq!(at_once, one_by_one);
    assert_eq!((at_once.1, at_once.2), (1, 4), "A.4: the conflict is counted, the earlier event stays");
    assert!(at_once.3.iter().any(|event| event.contains("05:16:00.000Z")), "{:?}", at_once.3);
}
