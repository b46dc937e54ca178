//! Tests of a damaged override file: a copy is set aside, the file is never overwritten, and acknowledged changes stay
//! in force.
//!
//! Proves (categories): A damaged override file is set aside, never overwritten, and no acknowledged change is lost.

use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;

use super::*;

/// Three acknowledged values and the file that follows from them.
fn prepared(dir: &Path) -> Vec<u8> {
    let mut writer = override_writer(dir);
    writer.commit(&change_request("ws_1", Some(Category::InfraOps), "r1")).expect("change");
    writer.commit(&change_request("__proto__", Some(Category::QaValidation), "r2")).expect("change");
    writer.commit(&change_request("ws_1", Some(Category::DocsKnowledge), "r3")).expect("change");
    std::fs::read(dir.join(FILE)).expect("read")
}

const IN_FORCE: [&str; 2] = ["__proto__=qa_validation", "ws_1=docs_knowledge"];

fn copies(dir: &Path) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(dir).expect("list").map(|entry| entry.expect("entry").path());
    let copies = entries.filter(|path| path.to_string_lossy().contains(".corrupt-"));
    copies.map(|path| std::fs::read(path).expect("copy")).collect()
}

/// A monitor that starts over `damaged`: reads from the log, refuses to write, keeps the bytes.
fn survives(dir: &Path, damaged: &[u8]) {
    std::fs::write(dir.join(FILE), damaged).expect("damage");
    let mut writer = override_writer(dir);
    let damaged_text = String::from_utf8_lossy(damaged);
    assert_eq!(short(&writer.entries), IN_FORCE, "{damaged_text}");
    assert_eq!(writer.info().state, StoreState::Damaged, "{damaged_text}");
    let refused = writer.commit(&change_request("ws_9", Some(Category::InfraOps), "r9")).expect_err("refused");
    assert!(matches!(refused, WriteError::NotCommitted { disk_full: false, .. }), "{refused}");
    writer.commit(&change_request("ws_1", None, "r10")).expect_err("taking back is a change too");
    writer.refresh();
    assert_eq!(std::fs::read(dir.join(FILE)).expect("read"), damaged, "not one byte is other");
    assert_eq!(copies(dir).iter().filter(|copy| *copy == damaged).count(), 1, "kept once: {damaged_text}");
    assert!(writer.info().kept_aside.is_some());
}

#[test]
fn truncated_file_recovers_from_audit_log() {
    let dir = tempfile::tempdir().expect("dir");
    let whole = prepared(dir.path());
    // Without its last newline, or that and nothing else, it is whole.
    for cut in (0..whole.len() - 1).step_by(count(5, 1) as usize) {
        survives(dir.path(), &whole[..cut]);
    }
}

/// A line larger than a change can be is read in parts and is one bad line, with or without its end.
#[test]
fn overlong_audit_line_counts_once_as_bad() {
    let dir = tempfile::tempdir().expect("dir");
    prepared(dir.path());
    let path = dir.path().join(AUDIT);
    let changes = std::fs::read(&path).expect("read");
    // As long as one part exactly: holes of the file, which take no room on the disk.
    let zeros = std::fs::File::create(&path).expect("create");
    zeros.set_len(append_log::MAX_LINE).expect("zeros");
    let torn = audit::record(&path).expect("record");
    assert_eq!((torn.changes.len(), torn.bad_lines), (0, 1), "its end was never written");
    (&zeros).seek(SeekFrom::End(0)).expect("seek");
    (&zeros).write_all(&[b"\n", changes.as_slice()].concat()).expect("append");
    let ended = audit::record(&path).expect("record");
    assert_eq!((ended.changes.len(), ended.bad_lines), (3, 1), "the lines after it are read");
}

