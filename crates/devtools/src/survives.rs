//! Test that a wasm instance stays usable after a caught panic. It compiles the test module
//! `crates/panic-isolation/examples/survives.rs` to wasm, where panics abort, and runs it in Node.
//!
//! Proves (text): A panic while a text is read leaves the wasm instance usable.

use std::process::Command;

use anyhow::Result;
use page_build::bind::{BindOptions, BindTarget, bind};

use crate::{setup, shell, tree};

const TARGET: &str = "wasm32-unknown-unknown";

/// Builds the module and drives it.
pub fn run() -> Result<()> {
    let mut cargo = setup::wasm()?.command("cargo");
    shell::run(cargo.args([
        "build",
        "-q",
        "--locked",
        "-p",
        "panic-isolation",
        "--example",
        "survives",
        "--target",
        TARGET,
    ]))?;
    let examples = tree::target()?.join(TARGET).join("debug/examples");
    let module = examples.join("survives-module");
    bind(&examples.join("survives.wasm"), &module, "survives", BindTarget::Node, BindOptions::default())?;
    let script = tree::root().join("crates/panic-isolation/examples/survives.mjs");
    // The panics are printed on the error output, as they should be: they are shown only when something else is wrong.
    shell::run_quietly(Command::new("node").arg(script).arg(&module))
}
