//! Tests of mirrors: batches, holes, names of logs, files, and a stop at any moment.

use coordination::api::FleetHole;

use super::*;
use crate::fleet::batch::{BatchPlace, link};

const LIVE: &str = "logs/coordination-events.ndjson";
const ARCHIVE: &str = "logs/coordination-events-2026-02.ndjson";

struct MirrorFixture {
    folder: tempfile::TempDir,
    mirror: Mirror,
}

impl MirrorFixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let mirror = Mirror::open(folder.path(), MirrorState::default()).expect("a mirror").0;
        let mut fixture = Self { folder, mirror };
        fixture.arrange(&[(LIVE, "g1")], &[]);
        fixture
    }

    fn apply(&mut self, generation: &str, batch: &LogBatch) -> BatchOutcome {
        self.mirror.apply(generation, batch).expect("written")
    }

    fn content(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.mirror.home().join(path)).ok()
    }

    fn arrange(&mut self, logs: &[(&str, &str)], files: &[&str]) {
        let logs = logs.iter().map(|(path, generation)| ((*path).to_owned(), (*generation).to_owned())).collect();
        let files = files.iter().map(|path| ((*path).to_owned(), String::new())).collect();
        self.mirror.arrange(Layout { logs, files }).expect("arranged");
    }

    /// Removes so many other logs that the bytes of one that was removed before are gone.
    fn retire_others(&mut self) {
        (0..=101).for_each(|number| self.arrange(&[(LIVE, &format!("other-{number}"))], &[]));
    }

    /// The same after a stop in which nothing was lost but the process.
    fn reopened(self, saved: MirrorState) -> Self {
        let mirror = Mirror::open(self.folder.path(), saved).expect("a mirror").0;
        Self { folder: self.folder, mirror }
    }
}

/// Batches of these texts, one after the other.
fn batches(path: &str, texts: &[&str]) -> Vec<LogBatch> {
    let (mut at, mut before) = (0, FIRST_LINK.to_owned());
    let batch = |text: &&str| {
        let bytes = text.as_bytes().to_vec();
        let after = link(&before, &bytes);
        let to = at + bytes.len() as u64;
        let place = BatchPlace {
            path: path.to_owned(),
            from: at,
            to,
            source_to: to,
            before: std::mem::replace(&mut before, after.clone()),
            after,
            content: FIRST_LINK.to_owned(),
            publisher: "p".to_owned(),
        };
        at = to;
        LogBatch { place, bytes }
    };
    texts.iter().map(batch).collect()
}

#[test]
fn batches_make_the_log_once() {
    let mut fixture = MirrorFixture::new();
    let all = batches(LIVE, &["{\"n\":0}\n", "{\"n\":1}\n", "{\"n\":2}\n"]);
    for batch in &all {
        assert_eq!(fixture.apply("g1", batch), BatchOutcome::Appended);
        assert_eq!(fixture.apply("g1", batch), BatchOutcome::Repeated);
    }
    assert_eq!(fixture.content(LIVE).as_deref(), Some("{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n"));
    assert_eq!(fixture.mirror.bytes(), 24);
    assert_eq!(fixture.mirror.holes(), []);
}

#[test]
fn missing_batch_is_a_hole_with_its_bytes() {
    let mut fixture = MirrorFixture::new();
    let all = batches(LIVE, &["{\"n\":0}\n", "{\"n\":1}\n", "{\"n\":2}\n", "{\"n\":3}\n"]);
    fixture.apply("g1", &all[0]);
    fixture.apply("g1", &all[2]);
    fixture.apply("g1", &all[3]);
    assert_eq!(fixture.content(LIVE).as_deref(), Some("{\"n\":0}\n{\"n\":2}\n{\"n\":3}\n"));
    let hole = FleetHole { path: LIVE.to_owned(), from: 8, to: 16, known_from: None };
    assert_eq!(fixture.mirror.holes(), [hole]);
    assert_eq!(fixture.mirror.bytes(), 24);
    let published = BTreeMap::from([("g1".to_owned(), 40), ("g9".to_owned(), 8)]);
    let lacking = FleetHole { path: LIVE.to_owned(), from: 32, to: 40, known_from: None };
    assert_eq!(fixture.mirror.lacking(&published), [lacking]);
    assert_eq!(
        (fixture.mirror.beyond(&published), fixture.mirror.beyond(&BTreeMap::from([("g1".to_owned(), 24)]))),
        (0, 8)
    );
    assert_eq!(fixture.apply("g1", &all[1]), BatchOutcome::Refused, "too late");
}

