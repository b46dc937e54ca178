//! What the agents' sessions said to each other, followed as it is written: transcripts of both eras, registries of
//! spawned children and jobs of talks under way.
//!
//! Nothing is read twice: of a file only the bytes behind those that were read and 512 of those (to know the file
//! again), of a database only the rows behind them, and only where something changed. What it all means is
//! `coordination::transcript::talk`'s and `coordination::merge`'s.

mod jobs;
mod reader;
mod thread;

#[cfg(test)]
mod tests;

use coordination::api::{StoreInfoRow, TranscriptReading, Unreadable};
use coordination::merge::Talk;

pub use reader::Reader;
pub(crate) use thread::{Gate, spawn};

/// What one look found.
#[derive(Debug)]
pub struct TranscriptUpdate {
    /// Everything that was said, when it differs from what was told before.
    pub talk: Option<Talk>,
    /// How often what the stores and their transcripts hold changed.
    pub revision: u64,
    /// Where sessions are kept, and how each place stands.
    pub stores: Vec<StoreInfoRow>,
    /// How far reading is.
    pub reading: TranscriptReading,
    /// What could not be read.
    pub unreadable: Vec<Unreadable>,
}
