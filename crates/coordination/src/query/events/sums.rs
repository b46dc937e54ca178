//! Facet counts of the event list (events by role, by type and by pair of agents), and the filter by role, type and
//! agents. The counts of a facet ignore the facet's own filter, so they show what another choice would give.

use crate::api::{AgentPair, EventsPage, EventsQuery, RoleCounts};
use crate::hub::Hub;
use crate::ids::AgentId;
use crate::query::page::ranked;
use crate::role::Role;

/// Event types and pairs offered as filters.
const MAX_TYPES: usize = 60;
const MAX_PAIRS: usize = 60;

/// Result of each filter for an event.
#[derive(Debug, Clone, Copy)]
pub(super) struct EventFit {
    /// The filters by agent, sender and receiver match.
    people: bool,
    /// The filter by role matches.
    role: bool,
    /// The filter by event type matches.
    kind: bool,
    /// The filter by pair of agents matches.
    pair: bool,
}

impl EventFit {
    pub(super) fn is_all(self) -> bool {
        self.people && self.role && self.kind && self.pair
    }
}

/// Filter by role, type and people.
pub(super) struct TallyFilter<'a> {
    hub: &'a Hub,
    query: &'a EventsQuery,
    /// Numbers of the requested event types.
    kinds: Vec<u16>,
    /// By cell number; `None` where the line of each event has to be checked.
    fits: Vec<Option<EventFit>>,
}

impl<'a> TallyFilter<'a> {
    pub(super) fn new(hub: &'a Hub, query: &'a EventsQuery) -> Self {
        let kinds = query.types.iter().filter_map(|name| hub.indexes.kinds.find(name)).collect();
        let mut filter = Self { hub, query, kinds, fits: Vec::new() };
        let of_people =
            !query.agents.is_empty() || !query.pairs.is_empty() || query.from.is_some() || query.to.is_some();
        let cells = hub.indexes.tally.cells().iter();
        filter.fits = cells
            .map(|cell| {
                let is_decided = !of_people || hub.is_numbered(cell.sample);
                is_decided.then(|| filter.look(cell.sample, cell.role))
            })
            .collect();
        filter
    }

    /// Whether no event has to be read to decide it.
    pub(super) fn is_decided(&self) -> bool {
        self.fits.iter().all(Option::is_some)
    }

    /// Result for an event.
    pub(super) fn fit_of(&self, index: u32) -> EventFit {
        self.of_cell(self.hub.indexes.tally.cell_of(index))
            .unwrap_or_else(|| self.look(index, self.hub.meta_of(index).role))
    }

    /// Result for all events of a cell, when they are equal.
    pub(super) fn of_cell(&self, cell: usize) -> Option<EventFit> {
        self.fits.get(cell).copied().flatten()
    }

    /// Types of which some event may match, when not all do.
    pub(super) fn kinds(&self) -> Option<Vec<u16>> {
        let mut kinds: Vec<u16> = self
            .hub
            .indexes
            .tally
            .cells()
            .iter()
            .zip(&self.fits)
            .filter(|(cell, fit)| cell.count > 0 && fit.is_none_or(EventFit::is_all))
            .map(|(cell, _)| cell.kind)
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        (kinds.len() < self.hub.indexes.kinds.len()).then_some(kinds)
    }

    /// Result for an event of this role, or for one that represents its cell.
    fn look(&self, index: u32, role: Role) -> EventFit {
        let Self { hub, query, .. } = self;
        let kind = hub.meta_of(index).kind;
        EventFit {
            people: (query.agents.is_empty() || hub.concerns(index, &query.agents))
                && query.from.as_ref().is_none_or(|from| hub.spoke(index, std::slice::from_ref(from)))
                && query.to.as_ref().is_none_or(|to| hub.addresses(index, std::slice::from_ref(to))),
            role: query.role.is_empty() || query.role.contains(&role),
            kind: query.types.is_empty() || self.kinds.contains(&kind),
            pair: query.pairs.is_empty() || query.pairs.iter().any(|pair| is_between(hub, index, pair)),
        }
    }
}

