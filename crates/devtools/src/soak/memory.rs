//! Soak test with a log that grows for minutes. Memory must stay flat, and processing must keep up.
//!
//! Proves (log): A log that grows for minutes leaves no more memory behind than its events need.
//! Long form: `make soak ARGS=memory`.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use crate::bench::server::BenchServer;
use crate::bench::{self, http, live};
use crate::{clock, shell};

const MINUTES: u64 = 10;

/// Appends for some minutes and watches that memory stays flat and nothing lags behind.
pub fn run() -> Result<()> {
    let monitor = bench::release_monitor()?;
    let home = bench::rehearsed(&monitor, 20_000)?;
    let server = BenchServer::start(&monitor, &home)?;
    server.wait_until_read(Duration::from_secs(60))?;
    let begin = Instant::now();
    let before = server.resident_kb()?;
    let mut appended = 0_u64;
    shell::say(&format!("appending for {MINUTES} min; memory at the start {} MB", before / 1000));
    while begin.elapsed() < Duration::from_secs(MINUTES * 60) {
        let round = Instant::now();
        for _ in 0..500 {
            live::append(&home, &bench::event(appended))?;
            appended += 1;
        }
        let health = http::get(server.port, "/api/v2/health")?;
        let health: serde_json::Value = serde_json::from_slice(&health.body).context("health is not JSON")?;
        println!(
            "{:>9}  appended {appended:>8}  held {:>8}  lag {:>6} B  bad lines {}  resident {} MB",
            clock::words(begin.elapsed()),
            health["events"],
            health["lagBytes"],
            health["badLines"],
            server.resident_kb()? / 1000
        );
        std::thread::sleep(Duration::from_secs(5).saturating_sub(round.elapsed()));
    }
    shell::say(&format!(
        "soak done: {appended} events appended, {} → {} MB",
        before / 1000,
        server.resident_kb()? / 1000
    ));
    Ok(())
}
