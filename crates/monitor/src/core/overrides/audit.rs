//! Append-only audit log of category changes: one JSON object per line. The monitor writes a change here first, then to
//! the override file (manual categories). When it detects that another program has edited the override file, it adds
//! lines for the edits. So a replay of the log gives the entries of that file.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use coordination::api::{CategoryChange, ManualOverride};
use coordination::ids::SessionId;
use coordination::query::ChangeRecord;

use super::file::{OverrideFileContent, is_absent};
use crate::fs::durable::{self, FileIdentity};
use crate::fs::sandbox::{FileMeta, OpenDenied};

/// About a million changes. A larger file is no log of ours, and would be read whole with every query.
const MAX_BYTES: u64 = 256 << 20;
/// A line names a session by its key in the override file, which holds at most 16 MiB.
pub(super) const MAX_LINE: u64 = 64 << 20;

/// The log and its summary. Only the holder of the writer's lock has one. No file stays open for it: a disk with a
/// file open for writing cannot be made read-only.
#[derive(Debug)]
pub(super) struct AuditLog {
    path: PathBuf,
    /// Device and inode, to notice that the file was replaced.
    identity: FileIdentity,
    /// What queries need of the lines.
    summary: AuditSummary,
}

/// Summary of a log.
#[derive(Debug, Default)]
pub(super) struct AuditSummary {
    /// Newest change of each session; grows with the sessions ever changed.
    last: BTreeMap<SessionId, CategoryChange>,
    /// Lines that are no change: torn ones, mostly.
    pub(super) bad: u64,
    /// Number of bytes read.
    length: u64,
    /// True when the last line has no end: the next must not be glued to it.
    torn: bool,
}