#[test]
fn nuls_wrong_types_and_broken_text_are_damage() {
    let dir = tempfile::tempdir().expect("dir");
    let whole = prepared(dir.path());
    let zeros = vec![0; whole.len()];
    let mut broken = whole.clone();
    broken[whole.len() / 2] = 0xff;
    let twice = [whole.clone(), whole.clone()].concat();
    for damaged in [&zeros[..], b"[]", b"null", b"7", b"\"text\"", b"\n", b"{", &broken, &twice] {
        survives(dir.path(), damaged);
    }
}

#[test]
fn non_file_is_not_replaced_until_removed() {
    let dir = tempfile::tempdir().expect("dir");
    prepared(dir.path());
    let path = dir.path().join(FILE);
    std::fs::remove_file(&path).expect("remove");
    std::fs::create_dir(&path).expect("a folder in its place");
    let mut writer = override_writer(dir.path());
    assert_eq!(short(&writer.entries), IN_FORCE);
    writer.commit(&change_request("ws_9", Some(Category::InfraOps), "r9")).expect_err("refused");
    assert!(path.is_dir());
    std::fs::remove_dir(&path).expect("remove");
    writer.commit(&change_request("ws_9", Some(Category::InfraOps), "r9")).expect("works again");
    assert_eq!(short(&writer.entries), ["__proto__=qa_validation", "ws_1=docs_knowledge", "ws_9=infra_ops"]);
}

#[test]
fn empty_overrides_create_no_file_after_repair() {
    let dir = tempfile::tempdir().expect("dir");
    let path = dir.path().join(FILE);
    std::fs::create_dir(&path).expect("a folder in its place");
    let mut writer = override_writer(dir.path());
    writer.refresh();
    assert_ne!(writer.info().state, StoreState::Ok);
    std::fs::remove_dir(&path).expect("remove");
    writer.refresh();
    assert_eq!((writer.info().state, path.exists()), (StoreState::Ok, false));
}

#[test]
fn removing_damaged_file_rewrites_current_overrides() {
    let dir = tempfile::tempdir().expect("dir");
    let whole = prepared(dir.path());
    std::fs::write(dir.path().join(FILE), &whole[..20]).expect("damage");
    let mut writer = override_writer(dir.path());
    std::fs::remove_file(dir.path().join(FILE)).expect("remove");
    writer.refresh();
    assert_eq!(short(&writer.entries), IN_FORCE);
    assert_eq!(writer.info().state, StoreState::Ok);
    let file: Value = serde_json::from_slice(&std::fs::read(dir.path().join(FILE)).expect("read")).expect("json");
    assert_eq!(file["__proto__"]["collabCategory"], "qa_validation");
    drop(writer);
    let second_writer = super::override_writer(dir.path());
    assert_eq!(short(&second_writer.entries), IN_FORCE, "after a restart too");
}

#[test]
fn repaired_file_is_taken_as_is() {
    let fixture = OverridesFixture::new(|dir| {
        let whole = prepared(dir);
        std::fs::write(dir.join(FILE), &whole[..whole.len() / 2]).expect("damage");
    });
    let (entries, trouble) = fixture.next_update();
    assert_eq!((entries, trouble.len()), (IN_FORCE.map(str::to_owned).to_vec(), 1));
    std::fs::write(fixture.path(), r#"{"ws_7":{"collabCategory":"biz_strategy"}}"#).expect("repair");
    let (entries, trouble) = fixture.next_update();
    assert_eq!((entries, trouble), (vec!["ws_7=biz_strategy".to_owned()], Vec::new()));
    fixture.change("ws_2", Some(Category::InfraOps)).expect("works again");
}

#[test]
fn non_folder_home_has_no_damaged_overrides() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join(".openclaw");
    std::fs::write(&home, "a file").unwrap();
    // Its second look came while a file was in the folder's place, and was reported as a file that cannot be read.
    let mut writer = override_writer(&home);
    writer.refresh();
    assert_eq!(writer.damage, None);
    assert!(
        writer.commit(&change_request("ws_1", Some(Category::QaValidation), "r1")).is_err(),
        "and nothing is written"
    );
}
