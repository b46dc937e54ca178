//! Reader and writer of the override file (manual categories, `work-session-category-overrides.json`), which other
//! programs may edit, too. An invalid entry does not affect the others. The file is replaced atomically. Entries and
//! keys that this build does not know are preserved.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use coordination::api::ManualOverride;
use coordination::ids::SessionId;
use serde_json::{Map, Value};

use crate::fs::durable;

/// Larger files are not what this file is for.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// A file that another program writes in place looks damaged for a moment: it is damaged only when it stays so.
const SETTLE: Duration = Duration::from_millis(20);
const SETTLE_TRIES: usize = 20;

/// Content of the file.
#[derive(Debug, Default, Clone)]
pub(super) struct OverrideFileContent {
    entries: Map<String, Value>,
    /// Mode bits to preserve.
    mode: Option<u32>,
}

/// Why the file cannot be used.
#[derive(Debug)]
pub(super) enum OverrideReadError {
    /// Not a JSON object.
    Damaged {
        /// Content of the file.
        bytes: Vec<u8>,
        /// What the parser says.
        cause: String,
    },
    /// It could not be read.
    Unreadable(String),
}

/// The file once no write is in progress; `None` when there is none.
pub(super) fn read(path: &Path) -> Result<Option<OverrideFileContent>, OverrideReadError> {
    let mut tries = 0;
    loop {
        let before = durable::signature(path);
        let read = read_once(path);
        tries += 1;
        if !matches!(read, Err(OverrideReadError::Damaged { .. })) || tries == SETTLE_TRIES {
            return read;
        }
        std::thread::sleep(SETTLE);
        if durable::signature(path) == before {
            return read;
        }
    }
}

fn read_once(path: &Path) -> Result<Option<OverrideFileContent>, OverrideReadError> {
    let (bytes, seen) = match durable::read(path, MAX_BYTES) {
        Ok(read) => read,
        // A home that is no folder holds no file; the reader of the log reports that.
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(OverrideReadError::Unreadable(error.to_string())),
    };
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(entries)) => Ok(Some(OverrideFileContent { entries, mode: Some(seen.mode & 0o777) })),
        Ok(_) => Err(OverrideReadError::Damaged { bytes, cause: "not a JSON object".to_owned() }),
        Err(error) => Err(OverrideReadError::Damaged { bytes, cause: format!("not JSON: {error}") }),
    }
}

/// Nothing is there, or the folder's path leads to something that is no folder.
pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

impl OverrideFileContent {
    /// The content of the file, unchanged.
    pub(super) fn object(&self) -> &Map<String, Value> {
        &self.entries
    }

    /// The new content of the file.
    pub(super) fn object_mut(&mut self) -> &mut Map<String, Value> {
        &mut self.entries
    }

