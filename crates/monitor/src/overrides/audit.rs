//! The append-only audit log beside the override file: one JSON object a line, fsynced before the change itself.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::Duration;

use coordination::api::{CategoryChange, ManualOverride};
use coordination::ids::SessionId;

/// How long to wait for another monitor that writes the same home.
const LOCK_TRIES: u32 = 100;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// The log, open and locked: whoever holds it may replace the override file.
#[derive(Debug)]
pub(super) struct AuditLog {
    file: File,
}

impl AuditLog {
    /// Opens the log and waits for its lock, so that two monitors on one home never overwrite each other.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).read(true).open(path)?;
        for _ in 0..LOCK_TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(Self { file }),
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Err(io::Error::new(io::ErrorKind::WouldBlock, "another program holds the lock of the audit log"))
    }

    /// Appends one line and waits until it is on disk. A line that could not be written whole is taken back.
    pub(super) fn append(&mut self, change: &CategoryChange) -> io::Result<()> {
        let length = self.file.metadata()?.len();
        let mut line = Vec::new();
        if length > 0 && self.last_byte(length)? != b'\n' {
            // A crash tore the last line; the next one must not be glued to it.
            line.push(b'\n');
        }
        serde_json::to_writer(&mut line, change)?;
        line.push(b'\n');
        let written = self.file.write_all(&line).and_then(|()| self.file.sync_data());
        if written.is_err()
            && let Err(error) = self.file.set_len(length)
        {
            tracing::error!(%error, "a torn line stays at the end of the audit log");
        }
        written
    }

    /// The newest change of one session.
    pub(super) fn last_of(&mut self, session_id: &SessionId) -> io::Result<Option<CategoryChange>> {
        self.file.seek(SeekFrom::Start(0))?;
        let changes = in_force(parse(&mut self.file)?);
        Ok(changes.into_iter().rev().find(|change| change.work_session_id == *session_id))
    }

    fn last_byte(&mut self, length: u64) -> io::Result<u8> {
        let mut byte = [0];
        self.file.seek(SeekFrom::Start(length - 1))?;
        self.file.read_exact(&mut byte)?;
        Ok(byte[0])
    }
}

/// All readable lines; a missing log is an empty one.
pub(super) fn read(path: &Path) -> io::Result<Vec<CategoryChange>> {
    match File::open(path) {
        Ok(mut file) => Ok(in_force(parse(&mut file)?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// What the override file should hold by the log alone, for when the file itself is damaged.
pub(super) fn replay(changes: &[CategoryChange]) -> BTreeMap<SessionId, ManualOverride> {
    let mut entries = BTreeMap::new();
    for change in changes {
        let category = change.to.as_deref().and_then(|text| text.parse().ok());
        match category {
            Some(collab_category) => {
                let manual =
                    ManualOverride { collab_category, updated_at: change.at.clone(), updated_by: change.by.clone() };
                entries.insert(change.work_session_id.clone(), manual);
            }
            None => {
                entries.remove(&change.work_session_id);
            }
        }
    }
    entries
}

fn parse(file: &mut File) -> io::Result<Vec<CategoryChange>> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    // A torn line is tolerated: its change was never acknowledged.
    Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
}

/// Without the changes that were logged and then could not be written.
fn in_force(mut changes: Vec<CategoryChange>) -> Vec<CategoryChange> {
    let void: Vec<String> = changes.iter().filter_map(|change| change.void_of.clone()).collect();
    changes.retain(|change| change.void_of.is_none() && !void.contains(&change.request_id));
    changes
}