/// From one of a pair to the other.
fn is_between(hub: &Hub, index: u32, pair: &AgentPair) -> bool {
    let is_direction = |(from, to): (&AgentId, &AgentId)| {
        hub.spoke(index, std::slice::from_ref(from)) && hub.addresses(index, std::slice::from_ref(to))
    };
    pair.directions().into_iter().any(is_direction)
}

/// The counts of a list.
pub(super) struct Sums<'a> {
    filter: &'a TallyFilter<'a>,
    /// Number of events by role, without the filter by role.
    roles: [u32; 4],
    /// Number of events by type number, without the filter by type.
    types: Vec<u32>,
    /// Number of events by pair of agents, without the filter by pair.
    pairs: PairCounts,
    /// Number of events in the list.
    pub(super) total: u32,
}

impl<'a> Sums<'a> {
    fn new(filter: &'a TallyFilter<'a>) -> Self {
        let hub = filter.hub;
        Self { filter, roles: [0; 4], types: vec![0; hub.indexes.kinds.len()], pairs: PairCounts::new(hub), total: 0 }
    }

    /// Of all events; when [`TallyFilter::is_decided`].
    pub(super) fn of_all(filter: &'a TallyFilter<'a>) -> Self {
        let mut sums = Self::new(filter);
        for (number, cell) in filter.hub.indexes.tally.cells().iter().enumerate() {
            sums.add_cell(number, cell.count);
        }
        sums
    }

    /// Of these.
    pub(super) fn of_each(filter: &'a TallyFilter<'a>, events: &[u32]) -> Self {
        let mut sums = Self::new(filter);
        let mut counts = vec![0_u32; filter.hub.indexes.tally.cells().len()];
        for index in events {
            let cell = filter.hub.indexes.tally.cell_of(*index);
            match filter.of_cell(cell) {
                Some(_) => counts[cell] += 1,
                None => sums.add(filter.fit_of(*index), *index, filter.hub.meta_of(*index).role, 1),
            }
        }
        counts.into_iter().enumerate().for_each(|(number, count)| sums.add_cell(number, count));
        sums
    }

    fn add_cell(&mut self, number: usize, count: u32) {
        let cell = self.filter.hub.indexes.tally.cells()[number];
        if let Some(fit) = self.filter.of_cell(number).filter(|_| count > 0) {
            self.add(fit, cell.sample, cell.role, count);
        }
    }

    fn add(&mut self, fit: EventFit, sample: u32, role: Role, count: u32) {
        let fact = self.filter.hub.meta_of(sample);
        if !fit.people {
            return;
        }
        if fit.kind && fit.pair {
            self.roles[role as usize] += count;
        }
        if let Some(sum) = self.types.get_mut(usize::from(fact.kind)).filter(|_| fit.role && fit.pair) {
            *sum += count;
        }
        if fit.role && fit.kind {
            self.pairs.add(fact.flags.speaker, fact.flags.addressee, count);
        }
        if fit.is_all() {
            self.total += count;
        }
    }

    /// Puts the counts into an answer.
    pub(super) fn write_counts(self, page: &mut EventsPage) {
        let hub = self.filter.hub;
        let role_count = |role: Role| self.roles[role as usize];
        page.total = self.total;
        page.role_counts = RoleCounts {
            conversation_main: role_count(Role::ConversationMain),
            delegation_subagent: role_count(Role::DelegationSubagent),
            orchestration_task: role_count(Role::OrchestrationTask),
            system_observability: role_count(Role::SystemObservability),
        };
        let named = hub.indexes.kinds.iter().zip(&self.types).map(|((_, name), count)| (name, *count));
        page.type_counts = ranked(named, MAX_TYPES);
        page.pair_counts = self.pairs.ranked(hub);
    }
}

/// Number of matches of each pair.
struct PairCounts {
    /// Number of people that are counted.
    people: usize,
    /// By the numbers of who spoke and who is addressed.
    counts: Vec<u32>,
}

