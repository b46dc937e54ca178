//! `make test-openclaw`: the monitor over a home that the real OpenClaw writes while we look (`e2e/openclaw/`).
//! No part of `make test`: it fetches a large program that is not ours.

use std::process::Command;

use anyhow::Result;

use crate::{browser_tests, clock, setup, shell, tree};

/// Fetches, builds, runs. Where OpenClaw or its Node cannot be had, one line says so and nothing has failed.
pub fn run() -> Result<()> {
    let found = match setup::openclaw() {
        Ok(found) => found,
        Err(error) => {
            shell::say(&format!("test-openclaw: SKIPPED, the real OpenClaw cannot be run here: {error:#}"));
            return Ok(());
        }
    };
    browser_tests::build_monitor()?;
    let start = std::time::Instant::now();
    let mut node = Command::new("node");
    node.current_dir(tree::root().join("e2e"));
    node.env("TASK_HUB_OPENCLAW", &found.program).env("TASK_HUB_OPENCLAW_NODE", &found.node);
    node.env("TASK_HUB_MONITOR", tree::target()?.join("debug/task-monitor"));
    shell::run(node.args(["--test", "--test-reporter=spec", "--test-timeout=900000", "openclaw/real.spec.mjs"]))?;
    shell::say(&format!("test-openclaw: holds ({})", clock::words(start.elapsed())));
    Ok(())
}
