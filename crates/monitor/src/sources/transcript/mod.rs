//! Readers of transcript files in a sessions folder (`contract/sessions.md` §3, §5, §7): list of the files, title, last
//! message, preview and history. `coordination::transcript` parses the bytes.
//!
//! Reads are bounded: 8 KiB for a title, 16 KiB for the last message, 1,344 KiB for a preview, and steps of up to 32
//! MiB for a history. Compressed archives are always read as a whole. [`Follow`] reads a file once from its beginning
//! and later only what was appended.

mod brief;
mod follow;
mod packed;
mod piece;

#[cfg(test)]
mod tests;

use std::io;

use coordination::transcript::{self as core, FoundTranscript, PREVIEW_READS, PreviewItem, TranscriptEntry};

use crate::fs::sandbox::Dir;

pub use brief::{Briefs, MAX_BRIEFS, TranscriptBrief};
pub use follow::{Follow, FollowLook};
pub use packed::UNPACKED_LIMIT;
pub use piece::OpenedTranscript;

/// Bytes that a history is looked for in, one read after the other. A line may be as long as the last of them.
pub const HISTORY_READS: [usize; 4] = [256 * 1024, 2 << 20, 8 << 20, core::MAX_LINE_BYTES];

/// The transcripts of a folder, by name. Other files are skipped: stores, locks, checkpoints.
///
/// # Errors
/// When the folder may not be listed.
pub fn transcripts(folder: &Dir) -> io::Result<Vec<FoundTranscript>> {
    let names = folder.names()?;
    Ok(names.iter().filter_map(|name| FoundTranscript::from_name(name)).collect())
}

/// The last messages of a transcript: read in growing pieces until there are some.
///
/// # Errors
/// When it is missing or may not be read.
pub fn preview(folder: &Dir, name: &str, limit: usize, max_chars: usize) -> io::Result<Vec<PreviewItem>> {
    OpenedTranscript::open(folder, name)?.preview(limit, max_chars)
}

/// The last entries of a transcript.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecentEntries {
    /// In the order of the file.
    pub entries: Vec<TranscriptEntry>,
    /// The first of them is the first of the file.
    pub complete: bool,
    /// Lines among them that are no entries.
    pub bad: usize,
}

/// At least the last `messages` messages of a transcript, with all entries between them, as far as
/// [`HISTORY_READS`] go; nothing from before the last reset is looked for.
///
/// # Errors
/// When it is missing or may not be read.
pub fn recent(folder: &Dir, name: &str, messages: usize) -> io::Result<RecentEntries> {
    OpenedTranscript::open(folder, name)?.recent(messages)
}

impl OpenedTranscript {
    /// See [`preview`].
    ///
    /// # Errors
    /// When it may not be read.
    pub fn preview(&self, limit: usize, max_chars: usize) -> io::Result<Vec<PreviewItem>> {
        for size in PREVIEW_READS {
            let (bytes, begins) = self.tail(size)?;
            if let Some(items) = core::items(&bytes, begins, limit, max_chars) {
                return Ok(items);
            }
            if begins {
                break;
            }
        }
        Ok(Vec::new())
    }

    /// See [`recent`].
    ///
    /// # Errors
    /// When it may not be read.
    pub fn recent(&self, messages: usize) -> io::Result<RecentEntries> {
        self.recent_until(messages, None)
    }

    /// The same for the lines before the one at `before`, and that line, which names its parent.
    ///
    /// # Errors
    /// When it may not be read.
    pub fn recent_until(&self, messages: usize, before: Option<u64>) -> io::Result<RecentEntries> {
        let end = match before {
            Some(place) => self.line_end(place)?,
            None => self.size(),
        };
        let mut found = RecentEntries::default();
        for size in HISTORY_READS {
            let base = end.saturating_sub(size as u64);
            let complete = base == 0;
            let bytes = self.piece(base, usize::try_from(end - base).unwrap_or(size))?;
            let read = core::lines(&bytes, base);
            found = RecentEntries { entries: read.entries, complete, bad: read.bad };
            let mut in_range = found.entries.iter().filter(|entry| before.is_none_or(|place| entry.place < place));
            let message_count = in_range.clone().filter(|entry| entry.kind == core::EntryKind::Message).count();
            if complete || message_count >= messages || in_range.any(|entry| entry.kind == core::EntryKind::Reset) {
                break;
            }
        }
        Ok(found)
    }

    /// Where the line that begins at `place` ends. One that is longer than a line may be ends where it begins: it is
    /// not an entry.
    fn line_end(&self, place: u64) -> io::Result<u64> {
        let mut from = place.min(self.size());
        while from < self.size() && from - place < core::MAX_LINE_BYTES as u64 {
            let bytes = self.piece(from, HISTORY_READS[0])?;
            match bytes.iter().position(|byte| *byte == b'\n') {
                Some(at) => return Ok(from + at as u64 + 1),
                None if bytes.is_empty() => break,
                None => from += bytes.len() as u64,
            }
        }
        Ok(if from == self.size() { from } else { place })
    }
}
