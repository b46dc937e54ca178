//! Model of OpenClaw's session stores and transcripts: stored sessions, histories, and messages between agents.
//!
//! This crate does no IO: the monitor reads files and databases. It does not join transcripts with the log:
//! `coordination::merge` does. Start with [`store::list()`] and [`transcript::reading`].

#![warn(missing_docs)]

pub mod store;
pub mod transcript;
