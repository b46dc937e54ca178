//! Filters by the operators of a search query (`from:`, `type:`, `is:` …) for each type of hit: message or other event,
//! session, task, agent. An operator that does not apply to a type excludes all hits of that type. Its negation
//! excludes none of them.

use std::collections::HashMap;

use super::wait_states::{WaitMatches, WaitStates};
use crate::api::SearchKind;
use crate::category::Category;
use crate::delivery::DeliveryState;
use crate::hub::{Hub, NONE, OTHER_PARTIES, Session};
use crate::ids::{AgentId, TaskId};
use crate::query::task::events_of;
use crate::role::Role;
use crate::search::{Clause, IsValue, Operator, Sense, folded};
use crate::session::Status;

/// Values of an operator: one of the wanted ones has to match, and none of the barred ones.
#[derive(Debug)]
struct Any<T> {
    wanted: Vec<T>,
    barred: Vec<T>,
}

impl<T> Any<T> {
    fn new() -> Self {
        Self { wanted: Vec::new(), barred: Vec::new() }
    }

    fn note(&mut self, not: bool, value: T) {
        if not { self.barred.push(value) } else { self.wanted.push(value) }
    }

    fn is_open(&self) -> bool {
        self.wanted.is_empty() && self.barred.is_empty()
    }

    fn fits(&self, is: impl Fn(&T) -> bool) -> bool {
        (self.wanted.is_empty() || self.wanted.iter().any(&is)) && !self.barred.iter().any(&is)
    }

    /// Whether each of them matches.
    fn all_fit(&self, is: impl Fn(&T) -> bool) -> bool {
        self.wanted.iter().all(&is) && !self.barred.iter().any(&is)
    }
}

/// The agents with a name.
type NamedAgents = Vec<AgentId>;

/// The operators of a query.
pub(super) struct OperatorFilter<'a> {
    hub: &'a Hub,
    /// In epoch milliseconds.
    now: i64,
    /// Kinds of hits.
    kinds: Any<SearchKind>,
    /// Speakers.
    from: Any<NamedAgents>,
    /// Addressees.
    to: Any<NamedAgents>,
    /// Speaker, addressee or participant.
    agents: Any<NamedAgents>,
    /// Event types.
    types: Any<String>,
    /// Whether the filter of types matches, by number of the type. Empty without such a filter.
    kind_fits: Vec<bool>,
    roles: Any<Role>,
    categories: Any<(Operator, Category)>,
    tags: Any<String>,
    statuses: Any<Status>,
    /// Blocked, unanswered, spoken by a person, or part of the wait-for graph.
    states: Any<IsValue>,
    /// Ids of sessions.
    sessions: Any<String>,
    /// Ids of tasks.
    tasks: Any<String>,
    /// Inclusive lower bound of the time, in epoch milliseconds.
    since: i64,
    /// Exclusive upper bound of the time, in epoch milliseconds.
    before: i64,
    /// Whether the filters of sessions match, by slot. Empty without such filters.
    slot_fits: Vec<bool>,
    /// Delivery state of each unanswered send, by event number. Empty unless the query filters by state.
    sends: HashMap<u32, DeliveryState>,
    /// Matches of `is:root` and `is:deadlock`. Empty unless the query has one of them.
    waits: WaitStates,
}

