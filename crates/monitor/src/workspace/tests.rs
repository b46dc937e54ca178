//! Rules of reading the folders and the configuration.

use std::fs;
use std::path::{Path, PathBuf};

use coordination::api::ConfigState;

use super::*;
use crate::home::Home;

const TASK: &str = "## Metadata\n- **Status:** in_progress\n- **Created:** 2026-02-17T02:20:00.000Z\n\n## Description\n배포\n\n## Steps\n- [x] (s1) a\n- [ ] (s2) b\n";

/// A home inside a folder really named `.openclaw`: that name must not make anything invisible (D0).
fn home() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("dir");
    let root = dir.path().join(".openclaw");
    fs::create_dir_all(root.join("workspace-eden/tasks")).expect("folders");
    fs::write(root.join("openclaw.json"), "{ agents: { list: [{ id: 'ruda' }, { id: 'eden' }] } } // JSON5")
        .expect("config");
    fs::write(root.join("workspace-eden/tasks/task_1.md"), TASK).expect("task");
    (dir, root)
}

fn eden(update: &Update) -> &coordination::workspace::AgentWorkspace {
    update.workspace.agents.iter().find(|agent| agent.agent_id.as_str() == "eden").expect("eden")
}

fn told(update: &Update) -> Vec<(FileEvent, &str)> {
    update.changes.iter().map(|change| (change.event, change.file.as_str())).collect()
}

#[test]
fn a_file_that_comes_changes_and_goes_is_told_once_each() {
    let (_dir, root) = home();
    let mut reader = Reader::new(Home::new(&root));
    let first = reader.look().expect("first look");
    assert_eq!((eden(&first).tasks.len(), first.changes.len()), (1, 0));
    assert!(reader.look().is_none(), "nothing happened");

    let path = root.join("workspace-eden/tasks/task_2.md");
    fs::write(&path, TASK).expect("write");
    let added = reader.look().expect("added");
    assert_eq!(told(&added), [(FileEvent::Add, "task_2.md")]);
    assert_eq!(added.changes[0].steps.map(|steps| (steps.total, steps.done)), Some((2, 1)));

    fs::write(&path, TASK.replace("in_progress", "blocked")).expect("write");
    let changed = reader.look().expect("changed");
    assert_eq!(told(&changed), [(FileEvent::Change, "task_2.md")]);
    fs::remove_file(&path).expect("remove");
    let gone = reader.look().expect("gone");
    assert_eq!((told(&gone), eden(&gone).tasks.len()), (vec![(FileEvent::Unlink, "task_2.md")], 1));
}

#[test]
fn a_damaged_configuration_keeps_the_last_good_one_and_says_so() {
    let (_dir, root) = home();
    let mut reader = Reader::new(Home::new(&root));
    assert_eq!(reader.look().expect("first").config, ConfigState::Ok);
    fs::write(root.join("openclaw.json"), "{ agents: ").expect("write");
    let stale = reader.look().expect("stale");
    assert_eq!(stale.config, ConfigState::Stale);
    assert!(stale.roster.is_main("eden"), "last good");
    assert_eq!(stale.unreadable[0].path, "openclaw.json");
    fs::write(root.join("openclaw.json"), "{ agents: { list: [{ id: 'seum' }] } }").expect("write");
    let good = reader.look().expect("good again");
    assert_eq!((good.config, good.unreadable.len()), (ConfigState::Ok, 0));
    assert!(good.roster.is_main("seum"));
}

#[test]
fn an_included_part_is_read_followed_and_kept_inside_the_config_root() {
    let (dir, root) = home();
    fs::write(root.join("openclaw.json"), "{ $include: './parts/agents.json5' }").expect("write");
    fs::create_dir(root.join("parts")).expect("folder");
    fs::write(root.join("parts/agents.json5"), "{ agents: { list: [{ id: 'dajim' }] } }").expect("write");
    let mut reader = Reader::new(Home::new(&root));
    assert!(reader.look().expect("first").roster.is_main("dajim"));
    fs::write(root.join("parts/agents.json5"), "{ agents: { list: [{ id: 'nuri' }] } }").expect("write");
    assert!(reader.look().expect("changed").roster.is_main("nuri"));
    fs::write(dir.path().join("outside.json5"), "{ agents: { list: [{ id: 'mallory' }] } }").expect("write");
    fs::write(root.join("openclaw.json"), "{ $include: '../outside.json5' }").expect("write");
    let refused = reader.look().expect("refused");
    assert!(!refused.roster.is_main("mallory"));
    assert_eq!(refused.config, ConfigState::Stale);
}

