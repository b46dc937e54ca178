//! Parity check between native code and wasm for coding agents' events (event schema 1.1). It runs
//! `crates/gauge/examples/schema_alike.rs` natively and in Node and compares the output.
//!
//! Proves (claude-code): Agents' events give the same results natively and in wasm.

use std::process::Command;

use anyhow::{Context as _, Result, bail};
use page_build::bind::{BindOptions, BindTarget, bind};

use crate::{setup, shell, tree};

const TARGET: &str = "wasm32-unknown-unknown";
const EXAMPLE: &str = "schema_alike";
/// Asks the module for its digests.
const NODE_SCRIPT: &str = "process.stdout.write(require(process.argv[1]).digests())";

/// Sets up what is missing and holds the two against each other.
pub fn run() -> Result<()> {
    let compiler = setup::wasm()?;
    let built = |cargo: &mut Command| -> Result<()> {
        shell::run(cargo.args(["build", "-q", "--locked", "-p", "gauge", "--example", EXAMPLE]))
    };
    built(&mut shell::cargo())?;
    built(compiler.command("cargo").env("CARGO_BUILD_TARGET", TARGET))?;
    let (native, wasm) = (tree::target()?.join("debug/examples"), tree::target()?.join(TARGET).join("debug/examples"));
    let module = wasm.join("schema-module");
    bind(&wasm.join(EXAMPLE).with_extension("wasm"), &module, EXAMPLE, BindTarget::Node, BindOptions::default())?;
    let here = shell::output(&mut Command::new(native.join(EXAMPLE))).context("the native example fails")?;
    let file = module.join(EXAMPLE).with_extension("js");
    let there =
        shell::output(Command::new("node").args(["-e", NODE_SCRIPT]).arg(file)).context("the example fails in wasm")?;
    if here.trim() != there.trim() || here.lines().count() < 2 {
        bail!("natively:\n{here}\nin wasm:\n{there}");
    }
    shell::say(&format!("native and wasm alike: {}", here.lines().next().unwrap_or_default()));
    Ok(())
}
