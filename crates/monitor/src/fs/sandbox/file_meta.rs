//! Metadata of a file: identity, size, mode and times. The type is the same for an open file and for a name in a
//! folder, so a caller can compare the file that it opened with the one that the name leads to now.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::SystemTime;

use rustix::fs::{AtFlags, FileType, Stat};

use super::OpenDenied;

/// One file as it is at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileMeta {
    /// Device and inode: which file it is, whatever its name.
    pub identity: (u64, u64),
    /// In bytes.
    pub size: u64,
    /// Kind and permissions.
    pub mode: u32,
    /// When its bytes changed, in seconds and nanoseconds since 1970.
    pub modified: (i64, i64),
    /// When anything about it changed, which cannot be set by hand.
    pub changed: (i64, i64),
    /// When it was created, where the file system knows it.
    pub born: Option<SystemTime>,
}

impl FileMeta {
    /// The file behind an open handle.
    ///
    /// # Errors
    /// The error of the system.
    pub fn from_handle(handle: &impl AsFd) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(seen) = extended(handle.as_fd(), c"", AtFlags::EMPTY_PATH) {
            return seen;
        }
        Ok(rustix::fs::fstat(handle)?.into())
    }

    /// Metadata of a name in an open folder; a link is not followed.
    pub(super) fn from_path(folder: BorrowedFd<'_>, name: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(seen) = extended(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            return seen;
        }
        Ok(rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?.into())
    }

    /// What kind of thing it is.
    #[must_use]
    pub fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.mode)
    }

    /// Itself, if it is a regular file.
    ///
    /// # Errors
    /// When it is a link, a pipe, a socket, a device or a folder.
    pub fn regular(self) -> io::Result<Self> {
        match self.kind() {
            FileType::RegularFile => Ok(self),
            FileType::Symlink => Err(OpenDenied::Link.into()),
            _ => Err(OpenDenied::NotRegular.into()),
        }
    }
}

impl From<Stat> for FileMeta {
    #[allow(
        clippy::unnecessary_cast,
        clippy::cast_sign_loss,
        clippy::cast_lossless,
        clippy::useless_conversion,
        reason = "the widths of these fields differ from system to system"
    )]
    fn from(stat: Stat) -> Self {
        Self {
            identity: (stat.st_dev as u64, stat.st_ino as u64),
            size: u64::try_from(stat.st_size).unwrap_or(0),
            mode: stat.st_mode as u32,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            changed: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            born: None,
        }
    }
}

/// With the time of birth, where the system supports `statx`; `None` where it does not.
#[cfg(target_os = "linux")]
fn extended(folder: BorrowedFd<'_>, name: impl rustix::path::Arg, flags: AtFlags) -> Option<io::Result<FileMeta>> {
    use rustix::fs::{StatxFlags, makedev, statx};
    use rustix::io::Errno;

    match statx(folder, name, flags, StatxFlags::BASIC_STATS | StatxFlags::BTIME) {
        Ok(stat) => {
            let born = StatxFlags::from_bits_retain(stat.stx_mask).contains(StatxFlags::BTIME);
            let born = born.then(|| after_1970(stat.stx_btime.tv_sec, stat.stx_btime.tv_nsec)).flatten();
            Some(Ok(FileMeta {
                identity: (makedev(stat.stx_dev_major, stat.stx_dev_minor), stat.stx_ino),
                size: stat.stx_size,
                mode: u32::from(stat.stx_mode),
                modified: (stat.stx_mtime.tv_sec, i64::from(stat.stx_mtime.tv_nsec)),
                changed: (stat.stx_ctime.tv_sec, i64::from(stat.stx_ctime.tv_nsec)),
                born,
            }))
        }
        // A filter on system calls may forbid the question instead of not knowing it.
        Err(Errno::NOSYS | Errno::PERM) => None,
        Err(error) => Some(Err(error.into())),
    }
}

#[cfg(target_os = "linux")]
fn after_1970(seconds: i64, nanoseconds: u32) -> Option<SystemTime> {
    let since = std::time::Duration::new(u64::try_from(seconds).ok()?, nanoseconds);
    SystemTime::UNIX_EPOCH.checked_add(since)
}
