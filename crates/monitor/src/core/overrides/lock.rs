//! Lock that lets only one monitor write categories in OpenClaw's state folder. It is taken on the folder itself and
//! creates no file. The kernel releases it when the process ends.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

use crate::fs::durable::{self, FileIdentity};

/// Held as long as this lives.
#[derive(Debug)]
pub(super) struct WriterLock {
    #[expect(dead_code, reason = "the lock lasts as long as it is open")]
    folder: File,
    identity: FileIdentity,
}

/// Why the write lock was not acquired.
#[derive(Debug, thiserror::Error)]
pub(super) enum LockDenied {
    /// Another process holds it.
    #[error("another monitor writes this home; make changes there, or stop it first")]
    OtherWriter,
    /// The folder cannot be opened or locked.
    #[error("the home cannot be locked: {0}")]
    Io(#[from] io::Error),
}

impl WriterLock {
    /// Acquires the lock at once or not at all.
    pub(super) fn take(home: &Path) -> Result<Self, LockDenied> {
        let folder = durable::open_folder(home)?;
        let identity = durable::identity(&folder)?;
        match folder.try_lock() {
            Ok(()) => Ok(Self { folder, identity }),
            Err(TryLockError::WouldBlock) => Err(LockDenied::OtherWriter),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    /// True when the path leads to another folder by now.
    pub(super) fn is_of_another(&self, home: &Path) -> bool {
        durable::leads_to(home).is_ok_and(|identity| identity != self.identity)
    }
}
