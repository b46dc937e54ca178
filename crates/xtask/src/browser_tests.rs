//! Browser tests and pictures: the real monitor, a real Chromium, driven from `e2e/`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

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

/// What a bench in the browser tells on its standard output; how it goes is seen on the screen.
pub fn bench(name: &str, monitor: &Path, gauge: &Path, events: u64) -> Result<String> {
    let mut node = node()?;
    node.env("TASK_HUB_MONITOR", monitor).env("TASK_HUB_GAUGE", gauge).env("TASK_HUB_EVENTS", events.to_string());
    let done = node.arg(format!("bench/{name}.mjs")).stderr(Stdio::inherit()).output().context("cannot start node")?;
    if !done.status.success() {
        bail!("e2e/bench/{name}.mjs failed ({})", done.status);
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
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
