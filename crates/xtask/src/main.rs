//! Command line of `cargo run -p xtask -- COMMAND`. The commands are listed in [`USAGE`]. This crate is not shipped.
#![allow(clippy::print_stdout, reason = "a command line driver talks to its user on stdout")]

use std::process::ExitCode;

use anyhow::{Result, bail};
use xtask::{browser_tests, native_tests, notices, real, run, setup, supply_chain, test, tidy, tree};

const USAGE: &str = "\
usage: cargo run -p xtask -- COMMAND

  setup [--tests]     bring what the build needs (with --tests also what the browser tests need)
  run                 set up, build and serve on 127.0.0.1 (PORT, OPENCLAW_STATE_DIR)
  dev                 rebuild and reload the page while you edit it (the monitor must run: make run)
  test                the quick lane: what a change needs to be trusted
  test-full           everything: cross products, slow proofs, release bundle, other browsers
  fmt | check         format | compile and lint without running anything
  native [ARGS]       native tests only; ARGS go to cargo nextest (or cargo test)
  e2e [ARGS]          browser tests only; ARGS go to playwright test (--grep override, --ui, --debug)
  screenshots         pictures of every page into target/screenshots/
  test-openclaw       the monitor over a home that the real OpenClaw writes meanwhile (skipped where npm has none)
  test-claude-code    the real Claude Code with our hooks, beside a scripted model (skipped where npm has none)
  test-codex          the same with the real Codex
  tidy                structure checks (also a native test)
  proofs              docs/PROOFS.md from the claims of the tests
  supply-chain        licences, sources, unused dependencies and advisories of what is built in
  notices [--check]   third-party notices into THIRD-PARTY-NOTICES.md

bundle, size, gates, contract, soak, survives, alike, train and eval are commands of devtools:
cargo run -p devtools. The benchmarks are a program of their own: cargo run --release -p bench";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(args: &[String]) -> Result<()> {
    let (command, rest) = match args.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", args),
    };
    match command {
        "setup" => setup::run(rest.iter().any(|arg| arg == "--tests")),
        "run" => run::run(),
        "dev" => run::dev(),
        "test" => test::quick(),
        "test-full" => test::full(),
        "fmt" => test::fmt(),
        "check" => test::check(),
        "native" => native_tests::named(rest),
        "e2e" => browser_tests::run(rest),
        "screenshots" => browser_tests::screenshots(rest),
        "test-openclaw" => real::openclaw(),
        "test-claude-code" => real::claude_code(),
        "test-codex" => real::codex(),
        "tidy" => tidy::run(),
        "proofs" => tidy::proofs::write(&tree::root()),
        "supply-chain" => supply_chain::run(),
        "notices" => notices::run(rest.iter().any(|arg| arg == "--check")),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        other => bail!("unknown command {other:?}\n\n{USAGE}"),
    }
}