impl<'a> OperatorFilter<'a> {
    pub(super) fn new(hub: &'a Hub, now: i64, offset_min: i32, until: u32, clauses: &[Clause]) -> Self {
        let mut filters = Self {
            hub,
            now,
            kinds: Any::new(),
            from: Any::new(),
            to: Any::new(),
            agents: Any::new(),
            types: Any::new(),
            kind_fits: Vec::new(),
            roles: Any::new(),
            categories: Any::new(),
            tags: Any::new(),
            statuses: Any::new(),
            states: Any::new(),
            sessions: Any::new(),
            tasks: Any::new(),
            since: i64::MIN,
            before: i64::MAX,
            slot_fits: Vec::new(),
            sends: HashMap::new(),
            waits: WaitStates::default(),
        };
        clauses.iter().for_each(|clause| filters.note(clause, offset_min));
        if !filters.types.is_open() {
            filters.kind_fits =
                hub.indexes.kinds.iter().map(|(_, name)| filters.types.fits(|wanted| is_type(name, wanted))).collect();
        }
        if !(filters.categories.is_open()
            && filters.tags.is_open()
            && filters.statuses.is_open()
            && filters.sessions.is_open())
        {
            let fits = |slot| hub.session_at(slot).is_some_and(|session| filters.session_fits(slot, session));
            filters.slot_fits = (0..hub.slots()).map(fits).collect();
        }
        if !filters.states.is_open() {
            filters.sends = unanswered(hub, now, until);
        }
        let is_of_waits = |state: &IsValue| matches!(state, IsValue::Root | IsValue::Deadlock);
        if filters.states.wanted.iter().chain(&filters.states.barred).any(is_of_waits) {
            filters.waits = WaitStates::new(hub, now, until);
        }
        filters
    }

    fn note(&mut self, clause: &Clause, offset_min: i32) {
        let not = clause.not;
        match &clause.sense {
            Sense::Word(_) | Sense::Phrase(_) => {}
            Sense::Role(role) => self.roles.note(not, *role),
            Sense::Category(operator, category) => self.categories.note(not, (*operator, *category)),
            Sense::In(kind) => self.kinds.note(not, *kind),
            Sense::Is(IsValue::Active) => self.statuses.note(not, Status::Active),
            Sense::Is(IsValue::Quiet) => self.statuses.note(not, Status::Quiet),
            Sense::Is(IsValue::Archived) => self.statuses.note(not, Status::Archived),
            Sense::Is(state) => self.states.note(not, *state),
            Sense::When(operator, when) => {
                let at = when.at(self.now, offset_min);
                if (*operator == Operator::Before) == not {
                    self.since = self.since.max(at);
                } else {
                    self.before = self.before.min(at);
                }
            }
            Sense::Name(operator, name) => match operator {
                Operator::From => self.from.note(not, named(self.hub, name)),
                Operator::To => self.to.note(not, named(self.hub, name)),
                Operator::Agent => self.agents.note(not, named(self.hub, name)),
                Operator::Type => self.types.note(not, name.clone()),
                Operator::Tag => self.tags.note(not, name.clone()),
                Operator::Session => self.sessions.note(not, name.clone()),
                _ => self.tasks.note(not, name.clone()),
            },
        }
    }

    /// Category, tags, status and id.
    fn session_fits(&self, slot: u32, session: &Session) -> bool {
        let brief = self.hub.sessions.overview.brief(slot);
        let fits = |(operator, wanted): &(Operator, Category)| brief.is_in(*wanted, *operator == Operator::Categories);
        self.categories.fits(fits)
            && self
                .tags
                .all_fit(|wanted| brief.tags().any(|tag| folded(self.hub.sessions.overview.tags.name(tag)) == *wanted))
            && self.statuses.fits(|wanted| *wanted == brief.status(self.now))
            && self.sessions.fits(|wanted| session.id.as_str() == wanted)
    }

    fn slot(&self, slot: Option<u32>, loose: Option<Category>) -> bool {
        match slot {
            _ if self.slot_fits.is_empty() => true,
            Some(slot) => self.slot_fits.get(slot as usize) == Some(&true),
            None => {
                self.categories.fits(|(_, wanted)| Some(*wanted) == loose)
                    && self.tags.wanted.is_empty()
                    && self.statuses.wanted.is_empty()
                    && self.sessions.wanted.is_empty()
            }
        }
    }

    fn time(&self, at: Option<i64>) -> bool {
        match at {
            Some(at) => at >= self.since && at < self.before,
            None => self.since == i64::MIN && self.before == i64::MAX,
        }
    }

    fn kind(&self, kind: SearchKind) -> bool {
        self.kinds.fits(|wanted| *wanted == kind)
    }

    /// Whether a filter excludes all events.
    fn no_event(&self) -> bool {
        self.types.wanted.is_empty() && self.roles.wanted.is_empty() && self.to.wanted.is_empty()
    }

