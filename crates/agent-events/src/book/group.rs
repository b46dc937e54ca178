//! Groups of events that may describe the same thing (`contract/event-schema-v1_1.md` §A.4).

use std::sync::Arc;

use super::Place;
use super::meaning::{Said, WITHIN_MS, Way};

/// Events of one meaning, in order. Nearly every one is alone, so it takes the room of one.
#[derive(Debug, Clone, Default)]
pub(super) struct Group {
    pub(super) said: Vec<(Place, Arc<Way>)>,
    /// How many came by each way.
    pub(super) ways: Vec<(Arc<Way>, u32)>,
}

impl Group {
    pub(super) fn put(&mut self, place: Place, way: Arc<Way>) {
        let at = self.said.partition_point(|(known, _)| *known < place);
        if self.said.is_empty() {
            self.said.reserve_exact(1);
            self.ways.reserve_exact(1);
        }
        match self.ways.iter_mut().find(|(known, _)| *known == way) {
            Some((_, count)) => *count += 1,
            None => self.ways.push((Arc::clone(&way), 1)),
        }
        self.said.insert(at, (place, way));
    }

    pub(super) fn forget(&mut self, place: &Place) {
        if let Ok(at) = self.said.binary_search_by(|(known, _)| known.cmp(place)) {
            let (_, way) = self.said.remove(at);
            self.ways.iter_mut().filter(|(known, _)| *known == way).for_each(|(_, count)| *count -= 1);
            self.ways.retain(|(_, count)| *count > 0);
        }
    }

    /// The events that something at this place can bear on: each is near the next one.
    pub(super) fn around(&self, place: &Place) -> Vec<Said<Arc<str>>> {
        let near = |last: &mut i64, at: i64| {
            let close = at.abs_diff(*last) <= WITHIN_MS.unsigned_abs();
            *last = at;
            close
        };
        let at = self.said.partition_point(|(known, _)| known < place);
        let (before, behind) = self.said.split_at(at);
        let (mut earlier, mut later) = (place.0, place.0);
        let from = at - before.iter().rev().take_while(|(it, _)| near(&mut earlier, it.0)).count();
        let to = at + behind.iter().take_while(|(it, _)| near(&mut later, it.0)).count();
        let run = &self.said[from..to];
        let said =
            |(place, way): &(Place, Arc<Way>)| Said { at: place.0, id: Arc::clone(&place.1), way: Arc::clone(way) };
        run.iter().map(said).collect()
    }
}
