//! What the braid of a long session costs: measured by the core's own bench, release-built.

use anyhow::{Context, Result};

use super::row;
use crate::shell;

/// Asked for and laid out, beside a session a tenth as long: ten times is linear.
pub fn rows() -> Result<Vec<[String; 3]>> {
    shell::say("a braid of 5,000 events beside one of 500");
    let mut bench = shell::cargo();
    bench.args(["test", "--release", "-q", "-p", "coordination", "--test", "braid_bench"]);
    let told =
        shell::output(bench.args(["--", "--ignored", "--nocapture"])).context("the bench of the braid failed")?;
    let lines = told.lines().filter_map(|line| line.split_once("bench\t")?.1.split_once('\t'));
    Ok(lines.map(|(name, measured)| row(name, measured, "≤ 12 × 500 events")).collect())
}
