//! Commit of category changes: temporary file, audit lines, rename, folder sync. A failure before the rename leaves the
//! old file unchanged. Only durable changes are acknowledged.

use coordination::api::{CategoryChange, ExpectedOverride, ManualOverride};
use coordination::category::Category;

use super::OverrideChange;
use super::audit::{AuditLog, AuditSummary};
use super::file::OverrideFileContent;
use super::writer::OverrideWriter;
use crate::fs::durable::{self, WriteError};

/// How often a change starts over because another program wrote the file in the meantime.
const MAX_COMMIT_ATTEMPTS: usize = 5;

/// Outcome of one change: the override then in force, or the conflict.
pub(super) type ChangeOutcome = Result<Option<ManualOverride>, WriteError>;

impl OverrideWriter {
    /// Makes changes durable together: one writing of the file and of the log, however many they are. A change that
    /// conflicts with the current value is refused by itself and blocks no other; an error means that none was made.
    /// The answers, in the order of the changes, are the overrides now in force.
    pub(super) fn commit_all(&mut self, changes: &[OverrideChange]) -> Result<Vec<ChangeOutcome>, WriteError> {
        for _ in 0..MAX_COMMIT_ATTEMPTS {
            if let Some(done) = self.attempt(changes)? {
                return Ok(done);
            }
        }
        Err(WriteError::not_committed_because("another program keeps writing the override file"))
    }

    /// One try; `None` when another program wrote the file while it was under way.
    fn attempt(&mut self, changes: &[OverrideChange]) -> Result<Option<Vec<ChangeOutcome>>, WriteError> {
        self.acquire_lock()?;
        // Another program may have written since the last look.
        self.reload_file();
        if let Some(damage) = &self.damage {
            let cause = format!("the override file cannot be read ({}); repair or remove it first", damage.cause);
            return Err(WriteError::not_committed_because(cause));
        }
        let (path, at) = (self.home.overrides(), self.clock.now_iso());
        let mut content = self.content.clone();
        let mut own = Vec::new();
        let done = changes.iter().map(|change| apply(&mut content, change, &at, &mut own)).collect();
        if own.is_empty() {
            return Ok(Some(done));
        }
        let staged = content.stage(&path).map_err(WriteError::not_committed)?;
        let mut log = self.audit_log().map_err(WriteError::not_committed)?;
        for line in &mut own {
            line.undo_of = undone(log.content(), line);
        }
        // What others wrote comes first: the log must lead to the file that this change starts from.
        let mut lines = log.content().missing(&self.entries, &self.content, &at);
        lines.append(&mut own);
        let appended = log.append(lines).map_err(WriteError::not_committed)?;
        if self.seen != Some(durable::signature(&path)) {
            log.take_back(&appended);
            return Ok(None);
        }
        if let Err(error) = staged.put() {
            log.take_back(&appended);
            return Err(WriteError::not_committed(error));
        }
        self.log = Some(log);
        self.seen = Some(durable::signature(&path));
        self.force_reload = true;
        self.unpublished = true;
        self.entries = content.known(&self.entries, &at);
        self.content = content;
        self.unconfirmed = true;
        durable::sync_folder(&path).map_err(|error| WriteError::Uncertain { cause: error.to_string() })?;
        self.unconfirmed = false;
        Ok(Some(done))
    }

    /// The log, taken from the writer until the change is made: after a failure it is read again.
    fn audit_log(&mut self) -> std::io::Result<AuditLog> {
        match self.log.take() {
            Some(log) if log.is_current() => Ok(log),
            _ => AuditLog::open(&self.home.override_audit()),
        }
    }
}

/// Makes one change in `content`, and its line among `lines`, if there is anything to change.
fn apply(
    content: &mut OverrideFileContent,
    change: &OverrideChange,
    at: &str,
    lines: &mut Vec<CategoryChange>,
) -> ChangeOutcome {
    let id = &change.session_id;
    let from = content.written(id);
    if change.expected.is_some_and(|ExpectedOverride(seen)| seen.map(Category::as_str) != from.as_deref()) {
        return Err(WriteError::Conflict { current: from });
    }
    let manual = change.category.map(|collab_category| ManualOverride {
        collab_category,
        updated_at: at.to_owned(),
        updated_by: change.by.clone(),
    });
    match &manual {
        Some(manual) => content.set(id, manual),
        None if content.holds(id) => content.clear(id),
        None => return Ok(None),
    }
    lines.push(CategoryChange {
        at: at.to_owned(),
        work_session_id: id.clone(),
        from,
        to: change.category.map(|category| category.as_str().to_owned()),
        by: change.by.clone(),
        reason: change.reason.clone(),
        request_id: change.request_id.clone(),
        undo_of: None,
        found: false,
    });
    Ok(manual)
}

/// The change that this one takes back, if it does.
fn undone(summary: &AuditSummary, line: &CategoryChange) -> Option<String> {
    let last = summary.last_of(&line.work_session_id)?;
    (last.to == line.from && last.from == line.to).then(|| last.request_id.clone())
}
