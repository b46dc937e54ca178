//! `GET /api/work-sessions` and its kin (`contract/monitor-api.md` §4.2–§4.4).
//! Filters choose which events are shown; status, times, category and role counts come from all (D1, D4, D5, D7).

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::enrich::enriched;
use super::events::{InOrder, category_counts, category_filter, holds};
use super::threads::{Seen, Thread, category, threads};
use super::{Overrides, WorkSessionsQuery};
use crate::category::Category;
use crate::classify;
use crate::event::{Event, Field};
use crate::ids::SessionId;
use crate::role::{Role, derive};
use crate::roster::Roster;
use crate::session::Status;
use crate::text::Needle;

/// One session before it is written out.
struct Session<'a> {
    id: SessionId,
    synthetic: bool,
    seen: Vec<Seen<'a>>,
    category: Category,
    tags: Vec<Cow<'static, str>>,
    overridden: bool,
    status: Status,
    last_time: i64,
}

/// `GET /api/work-sessions` (§4.2).
pub fn work_sessions<'a>(
    events: impl Iterator<Item = &'a Event>,
    roster: &Roster,
    overrides: &Overrides,
    now: i64,
    query: &WorkSessionsQuery,
) -> Value {
    let mut sessions = group(events, roster, overrides, now, |_| true);
    sessions.retain(|session| session.seen.iter().any(|item| shows(query, item)));
    let total = sessions.len();
    let wanted_tag = query.sub_tag.as_deref().map(|tag| tag.trim().to_lowercase()).filter(|tag| !tag.is_empty());
    sessions.retain(|session| {
        (query.status.is_empty() || query.status.contains(&session.status))
            && category_filter(query.view_category.as_deref()).is_none_or(|key| key == session.category.as_str())
            && wanted_tag.as_ref().is_none_or(|tag| session.tags.iter().any(|own| own.to_lowercase() == *tag))
    });
    let shown: Vec<Value> = sessions.iter().take(query.limit).map(|session| written(session, query)).collect();
    json!({
        "count": shown.len(),
        "sessions": shown,
        "totalMatched": sessions.len(),
        "totalSessions": total,
        "role": query.role.iter().map(|role| role.as_str()).collect::<Vec<_>>(),
        "type": query.types,
        "status": query.status.iter().map(|status| status.as_str()).collect::<Vec<_>>(),
        "viewCategory": query.view_category,
        "subTag": query.sub_tag,
        "categoryCounts": category_counts(sessions.iter().map(|session| session.category)),
    })
    .in_order([
        "sessions",
        "count",
        "totalMatched",
        "totalSessions",
        "role",
        "type",
        "status",
        "viewCategory",
        "subTag",
        "categoryCounts",
    ])
}

/// `GET /api/work-sessions/search?q=`: sessions one of whose events holds `q`, newest first.
pub fn search_work_sessions<'a>(
    events: impl Iterator<Item = &'a Event>,
    roster: &Roster,
    overrides: &Overrides,
    now: i64,
    q: &str,
) -> Value {
    let wanted = Needle::new(q);
    let mut sessions = group(events, roster, overrides, now, |_| true);
    sessions.retain(|session| session.seen.iter().any(|item| holds(item.event, wanted.as_ref())));
    let all = WorkSessionsQuery::default();
    let shown: Vec<Value> = sessions.iter().take(50).map(|session| written(session, &all)).collect();
    json!({ "count": shown.len(), "sessions": shown, "query": q }).in_order(["sessions", "count", "query"])
}

/// The `session` of `GET /api/work-sessions/:id` (§4.3); nothing when there is none or the filter leaves nothing.
pub fn work_session<'a>(
    events: impl Iterator<Item = &'a Event>,
    roster: &Roster,
    overrides: &Overrides,
    now: i64,
    id: &SessionId,
    query: &WorkSessionsQuery,
) -> Option<Value> {
    let sessions = group(events, roster, overrides, now, |found| found.is(id));
    let session = sessions.into_iter().next()?;
    session.seen.iter().any(|item| shows(query, item)).then(|| written(&session, query))
}

fn shows(query: &WorkSessionsQuery, item: &Seen<'_>) -> bool {
    (query.role.is_empty() || query.role.contains(&item.derived.role))
        && (query.types.is_empty() || query.types.iter().any(|kind| kind == item.event.event_type()))
}

