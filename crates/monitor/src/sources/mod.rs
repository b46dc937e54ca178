//! Readers of files: log (`tail`), coding agents' events, workspaces, session stores and transcripts. `store` and
//! `transcript` read on request. Each other reader runs on its own thread and passes its results to a function that the
//! caller supplies.

pub mod agent_events;
pub mod store;
pub mod tail;
pub mod transcript;
pub mod transcripts;
pub mod workspace;
