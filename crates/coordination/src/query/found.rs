//! Search in one session or thread: queries of `GET sessions/{id}/find` and `GET sessions/{id}/threads/{threadId}/find`.
//! The results are the messages that contain all words of a text, in their display text with its Markdown syntax.
//!
//! `session_text.rs` uses this search for the session list.

use super::QueryError;
use super::event_filter::EventMatches;
use super::params::invalid;
use crate::api::{FoundMessage, ThreadFound};
use crate::event::Event;
use crate::hub::{Hub, NONE, Session, Thread, count};
use crate::ids::{SessionId, ThreadId};
use crate::search::index::{Candidates, Set};
use crate::search::{EventTextPart, WordFilter};
use crate::text;

/// Maximum number of messages found in a thread; the newest of them.
const MAX_FOUND: usize = 2_000;
/// Characters of a snippet before and after the text.
const CHARS_BEFORE: usize = 40;
const CHARS_AFTER: usize = 120;

/// Events of threads that match if they are messages. Scans each line that no index covers.
pub(super) fn matching_events(hub: &Hub, by: &impl Candidates, words: &WordFilter) -> EventMatches {
    let in_thread = |index: u32| hub.meta_of(index).thread != NONE;
    let counts = |index| in_thread(index) && !by.is_mute(index);
    EventMatches::find(hub, by, words, &[EventTextPart::Text], counts, |index, event| {
        in_thread(index) && has_words(event, words)
    })
}

/// Slots of the sessions with a message among the matches.
pub(super) fn sessions(hub: &Hub, matching_events: &EventMatches) -> Set {
    let mut slots = Set::none(hub.slots());
    let facts = matching_events.iter().map(|index| hub.meta_of(index));
    facts.filter(|fact| fact.bubble).for_each(|fact| slots.insert(fact.session));
    slots
}

/// The newest message among the matches, which contain the words.
pub(super) fn newest(
    hub: &Hub,
    session: &Session,
    words: &WordFilter,
    matching_events: &EventMatches,
) -> Option<Box<FoundMessage>> {
    let newest_of = |thread: &Thread| thread.messages.iter().rev().copied().find(|index| matching_events.has(*index));
    let hits = session.state.threads.iter().filter_map(|thread| Some((newest_of(thread)?, thread)));
    let (index, thread) = hits.max_by(|(a, _), (b, _)| crate::hub::order(hub.events(), *a, *b))?;
    let event = hub.event(index);
    let written = event.written_text()?;
    let shown = text::clean(written)?;
    let line = text::preview(&shown, shown.len());
    // Markdown may be within it: the message is then shown from its beginning.
    let place = words.find(&line).unwrap_or(0..0);
    let (before, after) = (line.get(..place.start)?, line.get(place.end..)?);
    let start = before.char_indices().rev().nth(CHARS_BEFORE - 1).map_or(0, |(at, _)| at);
    let end = after.char_indices().nth(CHARS_AFTER).map_or(after.len(), |(at, _)| at);
    Some(Box::new(FoundMessage {
        id: event.id(),
        thread_id: thread.id.clone(),
        from: event.speaker(),
        human: text::human_prefix(written).is_some(),
        before: format!("{}{}", if start > 0 { "…" } else { "" }, before.get(start..)?),
        hit: line.get(place)?.to_owned(),
        after: format!("{}{}", after.get(..end)?, if end < after.len() { "…" } else { "" }),
    }))
}

/// `GET sessions/{id}/threads/{threadId}/find`: the messages of a thread that hold the words.
///
/// # Errors
/// When the text has no words.
pub fn thread_found(
    hub: &Hub,
    session: &SessionId,
    thread: &ThreadId,
    text: &str,
) -> Result<Option<ThreadFound>, QueryError> {
    let words = sought(text)?;
    let Some(thread) = super::thread::find(hub, session, thread) else { return Ok(None) };
    Ok(Some(thread_found_of(hub, &hits(hub, thread, &words).collect::<Vec<_>>())))
}

/// `GET sessions/{id}/find`: the messages of all its threads that hold the words, in one order of time.
///
/// # Errors
/// When the text has no words.
pub fn session_found(hub: &Hub, session: &SessionId, text: &str) -> Result<Option<ThreadFound>, QueryError> {
    let words = sought(text)?;
    let Some(session) = hub.session(session) else { return Ok(None) };
    let mut all: Vec<u32> = session.state.threads.iter().flat_map(|thread| hits(hub, thread, &words)).collect();
    all.sort_by(|a, b| crate::hub::order(hub.events(), *a, *b));
    Ok(Some(thread_found_of(hub, &all)))
}

fn sought(text: &str) -> Result<WordFilter, QueryError> {
    WordFilter::read(text).ok_or_else(|| invalid("q", "a text to look for"))
}

fn hits<'a>(hub: &'a Hub, thread: &'a Thread, words: &'a WordFilter) -> impl Iterator<Item = u32> + 'a {
    thread.messages.iter().copied().filter(|index| has_words(hub.event(*index), words))
}

fn thread_found_of(hub: &Hub, hits: &[u32]) -> ThreadFound {
    let newest = hits.len().saturating_sub(MAX_FOUND);
    let ids = hits[newest..].iter().map(|index| hub.id(*index)).collect();
    ThreadFound { ids, total: count(hits.len()) }
}

fn has_words(event: &Event, words: &WordFilter) -> bool {
    words.may_be_in_line(&event.raw) && event.display_text().is_some_and(|shown| words.are_in(&shown))
}
