//! Model of OpenClaw's session stores and transcripts: the sessions of a store, the content of a transcript, and the
//! messages between agents.
//!
//! It reads no file and no database; the monitor does. It does not join transcripts with the log; `coordination::merge`
//! does. Start with [`store::list()`] and [`transcript::reading`].

#![warn(missing_docs)]

pub mod store;
pub mod transcript;
