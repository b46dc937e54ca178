//! Reader of a transcript file block by block. A block is a run of complete lines; the caller cuts the file into blocks.

use super::{TranscriptEntry, lines};

/// Position in a transcript, and what was wrong with the lines before it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BlockReader {
    /// Offset after the last block.
    position: u64,
    /// The position is inside a line that is too long.
    skipping: bool,
    /// Number of lines that were no entries.
    bad: usize,
}

impl BlockReader {
    /// Bytes that were read.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Whether the position is inside a line that is too long.
    #[must_use]
    pub fn is_skipping(&self) -> bool {
        self.skipping
    }

    /// Number of lines that were no entries.
    #[must_use]
    pub fn bad(&self) -> usize {
        self.bad
    }

    /// Takes the next block and hands its entries over in order. Its last line is complete.
    pub fn take(&mut self, block: &[u8], each: impl FnMut(&TranscriptEntry)) {
        let mut from = 0;
        if self.skipping {
            from = block.iter().position(|byte| *byte == b'\n').map_or(block.len(), |at| at + 1);
            self.bad += 1;
            self.skipping = false;
        }
        let base = self.position + from as u64;
        let read = lines(&block[from..], base);
        // A block begins a line, so that its first line is never half of one.
        let first = block[from..].split(|byte| *byte == b'\n').next().unwrap_or_default();
        let first_read = read.entries.first().is_some_and(|entry| entry.place == base);
        let first_bad = base > 0 && !first_read && !first.iter().all(u8::is_ascii_whitespace);
        self.bad += read.bad + usize::from(first_bad);
        read.entries.iter().for_each(each);
        self.position += block.len() as u64;
    }

    /// Passes over a piece of a line that is too long. The line ends in a later block, and counts as bad there.
    pub fn skip(&mut self, piece: &[u8]) {
        self.position += piece.len() as u64;
        self.skipping = true;
    }
}
