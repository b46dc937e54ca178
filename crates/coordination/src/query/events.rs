//! Queries of `GET /api/v2/events` and `GET /api/v2/events/{id}`: pages of the event list, newest first, and one event
//! in detail.

mod newest;
mod sums;

use newest::Newest;
use sums::{Sums, TallyFilter};

use super::QueryError;
use super::card::titled;
use super::event_filter::EventMatches;
use super::page::{self, EventMark};
use crate::api::{EventDetail, EventRow, EventsPage, EventsQuery, MissingAnswer, Origin, RoleCounts, ToolUse};
use crate::delivery::DeliveryState;
use crate::event::{Event, origin_of};
use crate::hub::{Hub, NONE};
use crate::ids::{AgentId, EventId};
use crate::search::index::{Candidates, NoIndex};
use crate::search::{self, EventTextPart, event_rest, event_text};
use crate::text;

/// Longest text of a row, in characters.
const TEXT_CHARS: usize = 200;
/// Rows of a page by default.
const DEFAULT_PAGE_ROWS: u32 = 100;
/// Rows of a page at most.
const MAX_PAGE_ROWS: u32 = 500;
/// Up to this many events are read one by one; for more all lines are scanned.
const MAX_SINGLE_EVENTS: usize = 4096;

/// `GET events`.
///
/// # Errors
/// When the limit or the page mark is not acceptable.
pub fn events(hub: &Hub, now: i64, query: &EventsQuery) -> Result<EventsPage, QueryError> {
    events_with_index(hub, &NoIndex, now, query)
}

/// [`events`] with a search index, so that a text query reads only candidate events.
///
/// Cost: a query by role, type and people alone is counted from tallies and reads only the events of the page. With any
/// other filter, each event of the shortest list that contains all matches is checked.
///
/// # Errors
/// As [`events`].
pub fn events_with_index(
    hub: &Hub,
    by: &impl Candidates,
    now: i64,
    query: &EventsQuery,
) -> Result<EventsPage, QueryError> {
    let before = EventMark::read("before", query.before.as_ref())?;
    events_before(hub, by, now, query, before.as_ref())
}

/// [`events_with_index`] of the events before a place, whatever `query.before` says.
pub(super) fn events_before(
    hub: &Hub,
    by: &impl Candidates,
    now: i64,
    query: &EventsQuery,
    before: Option<&EventMark>,
) -> Result<EventsPage, QueryError> {
    let limit = page_rows(query)?;
    let filter = TallyFilter::new(hub, query);
    let matcher = EventMatcher::new(hub, by, now, query);
    // `None` when the tallies alone decide.
    let matches = (!filter.is_decided() || matcher.is_some()).then(|| {
        let base = base(hub, query).iter().copied();
        base.filter(|index| matcher.as_ref().is_none_or(|matcher| matcher.fits(*index))).collect::<Vec<u32>>()
    });
    let (sums, lists) = match &matches {
        Some(matches) => (Sums::of_each(&filter, matches), vec![matches.as_slice()]),
        None => (Sums::of_all(&filter), lists(hub, query, &filter)),
    };
    let all = sums.total as usize;
    let until = |list| before.map_or(list, |mark| &list[..page::before(hub, list, mark)]);
    let newest = Newest::new(hub, lists.into_iter().map(until).collect());
    // The oldest ones of a few are found without iterating to the beginning of the log.
    let shown: Vec<u32> = newest.filter(|index| filter.fit_of(*index).is_all()).take(all.min(limit + 1)).collect();
    let (shown, more) = (&shown[..shown.len().min(limit)], shown.len() > limit);
    let mut page = EventsPage {
        events: shown.iter().map(|index| row(hub, *index)).collect(),
        total: 0,
        role_counts: RoleCounts::default(),
        type_counts: Vec::new(),
        pair_counts: Vec::new(),
        next: shown.last().filter(|_| more).map(|index| EventMark::encode(hub, *index)),
        cursor: hub.cursor(),
        now,
    };
    sums.write_counts(&mut page);
    Ok(page)
}

/// Number of rows of a page.
pub(super) fn page_rows(query: &EventsQuery) -> Result<usize, QueryError> {
    page::limit(query.limit, DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS)
}

/// Keeps the events that `GET events?q=` finds for this text.
pub(crate) fn retain_found(hub: &Hub, by: &impl Candidates, text: &str, events: &mut Vec<u32>) {
    if let Some(words) = search::WordFilter::read(text) {
        let words = EventWords::new(hub, by, words, events.len());
        events.retain(|index| words.are_in(hub, *index));
    }
}

