//! Tests of the saved form of the hub, which the monitor loads at a start instead of reading the whole log. A loaded
//! hub answers like the saved one, also when inputs such as rules or task files change afterwards. A damaged or
//! incomplete form is not loaded.
//!
//! Proves (log): A hub that was saved after any part of the log and loaded again gives the answers of one that read
//! everything, also with other rules, roles, categories, task files, transcripts and hooks than before.

use std::collections::{BTreeMap, HashSet};

use coordination::api::{ManualOverride, Taught};
use coordination::category::Category;
use coordination::classify::Classifier;
use coordination::hub::{Hub, SectionJob, SectionSink, SectionSource};
use coordination::ids::SessionId;
use coordination::merge::TranscriptExchanges;
use coordination::roster::Roster;
use coordination::schema::hook::Capture;
use coordination::schema::{AgentsChanged, Changed, Ledger};
use coordination::workspace::{AgentWorkspace, Task, Workspace};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::hooks::{NOW as HOOKS_NOW, story};
use crate::merge_law::{self, MergeRandom, found, homes};
use crate::packed::{answers, events, packing, rest, stories, taught, turned};

/// Sections in memory.
#[derive(Default, Clone)]
struct Sections(BTreeMap<String, Vec<u8>>);

impl SectionSink for Sections {
    type Error = postcard::Error;

    fn section<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), postcard::Error> {
        let before = self.0.insert(name.to_owned(), postcard::to_allocvec(value)?);
        assert!(before.is_none(), "{name} is unique");
        Ok(())
    }
}

impl SectionSource for Sections {
    fn section<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let (value, rest) = postcard::take_from_bytes(self.0.get(name)?).ok()?;
        rest.is_empty().then_some(value)
    }

    fn run(&self, jobs: Vec<SectionJob<'_>>) {
        // The last one first: no job may need another.
        jobs.into_iter().rev().for_each(|job| job());
    }
}

fn saved(hub: &Hub) -> Sections {
    let mut sections = Sections::default();
    hub.save(&mut sections).unwrap();
    sections
}

fn reloaded(hub: &Hub) -> Hub {
    Hub::from_saved(&saved(hub), turned(2_000, 3)).expect("what was saved is loaded")
}

fn same(one: &Hub, other: &Hub, what: &str) {
    for (number, (one, other)) in answers(one).iter().zip(answers(other)).enumerate() {
        let differing = one.lines().zip(other.lines()).find(|(one, other)| one != other);
        assert!(*one == other, "{what}: answer {number}: {differing:?}");
    }
}

fn overrides(category: Category) -> BTreeMap<SessionId, ManualOverride> {
    let sessions = ["ws_1", "ws_login", "conv:c1"].map(|id| SessionId::from(id.to_owned()));
    let set = ManualOverride { collab_category: category, updated_at: String::new(), updated_by: Some("eden".into()) };
    sessions.into_iter().map(|id| (id, set.clone())).collect()
}

fn workspace(description: &str) -> Workspace {
    let ids = ["task_1", "task_login", "task_mid"];
    let task = |id: &str| Task { id: id.into(), description: description.to_owned(), ..Task::default() };
    let folder = AgentWorkspace { agent_id: "eden".into(), tasks: ids.map(task).into(), ..AgentWorkspace::default() };
    Workspace { agents: vec![folder] }
}

