//! Incremental reader of a transcript file. It reads the complete lines after its last position. A replaced or
//! rewritten file is read again from its beginning.

use std::io;

use coordination::transcript::{BlockReader, MAX_LINE_BYTES, TranscriptEntry};

use crate::fs::sandbox::Dir;

use super::OpenedTranscript;

/// Bytes of one read.
const READ_CHUNK_BYTES: usize = 1 << 20;

/// Bytes of each end of the read part that are stored, to recognise it: a header, and the names in a last line.
const END_BYTES: usize = 256;

/// Read position in a transcript file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Follow {
    /// Device and inode of the file.
    identity: Option<(u64, u64)>,
    /// The lines that were read.
    blocks: BlockReader,
    /// Proves that the read bytes are unchanged.
    sign: TranscriptSignature,
}

/// Distinguishes a file that grew from one that was rewritten under the same name and inode.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct TranscriptSignature {
    /// Size and time of change at the last look.
    state: Option<(u64, (i64, i64))>,
    /// The first bytes.
    head: Vec<u8>,
    /// The last ones that were read.
    tail: Vec<u8>,
}

impl TranscriptSignature {
    fn note(&mut self, piece: &[u8]) {
        let missing = END_BYTES - self.head.len();
        self.head.extend_from_slice(&piece[..piece.len().min(missing)]);
        self.tail.extend_from_slice(&piece[piece.len().saturating_sub(END_BYTES)..]);
        self.tail.drain(..self.tail.len().saturating_sub(END_BYTES));
        self.tail.shrink_to_fit();
    }

    /// Whether the read bytes are unchanged, by their two ends: 512 bytes, and only of a file that changed. A file that
    /// changed and did not grow was not appended to.
    fn holds(&self, opened: &OpenedTranscript, read_to: u64) -> io::Result<bool> {
        let Some((size, modified)) = self.state else { return Ok(true) };
        let now = opened.seen().modified;
        if opened.size() == size {
            return Ok(now == modified);
        }
        let tail = opened.piece(read_to.saturating_sub(self.tail.len() as u64), self.tail.len())?;
        Ok(tail == self.tail && opened.piece(0, self.head.len())? == self.head)
    }
}

/// Result of one look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowLook {
    /// It continues at its last position.
    Continued,
    /// It is another file, shorter, or was rewritten: the earlier entries are void, and this look began at its start.
    Restarted,
}

impl Follow {
    /// Bytes of it that were read.
    #[must_use]
    pub fn read_to(&self) -> u64 {
        self.blocks.position()
    }

    /// Number of lines that were no entries.
    #[must_use]
    pub fn bad(&self) -> usize {
        self.blocks.bad()
    }

    /// Reads the complete lines that are new, at most `budget` bytes of them, and hands them over in order. A line that
    /// is still being written stays for the next look. `begun` is called first; it learns whether this is the file of the
    /// look before.
    ///
    /// # Errors
    /// When it is missing or may not be read; entries handed over stay read.
    pub fn look(
        &mut self,
        folder: &Dir,
        name: &str,
        budget: u64,
        mut begun: impl FnMut(FollowLook),
        mut each: impl FnMut(&TranscriptEntry),
    ) -> io::Result<bool> {
        let opened = OpenedTranscript::open(folder, name)?;
        let identity = opened.seen().identity;
        let known = self.identity == Some(identity) && opened.size() >= self.read_to();
        let same = known && self.sign.holds(&opened, self.read_to())?;
        begun(if same { FollowLook::Continued } else { FollowLook::Restarted });
        if !same {
            *self = Self { identity: Some(identity), ..Self::default() };
        }
        self.sign.state = Some((opened.size(), opened.seen().modified));
        let until = self.read_to().saturating_add(budget);
        let mut size = READ_CHUNK_BYTES;
        while self.read_to() < until {
            let piece = opened.piece(self.read_to(), size)?;
            let Some(end) = piece.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1) else {
                if piece.len() < size {
                    return Ok(true);
                }
                if self.blocks.is_skipping() || size > MAX_LINE_BYTES {
                    self.blocks.skip(&piece);
                    self.sign.note(&piece);
                    size = READ_CHUNK_BYTES;
                } else {
                    size = size.saturating_mul(4);
                }
                continue;
            };
            self.blocks.take(&piece[..end], &mut each);
            self.sign.note(&piece[..end]);
            size = READ_CHUNK_BYTES;
        }
        Ok(self.read_to() >= opened.size())
    }
}
