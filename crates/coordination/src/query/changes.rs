//! Query of `GET /api/v2/category-changes`: category changes over all sessions. The caller reads the audit log and
//! passes it in.

use std::collections::BTreeMap;

use super::QueryError;
use super::card::link;
use super::page::{self, ranked};
use super::params::invalid;
use crate::api::{CategoryChange, ChangeRow, ChangesPage, ChangesQuery, ExpectedOverride, ManualOverride};
use crate::category::Category;
use crate::hub::{Hub, count};
use crate::ids::SessionId;
use crate::text::Needle;
use crate::time::parse_iso;

/// Changes in the history of a session.
pub const MAX_HISTORY: usize = 200;
/// Maximum number of names.
const MAX_PEOPLE: usize = 100;

/// The record of changes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChangeRecord {
    /// In the order in which they were recorded, which is the order in which they took effect; a change found in the
    /// file has the time in the file.
    pub changes: Vec<CategoryChange>,
    /// Lines that are not changes.
    pub bad_lines: u64,
}

impl ChangeRecord {
    /// The manual categories that were in force at a moment.
    #[must_use]
    pub fn overrides_at(&self, at: i64) -> BTreeMap<SessionId, ManualOverride> {
        let mut overrides = BTreeMap::new();
        for change in self.changes.iter().filter(|change| parse_iso(&change.at).is_some_and(|made| made <= at)) {
            match override_of(change) {
                Some(manual) => overrides.insert(change.work_session_id.clone(), manual),
                None => overrides.remove(&change.work_session_id),
            };
        }
        overrides
    }
}

/// The manual category that a change sets; `None` when it returns the session to its automatic one.
#[must_use]
pub fn override_of(change: &CategoryChange) -> Option<ManualOverride> {
    let collab_category = change.to.as_deref()?.parse().ok()?;
    Some(ManualOverride { collab_category, updated_at: change.at.clone(), updated_by: change.by.clone() })
}

/// `GET category-changes`, newest first.
///
/// # Errors
/// When the page mark is not of an earlier answer, or the limit out of bounds.
pub fn changes(hub: &Hub, now: i64, record: &ChangeRecord, query: &ChangesQuery) -> Result<ChangesPage, QueryError> {
    let limit = page::limit(query.limit, 100, 500)?;
    let wrong = |_| invalid("cursor", "not a page mark of an earlier answer");
    let before: Option<usize> = query.cursor.as_deref().map(str::parse).transpose().map_err(wrong)?;
    let filter = ChangeMatcher::new(query);
    let mut people: BTreeMap<&str, u32> = BTreeMap::new();
    let mut fitting = Vec::new();
    for (number, change) in record.changes.iter().enumerate().rev() {
        let fits = filter.fits(hub, change);
        if let Some(name) = &change.by {
            *people.entry(name).or_default() += u32::from(fits);
        }
        if fits && filter.of(change) {
            fitting.push(number);
        }
    }
    let total = count(fitting.len());
    let mut rest = fitting.into_iter().filter(|number| before.is_none_or(|before| *number < before));
    let numbers: Vec<usize> = rest.by_ref().take(limit).collect();
    let more = rest.next().is_some();
    let row = |number: &usize| {
        let change = record.changes.get(*number)?.clone();
        Some(ChangeRow { number: count(*number), session: link(hub, &change.work_session_id), change })
    };
    Ok(ChangesPage {
        next: numbers.last().filter(|_| more).map(ToString::to_string),
        changes: numbers.iter().filter_map(row).collect(),
        total,
        people: ranked(people.into_iter(), MAX_PEOPLE),
        bad_lines: record.bad_lines,
        cursor: hub.cursor(),
        now,
    })
}

struct ChangeMatcher<'a> {
    query: &'a ChangesQuery,
    who: Option<String>,
    session: Option<Needle>,
}

impl<'a> ChangeMatcher<'a> {
    fn new(query: &'a ChangesQuery) -> Self {
        let who = query.who.as_ref().map(|name| name.trim().to_lowercase());
        Self { query, who, session: query.session.as_deref().and_then(Needle::new) }
    }

    /// Whether it was made under the requested name.
    fn of(&self, change: &CategoryChange) -> bool {
        self.who.as_ref().is_none_or(|who| change.by.as_ref().is_some_and(|by| by.to_lowercase() == *who))
    }

    /// Whether everything but the name fits.
    fn fits(&self, hub: &Hub, change: &CategoryChange) -> bool {
        let query = self.query;
        let side = |wanted: Option<ExpectedOverride>, written: &Option<String>| {
            wanted.is_none_or(|ExpectedOverride(wanted)| wanted.map(Category::as_str) == written.as_deref())
        };
        let at = parse_iso(&change.at);
        let id = &change.work_session_id;
        side(query.from, &change.from)
            && side(query.to, &change.to)
            // An unreadable time is within no bounds.
            && query.since.is_none_or(|since| at.is_some_and(|at| at >= since))
            && query.until.is_none_or(|until| at.is_some_and(|at| at <= until))
            && self.session.as_ref().is_none_or(|text| text.is_in(id.as_str()) || text.is_in(&link(hub, id).title))
    }
}
