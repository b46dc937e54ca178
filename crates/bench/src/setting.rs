//! Shared set-up of all benchmark groups: the measured programs, and homes of a given size, made once per run.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use bench::home;
use bench::server::BenchServer;
use serde_json::Value;
use xtask::{shell, tree};

/// Rounds of what costs seconds at most.
pub const ROUNDS: usize = 9;

/// One run of `make bench`.
pub struct Setting {
    /// Events of the large log.
    pub events: u64,
    /// The monitor under measurement.
    pub monitor: PathBuf,
    /// The monitor is another build than this tree's.
    pub is_other_build: bool,
    /// The program of the controls (`crates/gauge`).
    pub gauge: PathBuf,
    homes: RefCell<BTreeMap<u64, PathBuf>>,
}

impl Setting {
    /// Builds the programs; `given` is a monitor to measure instead of a release build of this tree.
    pub fn new(events: u64, given: Option<PathBuf>) -> Result<Self> {
        let is_other_build = given.is_some();
        let monitor = given.map_or_else(home::release_monitor, Ok)?;
        shell::run(shell::cargo().args(["build", "--release", "-q", "-p", "gauge"]))?;
        let gauge = tree::target()?.join("release/gauge");
        Ok(Self { events, monitor, is_other_build, gauge, homes: RefCell::default() })
    }

    /// Builds the bundle of this tree; beside another build of the monitor the one that is there is taken.
    pub fn bundle(&self) -> Result<()> {
        if self.is_other_build && tree::root().join("dist/index.html").is_file() {
            return Ok(());
        }
        shell::run(devtools().args(["bundle", "--unmeasured"]))
    }

    /// A home of so many events to which nothing was added since it was written.
    pub fn home(&self, events: u64) -> Result<PathBuf> {
        if let Some(home) = self.homes.borrow().get(&events) {
            return Ok(home.clone());
        }
        let home = home::rehearsed(&self.monitor, events, &events.to_string())?;
        self.homes.borrow_mut().insert(events, home.clone());
        Ok(home)
    }

    /// The same for a caller that appends to it: the next caller gets a new one.
    pub fn home_to_change(&self, events: u64) -> Result<PathBuf> {
        let home = self.home(events)?;
        self.homes.borrow_mut().remove(&events);
        Ok(home)
    }

    /// A monitor on a home that also serves the files of a folder, for controls: a file of an answer's size.
    pub fn server_of_files(&self, home: &Path, cores: Option<&str>) -> Result<(BenchServer, PathBuf)> {
        let folder = tree::target()?.join("bench/bundle");
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("index.html"), "<!doctype html><title>bench</title>")?;
        let words = ["--bundle", folder.to_str().context("the folder's name is not text")?];
        Ok((BenchServer::start(&self.monitor, home, cores, &words)?, folder))
    }

    /// Runs a pass of the gauge on the first core; its lines of JSON.
    pub fn pass(&self, name: &str, files: &[PathBuf], terms: &[String]) -> Result<Vec<Value>> {
        let mut command = Command::new("taskset");
        command.args(["-c", "0"]).arg(&self.gauge).arg(name).args(files).arg("--").args(terms);
        let done = command.stdin(Stdio::null()).output().context("cannot start taskset (util-linux)")?;
        if !done.status.success() {
            bail!("gauge {name} failed: {}", String::from_utf8_lossy(&done.stderr).trim());
        }
        let output = String::from_utf8_lossy(&done.stdout);
        let read = |line| serde_json::from_str(line).with_context(|| format!("unexpected line of gauge: {line:?}"));
        output.lines().map(read).collect()
    }

    /// Seconds of a pass that only parses the files, its start included.
    pub fn parse_only(&self, files: &[PathBuf]) -> Result<f64> {
        let start = Instant::now();
        self.pass("parse", files, &[])?;
        Ok(start.elapsed().as_secs_f64())
    }
}

/// A command of `devtools`; the caller names it.
pub fn devtools() -> Command {
    let mut cargo = shell::cargo();
    cargo.args(["run", "-q", "-p", "devtools", "--"]);
    cargo
}