    /// Whether every event passes that is not withdrawn.
    pub(super) fn is_open_for_events(&self) -> bool {
        self.kinds.is_open()
            && self.kind_fits.is_empty()
            && self.roles.is_open()
            && self.time(None)
            && self.slot_fits.is_empty()
            && self.tasks.is_open()
            && self.from.is_open()
            && self.to.is_open()
            && self.agents.is_open()
            && self.states.is_open()
    }

    /// A message or another event.
    pub(super) fn event(&self, kind: SearchKind, index: u32) -> bool {
        // Most of it is known without reading the line.
        let (hub, fact) = (self.hub, self.hub.meta_of(index));
        !hub.events().is_withdrawn(index)
            && self.kind(kind)
            && (self.kind_fits.is_empty() || self.kind_fits.get(usize::from(fact.kind)) == Some(&true))
            && self.roles.fits(|wanted| *wanted == fact.role)
            && self.time(Some(self.hub.at(index)))
            && self.slot(Some(fact.session).filter(|slot| *slot != NONE), Some(fact.category))
            && self.tasks.fits(|wanted| {
                let own = events_of(hub, &TaskId::from(wanted.as_str()));
                own.binary_search_by(|other| hub.events().order(*other, index)).is_ok()
            })
            && self.from.fits(|wanted| hub.spoke(index, wanted))
            && self.to.fits(|wanted| hub.addresses(index, wanted))
            && self.agents.all_fit(|wanted| hub.concerns(index, wanted))
            && self.states.all_fit(|state| self.is_so(*state, index))
    }

    fn is_so(&self, state: IsValue, index: u32) -> bool {
        let (sent, flags) = (self.sends.get(&index).copied(), self.hub.meta_of(index).flags);
        match state {
            IsValue::Blocked => sent == Some(DeliveryState::Blocked) || flags.blocked,
            IsValue::Unanswered => {
                let reported = || flags.unanswered && !self.is_about_notification(index);
                sent.map_or_else(reported, DeliveryState::is_unanswered)
            }
            IsValue::Root | IsValue::Deadlock => self.waits_match(state, |waits| waits.events.contains(&index)),
            _ => flags.human,
        }
    }

    /// Whether something is among the matches of `is:root` or `is:deadlock`.
    fn waits_match(&self, state: IsValue, is: impl Fn(&WaitMatches) -> bool) -> bool {
        self.waits.matches_of(state).is_some_and(is)
    }

    /// Whether this event reports a missing answer to a notification, which expects none.
    fn is_about_notification(&self, index: u32) -> bool {
        let fact = self.hub.meta_of(index);
        let session = self.hub.session_at(fact.session).filter(|_| fact.thread != NONE);
        let Some(thread) = session.and_then(|session| session.state.threads.get(fact.thread as usize)) else {
            return false;
        };
        // It settled that send, at this very time.
        let at = self.hub.at(index);
        thread
            .exchanges
            .list
            .iter()
            .any(|tracked| tracked.settled == Some(DeliveryState::Notice) && tracked.settled_at() == Some(at))
    }

    /// A session with its last activity.
    pub(super) fn session(&self, slot: u32, session: &Session, at: i64) -> bool {
        self.kind(SearchKind::Sessions)
            && self.no_event()
            && self.from.wanted.is_empty()
            && self.time(Some(at))
            && self.slot(Some(slot), None)
            && (self.tasks.is_open() || {
                let by_file = self.hub.inputs.tasks.by_session.get(&session.id);
                session.state.read(|state| {
                    let tasks = || state.tasks.iter().chain(by_file.into_iter().flatten());
                    self.tasks.fits(|wanted| tasks().any(|task| task.as_str() == wanted))
                })
            })
            && self.agents.all_fit(|wanted| {
                let bits = wanted.iter().fold(0, |all, id| all | self.hub.sessions.overview.party_bit(id.as_str()));
                let held = self.hub.sessions.overview.brief(slot).parties & bits;
                // Agents beyond the first ones share a bit.
                let has_agent = || session.state.read(|state| wanted.iter().any(|id| state.has_agent(id.as_str())));
                held & !OTHER_PARTIES != 0 || (held != 0 && has_agent())
            })
            && (self.states.is_open() || {
                let trouble = session.state.trouble(self.now);
                self.states.all_fit(|state| match state {
                    IsValue::Blocked => trouble.blocked > 0,
                    IsValue::Unanswered => trouble.waiting + trouble.no_reply + trouble.no_trace > 0,
                    _ => self.waits_match(*state, |waits| waits.sessions.contains(session.id.as_ref())),
                })
            })
    }