#[test]
fn hole_says_from_when_the_log_is_known() {
    let line = |at: &str| format!("{{\"type\":\"a2a.send\",\"timestamp\":\"{at}\"}}\n");
    let (early, late) = (line("2026-02-01T00:00:00.000Z"), line("2026-02-02T00:00:00.000Z"));
    let mut fixture = MirrorFixture::new();
    let all = batches(LIVE, &[&early, &early, &late]);
    fixture.apply("g1", &all[0]);
    fixture.apply("g1", &all[2]);
    assert_eq!(fixture.mirror.holes()[0].known_from, Some(1_769_990_400_000));
}

#[test]
fn hole_is_filled_when_the_log_comes_from_the_beginning_again() {
    let mut fixture = MirrorFixture::new();
    let lines = ["{\"n\":0}\n", "{\"n\":1}\n", "{\"n\":2}\n"];
    let all = batches(LIVE, &lines);
    fixture.apply("g1", &all[0]);
    fixture.apply("g1", &all[2]);
    assert_eq!(fixture.mirror.holes().len(), 1);
    let again = batches(LIVE, &[&lines.concat()]);
    assert_eq!(fixture.apply("g1", &again[0]), BatchOutcome::Appended);
    assert_eq!(fixture.content(LIVE), Some(lines.concat()));
    assert_eq!((fixture.mirror.holes().len(), fixture.mirror.bytes()), (0, 24));
}

#[test]
fn publisher_that_begins_again_continues_the_same_log() {
    for size in 1..=4 {
        let mut fixture = MirrorFixture::new();
        let lines = ["{\"n\":0}\n", "{\"n\":1}\n", "{\"n\":2}\n", "{\"n\":3}\n", "{\"n\":4}\n"];
        for batch in batches(LIVE, &lines[..3]) {
            fixture.apply("g1", &batch);
        }
        // Other batches of the same bytes, with links of their own.
        let again: Vec<String> = lines.chunks(size).map(<[&str]>::concat).collect();
        let again: Vec<&str> = again.iter().map(String::as_str).collect();
        for batch in batches(LIVE, &again) {
            assert_ne!(fixture.apply("g1", &batch), BatchOutcome::Refused, "{size}");
        }
        assert_eq!(fixture.content(LIVE), Some(lines.concat()), "{size}");
        assert_eq!((fixture.mirror.holes().len(), fixture.mirror.state().refused), (0, 0));
        let other = &batches(LIVE, &["{\"m\":0}\n"])[0];
        assert_eq!(fixture.apply("g1", other), BatchOutcome::Refused, "another content");
    }
}

#[test]
fn batches_of_a_log_that_is_gone_take_no_name() {
    let mut fixture = MirrorFixture::new();
    fixture.arrange(&[(LIVE, "g2")], &[]);
    fixture.apply("g0", &batches(LIVE, &["{\"n\":0}\n"])[0]);
    assert_eq!(fixture.content(LIVE), None);
    fixture.apply("g2", &batches(LIVE, &["{\"n\":2}\n"])[0]);
    assert_eq!(fixture.content(LIVE).as_deref(), Some("{\"n\":2}\n"));
}

#[test]
fn log_that_comes_back_is_whole() {
    let mut fixture = MirrorFixture::new();
    let all = batches(LIVE, &["{\"n\":0}\n", "{\"n\":1}\n", "{\"n\":2}\n"]);
    fixture.apply("g1", &all[0]);
    fixture.arrange(&[], &[]);
    assert_eq!((fixture.mirror.bytes(), fixture.content(LIVE)), (0, None), "it is not in the home");
    fixture.apply("g1", &all[1]);
    fixture.mirror.sync().expect("synced");
    let saved = fixture.mirror.state().clone();
    fixture.mirror.prune();
    let mut fixture = fixture.reopened(saved);
    fixture.arrange(&[(LIVE, "g1")], &[]);
    fixture.apply("g1", &all[2]);
    assert_eq!(fixture.content(LIVE).as_deref(), Some("{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n"));
    assert_eq!((fixture.mirror.holes().len(), fixture.mirror.bytes()), (0, 24));
}

#[test]
fn late_batches_of_a_removed_log_are_dropped() {
    let mut fixture = MirrorFixture::new();
    let all = batches(LIVE, &["{\"n\":0}\n", "{\"n\":1}\n"]);
    fixture.apply("g1", &all[0]);
    fixture.retire_others();
    let saved = fixture.mirror.state().clone();
    fixture.mirror.prune();
    let mut fixture = fixture.reopened(saved);
    assert_eq!(fixture.apply("g1", &all[1]), BatchOutcome::Repeated);
    fixture.apply("g2", &batches(LIVE, &["{\"n\":2}\n"])[0]);
    assert_eq!((fixture.mirror.holes().len(), fixture.mirror.bytes()), (0, 8));
    fixture.arrange(&[(LIVE, "g1")], &[]);
    fixture.apply("g1", &all[1]);
    let hole = FleetHole { path: LIVE.to_owned(), from: 0, to: 8, known_from: None };
    assert_eq!(fixture.mirror.holes(), [hole], "it has a name again");
}

