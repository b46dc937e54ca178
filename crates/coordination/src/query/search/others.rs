//! Sessions, tasks and agents that hold what is looked for: few, and looked at each time.

use std::collections::{BTreeSet, HashMap};

use super::Found;
use super::ask::{Ask, Mask, Seen};
use super::rank::{Entry, What};
use crate::api::{AgentState, SearchKind, SearchPlace};
use crate::hub::{Hub, Session, archived, open};
use crate::ids::{AgentId, TaskId};
use crate::query::agents::{agents, ids};
use crate::query::card::titled;
use crate::query::task::{events_of, places, session_of, standing, title};
use crate::search::{fold, folded};
use crate::title::TitleSource;
use crate::workspace::TaskStatus;

/// Counts and ranks them.
pub(super) fn look<'a>(ask: &Ask<'a>, found: &mut Found<'a>) {
    let people = People::new(ask);
    sessions(ask, &people, found);
    tasks(ask, &people, found);
    people.look(ask, found);
}

/// Where the terms stand: in the title, elsewhere, and which of them letter for letter.
#[derive(Debug, Clone, Copy, Default)]
struct Stand {
    title: Mask,
    label: Mask,
    text: Mask,
    whole: Mask,
}

impl Stand {
    fn title(&mut self, seen: Seen) {
        self.title |= seen.any;
        self.whole |= seen.whole;
    }

    fn label(&mut self, seen: Seen) {
        self.label |= seen.any;
        self.whole |= seen.whole;
    }

    fn text(&mut self, seen: Seen) {
        self.text |= seen.any;
        self.whole |= seen.whole;
    }

    /// A person who owns it or takes part.
    fn person(&mut self, person: Self) {
        self.label(Seen { any: person.all(), whole: person.whole });
    }

    fn all(self) -> Mask {
        self.title | self.label | self.text
    }

    fn place(self, ask: &Ask<'_>) -> SearchPlace {
        match self {
            _ if ask.is_bare() => SearchPlace::Filter,
            _ if ask.holds_all(self.title) => SearchPlace::Title,
            _ if ask.holds_all(self.title | self.label) => SearchPlace::Label,
            _ => SearchPlace::Text,
        }
    }
}

fn note<'a>(ask: &Ask<'a>, stand: Stand, kind: SearchKind, at: Option<i64>, what: What<'a>, found: &mut Found<'a>) {
    let partly = ask.can_be_partly() && !ask.holds_all(stand.whole);
    found.push(Entry::new(ask.hub, kind, stand.place(ask), partly, at, what));
}

/// Which terms stand in the id or name of each agent.
struct People {
    all: Vec<(AgentId, Stand)>,
    by_id: HashMap<AgentId, Stand>,
}

impl People {
    fn new(ask: &Ask<'_>) -> Self {
        let all: Vec<(AgentId, Stand)> = ids(ask.hub).into_iter().map(|id| (id.clone(), person(ask, &id))).collect();
        Self { by_id: all.iter().cloned().collect(), all }
    }

    fn of(&self, id: &AgentId) -> Stand {
        self.by_id.get(id).copied().unwrap_or_default()
    }

    fn look<'a>(&self, ask: &Ask<'a>, found: &mut Found<'a>) {
        let blocked: BTreeSet<AgentId> = match ask.narrow.asks_for_states() {
            true => agents(ask.hub, ask.now)
                .into_iter()
                .filter(|agent| agent.state == AgentState::Blocked)
                .map(|agent| agent.id)
                .collect(),
            false => BTreeSet::new(),
        };
        for (id, stand) in &self.all {
            if !ask.fits(stand.all()) {
                continue;
            }
            let list = ask.hub.by_agent.get(id).map_or(&[][..], |posting| &posting.list);
            let at = newest(ask, list).map(|index| ask.hub.at(index)).filter(|at| *at > 0);
            if ask.narrow.agent(id, at, || blocked.contains(id)) && found.count(SearchKind::Agents) {
                found.facets.note_agent(id);
                note(ask, *stand, SearchKind::Agents, at, What::Agent(id.clone()), found);
            }
        }
    }
}

fn person(ask: &Ask<'_>, id: &AgentId) -> Stand {
    let known = ask.hub.roster().agent(id.as_str());
    let name = known.and_then(|agent| agent.name.as_deref());
    let emoji = known.and_then(|agent| agent.emoji.as_deref()).unwrap_or_default();
    let mut stand = Stand::default();
    // Who has no name is shown by its id.
    stand.title(ask.seen(&folded(name.unwrap_or(id.as_str()))));
    stand.label(ask.seen(&folded(id.as_str())));
    stand.label(ask.seen(&folded(emoji)));
    stand
}