#[test]
fn the_default_agents_folder_has_no_suffix_and_stray_folders_are_not_configured() {
    let (_dir, root) = home();
    for folder in ["workspace", "workspace-stray", "workspace-Bad Name"] {
        fs::create_dir_all(root.join(folder)).expect("folder");
    }
    let config = "{ agents: { list: [{ id: 'ruda', default: true }, { id: 'eden', workspace: '~/.openclaw/own' }] } }";
    fs::write(root.join("openclaw.json"), config).expect("write");
    let home = Home::new(&root);
    let roster = Reader::new(home.clone()).look().expect("look").roster;
    let of = |id: &str| folders(&home, &roster).into_iter().find(|it| it.agent_id.as_str() == id).map(|it| it.path);
    assert_eq!(of("ruda"), Some(root.join("workspace")));
    assert_eq!(of("eden"), Some(root.join("own")), "a copied home is read from its copy");
    assert_eq!(of("stray"), Some(root.join("workspace-stray")));
    assert_eq!(roster.agent("stray").map(|agent| agent.configured), Some(false));
    assert_eq!(of("Bad Name"), None);
}

#[test]
fn links_that_leave_pipes_and_oversized_files_are_reported_and_never_read() {
    let (dir, root) = home();
    let tasks = root.join("workspace-eden/tasks");
    fs::write(dir.path().join("secret.md"), TASK).expect("write");
    std::os::unix::fs::symlink(dir.path().join("secret.md"), tasks.join("task_link.md")).expect("link");
    fs::write(tasks.join("task_big.md"), "x".repeat(1 + usize::try_from(TASK_LIMIT).expect("size"))).expect("write");
    let pipe = std::process::Command::new("mkfifo").arg(tasks.join("task_pipe.md")).status().expect("mkfifo");
    assert!(pipe.success());
    fs::write(tasks.join("task_odd.md"), "# just notes").expect("write");
    let update = Reader::new(Home::new(&root)).look().expect("look");
    let found = eden(&update);
    assert_eq!(found.tasks.len(), 1);
    let causes: Vec<(&str, &str)> = found
        .unreadable
        .iter()
        .map(|(path, cause)| (Path::new(path).file_name().and_then(|it| it.to_str()).unwrap_or(""), cause.as_str()))
        .collect();
    assert_eq!(
        causes,
        [
            ("task_big.md", "too large"),
            ("task_link.md", "a link"),
            ("task_odd.md", "not a task"),
            ("task_pipe.md", "not a regular file"),
        ]
    );
}

#[test]
fn a_home_that_does_not_exist_yet_is_empty_and_found_when_it_appears() {
    let dir = tempfile::tempdir().expect("dir");
    let root = dir.path().join(".openclaw");
    let mut reader = Reader::new(Home::new(&root));
    assert_eq!(reader.look().expect("first").config, ConfigState::Missing);
    fs::create_dir_all(root.join("workspace-eden/tasks")).expect("folders");
    fs::write(root.join("workspace-eden/tasks/task_1.md"), TASK).expect("task");
    assert_eq!(eden(&reader.look().expect("appeared")).tasks.len(), 1);
}

#[test]
fn ids_that_could_leave_a_folder_are_refused() {
    for bad in ["", "..", "a/b", "Eden", "-a", "a b", &"a".repeat(65)] {
        assert!(!valid_agent_id(bad), "{bad}");
    }
    for bad in ["task_", "task_../x", "task_A", "tasks_1"] {
        assert!(!valid_task_id(bad), "{bad}");
    }
    assert!(valid_agent_id("worker-quick") && valid_task_id("task_7f3a91c02b4de8815a60"));
}
