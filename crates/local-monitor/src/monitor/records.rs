//! Files with what people wrote on the dashboard: categories by hand and their changes, taught words, notes and views.

use coordination::api::{
    CategoryChange, CategoryHistory, ChangesPage, ChangesQuery, ManualOverride, SharedLine, Taught,
};
use coordination::category::Category;
use coordination::classify::v2::checked_rules;
use coordination::hub::SharedIndex;
use coordination::ids::SessionId;
use coordination::query::{self, ChangeRecord, MAX_HISTORY, QueryError};
use coordination::time::to_iso;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::LocalMonitor;
use crate::content::HomeRecord;

impl LocalMonitor {
    /// Takes in such a file.
    ///
    /// # Errors
    /// When it cannot be read: nothing of it holds then. Single lines that cannot be read are left out.
    pub(super) fn take_record(&mut self, record: HomeRecord, bytes: &[u8], now: i64) -> Result<(), String> {
        match record {
            HomeRecord::Overrides => {
                let entries: Map<String, Value> = json(bytes)?;
                let now = to_iso(now);
                let known = entries.iter().filter_map(|(id, entry)| {
                    Some((SessionId::from(id.as_str()), ManualOverride::from_entry(entry, None, &now)?))
                });
                self.hub.set_overrides(known.collect());
            }
            HomeRecord::Changes => {
                let mut record = ChangeRecord::default();
                record.bad_lines = each_line(bytes, |change| record.changes.push(change));
                self.change_record = record;
            }
            HomeRecord::Rules => {
                let rules =
                    checked_rules(json(bytes)?).map_err(|fault| format!("{}: {}", fault.field, fault.message))?;
                self.rules = Some(rules);
            }
            HomeRecord::Shared => {
                each_line::<SharedLine>(bytes, |line| self.shared.apply(line));
                self.hub.set_shared_records(SharedIndex::new(&self.shared));
            }
        }
        Ok(())
    }

    /// Takes in the lines of a note of an evidence file, unless the opened files have a newer state of it.
    pub(super) fn take_note(&mut self, lines: Vec<SharedLine>) {
        let is_newer = |line: &SharedLine| line.revision > self.shared.revision(&line.id);
        if lines.first().is_some_and(is_newer) {
            lines.into_iter().for_each(|line| self.shared.apply(line));
            self.hub.set_shared_records(SharedIndex::new(&self.shared));
        }
    }

    /// Puts the taught words in force once the texts that they are searched in are there.
    pub(super) fn apply_rules(&mut self) {
        let rules: Option<&Taught> = self.rules.as_ref().filter(|rules| *rules != self.hub.taught());
        if let Some(rules) = rules.cloned() {
            let update = self.hub.evaluate_rules(rules);
            self.hub.apply_rules(update);
        }
    }

    /// Sets a category by hand, or returns to the automatic one; what holds then. It lasts as long as the files are open.
    pub(crate) fn set_category(
        &mut self,
        session: &SessionId,
        to: Option<Category>,
        (by, reason): (Option<String>, Option<String>),
        now: i64,
    ) -> Option<ManualOverride> {
        let mut overrides = self.hub.overrides().clone();
        let change = CategoryChange {
            at: to_iso(now),
            work_session_id: session.clone(),
            from: overrides.remove(session).map(|manual| manual.collab_category.as_str().to_owned()),
            to: to.map(|category| category.as_str().to_owned()),
            by,
            reason,
            request_id: format!("page-{}", self.change_record.changes.len()),
            undo_of: None,
            found: false,
        };
        let manual = query::override_of(&change);
        overrides.extend(manual.clone().map(|manual| (session.clone(), manual)));
        self.change_record.changes.push(change);
        let changes = self.hub.set_overrides(overrides);
        self.changed(changes);
        manual
    }

    /// `GET category-changes`.
    pub(crate) fn category_changes(&self, changes_query: &ChangesQuery, now: i64) -> Result<ChangesPage, QueryError> {
        query::changes(&self.hub, now, &self.change_record, changes_query)
    }

    /// `GET sessions/{id}/category/history`; none for a session that is not known.
    pub(crate) fn category_history(&self, session: SessionId, now: i64) -> Option<CategoryHistory> {
        // The newest first.
        let all = self.change_record.changes.iter().rev();
        let changes: Vec<_> =
            all.filter(|change| change.work_session_id == session).take(MAX_HISTORY).cloned().collect();
        let is_known = !changes.is_empty() || query::session(&self.hub, now, &session).is_some();
        is_known.then_some(CategoryHistory { work_session_id: session, changes })
    }
}

fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

/// Passes each line on, and returns the number of those that cannot be read.
fn each_line<T: DeserializeOwned>(bytes: &[u8], mut each: impl FnMut(T)) -> u64 {
    let mut bad = 0;
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        match serde_json::from_slice(line) {
            Ok(read) => each(read),
            Err(_) => bad += 1,
        }
    }
    bad
}
