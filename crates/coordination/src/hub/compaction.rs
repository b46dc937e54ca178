//! Compression of old events in the hub: a block of compressed log lines replaces the parsed events. Blocks are made
//! with read access to the hub. Only the replacement needs write access, for a moment.
//!
//! Queries parse events of a block again when they need them. When too many such events are in memory, they are
//! evicted.

use std::sync::Arc;

use super::Hub;
use super::packable_state::DecodedState;
use super::packed::{Packed, Packing, UncompressedBlock, UnpackedBlock};
use super::state_packing::{EncodedStates, PackedStates};
use crate::event::Event;

/// Events and states of sessions that are no longer needed. To be dropped on a thread that does not block the hub.
#[derive(Debug, Default)]
pub struct Evicted {
    events: Vec<Vec<Event>>,
    reparsed: Vec<UnpackedBlock>,
    /// Decoded states of sessions.
    states: Vec<DecodedState>,
}

impl Evicted {
    /// Number of events and states.
    #[must_use]
    pub fn len(&self) -> usize {
        let reparsed = self.reparsed.iter().map(UnpackedBlock::len);
        self.events.iter().map(Vec::len).chain(reparsed).sum::<usize>() + self.states.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Hub {
    /// Sets how lines of old events are packed, and packs states of old sessions. Without a packing, all events stay
    /// parsed, and all states as they are.
    pub fn set_packing(&mut self, packing: Arc<dyn Packing>) {
        self.sessions.table.set_packing(&packing, &self.indexes.people);
        self.events.log.set_packing(packing);
    }

    /// Packs old lines, at most this many blocks, for [`Hub::put_packed`]. Only the writer calls it.
    #[must_use]
    pub fn pack(&self, blocks: usize) -> Vec<Packed> {
        let mut packed: Vec<Packed> = Vec::new();
        while packed.len() < blocks
            && let [uncompressed] = &self.uncompressed(packed.iter().map(Packed::len).sum(), 1)[..]
            && let Some(block) = uncompressed.pack()
        {
            packed.push(block);
        }
        packed
    }

    /// Lines of old events, at most this many blocks, for packing on another thread; the first `skip` events are
    /// in progress already.
    #[must_use]
    pub fn uncompressed(&self, mut skip: usize, blocks: usize) -> Vec<UncompressedBlock> {
        let mut uncompressed: Vec<UncompressedBlock> = Vec::new();
        while uncompressed.len() < blocks
            && let Some(block) = self.events.log.uncompressed(skip)
        {
            skip += block.len();
            uncompressed.push(block);
        }
        uncompressed
    }

    /// Replaces old events by their packed lines. Takes negligible time.
    #[must_use]
    pub fn put_packed(&mut self, packed: Vec<Packed>) -> Evicted {
        Evicted {
            events: packed.into_iter().map(|block| self.events.log.put_packed(block)).collect(),
            ..Evicted::default()
        }
    }

    /// Whether states of old sessions are encoded and not packed yet.
    #[must_use]
    pub fn has_encoded_states(&self) -> bool {
        self.sessions.table.has_encoded()
    }

    /// Encoded states of old sessions, at most this many, to be packed on another thread for
    /// [`Hub::put_packed_states`]. Those that are not put stay encoded.
    #[must_use]
    pub fn take_encoded_states(&mut self, most: usize) -> Option<EncodedStates> {
        self.sessions.table.take_encoded(most)
    }

    /// Replaces encoded states by their packed forms. Takes negligible time.
    pub fn put_packed_states(&mut self, packed: PackedStates) {
        self.sessions.table.put_packed(packed);
    }

    /// Whether queries parsed more old events, or decoded more states of sessions, than should stay in memory.
    #[must_use]
    pub fn has_rehydrated(&self) -> bool {
        self.events.log.has_rehydrated() || self.sessions.table.has_unpacked()
    }

    /// Evicts old events that queries parsed, and states of sessions that they decoded.
    #[must_use]
    pub fn evict_rehydrated(&mut self) -> Evicted {
        Evicted {
            reparsed: self.events.log.evict_rehydrated(),
            states: self.sessions.table.evict_unpacked(),
            ..Evicted::default()
        }
    }
}
