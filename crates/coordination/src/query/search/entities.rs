//! Search hits among sessions, tasks and agents. Each term is looked up in the indexes of session titles, session ids
//! and task texts; only candidates from there are read further. Agents and session tags are few, so each of them is
//! compared with the term.

use std::collections::{BTreeSet, HashMap};

use super::SearchResults;
use super::ask::{Mask, SearchContext, TermMatches};
use super::rank::{HitTarget, RankedHit};
use super::tasks;
use crate::api::{AgentState, SearchKind, SearchPlace};
use crate::hub::{OTHER_PARTIES, count};
use crate::ids::AgentId;
use crate::query::agents::{agents, ids};
use crate::query::card::{called, titled};
use crate::query::open_sends::OpenSends;
use crate::search::index::Set;
use crate::search::{Term, folded};
use crate::title::TitleSource;

/// Counts and ranks them.
pub(super) fn look<'a>(ask: &SearchContext<'a>, found: &mut SearchResults<'a>) {
    let people = AgentMatches::new(ask);
    sessions(ask, &people, found);
    tasks::look(ask, &people, found);
    people.look(ask, found);
}

/// Terms by place: in the title, elsewhere, and those that occur letter for letter.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TermPlaces {
    title: Mask,
    label: Mask,
    text: Mask,
    whole: Mask,
}

impl TermPlaces {
    pub(super) fn title(&mut self, seen: TermMatches) {
        self.title |= seen.any;
        self.whole |= seen.whole;
    }

    pub(super) fn label(&mut self, seen: TermMatches) {
        self.label |= seen.any;
        self.whole |= seen.whole;
    }

    pub(super) fn text(&mut self, seen: TermMatches) {
        self.text |= seen.any;
        self.whole |= seen.whole;
    }

    /// Adds the terms of a person who owns it or takes part.
    pub(super) fn person(&mut self, person: Self) {
        self.label(TermMatches { any: person.all(), whole: person.whole });
    }

    pub(super) fn all(self) -> Mask {
        self.title | self.label | self.text
    }

    fn place(self, ask: &SearchContext<'_>) -> SearchPlace {
        match self {
            _ if ask.is_bare() => SearchPlace::Filter,
            _ if ask.holds_all(self.title) => SearchPlace::Title,
            _ if ask.holds_all(self.title | self.label) => SearchPlace::Label,
            _ => SearchPlace::Text,
        }
    }
}

pub(super) fn rank_hit<'a>(
    ask: &SearchContext<'a>,
    places: TermPlaces,
    kind: SearchKind,
    at: Option<i64>,
    what: impl FnOnce() -> HitTarget<'a>,
    found: &mut SearchResults<'a>,
) {
    let partly = ask.can_be_partly() && !ask.holds_all(places.whole);
    let place = places.place(ask);
    if found.best.may_take(place, partly, at.unwrap_or(i64::MIN)) {
        found.push(RankedHit::new(ask.hub, kind, place, partly, at, what()));
    } else {
        found.best.pass_over();
    }
}

/// The terms in the id or name of each agent.
pub(super) struct AgentMatches {
    pub(super) all: Vec<(AgentId, TermPlaces)>,
    by_id: HashMap<AgentId, TermPlaces>,
    /// The agents with terms that have a bit of their own in [`SessionBrief::parties`], by the place of the bit.
    by_bit: Vec<(u64, TermPlaces)>,
    /// Bits of all agents with terms.
    bits: u64,
}

impl AgentMatches {
    fn new(ask: &SearchContext<'_>) -> Self {
        let all: Vec<(AgentId, TermPlaces)> =
            ids(ask.hub).into_iter().map(|id| (id.clone(), person(ask, &id))).collect();
        let found = all.iter().filter(|(_, places)| places.all() > 0);
        let bit = |(id, places): &(AgentId, TermPlaces)| (ask.hub.sessions.overview.party_bit(id.as_str()), *places);
        let mut by_bit: Vec<(u64, TermPlaces)> = found.map(bit).collect();
        let bits = by_bit.iter().fold(0, |all, (bit, _)| all | bit);
        by_bit.retain(|(bit, _)| *bit != OTHER_PARTIES);
        Self { by_id: all.iter().cloned().collect(), all, by_bit, bits }
    }

