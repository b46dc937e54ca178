//! Runner of the long tests of the override store (categories that a person set), including those that need strace.

use anyhow::Result;

use crate::{setup, shell};

/// Brings strace, then runs everything.
pub fn run() -> Result<()> {
    setup::for_faults()?;
    super::tests("task-monitor", "override")?;
    let mut cargo = shell::cargo();
    cargo.args(["test", "--release", "--locked", "-p", "task-monitor", "--test", "overrides_system"]);
    shell::run(cargo.args(["--", "--nocapture"]))
}
