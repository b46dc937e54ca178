//! Tests of the file of classifier rules: failed disk calls, preserved fields of other programs, preserved file mode,
//! and recovery after a person removes an unreadable file.
//!
//! Proves (categories): After a failed disk call the rules file has the old rules, unless the answer reports the new
//! ones as written.

use coordination::api::{Taught, TaughtPut, TaughtWord};

use super::*;
use crate::fs::durable::faults::{self, DiskFault};

const LESSONS: &str = "task-hub-classifier.json";

fn put(word: &str) -> TaughtPut {
    let word = TaughtWord { word: word.to_owned(), category: Category::InfraOps, weight: 1.5 };
    TaughtPut { config: Taught { words: vec![word], agents: Vec::new() }, ..TaughtPut::default() }
}

impl OverrideWriter {
    fn teach_now(&mut self, put: &TaughtPut) -> Result<(), WriteError> {
        let (answer, mut reply) = oneshot::channel();
        self.answer_rules_change(put, answer);
        reply.try_recv().expect("an answer").map(drop)
    }
}

fn words(dir: &Path) -> Value {
    serde_json::from_str::<Value>(&std::fs::read_to_string(dir.join(LESSONS)).expect("file")).expect("json")["words"]
        .clone()
}

#[test]
fn failed_rules_write_keeps_old_or_acknowledged_rules() {
    let dir = tempfile::tempdir().expect("dir");
    let mut first = override_writer(dir.path());
    first.info().pending += 1000;
    first.teach_now(&put("배포")).expect("taught");
    let old = words(dir.path());
    drop(first);
    for tears in [false, true] {
        for after in 0.. {
            let mut writer = override_writer(dir.path());
            writer.info().pending += 1;
            let fault = DiskFault { after, error: 28, lasting: false, tears };
            let (outcome, struck) = faults::with_fault(fault, || writer.teach_now(&put("결제")));
            let now = words(dir.path());
            match outcome {
                // After the rename only the confirmation is missing.
                Ok(()) | Err(WriteError::Uncertain { .. }) => assert_ne!(now, old, "call {after}"),
                Err(_) => assert_eq!(now, old, "call {after}"),
            }
            if !struck {
                assert!(after >= 4, "{after} calls were struck");
                break;
            }
            drop(writer);
            std::fs::write(dir.path().join(LESSONS), json!({ "words": old }).to_string()).expect("write");
        }
        std::fs::write(dir.path().join(LESSONS), json!({ "words": old }).to_string()).expect("write");
    }
}

#[test]
fn foreign_keys_and_file_mode_survive() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().expect("dir");
    let path = dir.path().join(LESSONS);
    std::fs::write(&path, r#"{"note": "ours", "words": []}"#).expect("write");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).expect("mode");
    let mut writer = override_writer(dir.path());
    writer.info().pending += 1;
    writer.teach_now(&put("배포")).expect("taught");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(&path).expect("file")).expect("json");
    assert_eq!((file["note"].as_str(), file["updatedAt"].as_str()), (Some("ours"), Some("2026-02-21T05:17:00.000Z")));
    assert_eq!(std::fs::metadata(&path).expect("meta").permissions().mode() & 0o777, 0o640);
    let left: Vec<_> = std::fs::read_dir(dir.path()).expect("list").map(|it| it.expect("entry").file_name()).collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn unconfirmed_change_is_acknowledged_after_confirmation() {
    let dir = tempfile::tempdir().expect("dir");
    let mut writer = override_writer(dir.path());
    writer.info().pending += 1000;
    writer.teach_now(&put("배포")).expect("taught");
    let (done, calls) = faults::calls(|| writer.teach_now(&put("환불")));
    done.expect("taught");
    // The last call is the folder's: a repeated request syncs again until the result is sure.
    let last = DiskFault { after: calls - 1, error: 5, lasting: true, tears: false };
    let (outcome, struck) = faults::with_fault(last, || {
        let first = writer.teach_now(&put("결제"));
        assert!(matches!(first, Err(WriteError::Uncertain { .. })), "{first:?}");
        writer.teach_now(&put("결제"))
    });
    assert!(struck && outcome.is_err(), "{outcome:?}");
    writer.teach_now(&put("결제")).expect("on a good disk it is sure");
}

#[test]
fn removing_unreadable_rules_file_keeps_rules() {
    let dir = tempfile::tempdir().expect("dir");
    let path = dir.path().join(LESSONS);
    let mut writer = override_writer(dir.path());
    writer.info().pending += 1000;
    writer.teach_now(&put("배포")).expect("taught");
    let taught = words(dir.path());
    std::fs::write(&path, "{torn").expect("write");
    writer.refresh();
    assert!(writer.teach_now(&put("결제")).is_err(), "it is not written over");
    std::fs::remove_file(&path).expect("remove");
    writer.refresh();
    assert_eq!(words(dir.path()), taught);
    writer.teach_now(&put("결제")).expect("and it can be taught again");
    // Removing a readable file removes its rules.
    std::fs::remove_file(&path).expect("remove");
    writer.refresh();
    assert!(!path.exists());
}