    pub(super) fn places_of(&self, id: &AgentId) -> TermPlaces {
        self.by_id.get(id).copied().unwrap_or_default()
    }

    fn look<'a>(&self, ask: &SearchContext<'a>, found: &mut SearchResults<'a>) {
        let blocked: BTreeSet<AgentId> = match ask.narrow.asks_for_states() {
            true => agents(ask.hub, ask.now, &OpenSends::new(ask.hub, ask.now))
                .into_iter()
                .filter(|agent| agent.state == AgentState::Blocked)
                .map(|agent| agent.id)
                .collect(),
            false => BTreeSet::new(),
        };
        for (id, places) in &self.all {
            if !ask.fits(places.all()) {
                continue;
            }
            let list = ask.hub.indexes.by_agent.get(id).map_or(&[][..], |posting| &posting.list);
            let at = newest(ask, list).map(|index| ask.hub.at(index)).filter(|at| *at > 0);
            if ask.narrow.agent(id, at, || blocked.contains(id)) && found.count(SearchKind::Agents) {
                found.facets.note_agent(id);
                rank_hit(ask, *places, SearchKind::Agents, at, || HitTarget::Agent(id.clone()), found);
            }
        }
    }
}

fn person(ask: &SearchContext<'_>, id: &AgentId) -> TermPlaces {
    let known = ask.hub.roster().agent(id.as_str());
    let name = ask.hub.display_name(id);
    let emoji = known.and_then(|agent| agent.emoji.as_deref()).unwrap_or_default();
    let mut places = TermPlaces::default();
    // An agent without a name is shown by its id.
    places.title(ask.seen(&folded(name.unwrap_or(id.as_str()))));
    places.label(ask.seen(&folded(id.as_str())));
    places.label(ask.seen(&folded(emoji)));
    places
}

/// The newest entry of an ordered list that existed when the first page was made.
pub(super) fn newest(ask: &SearchContext<'_>, list: &[u32]) -> Option<u32> {
    list.iter().rev().copied().find(|index| *index < ask.until)
}

fn sessions<'a>(ask: &SearchContext<'a>, people: &AgentMatches, found: &mut SearchResults<'a>) {
    let tags: Vec<TermMatches> = ask.hub.sessions.overview.tags.iter().map(|(_, tag)| ask.seen(&folded(tag))).collect();
    let places_by_session = places_by_session(ask, people, &tags);
    // Nothing came since the first page: the newest events of the summaries are those of the search.
    let is_current = ask.until == count(ask.hub.events().len());
    let mut look = |slot: u32| {
        let places = places_by_session.places_of(ask, slot);
        let brief = ask.hub.sessions.overview.brief(slot);
        if !brief.present || !ask.fits(places.all()) {
            return;
        }
        let Some(session) = ask.hub.session_at(slot) else { return };
        let at = match is_current && brief.last > 0 {
            true => Some(brief.last),
            false => newest(ask, &session.events).map(|last| ask.hub.at(last)),
        };
        let Some(at) = at else { return };
        if ask.narrow.session(slot, session, at) && found.count(SearchKind::Sessions) {
            found.facets.note_session(slot, &brief);
            rank_hit(ask, places, SearchKind::Sessions, Some(at), || HitTarget::Session(slot), found);
        }
    };
    if ask.is_bare() {
        (0..ask.hub.slots()).rev().for_each(look);
    } else {
        let mut slots = places_by_session.found.touched.clone();
        slots.or(&places_by_session.look);
        // The newest first, so that few others enter the best of a page for a while.
        slots.iter().rev().for_each(&mut look);
    }
}

/// Terms by place for numbered items, of which few have any.
pub(super) struct TermPlacesByNumber {
    /// By number: the index in `places` plus one; 0 for none. Zero pages cost nothing until they are touched.
    indexes: Vec<u32>,
    /// Places of the items in `touched`, by first access.
    places: Vec<TermPlaces>,
    /// Items with terms.
    pub(super) touched: Set,
}

impl TermPlacesByNumber {
    pub(super) fn none(count: u32) -> Self {
        Self { indexes: vec![0; count as usize], places: Vec::new(), touched: Set::none(count) }
    }

