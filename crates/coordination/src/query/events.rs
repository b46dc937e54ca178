//! `GET events` and `GET events/{id}`: the flat log, newest first.

use super::QueryError;
use super::card::titled;
use super::page::{self, EventMark, ranked};
use super::sift::Sifted;
use crate::api::{Between, EventDetail, EventRow, EventsPage, EventsQuery, MissingAnswer, RoleCounts};
use crate::delivery::DeliveryState;
use crate::event::Event;
use crate::hub::{Hub, NONE, Said, count};
use crate::ids::{AgentId, EventId};
use crate::role::Role;
use crate::search::index::{Candidates, NoIndex};
use crate::search::{self, Part, event_rest, event_text};
use crate::text;

const TEXT_CHARS: usize = 200;
/// So many events are looked at one by one; for more all lines are gone through.
const FEW: usize = 4096;
/// Event types and pairs offered as filters.
const MAX_TYPES: usize = 60;
const MAX_PAIRS: usize = 60;

/// `GET events`.
///
/// # Errors
/// When the limit or the page mark is not acceptable.
pub fn events(hub: &Hub, now: i64, query: &EventsQuery) -> Result<EventsPage, QueryError> {
    events_by(hub, &NoIndex, now, query)
}

/// The same with an index, which spares a look at every event.
///
/// # Errors
/// As [`events`].
pub fn events_by(hub: &Hub, by: &impl Candidates, now: i64, query: &EventsQuery) -> Result<EventsPage, QueryError> {
    let limit = page::limit(query.limit, 100, 500)?;
    let before = EventMark::read("before", query.before.as_ref())?;
    let base = base(hub, query);
    let words = query.q.as_deref().and_then(search::Words::read).map(|words| Words::new(hub, by, words, base.len()));
    let kinds: Vec<u16> = query.types.iter().filter_map(|name| hub.kinds.find(name)).collect();
    let mut roles = [0_u32; 4];
    let mut types = vec![0_u32; hub.kinds.len()];
    let mut pairs = PairCounts::new(hub);
    let mut total = 0_usize;
    let mut shown: Vec<u32> = Vec::new();
    let mut more = false;
    for &index in base.iter().rev() {
        let fact = hub.fact(index);
        if !fits(hub, now, index, query, words.as_ref()) {
            continue;
        }
        let of_role = query.role.is_empty() || query.role.contains(&fact.role);
        let of_type = query.types.is_empty() || kinds.contains(&fact.kind);
        let of_pair = query.pairs.is_empty() || query.pairs.iter().any(|pair| is_between(hub, index, pair));
        if of_type && of_pair {
            roles[fact.role as usize] += 1;
        }
        if let Some(sum) = types.get_mut(usize::from(fact.kind)).filter(|_| of_role && of_pair) {
            *sum += 1;
        }
        if of_role && of_type {
            pairs.count(&fact.said);
        }
        if !(of_role && of_type && of_pair) {
            continue;
        }
        total += 1;
        if before.as_ref().is_none_or(|mark| mark.cmp_event(hub, index).is_lt()) {
            if shown.len() < limit {
                shown.push(index);
            } else {
                more = true;
            }
        }
    }
    let named = types
        .iter()
        .enumerate()
        .filter_map(|(kind, count)| u16::try_from(kind).ok().map(|kind| (hub.kinds.name(kind), *count)));
    Ok(EventsPage {
        events: shown.iter().map(|index| row(hub, *index)).collect(),
        total: count(total),
        role_counts: RoleCounts {
            conversation_main: roles[Role::ConversationMain as usize],
            delegation_subagent: roles[Role::DelegationSubagent as usize],
            orchestration_task: roles[Role::OrchestrationTask as usize],
            system_observability: roles[Role::SystemObservability as usize],
        },
        type_counts: ranked(named, MAX_TYPES),
        pair_counts: pairs.ranked(hub),
        next: shown.last().filter(|_| more).map(|index| EventMark::of(hub, *index)),
        cursor: hub.cursor(),
        now,
    })
}

