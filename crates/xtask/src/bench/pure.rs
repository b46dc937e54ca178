//! What questions over much history cost in the core itself: measured by its own benches, release-built.

use anyhow::{Context, Result};

use super::row;
use crate::shell;

/// Each bench with its goal: ten times the work in ten times the time, with room for the processor's caches.
const BENCHES: [(&str, &str); 2] = [("braid_bench", "≤ 12 × 500 events"), ("drift_bench", "≤ 20 ms")];

/// A braid of 5,000 events, and the drift of 10,000 sessions, each beside a tenth of it.
pub fn rows() -> Result<Vec<[String; 3]>> {
    shell::say("a braid of 5,000 events beside one of 500, the drift of 10,000 sessions beside 1,000");
    let mut rows = Vec::new();
    for (name, goal) in BENCHES {
        let mut bench = shell::cargo();
        bench.args(["test", "--release", "-q", "-p", "coordination", "--test", name]);
        let told =
            shell::output(bench.args(["--", "--ignored", "--nocapture"])).context("a bench of the core failed")?;
        let lines = told.lines().filter_map(|line| line.split_once("bench\t")?.1.split_once('\t'));
        rows.extend(lines.map(|(name, measured)| row(name, measured, goal)));
    }
    Ok(rows)
}
