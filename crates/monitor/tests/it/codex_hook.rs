//! Tests of `task-monitor hooks --program codex` and of its hook, started as Codex does. `make test-codex` runs Codex
//! itself.
//!
//! Proves (claude-code): Hooks for Codex come and go behind those of others, whose bytes and positions stay: Codex's trust
//! is tied to them. Its `config.toml` is never written. The hook is silent whatever comes in.

use crate::support;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use self::support::program;

/// Someone with a hook of their own in Codex, which they trust.
fn person() -> (tempfile::TempDir, PathBuf, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = folder.path().join(".codex");
    std::fs::create_dir_all(&settings).expect("a folder");
    let before = "{\"hooks\": {\n\t\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}]\n}}\n";
    std::fs::write(settings.join("hooks.json"), before).expect("hooks");
    std::fs::write(settings.join("config.toml"), CONFIG).expect("settings");
    (folder, settings.join("hooks.json"), before.to_owned())
}

const CONFIG: &str = "# mine\nmodel = \"a-model\"\n";

fn hooks(person: &Path, words: &[&str]) -> Output {
    let mut command = program();
    for name in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "TASK_MONITOR_WRITE_TOKEN", "CLAWDBOT_STATE_DIR"] {
        command.env_remove(name);
    }
    command.env("HOME", person).env("PATH", "/usr/bin:/bin").current_dir(person).stdin(Stdio::null());
    // No monitor of this machine gets a request.
    let to: &[&str] = if words[0] == "uninstall" { &[] } else { &["--monitor", "http://127.0.0.1:9"] };
    command.arg("hooks").args(words).args(["--program", "codex"]).args(to).output().expect("the program starts")
}

fn lines_of(done: &Output, code: i32) -> String {
    assert_eq!(done.status.code(), Some(code), "{done:?}");
    String::from_utf8_lossy(&done.stdout).into_owned()
}

#[test]
fn hooks_come_behind_those_of_others_and_go() {
    let (person, file, before) = person();
    let output = lines_of(&hooks(person.path(), &["install"]), 0);
    assert!(output.contains("~/.codex/hooks.json: hooks for 10 events are installed"), "{output}");
    assert!(output.contains("only after you have trusted it") && output.contains("all of them"), "{output}");
    assert!(output.contains("capture: summary") && output.contains("hooks uninstall"), "{output}");
    let installed: Value = serde_json::from_slice(&std::fs::read(&file).expect("read")).expect("JSON");
    let stops = installed["hooks"]["Stop"].as_array().expect("groups");
    assert_eq!(stops[0], json!({"hooks": [{"type": "command", "command": "say done"}]}), "it keeps its position");
    assert!(stops[1]["hooks"][0]["command"].as_str().is_some_and(|command| command.contains("hook --from codex")));
    let status = lines_of(&hooks(person.path(), &["status"]), 1);
    assert!(status.contains("installed for Stop, SessionStart") && status.contains("have trusted it"), "{status}");
    assert!(lines_of(&hooks(person.path(), &["install"]), 0).contains("nothing was changed"));
    assert!(lines_of(&hooks(person.path(), &["uninstall"]), 0).contains("all else is as it was"));
    assert_eq!(std::fs::read_to_string(&file).expect("read"), before);
    assert_eq!(std::fs::read_to_string(file.with_file_name("config.toml")).expect("read"), CONFIG);
    let left = std::fs::read_dir(person.path().join(".codex")).expect("a folder").count();
    assert_eq!(left, 2, "no copy stays");
}

#[test]
fn file_that_cannot_be_read_is_left_alone() {
    let (person, file, _) = person();
    for wrong in ["{ // mine\n}", "[]", "{\"hooks\": []}", "{\"hooks\": {\"Stop\": {}}}"] {
        std::fs::write(&file, wrong).expect("hooks");
        let done = hooks(person.path(), &["install"]);
        assert!(String::from_utf8_lossy(&done.stderr).contains("is left as it is"), "{wrong}: {done:?}");
        assert_eq!(std::fs::read_to_string(&file).expect("read"), wrong);
    }
    let done = hooks(person.path(), &["install", "--project"]);
    assert!(String::from_utf8_lossy(&done.stderr).contains("shares the hooks of a project"), "{done:?}");
    let done = hooks(person.path(), &["install", "--answer"]);
    assert!(String::from_utf8_lossy(&done.stderr).contains("write token"), "{done:?}");
}

/// Each input goes to the installed command by a shell, as Codex starts it.
#[test]
fn hook_is_silent_whatever_comes_in() {
    let (person, file, _) = person();
    lines_of(&hooks(person.path(), &["install"]), 0);
    let installed: Value = serde_json::from_slice(&std::fs::read(&file).expect("read")).expect("JSON");
    let command = installed["hooks"]["PermissionRequest"][0]["hooks"][0]["command"].as_str().expect("a command");
    let request = json!({"session_id": "01a22361-0444-7413-9610-f5e9eace3c5f", "hook_event_name": "PermissionRequest",
        "cwd": "/home/kim/repo", "tool_name": "Bash", "tool_input": {"command": "touch secret-command", "description": "파일"}});
    let deep = format!("{{\"session_id\":\"s\",\"tool_input\":{}{}}}", "[".repeat(50_000), "]".repeat(50_000));
    let spawn = json!({"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "spawn_agent",
        "tool_input": "no object", "tool_response": "{\"agent_id\": {\"a\": [1]}}"});
    for input in [request.to_string(), deep, spawn.to_string(), "{\"session_id\":".to_owned(), "\u{0}".repeat(10)] {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).env_clear().env("PATH", "/usr/bin:/bin").env("HOME", person.path());
        // Codex gives the environment of the terminal that started its background process.
        shell.env("TERM_SESSION_ID", "another-terminal");
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = shell.spawn().expect("a shell");
        child.stdin.take().expect("standard input").write_all(input.as_bytes()).expect("written");
        let done = child.wait_with_output().expect("it ends");
        assert!(done.status.success() && done.stdout.is_empty() && done.stderr.is_empty(), "{done:?}");
    }
    let text = std::fs::read_to_string(person.path().join(".openclaw/logs/hook-events.ndjson")).expect("read");
    let items: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("a whole line")).collect();
    assert_eq!(items.len(), 5, "{text}");
    assert_eq!(
        (&items[0]["program"], &items[0]["payload"]["tool_input"]),
        (&json!("codex"), &json!({"description": "파일"}))
    );
    assert!(!text.contains("another-terminal") && !text.contains("secret-command"), "{text}");
}
