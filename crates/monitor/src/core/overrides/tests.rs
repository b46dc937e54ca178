//! Tests of the override store (manual categories and classifier rules) on real files.
//!
//! Proves (categories): Category changes, alone or in a batch, are stored in the existing file format and keep the
//! entries of other programs. A failed or conflicting change stores nothing.

mod crash;
mod damage;
mod disk;
mod laws;
mod planted;
mod rules;
mod shared;

use std::path::Path;
use std::time::Duration;

use coordination::api::{StoreState, Unreadable};
use serde_json::{Value, json};

use super::audit::LastChanges;
use super::writer::OverrideWriter;
use super::*;
use crate::clock::ServerClock;
use crate::fs::durable::faults;
use crate::home::HomeDir;
use crate::inputs::LookReport;
use crate::sink::ValueSink;

const NOW: i64 = 1_771_651_020_000;
const FILE: &str = "work-session-category-overrides.json";
const AUDIT: &str = "work-session-category-audit.ndjson";

/// Long counts under `make soak`.
fn count(short: u32, long: u32) -> u32 {
    if std::env::var_os("TASK_HUB_SOAK").is_some() { long } else { short }
}

impl OverrideWriter {
    /// One change alone.
    fn commit(&mut self, change: &OverrideChange) -> Result<Option<ManualOverride>, WriteError> {
        self.commit_all(std::slice::from_ref(change))?.pop().expect("one answer")
    }
}

/// The writer itself, without its thread: a test makes every step.
fn override_writer(dir: &Path) -> OverrideWriter {
    OverrideWriter::new(
        HomeDir::new(dir),
        ServerClock::fixed(NOW),
        ValueSink::new(|_| true),
        OverrideStoreShared::default(),
    )
}

/// Runs `dies` in a new folder for each disk call of a start and a change, which also may fail in the middle of a write. It
/// is false once the change was through.
fn die_at_each_call(dies: impl Fn(&Path, usize, bool) -> bool) {
    for tears in [false, true] {
        let in_new_folder = |after| dies(tempfile::tempdir().expect("dir").path(), after, tears);
        let calls = (0..).take_while(|after| in_new_folder(*after)).count();
        assert!(calls > 10, "start and change have more calls than {calls}");
    }
}

fn change_request(id: &str, category: Option<Category>, request_id: &str) -> OverrideChange {
    let by = Some("운영자".to_owned());
    OverrideChange {
        session_id: id.into(),
        category,
        by,
        reason: None,
        request_id: request_id.to_owned(),
        expected: None,
    }
}

/// Entries as short texts to compare.
fn short(entries: &std::collections::BTreeMap<SessionId, ManualOverride>) -> Vec<String> {
    entries.iter().map(|(id, manual)| format!("{id}={}", manual.collab_category.as_str())).collect()
}

struct OverridesFixture {
    dir: tempfile::TempDir,
    store: OverrideStore,
    updates: mpsc::Receiver<OverrideStoreUpdate>,
}

impl OverridesFixture {
    fn new(prepare: impl FnOnce(&Path)) -> Self {
        let dir = tempfile::tempdir().expect("dir");
        prepare(dir.path());
        let (sender, updates) = mpsc::channel();
        let mut settings = Settings::for_home(HomeDir::new(dir.path()));
        settings.clock = ServerClock::fixed(NOW);
        let store = OverrideStore::start(
            &settings,
            ValueSink::new(move |update| sender.send(update).is_ok()),
            LookReport::default(),
        )
        .expect("start");
        Self { dir, store, updates }
    }

    /// The next update that the store sends to the hub, waiting for it.
    fn next_update(&self) -> (Vec<String>, Vec<Unreadable>) {
        match self.updates.recv_timeout(Duration::from_secs(20)).expect("an update within 20 s") {
            OverrideStoreUpdate::Overrides { entries, trouble, applied } => {
                drop(applied);
                (short(&entries), trouble)
            }
            // At the start it is reported that there are none.
            OverrideStoreUpdate::Shared { records, .. } if records.is_empty() => self.next_update(),
            other @ (OverrideStoreUpdate::Rules { .. } | OverrideStoreUpdate::Shared { .. }) => {
                panic!("unexpected {other:?}")
            }
        }
    }