/// Names a session before it is known to be wanted.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key<'a> {
    Session(&'a str),
    /// A conversation without a work session is a session of its own (D21).
    Conversation(&'a str),
}

impl<'a> Key<'a> {
    fn of(event: &'a Event) -> Option<Self> {
        let session = event.text(Field::WorkSessionId).map(Key::Session);
        session.or_else(|| event.conversation_id().map(Key::Conversation))
    }

    fn is(self, id: &SessionId) -> bool {
        match self {
            Self::Session(own) => id.as_str() == own,
            Self::Conversation(own) => id.as_str().strip_prefix("conv:") == Some(own),
        }
    }

    fn id(self) -> SessionId {
        match self {
            Self::Session(own) => SessionId::from(own),
            Self::Conversation(own) => SessionId(format!("conv:{own}")),
        }
    }
}

/// Sessions of the wanted ids, newest first.
fn group<'a>(
    events: impl Iterator<Item = &'a Event>,
    roster: &Roster,
    overrides: &Overrides,
    now: i64,
    wanted: impl Fn(Key<'a>) -> bool,
) -> Vec<Session<'a>> {
    let mut slots: HashMap<Key<'a>, usize> = HashMap::new();
    let mut groups: Vec<(Key<'a>, Vec<&'a Event>)> = Vec::new();
    for event in events {
        let Some(key) = Key::of(event).filter(|key| wanted(*key)) else { continue };
        let slot = *slots.entry(key).or_insert_with(|| {
            groups.push((key, Vec::new()));
            groups.len() - 1
        });
        if let Some((_, members)) = groups.get_mut(slot) {
            members.push(event);
        }
    }
    let mut sessions: Vec<Session<'a>> = groups
        .into_iter()
        .map(|(key, mut members)| {
            members.sort_by_key(|event| event.at);
            session(key.id(), matches!(key, Key::Conversation(_)), &members, roster, overrides, now)
        })
        .collect();
    sessions.sort_by_key(|session| std::cmp::Reverse(session.last_time));
    sessions
}

fn session<'a>(
    id: SessionId,
    synthetic: bool,
    members: &[&'a Event],
    roster: &Roster,
    overrides: &Overrides,
    now: i64,
) -> Session<'a> {
    let seen: Vec<Seen<'a>> = members
        .iter()
        .map(|event| {
            let derived = derive(event, roster);
            Seen { event, derived, vote: classify::v1_vote(event, derived.role) }
        })
        .collect();
    let last_time = seen.last().map_or(0, |item| item.event.at);
    let ended = seen.last().is_some_and(|item| item.event.is_terminal());
    let (automatic, tags) = category(seen.iter());
    let manual = overrides.get(&id).map(|manual| manual.collab_category);
    Session {
        synthetic,
        category: manual.unwrap_or(automatic),
        overridden: manual.is_some(),
        tags,
        status: Status::at(last_time, ended, now),
        last_time,
        seen,
        id,
    }
}

fn written(session: &Session<'_>, query: &WorkSessionsQuery) -> Value {
    let start = session.seen.first().map_or(0, |item| item.event.at);
    let all = threads(&session.seen);
    let shown: Vec<Value> = all.iter().filter_map(|thread| written_thread(thread, &session.seen, query)).collect();
    let event_count = session.seen.iter().filter(|item| shows(query, item)).count();
    let mut out = Map::new();
    let id = if session.synthetic { session.id.0.clone() } else { format!("ws:{}", session.id) };
    out.insert("id".to_owned(), id.into());
    out.insert("workSessionId".to_owned(), session.id.as_str().into());
    out.insert("status".to_owned(), session.status.as_str().into());
    out.insert("startTime".to_owned(), start.into());
    out.insert("lastTime".to_owned(), session.last_time.into());
    out.insert("durationMs".to_owned(), (session.last_time - start).into());
    out.insert("threadCount".to_owned(), shown.len().into());
    out.insert("eventCount".to_owned(), event_count.into());
    out.insert("collabCategory".to_owned(), session.category.as_str().into());
    out.insert("collabSubTags".to_owned(), session.tags.clone().into());
    let source = if session.overridden { "manual_override" } else { "event" };
    out.insert("categorySource".to_owned(), source.into());
    let count = |role: Role| session.seen.iter().filter(|item| item.derived.role == role).count();
    let roles: Map<_, _> = Role::ALL.into_iter().map(|role| (role.as_str().to_owned(), count(role).into())).collect();
    out.insert("roleCounts".to_owned(), roles.into());
    out.insert("threads".to_owned(), shown.into());
    if session.synthetic {
        out.insert("synthetic".to_owned(), true.into());
    }
    if event_count != session.seen.len() {
        out.insert("totalEventCount".to_owned(), session.seen.len().into());
        out.insert("totalThreadCount".to_owned(), all.len().into());
    }
    Value::Object(out)
}

fn written_thread(thread: &Thread, seen: &[Seen<'_>], query: &WorkSessionsQuery) -> Option<Value> {
    let members: Vec<&Seen<'_>> = thread.events.iter().filter_map(|at| seen.get(*at)).collect();
    let (first, last) = (members.first()?, members.last()?);
    let shown: Vec<Value> =
        members.iter().filter(|item| shows(query, item)).map(|item| enriched(item.event, item.derived)).collect();
    if shown.is_empty() {
        return None;
    }
    let (category, tags) = category(members.iter().copied());
    let mut out = Map::new();
    out.insert("id".to_owned(), thread.id.clone().into());
    if let Some(conversation) = first.event.conversation_id() {
        out.insert("conversationId".to_owned(), conversation.into());
    }
    out.insert("fromAgent".to_owned(), first.event.from_text().into());
    out.insert("toAgent".to_owned(), first.event.to_text().into());
    out.insert("startTime".to_owned(), first.event.at.into());
    out.insert("lastTime".to_owned(), last.event.at.into());
    out.insert("eventCount".to_owned(), shown.len().into());
    out.insert("collabCategory".to_owned(), category.as_str().into());
    out.insert("collabSubTags".to_owned(), tags.into());
    out.insert("events".to_owned(), shown.into());
    Some(Value::Object(out))
}
