//! Benchmark of a hook command, from the start of its process to its end. The control is the same program printing its
//! version. An agent waits for the command before and after every tool.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use bench::server::BenchServer;
use serde_json::json;
use xtask::{shell, tree};

use crate::figure::{Bound, Figure, percentile};
use crate::setting::Setting;

/// Starts of what takes milliseconds, and of what waits for an answer that never comes.
const STARTS: usize = 300;
const WAITS: usize = 12;
/// Events of the home whose monitor is asked.
const EVENTS: u64 = 2_000;

/// With the monitor up, replaced by a bare listener, down, and hanging.
pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    let home = setting.home_to_change(EVENTS)?;
    let config = tree::target()?.join("bench/hook.toml");
    let token = config.with_extension("token");
    std::fs::write(&token, "a-token-of-the-bench")?;
    std::fs::write(&config, format!("write_token_file = {token:?}"))?;
    let config = config.to_str().context("a path that is no text")?;
    let command = HookCommand { program: setting.monitor.clone(), home, config: config.to_owned() };

    let server = BenchServer::start(&command.program, &command.home, None, &["--config", config])?;
    if !command.is_accepted(server.port)? {
        bail!("this monitor takes no events of hooks");
    }
    let mut figures = command.figures("with the monitor up", server.port, Some(30.0), STARTS)?;
    drop(server);
    figures.extend(command.figures("beside a bare listener that takes all", null_server()?, None, STARTS)?);
    // This listener is closed at once, the next one never accepts.
    let down = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
    figures.extend(command.figures("with the monitor down, kept in the drop file", down, Some(60.0), STARTS)?);
    let hanging = TcpListener::bind(("127.0.0.1", 0))?;
    let port = hanging.local_addr()?.port();
    figures.extend(command.figures("with a monitor that never answers", port, None, WAITS)?);
    Ok(figures)
}

struct HookCommand {
    program: PathBuf,
    home: PathBuf,
    config: String,
}

impl HookCommand {
    /// Middle and 99th percentile; each start has one beside it that only tells the version.
    fn figures(&self, what: &str, port: u16, most: Option<f64>, starts: usize) -> Result<Vec<Figure>> {
        shell::say(&format!("{starts} starts {what}"));
        let (mut hooks, mut versions) = (Vec::with_capacity(starts), Vec::with_capacity(starts));
        for number in 0..starts {
            versions.push(run_time(Command::new(&self.program).arg("--version"), b"")?);
            hooks.push(run_time(&mut self.command(port), &event(number))?);
        }
        let figure = |percent: usize| {
            Figure::new(&format!("a hook {what}, p{percent}"), percentile(&hooks, percent), "ms")
                .with_control("the same program's --version", percentile(&versions, percent))
        };
        let late = figure(99);
        Ok(vec![figure(50), most.map_or(late.clone(), |most| late.bound(Bound::AtMost(most)))])
    }

    fn command(&self, port: u16) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["hook", "--from", "claude-code", "--monitor", &format!("http://127.0.0.1:{port}"), "--home"]);
        command.arg(&self.home).args(["--config", &self.config]);
        command
    }

    /// Whether the monitor takes an event: what waits in a file instead is another figure.
    fn is_accepted(&self, port: u16) -> Result<bool> {
        let mut command = self.command(port);
        command.arg("--verbose").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().context("cannot start the hook")?;
        child.stdin.take().context("no standard input")?.write_all(&event(0))?;
        Ok(String::from_utf8_lossy(&child.wait_with_output()?.stderr).contains("taken by"))
    }
}

/// From before the start to after the end; the output is read by nobody, as an agent reads none.
fn run_time(command: &mut Command, input: &[u8]) -> Result<Duration> {
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn().context("cannot start the program")?;
    // The version is printed without reading anything.
    child.stdin.take().context("no standard input")?.write_all(input).ok();
    let status = child.wait()?;
    let took = start.elapsed();
    if status.success() { Ok(took) } else { bail!("the program ended with {status}") }
}

/// An ordinary call of a tool, with 8 KiB of output.
fn event(number: usize) -> Vec<u8> {
    let event = json!({
        "session_id": "8c35adc1-0000-4000-8000-000000000001", "transcript_path": "/home/kim/.claude/x.jsonl",
        "cwd": tree::root(), "permission_mode": "default", "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_input": {"command": "cargo test", "description": "테스트 실행"}, "duration_ms": 12,
        "tool_response": {"stdout": "ok\n".repeat(2730), "stderr": "", "interrupted": false},
        "tool_use_id": format!("toolu_bench_{number}")
    });
    event.to_string().into_bytes()
}

/// Port of a listener that answers whatever is posted and does nothing else: what is left is the command's own cost.
fn null_server() -> Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let port = listener.local_addr()?.port();
    // A client that went away does not end it.
    std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| answer(stream).unwrap_or_default()));
    Ok(port)
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let (mut request, mut piece) = (Vec::new(), [0; 16 << 10]);
    // The item is an object: it ends with two brackets, its payload's and its own.
    while !request.ends_with(b"}}") {
        match stream.read(&mut piece)? {
            0 => break,
            filled => request.extend_from_slice(&piece[..filled]),
        }
    }
    stream.write_all(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}
