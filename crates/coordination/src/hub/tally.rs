//! Counters of events by role, type and agents, and lists of the events of each type. They are updated with each event,
//! so that an event list is counted without a scan.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Log;
use super::event_meta::{EventMeta, Posting};
use super::hash_map::FastHashMap;
use super::number_set::NumberSet;
use crate::role::Role;

/// Values shared by events that are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct TallyKey {
    role: Role,
    /// Number of the type in [`super::Indexes::kinds`].
    kind: u16,
    /// Numbers of speaker, addressee and writer in [`super::Indexes::people`].
    people: [u16; 3],
}

impl TallyKey {
    fn from_meta(meta: &EventMeta) -> Self {
        let flags = &meta.flags;
        Self { role: meta.role, kind: meta.kind, people: [flags.speaker, flags.addressee, flags.agent] }
    }
}

/// Events of one role and type, by the same people.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct TallyCell {
    pub(crate) role: Role,
    /// The type's number in [`super::Indexes::kinds`].
    pub(crate) kind: u16,
    /// One event of that type by these people, of any role: roles may be rederived, the rest does not change.
    pub(crate) sample: u32,
    /// Number of events; zero for some.
    pub(crate) count: u32,
}

/// Marks a withdrawn event in the list of cells.
const WITHDRAWN_CELL: u32 = u32::MAX;

/// Counts of events. Grows with the log: by a number an event, and by a cell for each new combination.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct EventTally {
    /// By cell number; emptied when all roles are rederived.
    cells: Vec<TallyCell>,
    /// Cell number by the values that its events share.
    numbers: FastHashMap<TallyKey, u32>,
    /// Cell number of each event, or [`WITHDRAWN_CELL`].
    cell_by_event: Vec<u32>,
    /// Events of each type, by the type's number.
    kinds: Vec<Posting>,
    /// Types with new events. Emptied by [`EventTally::settle`].
    touched: BTreeSet<u16>,
}

impl EventTally {
    /// Counts the next event of the log, or one that was withdrawn.
    pub(super) fn note(&mut self, index: u32, meta: &EventMeta) {
        let cell = self.enter(index, meta);
        match self.cell_by_event.get_mut(index as usize) {
            Some(withdrawn) => *withdrawn = cell,
            None => self.cell_by_event.push(cell),
        }
        let kind = usize::from(meta.kind);
        if self.kinds.len() <= kind {
            self.kinds.resize(kind + 1, Posting::default());
        }
        self.kinds[kind].push(index);
        self.touched.insert(meta.kind);
    }

    /// Sorts the noted events.
    pub(super) fn settle(&mut self, events: &Log) {
        for kind in std::mem::take(&mut self.touched) {
            self.kinds[usize::from(kind)].settle(events);
        }
    }

    /// Moves an event to the cell of its new role.
    pub(super) fn recast(&mut self, index: u32, meta: &EventMeta) {
        let cell = self.enter(index, meta);
        let before = std::mem::replace(&mut self.cell_by_event[index as usize], cell);
        self.cells[before as usize].count -= 1;
    }

    /// Subtracts a withdrawn event. It is still in `events`.
    pub(super) fn withdraw(&mut self, index: u32, meta: &EventMeta, events: &Log) {
        let before = std::mem::replace(&mut self.cell_by_event[index as usize], WITHDRAWN_CELL);
        self.cells[before as usize].count -= 1;
        self.kinds[usize::from(meta.kind)].remove(events, index);
    }

    /// The same of many.
    pub(super) fn withdraw_all(&mut self, withdrawn: &NumberSet) {
        for index in withdrawn.iter() {
            let before = std::mem::replace(&mut self.cell_by_event[index as usize], WITHDRAWN_CELL);
            self.cells[before as usize].count -= 1;
        }
        for kind in &mut self.kinds {
            kind.remove_all(|index| withdrawn.contains(index));
        }
    }

    /// Recounts after all roles were rederived.
    pub(super) fn recount(&mut self, meta: &[EventMeta]) {
        self.cells.clear();
        self.numbers.clear();
        let before = std::mem::take(&mut self.cell_by_event);
        let cells = (0..).zip(meta).zip(before);
        self.cell_by_event = cells
            .map(|((index, fact), of)| if of == WITHDRAWN_CELL { WITHDRAWN_CELL } else { self.enter(index, fact) })
            .collect();
    }

    fn enter(&mut self, index: u32, meta: &EventMeta) -> u32 {
        let next = super::count(self.cells.len());
        let number = *self.numbers.entry(TallyKey::from_meta(meta)).or_insert(next);
        if number == next {
            self.cells.push(TallyCell { role: meta.role, kind: meta.kind, sample: index, count: 0 });
        }
        self.cells[number as usize].count += 1;
        number
    }

    /// All cells, by their numbers.
    pub(crate) fn cells(&self) -> &[TallyCell] {
        &self.cells
    }

    /// The number of an event's cell.
    pub(crate) fn cell_of(&self, index: u32) -> usize {
        self.cell_by_event[index as usize] as usize
    }

    /// All events of a type, oldest first.
    pub(crate) fn of_kind(&self, kind: u16) -> &[u32] {
        self.kinds.get(usize::from(kind)).map_or(&[], |posting| &posting.list)
    }
}
