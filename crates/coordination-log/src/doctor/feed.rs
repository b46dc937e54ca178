//! Line splitter for the event doctor, which checks log lines for damage. It accepts the bytes of one file in chunks of
//! any size.

use super::{Doctor, FileId};
use crate::event::{LineErrorReason, MAX_LINE_BYTES, read_lines};

/// Splits chunks into lines. Stores at most one unfinished line of the longest allowed size.
#[derive(Debug)]
pub struct Feed {
    /// The file that the bytes belong to.
    file: FileId,
    /// Byte offset in the file of the first byte of `rest`.
    offset: u64,
    /// Bytes after the last newline.
    rest: Vec<u8>,
    /// Inside a line that is too long, up to its end.
    skipping: bool,
}

impl Feed {
    /// From the start of a file.
    #[must_use]
    pub fn new(file: FileId) -> Self {
        Self { file, offset: 0, rest: Vec::new(), skipping: false }
    }

    /// The next bytes of the file; `now` as for [`Doctor::event`].
    pub fn push(&mut self, doctor: &mut Doctor, mut bytes: &[u8], now: i64) {
        if self.skipping {
            let end = bytes.iter().position(|byte| *byte == b'\n').map(|end| end + 1);
            self.offset += end.unwrap_or(bytes.len()) as u64;
            bytes = &bytes[end.unwrap_or(bytes.len())..];
            self.skipping = end.is_none();
        }
        // Only the new bytes are searched: the stored ones contain no newline.
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map(|end| self.rest.len() + end + 1);
        self.rest.extend_from_slice(bytes);
        if let Some(end) = end {
            self.lines(doctor, end, now);
        }
        if self.rest.len() > MAX_LINE_BYTES {
            let start = String::from_utf8_lossy(&self.rest[..1024]);
            doctor.bad_line(self.file, self.offset, LineErrorReason::TooLong.as_str(), &start);
            self.offset += self.rest.len() as u64;
            self.rest = Vec::new();
            self.skipping = true;
        }
    }

    /// The file ends here.
    pub fn finish(self, doctor: &mut Doctor) {
        let blank = self.rest.iter().all(u8::is_ascii_whitespace);
        if !blank {
            let start = &self.rest[..self.rest.len().min(1024)];
            doctor.torn(self.file, self.offset, self.rest.len() as u64, start);
        }
    }

    fn lines(&mut self, doctor: &mut Doctor, end: usize, now: i64) {
        let lines = read_lines(&self.rest[..end], "", self.offset);
        for event in &lines.events {
            doctor.event(self.file, event, now);
        }
        for error in &lines.errors {
            doctor.bad_line(self.file, error.offset, error.reason.as_str(), &error.sample);
        }
        for quirk in lines.quirks {
            doctor.quirk(self.file, quirk);
        }
        self.offset += end as u64;
        self.rest.drain(..end);
    }
}
