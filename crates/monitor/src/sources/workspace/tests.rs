//! Tests of the workspace reader: which folders belong to agents, what is read from the configuration, and which files
//! are reported as unreadable.
//!
//! Proves (work): A folder or task file behind a symbolic link is reported and not read, unless the configuration names
//! the folder.

use std::fs;
use std::path::{Path, PathBuf};

use coordination::api::ConfigState;
use coordination::workspace::{valid_agent_id, valid_task_id};

use super::*;
use crate::home::HomeDir;

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

fn file_changes(update: &Update) -> Vec<(FileEvent, &str)> {
    update.changes.iter().map(|change| (change.event, change.file.as_str())).collect()
}

#[test]
fn added_changed_removed_file_reports_once_each() {
    let (_dir, root) = home();
    let mut reader = WorkspaceReader::new(HomeDir::new(&root));
    let first = reader.look().expect("first look");
    assert_eq!((eden(&first).tasks.len(), first.changes.len()), (1, 0));
    assert!(reader.look().is_none(), "nothing happened");

    let path = root.join("workspace-eden/tasks/task_2.md");
    fs::write(&path, TASK).expect("write");
    let added = reader.look().expect("added");
    assert_eq!(file_changes(&added), [(FileEvent::Add, "task_2.md")]);
    assert_eq!(added.changes[0].steps.map(|steps| (steps.total, steps.done)), Some((2, 1)));

    fs::write(&path, TASK.replace("in_progress", "blocked")).expect("write");
    let changed = reader.look().expect("changed");
    assert_eq!(file_changes(&changed), [(FileEvent::Change, "task_2.md")]);
    fs::remove_file(&path).expect("remove");
    let removal = reader.look().expect("gone");
    assert_eq!((file_changes(&removal), eden(&removal).tasks.len()), (vec![(FileEvent::Unlink, "task_2.md")], 1));
}

