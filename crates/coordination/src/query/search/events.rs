//! Search hits among messages and other events.

use std::cmp::Reverse;

use super::SearchResults;
use super::ask::{Mask, SearchContext};
use super::rank::{HitTarget, RankedHit};
use crate::api::{SearchKind, SearchPlace};
use crate::event::Event;
use crate::hub::{EventMeta, NONE};
use crate::search::index::{self, Candidates, Set};
use crate::search::{Anchors, EventTextPart, TermPlan, event_rest, event_text};

/// Answers of an index, requested once for all events it covers.
struct Covered {
    events: u32,
    /// Messages that match for sure, and those that may.
    messages: index::IndexMatches,
    others: index::IndexMatches,
    /// The same for events in which every required word occurs as written; `None` when it cannot occur in
    /// another form.
    whole: Option<[index::IndexMatches; 2]>,
    /// Events whose label may contain every required word.
    labels: Set,
}

impl Covered {
    fn new(ask: &SearchContext<'_>, by: &impl Candidates) -> Self {
        let all = || index::IndexMatches::all(by.covered());
        let (mut messages, mut others, mut whole) = (all(), all(), ask.can_be_partly().then(|| [all(), all()]));
        let mut labels = Set::all(by.covered());
        for (bit, term) in (0_u32..).zip(&ask.terms) {
            let places = |plan: &TermPlan| {
                let in_text = by.find(EventTextPart::Text, plan);
                let in_rest = by.find(EventTextPart::Rest, plan);
                (in_rest.possible(), [in_text.clone(), in_text.or(&in_rest)])
            };
            let (in_rest, [mut in_text, mut anywhere]) = places(&term.plan());
            if ask.need >> bit & 1 == 1 {
                labels.and(&in_rest);
            }
            if ask.forbid >> bit & 1 == 1 {
                (in_text, anywhere) = (in_text.opposite(), anywhere.opposite());
            } else if let Some([text, rest]) = whole.take() {
                let (_, [whole_in_text, whole_anywhere]) = places(&term.whole());
                whole = Some([text.and(&whole_in_text), rest.and(&whole_anywhere)]);
            }
            messages = messages.and(&in_text);
            others = others.and(&anywhere);
        }
        Self { events: by.covered().min(ask.until), messages, others, whole, labels }
    }

    fn found_of(&self, kind: SearchKind) -> &index::IndexMatches {
        if kind == SearchKind::Messages { &self.messages } else { &self.others }
    }

    /// Whether the label of an event may contain every required word: the label is one of its other fields.
    fn may_be_labelled(&self, event: u32) -> bool {
        event >= self.labels.bound() || self.labels.contains(event)
    }

    /// Whether every word occurs as written; `None` when the text has to be checked.
    fn is_whole(&self, kind: SearchKind, event: u32) -> Option<bool> {
        let Some([messages, others]) = &self.whole else { return Some(true) };
        let whole = if kind == SearchKind::Messages { messages } else { others };
        if whole.sure.contains(event) { Some(true) } else { (!whole.maybe.contains(event)).then_some(false) }
    }
}

/// An event that matches.
struct EventHit {
    event: u32,
    kind: SearchKind,
    /// Some word occurs only without its particle, or in another spelling; `None` when that is not known.
    partly: Option<bool>,
}

/// Counts and ranks them; the newest first, so that few others enter the best of a page for a while.
pub(super) fn look<'a>(ask: &SearchContext<'a>, by: &impl Candidates, found: &mut SearchResults<'a>) {
    let covered = Covered::new(ask, by);
    let mut looked = looked_at(ask, &covered);
    looked.sort_unstable_by_key(|hit| Reverse(hit.event));
    let mut looked = looked.into_iter().peekable();
    let mut sure = covered.messages.sure.clone();
    sure.or(&covered.others.sure);
    let is_open = ask.narrow.is_open_for_events() && !ask.hub.events().has_withdrawn();
    for event in sure.iter().rev().skip_while(|event| *event >= covered.events) {
        let fact = ask.hub.meta_of(event);
        let kind = kind_of(fact);
        if !covered.found_of(kind).sure.contains(event) || !(is_open || ask.narrow.event(kind, event)) {
            continue;
        }
        while let Some(hit) = looked.next_if(|hit| hit.event > event) {
            note(ask, &hit, ask.hub.meta_of(hit.event), &covered, found);
        }
        let hit = EventHit { event, kind, partly: None };
        note(ask, &hit, fact, &covered, found);
    }
    looked.for_each(|hit| note(ask, &hit, ask.hub.meta_of(hit.event), &covered, found));
}

