//! Soak run with a log that grows for ten minutes. It fails on lines that are lost, unreadable or read late, and when
//! memory grows by more than [`MAX_BYTES_PER_EVENT`].
//!
//! Proves (log): A log that grows for minutes is followed without lag or loss, in memory in proportion to its events.
//! Long form: `make soak ARGS=memory`.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use bench::server::{BenchServer, wait_until};
use bench::{home, http};

use crate::{clock, shell};

const MINUTES: u64 = 10;
/// Events of the log before the first one is appended.
const EVENTS_BEFORE: u64 = 20_000;
/// Resident memory that an event may cost. An event of the demo home takes about half of it.
const MAX_BYTES_PER_EVENT: f64 = 3_000.0;

/// Appends for some minutes.
///
/// # Errors
/// When an event is lost or unreadable, when one is not read within the timeout of [`wait_until`], and when memory
/// grows by too much.
pub fn run() -> Result<()> {
    let monitor = home::release_monitor()?;
    let home = home::rehearsed(&monitor, EVENTS_BEFORE, "soak")?;
    let server = BenchServer::start(&monitor, &home, &[])?;
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
        let health = || http::json(server.port, "/api/v2/health");
        wait_until("the appended events", Duration::from_millis(50), || {
            let health = health()?;
            Ok(health["events"] == EVENTS_BEFORE + appended && health["lagBytes"] == 0)
        })?;
        let bad_lines = health()?["badLines"].clone();
        ensure!(bad_lines == 0, "{bad_lines} lines could not be read");
        println!(
            "{:>9}  appended {appended:>8}  read after {:>5.1?}  resident {:.0} MB",
            clock::words(begin.elapsed()),
            round.elapsed(),
            server.resident_mb()?
        );
        std::thread::sleep(Duration::from_secs(5).saturating_sub(round.elapsed()));
    }
    let after = server.resident_mb()?;
    let per_event = (after - before) * 1e6 / appended as f64;
    shell::say(&format!("{appended} events appended, {before:.0} → {after:.0} MB, {per_event:.0} bytes an event"));
    ensure!(per_event <= MAX_BYTES_PER_EVENT, "more than {MAX_BYTES_PER_EVENT} bytes of memory an event");
    Ok(())
}
