//! Reading one file safely: bounded, only regular files, never through a link that leaves its folder.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Why a file was not read. `Missing` is normal: files vanish between listing and reading.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// There is no such file.
    #[error("missing")]
    Missing,
    /// It is there and cannot be read; the text is a short cause for people.
    #[error("{0}")]
    Unreadable(String),
}

impl ReadError {
    pub(super) fn from_io(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing,
            io::ErrorKind::PermissionDenied => Self::Unreadable("EACCES".to_owned()),
            _ => Self::Unreadable(error.to_string()),
        }
    }
}

/// What tells one state of a file from another without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signature {
    dev: u64,
    ino: u64,
    size: u64,
    modified_ns: i128,
    mode: u32,
}

/// The state of the file a path leads to.
pub(super) fn signature(path: &Path) -> Result<Signature, ReadError> {
    let meta = fs::metadata(path).map_err(|error| ReadError::from_io(&error))?;
    Ok(Signature {
        dev: meta.dev(),
        ino: meta.ino(),
        size: meta.len(),
        modified_ns: i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec()),
        mode: meta.mode(),
    })
}

/// Reads a text file below `root`. Bytes that are no UTF-8 become replacement characters.
///
/// # Errors
/// When it is missing, too large, no regular file, outside `root` after following links, or not readable.
pub fn read_text(root: &Path, path: &Path, limit: u64) -> Result<String, ReadError> {
    let from_io = |error: io::Error| ReadError::from_io(&error);
    let real_root = root.canonicalize().map_err(from_io)?;
    let real = path.canonicalize().map_err(from_io)?;
    if !real.starts_with(&real_root) {
        return Err(ReadError::Unreadable("leads outside its folder".to_owned()));
    }
    // Opening a pipe would wait for ever, so the kind is asked before.
    if !fs::metadata(&real).map_err(from_io)?.is_file() {
        return Err(ReadError::Unreadable("not a regular file".to_owned()));
    }
    let mut bytes = Vec::new();
    File::open(&real).map_err(from_io)?.take(limit + 1).read_to_end(&mut bytes).map_err(from_io)?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::Unreadable("too large".to_owned()));
    }
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    };
    Ok(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned))
}

/// Names in a folder, sorted. A folder that is not there is empty.
pub(super) fn names(folder: &Path) -> Result<Vec<String>, ReadError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            return match ReadError::from_io(&error) {
                ReadError::Missing => Ok(Vec::new()),
                unreadable => Err(unreadable),
            };
        }
    };
    let mut names: Vec<String> =
        entries.filter_map(Result::ok).filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    Ok(names)
}
