//! Library of the monitor, the server that follows OpenClaw's files and serves them over REST 1.x and v2, live streams
//! and the dashboard's bundle. This crate does the IO. The crate `coordination` decides what a user sees.
//!
//! [`sources`] read files and send the results to [`core`]. One thread of `core` applies them to the hub (the in-memory
//! state). [`app`] starts both, [`web`] answers requests, [`cli`] is the command line. A lint (`xtask tidy`) enforces
//! which module may import which.

pub mod agent_hooks;
pub mod app;
pub mod cli;
pub mod clock;
pub mod config;
pub mod core;
pub mod fleet;
pub mod fs;
mod gateway;
pub mod home;
mod inputs;
mod permissions;
mod random;
mod sink;
pub mod sources;
#[cfg(test)]
mod testing;
mod version;
pub mod web;
mod workers;
