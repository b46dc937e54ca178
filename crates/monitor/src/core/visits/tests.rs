//! Tests of the store of last visits: people, bound, clock, faults of the file and the disk.
//!
//! Proves (past): The last visit of each person is on the disk before it is answered, one person's never shows another's, and
//! of more than 1,000 people the longest absent are dropped. A kill at any disk call leaves the old or the new time. A file
//! that cannot be read is never overwritten, and a fault is logged once.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::fs::durable::faults::{self, DiskFault};

const NOW: i64 = 1_771_651_020_000;
const HOUR: i64 = 3_600_000;

struct VisitFixture {
    dir: tempfile::TempDir,
    may_write: Arc<AtomicBool>,
    store: VisitStore,
}

impl VisitFixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("dir");
        let may_write = Arc::new(AtomicBool::new(true));
        let lock = Arc::clone(&may_write);
        let store = VisitStore::new(&HomeDir::new(dir.path()), move || lock.load(Ordering::Relaxed));
        Self { dir, may_write, store }
    }

    /// A store over the same home, as after a restart.
    fn restarted(&self) -> VisitStore {
        VisitStore::new(&HomeDir::new(self.dir.path()), || true)
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.store.path).expect("a file")
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.dir.path()).expect("folder");
        entries.map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned()).collect()
    }
}

fn visit(last_visit: Option<i64>, recorded: bool) -> PersonVisit {
    PersonVisit { last_visit, recorded }
}

/// Lines that `work` logs.
fn log_of(work: impl FnOnce()) -> Vec<String> {
    let file = tempfile::NamedTempFile::new().expect("file");
    let writer = file.reopen().expect("reopened");
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(writer).finish();
    tracing::subscriber::with_default(subscriber, work);
    fs::read_to_string(file.path()).expect("UTF-8").lines().map(str::to_owned).collect()
}

#[test]
fn visits_of_two_people_survive_a_restart() {
    let fixture = VisitFixture::new();
    assert_eq!(fixture.store.record("eden", NOW), visit(None, true));
    assert_eq!(fixture.store.record("세움", NOW + HOUR), visit(None, true), "another person");
    assert_eq!(fixture.store.record("eden", NOW + 2 * HOUR), visit(Some(NOW), true));
    let again = fixture.restarted();
    assert_eq!(again.record("eden", NOW + 3 * HOUR), visit(Some(NOW + 2 * HOUR), true));
    assert_eq!(again.record("세움", NOW + 3 * HOUR), visit(Some(NOW + HOUR), true));
    assert_eq!(fixture.names(), ["task-hub-visits.json"]);
}

#[test]
fn repeated_visit_is_not_written_again() {
    let fixture = VisitFixture::new();
    fixture.store.record("eden", NOW);
    let before = durable::signature(&fixture.store.path);
    assert_eq!(fixture.store.record("eden", NOW + MIN_INTERVAL_MS - 1), visit(Some(NOW), true));
    assert_eq!(durable::signature(&fixture.store.path), before);
    fixture.store.record("eden", NOW + MIN_INTERVAL_MS);
    assert_eq!(fixture.store.record("eden", NOW + HOUR), visit(Some(NOW + MIN_INTERVAL_MS), true));
}

#[test]
fn clock_set_back_leaves_no_visit_in_the_future() {
    let fixture = VisitFixture::new();
    fixture.store.record("eden", NOW);
    assert_eq!(fixture.store.record("eden", NOW - HOUR), visit(Some(NOW), true));
    assert_eq!(fixture.store.record("eden", NOW - HOUR / 2), visit(Some(NOW - HOUR), true));
}

#[test]
fn longest_absent_person_is_dropped() {
    let fixture = VisitFixture::new();
    let name = |number: usize| format!("{number:0>200}");
    let people = (0..MAX_PEOPLE).map(|number| (name(number), NOW + i64::try_from(number).expect("small")));
    let file = VisitsFile { last_visits: people.collect() };
    fs::write(&fixture.store.path, serde_json::to_vec(&file).expect("JSON")).expect("written");
    // The clock was set back: the newest visit has the oldest time.
    assert_eq!(fixture.store.record("eden", NOW - HOUR), visit(None, true));
    assert_eq!(fixture.store.record("eden", NOW + HOUR), visit(Some(NOW - HOUR), true));
    assert_eq!(fixture.store.record(&name(1), NOW + HOUR), visit(Some(NOW + 1), true), "others stay");
    assert_eq!(fixture.store.record(&name(0), NOW + HOUR), visit(None, true), "the oldest one was dropped");
    assert_eq!(fixture.store.read().expect("a file").last_visits.len(), MAX_PEOPLE);
}

