//! Monitor process under measurement: started on a free port, ended when dropped.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::http;

/// Longer than any history takes to read.
pub const READ_TIMEOUT: Duration = Duration::from_secs(600);

/// The process and its port.
pub struct BenchServer {
    process: KilledOnDrop,
    pub port: u16,
}

impl BenchServer {
    /// Starts `serve` on a home with further words, on some cores only if they are named (`taskset`), and waits until it
    /// has read all history.
    pub fn start(monitor: &Path, home: &Path, cores: Option<&str>, words: &[&str]) -> Result<Self> {
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let mut command = on_cores(cores, monitor);
        command.args(["serve", "--port", &port.to_string(), "--home"]).arg(home).args(words);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let process = KilledOnDrop(child.with_context(|| format!("cannot start {}", monitor.display()))?);
        let server = Self { process, port };
        wait_until("the monitor has read its history", Duration::from_millis(2), || {
            let health = http::json(port, "/api/v2/health");
            Ok(health.is_ok_and(|health| health["source"]["state"] == "ok" && health["lagBytes"] == 0))
        })?;
        Ok(server)
    }

    /// Waits until the search index covers all events.
    pub fn wait_until_indexed(&self) -> Result<()> {
        wait_until("the monitor has indexed its history", Duration::from_millis(5), || {
            let health = http::json(self.port, "/api/v2/health")?;
            let covered = health["index"]["events"].as_u64();
            Ok(covered.is_none_or(|covered| Some(covered) >= health["events"].as_u64()))
        })
    }

    /// Resident memory.
    pub fn resident_mb(&self) -> Result<f64> {
        let kib = proc_number(&format!("{}/status", self.process.0.id()), "VmRSS:")?;
        Ok(kib * 1.024 / 1000.0)
    }

    /// Processor time it has used.
    pub fn cpu_seconds(&self) -> Result<f64> {
        cpu_seconds(&self.process.0)
    }
}

/// Processor time that a process has used.
pub fn cpu_seconds(process: &Child) -> Result<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.id())).context("no /proc")?;
    // Behind the name in brackets: user and system time are the 12th and 13th fields, in hundredths of a second.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    Ok(fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0)
}

/// The number behind `name` in a file of `/proc`.
pub fn proc_number(file: &str, name: &str) -> Result<f64> {
    let text = std::fs::read_to_string(format!("/proc/{file}")).with_context(|| format!("cannot read /proc/{file}"))?;
    let rest = text.lines().find_map(|line| line.strip_prefix(name));
    let number = rest.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    number.with_context(|| format!("/proc/{file} has no number behind {name:?}"))
}

/// A program, held on some cores if they are named.
pub fn on_cores(cores: Option<&str>, program: &Path) -> Command {
    let Some(cores) = cores else { return Command::new(program) };
    let mut pinned = Command::new("taskset");
    pinned.args(["-c", cores]).arg(program);
    pinned
}

/// Asks again and again until the condition holds.
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

/// A process that ends with its owner.
pub struct KilledOnDrop(pub Child);

impl Drop for KilledOnDrop {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}
