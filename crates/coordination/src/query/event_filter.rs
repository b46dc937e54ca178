//! Text filter over events. The index returns certain and possible matches; events outside the index are scanned in one
//! pass. Only possible matches are parsed, and the parsed events are not stored.

use crate::event::Event;
use crate::hub::Hub;
use crate::search::index::{Candidates, IndexMatches};
use crate::search::{EventTextPart, WordFilter};

/// Matching events, as bits by number.
pub(super) struct EventMatches(Vec<u64>);

impl EventMatches {
    /// Finds events that contain all words in one of `parts`. `passes_certain` filters events of which the index is
    /// sure, without parsing; `passes_possible` decides about the others, parsed. Both must agree.
    pub(super) fn find(
        hub: &Hub,
        index: &impl Candidates,
        words: &WordFilter,
        parts: &[EventTextPart],
        passes_certain: impl Fn(u32) -> bool,
        passes_possible: impl Fn(u32, &Event) -> bool,
    ) -> Self {
        let mut bits = vec![0_u64; hub.events.log.len().div_ceil(64)];
        let mut covered = IndexMatches::all(index.covered());
        for term in words.terms() {
            let plan = term.plan();
            let places = parts.iter().map(|part| index.find(*part, &plan));
            covered = places.reduce(|all, part| all.or(&part)).map_or(covered.clone(), |any| covered.and(&any));
        }
        let mut note = |event: u32| bits[event as usize / 64] |= 1 << (event % 64);
        covered.sure.iter().filter(|event| passes_certain(*event)).for_each(&mut note);
        let mut look = |number: u32, event: &Event| {
            if passes_possible(number, event) {
                note(number);
            }
        };
        hub.events.log.visit(covered.maybe.iter(), &mut look);
        hub.events.log.sift(index.covered(), |_, line| words.may_be_in_line(line), &mut look);
        Self(bits)
    }

    /// All matches, in order of arrival.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.0).filter(|(_, bits)| **bits != 0).flat_map(|(place, bits): (u32, &u64)| {
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| place * 64 + bit)
        })
    }

    pub(super) fn has(&self, index: u32) -> bool {
        self.0.get(index as usize / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }
}
