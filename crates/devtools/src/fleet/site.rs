//! Type `TestFleet`: homes with their publishers, and aggregators with their mirrors, of one fleet of the lane.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use xtask::tree;

use super::aggregator::{Aggregator, source_of, state_of};
use super::cluster::{Cluster, free_ports};
use super::process::{Process, retry, retry_while_moving};
use super::proxy::FaultyProxy;

/// The fixtures' moment.
pub(super) const CLOCK_MS: u64 = 1_771_651_020_000;
/// Logs beside the folder of logs.
const HOME_LOGS: [&str; 2] = ["work-session-category-audit.ndjson", "task-hub-shared.ndjson"];
/// Name of the process that makes the streams and removes machines.
pub(super) const ADMIN: &str = "admin";
/// Of a process with a way of its own.
pub(super) const FIRST_PASSWORD: &str = "first-password";
/// Difference of clocks that is taken for none.
const CLOCK_SLACK_MS: u64 = 60_000;

pub(super) struct TestFleet {
    monitor: PathBuf,
    pub(super) name: String,
    urls: String,
    /// Ports of the servers, where each process has a proxy and a password of its own.
    proxied: Option<Vec<u16>>,
    folder: PathBuf,
    /// Certificate of the servers' authority, where they take TLS and a user of each process.
    authority: Option<PathBuf>,
    /// The dashboard, for a fleet that people look at.
    bundle: Option<PathBuf>,
    /// Write token of all its monitors.
    token: Option<&'static str>,
    /// It is the fixtures' moment; else now.
    is_clock_fixed: bool,
    pub(super) machines: Vec<TestMachine>,
    pub(super) aggregators: Vec<Aggregator>,
}

/// A home and its publisher.
pub(super) struct TestMachine {
    pub(super) name: String,
    pub(super) home: PathBuf,
    pub(super) publisher: Option<Process>,
    pub(super) link: Option<ServerLink>,
    /// How far its clock is ahead.
    pub(super) clock_ahead_ms: i64,
    /// A second process published its home.
    pub(super) is_conflicted: bool,
    /// Damaged messages that were published in its name.
    pub(super) poisoned: u64,
}

/// Way of one process to the servers.
pub(super) struct ServerLink {
    pub(super) proxy: FaultyProxy,
    /// Its name at the servers.
    pub(super) user: String,
    /// What its file of credentials has.
    pub(super) password: String,
    creds: PathBuf,
}

impl ServerLink {
    /// Writes a password into the file of credentials.
    pub(super) fn set_password(&mut self, password: &str) -> Result<()> {
        let staged = self.creds.with_extension("staged");
        std::fs::write(&staged, format!("{}:{password}\n", self.user))?;
        std::fs::rename(&staged, &self.creds)?;
        password.clone_into(&mut self.password);
        Ok(())
    }
}

impl TestFleet {
    pub(super) fn new(monitor: &Path, name: &str, urls: &str, folder: &Path) -> Result<Self> {
        let folder = folder.join(name);
        std::fs::create_dir_all(&folder)?;
        let (monitor, name, urls) = (monitor.to_owned(), name.to_owned(), urls.to_owned());
        Ok(Self {
            monitor,
            name,
            urls,
            proxied: None,
            folder,
            authority: None,
            bundle: None,
            token: None,
            is_clock_fixed: true,
            machines: Vec::new(),
            aggregators: Vec::new(),
        })
    }

    /// The same as of now.
    pub(super) fn with_running_clock(self) -> Self {
        Self { is_clock_fixed: false, ..self }
    }

    /// The same as people look at it: now, with the dashboard.
    pub(super) fn with_bundle(self, bundle: PathBuf) -> Self {
        Self { bundle: Some(bundle), ..self.with_running_clock() }
    }

    /// The same with a token for writes.
    pub(super) fn with_token(self, token: &'static str) -> Self {
        Self { token: Some(token), ..self }
    }

    /// The same, with a proxy and a password for each process.
    pub(super) fn with_proxies(self, cluster: &Cluster) -> Self {
        Self { proxied: Some(cluster.ports.clone()), ..self }
    }

    /// The same, at servers with TLS, where each process has a file of credentials.
    pub(super) fn with_authority(self, authority: PathBuf) -> Self {
        Self { authority: Some(authority), ..self }
    }

    /// Name of a process at the servers.
    pub(super) fn user_of(&self, name: &str) -> String {
        format!("{}-{name}", self.name)
    }

    /// File with the user and the password of a process.
    pub(super) fn creds_of(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.creds"))
    }

    /// The way of a process to the servers, if it has one of its own. The servers must be given its password.
    fn link(&self, name: &str) -> Result<Option<ServerLink>> {
        let Some(ports) = &self.proxied else { return Ok(None) };
        let (proxy, user) = (FaultyProxy::start(ports)?, self.user_of(name));
        let mut link = ServerLink { proxy, user, password: String::new(), creds: self.creds_of(name) };
        link.set_password(FIRST_PASSWORD)?;
        Ok(Some(link))
    }

