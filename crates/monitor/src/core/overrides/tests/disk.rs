//! Tests of a disk error at every disk call of a category change. If the change is reported as failed, the override
//! file has its old bytes. If only the last sync to disk fails, the change is reported as uncertain, and the file has
//! the new entries. Later changes succeed. Also tests edits by another program during a write.
//!
//! Proves (categories): After an error of any disk call the override file is complete. It has the old or the new
//! entries, whichever the answer states, and later writes succeed.

use std::path::Path;

use super::*;
use crate::fs::durable::faults::{self, DiskFault};

/// Full, input/output error, read-only, too many open files, permission denied, over quota.
const ERRORS: [i32; 6] = [28, 5, 30, 24, 13, 122];
const FULL: [i32; 2] = [28, 122];

fn bytes(dir: &Path) -> Vec<u8> {
    std::fs::read(dir.join(FILE)).expect("read")
}

fn file(dir: &Path) -> Value {
    serde_json::from_slice(&bytes(dir)).expect("valid JSON")
}

/// The log leads to the file, and nothing but the two lies there.
fn assert_whole(dir: &Path, writer: &OverrideWriter) {
    let summary = append_log::read::<LastChanges>(&dir.join(AUDIT)).expect("audit");
    assert_eq!(summary.entries(), writer.entries);
    assert_eq!(std::fs::read_dir(dir).expect("list").count(), 2, "no temporary file is left");
}

/// One change on a disk with this fault, then one on a good disk. False when the fault came too late to strike.
fn commit_with_fault(dir: &Path, fault: DiskFault) -> bool {
    let mut writer = override_writer(dir);
    writer.commit(&change_request("ws_old", Some(Category::InfraOps), "old")).expect("a good disk");
    std::fs::write(dir.join(FILE), {
        let mut held = file(dir);
        held["others"] = json!({"kept": true});
        held.to_string()
    })
    .expect("an edit by hand");
    let before = bytes(dir);
    let (outcome, struck) =
        faults::with_fault(fault, || writer.commit(&change_request("ws_new", Some(Category::QaValidation), "new")));
    match &outcome {
        Ok(_) => assert_eq!(file(dir)["ws_new"]["collabCategory"], "qa_validation", "{fault:?}"),
        Err(WriteError::NotCommitted { disk_full, cause }) => {
            assert_eq!(bytes(dir), before, "{fault:?}: {cause}");
            assert!(!disk_full || FULL.contains(&fault.error), "{fault:?}: {cause}");
        }
        Err(WriteError::Conflict { .. }) => panic!("no override was expected: {fault:?}"),
        Err(WriteError::Uncertain { .. }) => {
            assert_eq!(file(dir)["ws_new"]["collabCategory"], "qa_validation", "{fault:?}");
            assert!(writer.unconfirmed);
            writer.refresh();
            assert!(!writer.unconfirmed, "the next look makes it durable");
        }
    }
    writer.commit(&change_request("ws_next", Some(Category::DocsKnowledge), "next")).expect("the disk is good again");
    let held = file(dir);
    assert_eq!(held["ws_old"]["collabCategory"], "infra_ops", "{fault:?}");
    assert_eq!(held["ws_next"]["collabCategory"], "docs_knowledge", "{fault:?}");
    assert_eq!(held["others"]["kept"], true, "{fault:?}");
    assert_eq!(held.get("ws_new").is_some(), !matches!(outcome, Err(WriteError::NotCommitted { .. })), "{fault:?}");
    assert_whole(dir, &writer);
    struck
}

#[test]
fn disk_fault_is_reported_and_keeps_old_bytes() {
    for error in &ERRORS[..count(2, 6) as usize] {
        for (lasting, tears) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut after = 0;
            loop {
                let dir = tempfile::tempdir().expect("dir");
                if !commit_with_fault(dir.path(), DiskFault { after, error: *error, lasting, tears }) {
                    break;
                }
                after += 1;
            }
            assert!(after > 10, "the write path has more calls than {after}");
        }
    }
}

#[test]
fn concurrent_foreign_edit_survives_until_rename() {
    let (mut after, mut lost) = (0, 0);
    loop {
        let dir = tempfile::tempdir().expect("dir");
        let mut writer = override_writer(dir.path());
        writer.commit(&change_request("ws_old", Some(Category::InfraOps), "old")).expect("change");
        let home = dir.path().to_owned();
        let edit = move || {
            let mut held = file(&home);
            held["ws_other"] = json!({"collabCategory": "biz_strategy", "updatedAt": "then"});
            std::fs::write(home.join("edited"), held.to_string()).expect("write");
            std::fs::rename(home.join("edited"), home.join(FILE)).expect("rename");
        };
        let (outcome, edited) = faults::meanwhile(after, edit, || {
            writer.commit(&change_request("ws_new", Some(Category::QaValidation), "new"))
        });
        outcome.expect("a good disk");
        if !edited {
            break;
        }
        writer.refresh();
        let held = file(dir.path());
        assert_eq!((held.get("ws_old").is_some(), held.get("ws_new").is_some()), (true, true), "after call {after}");
        lost += u32::from(held.get("ws_other").is_none());
        assert_whole(dir.path(), &writer);
        after += 1;
    }
    assert!(after > 10, "the write path has more calls than {after}");
    // Nothing can compare and rename in one step: before that one call is too late.
    assert!(lost <= 1, "the edit was lost at {lost} of {after} calls");
}

#[test]
fn full_disk_is_reported_as_full() {
    let dir = tempfile::tempdir().expect("dir");
    let mut writer = override_writer(dir.path());
    let mut full = 0;
    for after in 0..40 {
        let fault = DiskFault { after, error: FULL[0], lasting: false, tears: true };
        let (outcome, _) =
            faults::with_fault(fault, || writer.commit(&change_request("ws_1", Some(Category::InfraOps), "r")));
        full += u32::from(matches!(outcome, Err(WriteError::NotCommitted { disk_full: true, .. })));
    }
    assert!(full > 5, "only {full} answers named it");
}

#[test]
fn failed_copy_of_damaged_file_is_retried() {
    let dir = tempfile::tempdir().expect("dir");
    std::fs::write(dir.path().join(FILE), "{").expect("damage");
    let fault = DiskFault { after: 0, error: 28, lasting: true, tears: true };
    let (mut writer, _) = faults::with_fault(DiskFault { after: 5, ..fault }, || override_writer(dir.path()));
    writer.refresh();
    assert!(writer.info().kept_aside.is_some());
    let copies = std::fs::read_dir(dir.path()).expect("list").count();
    assert_eq!(copies, 2, "the file and one copy");
}
