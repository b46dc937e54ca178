//! NATS server for benchmarks, and a bare client of its text protocol: the control of what travels over it. One server, without
//! replication.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use crate::server::{BenchProcess, wait_until};

/// A message that takes longer does not come.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Subject of the answers to requests.
const INBOX: &str = "_INBOX.task-hub-bench";

/// A server with JetStream on a free port of loopback; ended when dropped.
pub struct NatsServer {
    _process: BenchProcess,
    /// Its port.
    pub port: u16,
}

impl NatsServer {
    /// Starts the pinned server over a folder of its own.
    ///
    /// # Errors
    /// When the program cannot be had or does not start.
    pub fn start(folder: &Path) -> Result<Self> {
        let program = xtask::setup::nats_server().context("no nats-server: the figures of a fleet need one")?;
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let mut command = Command::new(&program);
        command.args(["-js", "-a", "127.0.0.1", "-p", &port.to_string(), "-sd"]).arg(folder);
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut process = BenchProcess::new(process.with_context(|| format!("cannot start {}", program.display()))?);
        wait_until("nats-server listens", Duration::from_millis(5), || {
            if let Some(status) = process.exit_status()? {
                bail!("nats-server ended with {status}");
            }
            Ok(TcpStream::connect(("127.0.0.1", port)).is_ok())
        })?;
        Ok(Self { _process: process, port })
    }

    /// Its address, as `--nats` takes it.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

/// A connection that does nothing by itself.
pub struct NatsConnection(BufReader<TcpStream>);

impl NatsConnection {
    pub fn open(port: u16) -> Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port)).context("cannot connect to nats-server")?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        stream.set_nodelay(true)?;
        let mut connection = Self(BufReader::with_capacity(1 << 20, stream));
        connection.send(b"CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":true}\r\n")?;
        Ok(connection)
    }

    /// Subscribes, and returns once that is in force.
    pub fn subscribe(&mut self, subject: &str) -> Result<()> {
        self.send(format!("SUB {subject} 1\r\nPING\r\n").as_bytes())?;
        while self.line()? != "PONG" {}
        Ok(())
    }

    pub fn publish(&mut self, subject: &str, payload: &[u8]) -> Result<()> {
        let head = format!("PUB {subject} {}\r\n", payload.len());
        self.send(&[head.as_bytes(), payload, b"\r\n"].concat())
    }

    /// Bytes of the next message, its headers among them.
    pub fn message(&mut self) -> Result<Vec<u8>> {
        loop {
            let line = self.line()?;
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["MSG" | "HMSG", .., length] => {
                    let length: usize = length.parse().context("a message has no length")?;
                    let mut bytes = vec![0; length + 2];
                    self.0.read_exact(&mut bytes)?;
                    bytes.truncate(length);
                    return Ok(bytes);
                }
                ["PING"] => self.send(b"PONG\r\n")?,
                ["-ERR", ..] => bail!("nats-server refuses: {line}"),
                _ => {}
            }
        }
    }

    /// A request to the JetStream API, on a connection of its own.
    ///
    /// # Errors
    /// When the answer is an error.
    pub fn request(port: u16, subject: &str, payload: &Value) -> Result<Value> {
        let mut connection = Self::open(port)?;
        connection.subscribe(INBOX)?;
        let payload = payload.to_string();
        let sent = format!("PUB $JS.API.{subject} {INBOX} {}\r\n{payload}\r\n", payload.len());
        connection.send(sent.as_bytes())?;
        let answer: Value = serde_json::from_slice(&connection.message()?).context("the answer is not JSON")?;
        ensure!(answer["error"].is_null(), "{subject}: {}", answer["error"]);
        Ok(answer)
    }

    fn send(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.get_mut().write_all(bytes).context("cannot write to nats-server")
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        ensure!(self.0.read_line(&mut line)? > 0, "nats-server closed the connection");
        Ok(line.trim().to_owned())
    }
}