    /// `fleet init`, repeated until the servers have a leader. Each has a copy of all messages.
    pub(super) fn make_streams(&self) -> Result<()> {
        let replicas = self.urls.split(',').count().to_string();
        retry("the streams of the fleet", Duration::from_secs(60), || {
            self.ask(&["init", "--replicas", &replicas, "--gigabytes", "4"]).map(drop)
        })
    }

    /// `fleet forget`.
    pub(super) fn forget(&self, machine: &str) -> Result<()> {
        self.ask(&["forget", machine, "--yes"]).map(drop)
    }

    /// What a command of `fleet` prints.
    ///
    /// # Errors
    /// With what it says when it fails.
    pub(super) fn ask(&self, words: &[&str]) -> Result<String> {
        let output = self.command(&[&["fleet"], words].concat(), ADMIN, None).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "fleet {}: {}", words.join(" "), said.trim());
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Adds a machine with this home and starts its publisher.
    pub(super) fn add_machine(&mut self, name: &str, home: PathBuf) -> Result<()> {
        self.machines.push(self.machine(name, home)?);
        self.start_publisher(self.machines.len() - 1)
    }

    fn machine(&self, name: &str, home: PathBuf) -> Result<TestMachine> {
        let link = self.link(name)?;
        let name = name.to_owned();
        Ok(TestMachine { name, home, publisher: None, link, clock_ahead_ms: 0, is_conflicted: false, poisoned: 0 })
    }

    pub(super) fn start_publisher(&mut self, number: usize) -> Result<()> {
        self.machines[number].publisher = Some(self.publisher_of(&self.machines[number])?);
        Ok(())
    }

    /// Adds a machine whose own monitor publishes its home and takes writes; its port. `reads`: `on` or `off`.
    pub(super) fn add_served_machine(&mut self, name: &str, home: PathBuf, reads: &str) -> Result<u16> {
        let port = free_ports(1)?.first().copied().context("no free port")?;
        let mut machine = self.machine(name, home)?;
        let mut command = self.command(&["serve"], name, machine.link.as_ref());
        command.args(["--port", &port.to_string(), "--machine", name, "--home"]).arg(&machine.home);
        command.args(["--fleet-ship", "on", "--fleet-writes", "on", "--fleet-reads", reads]);
        machine.publisher = Some(Process::start(self.with_clock(&mut command, 0), &self.log_of(name))?);
        self.machines.push(machine);
        Ok(port)
    }

    /// A process that publishes the home of a machine.
    pub(super) fn publisher_of(&self, machine: &TestMachine) -> Result<Process> {
        let mut command = self.command(&["ship"], &machine.name, machine.link.as_ref());
        command.args(["--machine", &machine.name, "--home"]).arg(&machine.home);
        Process::start(self.with_clock(&mut command, machine.clock_ahead_ms), &self.log_of(&machine.name))
    }

    /// A process that publishes a copy of a home.
    pub(super) fn publisher_of_copy(&self, name: &str, home: &Path) -> Result<Process> {
        self.publisher_of(&self.machine(name, home.to_owned())?)
    }

    /// Adds an aggregator with a mirror of its own and starts it.
    pub(super) fn add_aggregator(&mut self, name: &str) -> Result<()> {
        let port = free_ports(1)?.first().copied().context("no free port")?;
        let (mirror, link) = (self.folder.join(name), self.link(name)?);
        self.aggregators.push(Aggregator { name: name.to_owned(), port, mirror, process: None, link });
        self.start_aggregator(self.aggregators.len() - 1)
    }

    pub(super) fn start_aggregator(&mut self, number: usize) -> Result<()> {
        let aggregator = &self.aggregators[number];
        let mut command = self.command(&["serve"], &aggregator.name, aggregator.link.as_ref());
        command.args(["--port", &aggregator.port.to_string(), "--fleet-mirror"]).arg(&aggregator.mirror);
        let process = Process::start(self.with_clock(&mut command, 0), &self.log_of(&aggregator.name))?;
        self.aggregators[number].process = Some(process);
        Ok(())
    }

    /// Subjects of a machine below a word.
    pub(super) fn subject_of(&self, machine: usize, topic: &str) -> Result<String> {
        Ok(format!("th.v1.{}.{}.{topic}", self.name, self.id_of(machine)?))
    }

    /// Id of a machine, once its publisher has started.
    pub(super) fn id_of(&self, machine: usize) -> Result<String> {
        let file = self.machines[machine].home.join("task-hub-fleet.json");
        let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let id: Value = serde_json::from_str(&text)?;
        Ok(id["id"].as_str().context("a home has no id")?.to_owned())
    }

    /// File with what a process said.
    pub(super) fn log_of(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.log"))
    }

