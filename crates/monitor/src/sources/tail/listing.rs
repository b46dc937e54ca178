//! Log files in the log folder (`contract/events.md` §1.2): the pattern of their names, their metadata, and the order
//! in which they are read. Of a new file, the first line and the time of the first event are read too. Older (rotated)
//! log files are read in the order of that time, then the live file.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Weak;
use std::time::{Duration, SystemTime};

use coordination::event::{LIVE_LOG, first_event_time, first_line_hash};
use serde::{Deserialize, Serialize};

use super::fingerprint::{FINGERPRINT_BYTES, fill};
use crate::fs::sandbox::{Dir, FileMeta};

/// How much of a file is read to learn when it begins.
const PEEK_BYTES: usize = 64 * 1024;
/// Changes of a file within this time may leave its times equal: FAT counts two seconds, most others milliseconds.
const COARSEST_TICK: Duration = Duration::from_secs(5);

/// Device and inode.
pub(super) type LogFileIdentity = (u64, u64);

/// Metadata of a file; any change of its bytes changes it, as far as the system's clock ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileStamp {
    /// Device and inode.
    pub(super) identity: LogFileIdentity,
    /// In bytes.
    pub(super) size: u64,
    /// Seconds and nanoseconds.
    modified: (i64, i64),
    /// Time of the last change of the inode, in seconds and nanoseconds. Unlike `modified` it cannot be set by hand.
    changed: (i64, i64),
    /// When it was created, where the file system knows it; a rename keeps it.
    pub(super) born: SystemTime,
}

impl FileStamp {
    /// Whether any later change of the file shows in the stamp: its last change is further back than file systems'
    /// clocks are coarse. False when that time is in the future.
    pub(super) fn is_past_tick(&self, now: SystemTime) -> bool {
        let seconds = u64::try_from(self.changed.0).unwrap_or_default();
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        now.duration_since(changed).is_ok_and(|age| age > COARSEST_TICK)
    }

    /// Of an open file.
    pub(super) fn from_file(file: &File) -> io::Result<Self> {
        Ok(FileMeta::from_handle(file)?.into())
    }
}

impl From<FileMeta> for FileStamp {
    fn from(seen: FileMeta) -> Self {
        Self {
            identity: seen.identity,
            size: seen.size,
            modified: seen.modified,
            changed: seen.changed,
            born: seen.born.unwrap_or(SystemTime::UNIX_EPOCH),
        }
    }
}

/// A log file found in the folder.
#[derive(Debug, Clone)]
pub(super) struct ListedLog {
    /// The folder it was found in, as long as that is the one being followed.
    pub(super) folder: Weak<Dir>,
    pub(super) path: PathBuf,
    /// State when it was listed.
    pub(super) stamp: FileStamp,
}

impl ListedLog {
    pub(super) fn is_live(&self) -> bool {
        self.path.ends_with(LIVE_LOG)
    }

    /// Opens it and makes sure that the name still leads to the file that was listed.
    pub(super) fn open(&self) -> io::Result<File> {
        let replaced = || io::Error::new(io::ErrorKind::Interrupted, "replaced while it was opened");
        let folder = self.folder.upgrade().ok_or_else(replaced)?;
        let (file, seen) = folder.open(name_of(&self.path))?;
        if seen.identity == self.stamp.identity { Ok(file) } else { Err(replaced()) }
    }
}

/// A file that was never read, and how it begins.
#[derive(Debug)]
pub(super) struct UnknownFile {
    pub(super) entry: ListedLog,
    /// Its number if it becomes a file of its own.
    pub(super) serial: u64,
    /// First bytes of the file.
    pub(super) head: Vec<u8>,
    /// Hash of its first line, once that is complete.
    pub(super) first_line: Option<String>,
    /// Offset after its first newline.
    pub(super) first_line_end: Option<u64>,
    /// Time of the first event that has one: names do not sort (`contract/events.md` §1.2).
    pub(super) first_time: i64,
}

impl UnknownFile {
    /// A file that cannot be opened looks empty here; reading it reports the cause.
    pub(super) fn peek(entry: ListedLog, serial: u64) -> Self {
        let mut start = Vec::new();
        let filled = entry.open().and_then(|file| fill(&file, 0, PEEK_BYTES, &mut start)).unwrap_or(0);
        start.truncate(filled);
        let first_time = first_event_time(&start);
        let first_line_end = start.iter().position(|byte| *byte == b'\n').map(|at| at as u64 + 1);
        let first_line = first_line_end.map(|_| first_line_hash(&start));
        start.truncate(FINGERPRINT_BYTES);
        Self { entry, serial, head: start, first_line, first_line_end, first_time }
    }

    /// Older files first, the live one last.
    pub(super) fn reading_order(&self) -> (bool, i64, SystemTime, PathBuf) {
        (self.entry.is_live(), self.first_time, self.entry.stamp.born, self.entry.path.clone())
    }

    /// The order in which files were made, whatever their content: their names in ids depend on it.
    pub(super) fn birth_order(&self) -> (SystemTime, bool, i64, PathBuf) {
        (self.entry.stamp.born, self.entry.is_live(), self.first_time, self.entry.path.clone())
    }
}

/// The last part of a path.
pub(super) fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::{COARSEST_TICK, FileStamp};

    #[test]
    fn recent_change_and_change_in_the_future_are_no_proof() {
        let stamp = FileStamp::from_file(&tempfile::tempfile().expect("a file")).expect("its metadata");
        let changed = SystemTime::now();
        assert!(!stamp.is_past_tick(changed));
        assert!(stamp.is_past_tick(changed + COARSEST_TICK + Duration::from_secs(2)));
        assert!(!stamp.is_past_tick(changed - Duration::from_secs(3600)), "the clock was set back");
    }
}
