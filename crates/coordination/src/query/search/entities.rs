//! Search hits among sessions, tasks and agents. Each term is looked up in substring indexes of session titles, session
//! ids and task texts; only candidates from there are read further. Agents and session tags are few, so each of them is
//! compared with the term.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound::Unbounded;

use super::SearchResults;
use super::ask::{Mask, SearchContext, TermMatches};
use super::rank::{HitTarget, RankedHit};
use crate::api::{AgentState, SearchKind, SearchPlace};
use crate::hub::{Holds, Hub, Session, TaskAt, TaskTexts, archived, count, open};
use crate::ids::{AgentId, TaskId};
use crate::query::agents::{Waits, agents, ids};
use crate::query::card::titled;
use crate::query::task::{dated_status, events_of, owner, session_of};
use crate::search::index::Set;
use crate::search::{Term, folded};
use crate::title::TitleSource;
use crate::workspace::{AgentWorkspace, TaskStatus};

/// Counts and ranks them.
pub(super) fn look<'a>(ask: &SearchContext<'a>, found: &mut SearchResults<'a>) {
    let people = AgentMatches::new(ask);
    sessions(ask, &people, found);
    tasks(ask, &people, found);
    people.look(ask, found);
}

/// Terms by place: in the title, elsewhere, and those that occur letter for letter.
#[derive(Debug, Clone, Copy, Default)]
struct TermPlaces {
    title: Mask,
    label: Mask,
    text: Mask,
    whole: Mask,
}

impl TermPlaces {
    fn title(&mut self, seen: TermMatches) {
        self.title |= seen.any;
        self.whole |= seen.whole;
    }

    fn label(&mut self, seen: TermMatches) {
        self.label |= seen.any;
        self.whole |= seen.whole;
    }

    fn text(&mut self, seen: TermMatches) {
        self.text |= seen.any;
        self.whole |= seen.whole;
    }

    /// Adds the terms of a person who owns it or takes part.
    fn person(&mut self, person: Self) {
        self.label(TermMatches { any: person.all(), whole: person.whole });
    }

    fn all(self) -> Mask {
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

fn note<'a>(
    ask: &SearchContext<'a>,
    places: TermPlaces,
    kind: SearchKind,
    at: Option<i64>,
    what: HitTarget<'a>,
    found: &mut SearchResults<'a>,
) {
    let partly = ask.can_be_partly() && !ask.holds_all(places.whole);
    found.push(RankedHit::new(ask.hub, kind, places.place(ask), partly, at, what));
}

/// The terms in the id or name of each agent.
struct AgentMatches {
    all: Vec<(AgentId, TermPlaces)>,
    by_id: HashMap<AgentId, TermPlaces>,
}

impl AgentMatches {
    fn new(ask: &SearchContext<'_>) -> Self {
        let all: Vec<(AgentId, TermPlaces)> =
            ids(ask.hub).into_iter().map(|id| (id.clone(), person(ask, &id))).collect();
        Self { by_id: all.iter().cloned().collect(), all }
    }

    fn places_of(&self, id: &AgentId) -> TermPlaces {
        self.by_id.get(id).copied().unwrap_or_default()
    }

    fn look<'a>(&self, ask: &SearchContext<'a>, found: &mut SearchResults<'a>) {
        let blocked: BTreeSet<AgentId> = match ask.narrow.asks_for_states() {
            true => agents(ask.hub, ask.now, &Waits::new(ask.hub, ask.now))
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
                note(ask, *places, SearchKind::Agents, at, HitTarget::Agent(id.clone()), found);
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
fn newest(ask: &SearchContext<'_>, list: &[u32]) -> Option<u32> {
    list.iter().rev().copied().find(|index| *index < ask.until)
}

fn sessions<'a>(ask: &SearchContext<'a>, people: &AgentMatches, found: &mut SearchResults<'a>) {
    let tags: Vec<TermMatches> = ask.hub.sessions.overview.tags.iter().map(|(_, tag)| ask.seen(&folded(tag))).collect();
    let places_by_session = places_by_session(ask, people, &tags);
    let mut look = |slot: u32| {
        let places = places_by_session.places_of(ask, slot);
        if !ask.hub.sessions.overview.brief(slot).present || !ask.fits(places.all()) {
            return;
        }
        let Some(session) = ask.hub.session_at(slot) else { return };
        let Some(last) = newest(ask, &session.events) else { return };
        let at = ask.hub.at(last);
        if ask.narrow.session(slot, session, at) && found.count(SearchKind::Sessions) {
            found.facets.note_session(slot);
            note(ask, places, SearchKind::Sessions, Some(at), HitTarget::Session(slot), found);
        }
    };
    if ask.is_bare() {
        (0..ask.hub.slots()).for_each(look);
    } else {
        let mut slots = places_by_session.found.touched.clone();
        slots.or(&places_by_session.look);
        slots.iter().for_each(&mut look);
    }
}

/// Terms by place for numbered items, of which few have any.
struct TermPlacesByNumber {
    /// By number: the index in `places` plus one; 0 for none. Zero pages cost nothing until they are touched.
    indexes: Vec<u32>,
    /// Places of the items in `touched`, by first access.
    places: Vec<TermPlaces>,
    /// Items with terms.
    touched: Set,
}

impl TermPlacesByNumber {
    fn none(count: u32) -> Self {
        Self { indexes: vec![0; count as usize], places: Vec::new(), touched: Set::none(count) }
    }

