//! Follower of all transcripts of a home: both eras, registries of spawned children and running jobs.
//!
//! Nothing is read twice: of a file only new bytes and the 512 before them (to recognise the file), of a database only
//! new rows, and only where something changed. `coordination::transcript::exchanges` and
//! `coordination::merge` interpret it.

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
    /// How often the content of stores and transcripts changed.
    pub revision: u64,
    /// Where sessions are stored, with the status of each place.
    pub stores: Vec<StoreInfoRow>,
    /// How far reading is.
    pub reading: TranscriptReading,
    /// Unreadable stores and transcripts.
    pub unreadable: Vec<Unreadable>,
}
