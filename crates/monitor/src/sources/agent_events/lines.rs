//! Reader of complete lines from a growing file: the journal of coding agents' events or the drop file. A position
//! contains a digest of the file's first 256 bytes and of the 64 bytes before the position. After a restart, reading
//! continues there only if the digest still matches.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::FileExt as _;

use coordination::digest::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Bytes at the beginning of a file that identify it.
const HEAD_BYTES: u64 = 256;
/// Bytes before a position that must be unchanged.
const TAIL_BYTES: u64 = 64;

/// How far a file was read: just after a line's end. It holds as long as the bytes before it are the same.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FilePosition {
    /// Bytes from the beginning.
    pub(super) to: u64,
    /// Digest of the first bytes and of those just before the place, in hexadecimal letters; empty at the beginning.
    mark: String,
}

impl FilePosition {
    /// The place behind so many bytes of a file.
    pub(super) fn read_at(file: &File, to: u64) -> io::Result<Self> {
        Ok(Self { to, mark: mark(file, to)? })
    }

    /// True when this file has the same bytes before the place.
    pub(super) fn is_in(&self, file: &File, size: u64) -> io::Result<bool> {
        Ok(self.to <= size && mark(file, self.to)? == self.mark)
    }
}

fn mark(file: &File, to: u64) -> io::Result<String> {
    if to == 0 {
        return Ok(String::new());
    }
    let mut bytes = [0; (HEAD_BYTES + TAIL_BYTES) as usize];
    let head = to.min(HEAD_BYTES) as usize;
    let tail = to.min(TAIL_BYTES) as usize;
    file.read_exact_at(&mut bytes[..head], 0)?;
    file.read_exact_at(&mut bytes[head..head + tail], to - tail as u64)?;
    Ok(hex(&Sha256::digest(&bytes[..head + tail])[..8]))
}

/// What is between two positions.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ScannedLine<'a> {
    /// A line without its end.
    Whole(&'a [u8]),
    /// One that is longer than allowed; it was passed over.
    TooLong,
}

/// Where a reading stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stopped {
    /// Just after the last line's end.
    pub(super) to: u64,
    /// There may be more whole lines.
    pub(super) more: bool,
    /// An unfinished line follows.
    pub(super) torn: bool,
}

/// Reads whole lines from a place on, `most` bytes and one line at most. `each` also gets where its line ends.
pub(super) fn read(
    file: &File,
    from: u64,
    (longest, most): (usize, u64),
    each: &mut dyn FnMut(ScannedLine<'_>, u64),
) -> io::Result<Stopped> {
    let mut reader = BufReader::with_capacity(128 * 1024, file);
    reader.seek(SeekFrom::Start(from))?;
    let mut line = Vec::new();
    let mut to = from;
    loop {
        if to - from >= most {
            return Ok(Stopped { to, more: true, torn: false });
        }
        line.clear();
        let read = (&mut reader).take(longest as u64 + 1).read_until(b'\n', &mut line)? as u64;
        if line.last() == Some(&b'\n') {
            to += read;
            line.pop();
            each(ScannedLine::Whole(&line), to);
        } else if line.len() > longest
            && let Some(rest) = past_newline(&mut reader)?
        {
            to += read + rest;
            each(ScannedLine::TooLong, to);
        } else {
            return Ok(Stopped { to, more: false, torn: read > 0 });
        }
    }
}

/// Bytes up to the next line's end, if there is one.
fn past_newline(reader: &mut BufReader<&File>) -> io::Result<Option<u64>> {
    let mut passed = 0;
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let (found, used) = match bytes.iter().position(|byte| *byte == b'\n') {
            Some(at) => (true, at + 1),
            None => (false, bytes.len()),
        };
        reader.consume(used);
        passed += used as u64;
        if found {
            return Ok(Some(passed));
        }
    }
}
