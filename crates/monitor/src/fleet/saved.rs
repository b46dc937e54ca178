//! Saved state of a process that shows a fleet, in the folder of its mirrors. The next start reads only what is new. The
//! folder can be removed at any time: the streams fill it again.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use super::aggregate::BeyondLimit;
use super::messages::Hello;
use super::mirror::MirrorState;
use crate::fs::durable;

/// Of another version the file is not read.
const VERSION: u32 = 2;

/// Content of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct SavedFleet {
    pub(super) version: u32,
    /// When the stream of logs was made, as the servers say it. Another stream is read from its beginning.
    pub(super) log_created: String,
    /// The last message of the stream of logs that is in the mirrors.
    pub(super) log_sequence: u64,
    /// Sources by id.
    pub(super) sources: BTreeMap<String, SavedSource>,
    /// Machines that were skipped.
    pub(super) beyond_limit: BeyondLimit,
}

/// What is saved of a source.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct SavedSource {
    pub(super) mirror: MirrorState,
    /// Name in addresses: a link to a machine stays one to the same machine.
    pub(super) name: Option<String>,
    pub(super) hello: Option<Hello>,
    /// When that was published.
    pub(super) hello_at: Option<i64>,
}

/// The folder, held by this process alone.
#[derive(Debug)]
pub(super) struct MirrorFolder {
    path: PathBuf,
    _lock: File,
}

impl MirrorFolder {
    /// Makes the folder if needed.
    ///
    /// # Errors
    /// When another process has it.
    pub(super) fn hold(path: PathBuf) -> io::Result<Self> {
        std::fs::create_dir_all(&path)?;
        // It holds what homes hold.
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700))?;
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(path.join("lock"))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)
            .map_err(|_| io::Error::other("another process shows a fleet from this folder"))?;
        Ok(Self { path, _lock: lock })
    }

    /// Folder of one mirror.
    pub(super) fn mirror(&self, source: &str) -> PathBuf {
        self.path.join(source)
    }

    /// Removes a mirror with all that is in it.
    pub(super) fn remove_mirror(&self, source: &str) -> io::Result<()> {
        match std::fs::remove_dir_all(self.mirror(source)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn file(&self) -> PathBuf {
        self.path.join("fleet.json")
    }

    /// What was saved; nothing when it is damaged or of another version.
    pub(super) fn load(&self) -> SavedFleet {
        let Ok(bytes) = std::fs::read(self.file()) else { return SavedFleet::default() };
        let saved = serde_json::from_slice::<SavedFleet>(&bytes).ok().filter(|saved| saved.version == VERSION);
        saved.unwrap_or_else(|| {
            tracing::warn!("fleet: the saved state of the mirrors cannot be read; the streams are read again");
            SavedFleet::default()
        })
    }

    /// Replaces what was saved.
    pub(super) fn save(&self, saved: &SavedFleet) -> io::Result<()> {
        let bytes = serde_json::to_vec(&SavedFleet { version: VERSION, ..saved.clone() })?;
        durable::replace(&self.file(), &bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_is_held_by_one_process_and_damaged_state_counts_as_none() {
        let folder = tempfile::tempdir().expect("folder");
        let held = MirrorFolder::hold(folder.path().join("fleet")).expect("held");
        assert!(MirrorFolder::hold(folder.path().join("fleet")).is_err(), "another one");
        assert_eq!(held.load(), SavedFleet::default());
        let saved = SavedFleet { log_sequence: 7, ..SavedFleet::default() };
        held.save(&saved).expect("saved");
        assert_eq!(held.load(), SavedFleet { version: VERSION, ..saved });
        for damaged in ["", "{", r#"{"version":99,"log_sequence":7}"#] {
            std::fs::write(held.file(), damaged).expect("written");
            assert_eq!(held.load(), SavedFleet::default(), "{damaged}");
        }
        drop(held);
        MirrorFolder::hold(folder.path().join("fleet")).expect("free again");
    }
}
