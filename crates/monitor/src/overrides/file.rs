//! The override file shared with the existing tools: read tolerantly, replaced atomically, entries and keys that
//! this build does not know preserved.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use coordination::api::ManualOverride;
use coordination::ids::SessionId;
use serde_json::{Map, Value};

/// Larger files are not what this file is for.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// What the file held.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub(super) entries: Map<String, Value>,
    /// Mode bits to keep.
    mode: Option<u32>,
}

/// Why the file cannot be used.
#[derive(Debug)]
pub(super) enum ReadError {
    /// Its bytes are not what they should be; here they are.
    Damaged(Vec<u8>, String),
    /// It could not be read.
    Unreadable(String),
}

/// Changes whenever the file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signature(u64, u64, u64, i64, i64);

pub(super) fn signature(path: &Path) -> Option<Signature> {
    let meta = std::fs::symlink_metadata(path).ok()?;
    Some(Signature(meta.dev(), meta.ino(), meta.size(), meta.mtime(), meta.mtime_nsec()))
}

/// A missing file is an empty one.
pub(super) fn read(path: &Path) -> Result<Content, ReadError> {
    let unreadable = |error: io::Error| ReadError::Unreadable(error.to_string());
    let meta = match std::fs::symlink_metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Content::default()),
        Err(error) => return Err(unreadable(error)),
    };
    if !meta.is_file() {
        return Err(ReadError::Unreadable("not a regular file".to_owned()));
    }
    if meta.size() > MAX_BYTES {
        return Err(ReadError::Unreadable("too large".to_owned()));
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes)).map_err(unreadable)?;
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(entries)) => Ok(Content { entries, mode: Some(meta.mode()) }),
        Ok(_) => Err(ReadError::Damaged(bytes, "not a JSON object".to_owned())),
        Err(error) => Err(ReadError::Damaged(bytes, format!("not JSON: {error}"))),
    }
}

impl Content {
    /// Entries with a category that this build knows (`contract/monitor-api.md` §7, reader).
    pub(super) fn known(&self, now_iso: &str) -> BTreeMap<SessionId, ManualOverride> {
        self.entries.iter().filter_map(|(id, value)| Some((SessionId(id.clone()), entry(value, now_iso)?))).collect()
    }

    /// The category of one entry as written.
    pub(super) fn written(&self, id: &SessionId) -> Option<String> {
        self.entries.get(id.as_str())?.get("collabCategory")?.as_str().map(str::to_owned)
    }

    /// Sets one entry; keys that this build does not know stay.
    pub(super) fn set(&mut self, id: &SessionId, manual: &ManualOverride) {
        let mut object = match self.entries.remove(id.as_str()) {
            Some(Value::Object(object)) => object,
            _ => Map::new(),
        };
        object.insert("collabCategory".to_owned(), manual.collab_category.as_str().into());
        object.insert("updatedAt".to_owned(), manual.updated_at.clone().into());
        match &manual.updated_by {
            Some(by) => object.insert("updatedBy".to_owned(), by.clone().into()),
            None => object.shift_remove("updatedBy"),
        };
        self.entries.insert(id.0.clone(), Value::Object(object));
    }

    /// Replaces the file: temporary file, fsync, rename.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(&self.entries)?;
        text.push(b'\n');
        let temporary = temporary(path);
        let written = self.write_temporary(&temporary, &text).and_then(|()| std::fs::rename(&temporary, path));
        if written.is_err() {
            // Left behind it would only be in the way; the next write replaces it in any case.
            drop(std::fs::remove_file(&temporary));
        }
        written
    }

    fn write_temporary(&self, temporary: &Path, text: &[u8]) -> io::Result<()> {
        use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
        let mode = self.mode.map_or(0o600, |mode| mode & 0o777);
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(temporary)?;
        file.set_permissions(std::fs::Permissions::from_mode(mode))?;
        file.write_all(text)?;
        file.sync_all()
    }
}

/// Makes the rename itself durable.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// Keeps a damaged file beside, under a name that says when it was found. The same damage is kept once, however
/// often it is found, so that a restart loop does not fill the disk.
pub(super) fn keep_aside(path: &Path, bytes: &[u8], stamp: &str) -> io::Result<PathBuf> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let prefix = format!("{name}.corrupt-");
    for entry in std::fs::read_dir(path.parent().unwrap_or(Path::new(".")))? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(&prefix)
            && std::fs::read(entry.path()).is_ok_and(|kept| kept == bytes)
        {
            return Ok(entry.path());
        }
    }
    let aside = path.with_file_name(format!("{prefix}{}", stamp.replace([':', '.'], "-")));
    let mut file = OpenOptions::new().write(true).create_new(true).open(&aside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    Ok(aside)
}

fn temporary(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.tmp-{}", std::process::id()))
}

fn entry(value: &Value, now_iso: &str) -> Option<ManualOverride> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    Some(ManualOverride {
        collab_category: text("collabCategory")?.parse().ok()?,
        updated_at: text("updatedAt").unwrap_or(now_iso).to_owned(),
        updated_by: text("updatedBy").map(str::to_owned),
    })
}
