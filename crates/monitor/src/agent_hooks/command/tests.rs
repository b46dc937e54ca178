//! Tests of the command line that a coding agent runs for a hook. A real shell parses it.
//!
//! Proves (claude-code): A real shell reads the program's path unchanged, whatever blanks and quotes it contains. A
//! missing program gives exit code 0.

use super::*;

#[test]
fn paths_with_blanks_and_quotes_round_trip() {
    let program = "/opt/my tools/it's \"new\" $HOME `x` \\ 한글/task-monitor";
    let all = Flags {
        home: Some("/home/kim/it's here".into()),
        monitor: Some("http://127.0.0.1:3847/hub/".to_owned()),
        config: Some("/etc/a b.toml".into()),
        answer: Some(30),
    };
    for flags in [Flags::default(), all] {
        let command = written(program, AgentProgram::ClaudeCode, &flags).expect("written");
        assert!(is_ours(&command), "{command}");
        assert_eq!((super::program(&command).as_deref(), super::flags(&command)), (Some(program), flags), "{command}");
        let echo = format!("printf '%s' {}", &command[..command.find(" hook ").expect("hook")]);
        let shell = std::process::Command::new("sh").args(["-c", &echo]).output().expect("a shell");
        assert_eq!(String::from_utf8_lossy(&shell.stdout), program, "what a real shell reads");
    }
}

#[test]
fn only_permission_requests_wait_for_an_answer() {
    let flags = Flags { monitor: Some("http://127.0.0.1:1/".to_owned()), answer: Some(45), ..Flags::default() };
    let command = written("/opt/task-monitor", AgentProgram::ClaudeCode, &flags).expect("written");
    let plain =
        written("/opt/task-monitor", AgentProgram::ClaudeCode, &Flags { answer: None, ..flags }).expect("written");
    assert_eq!(for_event(&command, "PermissionRequest"), (command.clone(), 55));
    assert_eq!(for_event(&command, "PreToolUse"), (plain.clone(), 5));
    assert_eq!(for_event(&plain, "PermissionRequest"), (plain, 5));
}

#[test]
fn codex_gets_its_own_word_and_time_limits() {
    let flags = Flags { answer: Some(45), ..Flags::default() };
    let command = written("/opt/task-monitor", AgentProgram::Codex, &flags).expect("written");
    assert!(is_ours(&command) && command.contains("hook --from codex"), "{command}");
    assert_eq!(from(&command), AgentProgram::Codex);
    assert_eq!(from("/old/task-monitor hook"), AgentProgram::ClaudeCode);
    let seconds = |event: &str| for_event(&command, event).1;
    assert_eq!(["PermissionRequest", "Stop", "SessionEnd", "Interrupt"].map(seconds), [55, 5, 3, 3]);
}

#[test]
fn missing_or_old_program_exits_zero() {
    for program in ["/nowhere/task-monitor", "false"] {
        let command = written(program, AgentProgram::ClaudeCode, &Flags::default()).expect("written");
        let done = std::process::Command::new("sh").args(["-c", &command]).output().expect("a shell");
        assert_eq!(done.status.code(), Some(0), "{command}");
    }
}

#[test]
fn own_commands_are_recognised() {
    for ours in [
        "task-monitor hook",
        "/old/place/task-monitor hook --home /x || true",
        "\"/with blanks/task-monitor\" hook",
        "/renamed/tm hook --from claude-code",
        "/renamed/tm hook --from codex --answer 30 || true",
    ] {
        assert!(is_ours(ours), "{ours}");
    }
    for other in [
        "",
        "task-monitor",
        "task-monitor check",
        "other hook",
        "echo task-monitor hook",
        "my-task-monitor hook",
        "x --from claude-code",
        "x hook --from another-agent",
    ] {
        assert!(!is_ours(other), "{other}");
    }
}
