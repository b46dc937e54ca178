//! Builder of displayed search hits: title, context of the match, agents and session.

use std::ops::Range;

use super::ask::SearchContext;
use super::rank::{HitTarget, RankedHit};
use super::tasks::{own_session, steps};
use crate::api::{Marked, SearchHit, SearchPlace, SharedContent};
use crate::event::Event;
use crate::hub::{Hub, Session};
use crate::ids::{AgentId, TaskId};
use crate::query::card::{category, status, titled};
use crate::query::events::row;
use crate::query::task::{places, title};
use crate::search::{self, event_rest, event_text, utf16};
use crate::text;
use crate::title::TitleSource;

/// Characters of a snippet before and after the match.
const CHARS_BEFORE: usize = 40;
const CHARS_AFTER: usize = 120;
/// Maximum length of a title, and maximum number of a session's people.
const TITLE_CHARS: usize = 200;
const MAX_PEOPLE: usize = 6;

pub(super) fn hit(ask: &SearchContext<'_>, entry: &RankedHit<'_>) -> SearchHit {
    let mut hit = SearchHit {
        kind: entry.kind,
        place: entry.place,
        title: None,
        snippet: None,
        at: entry.at,
        event_id: None,
        event_type: None,
        tool: None,
        session_id: None,
        session_title: None,
        thread_id: None,
        task_id: None,
        from: None,
        to: None,
        human: false,
        record_id: None,
        resolved: false,
        by: None,
        category: None,
        status: None,
        people: Vec::new(),
    };
    match &entry.what {
        HitTarget::Event(index) => of_event(ask, *index, &mut hit),
        HitTarget::Session(slot) => {
            if let Some(session) = ask.hub.session_at(*slot) {
                of_session(ask, session, &mut hit);
            }
        }
        HitTarget::Task(owner, id) => of_task(ask, owner, id, &mut hit),
        HitTarget::Note(place) => of_note(ask, *place, &mut hit),
        HitTarget::Agent(id) => {
            let known = ask.hub.roster().agent(id.as_str());
            hit.title = Some(marked(ask, ask.hub.display_name(id).unwrap_or(id.as_str())));
            let emoji = known.and_then(|agent| agent.emoji.as_deref());
            hit.snippet = elsewhere(ask, entry.place, [Some(id.as_str()), emoji].into_iter().flatten());
            hit.from = Some(id.clone());
        }
    }
    hit
}

fn of_event(ask: &SearchContext<'_>, index: u32, hit: &mut SearchHit) {
    let event = ask.hub.event(index);
    let row = row(ask.hub, index);
    let shown = event_text(event).map(|shown| text::preview(&shown, shown.len()));
    hit.snippet = Some(snippet(ask, event, shown.as_deref().unwrap_or_default()));
    hit.event_id = Some(row.id);
    hit.event_type = Some(row.event_type);
    hit.tool = row.tool.map(|tool| tool.name);
    hit.session_title = row.session_title;
    if let Some(session) = row.session_id.as_ref().and_then(|id| ask.hub.session(id)) {
        hit.category = Some(category(ask.hub, session).key);
    }
    hit.session_id = row.session_id;
    hit.thread_id = row.thread_id;
    hit.task_id = row.task_id;
    (hit.from, hit.to, hit.human) = (row.from, row.to, row.human);
}

fn of_note(ask: &SearchContext<'_>, place: usize, hit: &mut SearchHit) {
    let Some(record) = ask.hub.inputs.shared.at(place) else { return };
    let Some(at) = record.content.place() else { return };
    let shown = text::preview(record.content.text(), record.content.text().len());
    hit.snippet = Some(cut(&shown, found(ask, &shown)));
    hit.record_id = Some(record.id.clone());
    hit.resolved = matches!(record.content, SharedContent::Resolved(_));
    hit.by.clone_from(&record.updated_by);
    hit.thread_id.clone_from(&at.thread_id);
    hit.event_id.clone_from(&at.event_id);
    hit.session_id = Some(at.work_session_id.clone());
    if let Some(session) = ask.hub.session(&at.work_session_id) {
        hit.session_title = Some(titled(ask.hub, session).1);
        hit.category = Some(category(ask.hub, session).key);
    }
}

/// The words around the first match; in the label, reason or error where the text has none.
fn snippet(ask: &SearchContext<'_>, event: &Event, shown: &str) -> Marked {
    let places = found(ask, shown);
    if !places.is_empty() || ask.is_bare() {
        return cut(shown, places);
    }
    let telling = [event.label(), event.reason(), event.error()].into_iter().flatten();
    for line in telling.map(|text| text::preview(text, text.len())) {
        let places = found(ask, &line);
        if !places.is_empty() {
            return cut(&line, places);
        }
    }
    if !shown.is_empty() {
        return cut(shown, places);
    }
    let rest = event_rest(event).next().unwrap_or_default();
    cut(rest, found(ask, rest))
}

