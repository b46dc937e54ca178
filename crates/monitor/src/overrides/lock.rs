//! The right to write one home. It is a lock on the folder itself: no file is created for it, and the kernel drops it
//! when the process ends, however it ends.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

use super::disk;

/// Held as long as this lives.
#[derive(Debug)]
pub(super) struct WriterLock(File);

/// Why the right was not given.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    /// Another process has it.
    #[error("another monitor writes this home; change categories there, or stop it first")]
    OtherWriter,
    /// The folder cannot be opened or locked.
    #[error("the home cannot be locked: {0}")]
    Error(#[from] io::Error),
}

impl WriterLock {
    /// Takes the right at once or not at all.
    pub(super) fn take(home: &Path) -> Result<Self, Refusal> {
        let folder = disk::open(File::options().read(true), home)?;
        match folder.try_lock() {
            Ok(()) => Ok(Self(folder)),
            Err(TryLockError::WouldBlock) => Err(Refusal::OtherWriter),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    /// False when another folder stands there by now.
    pub(super) fn is_of(&self, home: &Path) -> bool {
        disk::is_at(&self.0, home)
    }
}