impl AuditLog {
    /// Reads the log that is there, or begins one.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let options = OpenOptions::new().create(true).append(true).read(true).mode(0o600).clone();
        Self::from_file(path, &durable::open(&options, path)?)
    }

    /// Reads the log if there is one.
    pub(super) fn open_existing(path: &Path) -> io::Result<Option<Self>> {
        match durable::open(OpenOptions::new().read(true), path) {
            Ok(file) => Self::from_file(path, &file).map(Some),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn from_file(path: &Path, file: &File) -> io::Result<Self> {
        let identity = durable::identity(file)?;
        let mut last = BTreeMap::new();
        let summary = scan(file, |change| drop(last.insert(change.work_session_id.clone(), change)))?;
        Ok(Self { path: path.to_owned(), identity, summary: AuditSummary { last, ..summary } })
    }

    /// True when this is the log at the path now, and only we have written to it.
    pub(super) fn is_current(&self) -> bool {
        durable::entry_at(&self.path)
            .is_ok_and(|(identity, length)| (identity, length) == (self.identity, self.summary.length))
    }

    pub(super) fn summary(&self) -> &AuditSummary {
        &self.summary
    }

    /// Appends lines and waits until they are on the disk. A partial write is taken back; after an error this log must
    /// be opened again.
    pub(super) fn append(&mut self, changes: Vec<CategoryChange>) -> io::Result<LengthBeforeAppend> {
        let before = LengthBeforeAppend(self.summary.length);
        let mut bytes = Vec::new();
        if self.summary.torn {
            bytes.push(b'\n');
        }
        for change in &changes {
            serde_json::to_writer(&mut bytes, change)?;
            bytes.push(b'\n');
        }
        let written = durable::open(OpenOptions::new().append(true), &self.path)
            .and_then(|file| durable::write(&file, self.summary.length, &bytes));
        if let Err(error) = written {
            self.take_back(&before);
            return Err(error);
        }
        self.summary.torn = false;
        self.summary.length += bytes.len() as u64;
        self.summary.last.extend(changes.into_iter().map(|change| (change.work_session_id.clone(), change)));
        Ok(before)
    }

    /// Removes lines whose change was not made and so was never acknowledged; this log must be opened again. If it
    /// fails, the next writer that opens the log notes the real content of the file.
    pub(super) fn take_back(&self, appended: &LengthBeforeAppend) {
        let truncated = durable::open(OpenOptions::new().append(true), &self.path)
            .and_then(|file| durable::truncate(&file, appended.0));
        if let Err(error) = truncated {
            tracing::error!(%error, "a change that was not made stays in the audit log for now");
        }
    }
}

/// Where the log ended before an append.
#[derive(Debug)]
pub(super) struct LengthBeforeAppend(u64);

impl AuditSummary {
    /// The overrides that follow from the log alone.
    pub(super) fn entries(&self) -> BTreeMap<SessionId, ManualOverride> {
        self.last.values().filter_map(|change| Some((change.work_session_id.clone(), outcome(change)?))).collect()
    }

    /// The newest change of one session.
    pub(super) fn last_of(&self, session_id: &SessionId) -> Option<&CategoryChange> {
        self.last.get(session_id)
    }

    /// Lines that are missing here: differences of the `entries` of the file `content`, because another program wrote
    /// them, or because a change got into the log and then not into the file.
    pub(super) fn missing(
        &self,
        entries: &BTreeMap<SessionId, ManualOverride>,
        content: &OverrideFileContent,
        now_iso: &str,
    ) -> Vec<CategoryChange> {
        let noted = self.entries();
        let other = entries.iter().filter(|(id, manual)| noted.get(id) != Some(manual));
        let other = other.map(|(id, manual)| (id, manual.updated_at.as_str(), manual.updated_by.clone()));
        let removed = noted.keys().filter(|id| !entries.contains_key(id)).map(|id| (id, now_iso, None));
        let found = other.chain(removed).enumerate().map(|(number, (id, at, by))| CategoryChange {
            at: at.to_owned(),
            work_session_id: id.clone(),
            from: self.last_of(id).and_then(|change| change.to.clone()),
            to: content.written(id),
            by,
            reason: None,
            request_id: format!("found-{}-{number}", self.length),
            undo_of: None,
            found: true,
        });
        found.collect()
    }
}

/// The summary of a log at `path`; a missing log is empty.
pub(super) fn read(path: &Path) -> io::Result<AuditSummary> {
    let mut last = BTreeMap::new();
    let summary = each(path, |change| drop(last.insert(change.work_session_id.clone(), change)))?;
    Ok(AuditSummary { last, ..summary })
}

/// All changes of one session, oldest first.
pub(super) fn changes_of(path: &Path, session_id: &SessionId) -> io::Result<Vec<CategoryChange>> {
    let mut changes = Vec::new();
    each(path, |change| changes.extend((change.work_session_id == *session_id).then_some(change)))?;
    Ok(changes)
}

/// All changes, oldest first, and the number of invalid lines.
pub(super) fn record(path: &Path) -> io::Result<ChangeRecord> {
    let mut changes = Vec::new();
    let summary = each(path, |change| changes.push(change))?;
    Ok(ChangeRecord { changes, bad_lines: summary.bad })
}

fn each(path: &Path, change: impl FnMut(CategoryChange)) -> io::Result<AuditSummary> {
    match durable::open(OpenOptions::new().read(true), path) {
        Ok(file) => scan(&file, change),
        Err(error) if is_absent(&error) => Ok(AuditSummary::default()),
        Err(error) => Err(error),
    }
}

fn scan(file: &File, mut each: impl FnMut(CategoryChange)) -> io::Result<AuditSummary> {
    if FileMeta::from_handle(file)?.size > MAX_BYTES {
        return Err(OpenDenied::TooLarge.into());
    }
    let mut summary = AuditSummary::default();
    let mut lines = BufReader::new(file);
    let mut line = Vec::new();
    // Within a line that is too long to be one.
    let mut over = false;
    loop {
        line.clear();
        let read = durable::with_failpoint(|| lines.by_ref().take(MAX_LINE).read_until(b'\n', &mut line))?;
        if read == 0 {
            summary.bad += u64::from(over);
            return Ok(summary);
        }
        summary.length += read as u64;
        summary.torn = !line.ends_with(b"\n");
        let part = summary.torn && read as u64 == MAX_LINE;
        if over || part {
            summary.bad += u64::from(!part);
            over = part;
            continue;
        }
        match serde_json::from_slice(&line) {
            Ok(change) => each(change),
            // A torn line is tolerated: its change was never acknowledged.
            Err(_) => summary.bad += u64::from(!line.trim_ascii().is_empty()),
        }
    }
}

fn outcome(change: &CategoryChange) -> Option<ManualOverride> {
    let collab_category = change.to.as_deref()?.parse().ok()?;
    Some(ManualOverride { collab_category, updated_at: change.at.clone(), updated_by: change.by.clone() })
}
