//! Compaction of old lines, in steps: packing needs no write access to the hub, only the swap of a block does.

use std::sync::Arc;

use super::Hub;
use super::packed::{Opened, Packed, Packing, Uncompressed};
use crate::event::Event;

/// Events nobody needs any more. To be dropped where nobody waits for the hub.
#[derive(Debug, Default)]
pub struct Evicted {
    events: Vec<Vec<Event>>,
    read_again: Vec<Opened>,
}

impl Evicted {
    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        let again = self.read_again.iter().map(Opened::len);
        self.events.iter().map(Vec::len).chain(again).sum()
    }

    /// There are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Hub {
    /// Has lines of old events packed this way from now on. Without one, all events stay as they were read.
    pub fn set_packing(&mut self, packing: Arc<dyn Packing>) {
        self.events.log.set_packing(packing);
    }

    /// Packs old lines, at most so many blocks: what [`Hub::put_packed`] takes. Only the one who writes asks for it.
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

    /// Lines of old events, at most so many blocks, to be packed where nobody waits for the hub; `skip` events are
    /// under way already.
    #[must_use]
    pub fn uncompressed(&self, mut skip: usize, blocks: usize) -> Vec<Uncompressed> {
        let mut uncompressed: Vec<Uncompressed> = Vec::new();
        while uncompressed.len() < blocks
            && let Some(block) = self.events.log.uncompressed(skip)
        {
            skip += block.len();
            uncompressed.push(block);
        }
        uncompressed
    }

    /// Keeps old events packed. Takes no time to speak of.
    #[must_use]
    pub fn put_packed(&mut self, packed: Vec<Packed>) -> Evicted {
        Evicted {
            events: packed.into_iter().map(|block| self.events.log.put_packed(block)).collect(),
            ..Evicted::default()
        }
    }

    /// Questions made more old events be read again than are worth being held.
    #[must_use]
    pub fn has_rehydrated(&self) -> bool {
        self.events.log.has_rehydrated()
    }

    /// Lets go of old events that were read again.
    #[must_use]
    pub fn evict_rehydrated(&mut self) -> Evicted {
        Evicted { read_again: self.events.log.evict_rehydrated(), ..Evicted::default() }
    }
}