    fn change(&self, id: &str, category: Option<Category>) -> Result<Option<ManualOverride>, WriteError> {
        let change = change_request(id, category, &format!("r-{id}-{}", category.map_or("auto", Category::as_str)));
        let store = self.store.clone();
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("runtime");
        std::thread::scope(|scope| {
            let worker = scope.spawn(move || runtime.block_on(store.change(change)));
            while !worker.is_finished() {
                // Dropping the sender confirms to the store that the hub has it.
                drop(self.updates.recv_timeout(Duration::from_millis(20)));
            }
            worker.join().expect("join")
        })
    }

    fn file(&self) -> Value {
        serde_json::from_str(&self.text()).expect("json")
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.path()).expect("read")
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join(FILE)
    }
}

#[test]
fn change_is_stored_in_existing_format() {
    let fixture = OverridesFixture::new(|_| {});
    let manual = fixture.change("ws_1", Some(Category::InfraOps)).expect("change").expect("override");
    assert_eq!(manual.updated_at, "2026-02-21T05:17:00.000Z");
    let expected = "{\n  \"ws_1\": {\n    \"collabCategory\": \"infra_ops\",\n    \"updatedAt\": \"2026-02-21T05:17:00.000Z\",\n    \"updatedBy\": \"운영자\"\n  }\n}\n";
    assert_eq!(fixture.text(), expected);
    let leftovers = std::fs::read_dir(fixture.dir.path()).expect("list").count();
    assert_eq!(leftovers, 2, "only the file and the audit log");
}

#[test]
fn entries_and_keys_of_others_survive_a_change() {
    let fixture = OverridesFixture::new(|dir| {
        let text = json!({"ws_x": {"collabCategory": "galactic", "colour": "red"}, "ws_1": {"collabCategory": "infra_ops", "note": 7}, "note": "hi"});
        std::fs::write(dir.join(FILE), text.to_string()).expect("write");
    });
    assert_eq!(fixture.next_update().0, ["ws_1=infra_ops"], "unknown categories and shapes are skipped");
    fixture.change("ws_1", Some(Category::DocsKnowledge)).expect("change");
    let file = fixture.file();
    assert_eq!(file["ws_x"], json!({"collabCategory": "galactic", "colour": "red"}));
    assert_eq!(file["note"], "hi");
    assert_eq!(file["ws_1"]["note"], 7);
    assert_eq!(file["ws_1"]["collabCategory"], "docs_knowledge");
}

