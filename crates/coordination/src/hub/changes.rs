//! Change set of a hub mutation: new events, and changed sessions, threads and agents. The live stream builds a delta
//! from it. Sessions are named by slot (their number in the hub), events by their number.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::{AgentId, SessionId, ThreadId};

/// Changes of one call; `query::delta` sends them to open tabs.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// Numbers of the new events.
    pub(crate) events: Vec<u32>,
    /// Sessions whose card may look different.
    pub(crate) sessions: BTreeSet<u32>,
    /// Sessions that lost all their events to another.
    pub(crate) removed: BTreeSet<SessionId>,
    /// Threads with new or changed items, by session.
    pub(crate) threads: BTreeMap<u32, ThreadChanges>,
    /// Agents whose folder changed.
    pub(crate) agents: BTreeSet<AgentId>,
    /// Roster or rules changed, or an override of a session that the log does not hold.
    pub(crate) everything: bool,
    /// A session moved down or away, so the newest ones have to be sent in full.
    pub(crate) reordered: bool,
    /// Revision of the session stores, when they changed.
    pub(crate) stores: Option<u64>,
    /// Views for everybody changed.
    pub(crate) views: bool,
}

impl Changes {
    /// A change set after which anything may differ.
    #[must_use]
    pub fn everything() -> Self {
        Self { everything: true, ..Self::default() }
    }

    /// A change of the session stores to this revision.
    #[must_use]
    pub fn stores(revision: u64) -> Self {
        Self { stores: Some(revision), ..Self::default() }
    }

    /// Whether nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
            && self.sessions.is_empty()
            && self.removed.is_empty()
            && self.agents.is_empty()
            && !self.everything
            && self.threads.is_empty()
            && self.stores.is_none()
            && !self.views
    }

    /// Adds later changes to these.
    pub fn merge(&mut self, later: Self) {
        self.events.extend(later.events);
        self.sessions.extend(later.sessions);
        self.removed.extend(later.removed);
        for (session, news) in later.threads {
            let known = self.threads.entry(session).or_default();
            for (id, items) in news.items {
                known.removed.remove(&id);
                let held = known.items.entry(id).or_default();
                held.replaced |= items.replaced;
                held.messages.extend(items.messages);
                held.marks.extend(items.marks);
                held.exchanges.extend(items.exchanges);
            }
            for id in news.removed {
                known.items.remove(&id);
                known.removed.insert(id);
            }
        }
        self.agents.extend(later.agents);
        self.everything |= later.everything;
        self.reordered |= later.reordered;
        self.stores = later.stores.or(self.stores);
        self.views |= later.views;
    }

    /// Ids of the new events, as positions in `Hub::events`.
    #[must_use]
    pub fn new_events(&self) -> &[u32] {
        &self.events
    }
}

/// Changes of a fold in the threads of one session.
#[derive(Debug, Clone, Default)]
pub(crate) struct ThreadChanges {
    pub(crate) items: BTreeMap<ThreadId, ThreadItemChanges>,
    pub(crate) removed: BTreeSet<ThreadId>,
}

/// New or changed items of one thread.
#[derive(Debug, Clone, Default)]
pub(crate) struct ThreadItemChanges {
    /// The thread was rederived: everything counts as changed.
    pub(crate) replaced: bool,
    /// Events of the bubbles.
    pub(crate) messages: BTreeSet<u32>,
    /// Events of the marks.
    pub(crate) marks: BTreeSet<u32>,
    /// By position in the thread's exchanges.
    pub(crate) exchanges: BTreeSet<usize>,
}
