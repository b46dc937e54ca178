//! Text filter of `GET sessions`. A session matches if one of its messages contains all words, if its row in a list
//! shows them (title, newest line, tags, participants), or if the text is its id. Indexes decide most sessions; only
//! the others are read.

use super::card::{called, titled as shown_title};
use super::event_filter::EventMatches;
use super::found;
use crate::hub::{Hub, OTHER_PARTIES, Session};
use crate::ids::AgentId;
use crate::search::index::{Candidates, Set};
use crate::search::{Term, WordFilter, fold};
use crate::title::DEFAULT_TITLE;

/// A requested text and what it matches.
pub(super) struct TextQuery {
    pub(super) words: WordFilter,
    /// Messages that contain all words.
    pub(super) messages: EventMatches,
    /// Slots of the sessions that match.
    pub(super) slots: Set,
}

impl TextQuery {
    /// `None` for a blank text.
    pub(super) fn new(hub: &Hub, by: &impl Candidates, text: &str) -> Option<Self> {
        let words = WordFilter::read(text)?;
        let messages = found::matching_events(hub, by, &words);
        let mut slots = found::sessions(hub, &messages);
        let shown = words.terms().iter().map(|term| shown_by(hub, term)).reduce(|mut all, shown| {
            all.and(&shown);
            all
        });
        slots.or(&shown?);
        let lower = text.trim().to_lowercase();
        for slot in hub.indexes.titles.ids.equal_to(&fold(&lower).text) {
            if hub.session_at(slot).is_some_and(|session| session.id.as_str().eq_ignore_ascii_case(&lower)) {
                slots.insert(slot);
            }
        }
        Some(Self { words, messages, slots })
    }
}

/// Sessions that show a term in their title, newest line, tags or participants.
fn shown_by(hub: &Hub, term: &Term) -> Set {
    let (index, bound) = (&hub.indexes.titles, hub.slots());
    let session = |slot| hub.session_at(slot);
    let mut slots = index.titled(term, bound, session);
    slots.or(&index.listed(term, bound, session));
    let holds = |text: &str| term.matches(&fold(text).text).is_some();
    let named: Vec<&AgentId> = hub.display_names().filter(|(_, name)| holds(name)).map(|(id, _)| id).collect();
    let bits = named.iter().fold(0, |all, id| all | hub.sessions.overview.party_bit(id.as_str()));
    let briefs = (0..).zip(hub.sessions.overview.briefs());
    for (slot, brief) in briefs.filter(|(_, brief)| brief.parties & bits != 0) {
        let is_named =
            |session: &Session| session.state.read(|state| named.iter().any(|id| state.has_agent(id.as_str())));
        if brief.parties & bits & !OTHER_PARTIES != 0 || session(slot).is_some_and(is_named) {
            slots.insert(slot);
        }
    }
    let titled = |slot: &u32| {
        let without_title = session(*slot).filter(|session| session.state.title.is_none());
        without_title.is_some_and(|session| holds(&shown_title(hub, session).1))
    };
    if holds(DEFAULT_TITLE) || hub.live_statuses().next().is_some() {
        index.untitled.iter().copied().filter(titled).for_each(|slot| slots.insert(slot));
    } else if !index.untitled.is_empty() {
        let mut by_task = Set::none(bound);
        called(hub, std::iter::once(term), &mut by_task);
        by_task.iter().filter(titled).for_each(|slot| slots.insert(slot));
    }
    slots
}
