//! Tests of `task-monitor up`: what it serves on a machine with an OpenClaw home, with Claude Code or Codex alone, and
//! with neither.
//!
//! Proves (api): `task-monitor up` serves the home of the machine, offers the hooks where only Claude Code or
//! Codex is and they are not installed, and shows a demo that keeps talking where there is neither.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{ChildStdout, Command};

use crate::support::{TestServer, program, story};

/// `up` for a user with this home directory, and what it prints.
fn up(user_home: &Path) -> (TestServer, BufReader<ChildStdout>) {
    let mut command = program();
    command.args(["up", "--no-open", "--port", "0"]).env("HOME", user_home).env_remove("XDG_CACHE_HOME");
    command.env_remove("CLAUDE_CONFIG_DIR").env_remove("CODEX_HOME");
    let (server, stdout) = TestServer::spawn_printing(command).expect("an address");
    (server, BufReader::new(stdout))
}

fn printed(lines: BufReader<ChildStdout>) -> String {
    let mut text = String::new();
    for line in lines.lines().map(|line| line.expect("a line")) {
        let last = line.starts_with("http://");
        text.push_str(&line);
        text.push('\n');
        if last {
            break;
        }
    }
    text
}

#[test]
fn machine_with_neither_shows_demo() {
    let user = tempfile::tempdir().expect("a folder");
    let (server, lines) = up(user.path());
    let text = printed(lines);
    assert!(text.contains("up --home DIR") && text.contains(&server.address), "{text}");
    let home = server.state("ok");
    assert_eq!(home["source"]["demo"], true);
    assert!(home["all"]["total"].as_u64().is_some_and(|sessions| sessions > 10), "{}", home["all"]);
    assert!(!user.path().join(".openclaw").exists(), "only the cache folder is written to");
}

#[test]
fn machine_with_claude_code_alone_offers_hooks() {
    let user = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(user.path().join(".claude")).expect("a folder");
    let (server, lines) = up(user.path());
    let text = printed(lines);
    assert!(text.contains("task-monitor hooks install") && text.contains("hooks uninstall"), "{text}");
    let source = &server.state("homeMissing")["source"];
    assert_eq!((&source["demo"], &source["claudeCode"]), (&false.into(), &"withoutHooks".into()));
}

#[test]
fn machine_with_codex_alone_offers_its_hooks() {
    let user = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(user.path().join(".codex")).expect("a folder");
    let (server, lines) = up(user.path());
    let text = printed(lines);
    assert!(text.contains("task-monitor hooks install --program codex"), "{text}");
    assert!(text.contains("hooks uninstall --program codex"), "{text}");
    let source = &server.state("homeMissing")["source"];
    assert_eq!((&source["claudeCode"], &source["codex"]), (&serde_json::Value::Null, &"withoutHooks".into()));
    let command = source["codexHooksCommand"].as_str().expect("a command");
    let expected = format!("task-monitor hooks install --program codex --monitor http://{}", server.address);
    assert_eq!(command, expected, "with the port that the system chose");
}

#[test]
fn machine_whose_hooks_are_installed_offers_nothing() {
    let user = tempfile::tempdir().expect("a folder");
    for (folder, args) in
        [(".claude", &["hooks", "install"][..]), (".codex", &["hooks", "install", "--program", "codex"])]
    {
        std::fs::create_dir(user.path().join(folder)).expect("a folder");
        let mut install = program();
        install.args(args).env("HOME", user.path()).env_remove("CLAUDE_CONFIG_DIR").env_remove("CODEX_HOME");
        let output = install.output().expect("run");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let (_server, lines) = up(user.path());
    assert_eq!(printed(lines).lines().count(), 1, "the address alone");
    // The hooks made it. Without it only their settings tell.
    std::fs::remove_dir_all(user.path().join(".openclaw")).expect("removed");
    let (server, lines) = up(user.path());
    let text = printed(lines);
    assert_eq!(text.lines().count(), 2, "that the home is missing, and the address: {text}");
    let source = &server.state("homeMissing")["source"];
    assert_eq!((&source["claudeCode"], &source["codex"]), (&"withHooks".into(), &"withHooks".into()));
}

#[test]
fn machine_with_openclaw_shows_its_home() {
    let user = tempfile::tempdir().expect("a folder");
    let copied = Command::new("cp").arg("-r").arg(story("fan-out")).arg(user.path().join(".openclaw")).status();
    assert!(copied.expect("cp").success());
    let (server, lines) = up(user.path());
    let text = printed(lines);
    assert_eq!(text.lines().count(), 1, "the address alone: {text}");
    assert_eq!(server.state("ok")["source"]["demo"], false);
}