/// The shortest ordered list that holds every match, and what pairs are counted of.
fn base<'a>(hub: &'a Hub, query: &EventsQuery) -> &'a [u32] {
    let session = query.session.as_ref().map(|id| hub.session(id).map_or(&[][..], |session| &session.events));
    let task = query.task.as_ref().map(|id| super::task::events_of(hub, id));
    let of = |id: &AgentId| hub.by_agent.get(id).map_or(&[][..], |posting| &posting.list);
    // Several of them have no one list.
    let agent = if let [agent] = query.agents.as_slice() { Some(of(agent)) } else { None };
    let lists = [session, task, agent, query.from.as_ref().map(of), query.to.as_ref().map(of)];
    lists.into_iter().flatten().min_by_key(|list| list.len()).unwrap_or(&hub.timeline.list)
}

/// Everything but role, type and pair, which also have counts of their own.
fn fits(hub: &Hub, now: i64, index: u32, query: &EventsQuery, words: Option<&Words>) -> bool {
    let at = hub.at(index);
    let among = |list: &[u32]| list.binary_search_by(|other| hub.events().order(*other, index)).is_ok();
    query.since.is_none_or(|since| at >= since)
        && query.until.is_none_or(|until| at <= until)
        && query
            .session
            .as_ref()
            .is_none_or(|id| hub.session_at(hub.fact(index).session).is_some_and(|session| session.id == *id))
        && query.task.as_ref().is_none_or(|task| among(super::task::events_of(hub, task)))
        && (query.agents.is_empty() || hub.concerns(index, &query.agents))
        && query.from.as_ref().is_none_or(|from| hub.spoke(index, std::slice::from_ref(from)))
        && query.to.as_ref().is_none_or(|to| hub.addresses(index, std::slice::from_ref(to)))
        && (query.delivery.is_empty() || became(hub, now, index).is_some_and(|state| query.delivery.contains(&state)))
        && words.is_none_or(|words| words.are_in(hub, index))
}

/// From one of a pair to the other.
fn is_between(hub: &Hub, index: u32, pair: &Between) -> bool {
    let said = |(from, to): (&AgentId, &AgentId)| {
        hub.spoke(index, std::slice::from_ref(from)) && hub.addresses(index, std::slice::from_ref(to))
    };
    pair.ways().into_iter().any(said)
}

/// What became of a send; nothing for any other event.
fn became(hub: &Hub, now: i64, index: u32) -> Option<DeliveryState> {
    let fact = hub.fact(index);
    let thread = hub.session_at(fact.session)?.state.threads.get(fact.thread as usize)?;
    let sends = &thread.exchanges.list;
    let place = sends.binary_search_by(|send| hub.events().order(send.event, index)).ok()?;
    sends.get(place).map(|send| send.delivery.state_at(send.sent_at, now))
}

/// How many matches there are of each pair.
struct PairCounts {
    /// How many people there are to count.
    people: usize,
    /// By the numbers of who spoke and who is addressed.
    counts: Vec<u32>,
}

impl PairCounts {
    /// Of a log with more people than this the newer ones are not offered.
    const MOST: usize = 256;

    fn new(hub: &Hub) -> Self {
        let people = hub.people.len().min(Self::MOST);
        Self { people, counts: vec![0; people * people] }
    }

    fn count(&mut self, said: &Said) {
        let (from, to) = (usize::from(said.speaker), usize::from(said.addressee));
        if from < self.people
            && to < self.people
            && let Some(count) = self.counts.get_mut(from * self.people + to)
        {
            *count += 1;
        }
    }

    /// The most frequent first.
    fn ranked(&self, hub: &Hub) -> Vec<(Between, u32)> {
        let name = |number: usize| u16::try_from(number).map_or("", |number| hub.people.name(number));
        let is_known = |name: &str| !matches!(name, "" | "unknown");
        let of = |from: usize, to: usize| self.counts.get(from * self.people + to).copied().unwrap_or_default();
        let both = (0..self.people).flat_map(|one| (0..one).map(move |other| (one, other)));
        let mut list: Vec<(Between, u32)> = both
            .map(|(one, other)| (one, other, of(one, other) + of(other, one)))
            .filter(|(one, other, count)| *count > 0 && is_known(name(*one)) && is_known(name(*other)))
            .filter_map(|(one, other, count)| Some((Between::told(name(one), name(other))?, count)))
            .collect();
        list.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        list.truncate(MAX_PAIRS);
        list
    }
}