/// The shortest ordered list that contains every match, and the events counted by role, type and pair; limited to the
/// requested time.
fn base<'a>(hub: &'a Hub, query: &EventsQuery) -> &'a [u32] {
    let session = query.session.as_ref().map(|id| hub.session(id).map_or(&[][..], |session| &session.events));
    let task = query.task.as_ref().map(|id| super::task::events_of(hub, id));
    let sends = (!query.delivery.is_empty())
        .then(|| hub.indexes.kinds.find("a2a.send").map_or(&[][..], |it| hub.indexes.tally.of_kind(it)));
    let lists = [session, task, sends].into_iter().flatten().chain(of_people(hub, query));
    let list = lists.min_by_key(|list| list.len()).unwrap_or(&hub.events.timeline.list);
    let from = query.since.map_or(0, |since| list.partition_point(|index| hub.at(*index) < since));
    let to = query.until.map_or(list.len(), |until| list.partition_point(|index| hub.at(*index) <= until));
    list.get(from..to).unwrap_or_default()
}

/// Lists that each contain every event of the requested people, except for pairs.
fn of_people<'a>(hub: &'a Hub, query: &EventsQuery) -> impl Iterator<Item = &'a [u32]> {
    // Several of them have no common list.
    let agent = if let [agent] = query.agents.as_slice() { Some(agent) } else { None };
    [agent, query.from.as_ref(), query.to.as_ref()].into_iter().flatten().map(|id| posting(hub, id))
}

fn posting<'a>(hub: &'a Hub, id: &AgentId) -> &'a [u32] {
    hub.indexes.by_agent.get(id).map_or(&[][..], |posting| &posting.list)
}

/// Ordered lists that together contain every match, as short as possible.
fn lists<'a>(hub: &'a Hub, query: &EventsQuery, filter: &TallyFilter) -> Vec<&'a [u32]> {
    let pair = if let [pair] = query.pairs.as_slice() { Some(pair.both()) } else { None };
    let of_pair = pair.into_iter().flatten().map(|id| posting(hub, id));
    let one = of_people(hub, query).chain(of_pair).min_by_key(|list| list.len()).unwrap_or(&hub.events.timeline.list);
    let kinds: Option<Vec<&[u32]>> =
        filter.kinds().map(|kinds| kinds.into_iter().map(|kind| hub.indexes.tally.of_kind(kind)).collect());
    // Each step over several lists compares the ends of all of them.
    kinds
        .filter(|kinds| kinds.iter().map(|list| list.len()).sum::<usize>() * kinds.len() < one.len())
        .unwrap_or_else(|| vec![one])
}

/// Filters that need a check of each event. Role, type and people are in the [`TallyFilter`].
struct EventMatcher<'a> {
    hub: &'a Hub,
    now: i64,
    query: &'a EventsQuery,
    /// The requested session; `None` when there is none of that id.
    session: Option<u32>,
    task: Option<&'a [u32]>,
    words: Option<EventWords>,
}

impl<'a> EventMatcher<'a> {
    /// `None` without such a filter.
    fn new(hub: &'a Hub, by: &impl Candidates, now: i64, query: &'a EventsQuery) -> Option<Self> {
        let words = query.q.as_deref().and_then(search::WordFilter::read);
        let is_requested = query.session.is_some()
            || query.task.is_some()
            || query.since.is_some()
            || query.until.is_some()
            || !query.delivery.is_empty()
            || query.origin.is_some()
            || words.is_some();
        is_requested.then(|| Self {
            hub,
            now,
            query,
            session: query.session.as_ref().and_then(|id| hub.slot_of(id)),
            task: query.task.as_ref().map(|task| super::task::events_of(hub, task)),
            words: words.map(|words| EventWords::new(hub, by, words, base(hub, query).len())),
        })
    }

    /// The time is checked in [`base`].
    fn fits(&self, index: u32) -> bool {
        let Self { hub, query, .. } = self;
        let among = |list: &[u32]| list.binary_search_by(|other| hub.events().order(*other, index)).is_ok();
        let state = || delivery_state(hub, self.now, index);
        (query.session.is_none() || self.session == Some(hub.meta_of(index).session))
            && query.origin.is_none_or(|origin| origin == origin_of(hub.events().parts(index).0))
            && self.task.is_none_or(among)
            && (query.delivery.is_empty() || state().is_some_and(|state| query.delivery.contains(&state)))
            && self.words.as_ref().is_none_or(|words| words.are_in(hub, index))
    }
}

