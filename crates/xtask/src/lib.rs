//! Commands behind the Makefile. `devtools` also uses this library, and holds everything that needs more crates than
//! `anyhow`. This crate stays small because each `make` target compiles it first.
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