/// The words looked for, and which of them stand in each event type.
struct Words {
    words: search::Words,
    kinds: Vec<u32>,
    /// The events that hold them, when many are asked about.
    sifted: Option<Sifted>,
}

impl Words {
    /// `asked` is how many events are asked about.
    fn new(hub: &Hub, by: &impl Candidates, words: search::Words, asked: usize) -> Self {
        let kinds = hub.kinds.iter().map(|(_, name)| words.mask(name)).collect();
        let mut words = Self { words, kinds, sifted: None };
        if asked > FEW {
            let said = |index, event: &Event| words.stand_in(event, hub.fact(index).kind);
            words.sifted = Some(Sifted::new(hub, by, &words.words, &[Part::Text, Part::Rest], said));
        }
        words
    }

    fn are_in(&self, hub: &Hub, index: u32) -> bool {
        let kind = hub.fact(index).kind;
        self.words.is_all(self.kind(kind))
            || self.sifted.as_ref().map_or_else(|| self.stand_in(hub.event(index), kind), |sifted| sifted.has(index))
    }

    /// Which of the words stand in an event type.
    fn kind(&self, kind: u16) -> u32 {
        self.kinds.get(usize::from(kind)).copied().unwrap_or_default()
    }

    fn stand_in(&self, event: &Event, kind: u16) -> bool {
        let mask = self.kind(kind);
        if !self.words.may_be_in_line(&event.raw) {
            return false;
        }
        let mask = event_text(event).map_or(mask, |text| mask | self.words.mask(&text));
        self.words.is_all(event_rest(event).fold(mask, |mask, text| mask | self.words.mask(text)))
    }
}

/// One event as a row.
pub(super) fn row(hub: &Hub, index: u32) -> EventRow {
    let (event, fact) = (hub.event(index), hub.fact(index));
    let session = hub.session_at(fact.session);
    let thread = session.and_then(|session| session.state.threads.get(fact.thread as usize));
    let known = |agent: crate::ids::AgentId| (agent.as_str() != "unknown").then_some(agent);
    EventRow {
        id: event.id(),
        at: event.at,
        event_type: event.event_type().to_owned(),
        role: fact.role,
        from_type: fact.from_type,
        to_type: fact.to_type,
        agent_id: event.agent_id(),
        from: known(event.speaker()),
        human: text::written(event).is_some_and(|written| text::human_prefix(written).is_some()),
        to: known(event.addressee()),
        session_id: session.map(|session| session.id.clone()),
        session_title: session.map(|session| titled(hub, session).1),
        thread_id: thread.filter(|thread| fact.thread != NONE && thread.is_shown()).map(|thread| thread.id.clone()),
        task_owner: event.task_id().and_then(|task| super::task::shown_under(hub, &task, &event.agent_id())),
        task_id: event.task_id(),
        category: fact.category,
        text: words(event),
        outcome: outcome(event),
        missing: text::missing(event).map(|missing| MissingAnswer { state: missing.state, reason: missing.reason }),
    }
}

/// The display text, else what the event says of itself.
fn words(event: &Event) -> String {
    let shown = text::display(event);
    let shown = shown.as_deref().or_else(|| event.reason()).or_else(|| event.error()).or_else(|| event.label());
    text::preview(shown.unwrap_or_default(), TEXT_CHARS)
}

fn outcome(event: &Event) -> Option<String> {
    let written = event.outcome().or_else(|| event.status()).or_else(|| event.wait_status());
    let by_text = || {
        let text = event.message().or_else(|| event.reply_preview())?;
        text::outcome(text).map(|outcome| outcome.word)
    };
    written.map(str::to_owned).or_else(by_text)
}

/// `GET events/{id}`. `file_name` gives the name of the file that an event's id names by a token; without a name there
/// is no place to tell.
#[must_use]
pub fn event(hub: &Hub, id: &EventId, file_name: impl FnOnce(&str) -> Option<String>) -> Option<EventDetail> {
    let index = hub.find(id)?;
    let event = hub.event(index);
    let (token, offset) = event.position().parts();
    let file = file_name(token);
    let offset = offset.filter(|_| file.is_some());
    Some(EventDetail { event: row(hub, index), raw: event.to_value(), file, offset })
}
