//! Transcripts that wait for their turn. A home has thousands: they are opened one after the other, and those of an
//! archive are unpacked one after the other, so that memory never holds the bytes of more than one.

use std::cell::RefCell;
use std::io::{self, BufReader, Cursor, Read as _, Seek as _};
use std::rc::Rc;

use zip::ZipArchive;

use super::{OpenInput, ReadSeek, magic, plain_path, too_large, unpack};

/// An archive whose files are unpacked later.
pub(super) type SharedArchive = Rc<RefCell<ZipArchive<BufReader<Box<dyn ReadSeek>>>>>;

/// Bytes by which a transcript says whose it is: its header is its first line.
const HEADER_BYTES: u64 = 4 * 1024;

/// A transcript that is not open yet.
pub(crate) struct WaitingInput {
    /// Its path as it is stored.
    stored: String,
    /// Its size; in an archive, after unpacking.
    pub(crate) size: u64,
    bytes: WaitingBytes,
}

/// Where its bytes are.
enum WaitingBytes {
    File(Box<dyn ReadSeek>),
    /// A file of an archive, by its number.
    Entry(SharedArchive, usize),
}

impl WaitingInput {
    pub(super) fn of_file(stored: String, size: u64, bytes: Box<dyn ReadSeek>) -> Self {
        Self { stored, size, bytes: WaitingBytes::File(bytes) }
    }

    pub(super) fn of_entry(stored: String, size: u64, archive: SharedArchive, index: usize) -> Self {
        Self { stored, size, bytes: WaitingBytes::Entry(archive, index) }
    }

    /// Its path without the ending of a compression.
    pub(crate) fn path(&self) -> &str {
        plain_path(&self.stored)
    }

    /// Its first bytes as they are stored; none when they cannot be read.
    pub(crate) fn head(&mut self) -> Vec<u8> {
        let mut head = Vec::new();
        let read = match &mut self.bytes {
            WaitingBytes::File(bytes) => {
                let read = bytes.rewind().and_then(|()| bytes.take(HEADER_BYTES).read_to_end(&mut head));
                read.and_then(|_| bytes.rewind())
            }
            WaitingBytes::Entry(archive, index) => {
                let mut archive = archive.borrow_mut();
                let entry = archive.by_index(*index).map_err(io::Error::from);
                entry.and_then(|entry| entry.take(HEADER_BYTES).read_to_end(&mut head)).map(drop)
            }
        };
        read.map_or_else(|_| Vec::new(), |()| head)
    }

    /// Opens it. Of an archive it may have at most `budget` bytes.
    pub(crate) fn open(self, budget: u64) -> io::Result<OpenInput> {
        let mut bytes: Box<dyn ReadSeek> = match self.bytes {
            WaitingBytes::File(bytes) => bytes,
            WaitingBytes::Entry(archive, index) => {
                let mut content = Vec::new();
                archive.borrow_mut().by_index(index)?.take(budget + 1).read_to_end(&mut content)?;
                if content.len() as u64 > budget {
                    return Err(too_large());
                }
                Box::new(Cursor::new(content))
            }
        };
        let (encoding, size) = magic(&mut bytes)?;
        unpack(&self.stored, bytes, encoding, size)
    }
}

impl std::fmt::Debug for WaitingInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WaitingInput").field("stored", &self.stored).finish_non_exhaustive()
    }
}
