//! Posting lists: for each word, the ascending list of the events that contain it. To save memory, a list holds the
//! differences between event numbers, in one to five bytes each. Its pieces are linked, so that it grows without being
//! copied.

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::Set;

/// Bytes of a block of the pool; slices lie within one.
const BLOCK_BYTES: usize = 1 << 16;
/// Bytes at the end of a slice that say where the next one begins.
const LINK_BYTES: usize = 4;
/// Bytes of the slices of a list, one after the other; the last size repeats.
const SLICE_BYTES: [usize; 10] = [12, 16, 24, 40, 64, 128, 256, 512, 1024, 2048];

/// The lists of one dictionary: slices, one after the other, in blocks that never move.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Pool {
    blocks: Vec<ByteBuf>,
    /// Bytes of the last block that are given away.
    used: usize,
}

/// One word's events: the last of them, and the list once there are two.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct PostingList {
    /// Number of the newest event.
    last: u32,
    /// Position in the pool of the first slice, or [`SINGLE_EVENT`].
    head: u32,
    /// Position in the pool of the next byte.
    tail: u32,
    /// Number of free bytes in the last slice, without its link.
    room: u16,
    /// Position in [`SLICE_BYTES`] of the size of the last slice.
    level: u16,
}

/// No list: the last event is the only one.
const SINGLE_EVENT: u32 = u32::MAX;
/// No event.
const NO_EVENT: u32 = u32::MAX;

impl PostingList {
    /// A list without an event.
    pub(super) const EMPTY: Self = Self { last: NO_EVENT, head: SINGLE_EVENT, tail: 0, room: 0, level: 0 };

    pub(super) fn new(event: u32) -> Self {
        Self { last: event, head: SINGLE_EVENT, tail: 0, room: 0, level: 0 }
    }
}

/// Bytes of a slice before its link.
fn room(level: u16) -> u16 {
    u16::try_from(SLICE_BYTES[usize::from(level)] - LINK_BYTES).unwrap_or(u16::MAX)
}

impl Pool {
    /// Notes an event that came after all that were noted; the last one again changes nothing. Nothing when all places
    /// are given away.
    pub(super) fn note(&mut self, events: &mut PostingList, event: u32) -> Option<()> {
        if events.last == NO_EVENT {
            *events = PostingList::new(event);
            return Some(());
        }
        if event <= events.last {
            return Some(());
        }
        if events.head == SINGLE_EVENT {
            let head = self.slice(SLICE_BYTES[0])?;
            (events.head, events.tail, events.room) = (head, head, room(0));
            self.write(events, events.last)?;
        }
        self.write(events, event - events.last)?;
        events.last = event;
        Some(())
    }

    /// Puts all events of some words into the set.
    pub(super) fn read(&self, words: &[PostingList], set: &mut Set) {
        // Lists of neighbours lie far apart: a touch of all before the first is read lets the memory fetch them at once.
        let firsts = words.iter().filter_map(|events| {
            self.blocks.get(events.head as usize / BLOCK_BYTES)?.get(events.head as usize % BLOCK_BYTES)
        });
        std::hint::black_box(firsts.fold(0, |all, byte| all ^ byte));
        for events in words {
            self.each(events, |event| set.insert(event));
        }
    }

    /// All events of a list, in order.
    pub(super) fn events(&self, list: &PostingList) -> impl Iterator<Item = u32> {
        let mut events = Vec::new();
        self.each(list, |event| events.push(event));
        events.into_iter()
    }

    fn each(&self, list: &PostingList, mut then: impl FnMut(u32)) {
        if list.head == SINGLE_EVENT {
            if list.last != NO_EVENT {
                then(list.last);
            }
            return;
        }
        let (mut at, mut level) = (list.head, 0);
        let (mut event, mut number, mut shift) = (0_u32, 0_u32, 0_u32);
        loop {
            let (block, here) = (&self.blocks[at as usize / BLOCK_BYTES], at as usize % BLOCK_BYTES);
            let whole = here + SLICE_BYTES[level] - LINK_BYTES;
            let tail = list.tail as usize % BLOCK_BYTES;
            let is_last =
                list.tail as usize / BLOCK_BYTES == at as usize / BLOCK_BYTES && (here..=whole).contains(&tail);
            let end = if is_last { tail } else { whole };
            for byte in &block[here..end] {
                number |= u32::from(byte & 0x7F) << shift;
                if byte & 0x80 == 0 {
                    event += number;
                    then(event);
                    (number, shift) = (0, 0);
                } else {
                    shift += 7;
                }
            }
            if is_last {
                return;
            }
            let mut link = [0; LINK_BYTES];
            link.copy_from_slice(&block[whole..whole + LINK_BYTES]);
            at = u32::from_le_bytes(link);
            level = (level + 1).min(SLICE_BYTES.len() - 1);
        }
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.blocks.len() * BLOCK_BYTES
    }

    fn write(&mut self, list: &mut PostingList, mut number: u32) -> Option<()> {
        loop {
            let byte = (number & 0x7F) as u8;
            number >>= 7;
            self.put(list, if number == 0 { byte } else { byte | 0x80 })?;
            if number == 0 {
                return Some(());
            }
        }
    }

    fn put(&mut self, list: &mut PostingList, byte: u8) -> Option<()> {
        if list.room == 0 {
            let level = (list.level + 1).min(SLICE_BYTES.len() as u16 - 1);
            let next = self.slice(SLICE_BYTES[usize::from(level)])?;
            let at = list.tail as usize % BLOCK_BYTES;
            self.blocks[list.tail as usize / BLOCK_BYTES][at..at + LINK_BYTES].copy_from_slice(&next.to_le_bytes());
            (list.tail, list.room, list.level) = (next, room(level), level);
        }
        self.blocks[list.tail as usize / BLOCK_BYTES][list.tail as usize % BLOCK_BYTES] = byte;
        list.tail += 1;
        list.room -= 1;
        Some(())
    }

    /// Gives a slice away.
    fn slice(&mut self, size: usize) -> Option<u32> {
        if self.blocks.is_empty() || self.used + size > BLOCK_BYTES {
            // The last place of all means no list.
            u32::try_from((self.blocks.len() + 1) * BLOCK_BYTES).ok()?;
            self.blocks.push(vec![0; BLOCK_BYTES].into());
            self.used = 0;
        }
        let at = (self.blocks.len() - 1) * BLOCK_BYTES + self.used;
        self.used += size;
        u32::try_from(at).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Pool, PostingList};
    use crate::index::Set;

    proptest! {
        /// Lists that grow by turns, with near and far neighbours, hold exactly what was noted.
        #[test]
        fn every_event_noted_is_read(steps in proptest::collection::vec((0_usize..4, 0_u32..3, any::<u32>()), 1..2_000)) {
            let mut pool = Pool::default();
            let mut lists: Vec<Option<(PostingList, Vec<u32>)>> = vec![None; 4];
            let mut event = 0_u32;
            for (list, wide, step) in steps {
                event = event.saturating_add(step % [2, 200, 40_000][wide as usize]).min(900_000);
                match &mut lists[list] {
                    Some((events, noted)) => {
                        pool.note(events, event).unwrap();
                        if noted.last() != Some(&event) {
                            noted.push(event);
                        }
                    }
                    empty => *empty = Some((PostingList::new(event), vec![event])),
                }
            }
            for (events, noted) in lists.into_iter().flatten() {
                let mut set = Set::none(900_001);
                pool.read(&[events], &mut set);
                prop_assert_eq!(set.iter().collect::<Vec<_>>(), noted);
            }
        }
    }
}
