//! Search function for events that contain given words, used by the text filters of lists. The search index divides the
//! events into certain matches, possible matches and others. Only possible matches are parsed and checked. Events that
//! the index does not contain yet are scanned.

use crate::event::Event;
use crate::hub::{Hub, count};
use crate::search::index::{Candidates, IndexMatches, Set};
use crate::search::{EventTextPart, WordFilter};

/// Matching events.
pub(super) struct EventMatches(Set);

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
        let mut matches = Set::none(count(hub.events.log.len()));
        let mut covered = IndexMatches::all(index.covered());
        for term in words.terms() {
            let plan = term.plan();
            let places = parts.iter().map(|part| index.find(*part, &plan));
            covered = places.reduce(|all, part| all.or(&part)).map_or(covered.clone(), |any| covered.and(&any));
        }
        let mut note = |event: u32| matches.insert(event);
        covered.sure.iter().filter(|event| passes_certain(*event)).for_each(&mut note);
        let mut look = |number: u32, event: &Event| {
            if passes_possible(number, event) {
                note(number);
            }
        };
        hub.events.log.visit(covered.maybe.iter(), &mut look);
        hub.events.log.sift(index.covered(), |_, line| words.may_be_in_line(line), &mut look);
        Self(matches)
    }

    /// All matches, in order of arrival.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter()
    }

    pub(super) fn has(&self, index: u32) -> bool {
        self.0.contains(index)
    }
}
