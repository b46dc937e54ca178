//! Journal of coding agents' inputs, `logs/task-hub-ingest.ndjson`. A line holds one input, a read position in the drop
//! file (where hooks write events that they cannot post), or both. An input is on disk before it is acknowledged. The
//! file is append-only and has one writer at a time.
//!
//! Appended lines take effect when they are read back from the file, so a restart gives the same state.

use std::fs::{File, TryLockError};
use std::io;

use coordination::schema::SchemaInput;
use serde::{Deserialize, Serialize};

use super::lines::{self, FilePosition, ScannedLine};
use crate::fs::durable::{self, WriteError};
use crate::fs::sandbox::FileMeta;
use crate::home::HomeDir;

/// Longest line that is read back: what one request may hold, written otherwise.
const MAX_JOURNAL_LINE_BYTES: usize = 4 << 20;
/// Bytes that are read in one step.
const READ_STEP_BYTES: u64 = 8 << 20;

/// Read positions of the drop files; a missing one means the beginning.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct DropPositions {
    /// The drop file.
    pub(super) drop: Option<FilePosition>,
    /// The rotated one; position zero means that there is none.
    pub(super) rotated: Option<FilePosition>,
}

impl DropPositions {
    pub(super) fn is_empty(&self) -> bool {
        self.drop.is_none() && self.rotated.is_none()
    }
}

/// One line: an input, and how far the files of hooks were read with it; or only the latter.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct JournalEntry {
    pub(super) input: Option<SchemaInput>,
    pub(super) places: DropPositions,
}

#[derive(Serialize)]
struct JournalLine<'a> {
    #[serde(flatten)]
    input: Option<&'a SchemaInput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    drop: Option<&'a FilePosition>,
    #[serde(rename = "away", skip_serializing_if = "Option::is_none")]
    rotated: Option<&'a FilePosition>,
}

#[derive(Deserialize)]
struct JournalPositions {
    #[serde(default)]
    drop: Option<FilePosition>,
    #[serde(default, rename = "away")]
    rotated: Option<FilePosition>,
    #[serde(default)]
    key: Option<String>,
}

impl JournalEntry {
    fn read(line: &[u8]) -> Option<Self> {
        let JournalPositions { drop, rotated, key } = serde_json::from_slice(line).ok()?;
        let places = DropPositions { drop, rotated };
        let input = key.is_some().then(|| serde_json::from_slice(line).ok()).flatten();
        let whole = input.is_some() || (key.is_none() && !places.is_empty());
        whole.then_some(Self { input, places })
    }

    fn write(&self, out: &mut Vec<u8>) -> io::Result<()> {
        let DropPositions { drop, rotated } = &self.places;
        let written = JournalLine { input: self.input.as_ref(), drop: drop.as_ref(), rotated: rotated.as_ref() };
        serde_json::to_writer(&mut *out, &written)?;
        out.push(b'\n');
        Ok(())
    }
}

/// Result of a look.
#[derive(Debug, Default)]
pub(super) struct JournalUpdate {
    /// The bytes differ from those read before: the earlier state is void.
    pub(super) replaced: bool,
    /// Lines after the read position.
    pub(super) entries: Vec<JournalEntry>,
    /// There are more.
    pub(super) more: bool,
}

/// Reader of the journal file.
#[derive(Debug)]
pub(super) struct Journal {
    home: HomeDir,
    /// Position up to which it was read.
    place: FilePosition,
    /// State of the file at its last complete read: nothing to read while it is equal.
    settled: Option<FileMeta>,
    /// Its size in bytes.
    pub(super) size: u64,
    /// Invalid lines: torn by a crash, or written by others.
    pub(super) bad: u64,
}

impl Journal {
    /// The state directory is there.
    pub(super) fn has_home(&self) -> bool {
        self.home.open().is_ok()
    }

    pub(super) fn new(home: HomeDir) -> Self {
        Self { home, place: FilePosition::default(), settled: None, size: 0, bad: 0 }
    }

    /// Reads what was appended since the last look, one step of it.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub(super) fn look(&mut self) -> io::Result<JournalUpdate> {
        let opened = self.home.open().and_then(|home| home.folder("logs")?.open(HomeDir::INGEST_RECORD));
        let (file, seen) = match opened {
            Ok(opened) => opened,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let replaced = self.place.to > 0;
                self.forget();
                return Ok(JournalUpdate { replaced, ..JournalUpdate::default() });
            }
            Err(error) => return Err(error),
        };
        if self.settled == Some(seen) {
            return Ok(JournalUpdate::default());
        }
        let mut found = JournalUpdate::default();
        if !self.place.is_in(&file, seen.size)? {
            found.replaced = true;
            self.forget();
        }
        let mut bad = 0;
        let stopped =
            lines::read(&file, self.place.to, (MAX_JOURNAL_LINE_BYTES, READ_STEP_BYTES), &mut |line, _| match line {
                ScannedLine::Whole(line) if line.trim_ascii().is_empty() => {}
                ScannedLine::Whole(line) => match JournalEntry::read(line) {
                    Some(entry) => found.entries.push(entry),
                    None => bad += 1,
                },
                ScannedLine::TooLong => bad += 1,
            })?;
        self.place = FilePosition::read_at(&file, stopped.to)?;
        self.bad += bad;
        self.size = seen.size;
        self.settled = (!stopped.more).then_some(seen);
        found.more = stopped.more;
        Ok(found)
    }

    fn forget(&mut self) {
        self.place = FilePosition::default();
        self.settled = None;
        self.size = 0;
        self.bad = 0;
    }

    /// Appends entries and waits until they are on the disk; the next look finds them. A write that is not complete
    /// is taken back. It must have been looked at just before.
    ///
    /// # Errors
    /// When nothing of it was written, or, as [`WriteError::Uncertain`], when the disk does not say.
    pub(super) fn append(&mut self, entries: &[JournalEntry]) -> Result<(), WriteError> {
        let refused = |error: io::Error| WriteError::not_committed(error);
        let folder = self.home.open().and_then(|home| home.made_folder("logs")).map_err(refused)?;
        let file = durable::with_failpoint(|| folder.append(HomeDir::INGEST_RECORD)).map_err(refused)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(WriteError::not_committed_because("another monitor writes this home"));
            }
            Err(TryLockError::Error(error)) => return Err(refused(error)),
        }
        let before = durable::with_failpoint(|| file.metadata()).map_err(refused)?.len();
        let mut bytes = Vec::new();
        if before > self.place.to {
            // An unterminated line: the next line must not be glued to it. Complete by chance, it counts from now on.
            bytes.push(b'\n');
        }
        for entry in entries {
            entry.write(&mut bytes).map_err(refused)?;
        }
        if let Err(error) = durable::write(&file, before, &bytes) {
            return Err(take_back(&file, before, error));
        }
        if before == 0
            && let Err(error) = durable::with_failpoint(|| folder.sync())
        {
            return Err(take_back(&file, before, error));
        }
        Ok(())
    }
}

/// Lines of a failed write, which were not acknowledged, are cut off again.
fn take_back(file: &File, before: u64, error: io::Error) -> WriteError {
    match durable::truncate(file, before) {
        Ok(()) => WriteError::not_committed(error),
        Err(other) => {
            tracing::error!(error = %other, "unacknowledged inputs may stay in the journal");
            WriteError::Uncertain { cause: error.to_string() }
        }
    }
}
