//! Shared setup of all benchmark groups: the measured programs, and homes of a given size, made once per run.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{rehearsed_in, release_monitor};
use crate::{bundle, setup, shell, tree};

/// Rounds of what costs seconds at most.
pub const ROUNDS: usize = 9;

/// One run of `make bench`.
pub struct Setting {
    /// Events of the large log.
    pub events: u64,
    given: Option<PathBuf>,
    monitor: OnceCell<PathBuf>,
    gauge: OnceCell<PathBuf>,
    bundle: OnceCell<PathBuf>,
    homes: RefCell<BTreeMap<u64, PathBuf>>,
}

impl Setting {
    /// Builds nothing yet; `given` is a monitor to measure instead of a release build of this tree.
    pub fn new(events: u64, given: Option<PathBuf>) -> Self {
        Self {
            events,
            given,
            monitor: OnceCell::new(),
            gauge: OnceCell::new(),
            bundle: OnceCell::new(),
            homes: RefCell::default(),
        }
    }

    /// True when another build of the monitor is measured than this tree's.
    pub fn is_given(&self) -> bool {
        self.given.is_some()
    }

    /// Builds what is measured, so that no group's time holds it.
    pub fn prepare(&self) -> Result<()> {
        self.monitor().and_then(|_| self.gauge()).map(drop)
    }

    /// The monitor under measurement.
    pub fn monitor(&self) -> Result<PathBuf> {
        if let Some(found) = &self.given {
            return Ok(found.clone());
        }
        once(&self.monitor, release_monitor)
    }

    /// The program of the controls.
    pub fn gauge(&self) -> Result<PathBuf> {
        once(&self.gauge, || {
            shell::run(shell::cargo().args(["build", "--release", "-q", "-p", "gauge"]))?;
            Ok(tree::target()?.join("release/gauge"))
        })
    }

    /// The bundle of this tree; beside another build of the monitor the one that is there.
    pub fn bundle(&self) -> Result<PathBuf> {
        once(&self.bundle, || {
            let dist = bundle::dist();
            if self.given.is_none() || !dist.join("index.html").is_file() {
                bundle::build(&setup::for_bundle()?)?;
            }
            Ok(dist)
        })
    }

    /// A home of so many events to which nothing was added since it was written.
    pub fn home(&self, events: u64) -> Result<PathBuf> {
        if let Some(home) = self.homes.borrow().get(&events) {
            return Ok(home.clone());
        }
        let home = rehearsed_in(&self.monitor()?, events, &format!("{events}"))?;
        self.homes.borrow_mut().insert(events, home.clone());
        Ok(home)
    }

    /// The same for a caller that appends to it: the next caller gets a new one.
    pub fn home_to_change(&self, events: u64) -> Result<PathBuf> {
        let home = self.home(events)?;
        self.homes.borrow_mut().remove(&events);
        Ok(home)
    }

    /// Runs a pass of `crates/gauge` on the first core; its lines of JSON.
    pub fn pass(&self, words: &[&str], files: &[PathBuf], terms: &[String]) -> Result<Vec<Value>> {
        let mut command = Command::new("taskset");
        command.args(["-c", "0"]).arg(self.gauge()?).args(words).args(files);
        if !terms.is_empty() {
            command.arg("--").args(terms);
        }
        let done = command.stdin(Stdio::null()).output().context("cannot start taskset (util-linux)")?;
        if !done.status.success() {
            bail!("gauge {} failed: {}", words.join(" "), String::from_utf8_lossy(&done.stderr).trim());
        }
        let output = String::from_utf8_lossy(&done.stdout);
        output
            .lines()
            .map(|line| serde_json::from_str(line).with_context(|| format!("unexpected line of gauge: {line:?}")))
            .collect()
    }
}

fn once(cell: &OnceCell<PathBuf>, make: impl FnOnce() -> Result<PathBuf>) -> Result<PathBuf> {
    if let Some(found) = cell.get() {
        return Ok(found.clone());
    }
    let made = make()?;
    Ok(cell.get_or_init(|| made).clone())
}

/// The live log of a home.
pub fn live_log(home: &Path) -> PathBuf {
    home.join("logs/coordination-events.ndjson")
}

/// All files of a home's log, the live one last, and their bytes.
pub fn logs(home: &Path) -> Result<(Vec<PathBuf>, u64)> {
    let mut files = tree::files_below(&home.join("logs"), &[])?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "ndjson"));
    // An archive's name continues where the live one's ends: `-` sorts before `.`.
    let bytes =
        files.iter().map(|file| std::fs::metadata(file).map(|meta| meta.len())).sum::<std::io::Result<u64>>()?;
    if files.is_empty() {
        bail!("{} holds no log", home.display());
    }
    Ok((files, bytes))
}

/// Allows as many open files as the system lets this process have: a thousand clients need more than is usual. What
/// it starts may as well.
pub fn many_files() -> Result<()> {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).context("cannot allow more open files")
}