fn roster(main: &str) -> Roster {
    let config = format!(r#"{{"agents":{{"list":[{{"id":"eden"}},{{"id":"{main}"}}]}}}}"#);
    Roster::parse(&config, &mut |path| Err(path.to_owned())).unwrap()
}

fn teach(hub: &mut Hub, rules: Taught) {
    let update = hub.evaluate_rules(rules);
    hub.apply_rules(update);
}

#[test]
fn loaded_hub_continues_at_any_split() {
    for story in stories() {
        let mut log = events(&story);
        // In the other order, late events make what was saved be derived again.
        for backward in [false, true].into_iter().take(if log.len() < 400 { 2 } else { 1 }) {
            if backward {
                log.reverse();
            }
            let splits = if log.len() < 400 { 3 } else { 2 };
            let mut whole = packing(2_000, 3);
            whole.apply(log.clone());
            rest(&mut whole);
            for split in 1..splits {
                let (before, after) = log.split_at(log.len() * split / splits);
                let mut hub = packing(2_000, 3);
                for batch in before.chunks(37) {
                    hub.apply(batch.to_vec());
                    drop(hub.put_packed(hub.pack(usize::MAX)));
                }
                let mut loaded = reloaded(&hub);
                same(&hub, &loaded, &format!("{story}: {split} of {splits}, backward: {backward}"));
                assert!(loaded.apply(before.to_vec()).is_empty(), "{story}: known lines are known");
                for batch in after.chunks(29) {
                    loaded.apply(batch.to_vec());
                }
                let loaded = reloaded(&loaded);
                same(&whole, &loaded, &format!("{story}: the rest after {split} of {splits}, backward: {backward}"));
            }
        }
    }
}

/// Roles, rules, categories and task files are part of what was derived: they may be the same, or others, later.
#[test]
fn loaded_hub_takes_other_inputs() {
    for story in ["everything", "trouble", "blocked-task"] {
        let log = events(story);
        let (before, after) = log.split_at(log.len() / 2);
        let mut hub = packing(2_000, 3);
        hub.set_roster(roster("seum"));
        hub.apply(before.to_vec());
        hub.set_workspace(workspace("배포 파이프라인 점검"));
        teach(&mut hub, taught());
        hub.set_overrides(overrides(Category::DocsKnowledge));
        for changed in [false, true] {
            let (main, title, category) = match changed {
                false => ("seum", "배포 파이프라인 점검", Category::DocsKnowledge),
                true => ("hangyeol", "계약서 검토", Category::LegalCompliance),
            };
            let rules = if changed { Taught::default() } else { taught() };
            let mut loaded = reloaded(&hub);
            loaded.set_workspace(workspace(title));
            loaded.set_roster(roster(main));
            loaded.set_overrides(overrides(category));
            teach(&mut loaded, rules.clone());
            for batch in after.chunks(11) {
                loaded.apply(batch.to_vec());
            }
            let mut fresh = packing(2_000, 3);
            fresh.set_roster(roster(main));
            fresh.set_workspace(workspace(title));
            fresh.set_overrides(overrides(category));
            teach(&mut fresh, rules);
            fresh.apply(log.clone());
            same(&fresh, &loaded, &format!("{story}, changed: {changed}"));
            for hub in [&mut fresh, &mut loaded] {
                hub.set_classifier(Classifier::V1);
            }
            let loaded = reloaded(&loaded);
            // Without its folders, as the saved hub is.
            fresh.set_workspace(Workspace::default());
            let mut loaded = loaded;
            loaded.set_workspace(Workspace::default());
            same(&fresh, &loaded, &format!("{story} by v1, changed: {changed}"));
        }
    }
}

/// Transcripts are read again: what the saved hub has of them stays without a change, is completed or is withdrawn.
#[test]
fn loaded_hub_is_compared_with_transcripts() {
    for (number, home) in homes().iter().enumerate() {
        let mut random = MergeRandom(11 + number as u64);
        let whole = found(home, |length| length);
        let log = merge_law::log(&whole, &mut random, false, 3);
        let (before, after) = log.split_at(log.len() / 2);
        let mut expected = Hub::new();
        expected.apply(log.clone());
        let plain = merge_law::answers(&expected);
        expected.sync_transcripts(TranscriptExchanges::new(whole.clone()));
        let expected = merge_law::answers(&expected);
        let part = found(home, |length| length / 2);
        for saved_with in [&whole, &part] {
            let mut hub = Hub::new();
            hub.apply(before.to_vec());
            hub.sync_transcripts(TranscriptExchanges::new(saved_with.clone()));
            let mut loaded = reloaded(&hub);
            let known = loaded.events().len();
            let changes = loaded.sync_transcripts(TranscriptExchanges::new(saved_with.clone()));
            assert!(changes.is_empty() && loaded.events().len() == known, "the same transcripts change nothing");
            let mut loaded = reloaded(&hub);
            loaded.apply(after.to_vec());
            loaded.sync_transcripts(TranscriptExchanges::new(whole.clone()));
            assert_eq!(merge_law::answers(&loaded), expected);
            let mut loaded = reloaded(&hub);
            loaded.sync_transcripts(TranscriptExchanges::default());
            loaded.apply(after.to_vec());
            assert_eq!(merge_law::answers(&loaded), plain, "transcripts that are gone");
        }
    }
}

/// The same of hooks: events whose inputs are gone are known by name.
#[test]
fn loaded_hub_is_compared_with_hooks() {
    let inputs = story(Capture::Full);
    let publish = |hub: &mut Hub, inputs: &[_]| {
        let mut ledger = Ledger::default();
        ledger.take(inputs.to_vec());
        ledger.settle(HOOKS_NOW);
        let put: Vec<_> = ledger.timeline().events().cloned().collect();
        let current: HashSet<&str> = put.iter().map(|event| event.id.as_str()).collect();
        let removed = hub.stale_agent_events(&current);
        let changed = Changed { put: put.clone(), removed, evicted: Vec::new() };
        hub.apply_agent_events(&changed, AgentsChanged(BTreeMap::new()))
    };
    for saved_with in [inputs.len(), inputs.len() / 2] {
        let mut hub = Hub::new();
        publish(&mut hub, &inputs[..saved_with]);
        let mut loaded = reloaded(&hub);
        let known = loaded.events().len();
        assert!(publish(&mut loaded, &inputs[..saved_with]).is_empty() && loaded.events().len() == known);
        for now in [inputs.len(), inputs.len() / 3, 0] {
            let (mut loaded, mut fresh) = (reloaded(&hub), Hub::new());
            publish(&mut loaded, &inputs[..now]);
            publish(&mut fresh, &inputs[..now]);
            same(&fresh, &loaded, &format!("{saved_with} inputs, then {now}"));
        }
    }
}

#[test]
fn incomplete_form_is_not_loaded() {
    let mut hub = packing(2_000, 3);
    hub.apply(events("everything"));
    let whole = saved(&hub);
    assert!(Hub::from_saved(&whole, turned(2_000, 3)).is_some());
    for name in whole.0.keys() {
        let mut missing = whole.clone();
        missing.0.remove(name);
        assert!(Hub::from_saved(&missing, turned(2_000, 3)).is_none(), "without {name}");
        let mut short = whole.clone();
        short.0.get_mut(name).unwrap().pop();
        assert!(Hub::from_saved(&short, turned(2_000, 3)).is_none(), "{name} without its last byte");
    }
    let mut other = packing(2_000, 3);
    other.apply(events("everything").split_off(1));
    let mut mixed = whole;
    mixed.0.insert("meta".to_owned(), saved(&other).0.remove("meta").unwrap());
    assert!(Hub::from_saved(&mixed, turned(2_000, 3)).is_none(), "sections of two hubs");
}
