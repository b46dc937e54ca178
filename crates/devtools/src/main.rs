//! Developer commands with more dependencies than `xtask` has: release bundle and its size, instruction counts, soak
//! tests, contract tests, wasm tests, classifier training and evaluation. None of them ships.
#![allow(clippy::print_stdout, reason = "a command line driver talks to its user on stdout")]
#![allow(unreachable_pub, reason = "a binary: nothing is reachable from outside")]

mod alike;
mod bundle;
mod contract;
mod dist;
mod eval;
mod fleet;
mod gates;
mod records;
mod size;
mod soak;
mod survives;
mod train;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use xtask::{clock, setup, shell, tree};

const USAGE: &str = "\
usage: cargo run -p devtools -- COMMAND

  bundle              build the static bundle into dist/ (--unmeasured: without its size)
  dist                release artefacts into target/packages/
  dist-check          installs each of them on a root without Rust, up to the first card
  size [--record]     bytes of the first load, and the change to bench/size.json
  gates [--accept]    instructions of the core's work against bench/instructions.json
  contract            every route against docs/openapi.json, by schemathesis
  run-fleet           a fleet to look at: three servers, two machines, two aggregators
  fleet [--long]      machines behind an aggregator over real NATS servers, with faults (--seed N: those of
                      another run; --server PROGRAM: with these servers only)
  soak [NAME...]      the long forms of the proofs
  survives            a panic while a text is read leaves the page's wasm usable
  alike               agents' events come to the same natively and in wasm
  train [--folds]     the classifier's table from data/classifier (--folds: cross-validation only;
                      --check: whether the table is still what the data make)
  eval [FILE...]      accuracy of both classifiers over labelled records";

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
        // Without measuring, a bundle that grew beyond its goal can still be tried.
        "bundle" if flag("--unmeasured") => bundle::run(),
        "bundle" => bundle::run().and_then(|()| size::run(false)),
        "dist" => dist::run(),
        "dist-check" => dist::check(),
        "size" => size::run(flag("--record")),
        "contract" => contract::run(false),
        "fleet" => {
            let value = |name: &str| rest.iter().skip_while(|word| *word != name).nth(1);
            let seed = value("--seed").map(|word| word.parse()).transpose()?;
            fleet::run(flag("--long"), seed, value("--server").map(PathBuf::from))
        }
        "run-fleet" => fleet::run_demo(),
        "gates" => gates::run(flag("--accept")),
        "soak" => soak::run(rest),
        "alike" => alike::run(),
        "survives" => survives::run(),
        "train" => train::run(rest),
        "eval" => eval::run(rest),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        other => bail!("unknown command {other:?}\n\n{USAGE}"),
    }
}