    /// Waits until every aggregator has every machine, byte by byte; `limit` is for the time in which none gets further.
    pub(super) fn wait_until_mirrored(&self, limit: Duration) -> Result<u64> {
        let mut bytes = 0;
        for aggregator in &self.aggregators {
            let what = format!("aggregator {}", aggregator.name);
            let progress = || aggregator.mirrored_bytes();
            bytes = retry_while_moving(&what, limit, progress, || self.compare_mirrors(aggregator))?;
        }
        Ok(bytes)
    }

    /// Bytes of all logs, which are those of the mirrors.
    fn compare_mirrors(&self, aggregator: &Aggregator) -> Result<u64> {
        let page = aggregator.page()?;
        ensure!(page["link"] == "connected", "the link is {} ({})", page["link"], page["cause"]);
        ensure!(page["behind"] == 0, "{} messages are not read", page["behind"]);
        let count = page["sources"].as_array().map_or(0, Vec::len);
        ensure!(count == self.machines.len(), "{count} machines instead of {}", self.machines.len());
        let mut bytes = 0;
        for machine in &self.machines {
            let source = source_of(&page, &machine.name)?;
            machine.check_state(source)?;
            bytes += compare_logs(&machine.home, &aggregator.mirrored_home(source))
                .with_context(|| format!("{} (the page says {})", machine.name, state_of(source)))?;
        }
        Ok(bytes)
    }

    fn command(&self, words: &[&str], name: &str, link: Option<&ServerLink>) -> Command {
        let mut command = Command::new(&self.monitor);
        command.args(words).env("TASK_MONITOR_CACHE", "off").args(["--fleet", &self.name, "--nats"]);
        match link {
            Some(link) => command.arg(link.proxy.urls()).arg("--creds").arg(&link.creds),
            None => command.arg(&self.urls),
        };
        if let Some(authority) = &self.authority {
            command.arg("--nats-ca").arg(authority).arg("--creds").arg(self.creds_of(name));
        }
        if let Some(token) = self.token {
            command.env("TASK_MONITOR_WRITE_TOKEN", token);
        }
        command
    }

    fn with_clock<'a>(&self, command: &'a mut Command, ahead_ms: i64) -> &'a mut Command {
        if let Some(bundle) = &self.bundle {
            command.env("TASK_MONITOR_BUNDLE", bundle);
        }
        if self.is_clock_fixed {
            command.args(["--clock", &CLOCK_MS.saturating_add_signed(ahead_ms).to_string()]);
        }
        command
    }
}

impl TestMachine {
    /// What an aggregator says of it is what happened to it.
    fn check_state(&self, source: &Value) -> Result<()> {
        let refused = source["refused"].as_u64().context("no count of refused messages")?;
        let wanted = match (self.is_conflicted, refused) {
            (true, _) => "conflict",
            (false, 0) => "live",
            (false, _) => "incomplete",
        };
        let is_whole = source["holes"] == Value::Array(Vec::new()) && source["bytesBehind"] == 0;
        ensure!(
            is_whole && source["state"] == wanted && refused <= self.poisoned,
            "{} is {} instead of {wanted}, with {} damaged messages",
            self.name,
            state_of(source),
            self.poisoned
        );
        let ahead = source["clockAheadMs"].as_i64().context("no difference of clocks")?;
        ensure!(
            ahead.abs_diff(self.clock_ahead_ms) < CLOCK_SLACK_MS,
            "the clock of {} is {ahead} ms ahead instead of {}",
            self.name,
            self.clock_ahead_ms
        );
        Ok(())
    }
}

/// Logs of a home by path.
pub(super) fn logs(home: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let is_log = |file: &PathBuf| file.extension().is_some_and(|ending| ending == "ndjson");
    let folder = home.join("logs");
    let inside = if folder.is_dir() { tree::files_below(&folder, &[])? } else { Vec::new() };
    let inside = inside.into_iter().filter(is_log);
    let beside = HOME_LOGS.map(|name| home.join(name)).into_iter().filter(|file| file.is_file());
    let relative = |file: PathBuf| {
        let path = file.strip_prefix(home).map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
        (path, file)
    };
    Ok(inside.chain(beside).map(relative).collect())
}

/// The bytes of all logs of a home, which its mirror must have and no others.
fn compare_logs(home: &Path, mirror: &Path) -> Result<u64> {
    let (here, there) = (logs(home)?, logs(mirror)?);
    let names = |logs: &BTreeMap<String, PathBuf>| logs.keys().cloned().collect::<Vec<_>>();
    ensure!(names(&here) == names(&there), "the mirror has the logs {:?}, the home {:?}", names(&there), names(&here));
    let mut bytes = 0;
    for (path, file) in &here {
        let (wanted, found) = (std::fs::read(file)?, std::fs::read(mirror.join(path))?);
        let equal = || wanted.iter().zip(&found).take_while(|(one, other)| one == other).count();
        ensure!(
            wanted == found,
            "{path}: the mirror has {} bytes, the file {}; they differ from byte {}",
            found.len(),
            wanted.len(),
            equal()
        );
        bytes += wanted.len() as u64;
    }
    Ok(bytes)
}
