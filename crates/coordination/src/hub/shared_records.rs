//! Shared records (notes, resolved marks, views for everybody, rules of alerts) in the hub, by session and with their
//! texts for search.

use std::collections::BTreeSet;

use super::{Changes, FastHashMap, Hub, count};
use crate::api::{ResolvedBy, SharedContent, SharedRecord};
use crate::ids::SessionId;
use crate::search::folded;
use crate::shared_records::SharedRecords;

/// The records in force, prepared for queries.
#[derive(Debug, Clone, Default)]
pub struct SharedIndex {
    /// Oldest first, each with its folded text.
    list: Vec<(SharedRecord, String)>,
    /// Indexes in `list` of the notes and marks of each session.
    by_session: FastHashMap<SessionId, Vec<usize>>,
    /// Number of views that everybody has on home.
    home_views: u32,
    /// Indexes in `list` of rules of alerts.
    rules: Vec<usize>,
}

impl SharedIndex {
    /// Prepares all records.
    #[must_use]
    pub fn new(records: &SharedRecords) -> Self {
        let with_text = |record: SharedRecord| (folded(record.content.text()), record);
        Self::from_list(records.all().into_iter().map(with_text).map(|(text, record)| (record, text)).collect())
    }

    /// The records that were as they are now at a past moment.
    pub(super) fn unchanged_since(&self, at: i64) -> Self {
        Self::from_list(self.list.iter().filter(|(record, _)| record.updated_at <= at).cloned().collect())
    }

    fn from_list(list: Vec<(SharedRecord, String)>) -> Self {
        let records = || list.iter().map(|(record, _)| record);
        let on_home = |record: &&SharedRecord| matches!(&record.content, SharedContent::View(view) if view.home);
        let home_views = count(records().filter(on_home).count());
        let mut by_session: FastHashMap<SessionId, Vec<usize>> = FastHashMap::default();
        for (index, record) in records().enumerate() {
            if let Some(place) = record.content.place() {
                by_session.entry(place.work_session_id.clone()).or_default().push(index);
            }
        }
        let is_rule = |(_, record): &(usize, &SharedRecord)| matches!(record.content, SharedContent::Rule(_));
        let rules = records().enumerate().filter(is_rule).map(|(index, _)| index).collect();
        Self { list, by_session, home_views, rules }
    }

    /// All records with their folded texts, oldest first.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&SharedRecord, &str)> {
        self.list.iter().map(|(record, text)| (record, text.as_str()))
    }

    /// The record at an index of [`SharedIndex::all`].
    pub(crate) fn at(&self, index: usize) -> Option<&SharedRecord> {
        self.list.get(index).map(|(record, _)| record)
    }

    /// Notes and marks of a session, oldest first.
    pub(crate) fn of_session(&self, session: &SessionId) -> impl Iterator<Item = &SharedRecord> {
        self.by_session.get(session).into_iter().flatten().map(|index| &self.list[*index].0)
    }

    /// Views for everybody, oldest first.
    pub(crate) fn views(&self) -> impl Iterator<Item = &SharedRecord> {
        self.list.iter().map(|(record, _)| record).filter(|record| matches!(record.content, SharedContent::View(_)))
    }

    /// Rules of alerts, oldest first.
    pub(crate) fn rules(&self) -> impl Iterator<Item = &SharedRecord> {
        self.rules.iter().filter_map(|index| self.at(*index))
    }

    /// Number of views that everybody has on home.
    pub(crate) fn home_view_count(&self) -> u32 {
        self.home_views
    }

    /// Number of notes on a session, its threads and messages.
    pub(crate) fn note_count(&self, session: &SessionId) -> u32 {
        count(self.of_session(session).filter(|record| matches!(record.content, SharedContent::Note(_))).count())
    }

    /// Who marked a whole session as resolved.
    pub(crate) fn resolved(&self, session: &SessionId) -> Option<ResolvedBy> {
        let is_whole = |record: &&SharedRecord| match &record.content {
            SharedContent::Resolved(mark) => mark.place.is_session(),
            _ => false,
        };
        let mark = self.of_session(session).find(is_whole)?;
        Some(ResolvedBy { at: mark.updated_at, by: mark.updated_by.clone() })
    }
}

impl Hub {
    /// Replaces the shared records.
    pub fn set_shared_records(&mut self, new: SharedIndex) -> Changes {
        let old = &self.inputs.shared;
        if new.all().eq(old.all()) {
            return Changes::default();
        }
        let ids: BTreeSet<&SessionId> = new.by_session.keys().chain(old.by_session.keys()).collect();
        let differing = ids.into_iter().filter(|id| !new.of_session(id).eq(old.of_session(id)));
        let slots: Vec<Option<u32>> = differing.map(|id| self.sessions.table.by_id.get(id).copied()).collect();
        // A note on a session that the log does not hold changes no card, but answers: a frame has to advance them.
        let lists = new.views().eq(old.views()) && new.rules().eq(old.rules());
        let views = !lists || slots.contains(&None);
        let sessions = slots.into_iter().flatten().collect();
        self.note_revision();
        self.inputs.shared = new;
        Changes { sessions, views, ..Changes::default() }
    }
}
