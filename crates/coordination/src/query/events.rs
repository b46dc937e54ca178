//! `GET events` and `GET events/{id}`: the flat log, newest first.

use super::QueryError;
use super::card::titled;
use super::page::{self, EventMark, ranked};
use super::sift::Sifted;
use crate::api::{EventDetail, EventRow, EventsPage, EventsQuery, MissingAnswer, RoleCounts};
use crate::event::Event;
use crate::hub::{Hub, NONE, count};
use crate::ids::EventId;
use crate::role::Role;
use crate::search::index::{Candidates, NoIndex};
use crate::search::{self, Part, event_rest, event_text};
use crate::text;

const TEXT_CHARS: usize = 200;
/// So many events are looked at one by one; for more all lines are gone through.
const FEW: usize = 4096;
/// Event types offered as filters.
const MAX_TYPES: usize = 60;

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
    let mut total = 0_usize;
    let mut shown: Vec<u32> = Vec::new();
    let mut more = false;
    for &index in base.iter().rev() {
        let fact = hub.fact(index);
        if !fits(hub, index, query, words.as_ref()) {
            continue;
        }
        let of_role = query.role.is_empty() || query.role.contains(&fact.role);
        let of_type = query.types.is_empty() || kinds.contains(&fact.kind);
        if of_type {
            roles[fact.role as usize] += 1;
        }
        if let Some(sum) = types.get_mut(usize::from(fact.kind)).filter(|_| of_role) {
            *sum += 1;
        }
        if !(of_role && of_type) {
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
        next: shown.last().filter(|_| more).map(|index| EventMark::of(hub, *index)),
        cursor: hub.cursor(),
        now,
    })
}

/// The shortest ordered list that holds every match.
fn base<'a>(hub: &'a Hub, query: &EventsQuery) -> &'a [u32] {
    let session = query.session.as_ref().map(|id| hub.session(id).map_or(&[][..], |session| &session.events));
    let task = query.task.as_ref().map(|id| super::task::events_of(hub, id));
    let of = |id: &Option<crate::ids::AgentId>| {
        id.as_ref().map(|id| hub.by_agent.get(id).map_or(&[][..], |posting| &posting.list))
    };
    let (agent, from, to) = (of(&query.agent), of(&query.from), of(&query.to));
    [session, task, agent, from, to].into_iter().flatten().min_by_key(|list| list.len()).unwrap_or(&hub.timeline.list)
}

/// Everything but role and type, which also have counts of their own.
fn fits(hub: &Hub, index: u32, query: &EventsQuery, words: Option<&Words>) -> bool {
    let at = hub.at(index);
    let among = |list: &[u32]| list.binary_search_by(|other| hub.events().order(*other, index)).is_ok();
    query.since.is_none_or(|since| at >= since)
        && query.until.is_none_or(|until| at <= until)
        && query
            .session
            .as_ref()
            .is_none_or(|id| hub.session_at(hub.fact(index).session).is_some_and(|session| session.id == *id))
        && query.task.as_ref().is_none_or(|task| among(super::task::events_of(hub, task)))
        && query.agent.as_ref().is_none_or(|agent| hub.by_agent.get(agent).is_some_and(|own| among(&own.list)))
        && query.from.as_ref().is_none_or(|from| hub.spoke(index, std::slice::from_ref(from)))
        && query.to.as_ref().is_none_or(|to| hub.addresses(index, std::slice::from_ref(to)))
        && words.is_none_or(|words| words.are_in(hub, index))
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
