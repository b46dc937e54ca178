//! Messages and other events that hold what is looked for.

use super::Found;
use super::ask::{Ask, Mask};
use super::rank::{Entry, What};
use crate::api::{SearchKind, SearchPlace};
use crate::event::Event;
use crate::hub::NONE;
use crate::search::index::{self, Candidates, Set};
use crate::search::{Part, event_rest, event_text};

/// What is asked of an index, once for every event it covers.
struct Covered {
    events: u32,
    /// Messages that hold it for sure, and that may.
    messages: index::Found,
    others: index::Found,
}

impl Covered {
    fn new(ask: &Ask<'_>, by: &impl Candidates) -> Self {
        let events = by.covered().min(ask.until);
        let mut messages = index::Found::all(by.covered());
        let mut others = index::Found::all(by.covered());
        for (bit, term) in (0_u32..).zip(&ask.terms) {
            let plan = term.plan();
            let mut in_text = by.find(Part::Text, &plan);
            let mut anywhere = in_text.clone().or(&by.find(Part::Rest, &plan));
            if ask.forbid >> bit & 1 == 1 {
                (in_text, anywhere) = (in_text.opposite(), anywhere.opposite());
            }
            messages = messages.and(&in_text);
            others = others.and(&anywhere);
        }
        Self { events, messages, others }
    }

    /// The events that may be hits.
    fn candidates(&self) -> Set {
        let mut all = self.messages.possible();
        all.or(&self.others.possible());
        all
    }
}

/// Counts and ranks them; the newest first, so that few of the others are a page's best for a while.
pub(super) fn look<'a>(ask: &Ask<'a>, by: &impl Candidates, found: &mut Found<'a>) {
    let covered = Covered::new(ask, by);
    for event in (covered.events..ask.until).rev() {
        let kind = kind(ask, event);
        if ask.narrow.event(kind, event) && holds(ask, kind, event) {
            note(ask, kind, event, found);
        }
    }
    let by_index = covered.candidates();
    for event in by_index.iter().rev().skip_while(|event| *event >= covered.events) {
        let kind = kind(ask, event);
        let sets = if kind == SearchKind::Messages { &covered.messages } else { &covered.others };
        let sure = sets.sure.contains(event);
        if (sure || sets.maybe.contains(event)) && ask.narrow.event(kind, event) && (sure || holds(ask, kind, event)) {
            note(ask, kind, event, found);
        }
    }
}

/// A bubble of a thread is a message, anything else an event.
fn kind(ask: &Ask<'_>, event: u32) -> SearchKind {
    let fact = ask.hub.fact(event);
    let bubble = fact.bubble && fact.session != NONE && fact.thread != NONE;
    if bubble { SearchKind::Messages } else { SearchKind::Events }
}

fn holds(ask: &Ask<'_>, kind: SearchKind, event: u32) -> bool {
    ask.terms.is_empty() || ask.fits(mask(ask, kind, ask.hub.event(event)))
}

fn mask(ask: &Ask<'_>, kind: SearchKind, event: &Event) -> Mask {
    let mask = event_text(event).map_or(0, |text| ask.mask(&text));
    if kind == SearchKind::Messages {
        return mask;
    }
    event_rest(event).fold(mask, |mask, text| mask | ask.mask(text))
}

fn note<'a>(ask: &Ask<'a>, kind: SearchKind, index: u32, found: &mut Found<'a>) {
    if !found.count(kind) {
        return;
    }
    found.facets.note_event(index);
    let at = ask.hub.at(index);
    // The best it can be: only of what may be shown the texts are read once more.
    let best = match (ask.is_bare(), kind) {
        (true, _) => SearchPlace::Filter,
        (_, SearchKind::Events) if ask.hub.fact(index).labelled => SearchPlace::Label,
        _ => SearchPlace::Text,
    };
    if !found.best.may_take(best, at) {
        found.best.pass_over();
        return;
    }
    let event = ask.hub.event(index);
    let place = match best {
        SearchPlace::Label if !event.label().is_some_and(|label| ask.holds_all(ask.mask(label))) => SearchPlace::Text,
        best => best,
    };
    let partly = ask.can_be_partly() && !ask.holds_all(whole(ask, kind, event));
    found.push(Entry::new(ask.hub, kind, place, partly, Some(at), What::Event(index)));
}

fn whole(ask: &Ask<'_>, kind: SearchKind, event: &Event) -> Mask {
    let mask = event_text(event).map_or(0, |text| ask.whole(&text));
    if kind == SearchKind::Messages {
        return mask;
    }
    event_rest(event).fold(mask, |mask, text| mask | ask.whole(text))
}