#[test]
fn holes_follow_the_name_of_their_log() {
    let mut fixture = MirrorFixture::new();
    let all = batches(LIVE, &["{\"n\":0}\n", "{\"n\":1}\n", "{\"n\":2}\n"]);
    fixture.apply("g1", &all[0]);
    fixture.apply("g1", &all[2]);
    fixture.arrange(&[(LIVE, "g2"), (ARCHIVE, "g1")], &[]);
    assert_eq!(fixture.mirror.holes(), [FleetHole { path: ARCHIVE.to_owned(), from: 8, to: 16, known_from: None }]);
    fixture.arrange(&[(LIVE, "g2")], &[]);
    assert_eq!(fixture.mirror.holes(), []);
}

#[test]
fn other_content_is_refused() {
    let mut fixture = MirrorFixture::new();
    let all = batches(LIVE, &["{\"n\":0}\n", "{\"n\":1}\n"]);
    let other = batches(LIVE, &["{\"m\":0}\n", "{\"m\":1}\n"]);
    fixture.apply("g1", &all[0]);
    assert_eq!(fixture.apply("g1", &other[1]), BatchOutcome::Refused, "another chain");
    let mut overlapping = all[1].clone();
    overlapping.place.from = 4;
    assert_eq!(fixture.apply("g1", &overlapping), BatchOutcome::Refused);
    for (generation, path) in [("../x", LIVE), ("", LIVE), ("g2", "../x.ndjson"), ("g2", "logs/x.txt")] {
        let outcome = fixture.apply(generation, &batches(path, &["{}\n"])[0]);
        assert_eq!(outcome, BatchOutcome::Refused, "{generation} {path}");
    }
    assert_eq!(fixture.mirror.state().refused, 6);
    assert_eq!(fixture.content(LIVE).as_deref(), Some("{\"n\":0}\n"));
}

#[test]
fn renamed_log_is_the_same_file() {
    let mut fixture = MirrorFixture::new();
    fixture.apply("g1", &batches(LIVE, &["{\"n\":0}\n"])[0]);
    fixture.arrange(&[(LIVE, "g1")], &[]);
    let inode =
        |fixture: &MirrorFixture, path: &str| durable::entry_at(&fixture.mirror.home().join(path)).expect("entry").0;
    let before = inode(&fixture, LIVE);
    // The batch of the new log can come before the layout that names both.
    fixture.apply("g2", &batches(LIVE, &["{\"n\":1}\n"])[0]);
    assert_eq!(fixture.content(LIVE).as_deref(), Some("{\"n\":0}\n"), "a layout names it");
    fixture.arrange(&[(LIVE, "g2"), (ARCHIVE, "g1")], &[]);
    assert_eq!(fixture.content(LIVE).as_deref(), Some("{\"n\":1}\n"));
    assert_eq!(inode(&fixture, ARCHIVE), before);
    assert_eq!(fixture.content(ARCHIVE).as_deref(), Some("{\"n\":0}\n"));
    fixture.arrange(&[(LIVE, EMPTY)], &[]);
    assert_eq!(fixture.content(LIVE).as_deref(), Some(""), "truncated");
    assert_eq!(fixture.content(ARCHIVE), None, "removed");
    assert_eq!(fixture.mirror.bytes(), 0);
}

#[test]
fn layout_may_come_before_its_logs() {
    let mut fixture = MirrorFixture::new();
    fixture.arrange(&[(LIVE, "g2"), (ARCHIVE, "g1")], &[]);
    fixture.apply("g1", &batches(LIVE, &["{\"n\":0}\n"])[0]);
    fixture.apply("g2", &batches(LIVE, &["{\"n\":1}\n"])[0]);
    assert_eq!(fixture.content(ARCHIVE).as_deref(), Some("{\"n\":0}\n"));
    assert_eq!(fixture.content(LIVE).as_deref(), Some("{\"n\":1}\n"));
}

#[test]
fn files_are_replaced_and_removed_as_the_layout_says() {
    let mut fixture = MirrorFixture::new();
    let task = "workspace-eden/tasks/task_1234567890.md";
    for bytes in [b"# One\n", b"# Two\n"] {
        fixture.mirror.replace(task, bytes).expect("written");
    }
    fixture.mirror.replace("../outside", b"x").expect("refused");
    assert_eq!(fixture.mirror.state().refused, 1);
    fixture.arrange(&[], &[task]);
    assert_eq!(fixture.content(task).as_deref(), Some("# Two\n"));
    fixture.arrange(&[("../x", "g1")], &[]);
    assert_eq!(fixture.content(task).as_deref(), Some("# Two\n"), "a layout with a foreign path changes nothing");
    fixture.arrange(&[], &[]);
    assert_eq!(fixture.content(task), None);
}

