//! Facet counts of a search result: hits by category, agent, event type and session.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use crate::api::SearchFacets;
use crate::category::Category;
use crate::hub::{EventMeta, Hub, NONE, OTHER_PARTIES, Session, SessionBrief};
use crate::ids::{AgentId, SessionId};
use crate::query::card::titled;
use crate::query::page::ranked;

/// Maximum number of entries of a facet.
const MAX_FACET_ENTRIES: usize = 20;

/// Counts of the hits of the requested kinds.
pub(super) struct Facets<'a> {
    hub: &'a Hub,
    /// Number of events by the speaker's number.
    speakers: Vec<u32>,
    /// Number of session hits by participant, by the place of its bit.
    parties: [u32; 63],
    /// Number of session hits by participant without a bit of its own.
    other_parties: HashMap<&'a str, u32>,
    /// Number of hits by owner of a task, by agent, and by speaker without a number.
    agents: HashMap<AgentId, u32>,
    /// Number of events by the type's number.
    types: Vec<u32>,
    /// Number of hits by slot of the session, without the session itself.
    sessions: Vec<u32>,
    /// Number of session hits by slot.
    session_hits: Vec<u32>,
    /// Number of events without a session, by index of their category.
    without_session: [u32; 10],
}

impl<'a> Facets<'a> {
    pub(super) fn new(hub: &'a Hub) -> Self {
        let slots = hub.slots() as usize;
        Self {
            hub,
            speakers: vec![0; hub.indexes.people.len()],
            parties: [0; 63],
            other_parties: HashMap::new(),
            agents: HashMap::new(),
            types: vec![0; hub.indexes.kinds.len()],
            sessions: vec![0; slots],
            session_hits: vec![0; slots],
            without_session: [0; 10],
        }
    }

    /// Counts an event without reading its line.
    pub(super) fn note_event(&mut self, index: u32, fact: &EventMeta) {
        match self.speakers.get_mut(usize::from(fact.flags.speaker)) {
            Some(sum) => *sum += 1,
            // There are more speakers than numbers.
            None => *self.agents.entry(self.hub.event(index).speaker()).or_default() += 1,
        }
        if let Some(sum) = self.types.get_mut(usize::from(fact.kind)) {
            *sum += 1;
        }
        match self.sessions.get_mut(fact.session as usize).filter(|_| fact.session != NONE) {
            Some(sum) => *sum += 1,
            None => self.without_session[fact.category.index()] += 1,
        }
    }

    pub(super) fn note_session(&mut self, slot: u32, brief: &SessionBrief) {
        if let Some(sum) = self.session_hits.get_mut(slot as usize) {
            *sum += 1;
        }
        let mut left = brief.parties & !OTHER_PARTIES;
        while left != 0 {
            self.parties[left.trailing_zeros() as usize] += 1;
            left &= left - 1;
        }
        if brief.parties & OTHER_PARTIES != 0 {
            let hub = self.hub;
            let parties = hub.session_at(slot).into_iter().flat_map(|session| &session.state.agents);
            let others = parties.filter(|party| hub.sessions.overview.party_bit(party.id.as_str()) == OTHER_PARTIES);
            others.for_each(|party| *self.other_parties.entry(party.id.as_str()).or_default() += 1);
        }
    }

    /// A task, of a session or of none.
    pub(super) fn note_task(&mut self, owner: &AgentId, slot: Option<u32>) {
        match self.agents.get_mut(owner) {
            Some(sum) => *sum += 1,
            None => _ = self.agents.insert(owner.clone(), 1),
        }
        self.note_session_part(slot);
    }

    /// Something in a session, or in one that the log does not hold.
    pub(super) fn note_session_part(&mut self, slot: Option<u32>) {
        if let Some(sum) = slot.and_then(|slot| self.sessions.get_mut(slot as usize)) {
            *sum += 1;
        }
    }

    pub(super) fn note_agent(&mut self, id: &AgentId) {
        *self.agents.entry(id.clone()).or_default() += 1;
    }

    /// The most frequent first, ties by name.
    pub(super) fn into_facets(self) -> SearchFacets {
        let hub = self.hub;
        let mut agents = self.agents;
        let parties = self.parties.iter().enumerate().filter(|(_, sum)| **sum > 0);
        let parties = parties.map(|(place, sum)| (hub.sessions.overview.party_name(place), *sum));
        let speakers = hub.indexes.people.iter().zip(&self.speakers).map(|((_, name), sum)| (name, *sum));
        for (name, sum) in speakers.filter(|(_, sum)| *sum > 0).chain(parties).chain(self.other_parties) {
            *agents.entry(AgentId::from(name.to_owned())).or_default() += sum;
        }
        agents.remove(&AgentId::from("unknown"));
        let agents = ranked(agents.iter().map(|(id, sum)| (id.as_str(), *sum)), MAX_FACET_ENTRIES);
        let types = (0..).zip(&self.types).map(|(kind, sum)| (hub.indexes.kinds.name(kind), *sum));
        let types = ranked(types, MAX_FACET_ENTRIES);
        let mut categories = self.without_session;
        let mut sessions = Vec::new();
        for (slot, (sum, own)) in (0..).zip(self.sessions.iter().zip(&self.session_hits)) {
            if sum + own == 0 {
                continue;
            }
            if let Some(brief) = hub.sessions.overview.briefs().get(slot as usize) {
                categories[brief.category.index()] += sum + own;
            }
            sessions.extend(hub.session_at(slot).filter(|_| *sum > 0).map(|session| (*sum, session)));
        }
        let sessions = most(sessions);
        let mut categories: Vec<(Category, u32)> =
            Category::ALL.into_iter().map(|key| (key, categories[key.index()])).filter(|(_, sum)| *sum > 0).collect();
        categories.sort_by_key(|(_, sum)| std::cmp::Reverse(*sum));
        SearchFacets {
            categories,
            agents: agents.into_iter().map(|(id, sum)| (AgentId::from(id), sum)).collect(),
            types,
            sessions: sessions
                .into_iter()
                .map(|(sum, session)| (session.id.as_ref().clone(), titled(hub, session).1, sum))
                .collect(),
        }
    }
}

/// The sessions with the greatest sums, ties by id.
fn most(mut sessions: Vec<(u32, &Session)>) -> Vec<(u32, &Session)> {
    let order = |(x, a): &(u32, &Session), (y, b): &(u32, &Session)| y.cmp(x).then_with(|| a.id.cmp(&b.id));
    if let Some(last) = sessions.len().checked_sub(1)
        && last >= MAX_FACET_ENTRIES
    {
        // Most sums are small and equal: their ids are compared with the greatest one chosen so far, not sorted.
        sessions.select_nth_unstable_by_key(MAX_FACET_ENTRIES - 1, |(sum, _)| Reverse(*sum));
        let least = sessions[MAX_FACET_ENTRIES - 1].0;
        let mut chosen: Vec<(u32, &Session)> = sessions.iter().copied().filter(|(sum, _)| *sum > least).collect();
        let mut ties: BTreeMap<&SessionId, &Session> = BTreeMap::new();
        for (_, session) in sessions.iter().filter(|(sum, _)| *sum == least) {
            let is_full = ties.len() + chosen.len() == MAX_FACET_ENTRIES;
            if is_full && ties.last_key_value().is_none_or(|(greatest, _)| *session.id > **greatest) {
                continue;
            }
            ties.insert(&session.id, session);
            if is_full {
                ties.pop_last();
            }
        }
        chosen.extend(ties.into_values().map(|session| (least, session)));
        sessions = chosen;
    }
    sessions.sort_by(order);
    sessions
}
