//! Soak test with a log that grows for minutes. Memory must stay flat, and processing must keep up.
//!
//! Proves (log): A log that grows for minutes leaves no more memory behind than its events need.
//! Long form: `make soak ARGS=memory`.

use std::time::{Duration, Instant};

use anyhow::Result;
use bench::server::BenchServer;
use bench::{home, http};

use crate::{clock, shell};

const MINUTES: u64 = 10;

/// Appends for some minutes and watches that memory stays flat and nothing lags behind.
pub fn run() -> Result<()> {
    let monitor = home::release_monitor()?;
    let home = home::rehearsed(&monitor, 20_000, "soak")?;
    let server = BenchServer::start(&monitor, &home, None, &[])?;
    let begin = Instant::now();
    let before = server.resident_mb()?;
    let mut appended = 0_u64;
    shell::say(&format!("appending for {MINUTES} min; memory at the start {before:.0} MB"));
    while begin.elapsed() < Duration::from_secs(MINUTES * 60) {
        let round = Instant::now();
        for _ in 0..500 {
            home::append(&home, &home::event(appended))?;
            appended += 1;
        }
        let health = http::json(server.port, "/api/v2/health")?;
        println!(
            "{:>9}  appended {appended:>8}  held {:>8}  lag {:>6} B  bad lines {}  resident {:.0} MB",
            clock::words(begin.elapsed()),
            health["events"],
            health["lagBytes"],
            health["badLines"],
            server.resident_mb()?
        );
        std::thread::sleep(Duration::from_secs(5).saturating_sub(round.elapsed()));
    }
    let after = server.resident_mb()?;
    shell::say(&format!("soak done: {appended} events appended, {before:.0} → {after:.0} MB"));
    Ok(())
}
