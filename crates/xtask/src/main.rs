//! The drivers behind the Makefile: set-up, bundle, run, test, tidy, size, bench and screenshots.
//! Nothing here ships: the product is `task-monitor` and the bundle.
#![allow(clippy::print_stdout, reason = "a command line driver talks to its user on stdout")]
#![allow(unreachable_pub, reason = "a binary: nothing is reachable from outside")]

mod alike;
mod bench;
mod browser_tests;
mod bundle;
mod clock;
mod contract;
mod eval;
mod gates;
mod real;
mod records;
mod run;
mod setup;
mod shell;
mod size;
mod soak;
mod survives;
mod test;
mod tidy;
mod train;
mod tree;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
usage: cargo run -p xtask -- COMMAND

  setup [--tests]     bring what the build needs (with --tests also what the browser tests need)
  bundle              build the static bundle into dist/ (--unmeasured: without its size)
  run                 set up, build and serve on 127.0.0.1 (PORT, OPENCLAW_STATE_DIR)
  dev                 rebuild and reload the page while you edit it (the monitor must run: make run)
  test                everything CI runs
  fmt | check         format | compile and lint without running anything
  e2e [ARGS]          browser tests only; ARGS go to node --test
  screenshots         pictures of every page into docs/screenshots/
  size [--record]     bytes of the first load, and the change to bench/size.json
  bench [GROUP...]    the measured goals, recorded in bench/latest.json and shown on docs/benchmarks.md
                      (--events N: another size, --monitor FILE: another build, neither recorded without --record;
                      --page: only makes the page of the record)
  gates [--accept]    instructions of the core's work against bench/instructions.json
  contract            every route against docs/openapi.json, by schemathesis
  soak [NAME...]      the long forms of the proofs
  test-openclaw       the monitor over a home that the real OpenClaw writes meanwhile (skipped where npm has none)
  test-claude-code    the real Claude Code with our hooks, beside a model of our own (skipped where npm has none)
  survives            a panic while a text is read leaves the page's wasm usable
  alike               agents' events come to the same natively and in wasm
  train [--folds]     the classifier's table from data/classifier (--folds: cross-validation only;
                      --check: whether the table is still what the data make)
  eval [FILE...]      accuracy of both classifiers over labelled records
  tidy                structure checks (also run by cargo test)";

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
    let flag = |name: &str| rest.iter().any(|arg| arg == name);
    match command {
        "setup" => setup::run(flag("--tests")),
        "bundle" => bundle::run(!flag("--unmeasured")),
        "run" => run::run(),
        "dev" => run::dev(),
        "test" => test::run(),
        "fmt" => test::fmt(),
        "check" => test::check(),
        "e2e" => browser_tests::run(rest),
        "screenshots" => browser_tests::screenshots(),
        "size" => size::run(flag("--record")),
        "bench" => bench::run(rest),
        "contract" => contract::run(false),
        "gates" => gates::run(flag("--accept")),
        "test-openclaw" => real::openclaw(),
        "test-claude-code" => real::claude_code(),
        "soak" => soak::run(rest),
        "alike" => alike::run(),
        "survives" => survives::run(),
        "train" => train::run(rest),
        "eval" => eval::run(rest),
        "tidy" => tidy::run(),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        other => bail!("unknown command {other:?}\n\n{USAGE}"),
    }
}
