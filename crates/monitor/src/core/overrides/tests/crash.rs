//! Test of a crash at every disk call of the override store's write path, also in the middle of a write. Acknowledged
//! changes survive.
//!
//! Proves (categories): Acknowledged changes survive a crash at any call of the write path.

use std::path::Path;

use super::*;
use crate::fs::durable::faults::{self, DiskFault};

/// A commit that dies before its call number `after`; nothing it would do later happens. False when it was through.
fn dies(dir: &Path, after: usize, tears: bool) -> bool {
    let mut before = override_writer(dir);
    before.commit(&change_request("ws_1", Some(Category::InfraOps), "one")).expect("change");
    before.commit(&change_request("ws_2", Some(Category::InfraOps), "two")).expect("change");
    drop(before);
    let (acknowledged, died) = faults::with_fault(DiskFault { after, error: 5, lasting: true, tears }, || {
        let mut dying = override_writer(dir);
        dying.commit(&change_request("ws_1", Some(Category::QaValidation), "three")).is_ok()
    });
    let mut next = override_writer(dir);
    assert!(next.damage.is_none(), "the file is whole: {:?}", next.damage);
    let now = next.entries[&SessionId::from("ws_1")].collab_category;
    assert!(now == Category::QaValidation || (now == Category::InfraOps && !acknowledged), "after {after}: {now:?}");
    assert_eq!(next.entries[&SessionId::from("ws_2")].collab_category, Category::InfraOps);
    next.commit(&change_request("ws_3", Some(Category::DocsKnowledge), "four")).expect("works again");
    let summary = append_log::read::<LastChanges>(&dir.join(AUDIT)).expect("audit");
    assert_eq!(summary.entries(), next.entries, "the log leads to the file");
    assert_eq!(std::fs::read_dir(dir).expect("list").count(), 2, "no temporary file is left");
    died
}

#[test]
fn crash_at_any_call_keeps_acknowledged_changes() {
    die_at_each_call(dies);
}
