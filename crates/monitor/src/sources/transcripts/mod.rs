//! Follower of all transcripts of a home: both eras, registries of spawned children and running jobs.
//!
//! Nothing is read twice: of a file only new bytes and the 512 before them (to recognise the file), of a database only
//! new rows, and only where something changed. `coordination::transcript::talk` and `coordination::merge` interpret it.

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
