//! `make test-claude-code`: the real Claude Code with the hooks that `hooks install` writes, beside a model of our own
//! (`e2e/claude-code/`). No part of `make test`: it fetches a large program that is not ours.

use std::process::Command;

use anyhow::Result;

use crate::{browser_tests, clock, setup, shell, tree};

/// Fetches, builds, runs. Where Claude Code cannot be had, one line says so and nothing has failed.
pub fn run() -> Result<()> {
    let found = match setup::claude_code() {
        Ok(found) => found,
        Err(error) => {
            shell::say(&format!("test-claude-code: SKIPPED, the real Claude Code cannot be run here: {error:#}"));
            return Ok(());
        }
    };
    browser_tests::build_monitor()?;
    let start = std::time::Instant::now();
    let mut node = Command::new("node");
    node.current_dir(tree::root().join("e2e"));
    node.env("TASK_HUB_CLAUDE_CODE", &found.program).env("TASK_HUB_CLAUDE_CODE_VERSION", found.version);
    node.env("TASK_HUB_MONITOR", tree::target()?.join("debug/task-monitor"));
    shell::run(node.args(["--test", "--test-reporter=spec", "--test-timeout=600000", "claude-code/real.spec.mjs"]))?;
    shell::say(&format!("test-claude-code: holds ({})", clock::words(start.elapsed())));
    Ok(())
}
