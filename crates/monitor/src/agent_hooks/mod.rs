//! Integration of the hooks of coding agents, Claude Code and Codex (`contract/event-schema-v1_1.md` §B, §C). `wrapper`
//! is the command that runs for each event. `setup` adds it to the settings of a program and removes it.
//!
//! The command uses neither clap nor tokio, because an agent waits for it. The receiving side is
//! `sources::agent_events`.

mod codex;
mod command;
mod destination;
mod drop_file;
mod events;
mod input;
mod json;
mod merge;
mod payload;
mod permission;
mod send;
mod settings_file;
pub(crate) mod setup;
mod stamp;
mod transcript;
pub(crate) mod wrapper;

pub(crate) use destination::{Flags, HookDestination};
pub use drop_file::DROP_FILE;
#[cfg(test)]
pub(crate) use drop_file::append;
pub(crate) use events::{ClaudeCodeVersion, HookTarget, installed};
pub use send::MonitorClient;
