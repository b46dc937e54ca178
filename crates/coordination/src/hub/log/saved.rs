//! Saved form of the event log: [`SavedLog`], which [`Log`] is serialised as and read from.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Log;
use crate::hub::number_set::NumberSet;
use crate::hub::packed::Packed;
use crate::hub::sampled_packing::SampledPacking;

/// A [`Log`] as it is saved: columns, packed blocks, and the lines of the events that are not packed.
#[derive(Debug, Deserialize)]
pub(super) struct SavedLog {
    #[serde(with = "crate::hub::saved::column")]
    at: Vec<i64>,
    #[serde(with = "crate::hub::saved::column")]
    offsets: Vec<u64>,
    file_starts: Vec<(u32, u32)>,
    files: Vec<Arc<str>>,
    packed: Vec<Packed>,
    #[serde(with = "serde_bytes")]
    samples: Vec<u8>,
    withdrawn: NumberSet,
    /// Lines after the packed ones.
    lines: Vec<Box<str>>,
}

/// The same, borrowed.
#[derive(Debug, Serialize)]
struct SavedLogRef<'a> {
    #[serde(with = "crate::hub::saved::column")]
    at: &'a [i64],
    #[serde(with = "crate::hub::saved::column")]
    offsets: &'a [u64],
    file_starts: &'a [(u32, u32)],
    files: &'a [Arc<str>],
    packed: &'a [Packed],
    #[serde(with = "serde_bytes")]
    samples: Vec<u8>,
    withdrawn: &'a NumberSet,
    lines: Vec<&'a str>,
}

impl Serialize for Log {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { at, offsets, file_starts, files, packed, withdrawn, .. } = self;
        let lines = self.uncompressed.iter().map(|event| &*event.raw).collect();
        let samples = self.packing.as_ref().map(SampledPacking::samples).unwrap_or_default();
        SavedLogRef { at, offsets, file_starts, files, packed, samples, withdrawn, lines }.serialize(serializer)
    }
}

impl From<SavedLog> for Log {
    fn from(saved: SavedLog) -> Self {
        let SavedLog { at, offsets, file_starts, files, packed, samples, withdrawn, lines } = saved;
        let numbers = (0..).zip(&files).map(|(number, file)| (Arc::clone(file), number)).collect();
        let mut log = Self {
            at,
            offsets,
            file_starts,
            files,
            numbers,
            packed,
            saved_samples: samples,
            withdrawn,
            ..Self::default()
        };
        let first = log.len().saturating_sub(lines.len());
        let read = |(index, line): (usize, Box<str>)| log.reparse(crate::hub::count(index), &line);
        log.uncompressed = (first..).zip(lines).map(read).collect();
        log
    }
}

impl Log {
    /// Whether columns, blocks and lines are of the same events, as in every log that was saved.
    pub(in crate::hub) fn is_whole(&self) -> bool {
        let mut next = 0;
        let in_order = self.packed.iter().all(|block| {
            let follows = block.first() == next;
            next += crate::hub::count(block.len());
            follows
        });
        in_order && self.offsets.len() == self.len() && self.first_loose() == next
    }
}
