//! Live state of a dashboard tab: home-page data, the newest session cards, loaded message threads, and a record of
//! what changed. After an applied delta, the cards equal those of a fresh snapshot. A delta replaces the home-page data
//! only if it contains them.

mod loaded;
mod shared;
mod thread;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::api::{
    ChangesSince, Cursor, Delta, Heartbeat, Home, SNAPSHOT_SESSIONS, SessionCard, Snapshot, TouchedThread,
};
use crate::ids::{AgentId, SessionId, ThreadId};

pub use loaded::{LoadedRange, MAX_LOADED, StreamEnd};
pub use shared::{LostState, SharedState};
pub use thread::{LoadedThread, PatchResult, RecentPatches};

/// Whether a delta could be applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplyResult {
    /// It was the next one and is applied.
    Ok,
    /// It was applied before, over another connection; nothing changed.
    Known,
    /// Some deltas before it are missing: resume from the cursor, or fetch a snapshot.
    Gap,
}

/// What the newest frames touched. Pages compare it with what they show and refetch, or patch.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LiveChanges {
    /// Sessions that are new or changed.
    pub sessions: BTreeSet<SessionId>,
    /// Threads with new or changed items.
    pub threads: BTreeSet<(SessionId, ThreadId)>,
    /// Of these, those whose new items did not come along: they have to be asked for.
    pub unpatched: BTreeSet<(SessionId, ThreadId)>,
    /// What came along for the thread that this client shows, by the position of its frame, as [`ThreadPatch`] values.
    ///
    /// [`ThreadPatch`]: crate::api::ThreadPatch
    pub patches: Vec<(Cursor, Value)>,
    /// Agents whose tasks or files changed.
    pub agents: BTreeSet<AgentId>,
    /// Number of new events.
    pub events: u32,
    /// Views for everybody changed.
    pub views: bool,
    /// The stream continues at another process: positions of earlier answers and patches mean nothing there.
    pub moved: bool,
    /// Anything may have changed: first connection, names, roles, overrides, or a reconnect.
    pub everything: bool,
}

impl LiveChanges {
    /// Adds what changed up to the snapshot with which another process continues the stream.
    pub fn add_since(&mut self, since: &ChangesSince) {
        self.moved = true;
        self.sessions.extend(since.sessions.iter().cloned());
        self.threads.extend(since.threads.iter().map(thread_key));
        // Their positions are those of the other process.
        self.patches.clear();
        self.unpatched.extend(self.threads.iter().cloned());
        self.agents.extend(since.agents.iter().cloned());
        self.events = self.events.saturating_add(since.events_total);
        self.views |= since.views;
        self.everything |= since.everything;
    }

    /// Adds the items that a delta touches.
    pub fn add(&mut self, delta: &Delta) {
        self.sessions.extend(delta.sessions.iter().map(|card| card.work_session_id.clone()));
        let patched = delta.thread_patch.as_ref().and_then(TouchedThread::of_patch);
        self.threads.extend(delta.threads.iter().map(thread_key));
        self.unpatched
            .extend(delta.threads.iter().filter(|touched| patched.as_ref() != Some(*touched)).map(thread_key));
        self.patches.extend(delta.thread_patch.iter().map(|patch| (delta.cursor.clone(), patch.clone())));
        self.agents.extend(delta.agents.iter().cloned());
        self.events += delta.events_total;
        self.views |= delta.views;
        self.everything |= delta.everything;
    }

    /// Whether this session is touched.
    #[must_use]
    pub fn touches_session(&self, session: &SessionId) -> bool {
        self.everything || self.sessions.contains(session) || self.threads.iter().any(|(touched, _)| touched == session)
    }

    /// Whether this thread of this session has to be asked for: it is touched, and what is new did not come along.
    #[must_use]
    pub fn lacks_thread(&self, session: &SessionId, thread: &ThreadId) -> bool {
        self.everything || self.unpatched.iter().any(|(of, touched)| of == session && touched == thread)
    }

    /// Whether tasks may have changed.
    #[must_use]
    pub fn touches_tasks(&self) -> bool {
        self.everything || self.events > 0 || !self.agents.is_empty()
    }
}

fn thread_key(touched: &TouchedThread) -> (SessionId, ThreadId) {
    (touched.session_id.clone(), touched.thread.thread_id.clone())
}

/// Home and the newest sessions.
#[derive(Debug, Clone, PartialEq)]
pub struct HomeView {
    /// Position of the newest frame.
    pub cursor: Cursor,
    /// Server time of the last frame.
    pub now: i64,
    /// Home, as of its own cursor: deltas shortly after each other leave it out.
    pub home: Home,
    /// At most [`SNAPSHOT_SESSIONS`] cards, newest first, ties by id.
    pub sessions: Vec<SessionCard>,
}

impl From<Snapshot> for HomeView {
    fn from(snapshot: Snapshot) -> Self {
        let Snapshot { cursor, now, home, sessions, .. } = snapshot;
        let mut view = Self { cursor, now, home, sessions };
        view.age();
        view
    }
}

impl HomeView {
    /// Applies one delta, if it is the next one.
    pub fn apply(&mut self, delta: &Delta) -> ApplyResult {
        if delta.cursor.epoch != self.cursor.epoch || delta.cursor.seq > self.cursor.seq + 1 {
            return ApplyResult::Gap;
        }
        // Equal positions of one process run name the same change.
        if delta.cursor.seq <= self.cursor.seq {
            return ApplyResult::Known;
        }
        self.cursor.clone_from(&delta.cursor);
        self.now = delta.now;
        if let Some(home) = &delta.home {
            self.home.clone_from(home);
        }
        let replaced = |id: &SessionId| delta.sessions.iter().any(|card| card.work_session_id == *id);
        self.sessions.retain(|card| !delta.removed.contains(&card.work_session_id) && !replaced(&card.work_session_id));
        self.sessions.extend(delta.sessions.iter().cloned());
        self.sessions.sort_by(newest_first);
        self.sessions.truncate(SNAPSHOT_SESSIONS);
        self.age();
        ApplyResult::Ok
    }

    /// Applies a heartbeat; true when something looks different because of it.
    pub fn apply_heartbeat(&mut self, heartbeat: &Heartbeat) -> bool {
        self.now = heartbeat.now;
        if heartbeat.cursor.inputs.is_some() && heartbeat.cursor.is_at(&self.cursor) {
            self.cursor.inputs.clone_from(&heartbeat.cursor.inputs);
        }
        self.age();
        let differs = self.home.source != heartbeat.source;
        if differs {
            self.home.source.clone_from(&heartbeat.source);
        }
        differs
    }

    /// Updates statuses, which depend on time.
    fn age(&mut self) {
        for card in &mut self.sessions {
            card.status = card.status_at(self.now);
        }
    }

    /// One card, if it is among the newest.
    #[must_use]
    pub fn session(&self, id: &SessionId) -> Option<&SessionCard> {
        self.sessions.iter().find(|card| card.work_session_id == *id)
    }
}

/// The one order of session lists: newest activity first, ties by id.
#[must_use]
pub fn newest_first(a: &SessionCard, b: &SessionCard) -> std::cmp::Ordering {
    b.last_time.cmp(&a.last_time).then_with(|| a.work_session_id.cmp(&b.work_session_id))
}
