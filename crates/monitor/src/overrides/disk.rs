//! The calls of the override store that reach the disk. Every one of them stands here, so that a test can make any
//! one fail (`faults`), and nothing can be written past it.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

/// Changes whenever the file does: device, inode, size and time of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signature(u64, u64, u64, i64, i64);

/// What stands at `path`; `None` when there is nothing or it cannot be seen.
pub(super) fn signature(path: &Path) -> Option<Signature> {
    let meta = std::fs::symlink_metadata(path).ok()?;
    Some(Signature(meta.dev(), meta.ino(), meta.size(), meta.mtime(), meta.mtime_nsec()))
}

/// Device and inode: which file it is, whatever its name.
pub(super) type Identity = (u64, u64);

pub(super) fn identity(file: &File) -> io::Result<Identity> {
    let meta = step(|| file.metadata())?;
    Ok((meta.dev(), meta.ino()))
}

/// Which file stands at `path`, and its size.
pub(super) fn stands_at(path: &Path) -> io::Result<(Identity, u64)> {
    let meta = step(|| std::fs::metadata(path))?;
    Ok(((meta.dev(), meta.ino()), meta.size()))
}

pub(super) fn open(options: &OpenOptions, path: &Path) -> io::Result<File> {
    step(|| options.open(path))
}

/// A new file, for this user alone unless `mode` says otherwise. Whatever stood at `path` is gone.
pub(super) fn create(path: &Path, mode: u32) -> io::Result<File> {
    match remove(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let file = open(OpenOptions::new().write(true).create_new(true).mode(mode), path)?;
    // The umask had its say at creation; the mode of the file that is replaced is kept exactly.
    step(|| file.set_permissions(std::fs::Permissions::from_mode(mode)))?;
    Ok(file)
}

/// At most `limit` bytes of a file.
pub(super) fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open(OpenOptions::new().read(true), path)?;
    let mut bytes = Vec::new();
    step(|| file.take(limit).read_to_end(&mut bytes))?;
    Ok(bytes)
}

/// Writes all of it behind the first `length` bytes, and waits until it is on the disk.
pub(super) fn write(mut file: &File, length: u64, bytes: &[u8]) -> io::Result<()> {
    #[cfg(test)]
    if let Some(error) = super::faults::tears() {
        file.write_all(&bytes[..bytes.len() / 2])?;
        return Err(error);
    }
    step(|| file.write_all(bytes))?;
    step(|| file.sync_all())?;
    let held = step(|| file.metadata())?.len();
    if held != length + bytes.len() as u64 {
        return Err(io::Error::new(io::ErrorKind::WriteZero, "the disk holds less than it took"));
    }
    Ok(())
}

pub(super) fn shorten(file: &File, length: u64) -> io::Result<()> {
    step(|| file.set_len(length))?;
    step(|| file.sync_all())
}

pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    step(|| std::fs::rename(from, to))
}

pub(super) fn remove(path: &Path) -> io::Result<()> {
    step(|| std::fs::remove_file(path))
}

/// Makes what was created or renamed in the folder of `path` durable.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    let Some(folder) = path.parent() else { return Ok(()) };
    let folder = open(OpenOptions::new().read(true), folder)?;
    step(|| folder.sync_all())
}

pub(super) fn step<T>(call: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    #[cfg(test)]
    super::faults::strikes()?;
    call()
}
