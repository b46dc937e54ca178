//! Builder of live stream frames: snapshots, and deltas from change sets.

use super::card::card;
use super::events::row;
use super::home::home;
use super::thread::{DEFAULT_LIMIT, exchange, mark, message, part, thread_summary};
use crate::api::{Delta, SNAPSHOT_SESSIONS, SessionCard, Snapshot, ThreadPatch};
use crate::hub::{Changes, Hub, Session, Thread, ThreadItemChanges, count, order};

/// Rows of new events in one delta.
const MAX_EVENTS: usize = 200;
/// More changed sessions, or threads, make a delta only say "refetch".
const MAX_CHANGED: usize = 300;

/// The whole state that a tab holds.
#[must_use]
pub fn snapshot(hub: &Hub, now: i64) -> Snapshot {
    Snapshot { cursor: hub.cursor(), now, home: home(hub, now), sessions: newest(hub, now), clients: None }
}

fn newest(hub: &Hub, now: i64) -> Vec<SessionCard> {
    hub.sessions().take(SNAPSHOT_SESSIONS).map(|session| card(hub, now, session)).collect()
}

/// Delta of `changes` for a tab, after [`Hub::advance`]. Without home: the publisher decides when to add
/// it ([`home`]).
#[must_use]
pub fn delta(hub: &Hub, now: i64, changes: &Changes) -> Delta {
    let patches: usize = changes.threads.values().map(|threads| threads.items.len()).sum();
    let everything = changes.everything || changes.sessions.len() > MAX_CHANGED || patches > MAX_CHANGED;
    // When a session went down or away, one that no tab holds comes up: then the newest are sent in full.
    let sessions = if everything || changes.reordered {
        newest(hub, now)
    } else {
        changes.sessions.iter().filter_map(|slot| hub.session_at(*slot)).map(|it| card(hub, now, it)).collect()
    };
    let mut new_events = changes.events.clone();
    new_events.retain(|index| !hub.events().is_withdrawn(*index));
    new_events.sort_by(|a, b| order(hub.events(), *a, *b));
    let shown = &new_events[new_events.len().saturating_sub(MAX_EVENTS)..];
    let mut delta = Delta {
        cursor: hub.cursor(),
        now,
        home: None,
        sessions,
        removed: changes.removed.iter().filter(|id| hub.session(id).is_none()).cloned().collect(),
        threads: Vec::new(),
        removed_threads: Vec::new(),
        events: shown.iter().map(|index| row(hub, *index)).collect(),
        events_total: count(new_events.len()),
        agents: changes.agents.iter().cloned().collect(),
        everything,
        stores: changes.stores,
    };
    if !everything {
        patch_threads(hub, now, changes, &mut delta);
    }
    delta
}

fn patch_threads(hub: &Hub, now: i64, changes: &Changes, delta: &mut Delta) {
    for (slot, threads) in &changes.threads {
        let Some(session) = hub.session_at(*slot) else { continue };
        delta.removed_threads.extend(threads.removed.iter().map(|id| (session.id.clone(), id.clone())));
        for (id, items) in &threads.items {
            match session.state.threads.iter().find(|thread| thread.id == *id) {
                Some(thread) if thread.is_shown() => delta.threads.push(patch(hub, now, session, thread, items)),
                _ => delta.removed_threads.push((session.id.clone(), id.clone())),
            }
        }
    }
}

fn patch(hub: &Hub, now: i64, session: &Session, thread: &Thread, items: &ThreadItemChanges) -> ThreadPatch {
    if items.replaced {
        let to = thread.messages.len();
        let page = part(hub, now, &session.id, thread, to.saturating_sub(DEFAULT_LIMIT as usize), to);
        return ThreadPatch {
            session_id: page.session_id,
            thread: page.thread,
            replaced: true,
            previous_page: page.previous_page,
            messages: page.messages,
            marks: page.marks,
            exchanges: page.exchanges,
        };
    }
    let marks = thread.marks.iter().filter(|(index, _)| items.marks.contains(index));
    let exchanges = items.exchanges.iter().filter_map(|position| thread.exchanges.list.get(*position));
    ThreadPatch {
        session_id: session.id.clone(),
        thread: thread_summary(hub, now, thread),
        replaced: false,
        previous_page: None,
        messages: items.messages.iter().map(|index| message(hub, *index)).collect(),
        marks: marks.map(|(index, send)| mark(hub, *index, *send)).collect(),
        exchanges: exchanges.map(|tracked| exchange(hub, now, tracked)).collect(),
    }
}
