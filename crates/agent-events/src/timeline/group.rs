//! Group of schema events with the same meaning, in order of time. The search for duplicates of an event compares it
//! only with events of its group that are close in time (`contract/event-schema-v1_1.md` §A.4).

use std::sync::Arc;

use super::EventOrderKey;
use super::meaning::{EQUIVALENCE_WINDOW_MS, EvidenceSource, GroupedEvent};

/// Events of one meaning, in order. Nearly every one is alone, so it takes the room of one.
#[derive(Debug, Clone, Default)]
pub(super) struct MeaningGroup {
    pub(super) events: Vec<(EventOrderKey, Arc<EvidenceSource>)>,
    /// How many came by each way.
    pub(super) sources: Vec<(Arc<EvidenceSource>, u32)>,
}

impl MeaningGroup {
    pub(super) fn put(&mut self, place: EventOrderKey, source: Arc<EvidenceSource>) {
        let at = self.events.partition_point(|(known, _)| *known < place);
        if self.events.is_empty() {
            self.events.reserve_exact(1);
            self.sources.reserve_exact(1);
        }
        match self.sources.iter_mut().find(|(known, _)| *known == source) {
            Some((_, count)) => *count += 1,
            None => self.sources.push((Arc::clone(&source), 1)),
        }
        self.events.insert(at, (place, source));
    }

    pub(super) fn forget(&mut self, place: &EventOrderKey) {
        if let Ok(at) = self.events.binary_search_by(|(known, _)| known.cmp(place)) {
            let (_, source) = self.events.remove(at);
            self.sources.iter_mut().filter(|(known, _)| *known == source).for_each(|(_, count)| *count -= 1);
            self.sources.retain(|(_, count)| *count > 0);
        }
    }

    /// The events that something at this place can bear on: each is near the next one.
    pub(super) fn around(&self, place: &EventOrderKey) -> Vec<GroupedEvent<Arc<str>>> {
        let near = |last: &mut i64, at: i64| {
            let close = at.abs_diff(*last) <= EQUIVALENCE_WINDOW_MS.unsigned_abs();
            *last = at;
            close
        };
        let at = self.events.partition_point(|(known, _)| known < place);
        let (before, behind) = self.events.split_at(at);
        let (mut earlier, mut later) = (place.0, place.0);
        let from = at - before.iter().rev().take_while(|(it, _)| near(&mut earlier, it.0)).count();
        let to = at + behind.iter().take_while(|(it, _)| near(&mut later, it.0)).count();
        let run = &self.events[from..to];
        let to_event = |(place, source): &(EventOrderKey, Arc<EvidenceSource>)| GroupedEvent {
            at: place.0,
            id: Arc::clone(&place.1),
            source: Arc::clone(source),
        };
        run.iter().map(to_event).collect()
    }
}
