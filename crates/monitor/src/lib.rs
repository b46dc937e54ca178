//! The native monitor: it follows OpenClaw's files and serves them over REST 1.x and v2, live streams and the
//! dashboard's bundle. This crate does the IO. `coordination` decides what a user sees.
//!
//! [`sources`] read files and send the results to [`core`]. The only writer of `core` applies them to the hub. [`app`]
//! starts both, [`web`] serves the result, [`cli`] is the program. A lint (`xtask tidy`) enforces which module may
//! import which.

pub mod app;
pub mod claude_code;
pub mod cli;
pub mod clock;
pub mod config;
pub mod core;
pub mod fs;
mod gateway;
pub mod home;
mod random;
mod sink;
pub mod sources;
#[cfg(test)]
mod testing;
pub mod web;
mod workers;
