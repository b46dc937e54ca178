//! The rules of the override store, on real files.

use std::path::Path;

use coordination::api::Unreadable;
use serde_json::{Value, json};

use super::*;
use crate::clock::Clock;
use crate::home::Home;
use crate::ingest::{self, Input, Inputs};

const NOW: i64 = 1_771_651_020_000;

struct Bench {
    dir: tempfile::TempDir,
    store: Store,
    inputs: Inputs,
}

impl Bench {
    fn new(prepare: impl FnOnce(&Path)) -> Self {
        let dir = tempfile::tempdir().expect("dir");
        prepare(dir.path());
        let (ingest, inputs) = ingest::channel();
        let mut settings = Settings::for_home(Home::new(dir.path()));
        settings.clock = Clock::fixed(NOW);
        let store = Store::start(&settings, ingest).expect("start");
        Self { dir, store, inputs }
    }

    /// What the store last told the hub, waiting for it.
    fn told(&self) -> (Vec<String>, Vec<Unreadable>) {
        match self.inputs.next() {
            Input::Overrides { entries, trouble, applied } => {
                drop(applied);
                (
                    entries.iter().map(|(id, manual)| format!("{id}={}", manual.collab_category.as_str())).collect(),
                    trouble,
                )
            }
            other => panic!("unexpected {other:?}"),
        }
    }

