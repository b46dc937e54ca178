//! Type `TestFleet`: homes with their publishers, and aggregators with their mirrors, of one fleet of the lane.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use bench::http;
use serde_json::Value;
use xtask::{shell, tree};

use super::cluster::free_ports;
use super::process::{Process, retry};

/// The fixtures' moment.
pub(super) const CLOCK_MS: u64 = 1_771_651_020_000;
/// Logs beside the folder of logs.
const HOME_LOGS: [&str; 2] = ["work-session-category-audit.ndjson", "task-hub-shared.ndjson"];

pub(super) struct TestFleet {
    monitor: PathBuf,
    pub(super) name: String,
    urls: String,
    folder: PathBuf,
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
}

/// A process that shows the fleet.
pub(super) struct Aggregator {
    pub(super) name: String,
    pub(super) port: u16,
    pub(super) mirror: PathBuf,
    pub(super) process: Option<Process>,
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
            folder,
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

    /// `fleet init`, repeated until the cluster has a leader.
    pub(super) fn make_streams(&self) -> Result<()> {
        retry("the streams of the fleet", Duration::from_secs(60), || {
            let mut command = self.command("fleet");
            command.args(["init", "--replicas", "3", "--gigabytes", "1"]);
            shell::run_quietly(self.with_fleet(&mut command))
        })
    }

    /// `fleet forget`.
    pub(super) fn forget(&self, machine: &str) -> Result<()> {
        let mut command = self.command("fleet");
        let output = self.with_fleet(command.args(["forget", machine, "--yes"])).output()?;
        ensure!(output.status.success(), "fleet forget: {}", String::from_utf8_lossy(&output.stderr).trim());
        Ok(())
    }

    /// Adds a machine with this home and starts its publisher.
    pub(super) fn add_machine(&mut self, name: &str, home: PathBuf) -> Result<()> {
        self.machines.push(TestMachine { name: name.to_owned(), home, publisher: None });
        self.start_publisher(self.machines.len() - 1)
    }

    pub(super) fn start_publisher(&mut self, number: usize) -> Result<()> {
        let (name, home) = (self.machines[number].name.clone(), self.machines[number].home.clone());
        self.machines[number].publisher = Some(self.publisher_of(&name, &home)?);
        Ok(())
    }

    /// Adds a machine whose own monitor publishes its home and takes writes; its port. `reads`: `on` or `off`.
    pub(super) fn add_served_machine(&mut self, name: &str, home: PathBuf, reads: &str) -> Result<u16> {
        let port = free_ports(1)?.first().copied().context("no free port")?;
        let mut command = self.command("serve");
        command.args(["--port", &port.to_string(), "--machine", name, "--home"]).arg(&home);
        command.args(["--fleet-ship", "on", "--fleet-writes", "on", "--fleet-reads", reads]);
        let publisher = Some(Process::start(self.with_clock(&mut command), &self.log_of(name))?);
        self.machines.push(TestMachine { name: name.to_owned(), home, publisher });
        Ok(port)
    }

    /// A publisher of any home.
    pub(super) fn publisher_of(&self, name: &str, home: &Path) -> Result<Process> {
        let mut command = self.command("ship");
        command.args(["--machine", name, "--home"]).arg(home);
        Process::start(self.with_clock(&mut command), &self.log_of(name))
    }

    /// Adds an aggregator with a mirror of its own and starts it.
    pub(super) fn add_aggregator(&mut self, name: &str) -> Result<()> {
        let port = free_ports(1)?.first().copied().context("no free port")?;
        let mirror = self.folder.join(name);
        self.aggregators.push(Aggregator { name: name.to_owned(), port, mirror, process: None });
        self.start_aggregator(self.aggregators.len() - 1)
    }

    pub(super) fn start_aggregator(&mut self, number: usize) -> Result<()> {
        let aggregator = &self.aggregators[number];
        let mut command = self.command("serve");
        command.args(["--port", &aggregator.port.to_string(), "--fleet-mirror"]).arg(&aggregator.mirror);
        let process = Process::start(self.with_clock(&mut command), &self.log_of(&aggregator.name))?;
        self.aggregators[number].process = Some(process);
        Ok(())
    }

