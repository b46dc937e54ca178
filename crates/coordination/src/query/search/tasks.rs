//! Search of tasks. Tasks in workspace files and archives are found by id, title and text; tasks that only events name
//! are found by id. The name of the task's agent counts too.

use std::collections::BTreeMap;
use std::ops::Bound::Unbounded;

use super::SearchResults;
use super::ask::SearchContext;
use super::entities::{AgentMatches, TermPlaces, TermPlacesByNumber, bits, newest, rank_hit, seen};
use super::rank::HitTarget;
use crate::api::SearchKind;
use crate::hub::{Holds, Hub, TaskAt, TaskTexts, archived, count, open};
use crate::ids::{AgentId, TaskId};
use crate::query::task::{owner, session_of};
use crate::workspace::{AgentWorkspace, TaskStatus};

/// Counts and ranks the tasks.
pub(super) fn look<'a>(ask: &SearchContext<'a>, people: &AgentMatches, found: &mut SearchResults<'a>) {
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
    let log = &hub.indexes.task_log;
    let number = held.map_or_else(|| log.number(id), |at| hub.inputs.tasks.number(at));
    let events = log.events_at(number);
    let by_event = newest(ask, events);
    if held.is_none() && by_event.is_none() {
        return;
    }
    let (status, last) = match held {
        Some(at) => hub.inputs.tasks.dated_status(at),
        None => (log.trace_at(number).map_or(TaskStatus::Unknown, |trace| trace.status), dated(hub, events)),
    };
    let at = if by_event == events.last().copied() {
        last
    } else {
        by_event.map(|index| hub.at(index)).filter(|at| *at > 0)
    };
    // A task that only events name has no file.
    let slot = match held.is_some_and(|at| hub.inputs.tasks.has_file(at)) {
        true => own_session(hub, id, held),
        false => newest_session(hub, events),
    };
    let blocked = status == TaskStatus::Blocked;
    if ask.narrow.task(owner, id, slot, at, blocked) && found.count(SearchKind::Tasks) {
        found.facets.note_task(owner, slot);
        rank_hit(ask, places, SearchKind::Tasks, at, || HitTarget::Task(owner.clone(), id), found);
    }
}

/// Time of the newest event, where it is plausible.
fn dated(hub: &Hub, events: &[u32]) -> Option<i64> {
    events.last().map(|index| hub.at(*index)).filter(|at| *at > 0)
}

/// The session of the newest event that names one.
fn newest_session(hub: &Hub, events: &[u32]) -> Option<u32> {
    let mut slots = events.iter().rev().map(|index| hub.meta_of(*index).session);
    slots.find(|slot| hub.session_at(*slot).is_some())
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
