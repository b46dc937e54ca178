//! Monitor process under measurement: started on a free port, ended when dropped.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::http;

/// The process and its port.
pub struct BenchServer {
    child: Child,
    pub port: u16,
}

impl BenchServer {
    /// Starts `serve` on a home.
    pub fn start(monitor: &Path, home: &Path) -> Result<Self> {
        Self::start_with(monitor, home, &[])
    }

    /// The same with further words.
    pub fn start_with(monitor: &Path, home: &Path, words: &[&str]) -> Result<Self> {
        Self::start_on(monitor, home, None, words)
    }

    /// The same on those cores only.
    pub fn start_on(monitor: &Path, home: &Path, cores: Option<&str>, words: &[&str]) -> Result<Self> {
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let mut command = match cores {
            Some(cores) => {
                let mut pinned = Command::new("taskset");
                pinned.args(["-c", cores]).arg(monitor);
                pinned
            }
            None => Command::new(monitor),
        };
        let child = command
            .args(["serve", "--port", &port.to_string(), "--home"])
            .arg(home)
            .args(words)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", monitor.display()))?;
        Ok(Self { child, port })
    }

    /// Waits until all history is read.
    pub fn wait_until_read(&self, limit: Duration) -> Result<()> {
        let start = Instant::now();
        while start.elapsed() < limit {
            if let Ok(answer) = http::get(self.port, "/api/v2/health") {
                let health: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
                if answer.status == 200 && health["source"]["state"] == "ok" && health["lagBytes"] == 0 {
                    return Ok(());
                }
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        bail!("the monitor did not read its history within {} s", limit.as_secs())
    }

    /// Waits until the index of the search covers all events; a monitor that has none is ready at once.
    pub fn wait_until_indexed(&self, limit: Duration) -> Result<()> {
        let start = Instant::now();
        while start.elapsed() < limit {
            let health = http::get(self.port, "/api/v2/health")?;
            let health: Value = serde_json::from_slice(&health.body).context("health is not JSON")?;
            let covered = health["index"]["events"].as_u64();
            if covered.is_none_or(|covered| Some(covered) >= health["events"].as_u64()) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        bail!("the monitor did not index its history within {} s", limit.as_secs())
    }

    /// Resident memory in KiB.
    pub fn resident_kb(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).context("no /proc")?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
        line.trim().trim_end_matches("kB").trim().parse().context("VmRSS is not a number")
    }
}

impl BenchServer {
    /// Processor time it has used, in seconds.
    pub fn cpu_seconds(&self) -> Result<f64> {
        cpu_seconds(self.child.id())
    }
}

/// Processor time that a process has used, in seconds.
pub fn cpu_seconds(process: u32) -> Result<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).context("no /proc")?;
    // Behind the name in brackets: user and system time are the 12th and 13th fields, in hundredths of a second.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    Ok((ticks(11) + ticks(12)) / 100.0)
}

impl Drop for BenchServer {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