/// Names of any characters: the longest file that is written can be read.
#[test]
fn longest_names_fit_the_file() {
    let mut file = VisitsFile::default();
    for number in 0..MAX_PEOPLE {
        file.set(&format!("{number:0>4}{}", "𝐀".repeat(196)), i64::MAX);
    }
    assert!(serde_json::to_vec(&file).expect("JSON").len() as u64 <= MAX_BYTES);
}

#[test]
fn torn_file_is_never_overwritten() {
    for damaged in ["", "{", "[]", "{}", r#"{"lastVisits":{"eden":17716"#, r#"{"lastVisits":{"eden":"x"}}"#] {
        let fixture = VisitFixture::new();
        fs::write(&fixture.store.path, damaged).expect("written");
        assert_eq!(fixture.store.record("eden", NOW), visit(None, false), "{damaged}");
        assert_eq!(fixture.text(), damaged);
        fs::remove_file(&fixture.store.path).expect("removed");
        assert_eq!(fixture.store.record("eden", NOW), visit(None, true), "without a restart");
    }
}

#[test]
fn kill_at_any_disk_call_leaves_old_or_new_time() {
    let fixture = VisitFixture::new();
    fixture.store.record("eden", NOW);
    let (_, calls) = faults::calls(|| fixture.store.record("eden", NOW + HOUR));
    assert!(calls >= 6, "{calls}");
    let mut found = BTreeSet::new();
    for tears in [false, true] {
        for after in 0..calls {
            let fixture = VisitFixture::new();
            fixture.store.record("eden", NOW);
            let fault = DiskFault { after, error: 5, lasting: true, tears };
            let (answer, struck) = faults::with_fault(fault, || fixture.store.record("eden", NOW + HOUR));
            assert!(struck && !answer.recorded, "{after}");
            let last = fixture.restarted().record("eden", NOW + 2 * HOUR).last_visit;
            found.insert(last);
            assert_eq!(fixture.names(), ["task-hub-visits.json"], "{after}");
        }
    }
    // The new one where only the sync of the folder failed.
    assert_eq!(found, BTreeSet::from([Some(NOW), Some(NOW + HOUR)]));
}

#[test]
fn full_disk_is_logged_once_until_it_has_room() {
    let fixture = VisitFixture::new();
    let full = DiskFault { after: 1, error: 28, lasting: true, tears: false };
    let lines = log_of(|| {
        for minute in 0..3 {
            let visit = || fixture.store.record("eden", NOW + minute * 60_000);
            assert!(!faults::with_fault(full, visit).0.recorded);
        }
        assert!(fixture.store.record("eden", NOW).recorded);
        assert!(fixture.store.record("eden", NOW + HOUR).recorded);
    });
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].contains("last visits are not recorded") && lines[0].contains("No space left"), "{lines:?}");
    assert!(lines[1].contains("recorded again"), "{lines:?}");
}

#[test]
fn second_monitor_of_a_home_only_reads() {
    let fixture = VisitFixture::new();
    fixture.restarted().record("eden", NOW);
    fixture.may_write.store(false, Ordering::Relaxed);
    assert_eq!(fixture.store.record("eden", NOW + HOUR), visit(Some(NOW), false));
    fixture.restarted().record("eden", NOW + 2 * HOUR);
    assert_eq!(
        fixture.store.record("eden", NOW + 3 * HOUR),
        visit(Some(NOW + 2 * HOUR), false),
        "what the other wrote"
    );
    fixture.may_write.store(true, Ordering::Relaxed);
    assert_eq!(fixture.store.record("eden", NOW + 3 * HOUR), visit(Some(NOW + 2 * HOUR), true));
}
