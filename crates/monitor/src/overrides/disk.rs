//! The calls of the override store that reach the disk. Every one of them stands here, so that a test can make any
//! one fail (`faults`), and nothing can be written past it. The home itself may be a link; a file in it is never
//! followed to elsewhere, nor waited for.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::beneath::{Refusal, Seen, bounded};

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

/// Which file stands at `path`, and its size. A link is itself.
pub(super) fn stands_at(path: &Path) -> io::Result<(Identity, u64)> {
    let meta = step(|| std::fs::symlink_metadata(path))?;
    Ok(((meta.dev(), meta.ino()), meta.size()))
}

/// Which folder `path` leads to.
pub(super) fn leads_to(path: &Path) -> io::Result<Identity> {
    let meta = step(|| std::fs::metadata(path))?;
    Ok((meta.dev(), meta.ino()))
}

/// Opens a regular file. What was opened is what is judged, so that nothing can take its place in between.
pub(super) fn open(options: &OpenOptions, path: &Path) -> io::Result<File> {
    let mut options = options.clone();
    options.custom_flags(flags(OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY));
    let opened = step(|| options.open(path));
    let file = opened.map_err(|error| match error.raw_os_error() {
        Some(code) if code == Errno::LOOP.raw_os_error() => Refusal::Link.into(),
        // A socket, or a pipe that nobody reads.
        Some(code) if code == Errno::NXIO.raw_os_error() => Refusal::NotRegular.into(),
        _ => error,
    })?;
    Seen::of(&file)?.regular()?;
    Ok(file)
}

/// Opens a folder; links on the way to it are followed.
pub(super) fn open_folder(path: &Path) -> io::Result<File> {
    step(|| OpenOptions::new().read(true).custom_flags(flags(OFlags::DIRECTORY)).open(path))
}

fn flags(flags: OFlags) -> i32 {
    i32::try_from(flags.bits()).unwrap_or_default()
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

/// A file of at most `limit` bytes, and what was opened.
pub(super) fn read(path: &Path, limit: u64) -> io::Result<(Vec<u8>, Seen)> {
    let file = open(OpenOptions::new().read(true), path)?;
    let seen = Seen::of(&file)?;
    Ok((step(|| bounded(&file, &seen, limit))?, seen))
}

/// Writes all of it behind the first `length` bytes, and waits until it is on the disk.
pub(crate) fn write(mut file: &File, length: u64, bytes: &[u8]) -> io::Result<()> {
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

pub(crate) fn shorten(file: &File, length: u64) -> io::Result<()> {
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
    let folder = open_folder(folder)?;
    step(|| folder.sync_all())
}

pub(crate) fn step<T>(call: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    #[cfg(test)]
    super::faults::strikes()?;
    call()
}