    /// File with what a process said.
    pub(super) fn log_of(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.log"))
    }

    /// Waits until every aggregator has every machine, byte by byte.
    pub(super) fn wait_until_mirrored(&self, limit: Duration) -> Result<u64> {
        let mut bytes = 0;
        for aggregator in &self.aggregators {
            bytes = retry(&format!("aggregator {}", aggregator.name), limit, || self.mirrored_bytes(aggregator))?;
        }
        Ok(bytes)
    }

    /// Bytes of all logs, which are those of the mirrors.
    fn mirrored_bytes(&self, aggregator: &Aggregator) -> Result<u64> {
        let page = aggregator.page()?;
        ensure!(page["link"] == "connected", "the link is {} ({})", page["link"], page["cause"]);
        ensure!(page["behind"] == 0, "{} messages are not read", page["behind"]);
        let count = page["sources"].as_array().map_or(0, Vec::len);
        ensure!(count == self.machines.len(), "{count} machines instead of {}", self.machines.len());
        let mut bytes = 0;
        for machine in &self.machines {
            let source = source_of(&page, &machine.name)?;
            let of_machine = compare_logs(&machine.home, &aggregator.mirrored_home(source))
                .with_context(|| format!("{} (the page says {})", machine.name, state_of(source)))?;
            let is_whole = source["holes"] == Value::Array(Vec::new()) && source["refused"] == 0;
            ensure!(
                is_whole && source["state"] == "live" && source["bytesBehind"] == 0,
                "{} is {}",
                machine.name,
                state_of(source)
            );
            bytes += of_machine;
        }
        Ok(bytes)
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(&self.monitor);
        command.arg(name).env("TASK_MONITOR_CACHE", "off");
        if let Some(token) = self.token {
            command.env("TASK_MONITOR_WRITE_TOKEN", token);
        }
        command
    }

    fn with_fleet<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.args(["--fleet", &self.name, "--nats", &self.urls])
    }

    fn with_clock<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let command = self.with_fleet(command);
        if let Some(bundle) = &self.bundle {
            command.env("TASK_MONITOR_BUNDLE", bundle);
        }
        if self.is_clock_fixed {
            command.args(["--clock", &CLOCK_MS.to_string()]);
        }
        command
    }
}

impl Aggregator {
    /// `GET /api/v2/fleet`.
    pub(super) fn page(&self) -> Result<Value> {
        http::json(self.port, "/api/v2/fleet")
    }

    /// What it says of a machine.
    pub(super) fn source(&self, name: &str) -> Result<Value> {
        Ok(source_of(&self.page()?, name)?.clone())
    }

    /// Its mirror of a source.
    pub(super) fn mirrored_home(&self, source: &Value) -> PathBuf {
        self.mirror.join(source["id"].as_str().unwrap_or_default()).join(".openclaw")
    }
}

fn source_of<'a>(page: &'a Value, name: &str) -> Result<&'a Value> {
    let sources = page["sources"].as_array();
    let source = sources.into_iter().flatten().find(|source| source["name"] == name);
    source.with_context(|| format!("the fleet has no machine {name}"))
}

/// A source in one line.
pub(super) fn state_of(source: &Value) -> String {
    let fields =
        ["state", "bytes", "bytesBehind", "refused", "holes"].map(|field| format!("{field} {}", source[field]));
    fields.join(", ")
}

/// Logs of a home by path.
pub(super) fn logs(home: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let is_log = |file: &PathBuf| file.extension().is_some_and(|ending| ending == "ndjson");
    let inside = tree::files_below(&home.join("logs"), &[])?.into_iter().filter(is_log);
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
        let equal = wanted.iter().zip(&found).take_while(|(one, other)| one == other).count();
        ensure!(
            wanted == found,
            "{path}: the mirror has {} bytes, the file {}; they differ from byte {equal}",
            found.len(),
            wanted.len()
        );
        bytes += wanted.len() as u64;
    }
    Ok(bytes)
}