    pub(super) fn at(&mut self, number: u32) -> &mut TermPlaces {
        let slot = &mut self.indexes[number as usize];
        if *slot == 0 {
            self.touched.insert(number);
            self.places.push(TermPlaces::default());
            *slot = count(self.places.len());
        }
        &mut self.places[*slot as usize - 1]
    }

    pub(super) fn places_of(&self, number: u32) -> TermPlaces {
        let index = self.indexes.get(number as usize).and_then(|index| index.checked_sub(1));
        index.and_then(|index| self.places.get(index as usize)).copied().unwrap_or_default()
    }
}

/// Terms by place for each session.
struct OfSessions<'a> {
    people: &'a AgentMatches,
    tags: &'a [TermMatches],
    /// By slot, from titles, ids and tags.
    found: TermPlacesByNumber,
    /// Sessions whose participants or task titles may contain more.
    look: Set,
}

impl OfSessions<'_> {
    fn places_of(&self, ask: &SearchContext<'_>, slot: u32) -> TermPlaces {
        let places = self.found.places_of(slot);
        if self.look.contains(slot) { more(ask, places, slot, self.people) } else { places }
    }
}

fn places_by_session<'p>(ask: &SearchContext<'_>, people: &'p AgentMatches, tags: &'p [TermMatches]) -> OfSessions<'p> {
    let hub = ask.hub;
    let mut places_by_session =
        OfSessions { people, tags, found: TermPlacesByNumber::none(hub.slots()), look: Set::none(hub.slots()) };
    for (bit, term) in bits(ask) {
        let session = |slot| hub.session_at(slot);
        let titled = hub.indexes.titles.titled(term, hub.slots(), session);
        let whole = term.is_loose().then(|| hub.indexes.titles.titled_whole(term, hub.slots(), session));
        for slot in titled.iter() {
            let whole = if whole.as_ref().is_none_or(|whole| whole.contains(slot)) { bit } else { 0 };
            places_by_session.found.at(slot).title(TermMatches { any: bit, whole });
        }
        hub.indexes.titles.ids.find(term, |slot, id| places_by_session.found.at(slot).label(seen(ask, bit, term, id)));
    }
    if places_by_session.tags.iter().any(|seen| seen.any > 0) {
        for (slot, brief) in (0..).zip(hub.sessions.overview.briefs()) {
            let seen = brief.tags().filter_map(|tag| tags.get(usize::from(tag))).filter(|seen| seen.any > 0);
            seen.for_each(|seen| places_by_session.found.at(slot).label(*seen));
        }
    }
    if people.bits != 0 {
        let briefs = (0..).zip(hub.sessions.overview.briefs());
        let with_people = briefs.filter(|(_, brief)| brief.parties & people.bits != 0);
        with_people.for_each(|(slot, _)| places_by_session.look.insert(slot));
    }
    called(hub, ask.terms.iter().copied(), &mut places_by_session.look);
    places_by_session
}

/// The terms with their bits.
pub(super) fn bits<'t>(ask: &'t SearchContext<'_>) -> impl Iterator<Item = (Mask, &'t Term)> {
    (0..).zip(&ask.terms).map(|(number, term): (u32, _)| (1 << number, *term))
}

/// Matches of one term in a folded text.
pub(super) fn seen(ask: &SearchContext<'_>, bit: Mask, term: &Term, folded: &str) -> TermMatches {
    TermMatches { any: bit, whole: if ask.is_whole(term, folded) { bit } else { 0 } }
}

/// Adds the matches that only the session itself has.
fn more(ask: &SearchContext<'_>, mut places: TermPlaces, slot: u32, people: &AgentMatches) -> TermPlaces {
    let hub = ask.hub;
    if hub.indexes.titles.untitled.contains(&slot)
        && let Some(session) = hub.session_at(slot)
        && let (TitleSource::Task, title) = titled(hub, session)
    {
        // The stand-in title is a code: a page shows its own words in its place.
        places.title(ask.seen(&folded(&title)));
    }
    let parties = hub.sessions.overview.brief(slot).parties;
    people.by_bit.iter().filter(|(bit, _)| parties & bit != 0).for_each(|(_, person)| places.person(*person));
    if parties & people.bits & OTHER_PARTIES != 0 {
        for party in hub.session_at(slot).into_iter().flat_map(|session| &session.state.agents) {
            places.person(people.places_of(&party.id));
        }
    }
    places
}
