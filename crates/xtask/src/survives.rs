//! A panic in contained work leaves a wasm instance usable: `crates/contained/examples/survives.rs`, built as the page is
//! built (panics abort there) and driven by Node.

use std::process::Command;

use anyhow::Result;

use crate::{setup, shell, tree};

const TARGET: &str = "wasm32-unknown-unknown";

/// Sets up what is missing and runs it.
pub fn run() -> Result<()> {
    with(&setup::for_bundle()?)
}

/// Builds the module and drives it.
pub fn with(tools: &setup::Tools) -> Result<()> {
    let mut cargo = tools.command("cargo")?;
    shell::run(cargo.args([
        "build",
        "-q",
        "--locked",
        "-p",
        "contained",
        "--example",
        "survives",
        "--target",
        TARGET,
    ]))?;
    let examples = tree::target()?.join(TARGET).join("debug/examples");
    let module = examples.join("survives-module");
    let mut bindgen = tools.command("wasm-bindgen")?;
    bindgen.args(["--target", "nodejs", "--out-name", "survives", "--out-dir"]).arg(&module);
    shell::run(bindgen.arg(examples.join("survives.wasm")))?;
    let script = tree::root().join("crates/contained/examples/survives.mjs");
    // The panics are told on the error output, as they should be: they are shown only when something else is wrong.
    shell::run_quietly(Command::new("node").arg(script).arg(&module))
}