#[test]
fn damaged_configuration_keeps_last_good_one() {
    let (_dir, root) = home();
    let mut reader = WorkspaceReader::new(HomeDir::new(&root));
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
fn included_file_is_followed_inside_config_root() {
    let (dir, root) = home();
    fs::write(root.join("openclaw.json"), "{ $include: './parts/agents.json5' }").expect("write");
    fs::create_dir(root.join("parts")).expect("folder");
    fs::write(root.join("parts/agents.json5"), "{ agents: { list: [{ id: 'dajim' }] } }").expect("write");
    let mut reader = WorkspaceReader::new(HomeDir::new(&root));
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
fn default_agent_folder_and_unconfigured_folders() {
    let (_dir, root) = home();
    for folder in ["workspace", "workspace-stray", "workspace-Bad Name"] {
        fs::create_dir_all(root.join(folder)).expect("folder");
    }
    let config = "{ agents: { list: [{ id: 'ruda', default: true }, { id: 'eden', workspace: '~/.openclaw/own' }] } }";
    fs::write(root.join("openclaw.json"), config).expect("write");
    let home = HomeDir::new(&root);
    let roster = WorkspaceReader::new(home.clone()).look().expect("look").roster;
    let folder = |id: &str| folders(&home, &roster).into_iter().find(|it| it.agent_id.as_str() == id).map(|it| it.path);
    assert_eq!(folder("ruda"), Some(root.join("workspace")));
    assert_eq!(folder("eden"), Some(root.join("own")), "a copied home is read from its copy");
    assert_eq!(folder("stray"), Some(root.join("workspace-stray")));
    assert_eq!(roster.agent("stray").map(|agent| agent.configured), Some(false));
    assert_eq!(folder("Bad Name"), None);
}

#[test]
fn escaping_links_pipes_and_oversized_files_are_reported() {
    let (dir, root) = home();
    let tasks = root.join("workspace-eden/tasks");
    fs::write(dir.path().join("secret.md"), TASK).expect("write");
    std::os::unix::fs::symlink(dir.path().join("secret.md"), tasks.join("task_link.md")).expect("link");
    fs::write(tasks.join("task_big.md"), "x".repeat(1 + usize::try_from(FileKind::Task.max_bytes()).expect("size")))
        .expect("write");
    let pipe = std::process::Command::new("mkfifo").arg(tasks.join("task_pipe.md")).status().expect("mkfifo");
    assert!(pipe.success());
    fs::write(tasks.join("task_odd.md"), "# just notes").expect("write");
    let update = WorkspaceReader::new(HomeDir::new(&root)).look().expect("look");
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

/// The unreadable files of eden and of the home, with their causes.
fn unread(update: &Update) -> Vec<(String, String)> {
    let of_home = update.unreadable.iter().map(|entry| (entry.path.clone(), entry.cause.clone()));
    eden(update).unreadable.iter().cloned().chain(of_home).collect()
}

fn link(target: &Path, at: &Path) {
    std::os::unix::fs::symlink(target, at).expect("link");
}

#[test]
fn linked_folder_is_reported_and_not_read() {
    let (dir, root) = home();
    let outside = dir.path().join("outside");
    fs::rename(root.join("workspace-eden"), &outside).expect("rename");
    link(&outside, &root.join("workspace-eden"));
    fs::create_dir(dir.path().join("plans")).expect("folder");
    link(&dir.path().join("plans"), &root.join("plans"));
    link(&outside, &root.join("workspace-stray"));
    let mut reader = WorkspaceReader::new(HomeDir::new(&root));
    let update = reader.look().expect("look");
    assert_eq!(eden(&update).tasks.len(), 0);
    let expected = [("workspace-eden", "a link"), ("plans", "a link")].map(|(path, cause)| (path.into(), cause.into()));
    assert_eq!(unread(&update), expected);
    let stray = update.workspace.agents.iter().find(|agent| agent.agent_id.as_str() == "stray").expect("stray");
    assert_eq!(stray.unreadable, [("workspace-stray".to_owned(), "a link".to_owned())], "the refused link is reported");
    assert!(
        reader.watched_folders().iter().filter(|path| path.exists()).all(|path| *path == root),
        "nor is it watched"
    );
    // The folder itself comes back, and a link takes the place of one inside it.
    fs::remove_file(root.join("workspace-eden")).expect("remove");
    fs::rename(&outside, root.join("workspace-eden")).expect("rename");
    assert_eq!(eden(&reader.look().expect("back")).tasks.len(), 1);
    fs::rename(root.join("workspace-eden/tasks"), &outside).expect("rename");
    link(&outside, &root.join("workspace-eden/tasks"));
    let update = reader.look().expect("again");
    assert_eq!((eden(&update).tasks.len(), unread(&update)[0].1.as_str()), (0, "a link"));
}

#[test]
fn configured_workspace_may_be_a_link() {
    let (dir, root) = home();
    let outside = dir.path().join("elsewhere");
    fs::create_dir_all(outside.join("tasks")).expect("folder");
    fs::write(outside.join("tasks/task_1.md"), TASK).expect("task");
    link(&outside.join("tasks/task_1.md"), &outside.join("tasks/task_2.md"));
    link(&outside, &dir.path().join("named"));
    let named = dir.path().join("named");
    let config = |path: &Path| {
        let text =
            format!("{{ agents: {{ list: [{{ id: 'ruda' }}, {{ id: 'eden', workspace: '{}' }}] }} }}", path.display());
        fs::write(root.join("openclaw.json"), text).expect("write");
    };
    config(&named);
    let mut reader = WorkspaceReader::new(HomeDir::new(&root));
    let update = reader.look().expect("look");
    assert_eq!((eden(&update).tasks.len(), unread(&update).len()), (1, 1));
    assert_eq!(unread(&update)[0].1, "a link");
    fs::write(dir.path().join("file"), "").expect("write");
    config(&dir.path().join("file"));
    assert_eq!(
        unread(&reader.look().expect("look"))[0].1,
        "not a folder",
        "a configured path that is no folder is reported"
    );
}

#[test]
fn linked_configuration_is_reported_unless_configured() {
    let (dir, root) = home();
    let elsewhere = dir.path().join("elsewhere.json");
    fs::rename(root.join("openclaw.json"), &elsewhere).expect("rename");
    link(&elsewhere, &root.join("openclaw.json"));
    let home = HomeDir::new(&root);
    let mut reader = ConfigReader::new(home.clone());
    let loaded = reader.look().0.clone();
    let problem = loaded.problem.expect("a problem");
    assert_eq!(
        (loaded.state, problem.path.as_str(), problem.cause.as_str()),
        (ConfigState::Invalid, "openclaw.json", "a link")
    );
    let mut named = ConfigReader::of_file(home, root.join("openclaw.json"));
    assert!(named.look().0.roster.is_main("eden"));
    assert!(!named.look().1, "nothing happened");
    let other = dir.path().join("other.json");
    fs::write(&other, "{ agents: { list: [{ id: 'nuri' }] } }").expect("write");
    fs::remove_file(root.join("openclaw.json")).expect("remove");
    link(&other, &root.join("openclaw.json"));
    assert!(named.look().0.roster.is_main("nuri"), "another target is another file");
}

#[test]
fn include_paths_stay_inside_without_links() {
    let (dir, root) = home();
    fs::create_dir_all(root.join("parts/deep")).expect("folders");
    fs::write(root.join("parts/agents.json5"), "{ agents: { list: [{ id: 'dajim' }] } }").expect("write");
    let mut reader = ConfigReader::new(HomeDir::new(&root));
    let mut include = |path: &str| {
        fs::write(root.join("openclaw.json"), format!("{{ $include: '{path}' }}")).expect("write");
        reader.look().0.clone()
    };
    let absolute = root.join("parts/agents.json5");
    for inside in ["parts/agents.json5", "./parts/deep/../agents.json5", absolute.to_str().expect("path")] {
        let loaded = include(inside);
        assert!(loaded.problem.is_none() && loaded.roster.is_main("dajim"), "{inside}: {:?}", loaded.problem);
    }
    fs::write(dir.path().join("agents.json5"), "{ agents: { list: [{ id: 'mallory' }] } }").expect("write");
    link(&dir.path().join("agents.json5"), &root.join("parts/link.json5"));
    link(dir.path(), &root.join("way"));
    let outside = dir.path().join("agents.json5");
    for (path, cause) in [
        ("parts/link.json5", "a link"),
        ("way/agents.json5", "a link"),
        ("parts/../../agents.json5", "leads outside its folder"),
        (outside.to_str().expect("path"), "leads outside its folder"),
    ] {
        let loaded = include(path);
        let problem_cause = loaded.problem.expect("a problem").cause;
        assert!(problem_cause.ends_with(cause) && loaded.roster.is_main("dajim"), "{path}: {problem_cause}");
    }
}

#[test]
fn missing_home_is_empty_until_it_appears() {
    let dir = tempfile::tempdir().expect("dir");
    let root = dir.path().join(".openclaw");
    let mut reader = WorkspaceReader::new(HomeDir::new(&root));
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
