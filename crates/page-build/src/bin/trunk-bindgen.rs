//! Replacement for the `wasm-bindgen` program that Trunk starts. It uses the wasm-bindgen library of Cargo.lock, so
//! nothing is installed and the version always matches.

#![allow(clippy::print_stdout, reason = "--version answers on standard output")]

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use page_build::bind::{BindOptions, BindTarget, WASM_BINDGEN_VERSION, bind};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("wasm-bindgen: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<()> {
    let mut options = BindOptions { typescript: true, ..BindOptions::default() };
    let (mut wasm, mut out, mut name) = (None, None, None);
    for arg in args {
        match arg.split_once('=').unwrap_or((arg, "")) {
            ("--version", _) => {
                println!("wasm-bindgen {WASM_BINDGEN_VERSION}");
                return Ok(());
            }
            ("--target", "web") => {}
            ("--out-dir", dir) => out = Some(PathBuf::from(dir)),
            ("--out-name", stem) => name = Some(stem.to_owned()),
            ("--keep-debug", _) => options.keep_debug = true,
            ("--no-demangle", _) => options.demangle = false,
            ("--no-typescript", _) => options.typescript = false,
            ("--keep-lld-exports", _) => options.keep_lld_exports = true,
            (file, _) if !file.starts_with("--") => wasm = Some(PathBuf::from(arg)),
            _ => bail!("{arg} is not supported here; wasm-bindgen-cli {WASM_BINDGEN_VERSION} on PATH would be"),
        }
    }
    bind(
        &wasm.context("no wasm file was named")?,
        &out.context("--out-dir=DIR is missing")?,
        &name.context("--out-name=NAME is missing")?,
        BindTarget::Web,
        options,
    )
}
