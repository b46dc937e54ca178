//! Lines of old events, packed: a block of neighbours together, because what they have in common is most of them.

use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use crate::event::Event;

/// A way to keep bytes in less room. What goes in comes out.
pub trait Packing: Debug + Send + Sync {
    /// Packs; nothing when that is not possible now.
    fn pack(&self, plain: &[u8]) -> Option<Vec<u8>>;

    /// Gives back what was packed, which was `length` bytes long; nothing when the packed bytes are damaged.
    fn unpack(&self, packed: &[u8], length: usize) -> Option<Vec<u8>>;

    /// Plain bytes of a block, at least; its last line may go beyond.
    fn block_bytes(&self) -> usize {
        64 * 1024
    }

    /// The newest events, which most questions are about: so many are not packed.
    fn newest(&self) -> usize {
        8 * 1024
    }
}

/// Lines of old events, about to be packed.
#[derive(Debug)]
pub struct Loose {
    first: u32,
    count: u32,
    plain: Vec<u8>,
    packing: Arc<dyn Packing>,
}

impl Loose {
    /// The first so many bytes of events; nothing when they are fewer.
    pub(super) fn of<'a>(
        first: u32,
        events: impl Iterator<Item = &'a Event>,
        packing: &Arc<dyn Packing>,
    ) -> Option<Self> {
        let bytes = packing.block_bytes();
        let plain = Vec::with_capacity(bytes + bytes / 16);
        let mut block = Self { first, count: 0, plain, packing: Arc::clone(packing) };
        for event in events {
            // A line holds any character, so its length goes before it.
            block.plain.extend_from_slice(&super::count(event.raw.len()).to_le_bytes());
            block.plain.extend_from_slice(event.raw.as_bytes());
            block.count += 1;
            if block.plain.len() >= bytes {
                return Some(block);
            }
        }
        None
    }

    /// How many events.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// There are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Packs them; nothing when that is not possible now. The long part: it needs nothing of the hub.
    #[must_use]
    pub fn pack(&self) -> Option<Packed> {
        let bytes = self.packing.pack(&self.plain)?;
        Some(Packed {
            first: self.first,
            count: self.count,
            length: super::count(self.plain.len()),
            bytes: bytes.into_boxed_slice(),
            asked: AtomicBool::new(false),
            events: OnceLock::new(),
        })
    }
}

/// The packed lines of neighbouring events.
#[derive(Debug)]
pub struct Packed {
    first: u32,
    count: u32,
    /// Bytes before packing.
    length: u32,
    bytes: Box<[u8]>,
    /// Asked for since the last [`Packed::let_go`].
    asked: AtomicBool,
    /// Read again because somebody asked.
    events: OnceLock<Box<[Event]>>,
}

impl Packed {
    pub(super) fn first(&self) -> u32 {
        self.first
    }

    /// How many events.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// There are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn held(&self) -> Option<&[Event]> {
        self.events.get().map(|events| &**events)
    }

    /// Its events, read again by `read` if nobody asked before.
    pub(super) fn events(&self, read: impl FnOnce() -> Box<[Event]>) -> &[Event] {
        self.asked.store(true, Relaxed);
        self.events.get_or_init(read)
    }

    pub(super) fn let_go(&mut self, all: bool) -> Option<Box<[Event]>> {
        let asked = std::mem::take(self.asked.get_mut());
        if asked && !all { None } else { self.events.take() }
    }

    pub(super) fn lines(&self, packing: Option<&dyn Packing>) -> Lines {
        let plain = packing.and_then(|packing| packing.unpack(&self.bytes, self.length as usize));
        Lines { first: self.first, count: self.count, plain }
    }
}

/// Stands for a line that came out of its packing damaged.
const DAMAGED: &str = r#"{"type":"monitor.unreadable","data":{"error":"the line was damaged in memory"}}"#;

/// The lines of a block.
pub(super) struct Lines {
    first: u32,
    count: u32,
    plain: Option<Vec<u8>>,
}

impl Lines {
    /// Shows each with its number.
    pub(super) fn each(&self, mut look: impl FnMut(u32, &str)) {
        let mut rest = self.plain.as_deref().unwrap_or_default();
        for index in self.first..self.first + self.count {
            let line = next_line(&mut rest).and_then(|line| std::str::from_utf8(line).ok());
            look(index, line.unwrap_or(DAMAGED));
        }
    }
}

fn next_line<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, behind) = rest.split_first_chunk::<4>()?;
    let (line, behind) = behind.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *rest = behind;
    Some(line)
}
