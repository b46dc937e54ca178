//! Follower of OpenClaw's transcripts (files and databases) and of its job files (one file for each request between
//! agents). `coordination::transcript::exchanges` and `coordination::merge` interpret what it reads.
//!
//! Only changed sources are read: of a database the new rows, of a file the new bytes. The follower also compares the
//! first and the last 256 bytes of what it has read of a file, to detect that the file was replaced.
//!
//! In a fleet, [`TranscriptFeed`] makes files of the updates, which are published, and a mirrored home is read from these.

mod feed;
mod jobs;
mod mirrored;
mod published;
mod reader;
mod thread;

#[cfg(test)]
mod tests;

use coordination::api::{StoreInfoRow, TranscriptReading, Unreadable};
use coordination::merge::TranscriptExchanges;
use coordination::store::PersonRequests;

pub(crate) use feed::{FeedFile, TranscriptFeed};
pub(crate) use published::{is_part_path, is_published_path};
pub use reader::TranscriptReader;
pub(crate) use thread::{TranscriptGate, spawn};

/// Result of one look.
#[derive(Debug, Clone)]
pub struct TranscriptUpdate {
    /// All exchanges, when they differ from the last update.
    pub talk: Option<TranscriptExchanges>,
    /// True once everything that was there was read: `talk` is then whole.
    pub complete: bool,
    /// How often the content of stores and transcripts changed.
    pub revision: u64,
    /// Where sessions are stored, with the status of each place.
    pub stores: Vec<StoreInfoRow>,
    /// What the stores ask of a person.
    pub requests: PersonRequests,
    /// How far reading is.
    pub reading: TranscriptReading,
    /// Unreadable stores and transcripts.
    pub unreadable: Vec<Unreadable>,
}
