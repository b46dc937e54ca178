//! Block of compressed log lines, and the trait [`Packing`] of the compression, which the monitor implements. Old
//! events are stored in such blocks to save memory. Neighbouring lines share a block, because they have most bytes in
//! common.

use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::event::Event;

/// Compression of bytes. Unpacking returns the packed bytes.
pub trait Packing: Debug + Send + Sync {
    /// Packs; `None` when that is not possible now.
    fn pack(&self, plain: &[u8]) -> Option<Vec<u8>>;

    /// Unpacks to `length` bytes; `None` when the packed bytes are damaged.
    fn unpack(&self, packed: &[u8], length: usize) -> Option<Vec<u8>>;

    /// Minimum plain bytes of a block; its last line may exceed them. To read one line, its block is unpacked. With
    /// samples, blocks of a quarter of their bytes become as small as blocks of all of them without.
    fn block_bytes(&self) -> usize {
        16 * 1024
    }

    /// Number of newest events that are never packed, because most queries read them. A parsed event takes about ten
    /// times the memory of a packed one.
    fn newest(&self) -> usize {
        2 * 1024
    }

    /// A packing for short pieces that resemble these samples. It unpacks what another one of the same samples packed.
    /// `None`: lines are packed without samples, and states of sessions stay as they are.
    fn with_samples(&self, _samples: &[u8]) -> Option<Arc<dyn Packing>> {
        None
    }

    /// Minimum bytes of samples. Nothing is packed before there are as many.
    fn sample_bytes(&self) -> usize {
        64 * 1024
    }

    /// Number of sessions whose states are never packed: those that changed last.
    fn open_sessions(&self) -> usize {
        4 * 1024
    }
}

/// Lines of old events, about to be packed.
#[derive(Debug)]
pub struct UncompressedBlock {
    /// Number of the first event.
    first: u32,
    /// Number of events.
    count: u32,
    /// The lines, each after its length (4 bytes, little-endian).
    plain: Vec<u8>,
    packing: Arc<dyn Packing>,
}

impl UncompressedBlock {
    /// The first block of bytes of the events; `None` when they are fewer.
    pub(super) fn from_events<'a>(
        first: u32,
        events: impl Iterator<Item = &'a Event>,
        packing: &Arc<dyn Packing>,
    ) -> Option<Self> {
        let bytes = packing.block_bytes();
        let plain = Vec::with_capacity(bytes + bytes / 16);
        let mut block = Self { first, count: 0, plain, packing: Arc::clone(packing) };
        for event in events {
            // A line may contain any character, so its length is written before it.
            block.plain.extend_from_slice(&super::count(event.raw.len()).to_le_bytes());
            block.plain.extend_from_slice(event.raw.as_bytes());
            block.count += 1;
            if block.plain.len() >= bytes {
                return Some(block);
            }
        }
        None
    }

    /// Number of events.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Packs them; `None` when that is not possible now. The expensive part: it needs no access to the hub.
    #[must_use]
    pub fn pack(&self) -> Option<Packed> {
        let bytes = self.packing.pack(&self.plain)?;
        Some(Packed {
            first: self.first,
            count: self.count,
            length: super::count(self.plain.len()),
            bytes: bytes.into(),
            accessed: AtomicBool::new(false),
            opened: OnceLock::new(),
        })
    }
}

/// The packed lines of neighbouring events.
#[derive(Debug, Serialize, Deserialize)]
pub struct Packed {
    /// Number of the first event.
    first: u32,
    /// Number of events.
    count: u32,
    /// Bytes before packing.
    length: u32,
    /// The compressed lines.
    #[serde(with = "super::saved::shared_bytes")]
    bytes: Arc<[u8]>,
    /// Accessed since the last [`Packed::let_go`].
    #[serde(skip)]
    accessed: AtomicBool,
    /// Decompressed because an event of it was requested.
    #[serde(skip)]
    opened: OnceLock<UnpackedBlock>,
}

/// The lines of a block, decompressed, and those of its events that were requested: decompressing a block costs
/// as much as parsing a dozen of its hundred lines.
#[derive(Debug)]
pub(super) struct UnpackedBlock {
    lines: BlockLines,
    /// Start and length of each line in the decompressed bytes; `None` where they are damaged.
    places: Box<[Option<(u32, u32)>]>,
    /// Parsed on first access, by position in the block.
    events: Box<[OnceLock<Box<Event>>]>,
}

