//! Tests of the file of shared records (notes, resolved marks, views for everybody): crashes and failed disk calls, lines
//! of other programs, torn lines, and writers that change the same record.
//!
//! Proves (shared): A shared record is in force exactly when its change was acknowledged or its line is whole in the file,
//! after a crash at any call of the write path, on a failing disk and beside other programs.

use coordination::api::{Note, NotePlace, SharedContent};
use coordination::shared_records::SharedRecords;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::super::append_log;
use super::super::shared::SharedChange;
use super::*;
use crate::fs::durable::faults::{self, DiskFault};

const SHARED: &str = "task-hub-shared.ndjson";

fn change(id: &str, text: Option<&str>, expected: Option<u32>) -> SharedChange {
    let place = NotePlace { work_session_id: "ws_1".into(), thread_id: None, event_id: None };
    let content = text.map(|text| SharedContent::Note(Note { place, text: text.to_owned() }));
    SharedChange { id: id.to_owned(), content, expected, by: Some("운영자".to_owned()), request_id: String::new() }
}

fn on_disk(dir: &Path) -> SharedRecords {
    append_log::read::<SharedRecords>(&dir.join(SHARED)).expect("file").state
}

fn text(records: &SharedRecords, id: &str) -> Option<String> {
    records.get(id).map(|record| record.content.text().to_owned())
}

/// A change that dies before its disk call number `after`. False when it was through.
fn dies(dir: &Path, after: usize, tears: bool) -> bool {
    let mut before = override_writer(dir);
    before.change_shared(change("a", Some("하나"), Some(0))).expect("change");
    drop(before);
    let (acknowledged, died) = faults::with_fault(DiskFault { after, error: 5, lasting: true, tears }, || {
        let mut dying = override_writer(dir);
        let first = dying.change_shared(change("a", Some("둘"), Some(1))).is_ok();
        (first, dying.change_shared(change("b", Some("셋"), Some(0))).is_ok())
    });
    let mut next = override_writer(dir);
    let now = on_disk(dir);
    assert!(matches!(text(&now, "a").as_deref(), Some("하나" | "둘")), "after {after}");
    assert!(!acknowledged.0 || text(&now, "a").as_deref() == Some("둘"), "after {after}");
    assert!(!acknowledged.1 || text(&now, "b").as_deref() == Some("셋"), "after {after}");
    next.change_shared(change("c", Some("넷"), Some(0))).expect("works again");
    assert_eq!(text(&on_disk(dir), "c").as_deref(), Some("넷"), "after {after}: a torn line ends before the next");
    assert_eq!(std::fs::read_dir(dir).expect("list").count(), 1, "no temporary file is left");
    died
}

#[test]
fn crash_at_any_call_keeps_acknowledged_records() {
    die_at_each_call(dies);
}

#[test]
fn concurrent_edit_is_refused_and_names_the_other() {
    let dir = tempfile::tempdir().expect("dir");
    let mut writer = override_writer(dir.path());
    writer.change_shared(change("a", Some("하나"), Some(0))).expect("change");
    writer.change_shared(change("a", Some("둘"), Some(1))).expect("change");
    let lost = writer.change_shared(change("a", Some("셋"), Some(1))).expect_err("somebody was first");
    assert_eq!(lost.to_string(), "somebody else changed it meanwhile: it is at revision 2 by 운영자 now");
    let repeated = writer.change_shared(change("a", Some("둘"), Some(1))).expect("the answer was lost");
    assert_eq!(repeated.revision, 2);
    let lines = std::fs::read_to_string(dir.path().join(SHARED)).expect("file");
    assert_eq!(lines.lines().count(), 2, "a refused and a repeated change write nothing: {lines}");
}

#[test]
fn second_monitor_reads_and_does_not_write() {
    let dir = tempfile::tempdir().expect("dir");
    let mut first = override_writer(dir.path());
    let mut second = override_writer(dir.path());
    let refused = second.change_shared(change("a", Some("하나"), Some(0))).expect_err("the first one writes");
    assert!(refused.to_string().contains("another monitor writes this home"), "{refused}");
    first.change_shared(change("a", Some("하나"), Some(0))).expect("change");
    drop(first);
    let taken = second.change_shared(change("a", Some("둘"), Some(1))).expect("the lock is free now");
    assert_eq!((taken.revision, text(&on_disk(dir.path()), "a").as_deref()), (2, Some("둘")));
}

#[test]
fn full_disk_and_unreadable_file_refuse_the_change() {
    let dir = tempfile::tempdir().expect("dir");
    let mut writer = override_writer(dir.path());
    writer.change_shared(change("a", Some("하나"), Some(0))).expect("change");
    for after in 0.. {
        let fault = DiskFault { after, error: 28, lasting: false, tears: true };
        let (outcome, struck) = faults::with_fault(fault, || writer.change_shared(change("a", Some("둘"), None)));
        let now = text(&on_disk(dir.path()), "a");
        match outcome {
            Ok(_) => assert_eq!(now.as_deref(), Some("둘"), "call {after}"),
            Err(_) => assert_eq!(now.as_deref(), Some("하나"), "call {after}"),
        }
        if !struck {
            break;
        }
        writer.change_shared(change("a", Some("하나"), None)).expect("the disk works again");
    }
    std::fs::remove_file(dir.path().join(SHARED)).expect("remove");
    std::fs::create_dir(dir.path().join(SHARED)).expect("a folder in its place");
    let refused = writer.change_shared(change("a", Some("셋"), None)).expect_err("no file");
    assert!(refused.to_string().contains("the file of shared records cannot be read"), "{refused}");
    std::fs::remove_dir(dir.path().join(SHARED)).expect("remove");
    writer.refresh();
    assert!(text(&on_disk(dir.path()), "a").is_some(), "the records in force are written in its place");
    writer.change_shared(change("a", Some("셋"), None)).expect("works again");
}