impl PairCounts {
    /// In a log with more people than this the newer ones are not offered.
    const MAX_PEOPLE: usize = 256;

    fn new(hub: &Hub) -> Self {
        let people = hub.indexes.people.len().min(Self::MAX_PEOPLE);
        Self { people, counts: vec![0; people * people] }
    }

    fn add(&mut self, speaker: u16, addressee: u16, more: u32) {
        let (from, to) = (usize::from(speaker), usize::from(addressee));
        if from < self.people
            && to < self.people
            && let Some(count) = self.counts.get_mut(from * self.people + to)
        {
            *count += more;
        }
    }

    /// The most frequent first.
    fn ranked(&self, hub: &Hub) -> Vec<(AgentPair, u32)> {
        let name = |number: usize| u16::try_from(number).map_or("", |number| hub.indexes.people.name(number));
        let is_known = |name: &str| !matches!(name, "" | "unknown");
        let sends = |from: usize, to: usize| self.counts.get(from * self.people + to).copied().unwrap_or_default();
        let both = (0..self.people).flat_map(|one| (0..one).map(move |other| (one, other)));
        let mut list: Vec<(AgentPair, u32)> = both
            .map(|(one, other)| (one, other, sends(one, other) + sends(other, one)))
            .filter(|(one, other, count)| *count > 0 && is_known(name(*one)) && is_known(name(*other)))
            .filter_map(|(one, other, count)| Some((AgentPair::from_texts(name(one), name(other))?, count)))
            .collect();
        list.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        list.truncate(MAX_PAIRS);
        list
    }
}

#[cfg(test)]
mod tests {
    use crate::api::{AgentPair, EventsQuery};
    use crate::event::parse_lines;
    use crate::hub::Hub;
    use crate::ids::AgentId;
    use crate::query::events;

    /// In a hostile log not everybody has a number: then the lines decide for the others.
    #[test]
    fn unnumbered_people_are_found_by_lines() {
        let line = |from: &str, to: &str, at: i64| {
            format!(
                "{{\"type\":\"a2a.send\",\"agentId\":\"{from}\",\"ts\":{at},\"data\":{{\"fromAgent\":\"{from}\",\"toAgent\":\"{to}\"}}}}\n"
            )
        };
        let mut hub = Hub::new();
        for number in 0..u16::MAX {
            assert_eq!(hub.indexes.people.number(&format!("p{number}")), number);
        }
        // The second and the last have the same numbers.
        let lines = [("p1", "p2"), ("new", "p2"), ("newer", "new"), ("newer", "p1"), ("p2", "p1"), ("newest", "p2")];
        let text: String = (1_771_500_000_000..).zip(lines).map(|(at, (from, to))| line(from, to, at)).collect();
        hub.apply(parse_lines(text.as_bytes(), "f", 0).0);
        let found = |query: EventsQuery| {
            let page = events(&hub, 1_771_500_001_000, &query).expect("a good question");
            let types: u32 = page.type_counts.iter().map(|(_, count)| count).sum();
            assert_eq!((page.total as usize, types), (page.events.len(), page.total));
            page.total
        };
        let with_agent = |id: &str| EventsQuery { agents: vec![AgentId::from(id)], ..EventsQuery::default() };
        assert_eq!(["p1", "p2", "new", "newer", "newest", "none"].map(|id| found(with_agent(id))), [3, 4, 2, 2, 1, 0]);
        let from = |id: &str| EventsQuery { from: Some(AgentId::from(id)), ..EventsQuery::default() };
        assert_eq!(["p1", "p2", "new", "newer", "newest"].map(|id| found(from(id))), [1, 1, 1, 2, 1]);
        let between = |one: &str, other: &str| EventsQuery {
            pairs: vec![AgentPair::new(one.into(), other.into())],
            ..EventsQuery::default()
        };
        assert_eq!([between("new", "newer"), between("p1", "p2"), between("p2", "newer")].map(found), [1, 2, 0]);
        assert_eq!(found(EventsQuery::default()), 6);
    }
}
