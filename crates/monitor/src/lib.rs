//! The native monitor: it tails OpenClaw's files and serves them over REST 1.x and v2, live streams and the
//! dashboard's bundle. What a user sees is decided in `coordination`; this crate does the IO.
//!
//! [`sources`] read files and send what they found to [`core`], whose one writer applies it to the hub. [`app`] starts
//! both, [`web`] serves the result, [`cli`] is the program. A lint (`xtask tidy`) enforces which module may import which.

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
