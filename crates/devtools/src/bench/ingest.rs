//! Benchmark of log ingestion on one core (goal G2 of `docs/benchmarks.md`). A prepared log is appended in writes of 64
//! KB while the monitor runs, until the monitor has read all of it. The control only parses the same file.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::figure::{Bound, Figure, PairedRounds, spread};
use super::server::BenchServer;
use super::setting::{Setting, live_log, logs};
use super::{http, rehearsed_in};
use crate::{shell, tree};

const WRITE_BYTES: usize = 64 * 1024;
/// Each costs a start and seconds of reading.
const ROUNDS: usize = 5;
const READ_TIMEOUT: Duration = Duration::from_secs(600);

pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    let (files, bytes) = logs(&setting.home(setting.events)?)?;
    let prepared = tree::target()?.join("bench/prepared.ndjson");
    let mut all = Vec::with_capacity(usize::try_from(bytes)?);
    for file in &files {
        all.extend(std::fs::read(file)?);
    }
    std::fs::write(&prepared, &all)?;
    shell::say(&format!("{ROUNDS} times {} events appended, each beside a pass that only parses", setting.events));
    let monitor = setting.monitor()?;
    let rounds = PairedRounds::run(
        ROUNDS,
        || appended(&monitor, &all, setting.events),
        || {
            let start = Instant::now();
            setting.pass(&["parse"], std::slice::from_ref(&prepared), &[])?;
            Ok(start.elapsed().as_secs_f64())
        },
    )?;
    std::fs::remove_file(&prepared)?;
    let events = setting.events as f64;
    let rates = spread(rounds.0.iter().map(|(seconds, _)| events / seconds));
    let mut rate = Figure::new("events taken in a second, on one core", rates[2], "/s");
    rate.spread = Some(rates);
    let time = Figure::best("appended in 64 KB writes, to the last event", "s", &rounds, "parse only");
    Ok(vec![rate.goal("G2", Bound::AtLeast(400_000.0)), time.goal("G2", Bound::RatioAtMost(2.0))])
}

/// Seconds from the first write to the moment all is known.
fn appended(monitor: &Path, all: &[u8], events: u64) -> Result<f64> {
    let home = rehearsed_in(monitor, 1_000, "ingest")?;
    let server = BenchServer::start_on(monitor, &home, Some("0"), &[])?;
    server.wait_until_read(READ_TIMEOUT)?;
    let before = known(server.port)?;
    let mut log = OpenOptions::new().append(true).open(live_log(&home))?;
    let start = Instant::now();
    for piece in all.chunks(WRITE_BYTES) {
        log.write_all(piece)?;
    }
    while start.elapsed() < READ_TIMEOUT {
        let now = known(server.port)?;
        if now >= before + events {
            return Ok(start.elapsed().as_secs_f64());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    bail!("not all was taken in within {} s", READ_TIMEOUT.as_secs())
}

fn known(port: u16) -> Result<u64> {
    let health: Value =
        serde_json::from_slice(&http::get(port, "/api/v2/health")?.body).context("health is not JSON")?;
    health["events"].as_u64().context("health tells no number of events")
}
