//! Follower of the drop file `logs/hook-events.ndjson`, where hooks write events that they cannot post. It reads the
//! lines that hooks append. A truncated or replaced file is read from its beginning.
//!
//! The monitor never truncates the file, because hooks append at any moment and their lines could be lost. A file that
//! was read is renamed instead ([`super::rotated_drop_file`]).

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};

use super::lines::{self, FilePosition, ScannedLine, Stopped};
use crate::fs::sandbox::FileMeta;
use crate::home::HomeDir;

/// Longest line, as the longest body of a request.
const MAX_DROP_LINE_BYTES: usize = 1 << 20;
/// Bytes that are taken in together: posts wait no longer than these take.
const READ_STEP_BYTES: u64 = 1 << 20;

/// The content of one line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Dropped {
    /// The line; none when it is too long to be one.
    pub(super) line: Option<Vec<u8>>,
    /// Where it ends.
    pub(super) place: FilePosition,
}

/// The drop file as far as it was taken in.
#[derive(Debug)]
pub(super) struct DropFile {
    home: HomeDir,
    /// Position up to which lines are in the journal.
    place: FilePosition,
    /// The open file, and its device and inode.
    open: Option<(File, (u64, u64))>,
    /// State of the file at its last complete read: nothing to read while it is equal.
    settled: Option<FileMeta>,
    /// Its size in bytes; `None` where there is no file.
    pub(super) size: Option<u64>,
}

impl DropFile {
    /// Reading continues from the position in the journal, if the bytes before it are unchanged.
    pub(super) fn new(home: HomeDir) -> Self {
        Self { home, place: FilePosition::default(), open: None, settled: None, size: None }
    }

    /// Continues from here.
    pub(super) fn continue_from(&mut self, place: FilePosition) {
        self.place = place;
        self.settled = None;
    }

    /// Closes the file: the next look reads the file of its name from the position in the journal.
    pub(super) fn close(&mut self) {
        self.open = None;
        self.settled = None;
    }

    /// How far it was taken in, if that was in an earlier look at its name: as long as a file is held open, the place is
    /// one in it.
    pub(super) fn closed_position(&self) -> Option<&FilePosition> {
        (self.open.is_none() && self.place.to > 0).then_some(&self.place)
    }

    /// Identity of the file, if so many bytes of it are taken in, or all of it and there was no write since a time, in
    /// seconds. One that has another name as well is not ours alone.
    pub(super) fn rotatable_identity(&self, full: u64, old: i64) -> Option<(u64, u64)> {
        let (file, identity) = self.open.as_ref()?;
        let all = |seen: &FileMeta| seen.size > 0 && seen.size == self.place.to && seen.modified.0 <= old;
        let done = self.place.to >= full || self.settled.as_ref().is_some_and(all);
        (done && file.metadata().is_ok_and(|meta| meta.nlink() == 1)).then_some(*identity)
    }

    /// How far it was taken in.
    pub(super) fn taken_to(&self) -> u64 {
        self.place.to
    }

    /// The next lines, and whether there may be more behind them. They come again until [`DropFile::continue_from`]
    /// reports them as stored.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub(super) fn look(&mut self) -> io::Result<(Vec<Dropped>, bool)> {
        let opened = self.home.open().and_then(|home| home.folder("logs")?.open(HomeDir::HOOK_EVENTS));
        let opened = match opened {
            Ok(opened) => Some(opened),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        self.size = opened.as_ref().map(|(_, seen)| seen.size);
        let now = opened.as_ref().map(|(_, seen)| seen.identity);
        if let Some((old, identity)) = &self.open
            && now != Some(*identity)
        {
            // Moved away, and perhaps still written to for a moment.
            let (lines, stopped) = next_lines(old, self.place.to)?;
            if !lines.is_empty() {
                return Ok((lines, stopped.more));
            }
            self.open = None;
            self.place = FilePosition::default();
            self.settled = None;
        }
        let Some((file, seen)) = opened else { return Ok((Vec::new(), false)) };
        if self.settled == Some(seen) {
            return Ok((Vec::new(), false));
        }
        if !self.place.is_in(&file, seen.size)? {
            self.place = FilePosition::default();
        }
        let (lines, stopped) = next_lines(&file, self.place.to)?;
        if lines.is_empty() {
            self.settled = Some(seen);
        }
        self.open = Some((file, seen.identity));
        Ok((lines, stopped.more))
    }
}

/// The lines behind so many bytes, one step of them, and where that stopped.
pub(super) fn next_lines(file: &File, from: u64) -> io::Result<(Vec<Dropped>, Stopped)> {
    let mut ends = Vec::new();
    let stopped = lines::read(file, from, (MAX_DROP_LINE_BYTES, READ_STEP_BYTES), &mut |line, end| {
        let line = match line {
            ScannedLine::Whole(line) => Some(line.to_vec()),
            ScannedLine::TooLong => None,
        };
        ends.push((line, end));
    })?;
    let placed = |(line, end)| Ok(Dropped { line, place: FilePosition::read_at(file, end)? });
    Ok((ends.into_iter().map(placed).collect::<io::Result<_>>()?, stopped))
}

/// The bytes after a position without a newline, as a line: nobody will write the rest of it.
pub(super) fn torn_line(file: &File, from: u64) -> io::Result<Option<Dropped>> {
    let size = file.metadata()?.len();
    let Some(length) = size.checked_sub(from).filter(|length| *length > 0) else { return Ok(None) };
    let mut line = vec![0; usize::try_from(length).unwrap_or(usize::MAX).min(MAX_DROP_LINE_BYTES + 1)];
    file.read_exact_at(&mut line, from)?;
    let place = FilePosition::read_at(file, size)?;
    Ok(Some(Dropped { line: (line.len() <= MAX_DROP_LINE_BYTES).then_some(line), place }))
}
