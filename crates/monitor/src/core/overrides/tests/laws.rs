//! Tests of the audit log's invariant: a replay from its start gives the override file, and each acknowledged change
//! has exactly one line.
//!
//! Proves (categories): The audit log, replayed from its start, gives the override file, whatever happened in between.

use std::io::Write as _;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;
use crate::fs::durable::faults::{self, DiskFault};

/// Something that happens to a home.
#[derive(Debug, Clone)]
enum LawStep {
    /// An operator sets or takes back a category.
    Change(usize, Option<usize>),
    /// The same on a disk that fails at some call, once or for good.
    Trouble(usize, usize, usize, bool),
    /// Another program writes the file.
    Edit(usize, Option<usize>),
    /// A person deletes the file.
    Delete,
    /// A new process.
    Restart,
    /// A line without an end, as a power cut leaves it.
    Tear,
}

fn steps() -> impl Strategy<Value = Vec<LawStep>> {
    let (id, category) = (0..4_usize, prop::option::of(0..12_usize));
    let step = prop_oneof![
        6 => (id.clone(), category.clone()).prop_map(|(id, category)| LawStep::Change(id, category)),
        3 => (id.clone(), 0..10_usize, 0..20_usize, any::<bool>()).prop_map(|(id, to, at, on)| LawStep::Trouble(id, to, at, on)),
        2 => (id, category).prop_map(|(id, category)| LawStep::Edit(id, category)),
        1 => Just(LawStep::Delete),
        2 => Just(LawStep::Restart),
        1 => Just(LawStep::Tear),
    ];
    prop::collection::vec(step, 1..24)
}

/// One home and its acknowledged changes.
struct LawRun {
    dir: tempfile::TempDir,
    writer: Option<OverrideWriter>,
    acknowledged: Vec<String>,
    count: u32,
}

impl LawRun {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("dir");
        let writer = Some(override_writer(dir.path()));
        Self { dir, writer, acknowledged: Vec::new(), count: 0 }
    }

    fn override_writer(&mut self) -> &mut OverrideWriter {
        self.writer.as_mut().expect("a writer")
    }

    fn make(&mut self, step: &LawStep) {
        let path = self.dir.path().join(FILE);
        match *step {
            LawStep::Change(id, to) => self.change(id, to, None),
            LawStep::Trouble(id, to, after, lasting) => {
                let fault = DiskFault { after, error: 28, lasting, tears: after % 2 == 0 };
                self.change(id, Some(to), Some(fault));
            }
            LawStep::Edit(id, to) => {
                let text = std::fs::read(&path).unwrap_or_else(|_| b"{}".to_vec());
                let mut held: Value = serde_json::from_slice(&text).expect("JSON");
                let name = name(id);
                match to {
                    Some(to) => {
                        // One of them is a category that this build does not know.
                        let category = Category::ALL.get(to).map_or("galactic", |category| category.as_str());
                        held[&name] = json!({"collabCategory": category, "updatedAt": format!("edit {}", self.count), "note": to});
                    }
                    None => drop(held.as_object_mut().expect("object").remove(&name)),
                }
                std::fs::write(&path, held.to_string()).expect("edit");
            }
            LawStep::Delete => drop(std::fs::remove_file(&path)),
            LawStep::Restart => {
                self.writer = None;
                self.writer = Some(override_writer(self.dir.path()));
            }
            LawStep::Tear => {
                let log = std::fs::OpenOptions::new().append(true).open(self.dir.path().join(AUDIT));
                drop(log.map(|mut log| log.write_all(br#"{"at":"2026-02-21T05:"#)));
            }
        }
        self.count += 1;
    }

    fn change(&mut self, id: usize, to: Option<usize>, fault: Option<DiskFault>) {
        let request = format!("r{}", self.count);
        let change = change_request(&name(id), to.and_then(|to| Category::ALL.get(to).copied()), &request);
        let writer = self.override_writer();
        writer.reload_file();
        let changes = change.category.is_some() || writer.content.holds(&change.session_id);
        let outcome = match fault {
            Some(fault) => faults::with_fault(fault, || writer.commit(&change)).0,
            None => Ok(writer.commit(&change).expect("a good disk")),
        };
        self.acknowledged.extend((changes && outcome.is_ok()).then_some(request));
    }

    fn check(&mut self) {
        let (path, audit) = (self.dir.path().join(FILE), self.dir.path().join(AUDIT));
        let writer = self.override_writer();
        writer.refresh();
        let file: Value = std::fs::read(&path).map_or(json!({}), |text| serde_json::from_slice(&text).expect("JSON"));
        let known = file.as_object().expect("object").iter().filter_map(|(id, entry)| {
            let category = entry["collabCategory"].as_str()?.parse::<Category>().ok()?;
            Some(format!("{id}={}@{}", category.as_str(), entry["updatedAt"].as_str().expect("a time")))
        });
        let mut known: Vec<String> = known.collect();
        known.sort();
        let entry_lines = |entries: &std::collections::BTreeMap<SessionId, ManualOverride>| {
            let entry_lines =
                entries.iter().map(|(id, m)| format!("{id}={}@{}", m.collab_category.as_str(), m.updated_at));
            entry_lines.collect::<Vec<_>>()
        };
        assert_eq!(entry_lines(&writer.entries), known, "what is in force is what the file says");
        if !audit.exists() {
            // Nothing was ever changed through the monitor.
            assert!(self.acknowledged.is_empty());
            return;
        }
        assert_eq!(
            entry_lines(&append_log::read::<LastChanges>(&audit).expect("audit").entries()),
            known,
            "the log leads to the file"
        );
        let lines = std::fs::read_to_string(&audit).expect("audit");
        for request in &self.acknowledged {
            let named = format!("\"requestId\":\"{request}\"");
            assert_eq!(lines.matches(&named).count(), 1, "{request} in\n{lines}");
        }
    }
}

fn name(id: usize) -> String {
    ["ws_1", "__proto__", "ws_없는", "x"][id].to_owned()
}

/// The short form draws the same steps each time, the long one new ones.
fn draws() -> ProptestConfig {
    let rng_seed = if count(0, 1) == 0 { RngSeed::Fixed(40) } else { RngSeed::Random };
    ProptestConfig { cases: count(40, 1000), rng_seed, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(draws())]

    #[test]
    fn replaying_the_audit_log_gives_the_override_file(steps in steps()) {
        let mut run = LawRun::new();
        for step in &steps {
            run.make(step);
            run.check();
        }
    }
}