#[test]
fn hand_edit_is_loaded_and_extended() {
    let fixture = OverridesFixture::new(|_| {});
    fixture.next_update();
    std::fs::write(fixture.path(), r#"{"ws_9":{"collabCategory":"qa_validation"}}"#).expect("write");
    assert_eq!(fixture.next_update().0, ["ws_9=qa_validation"]);
    fixture.change("ws_1", Some(Category::InfraOps)).expect("change");
    assert_eq!(fixture.file()["ws_9"]["collabCategory"], "qa_validation");
}

#[test]
fn failed_write_keeps_old_value_and_history() {
    let fixture = OverridesFixture::new(|_| {});
    fixture.change("ws_1", Some(Category::InfraOps)).expect("change");
    // A folder in the place of the temporary file makes writing fail for every user, root included.
    let temporary = fixture.dir.path().join(format!(".{FILE}.tmp"));
    std::fs::create_dir(&temporary).expect("block");
    let refused = fixture.change("ws_1", Some(Category::DocsKnowledge)).expect_err("refused");
    assert!(matches!(refused, WriteError::NotCommitted { .. }));
    assert_eq!(fixture.file()["ws_1"]["collabCategory"], "infra_ops");
    assert_eq!(fixture.store.history(&"ws_1".into()).expect("history").len(), 1);
    let info = fixture.store.info();
    assert_eq!(info.state, StoreState::ReadOnly);
    assert_eq!(info.last_error.map(|failure| failure.at), Some(NOW));
    std::fs::remove_dir(&temporary).expect("unblock");
    fixture.change("ws_1", Some(Category::DocsKnowledge)).expect("works again");
    assert_eq!(fixture.store.info().state, StoreState::Ok);
}

#[test]
fn history_lists_changes_newest_first_with_undo() {
    let fixture = OverridesFixture::new(|_| {});
    fixture.change("ws_1", Some(Category::InfraOps)).expect("set");
    fixture.change("ws_2", Some(Category::InfraOps)).expect("another session");
    fixture.change("ws_1", None).expect("clear");
    fixture.change("ws_1", None).expect("nothing to clear");
    let history = fixture.store.history(&"ws_1".into()).expect("history");
    let steps: Vec<_> = history.iter().map(|change| (change.from.as_deref(), change.to.as_deref())).collect();
    assert_eq!(steps, [(Some("infra_ops"), None), (None, Some("infra_ops"))]);
    assert_eq!(history[0].undo_of.as_deref(), Some("r-ws_1-infra_ops"));
    assert!(fixture.file().get("ws_1").is_none());
}

#[test]
fn torn_last_audit_line_is_tolerated() {
    let fixture = OverridesFixture::new(|dir| {
        std::fs::write(dir.join(AUDIT), r#"{"at":"2026"#).expect("write");
    });
    fixture.change("ws_1", Some(Category::InfraOps)).expect("change");
    assert_eq!(fixture.store.history(&"ws_1".into()).expect("history").len(), 1);
    assert_eq!(fixture.store.info().bad_audit_lines, 1, "and reported");
}

#[test]
fn deleted_file_is_recorded_as_an_edit() {
    let fixture = OverridesFixture::new(|_| {});
    fixture.next_update();
    fixture.change("ws_1", Some(Category::InfraOps)).expect("change");
    std::fs::remove_file(fixture.path()).expect("delete");
    assert_eq!(fixture.next_update().0, Vec::<String>::new());
    fixture.change("ws_2", Some(Category::DocsKnowledge)).expect("change");
    assert_eq!(fixture.file().as_object().map(serde_json::Map::len), Some(1));
    let history = fixture.store.history(&"ws_1".into()).expect("history");
    assert!(history[0].found && history[0].to.is_none(), "{history:?}");
}

#[test]
fn foreign_edit_keeps_its_time_and_author() {
    let dir = tempfile::tempdir().expect("dir");
    let mut writer = override_writer(dir.path());
    writer.commit(&change_request("ws_1", Some(Category::InfraOps), "r1")).expect("change");
    let text = r#"{"ws_1":{"collabCategory":"qa_validation","updatedAt":"2026-02-20T01:02:03.004Z","updatedBy":"bot"},"ws_2":{"collabCategory":"galactic"}}"#;
    std::fs::write(dir.path().join(FILE), text).expect("edit");
    writer.refresh();
    assert_eq!(short(&writer.entries), ["ws_1=qa_validation"]);
    let noted = audit::changes_of(&dir.path().join(AUDIT), &"ws_1".into()).expect("audit");
    assert_eq!(noted.len(), 2);
    assert_eq!((noted[1].at.as_str(), noted[1].by.as_deref()), ("2026-02-20T01:02:03.004Z", Some("bot")));
    assert_eq!((noted[1].from.as_deref(), noted[1].to.as_deref()), (Some("infra_ops"), Some("qa_validation")));
    writer.refresh();
    assert_eq!(audit::changes_of(&dir.path().join(AUDIT), &"ws_1".into()).expect("audit").len(), 2, "noted once");
}

#[test]
fn reading_a_home_creates_no_file() {
    let dir = tempfile::tempdir().expect("dir");
    std::fs::write(dir.path().join(FILE), r#"{"ws_1":{"collabCategory":"qa_validation"}}"#).expect("write");
    let mut writer = override_writer(dir.path());
    writer.refresh();
    assert_eq!(short(&writer.entries), ["ws_1=qa_validation"]);
    assert_eq!(std::fs::read_dir(dir.path()).expect("list").count(), 1);
}

#[test]
fn second_writer_takes_over_after_first_ends() {
    let dir = tempfile::tempdir().expect("dir");
    let mut first = override_writer(dir.path());
    first.commit(&change_request("ws_1", Some(Category::InfraOps), "r1")).expect("change");
    let mut second = override_writer(dir.path());
    assert_eq!(short(&second.entries), ["ws_1=infra_ops"], "it reads");
    let refused = second.commit(&change_request("ws_2", Some(Category::InfraOps), "r2")).expect_err("refused");
    assert!(refused.to_string().contains("another monitor writes this home"), "{refused}");
    assert_eq!(second.info().state, StoreState::ReadOnly);
    first.commit(&change_request("ws_3", Some(Category::InfraOps), "r3")).expect("the first goes on");
    second.refresh();
    assert_eq!(short(&second.entries), ["ws_1=infra_ops", "ws_3=infra_ops"]);
    drop(first);
    second.commit(&change_request("ws_2", Some(Category::InfraOps), "r2")).expect("takes over");
    assert_eq!(short(&second.entries), ["ws_1=infra_ops", "ws_2=infra_ops", "ws_3=infra_ops"]);
    second.refresh();
    assert_eq!(second.info().state, StoreState::Ok);
}

#[test]
fn stale_expected_value_conflicts_and_changes_nothing() {
    let dir = tempfile::tempdir().expect("dir");
    let mut writer = override_writer(dir.path());
    let seen = |seen: Option<Category>, wanted: Option<Category>, id: &str| OverrideChange {
        expected: Some(ExpectedOverride(seen)),
        ..change_request("ws_1", wanted, id)
    };
    writer.commit(&seen(None, Some(Category::InfraOps), "r1")).expect("no override, as expected");
    let refused = writer.commit(&seen(None, Some(Category::DocsKnowledge), "r2")).expect_err("refused");
    assert!(
        matches!(refused, WriteError::Conflict { current: Some(ref current) } if current == "infra_ops"),
        "{refused}"
    );
    let refused = writer.commit(&seen(Some(Category::QaValidation), None, "r3")).expect_err("refused");
    assert!(refused.to_string().contains("infra_ops"), "{refused}");
    assert_eq!(short(&writer.entries), ["ws_1=infra_ops"]);
    let noted = audit::changes_of(&dir.path().join(AUDIT), &"ws_1".into()).expect("audit");
    assert_eq!(noted.len(), 1, "what was refused is no change");
    writer.commit(&seen(Some(Category::InfraOps), None, "r4")).expect("as seen");
    assert!(writer.entries.is_empty());
}

#[test]
fn conflicting_change_does_not_block_its_batch() {
    let dir = tempfile::tempdir().expect("dir");
    let mut writer = override_writer(dir.path());
    writer.commit(&change_request("ws_2", Some(Category::InfraOps), "r0")).expect("change");
    let seen = |id: &str, seen: Option<Category>, wanted: Option<Category>| OverrideChange {
        expected: Some(ExpectedOverride(seen)),
        ..change_request(id, wanted, &format!("r1.{id}"))
    };
    let wanted = Some(Category::QaValidation);
    let together =
        [seen("ws_1", None, wanted), seen("ws_2", None, wanted), seen("ws_3", None, None), seen("ws_4", None, wanted)];
    let (done, calls) = faults::calls(|| writer.commit_all(&together));
    let done = done.expect("on disk");
    let (one, calls_of_one) = faults::calls(|| writer.commit(&change_request("ws_9", wanted, "r9")));
    one.expect("on disk");
    assert_eq!(calls, calls_of_one, "however many they are, the disk is written once");
    assert!(
        matches!(&done[1], Err(WriteError::Conflict { current: Some(current) }) if current == "infra_ops"),
        "{done:?}"
    );
    let ok = |at: usize| done[at].as_ref().expect("made").as_ref().map(|manual| manual.collab_category);
    assert_eq!([ok(0), ok(2), ok(3)], [wanted, None, wanted]);
    assert_eq!(short(&writer.entries)[..3], ["ws_1=qa_validation", "ws_2=infra_ops", "ws_4=qa_validation"]);
    let noted = |id: &str| audit::changes_of(&dir.path().join(AUDIT), &id.into()).expect("audit").len();
    assert_eq!(
        ["ws_1", "ws_2", "ws_3", "ws_4"].map(noted),
        [1, 1, 0, 1],
        "what was refused or changes nothing is no change"
    );

    let back = |id: &str| seen(id, wanted, None);
    let done = writer.commit_all(&[back("ws_1"), back("ws_4")]).expect("on disk");
    assert!(done.iter().all(Result::is_ok), "{done:?}");
    let lines = audit::changes_of(&dir.path().join(AUDIT), &"ws_4".into()).expect("audit");
    assert_eq!(lines[1].undo_of.as_deref(), Some("r1.ws_4"), "each names the change it takes back");
}

#[test]
fn concurrent_changes_are_all_stored() {
    let fixture = OverridesFixture::new(|_| {});
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().expect("runtime");
    let tasks: Vec<_> = (0..40)
        .map(|n| {
            let store = fixture.store.clone();
            let change = OverrideChange {
                session_id: format!("ws_{n}").as_str().into(),
                category: Some(Category::ALL[n % 10]),
                by: None,
                reason: None,
                request_id: n.to_string(),
                expected: None,
            };
            runtime.spawn(async move { store.change(change).await })
        })
        .collect();
    while tasks.iter().any(|task| !task.is_finished()) {
        drop(fixture.updates.recv_timeout(Duration::from_millis(20)));
    }
    for task in tasks {
        runtime.block_on(task).expect("join").expect("change");
    }
    assert_eq!(fixture.file().as_object().expect("object").len(), 40);
}
