//! Test oracle of `GET /api/work-sessions` (`contract/monitor-api.md` §4.2–§4.4): the expected answers for the list,
//! one session and search, computed from all events without an index.
//!
//! Filters only choose the displayed events; status, times, category and role counts come from all events of a session.
//! Defects D1, D4, D5 and D7 of the original monitor (§11) are not imitated.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::enrich::enriched;
use super::events::{KeyOrder, category_counts, category_filter, holds};
use super::threads::{ScratchEvent, ScratchThread, category, tags, threads};
use super::{Manuals, ScratchCategories, ScratchLog, fits};
use coordination::category::Category;
use coordination::compat::{ByteLimit, WorkSessionsQuery};
use coordination::event::derive_role;
use coordination::event::{Event, Field};
use coordination::ids::SessionId;
use coordination::role::Role;
use coordination::roster::Roster;
use coordination::session::Status;
use coordination::text::Needle;

/// One session before it is written out.
struct ScratchSession {
    id: SessionId,
    synthetic: bool,
    seen: Vec<ScratchEvent>,
    category: Category,
    tags: Vec<Cow<'static, str>>,
    /// Whether the classifier in force gave its category, and not `v1`.
    by_hub: bool,
    overridden: bool,
    status: Status,
    last_time: i64,
}

/// `GET /api/work-sessions` (§4.2).
pub(crate) fn work_sessions(
    events: &(impl ScratchLog + ?Sized),
    roster: &Roster,
    overrides: &Manuals,
    categories: Option<&dyn ScratchCategories>,
    now: i64,
    query: &WorkSessionsQuery,
) -> Value {
    let shown = |event: &Event, role| shows(query, event, role);
    let mut sessions = group(events, roster, (overrides, categories), now, &|_| true, &shown);
    sessions.retain(|session| session.seen.iter().any(|item| item.shown));
    let total = sessions.len();
    let wanted_tag = query.sub_tag.as_deref().map(|tag| tag.trim().to_lowercase()).filter(|tag| !tag.is_empty());
    sessions.retain(|session| {
        (query.status.is_empty() || query.status.contains(&session.status))
            && category_filter(query.view_category.as_deref()).is_none_or(|key| key == session.category.as_str())
            && wanted_tag.as_ref().is_none_or(|tag| session.tags.iter().any(|own| own.to_lowercase() == *tag))
    });
    let total_matched = sessions.len();
    let counts = category_counts(sessions.iter().map(|session| session.category));
    sessions.truncate(query.limit);
    cut(&mut sessions, query.bound);
    let shown: Vec<Value> = sessions.iter().map(|session| written(events, categories, session)).collect();
    json!({
        "count": shown.len(),
        "sessions": shown,
        "totalMatched": total_matched,
        "totalSessions": total,
        "role": query.role.iter().map(|role| role.as_str()).collect::<Vec<_>>(),
        "type": query.types,
        "status": query.status.iter().map(|status| status.as_str()).collect::<Vec<_>>(),
        "viewCategory": query.view_category,
        "subTag": query.sub_tag,
        "categoryCounts": counts,
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
pub(crate) fn search_work_sessions(
    events: &(impl ScratchLog + ?Sized),
    roster: &Roster,
    overrides: &Manuals,
    categories: Option<&dyn ScratchCategories>,
    now: i64,
    q: &str,
    bound: ByteLimit,
) -> Value {
    let wanted = Needle::new(q);
    let held = |event: &Event, _| holds(event, wanted.as_ref());
    let mut sessions = group(events, roster, (overrides, categories), now, &|_| true, &held);
    sessions.retain(|session| session.seen.iter().any(|item| item.shown));
    // Sessions found are shown completely.
    sessions.truncate(50);
    sessions.iter_mut().flat_map(|session| &mut session.seen).for_each(|item| item.shown = true);
    cut(&mut sessions, bound);
    let shown: Vec<Value> = sessions.iter().map(|session| written(events, categories, session)).collect();
    json!({ "count": shown.len(), "sessions": shown, "query": q }).in_order(["sessions", "count", "query"])
}

/// The `session` of `GET /api/work-sessions/:id` (§4.3); `None` when no session has this id or the filter leaves no event.
pub(crate) fn work_session(
    events: &(impl ScratchLog + ?Sized),
    roster: &Roster,
    overrides: &Manuals,
    categories: Option<&dyn ScratchCategories>,
    now: i64,
    id: &SessionId,
    query: &WorkSessionsQuery,
) -> Option<Value> {
    let shown = |event: &Event, role| shows(query, event, role);
    let mut sessions = group(events, roster, (overrides, categories), now, &|found| found.is(id), &shown);
    cut(&mut sessions, query.bound);
    let session = sessions.into_iter().next()?;
    session.seen.iter().any(|item| item.shown).then(|| written(events, categories, &session))
}

/// Keeps shown events within the bound only: session by session, the newest of each. Sessions without one are removed;
/// `totalEventCount` of the last one shows that it is cut.
fn cut(sessions: &mut Vec<ScratchSession>, bound: ByteLimit) {
    let mut bound = bound.0;
    for item in sessions.iter_mut().flat_map(|session| session.seen.iter_mut().rev()).filter(|item| item.shown) {
        item.shown = fits(&mut bound, item.bytes);
    }
    sessions.retain(|session| session.seen.iter().any(|item| item.shown));
}

fn shows(query: &WorkSessionsQuery, event: &Event, role: Role) -> bool {
    (query.role.is_empty() || query.role.contains(&role))
        && (query.types.is_empty() || query.types.iter().any(|kind| kind == event.event_type()))
}

/// Key of a session before it is known to be wanted.
#[derive(Clone, Copy)]
enum ScratchKey<'a> {
    Session(&'a str),
    /// A conversation without a work session is a session of its own (D21).
    Conversation(&'a str),
}

impl<'a> ScratchKey<'a> {
    fn from_event(event: &'a Event) -> Option<Self> {
        let session = event.text(Field::WorkSessionId).map(ScratchKey::Session);
        session.or_else(|| event.conversation_id().map(ScratchKey::Conversation))
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
            Self::Conversation(own) => SessionId::from(format!("conv:{own}")),
        }
    }
}

/// Sessions of the wanted ids, newest first.
fn group(
    events: &(impl ScratchLog + ?Sized),
    roster: &Roster,
    (overrides, categories): (&Manuals, Option<&dyn ScratchCategories>),
    now: i64,
    wanted: &dyn Fn(ScratchKey<'_>) -> bool,
    shown: &dyn Fn(&Event, Role) -> bool,
) -> Vec<ScratchSession> {
    // By work session, and by conversation.
    let mut slots: [HashMap<Box<str>, usize>; 2] = Default::default();
    let mut groups: Vec<(SessionId, bool, Vec<ScratchEvent>)> = Vec::new();
    events.each(&mut |number, event| {
        let Some(key) = ScratchKey::from_event(event).filter(|key| wanted(*key)) else { return };
        let (synthetic, text) = match key {
            ScratchKey::Session(text) => (false, text),
            ScratchKey::Conversation(text) => (true, text),
        };
        let known = &mut slots[usize::from(synthetic)];
        let slot = known.get(text).copied().unwrap_or_else(|| {
            known.insert(text.into(), groups.len());
            groups.push((key.id(), synthetic, Vec::new()));
            groups.len() - 1
        });
        let derived = derive_role(event, roster);
        let vote = coordination::event::category::v1_vote(event, derived.role);
        let (terminal, shown) = (event.is_terminal(), shown(event, derived.role));
        groups[slot].2.push(ScratchEvent {
            number,
            at: event.at,
            derived,
            vote,
            terminal,
            shown,
            bytes: event.raw.len(),
        });
    });
    let mut sessions: Vec<ScratchSession> = groups
        .into_iter()
        .map(|(id, synthetic, mut seen)| {
            seen.sort_by_key(|item| item.at);
            session(events, (id, synthetic), seen, (overrides, categories), now)
        })
        .collect();
    sessions.sort_by_key(|session| std::cmp::Reverse(session.last_time));
    sessions
}

fn session(
    events: &(impl ScratchLog + ?Sized),
    (id, synthetic): (SessionId, bool),
    seen: Vec<ScratchEvent>,
    (overrides, categories): (&Manuals, Option<&dyn ScratchCategories>),
    now: i64,
) -> ScratchSession {
    let last_time = seen.last().map_or(0, |item| item.at);
    let ended = seen.last().is_some_and(|item| item.terminal);
    let given = categories.and_then(|categories| categories.session(&id));
    let by_hub = given.is_some();
    let (automatic, tags) = given.unwrap_or_else(|| {
        let (automatic, tagged) = category(seen.iter());
        (automatic, tags(events, tagged))
    });
    let manual = overrides.get(&id).map(|manual| manual.collab_category);
    ScratchSession {
        synthetic,
        category: manual.unwrap_or(automatic),
        overridden: manual.is_some(),
        tags,
        by_hub,
        status: Status::at(last_time, ended, now),
        last_time,
        seen,
        id,
    }
}

fn written(
    events: &(impl ScratchLog + ?Sized),
    categories: Option<&dyn ScratchCategories>,
    session: &ScratchSession,
) -> Value {
    let start = session.seen.first().map_or(0, |item| item.at);
    let all = threads(events, &session.seen);
    let shown: Vec<Value> =
        all.iter().filter_map(|thread| written_thread(events, categories, thread, session)).collect();
    let event_count = session.seen.iter().filter(|item| item.shown).count();
    let mut out = Map::new();
    let id = if session.synthetic { session.id.to_string() } else { format!("ws:{}", session.id) };
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

fn written_thread(
    events: &(impl ScratchLog + ?Sized),
    categories: Option<&dyn ScratchCategories>,
    thread: &ScratchThread,
    session: &ScratchSession,
) -> Option<Value> {
    let members: Vec<&ScratchEvent> = thread.events.iter().filter_map(|at| session.seen.get(*at)).collect();
    let (first, last) = (members.first()?, members.last()?);
    let shown = members.iter().filter(|item| item.shown);
    let shown: Vec<Value> = shown
        .map(|item| {
            enriched(
                events.event(item.number),
                item.derived,
                categories.map(|categories| categories.event(item.number, events.event(item.number))),
            )
        })
        .collect();
    if shown.is_empty() {
        return None;
    }
    let (category, tags) = match session.by_hub {
        // All messages of a session have one category.
        true => (session.category, session.tags.clone()),
        false => {
            let (category, tagged) = category(members.iter().copied());
            (category, tags(events, tagged))
        }
    };
    let opening = events.event(first.number);
    let mut out = Map::new();
    out.insert("id".to_owned(), thread.id.clone().into());
    if let Some(conversation) = opening.conversation_id() {
        out.insert("conversationId".to_owned(), conversation.into());
    }
    out.insert("fromAgent".to_owned(), opening.from_text().into());
    out.insert("toAgent".to_owned(), opening.to_text().into());
    out.insert("startTime".to_owned(), first.at.into());
    out.insert("lastTime".to_owned(), last.at.into());
    out.insert("eventCount".to_owned(), shown.len().into());
    out.insert("collabCategory".to_owned(), category.as_str().into());
    out.insert("collabSubTags".to_owned(), tags.into());
    out.insert("events".to_owned(), shown.into());
    Some(Value::Object(out))
}
