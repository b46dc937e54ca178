//! Builder of session cards and of links to sessions. It derives status, category, title, unanswered sends, the session
//! that a session resumes, and the sessions that resume it.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::api::{CategoryInfo, SessionCard, SessionLink, Talk, Trouble};
use crate::category::CategorySource;
use crate::hub::{Hub, Session, Thread, count};
use crate::ids::{SessionId, TaskId};
use crate::search::Term;
use crate::search::index::Set;
use crate::session::Status;
use crate::title::{self, TitleSource};

/// Maximum number of threads on a card: most sessions have fewer.
const MAX_TALKS: usize = 8;

/// The card of a session at `now`.
pub(super) fn card(hub: &Hub, now: i64, session: &Session) -> SessionCard {
    let state = &session.state;
    let (title_source, title) = titled(hub, session);
    let trouble = session.state.trouble(now);
    let verdict = state.votes.verdict();
    SessionCard {
        work_session_id: session.id.as_ref().clone(),
        synthetic: session.synthetic,
        title,
        title_source,
        status: status(session, now),
        ended: state.ended,
        quiet_at: state.origins.quiet_at(),
        category: overridden(hub, session, verdict.info),
        sub_tags: verdict.sub_tags,
        participants: state.agents.iter().map(|party| party.id.clone()).collect(),
        thread_count: count(state.threads.iter().filter(|thread| thread.is_shown()).count()),
        message_count: state.bubbles,
        delegation_count: state.runs.count(),
        task_count: count(state.tasks.len()),
        event_count: count(session.events.len()),
        transcript_only_events: state.origins.from_transcripts,
        hook_events: state.origins.agent_events,
        start_time: state.start.unwrap_or(0),
        last_time: state.last,
        previous_work_session_id: previous(hub, session).cloned(),
        last_message: state.newest.as_deref().cloned(),
        talks: talks(hub, session),
        attention: (trouble != Trouble::default()).then_some(trouble),
        note_count: hub.inputs.shared.note_count(&session.id),
        resolved: hub.inputs.shared.resolved(&session.id),
        found: None,
    }
}

/// Progress of its threads.
fn talks(hub: &Hub, session: &Session) -> Vec<Talk> {
    let newest = |thread: &Thread| thread.messages.last().map(|index| (*index, count(thread.messages.len())));
    let threads = session.state.threads.iter();
    let mut talks: Vec<_> = threads.filter_map(|thread| newest(thread).map(|(last, n)| (thread, last, n))).collect();
    talks.sort_by_key(|(_, last, _)| Reverse(hub.at(*last)));
    talks.truncate(MAX_TALKS);
    let talk = |(thread, last, count): (&Thread, u32, u32)| Talk {
        thread_id: thread.id.clone(),
        count,
        last: hub.id(last),
        at: hub.at(last),
    };
    talks.into_iter().map(talk).collect()
}

/// Status at `now`.
pub(super) fn status(session: &Session, now: i64) -> Status {
    Status::resting(session.state.last, session.state.ended, session.state.origins.quiet_at(), now)
}

/// Its category: a manual override before everything else.
pub(super) fn category(hub: &Hub, session: &Session) -> CategoryInfo {
    overridden(hub, session, session.state.votes.verdict().info)
}

pub(super) fn overridden(hub: &Hub, session: &Session, automatic: CategoryInfo) -> CategoryInfo {
    match hub.overrides().get(&session.id) {
        Some(manual) => CategoryInfo {
            key: manual.collab_category,
            secondary: automatic.secondary.into_iter().filter(|key| *key != manual.collab_category).collect(),
            source: CategorySource::ManualOverride,
            confidence: 1.0,
            version: automatic.version,
        },
        None => automatic,
    }
}

