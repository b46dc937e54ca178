//! Test harness that runs the built monitor as a server over an OpenClaw state folder. It queries the server over HTTP
//! and can kill it at any moment.

#![allow(dead_code, reason = "each test program uses its own part")]

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Longest wait for anything the program does.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The write token of the tests.
const TOKEN: &str = "a token of the tests";

/// The program, without the environment of the tests.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_task-monitor"));
    let names = ["OPENCLAW_STATE_DIR", "OPENCLAW_CONFIG_PATH", "TASK_MONITOR_PORT", "TASK_MONITOR_HOST", "RUST_LOG"];
    for name in names {
        command.env_remove(name);
    }
    // Without the configuration file of the person who runs the tests, and without their Claude Code.
    command.env("TASK_MONITOR_CACHE", "off").env("XDG_CONFIG_HOME", "/nowhere").env("CLAUDE_CONFIG_DIR", "/nowhere");
    command
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// A story of `fixtures/`.
pub(crate) fn story(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name)
}

/// Long counts under `make soak`.
pub(crate) fn count(short: usize, long: usize) -> usize {
    if std::env::var_os("TASK_HUB_SOAK").is_some() { long } else { short }
}

/// A running server; ends with the test.
pub(crate) struct TestServer {
    child: Child,
    pub(crate) address: String,
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.kill();
    }
}

impl TestServer {
    /// Starts on a port of the system's choice, which the program prints to standard error.
    pub(crate) fn start(args: &[&str]) -> Self {
        let mut command = program();
        command.args(["serve", "--port", "0"]).args(args).stdout(Stdio::null());
        Self::spawn(command).unwrap_or_else(|error_output| panic!("ended without an address: {error_output}"))
    }

    /// Starts a command that becomes the program, without its standard output unless that is set. The error is its output, when it ended without an address.
    pub(crate) fn spawn(mut command: Command) -> Result<Self, String> {
        let mut child = command
            .env("TASK_MONITOR_WRITE_TOKEN", TOKEN)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut lines = BufReader::new(child.stderr.take().expect("standard error"));
        let mut error_output = String::new();
        let address = loop {
            let mut line = String::new();
            if lines.read_line(&mut line).expect("a line") == 0 {
                drop(child.kill());
                drop(child.wait());
                return Err(error_output);
            }
            if let Some((_, rest)) = line.split_once(" on http://") {
                break rest.trim().trim_end_matches('/').to_owned();
            }
            error_output.push_str(&line);
        };
        // Continues to read, so that the program never blocks on a full pipe.
        std::thread::spawn(move || drop(io::copy(&mut lines, &mut io::sink())));
        Ok(Self { child, address })
    }

    /// The same, with its standard output.
    pub(crate) fn spawn_printing(mut command: Command) -> Result<(Self, ChildStdout), String> {
        command.stdout(Stdio::piped());
        let mut server = Self::spawn(command)?;
        let stdout = server.child.stdout.take().expect("standard output");
        Ok((server, stdout))
    }

    /// Ends it as a crash does: the process gets no chance to put anything in order.
    pub(crate) fn kill(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Status and body of one request.
    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        let answer = ask(&self.address, "GET", path, "").expect("an answer");
        (answer.status, answer.body)
    }

    pub(crate) fn json(&self, path: &str) -> Value {
        let (status, body) = self.get(path);
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).expect("JSON")
    }

    /// `GET /api/v2/home` once `wanted` is its source's state.
    pub(crate) fn state(&self, wanted: &str) -> Value {
        let start = Instant::now();
        loop {
            let home = self.json("/api/v2/home");
            if home["source"]["state"] == wanted {
                return home;
            }
            assert!(start.elapsed() < PATIENCE, "never {wanted}: {}", home["source"]);
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// The override file of a home.
pub(crate) fn overrides(home: &Path) -> PathBuf {
    home.join("work-session-category-overrides.json")
}

/// The audit log beside it.
pub(crate) fn audit(home: &Path) -> PathBuf {
    home.join("work-session-category-audit.ndjson")
}

/// Changes a category over REST 1.x, where the session need not exist.
pub(crate) fn set(address: &str, id: &str, category: &str, by: &str) -> io::Result<ServerResponse> {
    let body = json!({"collabCategory": category, "updatedBy": by}).to_string();
    ask(address, "PATCH", &format!("/api/work-sessions/{id}/category"), &body)
}

/// An HTTP response of the server.
pub(crate) struct ServerResponse {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl ServerResponse {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let pairs = self.head.lines().filter_map(|line| line.split_once(':'));
        pairs.into_iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {}", self.body))
    }
}

/// One request over a connection of its own. An error when the server ended meanwhile.
pub(crate) fn ask(address: &str, method: &str, path: &str, body: &str) -> io::Result<ServerResponse> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let length = body.len();
    let head = format!("{method} {path} HTTP/1.0\r\nHost: {address}\r\nContent-Type: application/json\r\n");
    let head = format!("{head}X-Task-Monitor-Token: {TOKEN}\r\n");
    stream.write_all(format!("{head}Content-Length: {length}\r\n\r\n{body}").as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let broken = || io::Error::new(io::ErrorKind::UnexpectedEof, "the answer broke off");
    let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(broken)?;
    let status = head.split_whitespace().nth(1).and_then(|code| code.parse().ok()).ok_or_else(broken)?;
    let whole = ServerResponse { status, head: head.to_owned(), body: body.to_owned() };
    match whole.header("content-length") {
        Some(length) if length != body.len().to_string() => Err(broken()),
        _ => Ok(whole),
    }
}
