//! Append-only audit log of category changes: one JSON object per line. The monitor writes a change here first, then to
//! the override file (manual categories). When it detects that another program has edited the override file, it adds
//! lines for the edits. So a replay of the log gives the entries of that file.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use coordination::api::{CategoryChange, ManualOverride};
use coordination::ids::SessionId;
use coordination::query::{ChangeRecord, override_of};

use super::append_log::{AppendLog, LogContent, Replay, each};
use super::file::OverrideFileContent;

/// Newest change of each session; grows with the sessions ever changed.
#[derive(Debug, Default)]
pub(super) struct LastChanges(BTreeMap<SessionId, CategoryChange>);

impl Replay for LastChanges {
    type Line = CategoryChange;

    fn apply(&mut self, change: CategoryChange) {
        self.0.insert(change.work_session_id.clone(), change);
    }
}

/// The log and its summary.
pub(super) type AuditLog = AppendLog<LastChanges>;
/// Summary of a log.
pub(super) type AuditSummary = LogContent<LastChanges>;

impl AuditSummary {
    /// The overrides that follow from the log alone.
    pub(super) fn entries(&self) -> BTreeMap<SessionId, ManualOverride> {
        self.state
            .0
            .values()
            .filter_map(|change| Some((change.work_session_id.clone(), override_of(change)?)))
            .collect()
    }

    /// The newest change of one session.
    pub(super) fn last_of(&self, session_id: &SessionId) -> Option<&CategoryChange> {
        self.state.0.get(session_id)
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

/// All changes of one session, oldest first.
pub(super) fn changes_of(path: &Path, session_id: &SessionId) -> io::Result<Vec<CategoryChange>> {
    let mut changes = Vec::new();
    each(path, |change: CategoryChange| changes.extend((change.work_session_id == *session_id).then_some(change)))?;
    Ok(changes)
}

/// All changes, oldest first, and the number of invalid lines.
pub(super) fn record(path: &Path) -> io::Result<ChangeRecord> {
    let mut changes = Vec::new();
    let content = each(path, |change| changes.push(change))?;
    Ok(ChangeRecord { changes, bad_lines: content.bad })
}
