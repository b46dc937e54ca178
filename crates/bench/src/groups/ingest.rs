//! Benchmark of log ingestion on one core (goal G2 of `docs/benchmarks.md`). A prepared log is appended in writes of 64
//! KB while the monitor runs, until the monitor has read all of it. The control only parses the same file.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use bench::home::{live_log, logs, rehearsed};
use bench::http;
use bench::server::{BenchServer, wait_until};
use xtask::{shell, tree};

use crate::figure::{Bound, Figure, alternate, spread};
use crate::setting::Setting;

const WRITE_BYTES: usize = 64 * 1024;
/// Each costs a start and seconds of reading.
const ROUNDS: usize = 5;

pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    let prepared = tree::target()?.join("bench/prepared.ndjson");
    let mut all = Vec::new();
    for file in logs(&setting.home(setting.events)?)?.0 {
        all.extend(std::fs::read(file)?);
    }
    std::fs::write(&prepared, &all)?;
    shell::say(&format!("{ROUNDS} times {} events appended, each beside a pass that only parses", setting.events));
    let parse = || setting.parse_only(std::slice::from_ref(&prepared));
    let rounds = alternate(ROUNDS, || append_and_wait(setting, &all), parse)?;
    std::fs::remove_file(&prepared)?;
    let rates = spread(rounds.iter().map(|(seconds, _)| setting.events as f64 / seconds));
    let mut rate = Figure::new("events taken in a second, on one core", rates[2], "/s");
    rate.spread = Some(rates);
    let time = Figure::best("appended in 64 KB writes, to the last event", "s", &rounds, "parse only");
    Ok(vec![rate.goal("G2").bound(Bound::AtLeast(400_000.0)), time.goal("G2").bound(Bound::RatioAtMost(2.0))])
}

/// Seconds from the first write to the moment all events are counted.
fn append_and_wait(setting: &Setting, all: &[u8]) -> Result<f64> {
    let home = rehearsed(&setting.monitor, 1_000, "ingest")?;
    let server = BenchServer::start(&setting.monitor, &home, Some("0"), &[])?;
    let counted = || http::json(server.port, "/api/v2/health")?["events"].as_u64().context("health without events");
    let wanted = counted()? + setting.events;
    let mut log = OpenOptions::new().append(true).open(live_log(&home))?;
    let start = Instant::now();
    for piece in all.chunks(WRITE_BYTES) {
        log.write_all(piece)?;
    }
    wait_until("all events are taken in", Duration::from_millis(5), || Ok(counted()? >= wanted))?;
    Ok(start.elapsed().as_secs_f64())
}
