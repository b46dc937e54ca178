//! Block of complete, unparsed lines of one file. Blocks are found quickly and in sequence. Parsing is slow, but
//! blocks do not depend on each other, so worker threads can parse them.

use coordination::api::BadLine;
use coordination::doctor::Signs;
use coordination::event::{ParsedLines, read_lines};

use super::Chunk;

/// Consecutive lines of a file.
#[derive(Debug)]
pub struct LineBlock {
    /// Names the file in event ids.
    pub(super) token: String,
    /// Current name of the file.
    pub(super) name: String,
    /// Position of the first byte in the file.
    pub(super) offset: u64,
    /// The lines with their line ends; of a line that is too long, its last bytes.
    pub(super) bytes: Vec<u8>,
    /// Lines that are not read because they are too long.
    pub(super) bad: Vec<BadLine>,
    /// `bytes` are the end of a line that was reported as too long: events in it count, its other faults are not
    /// reported again.
    pub(super) of_long_line: bool,
    /// When it was found, in epoch milliseconds.
    pub(super) now: i64,
}

impl LineBlock {
    /// Parses the lines; runs on a worker, or on the writer when no worker began it.
    #[must_use]
    pub fn parse(&self) -> Chunk {
        let ParsedLines { events, mut errors, mut quirks } = read_lines(&self.bytes, &self.token, self.offset);
        if self.of_long_line {
            errors.clear();
            if events.is_empty() {
                quirks.clear();
            }
        }
        let bad_lines = errors.into_iter().map(|error| BadLine {
            file: self.name.clone(),
            offset: error.offset,
            reason: error.reason.as_str().to_owned(),
            sample: error.sample,
        });
        Chunk {
            token: self.token.clone(),
            name: self.name.clone(),
            signs: events.iter().map(|event| Signs::new(event, self.now)).collect(),
            bad: self.bad.iter().cloned().chain(bad_lines).collect(),
            events,
            quirks,
        }
    }
}