fn of_session(ask: &SearchContext<'_>, session: &Session, hit: &mut SearchHit) {
    let hub = ask.hub;
    let (source, title) = titled(hub, session);
    hit.title = match source {
        // A page has its own words for it; a code is not searched.
        TitleSource::Default => Some(Marked { text: title, marks: Vec::new() }),
        _ => Some(marked(ask, &title)),
    };
    let tags = session.state.votes.verdict().sub_tags;
    let people = session.state.agents.iter().map(|party| name(hub, &party.id));
    let labels: Vec<String> = tags.into_iter().chain(people).chain([session.id.as_str().to_owned()]).collect();
    hit.snippet = elsewhere(ask, hit.place, labels.iter().map(String::as_str));
    hit.session_id = Some(session.id.as_ref().clone());
    hit.category = Some(category(hub, session).key);
    hit.status = Some(status(session, ask.now));
    hit.people = session.state.agents.iter().take(MAX_PEOPLE).map(|party| party.id.clone()).collect();
}

fn of_task(ask: &SearchContext<'_>, owner: &AgentId, id: &TaskId, hit: &mut SearchHit) {
    let hub = ask.hub;
    let held = places(hub, id).into_iter().find(|(agent, _)| agent == owner).and_then(|(_, at)| at);
    let title = title(hub, id, held);
    hit.title = Some(marked(ask, if title.is_empty() { id.as_str() } else { &title }));
    let owner_name = name(hub, owner);
    let lines: Vec<&str> = [id.as_str(), &owner_name].into_iter().chain(steps(hub, held)).collect();
    hit.snippet = elsewhere(ask, hit.place, lines.into_iter());
    hit.task_id = Some(id.clone());
    hit.from = Some(owner.clone());
    if let Some(session) = own_session(hub, id, held).and_then(|slot| hub.session_at(slot)) {
        hit.session_id = Some(session.id.as_ref().clone());
        hit.session_title = Some(titled(hub, session).1);
        hit.category = Some(category(hub, session).key);
    }
}

fn name(hub: &Hub, id: &AgentId) -> String {
    hub.display_name(id).map_or_else(|| id.as_str().to_owned(), |name| format!("{name} ({id})"))
}

/// The first text with terms that the title lacks.
fn elsewhere<'t>(ask: &SearchContext<'_>, place: SearchPlace, texts: impl Iterator<Item = &'t str>) -> Option<Marked> {
    if matches!(place, SearchPlace::Title | SearchPlace::Filter) {
        return None;
    }
    texts.map(|text| text::preview(text, text.len())).find_map(|line| {
        let places = found(ask, &line);
        (!places.is_empty()).then(|| cut(&line, places))
    })
}

/// A title on one line with its matches marked.
fn marked(ask: &SearchContext<'_>, title: &str) -> Marked {
    let line = text::preview(title, TITLE_CHARS);
    let places = found(ask, &line);
    let marks = places.iter().map(|place| utf16(&line, place)).collect();
    Marked { text: line, marks }
}

/// Ranges of the required terms in a text, in order, without overlaps.
fn found(ask: &SearchContext<'_>, text: &str) -> Vec<Range<usize>> {
    let wanted = (0_u32..).zip(&ask.terms).filter(|(bit, _)| ask.need >> bit & 1 == 1);
    search::places(wanted.map(|(_, term)| *term), text)
}

/// The words around the first range, with all ranges within them.
fn cut(line: &str, places: Vec<Range<usize>>) -> Marked {
    let first = places.first().cloned().unwrap_or(0..0);
    let before = line.get(..first.start).unwrap_or_default();
    let start = before.char_indices().rev().nth(CHARS_BEFORE - 1).map_or(0, |(at, _)| at);
    let after = line.get(first.start..).unwrap_or_default();
    let end = after.char_indices().nth(CHARS_AFTER).map_or(line.len(), |(at, _)| first.start + at);
    let lead = if start > 0 { "…" } else { "" };
    let tail = if end < line.len() { "…" } else { "" };
    let shown_part = line.get(start..end).unwrap_or_default();
    let text = format!("{lead}{shown_part}{tail}");
    let within = places.into_iter().take_while(|place| place.start < end);
    let moved = |at: usize| at.min(end) - start + lead.len();
    let marks = within.map(|place| utf16(&text, &(moved(place.start)..moved(place.end)))).collect();
    Marked { text, marks }
}