    /// Whether some task may match.
    pub(super) fn may_be_tasks(&self) -> bool {
        self.kind(SearchKind::Tasks) && self.no_event()
    }

    /// A task of its owner, in a session or in none.
    pub(super) fn task(&self, owner: &AgentId, id: &TaskId, slot: Option<u32>, at: Option<i64>, blocked: bool) -> bool {
        self.may_be_tasks()
            && self.time(at)
            && self.slot(slot, None)
            && self.tasks.fits(|wanted| id.as_str() == wanted)
            && is_one(&self.from, owner)
            && self.agents.all_fit(|wanted| wanted.contains(owner))
            && self.states.all_fit(|state| match state {
                IsValue::Blocked => blocked,
                _ => self.waits_match(*state, |waits| waits.tasks.contains(&(owner.clone(), id.clone()))),
            })
    }

    /// An agent with its last activity. Whether it is blocked is computed only when that matters.
    pub(super) fn agent(&self, id: &AgentId, at: Option<i64>, blocked: impl Fn() -> bool) -> bool {
        self.kind(SearchKind::Agents)
            && self.no_event()
            && self.from.wanted.is_empty()
            && self.tasks.wanted.is_empty()
            && self.time(at)
            && self.slot(None, None)
            && self.agents.all_fit(|wanted| wanted.contains(id))
            && self.states.all_fit(|state| match state {
                IsValue::Blocked => blocked(),
                _ => self.waits_match(*state, |waits| waits.agents.contains(id)),
            })
    }

    /// A note or mark of a session, with the time of its last change.
    pub(super) fn note_record(&self, slot: Option<u32>, at: i64) -> bool {
        self.kind(SearchKind::Notes)
            && self.no_event()
            && self.from.wanted.is_empty()
            && self.agents.wanted.is_empty()
            && self.tasks.wanted.is_empty()
            && self.states.wanted.is_empty()
            && self.time(Some(at))
            && self.slot(slot, None)
    }

    /// Whether it matters that an agent is blocked.
    pub(super) fn asks_for_states(&self) -> bool {
        !self.states.is_open()
    }
}

fn is_one(names: &Any<NamedAgents>, agent: &AgentId) -> bool {
    names.fits(|wanted| wanted.contains(agent))
}

/// The type itself, or one of its family: `a2a` is every `a2a.…`.
fn is_type(name: &str, wanted: &str) -> bool {
    let name = folded(name);
    let family = wanted.trim_end_matches(['*', '.']);
    name == wanted || name.strip_prefix(family).is_some_and(|rest| rest.starts_with('.') && !family.is_empty())
}

/// The agent with this id, and all with this display name.
fn named(hub: &Hub, name: &str) -> NamedAgents {
    let mut all = vec![AgentId::from(name)];
    // For an agent in a team its own name is enough.
    let is_called = |id: &AgentId, shown: &str| {
        let own = hub.live_status(id).and_then(|_| shown.split_once('/')).map(|(_, own)| own);
        [Some(shown), own].into_iter().flatten().any(|shown| folded(shown.trim()) == name)
    };
    all.extend(hub.display_names().filter(|(id, shown)| is_called(id, shown)).map(|(id, _)| id.clone()));
    all
}

/// Delivery state of each unanswered send.
fn unanswered(hub: &Hub, now: i64, until: u32) -> HashMap<u32, DeliveryState> {
    let sends = hub.sessions().flat_map(|session| session.state.sends(&hub.indexes.people, now));
    sends
        .filter(|send| send.event < until)
        .filter(|send| send.state == DeliveryState::Blocked || send.state.is_unanswered())
        .map(|send| (send.event, send.state))
        .collect()
}
