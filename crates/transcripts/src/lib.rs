//! OpenClaw's session stores and transcripts as values: which sessions a store holds, what a transcript says, and which
//! messages went between agents.
//!
//! It reads no file and no database (the monitor does) and does not join transcripts with the log (`coordination::merge`
//! does). Start with [`store::list()`] and [`transcript::reading`].

#![warn(missing_docs)]

pub mod store;
pub mod transcript;