/// Hits of which the index is not sure, or which it does not cover.
fn looked_at(ask: &SearchContext<'_>, covered: &Covered) -> Vec<EventHit> {
    let fits = |event: &u32| ask.narrow.event(kind(ask, *event), *event);
    if ask.terms.is_empty() {
        let rest = (covered.events..ask.until).filter(fits);
        return rest.map(|event| EventHit { event, kind: kind(ask, event), partly: Some(false) }).collect();
    }
    let mut hits = Vec::new();
    let mut maybe = covered.messages.maybe.clone();
    maybe.or(&covered.others.maybe);
    let may = |event: &u32| *event < covered.events && covered.found_of(kind(ask, *event)).maybe.contains(*event);
    let mut look = |event: u32, line: &Event| {
        let kind = kind(ask, event);
        if ask.fits(mask(ask, kind, line)) {
            hits.push(EventHit { event, kind, partly: Some(is_partly(ask, kind, line)) });
        }
    };
    ask.hub.events().visit(maybe.iter().filter(may).filter(fits), &mut look);
    // Events that are not covered yet: only those whose line may contain the required terms are parsed.
    let anchors = Anchors::of((0..).zip(&ask.terms).filter(|(bit, _)| ask.need >> bit & 1 == 1).map(|(_, term)| *term));
    let may = |event: u32, line: &str| event < ask.until && fits(&event) && anchors.may_be_in_line(line);
    ask.hub.events().sift(covered.events, may, &mut look);
    hits
}

/// A bubble of a thread is a message, anything else an event.
fn kind(ask: &SearchContext<'_>, event: u32) -> SearchKind {
    kind_of(ask.hub.meta_of(event))
}

fn kind_of(fact: &EventMeta) -> SearchKind {
    let bubble = fact.bubble && fact.session != NONE && fact.thread != NONE;
    if bubble { SearchKind::Messages } else { SearchKind::Events }
}

fn mask(ask: &SearchContext<'_>, kind: SearchKind, event: &Event) -> Mask {
    let mask = event_text(event).map_or(0, |text| ask.mask(&text));
    if kind == SearchKind::Messages {
        return mask;
    }
    event_rest(event).fold(mask, |mask, text| mask | ask.mask(text))
}

fn note<'a>(
    ask: &SearchContext<'a>,
    hit: &EventHit,
    fact: &EventMeta,
    covered: &Covered,
    found: &mut SearchResults<'a>,
) {
    let &EventHit { event: index, kind, .. } = hit;
    if !found.count(kind) {
        return;
    }
    found.facets.note_event(index, fact);
    let at = ask.hub.at(index);
    // With its best possible rank: only texts of hits that may be shown are read a second time.
    let best = match (ask.is_bare(), kind) {
        (true, _) => SearchPlace::Filter,
        (_, SearchKind::Events) if fact.flags.labelled && covered.may_be_labelled(index) => SearchPlace::Label,
        _ => SearchPlace::Text,
    };
    if !found.best.may_take(best, false, at) {
        found.best.pass_over();
        return;
    }
    let partly = hit.partly.or_else(|| covered.is_whole(kind, index).map(|whole| !whole));
    if !found.best.may_take(best, partly == Some(true), at) {
        found.best.pass_over();
        return;
    }
    let event = ask.hub.event(index);
    let place = match best {
        SearchPlace::Label if !event.label().is_some_and(|label| ask.holds_all(ask.mask(label))) => SearchPlace::Text,
        best => best,
    };
    let partly = partly.unwrap_or_else(|| is_partly(ask, kind, event));
    found.push(RankedHit::new(ask.hub, kind, place, partly, Some(at), HitTarget::Event(index)));
}

/// Whether some word occurs only without its particle, or in another spelling.
fn is_partly(ask: &SearchContext<'_>, kind: SearchKind, event: &Event) -> bool {
    ask.can_be_partly() && !ask.holds_all(whole(ask, kind, event))
}

fn whole(ask: &SearchContext<'_>, kind: SearchKind, event: &Event) -> Mask {
    let mask = event_text(event).map_or(0, |text| ask.whole(&text));
    if kind == SearchKind::Messages {
        return mask;
    }
    event_rest(event).fold(mask, |mask, text| mask | ask.whole(text))
}
