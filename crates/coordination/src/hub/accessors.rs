//! Read accessors of the hub for queries: events, sessions, roster, workspace, positions.

use std::collections::BTreeMap;

use super::session::Session;
use super::{EventMeta, Hub, Log, SessionBrief, count};
use crate::api::{Cursor, ManualOverride, SourceInfo};
use crate::event::Event;
use crate::ids::{AgentId, EventId, SessionId};
use crate::roster::Roster;
use crate::search::index::IndexEntry;
use crate::session::ARCHIVE_AFTER_MS;
use crate::workspace::{AgentWorkspace, Workspace};

impl Hub {
    /// The next events that a search index does not cover, at most `most` of them.
    #[must_use]
    pub fn index_entries(&self, covered: u32, most: u32) -> Vec<IndexEntry> {
        let known = u32::try_from(self.events.log.len()).unwrap_or(u32::MAX);
        let mut entries = Vec::new();
        self.events.log.visit(covered..known.min(covered.saturating_add(most)), |_, event| {
            entries.push(IndexEntry::from_event(event))
        });
        entries
    }

    /// Position.
    #[must_use]
    pub fn cursor(&self) -> Cursor {
        self.cursor.clone()
    }

    /// All events in order of arrival.
    #[must_use]
    pub fn events(&self) -> &Log {
        &self.events.log
    }

    /// The agents of the configuration.
    #[must_use]
    pub fn roster(&self) -> &Roster {
        &self.inputs.roster
    }

    /// The manual overrides.
    #[must_use]
    pub fn overrides(&self) -> &BTreeMap<SessionId, ManualOverride> {
        &self.inputs.overrides
    }

    /// The agents' folders.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.inputs.workspace
    }

    /// One agent's folder.
    pub(crate) fn folder(&self, id: &AgentId) -> Option<&AgentWorkspace> {
        self.inputs.tasks.folder(&self.inputs.workspace, id)
    }

    /// State of the files.
    #[must_use]
    pub fn source(&self) -> &SourceInfo {
        &self.inputs.source
    }

    /// Number of known sessions.
    #[must_use]
    pub fn session_count(&self) -> usize {
        self.sessions.newest.len()
    }

    /// The session of this id.
    pub(crate) fn session(&self, id: &SessionId) -> Option<&Session> {
        self.sessions.table.by_id.get(id).map(|slot| &self.sessions.table.slots[*slot as usize])
    }

    /// The slot of a session.
    pub(crate) fn slot_of(&self, id: &SessionId) -> Option<u32> {
        self.sessions.table.by_id.get(id).copied()
    }

    /// The session in this slot, unless it is empty.
    pub(crate) fn session_at(&self, slot: u32) -> Option<&Session> {
        self.sessions.table.slots.get(slot as usize).filter(|session| !session.events.is_empty())
    }

    /// One more than the greatest slot.
    pub(crate) fn slots(&self) -> u32 {
        count(self.sessions.table.slots.len())
    }

    /// All sessions, newest first.
    pub(crate) fn sessions(&self) -> impl DoubleEndedIterator<Item = &Session> {
        self.sessions.newest.values().map(|slot| &self.sessions.table.slots[*slot as usize])
    }

    /// All sessions with their slots and summaries, newest first.
    pub(crate) fn briefed(&self) -> impl Iterator<Item = (u32, SessionBrief, &Session)> {
        self.sessions
            .newest
            .values()
            .map(|slot| (*slot, self.sessions.overview.brief(*slot), &self.sessions.table.slots[*slot as usize]))
    }

    /// Sessions that are not archived at `now`, newest first.
    pub(crate) fn recent_sessions(&self, now: i64) -> impl Iterator<Item = (SessionBrief, &Session)> {
        self.sessions
            .newest
            .iter()
            .take_while(move |((last, _), _)| now.saturating_sub(last.0) <= ARCHIVE_AFTER_MS)
            .map(|(_, slot)| (self.sessions.overview.brief(*slot), &self.sessions.table.slots[*slot as usize]))
    }

    /// The event of this id.
    pub(crate) fn find(&self, id: &EventId) -> Option<u32> {
        self.events.positions.find(&self.events.log, id)
    }

    /// An event. An old one is parsed from its packed line.
    pub(crate) fn event(&self, index: u32) -> &Event {
        &self.events.log[index as usize]
    }

    pub(crate) fn meta_of(&self, index: u32) -> &EventMeta {
        &self.events.meta[index as usize]
    }
}