#[test]
fn line_of_another_program_is_never_cut_off() {
    for after in 0..40 {
        let dir = tempfile::tempdir().expect("dir");
        let mut writer = override_writer(dir.path());
        writer.change_shared(change("a", Some("하나"), Some(0))).expect("change");
        let path = dir.path().to_owned();
        let content = json!({"kind": "view", "name": "남의 것", "path": "/all"});
        let line = json!({"at": 1, "id": "theirs", "revision": 1, "content": content});
        let act = move || append(&path, format!("{line}\n").as_bytes());
        let (outcome, acted) = faults::meanwhile(after, act, || writer.change_shared(change("b", Some("둘"), Some(0))));
        let now = on_disk(dir.path());
        assert!(now.get("theirs").is_some() == acted, "call {after}: {outcome:?}");
        assert!(text(&now, "b").is_some() || outcome.is_err(), "call {after}");
        writer.refresh();
        writer.refresh();
        assert_eq!(*writer.shared.records(), now, "call {after}: the next look finds it");
        if !acted {
            return;
        }
    }
    panic!("a change has fewer calls");
}

#[test]
fn records_of_another_home_at_the_path_are_forgotten() {
    let parent = tempfile::tempdir().expect("dir");
    let home = parent.path().join("home");
    std::fs::create_dir(&home).expect("home");
    let mut writer = override_writer(&home);
    writer.change_shared(change("a", Some("하나"), Some(0))).expect("change");
    std::fs::rename(&home, parent.path().join("old")).expect("away");
    std::fs::create_dir(&home).expect("another home");
    writer.shared.unpublished = false;
    writer.refresh();
    assert_eq!((writer.shared.records(), writer.shared.unpublished), (&SharedRecords::default(), true));
}

/// Something that happens to a home.
#[derive(Debug, Clone)]
enum SharedStep {
    /// A person writes or removes a record.
    Change(usize, Option<u8>),
    /// The same on a disk that fails at some call, once or for good.
    Trouble(usize, Option<u8>, usize, bool),
    /// Another program appends a line.
    Foreign(usize, Option<u8>),
    /// A line without an end, as a power cut leaves it.
    Tear,
    /// A new process.
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<SharedStep>> {
    let (id, text) = (0..3_usize, prop::option::of(any::<u8>()));
    let step = prop_oneof![
        6 => (id.clone(), text.clone()).prop_map(|(id, text)| SharedStep::Change(id, text)),
        3 => (id.clone(), text.clone(), 0..16_usize, any::<bool>())
            .prop_map(|(id, text, at, lasting)| SharedStep::Trouble(id, text, at, lasting)),
        2 => (id, text).prop_map(|(id, text)| SharedStep::Foreign(id, text)),
        1 => Just(SharedStep::Tear),
        2 => Just(SharedStep::Restart),
    ];
    prop::collection::vec(step, 1..24)
}

fn append(dir: &Path, line: &[u8]) {
    use std::io::Write as _;
    let file = std::fs::OpenOptions::new().create(true).append(true).open(dir.join(SHARED));
    file.and_then(|mut file| file.write_all(line)).expect("append");
}

proptest! {
    #![proptest_config({
        let rng_seed = if count(0, 1) == 0 { RngSeed::Fixed(27) } else { RngSeed::Random };
        ProptestConfig { cases: count(40, 1000), rng_seed, ..ProptestConfig::default() }
    })]

    #[test]
    fn records_in_force_are_the_replay_of_the_file(steps in steps()) {
        let dir = tempfile::tempdir().expect("dir");
        let mut writer = Some(override_writer(dir.path()));
        let names = ["a", "__proto__", "Z-9"];
        let words = |text: Option<u8>| text.map(|text| format!("메모 {text}"));
        for (number, step) in steps.iter().enumerate() {
            let now = writer.as_mut().expect("a writer");
            match *step {
                SharedStep::Change(id, text) => {
                    let words = words(text);
                    now.change_shared(change(names[id], words.as_deref(), None)).expect("a good disk");
                    assert_eq!(self::text(&on_disk(dir.path()), names[id]), words, "acknowledged");
                }
                SharedStep::Trouble(id, text, after, lasting) => {
                    let (before, words) = (on_disk(dir.path()), words(text));
                    let fault = DiskFault { after, error: 28, lasting, tears: after % 2 == 0 };
                    let change = change(names[id], words.as_deref(), None);
                    let outcome = faults::with_fault(fault, || now.change_shared(change)).0;
                    let after = self::text(&on_disk(dir.path()), names[id]);
                    match outcome {
                        Ok(_) => assert_eq!(after, words),
                        // The line may be there: it was not acknowledged.
                        Err(_) => assert!(after == self::text(&before, names[id]) || after == words),
                    }
                }
                SharedStep::Foreign(id, text) => {
                    let (id, content) = (names[id], words(text));
                    let place = json!({"workSessionId": "ws_1"});
                    let content = content.map(|text| json!({"kind": "note", "place": place, "text": text}));
                    append(dir.path(), format!("\n{}\n", json!({"at": number, "id": id, "revision": 90, "content": content})).as_bytes());
                }
                SharedStep::Tear => append(dir.path(), br#"{"at":17716,"id":"a","rev"#),
                SharedStep::Restart => {
                    drop(writer.take());
                    writer = Some(override_writer(dir.path()));
                }
            }
            let now = writer.as_mut().expect("a writer");
            now.refresh();
            assert_eq!(*now.shared.records(), on_disk(dir.path()), "{step:?}");
        }
    }
}
