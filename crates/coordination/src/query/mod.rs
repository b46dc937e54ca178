//! Every question a screen asks, answered from a [`Hub`] at a given `now` (design §1: one query layer).
//! The monitor serves these over REST; the browser runs them itself over a 1.x monitor's events.

pub mod params;

use crate::api::{
    AgentSummary, CategoryCount, CategoryTotals, Delegations, Delta, EventDetail, EventsPage, EventsQuery, Home,
    RoleCounts, SessionDetail, SessionsPage, SessionsQuery, Snapshot, StatusCounts, TaskDetail, TasksPage, TasksQuery,
    ThreadPage, ThreadQuery,
};
use crate::category::Category;
use crate::hub::{Changes, Hub};
use crate::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};

/// A query value that is not acceptable: 400 with the field and what would have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryError {
    /// The parameter.
    pub field: String,
    /// Values that would have been accepted, when they can be listed.
    pub allowed: Vec<String>,
    /// English sentence for scripts and logs.
    pub message: String,
}

impl std::fmt::Display for QueryError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for QueryError {}

/// `GET home`.
#[must_use]
pub fn home(hub: &Hub, now: i64) -> Home {
    Home {
        categories: Category::ALL
            .into_iter()
            .map(|key| CategoryCount { key, totals: CategoryTotals::default() })
            .collect(),
        all: CategoryTotals::default(),
        attention: Vec::new(),
        status_counts: StatusCounts::default(),
        agents: Vec::<AgentSummary>::new(),
        source: hub.source().clone(),
        cursor: hub.cursor(),
        now,
    }
}

/// `GET sessions`.
///
/// # Errors
/// When a limit or page mark is not acceptable.
pub fn sessions(hub: &Hub, now: i64, query: &SessionsQuery) -> Result<SessionsPage, QueryError> {
    let _ = query;
    Ok(SessionsPage {
        sessions: Vec::new(),
        total: 0,
        category_counts: Category::ALL.into_iter().map(|key| (key, 0)).collect(),
        status_counts: StatusCounts::default(),
        tags: Vec::new(),
        next: None,
        cursor: hub.cursor(),
        now,
    })
}

/// `GET sessions/{id}`.
#[must_use]
pub fn session(hub: &Hub, now: i64, id: &SessionId) -> Option<SessionDetail> {
    let _ = (hub, now, id);
    None
}

/// `GET sessions/{id}/threads/{threadId}`.
///
/// # Errors
/// When a limit or page mark is not acceptable.
pub fn thread_page(
    hub: &Hub,
    now: i64,
    session_id: &SessionId,
    thread_id: &ThreadId,
    query: &ThreadQuery,
) -> Result<Option<ThreadPage>, QueryError> {
    let _ = (hub, now, session_id, thread_id, query);
    Ok(None)
}

/// `GET sessions/{id}/delegations`.
#[must_use]
pub fn delegations(hub: &Hub, now: i64, id: &SessionId) -> Option<Delegations> {
    let _ = (hub, now, id);
    None
}

/// `GET events`.
///
/// # Errors
/// When a limit or page mark is not acceptable.
pub fn events(hub: &Hub, now: i64, query: &EventsQuery) -> Result<EventsPage, QueryError> {
    let _ = query;
    Ok(EventsPage {
        events: Vec::new(),
        total: 0,
        role_counts: RoleCounts::default(),
        type_counts: Vec::new(),
        next: None,
        cursor: hub.cursor(),
        now,
    })
}

/// `GET events/{id}`.
#[must_use]
pub fn event(hub: &Hub, id: &EventId) -> Option<EventDetail> {
    let _ = (hub, id);
    None
}

/// `GET tasks`.
#[must_use]
pub fn tasks(hub: &Hub, now: i64, query: &TasksQuery) -> TasksPage {
    let _ = query;
    TasksPage {
        tasks: Vec::new(),
        total: 0,
        status_counts: Vec::new(),
        agents: Vec::new(),
        unreadable: Vec::new(),
        cursor: hub.cursor(),
        now,
    }
}

/// `GET tasks/{agent}/{id}`.
#[must_use]
pub fn task(hub: &Hub, now: i64, agent: &AgentId, id: &TaskId) -> Option<TaskDetail> {
    let _ = (hub, now, agent, id);
    None
}

/// The whole state a tab keeps.
#[must_use]
pub fn snapshot(hub: &Hub, now: i64) -> Snapshot {
    Snapshot { cursor: hub.cursor(), now, home: home(hub, now), sessions: Vec::new() }
}

/// What `changes` mean for a tab, after [`Hub::advance`].
#[must_use]
pub fn delta(hub: &Hub, now: i64, changes: &Changes) -> Delta {
    let _ = changes;
    Delta {
        cursor: hub.cursor(),
        now,
        home: home(hub, now),
        sessions: Vec::new(),
        removed: Vec::new(),
        threads: Vec::new(),
        removed_threads: Vec::new(),
        events: Vec::new(),
        events_total: 0,
        agents: Vec::new(),
        everything: true,
    }
}