    /// A text at the top of the file.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.entries.get(key)?.as_str()
    }

    /// A file that holds these and nothing else.
    pub(super) fn from_entries(entries: &BTreeMap<SessionId, ManualOverride>) -> Self {
        let mut content = Self::default();
        for (id, manual) in entries {
            content.set(id, manual);
        }
        content
    }

    /// Entries with a category that this build knows (`contract/monitor-api.md` §7, reader). One without a time of its
    /// own keeps the time it had in `before`, else it is from now.
    pub(super) fn known(
        &self,
        before: &BTreeMap<SessionId, ManualOverride>,
        now_iso: &str,
    ) -> BTreeMap<SessionId, ManualOverride> {
        let known = self.entries.iter().filter_map(|(id, value)| {
            let id = SessionId::from(id.clone());
            let manual = ManualOverride::from_entry(value, before.get(&id), now_iso)?;
            Some((id, manual))
        });
        known.collect()
    }

    /// True when there is anything under this id.
    pub(super) fn holds(&self, id: &SessionId) -> bool {
        self.entries.contains_key(id.as_str())
    }

    /// The category of one entry as written.
    pub(super) fn written(&self, id: &SessionId) -> Option<String> {
        self.entries.get(id.as_str())?.get("collabCategory")?.as_str().map(str::to_owned)
    }

    /// Sets one entry; keys that this build does not know stay.
    pub(super) fn set(&mut self, id: &SessionId, manual: &ManualOverride) {
        let slot = self.entries.entry(id.to_string()).or_insert(Value::Null);
        if !slot.is_object() {
            *slot = Value::Object(Map::new());
        }
        let Value::Object(object) = slot else { return };
        object.insert("collabCategory".to_owned(), manual.collab_category.as_str().into());
        object.insert("updatedAt".to_owned(), manual.updated_at.clone().into());
        match &manual.updated_by {
            Some(by) => object.insert("updatedBy".to_owned(), by.clone().into()),
            None => object.shift_remove("updatedBy"),
        };
    }

    /// Removes one entry.
    pub(super) fn clear(&mut self, id: &SessionId) {
        self.entries.shift_remove(id.as_str());
    }

    /// Writes the content beside `path`, durably; nothing is replaced yet.
    pub(super) fn stage(&self, path: &Path) -> io::Result<Staged> {
        let mut text = serde_json::to_vec_pretty(&self.entries)?;
        text.push(b'\n');
        let staged = Staged { temporary: temporary(path), target: path.to_owned(), placed: false };
        let file = durable::create(&staged.temporary, self.mode.unwrap_or(0o600))?;
        durable::write(&file, 0, &text)?;
        Ok(staged)
    }
}

/// New content in a temporary file beside the target. Dropped without [`Staged::put`], it removes the temporary file.
#[derive(Debug)]
pub(super) struct Staged {
    temporary: PathBuf,
    target: PathBuf,
    /// The temporary file was renamed to the target.
    placed: bool,
}

impl Staged {
    /// Puts the new content in the place of the old.
    pub(super) fn put(mut self) -> io::Result<()> {
        durable::rename(&self.temporary, &self.target)?;
        self.placed = true;
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.placed {
            // A rest left behind is replaced by the next write.
            durable::remove(&self.temporary).unwrap_or_default();
        }
    }
}

/// Removes new content that a process left when it was killed. Only the holder of the lock may.
pub(super) fn remove_rest(path: &Path) {
    match durable::remove(&temporary(path)) {
        Ok(()) => tracing::info!(file = name(path), "removed a temporary file of an earlier run"),
        Err(error) if is_absent(&error) => {}
        Err(error) => tracing::warn!(file = name(path), %error, "a temporary file of an earlier run stays"),
    }
}

/// One name for every run: only the holder of the lock writes it, and so a crash leaves at most one behind.
fn temporary(path: &Path) -> PathBuf {
    path.with_file_name(format!(".{}.tmp", name(path)))
}

/// Copies a damaged file under a name with the time of discovery. The same damage is copied once, however
/// often it is found, so that a restart loop does not fill the disk.
pub(super) fn copy_damaged(path: &Path, bytes: &[u8], stamp: &str) -> io::Result<String> {
    let prefix = format!("{}.corrupt-", name(path));
    let mut taken = Vec::new();
    for entry in std::fs::read_dir(path.parent().unwrap_or(Path::new(".")))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&prefix) {
            if durable::read(&entry.path(), MAX_BYTES).is_ok_and(|(saved, _)| saved == bytes) {
                return Ok(name);
            }
            taken.push(name);
        }
    }
    let first = format!("{prefix}{}", stamp.replace([':', '.'], "-"));
    let (mut name, mut number) = (first.clone(), 1);
    while taken.contains(&name) {
        number += 1;
        name = format!("{first}-{number}");
    }
    let aside = path.with_file_name(&name);
    let written = durable::create(&aside, 0o600).and_then(|file| durable::write(&file, 0, bytes));
    if let Err(error) = written.and_then(|()| durable::sync_folder(&aside)) {
        // Half a copy is worse than none: the next look tries again.
        durable::remove(&aside).unwrap_or_default();
        return Err(error);
    }
    Ok(name)
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
