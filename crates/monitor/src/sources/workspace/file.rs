//! Reader of one file of an agent's workspace or of the configuration, with a size limit. The file's signature (inode,
//! size, time, permissions) shows without reading whether the file has changed. An unreadable file gives a short cause,
//! which the page translates if it is known.

use std::io;
use std::path::Path;

use crate::fs::sandbox::{Dir, FileMeta, OpenDenied};

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Why a file was not read. `Missing` is normal: files vanish between listing and reading.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// There is no such file.
    #[error("missing")]
    Missing,
    /// It exists and cannot be read; the text is a short cause. The page translates `EACCES` and the known phrases.
    #[error("{0}")]
    Unreadable(String),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        if OpenDenied::from_io_error(&error).is_some() {
            return Self::Unreadable(error.to_string());
        }
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing,
            io::ErrorKind::PermissionDenied => Self::Unreadable("EACCES".to_owned()),
            _ => Self::Unreadable(error.to_string()),
        }
    }
}

/// State of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WorkspaceFileSignature {
    /// Device and inode.
    identity: (u64, u64),
    /// In bytes.
    size: u64,
    /// Seconds and nanoseconds.
    modified: (i64, i64),
    /// Kind and permissions.
    mode: u32,
}

impl From<FileMeta> for WorkspaceFileSignature {
    fn from(seen: FileMeta) -> Self {
        Self { identity: seen.identity, size: seen.size, modified: seen.modified, mode: seen.mode }
    }
}

/// The state of the file of a name in a folder.
pub(super) fn signature(folder: &Dir, name: impl AsRef<Path>) -> Result<WorkspaceFileSignature, ReadError> {
    Ok(folder.metadata(name)?.into())
}

/// Reads a text file below a folder. Bytes that are not UTF-8 become replacement characters.
///
/// # Errors
/// When it is missing, too large, not a regular file, a link or behind one, outside the folder, or not readable.
pub fn read_text(folder: &Dir, below: impl AsRef<Path>, limit: u64) -> Result<String, ReadError> {
    let mut text = match String::from_utf8(folder.read(below, limit)?) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    };
    if text.starts_with(BYTE_ORDER_MARK) {
        text.drain(..BYTE_ORDER_MARK.len_utf8());
    }
    Ok(text)
}
