//! Tests of edits of Claude Code's settings file on a real disk: symbolic links, permissions, backups, and
//! byte-for-byte restoration.
//!
//! Proves (claude-code): Settings of other programs stay byte for byte the same.

use std::os::unix::fs::symlink;

use super::super::events::known;
use super::*;

const NOW: &str = "2026-02-13T15:00:00.000Z";
const COMMAND: &str = "/opt/task-monitor hook --from claude-code || true";

fn events() -> Vec<HookEvent> {
    known(Some("2.1.84".parse().expect("a version")))
}

fn install(path: &Path) -> Result<Done, String> {
    SettingsFile::open(path)?.install(COMMAND, &events(), NOW)
}

fn uninstall(path: &Path) -> Result<Done, String> {
    SettingsFile::open(path)?.uninstall()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    names
}

#[test]
fn uninstall_restores_the_original_bytes() {
    for before in [
        "",
        " \n",
        "{}",
        "{ }",
        "{\n}\n",
        "{\"hooks\":{}}",
        "{\n  \"hooks\": { },\n  \"a\": 1\n}",
        "{\"hooks\":{\"Stop\":[]}}",
        "{\r\n\t\"a\": 1\r\n}\r\n",
        "\u{feff}{}",
        "\u{feff}{\n  \"a\": 1\n}",
        "{\n  \"hooks\": {\n    \"Stop\": [\n    ]\n  }\n}\n",
    ] {
        let dir = tempfile::tempdir().expect("dir");
        let path = dir.path().join("settings.json");
        std::fs::write(&path, before).expect("write");
        let done = install(&path).expect(before);
        assert_eq!(std::fs::read_to_string(done.copy.expect("a copy")).expect("read"), before);
        let after = std::fs::read_to_string(&path).expect("read");
        assert_eq!(merge::ours(&after).expect("ours").len(), events().len(), "{before:?}");
        let second = install(&path).expect("again");
        assert!(second.unchanged && second.copy.is_none(), "{before:?}");
        assert_eq!(std::fs::read_to_string(&path).expect("read"), after);
        uninstall(&path).expect("out");
        assert_eq!(std::fs::read_to_string(&path).expect("read"), before, "{before:?}");
        assert_eq!(names(dir.path()), ["settings.json"], "{before:?}");
        assert!(uninstall(&path).expect("out again").unchanged);
    }
}

#[test]
fn uninstall_removes_created_file_and_folder() {
    let dir = tempfile::tempdir().expect("dir");
    let path = dir.path().join("project/.claude/settings.local.json");
    std::fs::create_dir(dir.path().join("project")).expect("project");
    assert!(uninstall(&path).expect("nothing").unchanged);
    assert_eq!(install(&path).expect("in"), Done::default());
    assert_eq!(path.metadata().expect("seen").mode() & 0o777, 0o600);
    assert!(uninstall(&path).expect("out").removed);
    assert_eq!(names(&dir.path().join("project")), Vec::<String>::new());
    // The same after the program has moved in between.
    install(&path).expect("in");
    SettingsFile::open(&path).expect("open").install("/new/task-monitor hook", &events(), NOW).expect("moved");
    assert_eq!(names(&dir.path().join("project/.claude")).len(), 2);
    assert!(uninstall(&path).expect("out").removed);
    assert_eq!(names(&dir.path().join("project")), Vec::<String>::new());
}

#[test]
fn foreign_changes_and_needed_copies_stay() {
    let dir = tempfile::tempdir().expect("dir");
    let path = dir.path().join("settings.json");
    std::fs::write(&path, "{\n  \"model\": \"opus\"\n}\n").expect("write");
    install(&path).expect("in");
    let changed = std::fs::read_to_string(&path).expect("read").replace("\"opus\"", "\"haiku\"");
    std::fs::write(&path, changed).expect("write");
    uninstall(&path).expect("out");
    assert_eq!(std::fs::read_to_string(&path).expect("read"), "{\n  \"model\": \"haiku\"\n}\n");
    let left = names(dir.path());
    assert_eq!(left.len(), 2, "what it was before: {left:?}");
    assert_eq!(std::fs::read_to_string(dir.path().join(&left[1])).expect("read"), "{\n  \"model\": \"opus\"\n}\n");
}

