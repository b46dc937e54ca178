//! Publication of changes after new inputs of coding agents were written to the journal. New and corrected events go to
//! the hub (state in memory) and to the board (`agent_events/board.rs`), the list that event streams read. Changed
//! agent states go to the hub, heartbeats to the board. The cost is proportional to the change.

use std::sync::PoisonError;

use coordination::schema::{AgentsChanged, BeatsChanged, Changed};

use super::JournalWriter;
use crate::sources::agent_events::AgentEventsUpdate;

impl JournalWriter {
    /// Lets readers and the hub know. Costs what changed.
    pub(super) fn publish_changes(&mut self, changed: Changed) {
        self.publish_update(changed, Vec::new(), false);
    }

    /// Publishes all events of the record after it was read, and the removal of agents that the ledger does not know.
    pub(super) fn publish_whole(&mut self, changed: Changed, lost: Vec<String>) {
        self.publish_update(changed, lost, true);
    }

    fn publish_update(&mut self, changed: Changed, lost: Vec<String>, whole: bool) {
        let revision = {
            let mut board = self.shared.board.write().unwrap_or_else(PoisonError::into_inner);
            board.apply(&changed).then(|| board.revision())
        };
        if let Some(revision) = revision {
            self.shared.reading.send_modify(|reading| reading.revision = Some(revision));
        }
        // A sign of life changes an agent and no event.
        let mut agents = self.ledger.take_changed_agents();
        agents.0.extend(lost.into_iter().map(|id| (id, Vec::new())));
        let published = &mut self.published_agents.0;
        agents.0.retain(|id, now| published.get(id).map_or(&[][..], Vec::as_slice) != now.as_slice());
        for (id, now) in &agents.0 {
            match now.is_empty() {
                true => drop(published.remove(id)),
                false => drop(published.insert(id.clone(), now.clone())),
            }
        }
        if !agents.0.is_empty() {
            let beats = self.beats.take(&agents, self.clock.now_ms());
            self.beat(&beats);
        }
        if whole || revision.is_some() || !agents.0.is_empty() || !changed.evicted.is_empty() {
            self.send_with(changed, agents, whole);
        }
    }

    /// Publishes heartbeats to the readers of the stream; the hub gets none.
    pub(super) fn beat(&self, beats: &BeatsChanged) {
        let mut board = self.shared.board.write().unwrap_or_else(PoisonError::into_inner);
        if board.beat(beats) {
            let revision = board.revision();
            drop(board);
            self.shared.reading.send_modify(|reading| reading.revision = reading.revision.map(|_| revision));
        }
    }

    pub(super) fn send(&self, changed: Changed) {
        self.send_with(changed, AgentsChanged::default(), false);
    }

    fn send_with(&self, changed: Changed, agents: AgentsChanged, whole: bool) {
        let change = AgentEventsUpdate { changed, whole, agents, unreadable: self.unreadable.clone() };
        // Without a hub the monitor is closing.
        let _sent: bool = self.hub.send(change);
    }

    /// Brings what others may know up to date.
    pub(super) fn publish(&self) {
        let board = self.shared.board.read().unwrap_or_else(PoisonError::into_inner);
        let events = board.len() as u64;
        drop(board);
        let mut info = self.shared.info();
        info.writable = (self.may_write)();
        (info.bytes, info.bad_lines) = (self.journal.size, self.journal.bad);
        (info.inputs, info.events, info.evicted_events) = (self.ledger.taken(), events, self.ledger.evicted());
        info.conflicts = self.ledger.timeline().conflicts();
        info.agents = self.ledger.timeline().agents_len() as u64;
        info.hooks.clone_from(self.ledger.hooks().counts());
        (info.dropped_bytes, info.dropped_to) = (self.dropped.size, self.dropped.taken_to());
    }
}
