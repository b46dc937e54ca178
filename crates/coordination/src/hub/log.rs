//! Event log in memory: the newest events are parsed, older ones are compressed lines in blocks. Times and positions of
//! all events are in columns that are never compressed, so ordering events decompresses nothing.
//!
//! Access to a compressed event by its index decompresses its block and caches the parsed event at least until the next
//! [`Log::evict_rehydrated`]. That method needs `&mut self`, so a query can hold references to events. Scans cache
//! nothing.

mod saved;

use std::cmp::Ordering;
use std::collections::{HashMap, VecDeque};
use std::ops::Index;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use serde::Deserialize;

use super::number_set::NumberSet;
use super::packed::{Packed, Packing, UncompressedBlock, UnpackedBlock};
use super::sampled_packing::SampledPacking;
use crate::api::Origin;
use crate::event::{Event, EventPosition, origin_of};
use crate::ids::EventId;
use saved::SavedLog;

/// Maximum number of decompressed lines before they are evicted.
const MAX_REHYDRATED_EVENTS: usize = 16 * 1024;

/// All events in order of arrival. Never shrinks. Saved as [`SavedLog`].
#[derive(Debug, Default, Deserialize)]
#[serde(from = "SavedLog")]
pub struct Log {
    /// Time of each event, in epoch milliseconds.
    at: Vec<i64>,
    /// Byte offset of each event in its file; [`EventPosition::NO_OFFSET`] where its id has none.
    offsets: Vec<u64>,
    /// First event of each run of events from one file, and the number of that file. In order of events.
    file_starts: Vec<(u32, u32)>,
    /// Token of each file, by file number.
    files: Vec<Arc<str>>,
    /// File number by token.
    numbers: HashMap<Arc<str>, u32>,
    /// Compressed blocks of the oldest events, in order.
    packed: Vec<Packed>,
    /// The events after the packed ones. Shrinks as blocks are packed.
    uncompressed: VecDeque<Event>,
    /// Absent: no event is compressed.
    packing: Option<SampledPacking>,
    /// Samples of the packing of a log that was saved, until it is set.
    saved_samples: Vec<u8>,
    /// Number of lines in the blocks that are decompressed. Falls with [`Log::evict_rehydrated`].
    rehydrated: AtomicUsize,
    /// Withdrawn events: of transcripts and of hooks; in the hub of a past moment, those that were not known then.
    withdrawn: NumberSet,
}

/// A copy holds no event of a block parsed.
impl Clone for Log {
    fn clone(&self) -> Self {
        Self {
            at: self.at.clone(),
            offsets: self.offsets.clone(),
            file_starts: self.file_starts.clone(),
            files: self.files.clone(),
            numbers: self.numbers.clone(),
            packed: self.packed.clone(),
            uncompressed: self.uncompressed.clone(),
            packing: self.packing.clone(),
            saved_samples: self.saved_samples.clone(),
            rehydrated: AtomicUsize::default(),
            withdrawn: self.withdrawn.clone(),
        }
    }
}

