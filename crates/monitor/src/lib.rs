//! The native monitor: it tails OpenClaw's files and serves them over REST 1.x and v2, live streams and the
//! dashboard's bundle. Everything that decides what a user sees lives in `coordination`; this crate owns the IO.

pub mod beneath;
pub mod cli;
pub mod clock;
pub mod config;
mod core;
pub mod home;
pub mod hooks;
pub mod http;
mod index;
pub mod ingest;
pub mod live;
pub mod overrides;
mod random;
pub mod rehearse;
mod sink;
mod source;
mod speak;
pub mod state;
mod status;
pub mod store;
pub mod tail;
pub mod talk;
pub mod team;
#[cfg(test)]
mod testing;
pub mod transcript;
mod workers;
pub mod workspace;
