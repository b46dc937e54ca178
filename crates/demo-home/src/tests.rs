//! Tests of generated homes: number and order of events, tasks and archives, equal homes for equal seeds, refused
//! folders, and the times of the demo home.
//!
//! Proves (build): A generated home has the requested number of events in order of time, is equal for equal seeds, and
//! is never written into a folder with other files.

use std::collections::HashSet;

use coordination::event::parse_lines;

use super::*;

fn plan(folder: &Path, events: usize) -> DemoPlan {
    let folder = folder.to_path_buf();
    DemoPlan {
        folder,
        events,
        seed: 7,
        end: Some(FIXTURE_NOW),
        demo: false,
        follow: false,
        rate: None,
        drop_file: "hooks.ndjson",
    }
}

fn logs(home: &Path) -> Vec<(String, String)> {
    let mut logs: Vec<(String, String)> = fs::read_dir(home.join("logs"))
        .expect("logs")
        .map(|entry| entry.expect("entry").path())
        .map(|path| {
            (path.file_name().expect("name").to_string_lossy().into_owned(), fs::read_to_string(&path).expect("text"))
        })
        .collect();
    logs.sort();
    logs
}

#[test]
fn demo_home_has_requested_events_in_order() {
    let dir = tempfile::tempdir().expect("dir");
    write(&plan(&dir.path().join("h"), 3000), &|| FIXTURE_NOW).expect("rehearse");
    let mut times = Vec::new();
    for (name, text) in logs(&dir.path().join("h")) {
        let (events, bad) = parse_lines(text.as_bytes(), &name, 0);
        assert!(bad.is_empty(), "{name}: {bad:?}");
        times.extend(events.iter().map(|event| event.at));
    }
    assert_eq!(times.len(), 3000);
    assert!(times.is_sorted(), "archives sort by name here and hold consecutive months");
    assert!(times.iter().all(|at| *at <= FIXTURE_NOW));
    assert!(times.last().is_some_and(|at| FIXTURE_NOW - at < 4 * 3_600_000), "something went on just before the end");
}

#[test]
fn rehearsed_home_has_open_tasks_and_archives() {
    let dir = tempfile::tempdir().expect("dir");
    let home = dir.path().join("h");
    write(&plan(&home, 3000), &|| FIXTURE_NOW).expect("rehearse");
    let below = |name: &str| {
        let folders = fs::read_dir(&home).expect("home").map(|entry| entry.expect("entry").path().join(name));
        folders.filter_map(|folder| fs::read_dir(folder).ok()).flatten().count()
    };
    assert!(below("tasks") > 0 && below("task-history") > 0, "{} {}", below("tasks"), below("task-history"));
}

#[test]
fn seed_determines_the_written_home() {
    let dir = tempfile::tempdir().expect("dir");
    for name in ["a", "b"] {
        write(&plan(&dir.path().join(name), 400), &|| FIXTURE_NOW).expect("rehearse");
    }
    write(&DemoPlan { seed: 8, ..plan(&dir.path().join("c"), 400) }, &|| FIXTURE_NOW).expect("rehearse");
    let logs_of = |name: &str| logs(&dir.path().join(name));
    assert_eq!(logs_of("a"), logs_of("b"));
    assert_ne!(logs_of("a"), logs_of("c"));
}

#[test]
fn each_scene_run_uses_its_own_ids() {
    let dir = tempfile::tempdir().expect("dir");
    write(&plan(&dir.path().join("h"), 6000), &|| FIXTURE_NOW).expect("rehearse");
    let mut sessions = HashSet::new();
    let mut types = HashSet::new();
    for (name, text) in logs(&dir.path().join("h")) {
        for event in parse_lines(text.as_bytes(), &name, 0).0 {
            types.insert(event.event_type().to_owned());
            let conversation = event.conversation_id().map(str::to_owned);
            if let (Some(key), Some(id)) = (event.target_session_key(), conversation)
                && key.contains(":a2a:")
            {
                assert!(key.ends_with(&id), "{key} {id}");
            }
            sessions.extend(event.to_value()["data"]["workSessionId"].as_str().map(str::to_owned));
        }
    }
    assert!(sessions.len() > 600, "{}", sessions.len());
    for kind in ["a2a.send", "a2a.response", "a2a.complete", "a2a.spawn", "a2a.retry", "task.started", "task.blocked"] {
        assert!(types.contains(kind), "{kind} is missing");
    }
}

#[test]
fn foreign_folder_is_never_touched() {
    let dir = tempfile::tempdir().expect("dir");
    fs::write(dir.path().join("openclaw.json"), "{}").expect("write");
    assert!(matches!(write(&plan(dir.path(), 10), &|| FIXTURE_NOW), Err(RehearseError::Foreign(_))));
    assert_eq!(fs::read_dir(dir.path()).expect("dir").count(), 1);
    let own = dir.path().join("own");
    write(&plan(&own, 10), &|| FIXTURE_NOW).expect("first");
    assert!(matches!(write(&plan(&own, 10), &|| FIXTURE_NOW), Err(RehearseError::Already(_))));
}

#[test]
fn demo_home_at_fixture_time_equals_fixtures() {
    let moved = demo::moved(FIXTURE_NOW);
    for (path, text) in embedded::everything().iter().filter(|(path, _)| !path.contains("/task-history/")) {
        let same = moved.values().any(|other| other == text);
        assert!(same, "{path} changed though no time passed");
    }
}

#[test]
fn demo_home_shifts_times_and_separates_archives() {
    let now = FIXTURE_NOW + 273 * 86_400_000 + 12_345;
    let moved = demo::moved(now);
    assert_eq!(moved.keys().filter(|path| path.starts_with("logs/")).count(), 5);
    let newest = moved
        .iter()
        .filter(|(path, _)| path.starts_with("logs/"))
        .flat_map(|(path, text)| parse_lines(text.as_bytes(), path, 0).0)
        .map(|event| event.at)
        .max()
        .expect("events");
    assert!((0..120_000).contains(&(now - newest)), "{}", now - newest);
    let entries =
        |files: &mut dyn Iterator<Item = &str>| files.map(|text| text.matches("\n## [").count()).sum::<usize>();
    let archived = |path: &str| path.contains("/task-history/");
    let before = entries(&mut embedded::everything().iter().filter(|(path, _)| archived(path)).map(|(_, text)| *text));
    let after = entries(&mut moved.iter().filter(|(path, _)| archived(path)).map(|(_, text)| text.as_str()));
    assert_eq!(before, after);
    assert!(before > 100);
}
