//! The drop file, `logs/hook-events.ndjson`: where hooks put what they cannot post. It is followed by what it holds, not
//! by its name: cut off or replaced it is read again, and a file that was moved away is first read to its end.
//!
//! It is never cut or written here. Hooks append to it at any moment, and whoever cuts a file that others append to
//! loses what comes between the reading and the cutting. It may be removed at any time by whoever wants to.

use std::fs::File;
use std::io;

use super::lines::{self, Line, Place};
use crate::beneath::Seen;
use crate::home::Home;

/// Longest line, as the longest body of a request.
const LONGEST: usize = 1 << 20;
/// Bytes that are taken in together: posts wait no longer than these take.
const STEP: u64 = 1 << 20;

/// What stands on one line of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Dropped {
    /// The line; none when it is too long to be one.
    pub(super) line: Option<Vec<u8>>,
    /// Where it ends.
    pub(super) place: Place,
}

/// The drop file as far as it was taken in.
#[derive(Debug)]
pub(super) struct DropFile {
    home: Home,
    place: Place,
    open: Option<(File, (u64, u64))>,
    settled: Option<Seen>,
    /// Bytes that stand there; none where there is no file.
    pub(super) size: Option<u64>,
}

impl DropFile {
    /// It goes on from where the record says it was taken in to, as long as that is still there.
    pub(super) fn new(home: Home) -> Self {
        Self { home, place: Place::default(), open: None, settled: None, size: None }
    }

    /// Goes on from here.
    pub(super) fn continue_from(&mut self, place: Place) {
        self.place = place;
        self.settled = None;
    }

    /// How far it was taken in.
    pub(super) fn taken_to(&self) -> u64 {
        self.place.to
    }

    /// The next lines, and whether there may be more behind them. They come again until [`DropFile::continue_from`]
    /// says that they are kept.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub(super) fn look(&mut self) -> io::Result<(Vec<Dropped>, bool)> {
        let opened = self.home.open().and_then(|home| home.folder("logs")?.open(Home::HOOK_EVENTS));
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
            let (lines, more) = self.lines(&old.try_clone()?)?;
            if !lines.is_empty() {
                return Ok((lines, more));
            }
            self.open = None;
            self.place = Place::default();
            self.settled = None;
        }
        let Some((file, seen)) = opened else { return Ok((Vec::new(), false)) };
        if self.settled == Some(seen) {
            return Ok((Vec::new(), false));
        }
        if !self.place.is_in(&file, seen.size)? {
            self.place = Place::default();
        }
        let (lines, more) = self.lines(&file)?;
        if lines.is_empty() {
            self.settled = Some(seen);
        }
        self.open = Some((file, seen.identity));
        Ok((lines, more))
    }

    fn lines(&self, file: &File) -> io::Result<(Vec<Dropped>, bool)> {
        let mut ends = Vec::new();
        let stopped = lines::read(file, self.place.to, (LONGEST, STEP), &mut |line, end| {
            let line = match line {
                Line::Whole(line) => Some(line.to_vec()),
                Line::TooLong => None,
            };
            ends.push((line, end));
        })?;
        let placed = |(line, end)| Ok(Dropped { line, place: Place::at(file, end)? });
        Ok((ends.into_iter().map(placed).collect::<io::Result<_>>()?, stopped.more))
    }
}
