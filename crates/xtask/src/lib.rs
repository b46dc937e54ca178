//! Library of `xtask`, which runs most `make` targets: set-up, builds, tests and checks. `devtools` and `bench` use it
//! too.
//!
//! The only dependency is `anyhow`, because most `make` targets compile this crate first. Commands that need more
//! crates are in `devtools`, benchmarks in `bench`.
#![allow(clippy::print_stdout, reason = "a command line driver talks to its user on stdout")]

pub mod browser_tests;
pub mod clock;
pub mod native_tests;
pub mod notices;
pub mod page;
pub mod real;
pub mod run;
pub mod setup;
pub mod shell;
pub mod steps;
pub mod supply_chain;
pub mod test;
pub mod tidy;
pub mod tree;
