//! Path resolution from an open folder without following links. It uses one `openat2` call where the kernel has it.
//! Otherwise it opens one path component after the other. Both methods refuse the same paths.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::PathBuf;

use rustix::fs::{Mode, OFlags, openat};

/// A handle to begin other paths from. Where the system has such, it gives no right to read: a folder that may be
/// passed and not listed is still passed.
#[cfg(target_os = "linux")]
pub(super) const HANDLE: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
pub(super) const HANDLE: OFlags = OFlags::RDONLY;

/// The two ways to resolve a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResolveMode {
    /// The kernel walks, and name by name where it does not know how.
    Kernel,
    /// Name by name.
    #[cfg_attr(target_os = "linux", allow(dead_code, reason = "tests take it, and systems without the other"))]
    Steps,
}

impl ResolveMode {
    pub(super) fn usual() -> Self {
        if cfg!(target_os = "linux") { Self::Kernel } else { Self::Steps }
    }

    /// Opens what the names lead to. Each of them is plain: `super::steps` lets no other through.
    pub(super) fn open(self, folder: BorrowedFd<'_>, names: &[PathBuf], flags: OFlags) -> io::Result<OwnedFd> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        if names.is_empty() {
            return folder.try_clone_to_owned();
        }
        #[cfg(target_os = "linux")]
        if self == Self::Kernel
            && let Some(opened) = by_kernel(folder, names, flags)
        {
            return opened;
        }
        by_steps(folder, names, flags)
    }
}

/// Nothing when the kernel, or a filter on its calls, does not let it.
#[cfg(target_os = "linux")]
fn by_kernel(folder: BorrowedFd<'_>, names: &[PathBuf], flags: OFlags) -> Option<io::Result<OwnedFd>> {
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::fs::{ResolveFlags, openat2};
    use rustix::io::Errno;

    /// This kernel is older than 5.6.
    static UNKNOWN: AtomicBool = AtomicBool::new(false);

    if UNKNOWN.load(Ordering::Relaxed) {
        return None;
    }
    let below = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(folder, names.iter().collect::<PathBuf>(), flags, Mode::empty(), below) {
        Ok(handle) => Some(Ok(handle)),
        Err(Errno::NOSYS) => {
            UNKNOWN.store(true, Ordering::Relaxed);
            None
        }
        Err(Errno::PERM) => None,
        Err(error) => Some(Err(error.into())),
    }
}

fn by_steps(folder: BorrowedFd<'_>, names: &[PathBuf], flags: OFlags) -> io::Result<OwnedFd> {
    let Some((last, way)) = names.split_last() else { return folder.try_clone_to_owned() };
    let through = HANDLE | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut reached: Option<OwnedFd> = None;
    for name in way {
        let next = match &reached {
            Some(handle) => openat(handle, name, through, Mode::empty())?,
            None => openat(folder, name, through, Mode::empty())?,
        };
        reached = Some(next);
    }
    Ok(match &reached {
        Some(handle) => openat(handle, last, flags, Mode::empty())?,
        None => openat(folder, last, flags, Mode::empty())?,
    })
}
