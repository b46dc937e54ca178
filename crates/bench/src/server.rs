//! Processes under measurement, ended when dropped: a monitor on a free port, or any other program.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::http;

/// Longer than any history takes to read.
pub const READ_TIMEOUT: Duration = Duration::from_secs(600);

/// A child process; killed when dropped.
pub struct BenchProcess(Child);

impl BenchProcess {
    pub fn new(process: Child) -> Self {
        Self(process)
    }

    /// How it ended, if it did.
    pub fn exit_status(&mut self) -> Result<Option<ExitStatus>> {
        Ok(self.0.try_wait()?)
    }

    /// Ends it as a service manager does, and waits for its end.
    pub fn stop(mut self) -> Result<()> {
        let ended = Command::new("kill").args(["-s", "TERM", &self.0.id().to_string()]).status()?.success();
        if !ended || !self.0.wait()?.success() {
            bail!("a process did not end in order");
        }
        Ok(())
    }

    /// Resident memory, in megabytes (10⁶ bytes).
    pub fn resident_mb(&self) -> Result<f64> {
        let kib = proc_number(&format!("{}/status", self.0.id()), "VmRSS:")?;
        Ok(kib * 1.024 / 1000.0)
    }

    /// Processor time used so far, in seconds.
    pub fn cpu_seconds(&self) -> Result<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id())).context("no /proc")?;
        // Behind the name in brackets: user and system time are the 12th and 13th fields, in hundredths of a second.
        let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
        Ok(fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0)
    }
}

impl Drop for BenchProcess {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// A monitor and its port.
pub struct BenchServer {
    process: BenchProcess,
    pub port: u16,
}

impl BenchServer {
    /// Starts `serve` on a home with further words, and waits until it has read all history.
    pub fn start(monitor: &Path, home: &Path, words: &[&str]) -> Result<Self> {
        let server = Self::spawn(monitor, |serve| {
            serve.arg("--home").arg(home).args(words);
        })?;
        let port = server.port;
        wait_until("the monitor has read its history", Duration::from_millis(2), || {
            let health = http::json(port, "/api/v2/health");
            Ok(health.is_ok_and(|health| health["source"]["state"] == "ok" && health["lagBytes"] == 0))
        })?;
        Ok(server)
    }

    /// Starts `serve` with the words that `complete` adds. It may not listen yet.
    pub fn spawn(monitor: &Path, complete: impl FnOnce(&mut Command)) -> Result<Self> {
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let mut command = Command::new(monitor);
        // Nothing of an earlier run may shorten a start, unless `complete` asks for it.
        command.env("TASK_MONITOR_CACHE", "off");
        command.args(["serve", "--port", &port.to_string()]);
        complete(&mut command);
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let process = process.with_context(|| format!("cannot start {}", monitor.display()))?;
        Ok(Self { process: BenchProcess::new(process), port })
    }

    /// Waits until the search index covers all events.
    pub fn wait_until_indexed(&self) -> Result<()> {
        wait_until("the monitor has indexed its history", Duration::from_millis(5), || {
            let health = http::json(self.port, "/api/v2/health")?;
            let covered = health["index"]["events"].as_u64();
            Ok(covered.is_none_or(|covered| Some(covered) >= health["events"].as_u64()))
        })
    }

    /// Ends it as a service manager does, and waits for its end.
    pub fn stop(self) -> Result<()> {
        self.process.stop()
    }

    /// Resident memory, in megabytes (10⁶ bytes).
    pub fn resident_mb(&self) -> Result<f64> {
        self.process.resident_mb()
    }

    /// Processor time used so far, in seconds.
    pub fn cpu_seconds(&self) -> Result<f64> {
        self.process.cpu_seconds()
    }
}

/// The number behind `name` in a file of `/proc`.
pub fn proc_number(file: &str, name: &str) -> Result<f64> {
    let text = std::fs::read_to_string(format!("/proc/{file}")).with_context(|| format!("cannot read /proc/{file}"))?;
    let rest = text.lines().find_map(|line| line.strip_prefix(name));
    let number = rest.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    number.with_context(|| format!("/proc/{file} has no number behind {name:?}"))
}

/// Calls `holds` until it is true, with a `pause` between calls.
///
/// # Errors
/// The first error of `holds`, or a timeout after [`READ_TIMEOUT`] that names `what`.
pub fn wait_until(what: &str, pause: Duration, mut holds: impl FnMut() -> Result<bool>) -> Result<()> {
    let start = Instant::now();
    while !holds()? {
        if start.elapsed() > READ_TIMEOUT {
            bail!("waited {} s until {what}", READ_TIMEOUT.as_secs());
        }
        std::thread::sleep(pause);
    }
    Ok(())
}