impl UnpackedBlock {
    fn new(lines: BlockLines) -> Self {
        let plain = lines.plain.as_deref().unwrap_or_default();
        let mut rest = plain;
        let places = (0..lines.count).map(|_| {
            let line = next_line(&mut rest)?;
            Some((super::count(plain.len() - rest.len() - line.len()), super::count(line.len())))
        });
        let places = places.collect();
        let events = (0..lines.count).map(|_| OnceLock::new()).collect();
        Self { lines, places, events }
    }

    fn line(&self, place: usize) -> &str {
        let line = || {
            let (from, length) = (*self.places.get(place)?)?;
            let bytes = self.lines.plain.as_deref()?.get(from as usize..(from + length) as usize)?;
            std::str::from_utf8(bytes).ok()
        };
        line().unwrap_or(DAMAGED)
    }

    /// Calls `look` with each line that is `wanted`, its number, and its event if it was parsed.
    pub(super) fn each(&self, mut wanted: impl FnMut(u32) -> bool, mut look: impl FnMut(u32, &str, Option<&Event>)) {
        for (place, (index, event)) in (self.lines.first..).zip(&self.events).enumerate() {
            if wanted(index) {
                look(index, self.line(place), event.get().map(|event| &**event));
            }
        }
    }

    /// The event of this line, parsed by `read` on first access.
    pub(super) fn event(&self, index: u32, read: impl FnOnce(&str) -> Event) -> &Event {
        let place = (index - self.lines.first) as usize;
        self.events[place].get_or_init(|| Box::new(read(self.line(place))))
    }

    /// Number of parsed events.
    pub(super) fn len(&self) -> usize {
        self.events.iter().filter(|event| event.get().is_some()).count()
    }
}

/// A copy shares the bytes, and is not decompressed.
impl Clone for Packed {
    fn clone(&self) -> Self {
        let Self { first, count, length, bytes, accessed: _, opened: _ } = self;
        let (accessed, opened) = (AtomicBool::new(false), OnceLock::new());
        Self { first: *first, count: *count, length: *length, bytes: Arc::clone(bytes), accessed, opened }
    }
}

impl Packed {
    pub(super) fn first(&self) -> u32 {
        self.first
    }

    /// Number of events.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn opened(&self) -> Option<&UnpackedBlock> {
        self.opened.get()
    }

    /// Its lines, decompressed by `open` on first access.
    pub(super) fn open(&self, open: impl FnOnce() -> BlockLines) -> &UnpackedBlock {
        self.accessed.store(true, Relaxed);
        self.opened.get_or_init(|| UnpackedBlock::new(open()))
    }

    pub(super) fn let_go(&mut self, all: bool) -> Option<UnpackedBlock> {
        let accessed = std::mem::take(self.accessed.get_mut());
        if accessed && !all { None } else { self.opened.take() }
    }

    pub(super) fn lines(&self, packing: Option<&dyn Packing>) -> BlockLines {
        let plain = packing.and_then(|packing| packing.unpack(&self.bytes, self.length as usize));
        BlockLines { first: self.first, count: self.count, plain }
    }
}

/// Replacement for a line whose packed form is damaged.
const DAMAGED: &str = r#"{"type":"monitor.unreadable","data":{"error":"the line was damaged in memory"}}"#;

/// The lines of a block.
#[derive(Debug)]
pub(super) struct BlockLines {
    /// Number of the first event.
    first: u32,
    /// Number of events.
    count: u32,
    /// The decompressed bytes, as in [`UncompressedBlock::plain`]; `None` where the block is damaged.
    plain: Option<Vec<u8>>,
}

impl BlockLines {
    /// Calls `look` with each line that is `wanted`, and its number. Other lines are not checked for valid UTF-8.
    pub(super) fn each(&self, mut wanted: impl FnMut(u32) -> bool, mut look: impl FnMut(u32, &str)) {
        let mut rest = self.plain.as_deref().unwrap_or_default();
        for index in self.first..self.first + self.count {
            let line = next_line(&mut rest);
            if wanted(index) {
                look(index, line.and_then(|line| std::str::from_utf8(line).ok()).unwrap_or(DAMAGED));
            }
        }
    }
}

fn next_line<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, behind) = rest.split_first_chunk::<4>()?;
    let (line, behind) = behind.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *rest = behind;
    Some(line)
}
