//! Packing old lines, in steps: the long part needs no right to write.

use std::sync::Arc;

use super::Hub;
use super::packed::{Loose, Opened, Packed, Packing};
use crate::event::Event;

/// Events nobody needs any more. To be dropped where nobody waits for the hub.
#[derive(Debug, Default)]
pub struct Gone {
    events: Vec<Vec<Event>>,
    read_again: Vec<Opened>,
}

impl Gone {
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
        self.events.set_packing(packing);
    }

    /// Packs old lines, at most so many blocks: what [`Hub::put_away`] takes. Only the one who writes asks for it.
    #[must_use]
    pub fn pack(&self, blocks: usize) -> Vec<Packed> {
        let mut packed: Vec<Packed> = Vec::new();
        while packed.len() < blocks
            && let [loose] = &self.loose(packed.iter().map(Packed::len).sum(), 1)[..]
            && let Some(block) = loose.pack()
        {
            packed.push(block);
        }
        packed
    }

    /// Lines of old events, at most so many blocks, to be packed where nobody waits for the hub; `skip` events are
    /// under way already.
    #[must_use]
    pub fn loose(&self, mut skip: usize, blocks: usize) -> Vec<Loose> {
        let mut loose: Vec<Loose> = Vec::new();
        while loose.len() < blocks
            && let Some(block) = self.events.loose(skip)
        {
            skip += block.len();
            loose.push(block);
        }
        loose
    }

    /// Keeps old events packed. Takes no time to speak of.
    #[must_use]
    pub fn put_away(&mut self, packed: Vec<Packed>) -> Gone {
        Gone { events: packed.into_iter().map(|block| self.events.put_away(block)).collect(), ..Gone::default() }
    }

    /// Questions made more old events be read again than are worth being held.
    #[must_use]
    pub fn is_warm(&self) -> bool {
        self.events.is_warm()
    }

    /// Lets go of old events that were read again.
    #[must_use]
    pub fn cool(&mut self) -> Gone {
        Gone { read_again: self.events.cool(), ..Gone::default() }
    }
}
