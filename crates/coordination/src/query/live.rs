//! Builder of live stream frames: snapshots, deltas from change sets, and patches for message threads open in clients.

use super::card::card;
use super::home::home;
use super::thread::{exchange, mark, message, thread_summary};
use crate::api::{Delta, SNAPSHOT_SESSIONS, SessionCard, Snapshot, ThreadPatch, TouchedSummary, TouchedThread};
use crate::hub::{Changes, Hub, count};
use crate::ids::{SessionId, ThreadId};

/// More changed sessions, or threads, make a delta only say "refetch".
const MAX_CHANGED: usize = 300;

/// The whole state that a tab holds.
#[must_use]
pub fn snapshot(hub: &Hub, now: i64) -> Snapshot {
    Snapshot {
        cursor: hub.cursor(),
        now,
        home: home(hub, now),
        sessions: newest(hub, now),
        clients: None,
        changes: None,
    }
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
    let new_events = changes.events.iter().filter(|index| !hub.events().is_withdrawn(**index)).count();
    let mut delta = Delta {
        cursor: hub.cursor(),
        now,
        home: None,
        sessions,
        removed: changes.removed.iter().filter(|id| hub.session(id).is_none()).cloned().collect(),
        threads: Vec::new(),
        removed_threads: Vec::new(),
        events_total: count(new_events),
        agents: changes.agents.iter().cloned().collect(),
        everything,
        stores: changes.stores,
        views: changes.views,
        thread_patch: None,
    };
    if !everything {
        add_threads(hub, changes, &mut delta);
    }
    delta
}

fn add_threads(hub: &Hub, changes: &Changes, delta: &mut Delta) {
    for (slot, threads) in &changes.threads {
        let Some(session) = hub.session_at(*slot) else { continue };
        delta.removed_threads.extend(threads.removed.iter().map(|id| (session.id.as_ref().clone(), id.clone())));
        for id in threads.items.keys() {
            match session.state.threads.iter().find(|thread| thread.id == *id) {
                Some(thread) if thread.is_shown() => delta.threads.push(TouchedThread {
                    session_id: session.id.as_ref().clone(),
                    thread: TouchedSummary { thread_id: id.clone() },
                }),
                _ => delta.removed_threads.push((session.id.as_ref().clone(), id.clone())),
            }
        }
    }
}

/// New and changed items of one thread in `changes`, for clients that show it; `None` when it is not touched.
#[must_use]
pub fn thread_patch(
    hub: &Hub,
    now: i64,
    changes: &Changes,
    session_id: &SessionId,
    thread_id: &ThreadId,
) -> Option<ThreadPatch> {
    let slot = hub.slot_of(session_id)?;
    let items = changes.threads.get(&slot)?.items.get(thread_id)?;
    let session = hub.session_at(slot)?;
    let thread = session.state.threads.iter().find(|thread| thread.id == *thread_id && thread.is_shown())?;
    let mut patch = ThreadPatch {
        session_id: session.id.as_ref().clone(),
        thread: thread_summary(hub, now, thread),
        replaced: items.replaced,
        messages: Vec::new(),
        marks: Vec::new(),
        exchanges: Vec::new(),
    };
    if !items.replaced {
        let marks = thread.marks.iter().filter(|(index, _)| items.marks.contains(index));
        let exchanges = items.exchanges.iter().filter_map(|position| thread.exchanges.list.get(*position));
        patch.messages = items.messages.iter().map(|index| message(hub, *index)).collect();
        patch.marks = marks.map(|(index, send)| mark(hub, *index, *send)).collect();
        patch.exchanges = exchanges.map(|tracked| exchange(hub, now, tracked)).collect();
    }
    Some(patch)
}