#[test]
fn repeating_what_came_after_the_saved_state_changes_nothing() {
    let texts: Vec<String> = (0..40).map(|number| format!("{{\"number\":{number}}}\n")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let all = batches(LIVE, &texts);
    for saved_at in [0, 1, 17, 39] {
        for stopped_at in [saved_at, saved_at + 1, 40] {
            let mut fixture = MirrorFixture::new();
            let mut saved = fixture.mirror.state().clone();
            for (number, batch) in all.iter().take(stopped_at).enumerate() {
                if number == saved_at {
                    fixture.mirror.sync().expect("synced");
                    saved = fixture.mirror.state().clone();
                }
                fixture.apply("g1", batch);
            }
            let mut fixture = fixture.reopened(saved);
            for batch in &all {
                assert_ne!(fixture.apply("g1", batch), BatchOutcome::Refused);
            }
            assert_eq!(fixture.content(LIVE), Some(texts.concat()), "saved at {saved_at}, stopped at {stopped_at}");
            assert_eq!(fixture.mirror.holes(), []);
        }
    }
}

#[test]
fn log_that_is_not_as_it_was_saved_is_read_again() {
    let mut fixture = MirrorFixture::new();
    fixture.apply("g1", &batches(LIVE, &["{\"n\":0}\n"])[0]);
    let saved = fixture.mirror.state().clone();
    // A log that is gone keeps its file until a state without it is saved.
    fixture.retire_others();
    let (mirror, is_whole) = Mirror::open(fixture.folder.path(), saved.clone()).expect("a mirror");
    assert!(is_whole && mirror.bytes() == 8);
    fixture.mirror.prune();
    let (mirror, is_whole) = Mirror::open(fixture.folder.path(), saved).expect("a mirror");
    assert!(!is_whole && mirror.bytes() == 0);
}

#[test]
fn mirror_without_saved_state_begins_empty() {
    let mut fixture = MirrorFixture::new();
    fixture.mirror.replace("team-state.json", b"{}").expect("written");
    let (mirror, _) = Mirror::open(fixture.folder.path(), MirrorState::default()).expect("a mirror");
    assert!(!mirror.home().join("team-state.json").exists());
}

#[test]
fn equal_file_is_not_written_again_and_a_removed_one_is_gone() {
    let mut fixture = MirrorFixture::new();
    let inode = |fixture: &MirrorFixture| {
        durable::entry_at(&fixture.mirror.home().join("team-state.json")).map(|entry| entry.0)
    };
    fixture.mirror.replace("team-state.json", b"{}").expect("written");
    let before = inode(&fixture).expect("a file");
    fixture.mirror.replace("team-state.json", b"{}").expect("written");
    assert_eq!(inode(&fixture).expect("a file"), before);
    std::fs::write(fixture.mirror.home().join("team-state.json"), "").expect("emptied, as by a power loss");
    fixture.mirror.replace("team-state.json", b"{}").expect("written");
    assert_eq!(fixture.content("team-state.json").as_deref(), Some("{}"));
    fixture.mirror.remove("team-state.json").expect("removed");
    assert!(inode(&fixture).is_err());
    fixture.mirror.remove("../x").expect("refused");
    assert_eq!(fixture.mirror.state().refused, 1);
}

#[test]
fn names_of_logs_are_those_of_the_saved_state() {
    let mut fixture = MirrorFixture::new();
    fixture.apply("g1", &batches(LIVE, &["{\"n\":0}\n"])[0]);
    let saved = fixture.mirror.state().clone();
    // A rotation that the saved state does not have.
    fixture.arrange(&[(LIVE, "g2"), (ARCHIVE, "g1")], &[]);
    fixture.apply("g2", &batches(LIVE, &["{\"n\":1}\n"])[0]);
    assert_eq!(fixture.content(ARCHIVE).as_deref(), Some("{\"n\":0}\n"));
    let mut fixture = fixture.reopened(saved);
    assert_eq!(fixture.content(LIVE).as_deref(), Some("{\"n\":0}\n"));
    assert_eq!(fixture.content(ARCHIVE), None);
    // The home lost the archive meanwhile.
    fixture.arrange(&[(LIVE, "g2")], &[]);
    fixture.apply("g2", &batches(LIVE, &["{\"n\":1}\n"])[0]);
    assert_eq!(fixture.content(LIVE).as_deref(), Some("{\"n\":1}\n"));
    assert_eq!(fixture.content(ARCHIVE), None);
}
