//! Readers of files: log (`tail`), coding agents' events, workspaces, session stores and transcripts. `store` and
//! `transcript` read on demand. Each of the others runs on its own thread and passes its results to a sink of the
//! caller.

pub mod agent_events;
pub mod store;
pub mod tail;
pub mod transcript;
pub mod transcripts;
pub mod workspace;
