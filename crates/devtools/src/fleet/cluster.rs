//! Cluster of three NATS servers with JetStream on loopback, requests to its JetStream API over the text protocol of NATS,
//! and passwords that change while it runs. Each server has one folder and two ports, which it gets again after a restart.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use super::process::{Process, retry};

/// Servers of the cluster; the majority of them must run.
pub(super) const SERVERS: usize = 3;
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// A running server has read a changed configuration within this.
const RELOADED_WITHIN: Duration = Duration::from_secs(90);
/// Subject of the answers to requests. Each request has a connection of its own, so one name is enough.
const INBOX: &str = "_INBOX.task-hub-fleet-lane";
/// User of clients that name none.
const ANYBODY: &str = "anybody";

pub(super) struct Cluster {
    program: PathBuf,
    folder: PathBuf,
    /// Of clients.
    pub(super) ports: Vec<u16>,
    route_ports: Vec<u16>,
    /// Passwords by user. A client without a user may do everything too.
    passwords: BTreeMap<String, String>,
    processes: Vec<Option<Process>>,
}

impl Cluster {
    /// Starts the servers. They have no leader yet.
    pub(super) fn start(program: &Path, folder: &Path) -> Result<Self> {
        let mut ports = free_ports(2 * SERVERS)?;
        let route_ports = ports.split_off(SERVERS);
        let mut cluster = Self {
            program: program.to_owned(),
            folder: folder.to_owned(),
            ports,
            route_ports,
            passwords: BTreeMap::new(),
            processes: (0..SERVERS).map(|_| None).collect(),
        };
        (0..SERVERS).try_for_each(|number| std::fs::create_dir_all(cluster.server_folder(number)))?;
        cluster.write_configurations()?;
        (0..SERVERS).try_for_each(|number| cluster.start_server(number))?;
        Ok(cluster)
    }

    fn server_folder(&self, number: usize) -> PathBuf {
        self.folder.join(server_name(number))
    }

    fn write_configurations(&self) -> Result<()> {
        let routes: Vec<String> = self.route_ports.iter().map(|port| format!("nats://127.0.0.1:{port}")).collect();
        let user = |(name, password): (&String, &String)| format!("{{ user: {name}, password: {password} }}");
        let users: Vec<String> = self.passwords.iter().map(user).collect();
        for (number, (client, route)) in self.ports.iter().zip(&self.route_ports).enumerate() {
            let (name, folder) = (server_name(number), self.server_folder(number));
            // A server that named the others to its clients would lead them around a proxy. Silent clients are ended after
            // nine seconds; of 2.9 not while it has messages for them.
            let config = format!(
                "server_name: {name}\nlisten: 127.0.0.1:{client}\nping_interval: \"3s\"\nping_max: 2\n\
                 jetstream {{ store_dir: {:?}, max_mem: 64MB, max_file: 40GB }}\n\
                 cluster {{ name: lane, no_advertise: true, listen: 127.0.0.1:{route}, routes: [{}] }}\n\
                 authorization {{ users: [{{ user: {ANYBODY}, password: {ANYBODY} }}, {}] }}\nno_auth_user: {ANYBODY}\n",
                folder.join("store"),
                routes.join(", "),
                users.join(", ")
            );
            std::fs::write(folder.join("server.conf"), config)?;
        }
        Ok(())
    }

    /// Gives a user another password, in all servers that run and in the others from their start on. Connections with the one
    /// before are ended.
    ///
    /// # Errors
    /// When a server does not take it.
    pub(super) fn set_password(&mut self, user: &str, password: &str) -> Result<()> {
        let before = self.passwords.insert(user.to_owned(), password.to_owned());
        self.write_configurations()?;
        for (number, port) in self.ports.iter().enumerate() {
            let Some(process) = &self.processes[number] else { continue };
            process.signal("HUP")?;
            retry("a server reads its configuration again", RELOADED_WITHIN, || {
                ensure!(admits(*port, user, password)?, "{} refuses the new password", server_name(number));
                let takes_old = match &before {
                    Some(before) if before != password => admits(*port, user, before)?,
                    _ => false,
                };
                ensure!(!takes_old, "{} takes the old password", server_name(number));
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Addresses of all servers, as the flag `--nats` takes them.
    pub(super) fn urls(&self) -> String {
        let urls: Vec<String> = self.ports.iter().map(|port| format!("nats://127.0.0.1:{port}")).collect();
        urls.join(",")
    }

    pub(super) fn start_server(&mut self, number: usize) -> Result<()> {
        let folder = self.server_folder(number);
        let mut command = Command::new(&self.program);
        command.arg("-c").arg(folder.join("server.conf"));
        self.processes[number] = Some(Process::start(&mut command, &folder.join("server.log"))?);
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

/// Whether a server takes a user with this password.
fn admits(port: u16, user: &str, password: &str) -> Result<bool> {
    let stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(REQUEST_TIMEOUT))?;
    let mut stream = BufReader::new(stream);
    let connect = format!(r#"{{"verbose":false,"pedantic":false,"user":"{user}","pass":"{password}"}}"#);
    write!(stream.get_mut(), "CONNECT {connect}\r\nPING\r\n")?;
    loop {
        let mut line = String::new();
        ensure!(stream.read_line(&mut line)? > 0, "the server closed the connection");
        match line.split_whitespace().next() {
            Some("PONG") => return Ok(true),
            Some("-ERR") if line.contains("Authorization") => return Ok(false),
            Some("-ERR") => bail!("the server refuses: {}", line.trim()),
            _ => {}
        }
    }
}

fn request(port: u16, subject: &str, payload: &str) -> Result<Value> {
    let stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(REQUEST_TIMEOUT))?;
    let mut stream = BufReader::new(stream);
    let length = payload.len();
    let connect = "CONNECT {\"verbose\":false,\"pedantic\":false}";
    let sent = format!("{connect}\r\nSUB {INBOX} 1\r\nPUB {subject} {INBOX} {length}\r\n{payload}\r\n");
    stream.get_mut().write_all(sent.as_bytes())?;
    let start = Instant::now();
    loop {
        // The pings of a server that has no answer are not one.
        ensure!(start.elapsed() < REQUEST_TIMEOUT, "the server does not answer");
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
