//! Checkpoint of the log follower: how far each log file was read, and a fingerprint that identifies the file. With it,
//! the follower reads only newer lines after a restart. It is saved with the hub's state at that point
//! (`core/hub_cache`).

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::Follower;
use super::file::LogFile;
use super::fingerprint::ContentFingerprint;
use super::listing::{FileStamp, LogFileIdentity};
use crate::home::HomeDir;

/// Read positions in all log files of a home.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LogCheckpoint {
    /// In the order of reading.
    pub(super) files: Vec<LogPosition>,
    /// How often each first line occurred, to number files with equal first lines.
    pub(super) tokens: HashMap<String, u32>,
    /// Fingerprints of all prefixes that were delivered.
    #[serde(with = "prefixes")]
    pub(super) delivered: Vec<u64>,
}

impl LogCheckpoint {
    /// Bytes that were read.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.read_to).sum()
    }
}

/// Read position in one file, at the end of a line.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct LogPosition {
    /// Names it in event ids.
    pub(super) token: String,
    /// Just after the last newline read.
    pub(super) read_to: u64,
    /// Bytes that prove the read part unchanged.
    pub(super) fingerprint: ContentFingerprint,
    /// Identity of the lines up to here.
    pub(super) prefix: u64,
    /// False while each of its lines was delivered from another file before.
    pub(super) has_new_lines: bool,
    /// Device and inode.
    pub(super) identity: LogFileIdentity,
    /// Stamp at the last complete read.
    pub(super) settled: Option<FileStamp>,
}

/// Why a checkpoint cannot be continued from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ResumeError {
    /// A file is not in the home any more.
    #[error("a log file that it covers is gone")]
    Missing,
    /// A file begins with other bytes than before.
    #[error("a log file that it covers was truncated or replaced")]
    Changed,
    /// The folder or a file cannot be read.
    #[error("a log file that it covers cannot be read")]
    Unreadable,
}

impl Follower {
    /// Its state, to continue from in another process; `None` when lines were delivered that a fresh reader would not
    /// find, because a file is gone, or not in full, because a line is too long and unfinished.
    #[must_use]
    pub fn checkpoint(&self) -> Option<LogCheckpoint> {
        let read = self.files.iter().filter(|file| file.fingerprint.end() > 0 || file.token.is_some());
        let files = read.map(LogFile::position).collect::<Option<_>>()?;
        Some(LogCheckpoint { files, tokens: self.tokens.clone(), delivered: self.delivered.all() })
    }

    /// Continues from a checkpoint, if each of its files is in the home and begins with the bytes that were read.
    ///
    /// # Errors
    /// Why everything has to be read again.
    pub(crate) fn resume(home: HomeDir, checkpoint: LogCheckpoint) -> Result<Self, ResumeError> {
        let mut follower = Self::new(home);
        let listed = follower.list(&mut Vec::new()).map_err(|_| ResumeError::Unreadable)?;
        for position in checkpoint.files {
            let entry = listed.iter().find(|entry| entry.stamp.identity == position.identity);
            let entry = entry.ok_or(ResumeError::Missing)?.clone();
            follower.serials += 1;
            let file = LogFile::at_position(entry, follower.serials, position).map_err(|_| ResumeError::Unreadable)?;
            follower.files.push(file.ok_or(ResumeError::Changed)?);
        }
        follower.tokens = checkpoint.tokens;
        follower.delivered = checkpoint.delivered.into_iter().collect();
        Ok(follower)
    }
}

/// A million of them as bytes in one piece.
mod prefixes {
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(prefixes: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = prefixes.iter().flat_map(|prefix| prefix.to_le_bytes()).collect();
        serializer.serialize_bytes(&bytes)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u64>, D::Error> {
        let bytes = <&[u8]>::deserialize(deserializer)?;
        Ok(bytes.as_chunks::<8>().0.iter().map(|prefix| u64::from_le_bytes(*prefix)).collect())
    }
}