/// The newest of an ordered list that was there when the first page was told.
fn newest(ask: &Ask<'_>, list: &[u32]) -> Option<u32> {
    list.iter().rev().copied().find(|index| *index < ask.until)
}

fn sessions<'a>(ask: &Ask<'a>, people: &People, found: &mut Found<'a>) {
    let tags: Vec<Seen> = ask.hub.overview.tags.iter().map(|(_, tag)| ask.seen(&folded(tag))).collect();
    for slot in 0..ask.hub.slots() {
        let Some(session) = ask.hub.session_at(slot) else { continue };
        let Some(last) = newest(ask, &session.events) else { continue };
        let at = ask.hub.at(last);
        let stand = session_stand(ask, slot, session, people, &tags);
        if ask.fits(stand.all()) && ask.narrow.session(slot, session, at) && found.count(SearchKind::Sessions) {
            found.facets.note_session(slot);
            note(ask, stand, SearchKind::Sessions, Some(at), What::Session(slot), found);
        }
    }
}

fn session_stand(ask: &Ask<'_>, slot: u32, session: &Session, people: &People, tags: &[Seen]) -> Stand {
    let mut stand = Stand::default();
    if ask.terms.is_empty() {
        return stand;
    }
    let own = session.state.title.as_ref().filter(|(source, _)| *source < TitleSource::Default);
    if let Some((_, title)) = own {
        stand.title(ask.seen(&fold(title).text));
    } else if let (TitleSource::Task, title) = titled(ask.hub, session) {
        // The stand-in title is a code: what a page shows in its place are the page's own words.
        stand.title(ask.seen(&folded(&title)));
    }
    stand.label(ask.seen(&fold(session.id.as_str()).text));
    for tag in ask.hub.overview.brief(slot).tags() {
        stand.label(tags.get(usize::from(tag)).copied().unwrap_or_default());
    }
    for party in &session.state.agents {
        stand.person(people.of(&party.id));
    }
    stand
}

fn tasks<'a>(ask: &Ask<'a>, people: &People, found: &mut Found<'a>) {
    let hub: &'a Hub = ask.hub;
    let mut all: BTreeSet<&'a TaskId> = hub.tasks.by_task.keys().collect();
    all.extend(hub.task_log.traced());
    for id in all {
        let events = events_of(hub, id);
        let by_event = newest(ask, events);
        for (owner, held) in places(hub, id) {
            if held.is_none() && by_event.is_none() {
                continue;
            }
            let (status, last) = standing(hub, id, held);
            let at = if newest(ask, events) == events.last().copied() {
                last
            } else {
                by_event.map(|index| hub.at(index)).filter(|at| *at > 0)
            };
            let mut stand = Stand::default();
            stand.title(ask.seen(&folded(&title(hub, held))));
            stand.label(ask.seen(&folded(id.as_str())));
            stand.person(people.of(&owner));
            steps(hub, held).iter().for_each(|step| stand.text(ask.seen(&folded(step))));
            if !ask.fits(stand.all()) {
                continue;
            }
            let slot = own_session(hub, id, held);
            let what = What::Task(owner.clone(), id);
            let blocked = status == TaskStatus::Blocked;
            if ask.narrow.task(&what, slot, at, blocked) && found.count(SearchKind::Tasks) {
                found.facets.note_task(&owner, slot);
                note(ask, stand, SearchKind::Tasks, at, what, found);
            }
        }
    }
}

/// What a task says besides its title: its steps, or what an ended one came to.
pub(super) fn steps(hub: &Hub, held: Option<crate::hub::TaskAt>) -> Vec<&str> {
    let workspace = hub.workspace();
    if let Some(file) = held.and_then(|at| open(workspace, at)) {
        let first = std::iter::once(file.description.as_str());
        return first.chain(file.steps.iter().map(|step| step.content.as_str())).collect();
    }
    held.and_then(|at| archived(workspace, at)).map(|entry| vec![entry.description.as_str()]).unwrap_or_default()
}

/// The slot of a task's session.
pub(super) fn own_session(hub: &Hub, id: &TaskId, held: Option<crate::hub::TaskAt>) -> Option<u32> {
    let by_file = held.and_then(|at| open(hub.workspace(), at)).and_then(|file| file.work_session_id.clone());
    hub.slot_of(&by_file.or_else(|| session_of(hub, id))?)
}
