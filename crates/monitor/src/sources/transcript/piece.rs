//! Type `OpenedTranscript`: an open transcript (a file, an unpacked archive or a database blob) with bounded reads from
//! its beginning, its end and an offset.

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use crate::fs::sandbox::{Dir, FileMeta};

use super::packed;

/// An opened transcript. Its size is that of the moment of opening: later bytes are not read.
#[derive(Debug)]
pub struct OpenedTranscript {
    bytes: Bytes,
    /// State of the file when it was opened.
    seen: FileMeta,
    /// Number of bytes read so far.
    read: Cell<u64>,
}

#[derive(Debug)]
enum Bytes {
    File(File),
    /// A packed archive, unpacked.
    Unpacked(Vec<u8>),
}

impl OpenedTranscript {
    /// Opens a transcript of a folder. One that is packed is unpacked here, as a whole.
    ///
    /// # Errors
    /// When it is missing, no regular file, a link, may not be read, or is a broken or too large archive.
    pub fn open(folder: &Dir, name: &str) -> io::Result<Self> {
        // Packed or not by its name, as everywhere: a transcript may end in any letters.
        let packed = coordination::transcript::archive(name).is_some_and(|archive| archive.packed);
        Self::open_as(folder, name, packed)
    }

    /// The same of a file whose name does not show whether it is packed.
    ///
    /// # Errors
    /// As [`OpenedTranscript::open`].
    pub fn open_as(folder: &Dir, name: &str, packed: bool) -> io::Result<Self> {
        let (file, seen) = folder.open(name)?;
        let read = Cell::new(if packed { seen.size } else { 0 });
        let bytes = if packed { Bytes::Unpacked(packed::unpack(file)?) } else { Bytes::File(file) };
        Ok(Self { bytes, seen, read })
    }

    /// A transcript that a database holds as one blob; `seen` is the database.
    ///
    /// # Errors
    /// When it is a broken or too large archive.
    pub fn of_blob(blob: Vec<u8>, packed: bool, seen: FileMeta) -> io::Result<Self> {
        let read = Cell::new(blob.len() as u64);
        let bytes = if packed { packed::within(blob.as_slice(), packed::UNPACKED_LIMIT)? } else { blob };
        Ok(Self { bytes: Bytes::Unpacked(bytes), seen, read })
    }

    /// Metadata of the opened file.
    #[must_use]
    pub fn seen(&self) -> FileMeta {
        self.seen
    }

    /// Bytes of its lines.
    #[must_use]
    pub fn size(&self) -> u64 {
        match &self.bytes {
            Bytes::File(_) => self.seen.size,
            Bytes::Unpacked(bytes) => bytes.len() as u64,
        }
    }

    /// How many bytes were read of the file so far.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.read.get()
    }

    /// The first `limit` bytes, or all.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn head(&self, limit: usize) -> io::Result<Vec<u8>> {
        self.piece(0, limit)
    }

    /// The last `limit` bytes, or all, and whether that is where the file begins.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn tail(&self, limit: usize) -> io::Result<(Vec<u8>, bool)> {
        let from = self.size().saturating_sub(limit as u64);
        Ok((self.piece(from, limit)?, from == 0))
    }

    /// At most `limit` bytes from an offset on. A file that was cut off meanwhile gives fewer.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn piece(&self, from: u64, limit: usize) -> io::Result<Vec<u8>> {
        let left = usize::try_from(self.size().saturating_sub(from)).unwrap_or(usize::MAX);
        let length = left.min(limit);
        let file = match &self.bytes {
            Bytes::File(file) => file,
            Bytes::Unpacked(bytes) => {
                let from = usize::try_from(from).unwrap_or(usize::MAX).min(bytes.len());
                return Ok(bytes[from..from + length].to_vec());
            }
        };
        let mut bytes = vec![0; length];
        let mut filled = 0;
        while filled < length {
            match file.read_at(&mut bytes[filled..], from + filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        bytes.truncate(filled);
        self.read.set(self.read.get() + filled as u64);
        Ok(bytes)
    }
}