impl Log {
    /// Number of events.
    #[must_use]
    pub fn len(&self) -> usize {
        self.at.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// All events. Packed ones are parsed and stay in memory until [`super::Hub::evict_rehydrated`]: for queries over
    /// few events, or a small log; else [`Log::scan`].
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Event> {
        (0..self.len()).filter(|index| !self.is_withdrawn(super::count(*index))).map(|index| &self[index])
    }

    /// Whether the event is withdrawn.
    pub(crate) fn is_withdrawn(&self, index: u32) -> bool {
        self.withdrawn.contains(index)
    }

    /// Whether some event is withdrawn.
    pub(crate) fn has_withdrawn(&self) -> bool {
        !self.withdrawn.is_empty()
    }

    /// Number of withdrawn events.
    pub(super) fn withdrawn_count(&self) -> usize {
        self.withdrawn.len()
    }

    /// Marks an event as withdrawn. Its number, time, position and line stay.
    pub(super) fn mark_withdrawn(&mut self, index: u32) {
        self.withdrawn.insert(index);
    }

    /// Marks these events as withdrawn.
    pub(super) fn mark_all_withdrawn(&mut self, events: &NumberSet) {
        self.withdrawn.extend(events);
    }

    /// Marks an event as not withdrawn.
    pub(super) fn mark_restored(&mut self, index: u32) {
        self.withdrawn.remove(index);
    }

    /// Frees the line of an event that never returns, unless it is compressed.
    pub(super) fn free_line(&mut self, index: u32) {
        let place = index.checked_sub(self.first_loose());
        if let Some(event) = place.and_then(|place| self.uncompressed.get_mut(place as usize)) {
            event.free_line();
        }
    }

    /// Calls `look` with every event and its number, and stores none of them.
    pub fn scan(&self, mut look: impl FnMut(u32, &Event)) {
        for block in &self.packed {
            self.each(block, |index| !self.is_withdrawn(index), |_, _| true, &mut look);
        }
        let uncompressed =
            (self.first_loose()..).zip(&self.uncompressed).filter(|(index, _)| !self.is_withdrawn(*index));
        uncompressed.for_each(|(index, event)| look(index, event));
    }

    /// Calls `may` with every line from this event on, and `look` with the events for which it is true. Checking a line
    /// costs a small part of parsing it.
    pub(crate) fn sift(&self, from: u32, may: impl Fn(u32, &str) -> bool, mut look: impl FnMut(u32, &Event)) {
        for block in self.packed.iter().skip_while(|block| block.first() + super::count(block.len()) <= from) {
            self.each(block, |index| index >= from && !self.is_withdrawn(index), &may, &mut look);
        }
        let uncompressed = (self.first_loose()..).zip(&self.uncompressed);
        let fitting = uncompressed
            .filter(|(index, event)| *index >= from && !self.is_withdrawn(*index) && may(*index, &event.raw));
        fitting.for_each(|(index, event)| look(index, event));
    }

    /// Calls `look` with these events, in order of arrival, withdrawn ones included, and stores none that was not
    /// in memory: for queries over many.
    pub(crate) fn visit(&self, events: impl IntoIterator<Item = u32>, mut look: impl FnMut(u32, &Event)) {
        let mut events = events.into_iter().peekable();
        while let Some(&next) = events.peek() {
            if let Some(place) = next.checked_sub(self.first_loose()) {
                look(next, &self.uncompressed[place as usize]);
                events.next();
                continue;
            }
            let block = &self.packed[self.block_of(next)];
            self.each(block, |index| events.next_if_eq(&index).is_some(), |_, _| true, &mut look);
        }
    }

    /// Time of an event, in epoch milliseconds.
    pub(crate) fn at(&self, index: u32) -> i64 {
        self.at[index as usize]
    }

    /// Where an event comes from.
    pub(crate) fn origin(&self, index: u32) -> Origin {
        origin_of(self.file(index))
    }

    /// Id of an event.
    pub(crate) fn id(&self, index: u32) -> EventId {
        self.position(index).id()
    }

    /// As [`EventId::parts`].
    pub(crate) fn parts(&self, index: u32) -> (&str, Option<u64>) {
        let offset = Some(self.offsets[index as usize]).filter(|offset| *offset != EventPosition::NO_OFFSET);
        (self.file(index), offset)
    }

    /// Order of two events.
    pub(crate) fn order(&self, a: u32, b: u32) -> Ordering {
        self.at(a).cmp(&self.at(b)).then_with(|| self.parts(a).cmp(&self.parts(b)))
    }

    pub(super) fn offset(&self, index: u32) -> u64 {
        self.offsets[index as usize]
    }

    /// Appends the next event.
    pub(super) fn push(&mut self, event: Event) {
        let index = super::count(self.len());
        let (file, offset) = event.position().raw_parts();
        let known = self.file_starts.last().map(|(_, file)| *file);
        let same = known.filter(|known| *self.files[*known as usize] == **file);
        if same.is_none() {
            let number = match self.numbers.get(file) {
                Some(number) => *number,
                None => {
                    let number = super::count(self.files.len());
                    self.files.push(Arc::clone(file));
                    self.numbers.insert(Arc::clone(file), number);
                    number
                }
            };
            self.file_starts.push((index, number));
        }
        self.at.push(event.at);
        self.offsets.push(offset);
        self.uncompressed.push_back(event);
    }

    pub(super) fn set_packing(&mut self, packing: Arc<dyn Packing>) {
        let samples = match &self.packing {
            Some(before) => before.samples(),
            None => std::mem::take(&mut self.saved_samples),
        };
        self.packing = Some(SampledPacking::new(packing, samples));
    }

    /// Old events that are not packed yet, a block of them.
    pub(super) fn uncompressed(&self, skip: usize) -> Option<UncompressedBlock> {
        let packing = self.packing.as_ref()?;
        let old = self.uncompressed.len().checked_sub(packing.plain().newest())?.checked_sub(skip)?;
        let events = || self.uncompressed.iter().skip(skip).take(old);
        if !packing.has_enough() {
            let bytes: usize = events().map(|event| event.raw.len()).sum();
            if bytes < packing.plain().sample_bytes() {
                return None;
            }
            events().take_while(|_| !packing.has_enough()).for_each(|event| packing.add(event.raw.as_bytes()));
        }
        let first = self.first_loose() + super::count(skip);
        UncompressedBlock::from_events(first, events(), packing.best())
    }

    /// Replaces the oldest uncompressed events by their packed lines, and returns the events.
    pub(super) fn put_packed(&mut self, packed: Packed) -> Vec<Event> {
        if packed.first() != self.first_loose() || packed.len() > self.uncompressed.len() {
            return Vec::new();
        }
        let evicted = self.uncompressed.drain(..packed.len()).collect();
        // While a history is read, packing falls behind and the queue grows to many times what stays in it.
        if self.uncompressed.capacity() > 4 * self.uncompressed.len() {
            self.uncompressed.shrink_to(2 * self.uncompressed.len());
        }
        self.packed.push(packed);
        evicted
    }

    /// Whether more events were parsed than should stay in memory.
    pub(super) fn has_rehydrated(&self) -> bool {
        self.rehydrated.load(Relaxed) > MAX_REHYDRATED_EVENTS
    }

    /// Evicts parsed events: all but those accessed since the last time, and those too when there are too
    /// many.
    pub(super) fn evict_rehydrated(&mut self) -> Vec<UnpackedBlock> {
        let mut evicted: Vec<_> = self.packed.iter_mut().filter_map(|block| block.let_go(false)).collect();
        let held = self.packed.iter().filter(|block| block.opened().is_some()).map(Packed::len).sum();
        self.rehydrated.store(held, Relaxed);
        if held > MAX_REHYDRATED_EVENTS {
            evicted.extend(self.packed.iter_mut().filter_map(|block| block.let_go(true)));
            self.rehydrated.store(0, Relaxed);
        }
        evicted
    }

    /// Runs of events from one file, in order: the token of the file, and the numbers of the events.
    pub(super) fn file_stretches(&self) -> impl Iterator<Item = (&str, std::ops::Range<u32>)> {
        let ends = self.file_starts.iter().skip(1).map(|(first, _)| *first).chain([super::count(self.len())]);
        self.file_starts.iter().zip(ends).map(|((first, file), end)| (&*self.files[*file as usize], *first..end))
    }

    fn file(&self, index: u32) -> &str {
        let stretch = self.file_starts.partition_point(|(first, _)| *first <= index).saturating_sub(1);
        self.file_starts.get(stretch).map_or("", |(_, file)| &self.files[*file as usize])
    }

    fn position(&self, index: u32) -> EventPosition {
        let stretch = self.file_starts.partition_point(|(first, _)| *first <= index).saturating_sub(1);
        let file = Arc::clone(&self.files[self.file_starts[stretch].1 as usize]);
        EventPosition::new(file, self.offsets[index as usize])
    }

    fn block_of(&self, index: u32) -> usize {
        self.packed.partition_point(|block| block.first() <= index).saturating_sub(1)
    }

    fn first_loose(&self) -> u32 {
        super::count(self.len() - self.uncompressed.len())
    }

    /// Calls `look` with the `wanted` events of a block whose lines `may` accepts, and stores none that was not in
    /// memory.
    fn each(
        &self,
        block: &Packed,
        wanted: impl FnMut(u32) -> bool,
        may: impl Fn(u32, &str) -> bool,
        look: &mut impl FnMut(u32, &Event),
    ) {
        let mut show = |index, line: &str, held: Option<&Event>| {
            if may(index, line) {
                match held {
                    Some(event) => look(index, event),
                    None => look(index, &self.reparse(index, line)),
                }
            }
        };
        match block.opened() {
            Some(opened) => opened.each(wanted, show),
            None => block.lines(self.unpacking()).each(wanted, |index, line| show(index, line, None)),
        }
    }

    /// Unpacks the blocks.
    fn unpacking(&self) -> Option<&dyn Packing> {
        Some(&**self.packing.as_ref()?.best())
    }

    fn reparse(&self, index: u32, line: &str) -> Event {
        let mut event = Event::reparse(line, self.position(index));
        // A damaged line has lost its time; the column has it.
        event.at = self.at(index);
        event
    }

    fn packed_event(&self, index: u32) -> &Event {
        let block = &self.packed[self.block_of(index)];
        let opened = block.open(|| {
            self.rehydrated.fetch_add(block.len(), Relaxed);
            block.lines(self.unpacking())
        });
        opened.event(index, |line| self.reparse(index, line))
    }
}

impl Index<usize> for Log {
    type Output = Event;

    fn index(&self, index: usize) -> &Event {
        let index = super::count(index);
        match index.checked_sub(self.first_loose()) {
            Some(place) => &self.uncompressed[place as usize],
            None => self.packed_event(index),
        }
    }
}
