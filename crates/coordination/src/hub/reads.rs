//! What questions ask of everything known.

use std::collections::BTreeMap;

use super::session::Session;
use super::{Fact, Hub, Log, count};
use crate::api::{Cursor, ManualOverride, SourceInfo};
use crate::event::Event;
use crate::ids::{AgentId, EventId, SessionId};
use crate::roster::Roster;
use crate::search::index::Entry;
use crate::workspace::{AgentWorkspace, Workspace};

impl Hub {
    /// The next events that a search index does not cover, at most `most` of them.
    #[must_use]
    pub fn index_entries(&self, covered: u32, most: u32) -> Vec<Entry> {
        let known = u32::try_from(self.events.len()).unwrap_or(u32::MAX);
        let mut entries = Vec::new();
        self.events.visit(covered..known.min(covered.saturating_add(most)), |_, event| entries.push(Entry::of(event)));
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
        &self.events
    }

    /// Who the agents are.
    #[must_use]
    pub fn roster(&self) -> &Roster {
        &self.roster
    }

    /// The manual overrides.
    #[must_use]
    pub fn overrides(&self) -> &BTreeMap<SessionId, ManualOverride> {
        &self.overrides
    }

    /// What is known of the agents' folders.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// What is known of one agent's folder.
    pub(crate) fn folder(&self, id: &AgentId) -> Option<&AgentWorkspace> {
        self.tasks.folder(&self.workspace, id)
    }

    /// State of the files.
    #[must_use]
    pub fn source(&self) -> &SourceInfo {
        &self.source
    }

    /// How many sessions are known.
    #[must_use]
    pub fn session_count(&self) -> usize {
        self.newest.len()
    }

    /// The session of this id.
    pub(crate) fn session(&self, id: &SessionId) -> Option<&Session> {
        self.sessions.by_id.get(id).map(|slot| &self.sessions.slots[*slot as usize])
    }

    /// The slot of a session.
    pub(crate) fn slot_of(&self, id: &SessionId) -> Option<u32> {
        self.sessions.by_id.get(id).copied()
    }

    /// The session in this slot, unless it is empty.
    pub(crate) fn session_at(&self, slot: u32) -> Option<&Session> {
        self.sessions.slots.get(slot as usize).filter(|session| !session.events.is_empty())
    }

    /// One more than the greatest slot.
    pub(crate) fn slots(&self) -> u32 {
        count(self.sessions.slots.len())
    }

    /// All sessions, newest first.
    pub(crate) fn sessions(&self) -> impl DoubleEndedIterator<Item = &Session> {
        self.newest.values().map(|slot| &self.sessions.slots[*slot as usize])
    }

    /// The event of this id.
    pub(crate) fn find(&self, id: &EventId) -> Option<u32> {
        self.positions.find(&self.events, id)
    }

    /// An event. An old one is read again from its packed line.
    pub(crate) fn event(&self, index: u32) -> &Event {
        &self.events[index as usize]
    }

    pub(crate) fn fact(&self, index: u32) -> &Fact {
        &self.facts[index as usize]
    }
}
