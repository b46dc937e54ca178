//! Browser tests and pictures: the real monitor, a real Chromium, driven from `e2e/`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::{bundle, setup, shell, tree};

/// `make e2e`: sets up, builds, and runs the specs (or those named).
pub fn run(args: &[String]) -> Result<()> {
    let tools = setup::for_bundle()?;
    setup::for_tests()?;
    bundle::build(&tools)?;
    build_monitor()?;
    specs(args)
}

/// Runs the specs against what is built.
pub fn specs(args: &[String]) -> Result<()> {
    shell::run(node()?.arg("run-tests.mjs").args(args))
}

/// Those specs in their long form, as long as that takes.
pub fn long_form(name: &str) -> Result<()> {
    shell::run(node()?.env(crate::soak::LONG, "1").args(["run-tests.mjs", name, "--test-timeout=5400000"]))
}

/// `make screenshots`.
pub fn screenshots() -> Result<()> {
    let tools = setup::for_bundle()?;
    setup::for_tests()?;
    bundle::build(&tools)?;
    build_monitor()?;
    shell::run(node()?.arg("screenshots.mjs"))
}

/// `make bench ARGS=page`.
pub fn bench() -> Result<()> {
    let tools = setup::for_bundle()?;
    setup::for_tests()?;
    bundle::build(&tools)?;
    let monitor = crate::bench::release_monitor()?;
    shell::run(node()?.env("TASK_HUB_MONITOR", monitor).arg("bench.mjs"))
}

/// The debug build: the one `cargo test` has mostly compiled already.
pub fn build_monitor() -> Result<()> {
    shell::run(shell::cargo().args(["build", "--locked", "-p", "task-monitor"]))
}

fn node() -> Result<Command> {
    let browser = setup::find_browser().context("no Chromium: run `cargo run -p xtask -- setup --tests`")?;
    let mut node = Command::new("node");
    node.current_dir(tree::root().join("e2e"));
    node.env("TASK_HUB_CHROMIUM", browser);
    node.env("TASK_HUB_MONITOR", monitor()?);
    node.env("TASK_HUB_BUNDLE", bundle::dist());
    Ok(node)
}

fn monitor() -> Result<PathBuf> {
    Ok(tree::target()?.join("debug/task-monitor"))
}