    fn at(&mut self, number: u32) -> &mut TermPlaces {
        let slot = &mut self.indexes[number as usize];
        if *slot == 0 {
            self.touched.insert(number);
            self.places.push(TermPlaces::default());
            *slot = count(self.places.len());
        }
        &mut self.places[*slot as usize - 1]
    }

    fn places_of(&self, number: u32) -> TermPlaces {
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
        match ask.hub.session_at(slot).filter(|_| self.look.contains(slot)) {
            Some(session) => more(ask, places, session, self.people),
            None => places,
        }
    }
}

fn places_by_session<'p>(ask: &SearchContext<'_>, people: &'p AgentMatches, tags: &'p [TermMatches]) -> OfSessions<'p> {
    let hub = ask.hub;
    let mut places_by_session =
        OfSessions { people, tags, found: TermPlacesByNumber::none(hub.slots()), look: Set::none(hub.slots()) };
    for (bit, term) in bits(ask) {
        hub.indexes
            .titles
            .titles
            .find(term, |slot, title| places_by_session.found.at(slot).title(seen(ask, bit, term, title)));
        hub.indexes.titles.ids.find(term, |slot, id| places_by_session.found.at(slot).label(seen(ask, bit, term, id)));
    }
    if places_by_session.tags.iter().any(|seen| seen.any > 0) {
        for (slot, brief) in (0..).zip(hub.sessions.overview.briefs()) {
            let seen = brief.tags().filter_map(|tag| tags.get(usize::from(tag))).filter(|seen| seen.any > 0);
            seen.for_each(|seen| places_by_session.found.at(slot).label(*seen));
        }
    }
    // A participant speaks or is addressed in an event of the session.
    for (id, _) in people.all.iter().filter(|(_, places)| places.all() > 0) {
        let events = hub.indexes.by_agent.get(id).map_or(&[][..], |posting| &posting.list);
        events.iter().for_each(|index| places_by_session.look.insert(hub.meta_of(*index).session));
    }
    let mut called: BTreeSet<&TaskId> = BTreeSet::new();
    for (_, shelf, _) in hub.inputs.tasks.shelves() {
        for (_, term) in bits(ask) {
            shelf.calls(term, |position| _ = called.insert(&shelf.ids()[position as usize]));
        }
    }
    if !called.is_empty() {
        let events = called.iter().flat_map(|id| events_of(hub, id));
        events.for_each(|index| places_by_session.look.insert(hub.meta_of(*index).session));
        let by_file =
            hub.inputs.tasks.by_session.iter().filter(|(_, tasks)| tasks.iter().any(|task| called.contains(task)));
        by_file.filter_map(|(session, _)| hub.slot_of(session)).for_each(|slot| places_by_session.look.insert(slot));
    }
    places_by_session
}

/// The terms with their bits.
fn bits<'t>(ask: &'t SearchContext<'_>) -> impl Iterator<Item = (Mask, &'t Term)> {
    (0..).zip(&ask.terms).map(|(number, term): (u32, _)| (1 << number, *term))
}

/// Matches of one term in a folded text.
fn seen(ask: &SearchContext<'_>, bit: Mask, term: &Term, folded: &str) -> TermMatches {
    TermMatches { any: bit, whole: if ask.is_whole(term, folded) { bit } else { 0 } }
}

/// Adds the matches that only the session itself has.
fn more(ask: &SearchContext<'_>, mut places: TermPlaces, session: &Session, people: &AgentMatches) -> TermPlaces {
    if session.state.own_title().is_none()
        && let (TitleSource::Task, title) = titled(ask.hub, session)
    {
        // The stand-in title is a code: a page shows its own words in its place.
        places.title(ask.seen(&folded(&title)));
    }
    for party in &session.state.agents {
        places.person(people.places_of(&party.id));
    }
    places
}