/// Delivery state of a send; `None` for any other event.
fn delivery_state(hub: &Hub, now: i64, index: u32) -> Option<DeliveryState> {
    let fact = hub.meta_of(index);
    let thread = hub.session_at(fact.session)?.state.threads.get(fact.thread as usize)?;
    let sends = &thread.exchanges.list;
    let place = sends.binary_search_by(|send| hub.events().order(send.event, index)).ok()?;
    sends.get(place).map(|send| send.state_at(now))
}

/// The requested words, and those that occur in each event type.
struct EventWords {
    words: search::WordFilter,
    kinds: Vec<u32>,
    /// The events with all words, when many are checked.
    sifted: Option<EventMatches>,
}

impl EventWords {
    /// `event_count` is the number of events to check.
    fn new(hub: &Hub, by: &impl Candidates, words: search::WordFilter, event_count: usize) -> Self {
        let kinds = hub.indexes.kinds.iter().map(|(_, name)| words.mask(name)).collect();
        let mut words = Self { words, kinds, sifted: None };
        if event_count > MAX_SINGLE_EVENTS {
            let matches_event = |index, event: &Event| words.are_in_event(event, hub.meta_of(index).kind);
            words.sifted = Some(EventMatches::find(
                hub,
                by,
                &words.words,
                &[EventTextPart::Text, EventTextPart::Rest],
                |_| true,
                matches_event,
            ));
        }
        words
    }

    fn are_in(&self, hub: &Hub, index: u32) -> bool {
        let kind = hub.meta_of(index).kind;
        self.words.is_all(self.kind(kind))
            || self
                .sifted
                .as_ref()
                .map_or_else(|| self.are_in_event(hub.event(index), kind), |sifted| sifted.has(index))
    }

    /// The words that occur in an event type.
    fn kind(&self, kind: u16) -> u32 {
        self.kinds.get(usize::from(kind)).copied().unwrap_or_default()
    }

    fn are_in_event(&self, event: &Event, kind: u16) -> bool {
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
    let (event, fact) = (hub.event(index), hub.meta_of(index));
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
        human: event.written_text().is_some_and(|written| text::human_prefix(written).is_some()),
        to: known(event.addressee()),
        session_id: session.map(|session| session.id.as_ref().clone()),
        session_title: session.map(|session| titled(hub, session).1),
        thread_id: thread.filter(|thread| fact.thread != NONE && thread.is_shown()).map(|thread| thread.id.clone()),
        task_owner: event.task_id().and_then(|task| super::task::shown_under(hub, &task, &event.agent_id())),
        task_id: event.task_id(),
        category: fact.category,
        text: words(event),
        outcome: outcome(event),
        missing: event.missing_answer().map(|missing| MissingAnswer { state: missing.state, reason: missing.reason }),
        tool: tool(event),
        origin: event.origin(),
    }
}

/// The tool that an event of hooks is about. Their lines are read only for events of that kind.
fn tool(event: &Event) -> Option<ToolUse> {
    if event.origin() != Origin::Hooks || !event.event_type().starts_with("tool.") {
        return None;
    }
    let line = event.to_value();
    let data = line.get("data")?;
    let number = |name: &str| data.get(name).and_then(serde_json::Value::as_i64);
    let exit_code = number("exitCode");
    Some(ToolUse {
        name: data.get("toolName")?.as_str()?.to_owned(),
        exit_code,
        inferred: exit_code.is_some() && data.get("exitCodeKnown").and_then(serde_json::Value::as_bool) == Some(false),
        duration_ms: number("durationMs").and_then(|ms| u64::try_from(ms).ok()),
    })
}

/// The display text, else a description from its fields.
fn words(event: &Event) -> String {
    let shown = event.display_text();
    // The error is the interesting part of a failed tool.
    if let Some(error) = event.error().filter(|_| event.event_type() == "tool.failed") {
        let is_shown = shown
            .filter(|shown| !shown.is_empty())
            .map_or_else(|| error.to_owned(), |shown| format!("{shown} · {error}"));
        return text::preview(&is_shown, TEXT_CHARS);
    }
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

/// `GET events/{id}`. `file_name` returns the name of the file for the token of an event's id; without a name the place
/// is left out.
#[must_use]
pub fn event(hub: &Hub, id: &EventId, file_name: impl FnOnce(&str) -> Option<String>) -> Option<EventDetail> {
    let index = hub.find(id)?;
    let event = hub.event(index);
    let (token, offset) = event.position().parts();
    let file = file_name(token);
    let offset = offset.filter(|_| file.is_some());
    Some(EventDetail { event: row(hub, index), raw: event.to_value(), file, offset })
}
