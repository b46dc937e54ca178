//! Sessions by slot and id. It keeps the states of the sessions that changed last as they are and encodes the others
//! ([`super::packable_state`]).

use std::collections::VecDeque;
use std::sync::Arc;

use super::event_meta::NONE;
use super::hash_map::FastHashMap;
use super::names::NameTable;
use super::packable_state::DecodedState;
use super::packed::Packing;
use super::session::Session;
use super::state_packing::{EncodedStates, PackedStates, StatePacking};
use crate::ids::SessionId;

/// Maximum number of decoded states before they are evicted.
const MAX_UNPACKED: usize = 4 * 1024;

/// Sessions by slot and id.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionTable {
    /// Slots; a slot without events stays empty permanently.
    pub(crate) slots: Vec<Session>,
    /// Slots of the sessions that have events.
    pub(crate) by_id: FastHashMap<Arc<SessionId>, u32>,
    /// Absent: no state is packed.
    packing: Option<Arc<StatePacking>>,
    /// It says how many states are not packed, besides those with a send that waits. Absent: all.
    limit: Option<Arc<dyn Packing>>,
    /// Slots with an open state, each once: the first is encoded next, unless it changed since it came here (second-chance
    /// replacement).
    queue: VecDeque<u32>,
    /// Slots whose states were encoded and are to be packed.
    encoded: Vec<u32>,
}

impl SessionTable {
    /// As they were saved.
    pub(super) fn from_saved(slots: Vec<Session>, packing: Arc<StatePacking>) -> Self {
        let occupied = (0..).zip(&slots).filter(|(_, session)| !session.events.is_empty());
        let by_id = occupied.map(|(slot, session)| (Arc::clone(&session.id), slot)).collect();
        let encoded = (0..).zip(&slots).filter(|(_, session)| session.state.encoded().is_some());
        let encoded = encoded.map(|(slot, _)| slot).collect();
        Self { slots, by_id, packing: Some(packing), limit: None, queue: VecDeque::new(), encoded }
    }

    /// Encodes states from now on.
    pub(super) fn set_packing(&mut self, packing: &Arc<dyn Packing>, people: &NameTable) {
        self.packing.get_or_insert_with(|| Arc::new(StatePacking::new(Arc::clone(packing), Vec::new())));
        self.limit = Some(Arc::clone(packing));
        for slot in 0..super::count(self.slots.len()) {
            self.note_change(slot, people);
        }
    }

    /// Counts the decoded states of a copy by itself.
    pub(super) fn detach(&mut self) {
        let Some(packing) = &mut self.packing else { return };
        *packing = Arc::new(packing.detached());
        self.slots.iter_mut().for_each(|session| session.state.set_packing(packing));
    }

    /// What the packing of states needs to read them again, for saving.
    pub(super) fn samples(&self) -> Vec<u8> {
        self.packing.as_ref().map_or_else(Vec::new, |packing| packing.samples())
    }

    /// The slot of a session, which is made unless there is one.
    pub(super) fn slot(&mut self, id: SessionId, synthetic: bool) -> u32 {
        if let Some(slot) = self.by_id.get(&id) {
            return *slot;
        }
        let slot = u32::try_from(self.slots.len()).unwrap_or(NONE - 1);
        let id = Arc::new(id);
        self.slots.push(Session::new(Arc::clone(&id), synthetic));
        self.by_id.insert(id, slot);
        slot
    }

    /// Notes that a state changed, and encodes those that did not change for the longest time.
    pub(super) fn note_change(&mut self, slot: u32, people: &NameTable) {
        let Some(packing) = self.packing.clone() else { return };
        let session = &mut self.slots[slot as usize];
        if session.state.open().is_none() {
            return;
        }
        session.is_recent = session.is_queued;
        if !std::mem::replace(&mut session.is_queued, true) {
            self.queue.push_back(slot);
        }
        let max_open = self.limit.as_ref().map_or(usize::MAX, |packing| packing.open_sessions());
        while self.queue.len() > max_open
            && let Some(oldest) = self.queue.pop_front()
        {
            let session = &mut self.slots[oldest as usize];
            if std::mem::take(&mut session.is_recent) {
                self.queue.push_back(oldest);
                continue;
            }
            session.is_queued = false;
            session.state.encode(&packing, people);
            if session.state.encoded().is_some() {
                self.encoded.push(oldest);
            }
        }
    }

    /// Whether encoded states are to be packed.
    pub(super) fn has_encoded(&self) -> bool {
        !self.encoded.is_empty()
    }

    /// Encoded states, at most this many, to be packed on another thread.
    pub(super) fn take_encoded(&mut self, most: usize) -> Option<EncodedStates> {
        let packing = Arc::clone(self.packing.as_ref()?);
        let slots = self.encoded.split_off(self.encoded.len().saturating_sub(most));
        let bytes = |slot: u32| Some((slot, self.slots[slot as usize].state.encoded()?.into()));
        let states: Vec<_> = slots.into_iter().filter_map(bytes).collect();
        (!states.is_empty()).then(|| EncodedStates::new(packing, states))
    }

    /// Replaces encoded states by their packed forms, unless they changed since.
    pub(super) fn put_packed(&mut self, packed: PackedStates) {
        for (slot, plain, packed) in packed.into_states() {
            self.slots[slot as usize].state.put_packed(&plain, packed);
        }
    }

    /// Whether queries decoded more states than should stay in memory.
    pub(super) fn has_unpacked(&self) -> bool {
        self.packing.as_ref().is_some_and(|packing| packing.unpacked() > MAX_UNPACKED)
    }

    /// Evicts decoded states: all but those read since the last time, and those too when there are too many.
    pub(super) fn evict_unpacked(&mut self) -> Vec<DecodedState> {
        let mut evicted: Vec<_> = self.slots.iter_mut().filter_map(|session| session.state.evict(false)).collect();
        if self.has_unpacked() {
            evicted.extend(self.slots.iter_mut().filter_map(|session| session.state.evict(true)));
        }
        evicted
    }
}