    fn change(&self, id: &str, category: Option<Category>) -> Result<Option<ManualOverride>, StoreError> {
        let change = Change {
            session_id: id.into(),
            category,
            by: Some("운영자".to_owned()),
            reason: None,
            request_id: format!("r-{id}-{}", category.map_or("auto", Category::as_str)),
        };
        let store = self.store.clone();
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("runtime");
        std::thread::scope(|scope| {
            let worker = scope.spawn(move || runtime.block_on(store.change(change)));
            while !worker.is_finished() {
                // Dropping the input tells the store that the hub has it.
                drop(self.inputs.within_a_moment());
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
        self.dir.path().join("work-session-category-overrides.json")
    }
}

#[test]
fn a_change_is_on_disk_in_the_shape_the_existing_tools_read() {
    let bench = Bench::new(|_| {});
    let manual = bench.change("ws_1", Some(Category::InfraOps)).expect("change").expect("override");
    assert_eq!(manual.updated_at, "2026-02-21T05:17:00.000Z");
    let expected = "{\n  \"ws_1\": {\n    \"collabCategory\": \"infra_ops\",\n    \"updatedAt\": \"2026-02-21T05:17:00.000Z\",\n    \"updatedBy\": \"운영자\"\n  }\n}\n";
    assert_eq!(bench.text(), expected);
    let leftovers = std::fs::read_dir(bench.dir.path()).expect("list").count();
    assert_eq!(leftovers, 2, "only the file and the audit log");
}

#[test]
fn entries_and_keys_of_others_survive_a_change() {
    let bench = Bench::new(|dir| {
        let text = json!({"ws_x": {"collabCategory": "galactic", "colour": "red"}, "ws_1": {"collabCategory": "infra_ops", "note": 7}, "note": "hi"});
        std::fs::write(dir.join("work-session-category-overrides.json"), text.to_string()).expect("write");
    });
    assert_eq!(bench.told().0, ["ws_1=infra_ops"], "unknown categories and shapes are skipped");
    bench.change("ws_1", Some(Category::DocsKnowledge)).expect("change");
    let file = bench.file();
    assert_eq!(file["ws_x"], json!({"collabCategory": "galactic", "colour": "red"}));
    assert_eq!(file["note"], "hi");
    assert_eq!(file["ws_1"]["note"], 7);
    assert_eq!(file["ws_1"]["collabCategory"], "docs_knowledge");
}

#[test]
fn a_hand_edit_is_picked_up_and_built_upon() {
    let bench = Bench::new(|_| {});
    bench.told();
    std::fs::write(bench.path(), r#"{"ws_9":{"collabCategory":"qa_validation"}}"#).expect("write");
    assert_eq!(bench.told().0, ["ws_9=qa_validation"]);
    bench.change("ws_1", Some(Category::InfraOps)).expect("change");
    assert_eq!(bench.file()["ws_9"]["collabCategory"], "qa_validation");
}

#[test]
fn a_damaged_file_is_kept_beside_and_never_overwritten() {
    let bench = Bench::new(|_| {});
    bench.change("ws_1", Some(Category::InfraOps)).expect("change");
    let Bench { dir, store, inputs } = bench;
    drop((store, inputs));
    let damaged = r#"{"ws_1": {"collabCat"#;
    std::fs::write(dir.path().join("work-session-category-overrides.json"), damaged).expect("damage");
    // A new run over the same home: nothing readable but the audit log.
    let (ingest, inputs) = ingest::channel();
    let store = Store::start(&Settings::for_home(Home::new(dir.path())), ingest).expect("start");
    let bench = Bench { dir, store, inputs };
    let (entries, trouble) = bench.told();
    assert_eq!(entries, ["ws_1=infra_ops"], "values come from the audit log");
    assert_eq!(trouble.len(), 1);
    let refused = bench.change("ws_2", Some(Category::InfraOps)).expect_err("refused");
    assert!(matches!(refused, StoreError::NotCommitted { .. }));
    assert_eq!(bench.text(), damaged);
    let copies: Vec<_> = std::fs::read_dir(bench.dir.path())
        .expect("list")
        .map(|entry| entry.expect("entry").path())
        .filter(|path| path.to_string_lossy().contains(".corrupt-"))
        .collect();
    assert_eq!(copies.len(), 1);
    assert_eq!(std::fs::read_to_string(&copies[0]).expect("copy"), damaged);
    // Once a person repairs it, writing works again without a restart.
    std::fs::write(bench.path(), "{}").expect("repair");
    bench.change("ws_2", Some(Category::InfraOps)).expect("works again");
}

#[test]
fn a_failed_write_leaves_the_old_value_and_no_trace_in_the_history() {
    let bench = Bench::new(|_| {});
    bench.change("ws_1", Some(Category::InfraOps)).expect("change");
    // A folder in the place of the temporary file makes writing fail for every user, root included.
    let temporary = bench.dir.path().join(format!(".work-session-category-overrides.json.tmp-{}", std::process::id()));
    std::fs::create_dir(&temporary).expect("block");
    let refused = bench.change("ws_1", Some(Category::DocsKnowledge)).expect_err("refused");
    assert!(matches!(refused, StoreError::NotCommitted { .. }));
    assert_eq!(bench.file()["ws_1"]["collabCategory"], "infra_ops");
    assert_eq!(bench.store.history(&"ws_1".into()).expect("history").len(), 1);
    std::fs::remove_dir(&temporary).expect("unblock");
    bench.change("ws_1", Some(Category::DocsKnowledge)).expect("works again");
}

#[test]
fn the_history_names_each_change_once_newest_first_and_knows_what_was_taken_back() {
    let bench = Bench::new(|_| {});
    bench.change("ws_1", Some(Category::InfraOps)).expect("set");
    bench.change("ws_2", Some(Category::InfraOps)).expect("another session");
    bench.change("ws_1", None).expect("clear");
    bench.change("ws_1", None).expect("nothing to clear");
    let history = bench.store.history(&"ws_1".into()).expect("history");
    let steps: Vec<_> = history.iter().map(|change| (change.from.as_deref(), change.to.as_deref())).collect();
    assert_eq!(steps, [(Some("infra_ops"), None), (None, Some("infra_ops"))]);
    assert_eq!(history[0].undo_of.as_deref(), Some("r-ws_1-infra_ops"));
    assert!(bench.file().get("ws_1").is_none());
}

#[test]
fn a_torn_last_line_of_the_audit_log_is_tolerated() {
    let bench = Bench::new(|dir| {
        std::fs::write(dir.join("work-session-category-audit.ndjson"), r#"{"at":"2026"#).expect("write");
    });
    bench.change("ws_1", Some(Category::InfraOps)).expect("change");
    assert_eq!(bench.store.history(&"ws_1".into()).expect("history").len(), 1);
}

#[test]
fn many_changes_at_once_are_all_kept() {
    let bench = Bench::new(|_| {});
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().expect("runtime");
    let tasks: Vec<_> = (0..40)
        .map(|n| {
            let store = bench.store.clone();
            let change = Change {
                session_id: format!("ws_{n}").as_str().into(),
                category: Some(Category::ALL[n % 10]),
                by: None,
                reason: None,
                request_id: n.to_string(),
            };
            runtime.spawn(async move { store.change(change).await })
        })
        .collect();
    while tasks.iter().any(|task| !task.is_finished()) {
        drop(bench.inputs.within_a_moment());
    }
    for task in tasks {
        runtime.block_on(task).expect("join").expect("change");
    }
    assert_eq!(bench.file().as_object().expect("object").len(), 40);
}
