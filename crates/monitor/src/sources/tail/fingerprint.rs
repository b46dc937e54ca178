//! Content fingerprint of a followed log file: the first and the last 4 KiB of the part that has been read. With it,
//! the log follower detects overwritten files and recognises moved or copied ones. Also holds functions that read and
//! compare bytes of files.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use coordination::event::FIRST_LINE_BYTES;
use serde::{Deserialize, Serialize};

/// Bytes remembered from the start of the file and from just before the position.
pub(super) const FINGERPRINT_BYTES: usize = FIRST_LINE_BYTES;

/// Fingerprint of the read part of a file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct ContentFingerprint {
    /// First bytes, at most [`FINGERPRINT_BYTES`].
    head: Vec<u8>,
    /// Last bytes before `end`, at most [`FINGERPRINT_BYTES`].
    foot: Vec<u8>,
    /// Offset after the last byte that it covers.
    end: u64,
}

impl ContentFingerprint {
    /// The file's first bytes as far as they are remembered; `next` when nothing was read before it.
    pub(super) fn start_or<'a>(&'a self, next: &'a [u8]) -> &'a [u8] {
        if self.end == 0 { next } else { &self.head }
    }

    /// Bytes covered, from the start of the file.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Continues over the bytes that follow.
    pub(super) fn advance(&mut self, bytes: &[u8]) {
        if self.end == self.head.len() as u64 {
            let missing = FINGERPRINT_BYTES - self.head.len();
            self.head.extend_from_slice(&bytes[..bytes.len().min(missing)]);
        }
        if bytes.len() >= FINGERPRINT_BYTES {
            self.foot.clear();
        }
        self.foot.extend_from_slice(&bytes[bytes.len().saturating_sub(FINGERPRINT_BYTES)..]);
        let excess = self.foot.len().saturating_sub(FINGERPRINT_BYTES);
        self.foot.drain(..excess);
        self.end += bytes.len() as u64;
    }

    /// True when `file` still holds these bytes.
    pub(super) fn holds(&self, file: &File) -> io::Result<bool> {
        let foot_at = self.end - self.foot.len() as u64;
        // In a small file the foot is the head, or overlaps it.
        let head_only = self.end == self.head.len() as u64;
        Ok(matches_at(file, 0, &self.head)? && (head_only || matches_at(file, foot_at, &self.foot)?))
    }

    /// True when a file that begins with `start` begins as this one does, as far as both are known.
    pub(super) fn begins_like(&self, start: &[u8]) -> bool {
        let known = self.head.len().min(start.len());
        known > 0 && self.head[..known] == start[..known]
    }
}

fn matches_at(file: &File, at: u64, expected: &[u8]) -> io::Result<bool> {
    let mut found = [0; FINGERPRINT_BYTES];
    let found = &mut found[..expected.len()];
    match file.read_exact_at(found, at) {
        Ok(()) => Ok(found == expected),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// Reads up to `want` bytes at `at`; fewer only at the end of the file.
pub(super) fn fill(file: &File, at: u64, want: usize, buffer: &mut Vec<u8>) -> io::Result<usize> {
    if buffer.len() < want {
        buffer.resize(want, 0);
    }
    let mut filled = 0;
    while filled < want {
        match file.read_at(&mut buffer[filled..want], at + filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// True when both files hold the same first `size` bytes.
pub(super) fn equal_bytes(one: &File, other: &File, size: u64) -> io::Result<bool> {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < size {
        let want = usize::try_from(size - at).unwrap_or(usize::MAX).min(64 * 1024);
        if fill(one, at, want, &mut left)? != want || fill(other, at, want, &mut right)? != want {
            return Ok(false);
        }
        if left[..want] != right[..want] {
            return Ok(false);
        }
        at += want as u64;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::ContentFingerprint;

    #[test]
    fn files_begin_alike_only_where_both_are_known() {
        let mut read = ContentFingerprint::default();
        assert!(!read.begins_like(b"ab"), "nothing was read of it");
        read.advance(b"abc");
        assert!(read.begins_like(b"ab") && read.begins_like(b"abcd"));
        assert!(!read.begins_like(b"ax") && !read.begins_like(b""));
    }
}