/// Its title by rule: from its events, else the description of its task, else the default.
pub(super) fn titled(hub: &Hub, session: &Session) -> (TitleSource, String) {
    if let Some((source, title)) = session.state.title.as_ref().filter(|(source, _)| *source < TitleSource::Default) {
        return (*source, title.clone());
    }
    let by_file = hub.inputs.tasks.by_session.get(&session.id).into_iter().flatten();
    let of_task = session
        .state
        .tasks
        .iter()
        .chain(by_file)
        .find_map(|task| hub.inputs.tasks.description(hub.workspace(), task).and_then(title::clean));
    match of_task {
        Some(title) => (TitleSource::Task, title),
        None => (TitleSource::Default, project(hub, session).unwrap_or_else(|| title::DEFAULT_TITLE.to_owned())),
    }
}

/// So few sessions are looked at one by one.
const FEW_SESSIONS: usize = 1_000;

/// Adds the slots of all sessions without a title of their own that a task whose title holds one of the terms may give a
/// title.
pub(super) fn called<'t>(hub: &Hub, terms: impl Iterator<Item = &'t Term>, slots: &mut Set) {
    let untitled = &hub.indexes.titles.untitled;
    if untitled.len() <= FEW_SESSIONS {
        untitled.iter().for_each(|slot| slots.insert(*slot));
        return;
    }
    let mut called: BTreeSet<&TaskId> = BTreeSet::new();
    for term in terms {
        for (_, shelf, _) in hub.inputs.tasks.shelves() {
            shelf.calls(term, |position| _ = called.insert(&shelf.ids()[position as usize]));
        }
    }
    if called.is_empty() {
        return;
    }
    let events = called.iter().flat_map(|id| hub.indexes.task_log.events(id));
    let named = events.map(|index| hub.meta_of(*index).session);
    named.filter(|slot| untitled.contains(slot)).for_each(|slot| slots.insert(slot));
    let by_file =
        hub.inputs.tasks.by_session.iter().filter(|(_, tasks)| tasks.iter().any(|task| called.contains(task)));
    by_file
        .filter_map(|(session, _)| hub.slot_of(session))
        .filter(|slot| untitled.contains(slot))
        .for_each(|slot| slots.insert(slot));
}

/// The project, or the team, of a coding agent's session: known before it has a task.
fn project(hub: &Hub, session: &Session) -> Option<String> {
    let mut shown = session.state.agents.iter().filter_map(|party| hub.live_status(&party.id));
    let (team, _) = shown.next()?.shown().split_once('/')?;
    title::clean(team)
}

/// The session it resumes, by its events or by its task's file.
pub(super) fn previous<'a>(hub: &'a Hub, session: &'a Session) -> Option<&'a SessionId> {
    session
        .state
        .previous
        .as_deref()
        .or_else(|| hub.inputs.tasks.previous.get(&session.id))
        .filter(|previous| **previous != *session.id)
}

/// The sessions that resume one, the oldest first. Few come from task files.
pub(super) fn resuming<'a>(hub: &'a Hub, id: &SessionId) -> Vec<&'a Session> {
    let by_files = hub.inputs.tasks.previous.iter().filter(|(_, previous)| *previous == id);
    let by_files = by_files.filter_map(|(session, _)| hub.slot_of(session));
    let slots: BTreeSet<u32> = hub.sessions.resumed.by(id).chain(by_files).collect();
    let sessions = slots.into_iter().filter_map(|slot| hub.session_at(slot));
    let mut found: Vec<&Session> = sessions.filter(|session| previous(hub, session) == Some(id)).collect();
    found.sort_by(|a, b| (a.state.last(), Reverse(&a.id)).cmp(&(b.state.last(), Reverse(&b.id))));
    found
}

/// A named link; also to a session that is only named and has no events.
pub(super) fn link(hub: &Hub, id: &SessionId) -> SessionLink {
    match hub.session(id) {
        Some(session) => {
            let (title_source, title) = titled(hub, session);
            SessionLink { work_session_id: id.clone(), title, title_source, known: true }
        }
        None => SessionLink {
            work_session_id: id.clone(),
            title: title::DEFAULT_TITLE.to_owned(),
            title_source: TitleSource::Default,
            known: false,
        },
    }
}
