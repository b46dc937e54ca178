//! Follower of OpenClaw's transcripts (files and databases) and of its job files (one file for each request between
//! agents). `coordination::transcript::exchanges` and `coordination::merge` interpret what it reads. Which session
//! spawned another one is read from the session stores (`sources::store`).
//!
//! Only changed sources are read. Of a database, the follower reads new rows. Of a file, it reads new bytes. To
//! recognise the file, it also compares the first and last 256 bytes of the part that was read before.

mod jobs;
mod reader;
mod thread;

#[cfg(test)]
mod tests;

use coordination::api::{StoreInfoRow, TranscriptReading, Unreadable};
use coordination::merge::TranscriptExchanges;

pub use reader::TranscriptReader;
pub(crate) use thread::{TranscriptGate, spawn};

/// Result of one look.
#[derive(Debug)]
pub struct TranscriptUpdate {
    /// All exchanges, when they differ from the last update.
    pub talk: Option<TranscriptExchanges>,
    /// True once everything that was there was read: `talk` is then whole.
    pub complete: bool,
    /// How often the content of stores and transcripts changed.
    pub revision: u64,
    /// Where sessions are stored, with the status of each place.
    pub stores: Vec<StoreInfoRow>,
    /// How far reading is.
    pub reading: TranscriptReading,
    /// Unreadable stores and transcripts.
    pub unreadable: Vec<Unreadable>,
}
