//! Disk operations of everything that must survive a power cut: reads with a size limit, durable writes, replacements,
//! renames and folder syncs. Tests can make a chosen call fail (`faults`).
//!
//! A file that is a link is refused; links in the path to it are followed. Opening never waits for a pipe or a socket.

#[cfg(test)]
pub(crate) mod faults;

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::fs::sandbox::{FileMeta, OpenDenied, bounded};

/// Why a write was not acknowledged.
#[derive(Debug, Clone, thiserror::Error)]
pub enum WriteError {
    /// Compare-and-set failed: the value in force is not the one that the caller saw.
    #[error("somebody else changed it meanwhile: it is {} now", .current.as_deref().unwrap_or("automatic"))]
    Conflict {
        /// The value in force, as written; none when there is none.
        current: Option<String>,
    },
    /// Not committed: the old value stays in force.
    #[error("the change was not written: {cause}")]
    NotCommitted {
        /// The error of the system.
        cause: String,
        /// The disk is full.
        disk_full: bool,
    },
    /// Committed, durability unknown: a power cut may undo it.
    #[error("the change was written, but the disk did not confirm it: {cause}")]
    Uncertain {
        /// The error of the system.
        cause: String,
    },
}

impl WriteError {
    #[expect(clippy::needless_pass_by_value, reason = "the shape that `map_err` calls")]
    pub(crate) fn not_committed(error: io::Error) -> Self {
        let disk_full = matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded);
        Self::NotCommitted { cause: error.to_string(), disk_full }
    }

    pub(crate) fn not_committed_because(cause: impl Into<String>) -> Self {
        Self::NotCommitted { cause: cause.into(), disk_full: false }
    }
}

/// Changes whenever the file does: device, inode, size and time of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileSignature(u64, u64, u64, i64, i64);

/// The signature of the entry at `path`; `None` when there is nothing or it cannot be seen.
pub(crate) fn signature(path: &Path) -> Option<FileSignature> {
    let meta = std::fs::symlink_metadata(path).ok()?;
    Some(FileSignature(meta.dev(), meta.ino(), meta.size(), meta.mtime(), meta.mtime_nsec()))
}

/// Device and inode: which file it is, whatever its name.
pub(crate) type FileIdentity = (u64, u64);

pub(crate) fn identity(file: &File) -> io::Result<FileIdentity> {
    let meta = with_failpoint(|| file.metadata())?;
    Ok((meta.dev(), meta.ino()))
}

pub(crate) fn length(file: &File) -> io::Result<u64> {
    Ok(with_failpoint(|| file.metadata())?.len())
}

/// Identity and size of the entry at `path`. A link is not followed.
pub(crate) fn entry_at(path: &Path) -> io::Result<(FileIdentity, u64)> {
    let meta = with_failpoint(|| std::fs::symlink_metadata(path))?;
    Ok(((meta.dev(), meta.ino()), meta.size()))
}

/// Which folder `path` leads to.
pub(crate) fn leads_to(path: &Path) -> io::Result<FileIdentity> {
    let meta = with_failpoint(|| std::fs::metadata(path))?;
    Ok((meta.dev(), meta.ino()))
}

/// Opens a regular file. The opened file is checked, so that nothing can take its place in between.
pub(crate) fn open(options: &OpenOptions, path: &Path) -> io::Result<File> {
    let mut options = options.clone();
    options.custom_flags(flags(OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY));
    let opened = with_failpoint(|| options.open(path));
    let file = opened.map_err(|error| match error.raw_os_error() {
        Some(code) if code == Errno::LOOP.raw_os_error() => OpenDenied::Link.into(),
        // A socket, or a pipe without a reader.
        Some(code) if code == Errno::NXIO.raw_os_error() => OpenDenied::NotRegular.into(),
        _ => error,
    })?;
    FileMeta::from_handle(&file)?.regular()?;
    Ok(file)
}

/// Opens a folder; links on the way to it are followed.
pub(crate) fn open_folder(path: &Path) -> io::Result<File> {
    with_failpoint(|| OpenOptions::new().read(true).custom_flags(flags(OFlags::DIRECTORY)).open(path))
}

fn flags(flags: OFlags) -> i32 {
    i32::try_from(flags.bits()).unwrap_or_default()
}

/// A new file, for this user alone unless `mode` says otherwise. An existing entry at `path` is removed.
pub(crate) fn create(path: &Path, mode: u32) -> io::Result<File> {
    match remove(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let file = open(OpenOptions::new().write(true).create_new(true).mode(mode), path)?;
    // The umask applied at creation; the mode of the replaced file is preserved exactly.
    with_failpoint(|| file.set_permissions(std::fs::Permissions::from_mode(mode)))?;
    Ok(file)
}

/// A file of at most `limit` bytes, and the metadata of the opened file.
pub(crate) fn read(path: &Path, limit: u64) -> io::Result<(Vec<u8>, FileMeta)> {
    let file = open(OpenOptions::new().read(true), path)?;
    let seen = FileMeta::from_handle(&file)?;
    Ok((with_failpoint(|| bounded(&file, &seen, limit))?, seen))
}

/// Writes `bytes` at the end of a file of `length` bytes and syncs it.
///
/// # Errors
/// When the write or the sync fails, or the file is then not `length + bytes.len()` long.
pub(crate) fn write(mut file: &File, length: u64, bytes: &[u8]) -> io::Result<()> {
    #[cfg(test)]
    if let Some(error) = self::faults::tears() {
        file.write_all(&bytes[..bytes.len() / 2])?;
        return Err(error);
    }
    with_failpoint(|| file.write_all(bytes))?;
    with_failpoint(|| file.sync_all())?;
    let written_length = with_failpoint(|| file.metadata())?.len();
    if written_length != length + bytes.len() as u64 {
        let problem = "the file does not have the expected length after the write";
        return Err(io::Error::new(io::ErrorKind::WriteZero, problem));
    }
    Ok(())
}

pub(crate) fn truncate(file: &File, length: u64) -> io::Result<()> {
    with_failpoint(|| file.set_len(length))?;
    with_failpoint(|| file.sync_all())
}

pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    with_failpoint(|| std::fs::rename(from, to))
}

pub(crate) fn remove(path: &Path) -> io::Result<()> {
    with_failpoint(|| std::fs::remove_file(path))
}

/// Replaces the file at `path` with one for this user alone. The new one is whole on the disk before it takes the place of
/// the old one.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut staged = path.as_os_str().to_owned();
    staged.push(".tmp");
    let staged = Path::new(&staged);
    let placed = create(staged, 0o600).and_then(|file| write(&file, 0, bytes)).and_then(|()| rename(staged, path));
    if let Err(error) = placed {
        // A rest left behind is replaced by the next write.
        remove(staged).unwrap_or_default();
        return Err(error);
    }
    sync_folder(path)
}

/// Makes creations and renames in the folder of `path` durable.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    let Some(folder) = path.parent() else { return Ok(()) };
    let folder = open_folder(folder)?;
    with_failpoint(|| folder.sync_all())
}

/// Runs a disk operation. A test may set a fault or an action of another program before it (`faults`).
pub(crate) fn with_failpoint<T>(call: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    #[cfg(test)]
    self::faults::strikes()?;
    call()
}
