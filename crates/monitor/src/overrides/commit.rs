//! One change, from the request to the disk: new content beside the file, the line in the audit log, the rename, the
//! folder. A fault before the rename leaves every old byte; only what is durable is acknowledged.

use coordination::api::{CategoryChange, ManualOverride, Seen};
use coordination::category::Category;

use super::audit::{AuditLog, Said};
use super::keeper::Keeper;
use super::{Change, StoreError, disk};

/// How often a change starts over because another program wrote the file in the meantime.
const TRIES: usize = 5;

impl Keeper {
    /// Makes one change durable. The answer is the override now in force.
    pub(super) fn commit(&mut self, change: &Change) -> Result<Option<ManualOverride>, StoreError> {
        for _ in 0..TRIES {
            if let Some(manual) = self.attempt(change)? {
                return Ok(manual.0);
            }
        }
        Err(StoreError::refused("another program keeps writing the override file"))
    }

    /// One try; `None` when another program wrote the file while it was under way.
    fn attempt(&mut self, change: &Change) -> Result<Option<Done>, StoreError> {
        self.hold()?;
        // Another program may have written since the last look.
        self.look();
        if let Some(damage) = &self.damage {
            let cause = format!("the override file cannot be read ({}); repair or remove it first", damage.cause);
            return Err(StoreError::refused(cause));
        }
        let id = &change.session_id;
        let now = self.content.written(id);
        if change.expected.is_some_and(|Seen(seen)| seen.map(Category::as_str) != now.as_deref()) {
            return Err(StoreError::Conflict { now });
        }
        if change.category.is_none() && !self.content.holds(id) {
            return Ok(Some(Done(None)));
        }
        let (path, at) = (self.home.overrides(), self.clock.now_iso());
        let mut content = self.content.clone();
        let manual = change.category.map(|collab_category| ManualOverride {
            collab_category,
            updated_at: at.clone(),
            updated_by: change.by.clone(),
        });
        match &manual {
            Some(manual) => content.set(id, manual),
            None => content.clear(id),
        }
        let staged = content.stage(&path).map_err(StoreError::not_committed)?;
        let mut log = self.audit_log().map_err(StoreError::not_committed)?;
        // What others wrote comes first: the log must lead to the file that this change starts from.
        let mut lines = log.said().missing(&self.entries, &self.content, &at);
        let from = self.content.written(id);
        let to = change.category.map(|category| category.as_str().to_owned());
        lines.push(CategoryChange {
            undo_of: undone(log.said(), change, from.as_deref(), to.as_deref()),
            at: at.clone(),
            work_session_id: id.clone(),
            from,
            to,
            by: change.by.clone(),
            reason: change.reason.clone(),
            request_id: change.request_id.clone(),
            found: false,
        });
        let appended = log.append(lines).map_err(StoreError::not_committed)?;
        if self.seen != Some(disk::signature(&path)) {
            log.take_back(&appended);
            return Ok(None);
        }
        if let Err(error) = staged.put() {
            log.take_back(&appended);
            return Err(StoreError::not_committed(error));
        }
        self.log = Some(log);
        self.seen = Some(disk::signature(&path));
        self.look_again = true;
        self.untold = true;
        self.entries = content.known(&self.entries, &at);
        self.content = content;
        self.unconfirmed = true;
        disk::sync_folder(&path).map_err(|error| StoreError::Uncertain { cause: error.to_string() })?;
        self.unconfirmed = false;
        Ok(Some(Done(manual)))
    }

    /// The log, out of the keeper's hands until the change is made: after a failure it is read anew.
    fn audit_log(&mut self) -> std::io::Result<AuditLog> {
        match self.log.take() {
            Some(log) if log.is_current() => Ok(log),
            _ => AuditLog::open(&self.home.override_audit()),
        }
    }
}

/// A change that was made, and what is in force by it.
struct Done(Option<ManualOverride>);

/// The change that this one takes back, if it does.
fn undone(said: &Said, change: &Change, from: Option<&str>, to: Option<&str>) -> Option<String> {
    let last = said.last_of(&change.session_id)?;
    (last.to.as_deref() == from && last.from.as_deref() == to).then(|| last.request_id.clone())
}