#[test]
fn link_still_leads_to_the_written_file() {
    let dir = tempfile::tempdir().expect("dir");
    let (real, link) = (dir.path().join("dotfiles/claude.json"), dir.path().join("settings.json"));
    std::fs::create_dir(dir.path().join("dotfiles")).expect("folder");
    std::fs::write(&real, "{}").expect("write");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).expect("mode");
    symlink("dotfiles/claude.json", &link).expect("link");
    install(&link).expect("in");
    assert!(link.symlink_metadata().expect("seen").is_symlink());
    let seen = real.metadata().expect("seen");
    assert!(seen.len() > 2 && seen.mode() & 0o777 == 0o640);
    uninstall(&link).expect("out");
    assert_eq!((std::fs::read_to_string(&real).expect("read").as_str(), names(dir.path()).len()), ("{}", 2));
    assert!(link.symlink_metadata().expect("seen").is_symlink());
    let loose = dir.path().join("loose.json");
    symlink("nowhere", &loose).expect("link");
    assert!(install(&loose).expect_err("loose").contains("link to a missing file"));
}

#[test]
fn unwritable_file_is_reported_and_unchanged() {
    let dir = tempfile::tempdir().expect("dir");
    let path = dir.path().join("settings.json");
    let refused = |reason: &str| {
        let before = std::fs::read(&path).ok();
        let error = install(&path).expect_err(reason);
        assert!(error.contains(reason) && error.contains("settings.json"), "{error}");
        assert_eq!(std::fs::read(&path).ok(), before);
        assert_eq!(names(dir.path()), ["settings.json"], "half a file, or a copy of what was not changed, is left");
    };
    std::fs::write(&path, "{ // mine\n}").expect("write");
    refused("a comment");
    std::fs::write(&path, b"{\"a\":\"\xff\"}").expect("write");
    refused("not UTF-8 text");
    std::fs::write(&path, "{}").expect("write");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).expect("mode");
    refused("read-only");
    std::fs::remove_file(&path).expect("remove");
    std::fs::create_dir(&path).expect("folder");
    assert!(install(&path).expect_err("a folder").contains("not a regular file"));
}

#[test]
fn concurrently_changed_file_is_not_overwritten() {
    let dir = tempfile::tempdir().expect("dir");
    let path = dir.path().join("settings.json");
    std::fs::write(&path, "{}").expect("write");
    let opened = SettingsFile::open(&path).expect("open");
    std::fs::write(&path, "{\"theirs\":1}").expect("write");
    let error = opened.install(COMMAND, &events(), NOW).expect_err("changed");
    assert!(error.contains("changed meanwhile"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).expect("read"), "{\"theirs\":1}");
}

#[test]
fn linked_folder_stays_and_is_reusable() {
    let dir = tempfile::tempdir().expect("dir");
    std::fs::create_dir(dir.path().join("dotfiles")).expect("folder");
    symlink("dotfiles", dir.path().join(".claude")).expect("link");
    let path = dir.path().join(".claude/settings.json");
    for _ in 0..2 {
        install(&path).expect("in");
        assert!(uninstall(&path).expect("out").removed);
        assert_eq!(names(&dir.path().join("dotfiles")), Vec::<String>::new());
    }
}

#[test]
fn uninstall_removes_every_copy_after_program_moved() {
    let dir = tempfile::tempdir().expect("dir");
    let path = dir.path().join("settings.json");
    let before = "{\"a\": 1,\n \"hooks\": {\"Stop\": []}}";
    std::fs::write(&path, before).expect("write");
    for (number, command) in ["/one/task-monitor hook", "/two/task-monitor hook", COMMAND].into_iter().enumerate() {
        let events = if number == 0 { known(None) } else { events() };
        SettingsFile::open(&path).expect("open").install(command, &events, NOW).expect("in");
    }
    uninstall(&path).expect("out");
    assert_eq!(std::fs::read_to_string(&path).expect("read"), before);
    assert_eq!(names(dir.path()), ["settings.json"]);
}

#[test]
fn pipe_named_like_a_copy_does_not_block() {
    let dir = tempfile::tempdir().expect("dir");
    let path = dir.path().join("settings.json");
    std::fs::write(&path, "{}").expect("write");
    let pipe = dir.path().join("settings.json.bak-task-hub-1");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).expect("a pipe");
    install(&path).expect("in");
    uninstall(&path).expect("out");
    assert_eq!(names(dir.path()), ["settings.json", "settings.json.bak-task-hub-1"]);
}
