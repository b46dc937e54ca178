//! Withdrawal of events from the hub, and their return. A withdrawn event keeps its number, its line and what was derived
//! from the line alone; no list, count or session holds it. The hub of a past moment ([`super::past`]) withdraws what was
//! not known then.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use super::event_meta::NONE;
use super::number_set::NumberSet;
use super::packable_state::PackableState;
use super::{Entered, EventStore, Hub};
use crate::api::Origin;

/// Most events that are withdrawn one by one. For more of them, all lists are read once.
const MAX_ONE_BY_ONE: usize = 128;

impl Hub {
    /// Withdraws events that may return.
    pub(super) fn withdraw_events(&mut self, withdrawn: &NumberSet) {
        if withdrawn.len() > MAX_ONE_BY_ONE {
            return self.withdraw_many(withdrawn);
        }
        if !withdrawn.is_empty() {
            self.note_revision();
            withdrawn.iter().for_each(|index| self.withdraw(index));
            drop(self.settle(Entered::default(), false));
        }
    }

    /// Brings withdrawn events back.
    pub(super) fn restore_events(&mut self, events: impl IntoIterator<Item = u32>) {
        let mut entered = Entered::default();
        for index in events {
            self.events.log.mark_restored(index);
            self.enter(index, &mut entered);
        }
        self.note_revision();
        drop(self.settle(entered, false));
    }

    /// Removes an event from every list that contains it. [`Hub::settle`] has to follow.
    pub(super) fn withdraw(&mut self, index: u32) {
        let event = &self.events.log[index as usize];
        let agents: BTreeSet<String> =
            [event.speaker_name(), event.addressee_name(), event.agent().into()].map(Into::into).into();
        for agent in agents {
            if let Some(posting) = self.indexes.by_agent.get_mut(&*agent) {
                posting.remove(&self.events.log, index);
                if posting.list.is_empty() {
                    self.indexes.by_agent.remove(&*agent);
                }
            }
        }
        if let Some(task) = event.task_id().filter(|_| event.origin() != Origin::Transcript) {
            self.indexes.task_log.withdraw(task, index, &self.events.log);
        }
        self.indexes.alarms.withdraw(index, &self.events.log);
        self.events.timeline.remove(&self.events.log, index);
        self.indexes.tally.withdraw(index, &self.events.meta[index as usize], &self.events.log);
        self.sessions.assigner.forget(index, event, &mut self.events.meta);
        self.events.log.mark_withdrawn(index);
    }

    /// The same of many, settled: costs all lists, the sessions of which a part stays, and no line of the others.
    fn withdraw_many(&mut self, withdrawn: &NumberSet) {
        self.note_revision();
        self.discard_v1();
        let leaves = |index: u32| withdrawn.contains(index);
        let EventStore { log, meta, timeline, .. } = &mut self.events;
        log.mark_all_withdrawn(withdrawn);
        timeline.remove_all(leaves);
        self.indexes.tally.withdraw_all(withdrawn);
        self.indexes.by_agent.retain(|_, posting| {
            posting.remove_all(leaves);
            !posting.list.is_empty()
        });
        self.indexes.task_log.withdraw_all(withdrawn);
        self.indexes.alarms.withdraw_all(withdrawn);
        self.sessions.assigner.forget_all(withdrawn, &timeline.list, log);
        let mut left: Vec<(u32, u32)> = Vec::new();
        for index in withdrawn.iter() {
            let fact = &mut meta[index as usize];
            if fact.session != NONE {
                left.push((fact.session, index));
            }
            *fact = fact.unplaced();
        }
        left.sort_unstable();
        let mut emptied: Vec<&[(u32, u32)]> = Vec::new();
        let mut entered = Entered::default();
        for events in left.chunk_by(|one, other| one.0 == other.0) {
            let slot = events[0].0;
            let session = &mut self.sessions.table.slots[slot as usize];
            session.remove(leaves);
            if session.events.is_empty() {
                emptied.push(events);
            } else {
                entered.touched.insert(slot);
            }
        }
        drop(self.settle(entered, false));
        self.remove_emptied(&emptied);
    }

    /// Removes sessions, each given by slot and event of its withdrawn events, of which it has no others.
    fn remove_emptied(&mut self, emptied: &[&[(u32, u32)]]) {
        let (mut slots, empty) = (NumberSet::default(), PackableState::new());
        for events in emptied {
            let slot = events[0].0;
            let session = &mut self.sessions.table.slots[slot as usize];
            // Events of another session may have come.
            if !session.events.is_empty() {
                continue;
            }
            slots.insert(slot);
            session.clear(empty.clone());
            self.sessions.table.by_id.remove(&session.id);
            self.indexes.titles.remove(slot);
            let times = events.iter().map(|(_, index)| self.events.log.at(*index));
            self.sessions.overview.remove_whole(slot, times);
        }
        self.sessions.newest.retain(|_, slot| !slots.contains(*slot));
        self.sessions.resumed.remove_all(|slot| slots.contains(slot));
    }
}
