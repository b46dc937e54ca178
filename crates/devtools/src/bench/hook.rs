//! Benchmark of a hook command, from the start of its process to its end. The control is the same program printing its
//! version. An agent waits for the command before and after every tool.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::figure::{Bound, Figure};
use super::server::BenchServer;
use super::setting::Setting;
use super::{ms, percentile};
use crate::{shell, tree};

/// Starts of what takes milliseconds, and of what waits for an answer that never comes.
const STARTS: usize = 300;
const WAITS: usize = 12;
/// Events of the home whose monitor is asked.
const SMALL: u64 = 2_000;
const READ_TIMEOUT: Duration = Duration::from_secs(60);
const TOKEN: &str = "a-token-of-the-bench";

/// With the monitor up, down and hanging.
pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    let home = setting.home_to_change(SMALL)?;
    let bench = HookBench { program: setting.monitor()?, home, config: tree::target()?.join("bench/hook.toml") };
    let token = bench.config.with_extension("token");
    std::fs::write(&token, TOKEN)
        .and_then(|()| std::fs::write(&bench.config, format!("write_token_file = {token:?}")))?;
    let config = bench.config.to_str().context("a path that is no text")?;

    let server = BenchServer::start_with(&bench.program, &bench.home, &["--config", config])?;
    server.wait_until_read(READ_TIMEOUT)?;
    let mut figures = Vec::new();
    let up = url(server.port);
    if bench.taken(&up)? {
        figures.extend(bench.both("with the monitor up", &up, Some(30.0), STARTS)?);
    } else {
        let why = "this monitor takes no events of hooks";
        figures.push(Figure::missing("a hook with the monitor up, p99", "ms", why).goal("", Bound::AtMost(30.0)));
    }
    drop(server);

    let bare = NullServer::new()?;
    figures.extend(bench.both("beside a bare listener that takes all", &url(bare.port), None, STARTS)?);
    let down = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
    figures.extend(bench.both("with the monitor down, kept in the drop file", &url(down), Some(60.0), STARTS)?);
    let hanging = TcpListener::bind(("127.0.0.1", 0))?;
    let port = hanging.local_addr()?.port();
    figures.extend(bench.both("with a monitor that never answers", &url(port), None, WAITS)?);
    Ok(figures)
}

fn url(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}

struct HookBench {
    program: PathBuf,
    home: PathBuf,
    config: PathBuf,
}

impl HookBench {
    /// Middle and 99th percentile, each start beside one that only tells the version.
    fn both(&self, what: &str, url: &str, most: Option<f64>, starts: usize) -> Result<Vec<Figure>> {
        shell::say(&format!("{starts} starts {what}"));
        let (mut hooks, mut versions) = (Vec::with_capacity(starts), Vec::with_capacity(starts));
        for number in 0..starts {
            versions.push(took(Command::new(&self.program).arg("--version"), b"")?);
            hooks.push(took(&mut self.hook(url), &event(number))?);
        }
        let mut figure = |percent: usize| {
            let (own, version) = (percentile(&mut hooks, percent), percentile(&mut versions, percent));
            let name = format!("a hook {what}, p{percent}");
            Figure::new(&name, ms(own), "ms").with_control("the same program's --version", ms(version))
        };
        let (middle, rare) = (figure(50), figure(99));
        let rare = most.map_or_else(|| rare.clone(), |most| rare.clone().goal("", Bound::AtMost(most)));
        Ok(vec![middle, rare])
    }

    fn hook(&self, url: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["hook", "--from", "claude-code", "--monitor", url, "--home"]).arg(&self.home);
        command.arg("--config").arg(&self.config);
        command
    }

    /// Whether the monitor took an event: what waits in a file instead is another figure.
    fn taken(&self, url: &str) -> Result<bool> {
        let mut command = self.hook(url);
        let started = command.arg("--verbose").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = started.spawn().context("cannot start the hook")?;
        child.stdin.take().context("no standard input")?.write_all(&event(0))?;
        let done = child.wait_with_output()?;
        Ok(String::from_utf8_lossy(&done.stderr).contains("taken by"))
    }
}

/// From before the start to after the end; the output is read by nobody, as an agent reads none.
fn took(command: &mut Command, input: &[u8]) -> Result<Duration> {
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn().context("cannot start the program")?;
    // Who only tells its version reads nothing.
    child.stdin.take().context("no standard input")?.write_all(input).ok();
    let status = child.wait()?;
    let took = start.elapsed();
    if status.success() { Ok(took) } else { bail!("the program ended with {status}") }
}

/// An ordinary call of a tool, with 8 KiB of output.
fn event(number: usize) -> Vec<u8> {
    let root: &Path = &tree::root();
    let event = json!({
        "session_id": "8c35adc1-0000-4000-8000-000000000001", "transcript_path": "/home/kim/.claude/x.jsonl",
        "cwd": root, "permission_mode": "default", "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_input": {"command": "cargo test", "description": "테스트 실행"}, "duration_ms": 12,
        "tool_response": {"stdout": "ok\n".repeat(2730), "stderr": "", "interrupted": false},
        "tool_use_id": format!("toolu_bench_{number}")
    });
    event.to_string().into_bytes()
}

/// Answers whatever is posted, and does nothing else: what is left is the command's own.
struct NullServer {
    port: u16,
}

impl NullServer {
    fn new() -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let port = listener.local_addr()?.port();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A client that went away is the next one's neighbour, no more.
                answer(stream).ok();
            }
        });
        Ok(Self { port })
    }
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
