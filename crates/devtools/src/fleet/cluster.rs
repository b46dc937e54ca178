//! Cluster of three NATS servers with JetStream on loopback, and requests to its JetStream API over the text protocol of
//! NATS. Each server has one folder and two ports, which it gets again after a restart.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use super::process::Process;

/// Servers of the cluster; the majority of them must run.
pub(super) const SERVERS: usize = 3;
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// Subject of the answers to requests. Each request has a connection of its own, so one name is enough.
const INBOX: &str = "_INBOX.task-hub-fleet-lane";

pub(super) struct Cluster {
    program: PathBuf,
    folder: PathBuf,
    ports: Vec<u16>,
    processes: Vec<Option<Process>>,
}

impl Cluster {
    /// Starts the servers. They have no leader yet.
    pub(super) fn start(program: &Path, folder: &Path) -> Result<Self> {
        let ports = free_ports(2 * SERVERS)?;
        let (clients, routes) = ports.split_at(SERVERS);
        let urls: Vec<String> = routes.iter().map(|port| format!("nats://127.0.0.1:{port}")).collect();
        for (number, (client, route)) in clients.iter().zip(routes).enumerate() {
            let server = folder.join(server_name(number));
            std::fs::create_dir_all(&server)?;
            let config = format!(
                "server_name: {}\nlisten: 127.0.0.1:{client}\njetstream {{ store_dir: {:?}, max_mem: 64MB, max_file: 40GB }}\n\
                 cluster {{ name: lane, listen: 127.0.0.1:{route}, routes: [{}] }}\n",
                server_name(number),
                server.join("store"),
                urls.join(", ")
            );
            std::fs::write(server.join("server.conf"), config)?;
        }
        let mut cluster = Self {
            program: program.to_owned(),
            folder: folder.to_owned(),
            ports: clients.to_vec(),
            processes: (0..SERVERS).map(|_| None).collect(),
        };
        (0..SERVERS).try_for_each(|number| cluster.start_server(number))?;
        Ok(cluster)
    }

    /// Addresses of all servers, as the flag `--nats` takes them.
    pub(super) fn urls(&self) -> String {
        let urls: Vec<String> = self.ports.iter().map(|port| format!("nats://127.0.0.1:{port}")).collect();
        urls.join(",")
    }

    pub(super) fn start_server(&mut self, number: usize) -> Result<()> {
        let server = self.folder.join(server_name(number));
        let mut command = Command::new(&self.program);
        command.arg("-c").arg(server.join("server.conf"));
        self.processes[number] = Some(Process::start(&mut command, &server.join("server.log"))?);
        Ok(())
    }

    /// SIGKILL.
    pub(super) fn kill_server(&mut self, number: usize) -> Result<()> {
        self.processes[number].take().context("the server does not run")?.kill()
    }

    pub(super) fn server(&self, number: usize) -> Result<&Process> {
        self.processes[number].as_ref().context("the server does not run")
    }

    /// Number of the server that leads a stream.
    pub(super) fn leader(&self, stream: &str) -> Result<usize> {
        let info = self.request(&format!("STREAM.INFO.{stream}"), "")?;
        let leader = info["cluster"]["leader"].as_str().unwrap_or_default();
        (0..SERVERS).find(|number| server_name(*number) == leader).context("the stream has no leader")
    }

    /// Port of the first server.
    pub(super) fn port(&self) -> Result<u16> {
        self.ports.first().copied().context("the cluster has no servers")
    }

    /// A request to the JetStream API, sent to the first server that answers.
    ///
    /// # Errors
    /// When no server answers, or the answer is an error.
    pub(super) fn request(&self, subject: &str, payload: &str) -> Result<Value> {
        let subject = format!("$JS.API.{subject}");
        let mut outcome = Err(anyhow::anyhow!("the cluster has no servers"));
        for port in &self.ports {
            outcome = request(*port, &subject, payload);
            if outcome.is_ok() {
                break;
            }
        }
        let answer = outcome.with_context(|| format!("no server answers {subject}"))?;
        ensure!(answer["error"].is_null(), "{subject}: {}", answer["error"]);
        Ok(answer)
    }
}

fn server_name(number: usize) -> String {
    format!("s{}", number + 1)
}

/// Ports that nobody listens on.
pub(super) fn free_ports(count: usize) -> Result<Vec<u16>> {
    let listeners = (0..count).map(|_| TcpListener::bind(("127.0.0.1", 0))).collect::<std::io::Result<Vec<_>>>()?;
    Ok(listeners
        .iter()
        .map(|listener| listener.local_addr().map(|address| address.port()))
        .collect::<Result<_, _>>()?)
}

fn request(port: u16, subject: &str, payload: &str) -> Result<Value> {
    let stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(REQUEST_TIMEOUT))?;
    let mut stream = BufReader::new(stream);
    let length = payload.len();
    let connect = "CONNECT {\"verbose\":false,\"pedantic\":false}";
    let sent = format!("{connect}\r\nSUB {INBOX} 1\r\nPUB {subject} {INBOX} {length}\r\n{payload}\r\n");
    stream.get_mut().write_all(sent.as_bytes())?;
    loop {
        let mut line = String::new();
        ensure!(stream.read_line(&mut line)? > 0, "the server closed the connection");
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["MSG", .., bytes] => {
                let mut body = vec![0; bytes.parse().context("the server sent a message without a length")?];
                stream.read_exact(&mut body)?;
                return serde_json::from_slice(&body).context("the answer of the server is not JSON");
            }
            ["PING"] => stream.get_mut().write_all(b"PONG\r\n")?,
            ["-ERR", ..] => bail!("the server refuses: {}", line.trim()),
            _ => {}
        }
    }
}
