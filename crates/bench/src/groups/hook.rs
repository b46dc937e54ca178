//! Benchmark of the command `task-monitor hook`, which an agent waits for before and after a tool call. It is measured
//! once with a running and once with a stopped monitor, and once as the hook of a permission request, from a person's answer
//! to the end of the process. The control (baseline) is `task-monitor --version`.

use std::io::Write as _;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use bench::home::rehearsed;
use bench::http;
use bench::server::{BenchServer, wait_until};
use serde_json::{Value, json};
use xtask::tree;

use super::Setting;
use crate::figure::{Figure, percentile};

const STARTS: usize = 300;
/// Permission requests that are answered.
const ANSWERS: usize = 100;
const TOKEN: &str = "a-token-of-the-bench";

pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    let home = rehearsed(&setting.monitor, 2_000, "hook")?;
    let config = tree::target()?.join("bench/hook.toml");
    let token = config.with_extension("token");
    std::fs::write(&token, TOKEN)?;
    std::fs::write(&config, format!("write_token_file = {token:?}"))?;
    let words = ["--config", config.to_str().context("a path that is no text")?];
    let server = BenchServer::start(&setting.monitor, &home, &words)?;
    let command = |port: u16| {
        let mut command = Command::new(&setting.monitor);
        command.args(["hook", "--from", "claude-code", "--monitor", &format!("http://127.0.0.1:{port}"), "--home"]);
        command.arg(&home).args(words);
        command
    };
    let (output, _) = timed(command(server.port).arg("--verbose"), &event(0))?;
    ensure!(String::from_utf8_lossy(&output.stderr).contains("taken by"), "this monitor takes no events of hooks");
    let mut figures = delays(&setting.monitor, "with the monitor up", || command(server.port))?;
    figures.extend(answers(&setting.monitor, &server, || command(server.port))?);
    drop(server);
    let free = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
    figures.extend(delays(&setting.monitor, "with the monitor down", || command(free))?);
    Ok(figures)
}

/// Middle and 99th percentile; each start has one beside it that only prints the version.
fn delays(monitor: &Path, what: &str, hook: impl Fn() -> Command) -> Result<Vec<Figure>> {
    let (mut hooks, mut versions) = (Vec::new(), Vec::new());
    for number in 0..STARTS {
        versions.push(timed(Command::new(monitor).arg("--version"), b"")?.1);
        hooks.push(timed(&mut hook(), &event(number))?.1);
    }
    let figure = |percent: usize| {
        Figure::new(&format!("a hook {what}, p{percent}"), percentile(&hooks, percent), "ms")
            .control("the same program's --version", percentile(&versions, percent))
    };
    Ok(vec![figure(50), figure(99)])
}

/// From a person's answer to the end of the waiting hook.
fn answers(monitor: &Path, server: &BenchServer, hook: impl Fn() -> Command) -> Result<Vec<Figure>> {
    let (mut released, mut versions) = (Vec::new(), Vec::new());
    for number in 0..ANSWERS {
        versions.push(timed(Command::new(monitor).arg("--version"), b"")?.1);
        let mut command = hook();
        let mut child = command
            .args(["--answer", "30"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        child.stdin.take().context("no standard input")?.write_all(&permission_request(number))?;
        let mut open = Value::Null;
        wait_until("a permission request", Duration::from_millis(5), || {
            let list = http::json(server.port, "/api/v2/permission-requests")?;
            open = list.pointer("/open/0/id").cloned().unwrap_or_default();
            Ok(open.is_string())
        })?;
        let path = format!("/api/v2/permission-requests/{}", open.as_str().unwrap_or_default());
        let digest = http::json(server.port, &path)?["digest"].take();
        let head = format!("Origin: http://127.0.0.1:{}\r\nX-Task-Monitor-Token: {TOKEN}\r\n", server.port);
        let start = Instant::now();
        let answer = json!({ "decision": "allow", "digest": digest });
        let answered = http::post(server.port, &format!("{path}/answer"), &head, &answer)?;
        let output = child.wait_with_output()?;
        released.push(start.elapsed());
        ensure!(answered.status == 200, "the answer got {}", answered.status);
        ensure!(String::from_utf8_lossy(&output.stdout).contains("\"allow\""), "the hook printed no decision");
    }
    let figure = |percent: usize| {
        Figure::new(&format!("press → hook released, p{percent}"), percentile(&released, percent), "ms")
            .control("the same program's --version", percentile(&versions, percent))
    };
    Ok(vec![figure(50), figure(99)])
}

/// A request for the permission to run a command, of a session of its own.
fn permission_request(number: usize) -> Vec<u8> {
    let event = json!({
        "session_id": format!("8c35adc1-0000-4000-8000-{number:012}"), "cwd": tree::root(),
        "hook_event_name": "PermissionRequest", "tool_name": "Bash",
        "tool_input": {"command": "touch made.txt", "description": "make a file"}
    });
    event.to_string().into_bytes()
}

/// From before the start to after the end.
fn timed(command: &mut Command, input: &[u8]) -> Result<(Output, Duration)> {
    let start = Instant::now();
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    // The version is printed without reading anything.
    child.stdin.take().context("no standard input")?.write_all(input).ok();
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "the program ended with {}", output.status);
    Ok((output, start.elapsed()))
}

/// An ordinary call of a tool, with 8 KiB of output.
fn event(number: usize) -> Vec<u8> {
    let event = json!({
        "session_id": "8c35adc1-0000-4000-8000-000000000001", "transcript_path": "/home/kim/.claude/x.jsonl",
        "cwd": tree::root(), "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"},
        "tool_response": {"stdout": "ok\n".repeat(2730), "stderr": "", "interrupted": false},
        "tool_use_id": format!("toolu_bench_{number}")
    });
    event.to_string().into_bytes()
}