fn tasks<'a>(ask: &SearchContext<'a>, people: &AgentMatches, found: &mut SearchResults<'a>) {
    let hub: &'a Hub = ask.hub;
    if !ask.narrow.may_be_tasks() {
        return;
    }
    for (place, shelf, at) in hub.inputs.tasks.shelves() {
        let Some(AgentWorkspace { agent_id: owner, .. }) = hub.workspace().agents.get(place) else { continue };
        let person = people.places_of(owner);
        let places_by_task = on_shelf(ask, shelf);
        let look = |position: u32| {
            let (mut places, at) = (places_by_task.places_of(position), at(position));
            places.person(person);
            if ask.fits(places.all()) && !hub.inputs.tasks.is_hidden(at) {
                task(ask, &shelf.ids()[position as usize], (owner, Some(at)), places, found);
            }
        };
        if ask.holds_all(person.all()) {
            (0..count(shelf.ids().len())).for_each(look);
        } else {
            places_by_task.touched.iter().for_each(look);
        }
    }
    let mut named: BTreeMap<&TaskId, TermPlaces> = BTreeMap::new();
    for (bit, term) in bits(ask) {
        hub.indexes.task_log.find(term, |id, folded| named.entry(id).or_default().label(seen(ask, bit, term, folded)));
    }
    let mut look = |id: &'a TaskId, owner: &AgentId, mut places: TermPlaces| {
        places.person(people.places_of(owner));
        task(ask, id, (owner, None), places, found);
    };
    if ask.is_bare() || people.all.iter().any(|(_, person)| ask.holds_all(person.all())) {
        for (_, _, owner, id) in hub.indexes.task_log.board(Unbounded) {
            look(id, owner, named.get(id).copied().unwrap_or_default());
        }
    } else {
        for (id, places) in named {
            owner(hub, id).iter().for_each(|owner| look(id, owner, places));
        }
    }
}

fn on_shelf(ask: &SearchContext<'_>, shelf: &TaskTexts) -> TermPlacesByNumber {
    let mut places_by_task = TermPlacesByNumber::none(count(shelf.ids().len()));
    for (bit, term) in bits(ask) {
        shelf.find(term, |holds, position, text| {
            let (places, seen) = (places_by_task.at(position), seen(ask, bit, term, text));
            match holds {
                Holds::Title => places.title(seen),
                Holds::Id => places.label(seen),
                Holds::Text => places.text(seen),
            }
        });
    }
    places_by_task
}

/// A task of its owner, with the place of its file if it has one.
fn task<'a>(
    ask: &SearchContext<'a>,
    id: &'a TaskId,
    (owner, held): (&AgentId, Option<TaskAt>),
    places: TermPlaces,
    found: &mut SearchResults<'a>,
) {
    if !ask.fits(places.all()) {
        return;
    }
    let hub = ask.hub;
    let events = events_of(hub, id);
    let by_event = newest(ask, events);
    if held.is_none() && by_event.is_none() {
        return;
    }
    let (status, last) = dated_status(hub, id, held);
    let at = if by_event == events.last().copied() {
        last
    } else {
        by_event.map(|index| hub.at(index)).filter(|at| *at > 0)
    };
    let slot = own_session(hub, id, held);
    let what = HitTarget::Task(owner.clone(), id);
    let blocked = status == TaskStatus::Blocked;
    if ask.narrow.task(&what, slot, at, blocked) && found.count(SearchKind::Tasks) {
        found.facets.note_task(owner, slot);
        note(ask, places, SearchKind::Tasks, at, what, found);
    }
}

/// Further texts of a task: its steps, or the outcome of an ended one.
pub(super) fn steps(hub: &Hub, held: Option<TaskAt>) -> Vec<&str> {
    let workspace = hub.workspace();
    if let Some(file) = held.and_then(|at| open(workspace, at)) {
        let first = std::iter::once(file.description.as_str());
        return first.chain(file.steps.iter().map(|step| step.content.as_str())).collect();
    }
    held.and_then(|at| archived(workspace, at)).map(|entry| vec![entry.description.as_str()]).unwrap_or_default()
}

/// The slot of a task's session.
pub(super) fn own_session(hub: &Hub, id: &TaskId, held: Option<TaskAt>) -> Option<u32> {
    let by_file = held.and_then(|at| open(hub.workspace(), at)).and_then(|file| file.work_session_id.clone());
    hub.slot_of(&by_file.or_else(|| session_of(hub, id))?)
}
