//! Where data comes from. The only module that fetches; pages ask a [`Source`] and never know which kind it is.

mod error;
mod http;
mod v2;

pub use error::ApiError;

use coordination::api::{
    CategoryPatch, CategoryPatched, Delegations, EventDetail, EventsPage, EventsQuery, Home, SessionDetail,
    SessionsPage, SessionsQuery, TaskDetail, TasksPage, TasksQuery, ThreadPage, ThreadQuery,
};
use coordination::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};

/// A monitor that was recognised.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// REST v2: the monitor answers the questions.
    V2(v2::Monitor),
}

type Answer<T> = Result<T, ApiError>;

/// Asks the monitor below the page's API base what it speaks.
pub async fn detect() -> Answer<Source> {
    let monitor = v2::Monitor::at_page();
    monitor.health().await?;
    Ok(Source::V2(monitor))
}

impl Source {
    /// Home.
    pub async fn home(&self) -> Answer<Home> {
        match self {
            Self::V2(monitor) => monitor.home().await,
        }
    }

    /// A page of sessions.
    pub async fn sessions(&self, query: &SessionsQuery) -> Answer<SessionsPage> {
        match self {
            Self::V2(monitor) => monitor.sessions(query).await,
        }
    }

    /// One session.
    pub async fn session(&self, session: &SessionId) -> Answer<SessionDetail> {
        match self {
            Self::V2(monitor) => monitor.session(session).await,
        }
    }

    /// A page of a thread.
    pub async fn thread(&self, session: &SessionId, thread: &ThreadId, query: &ThreadQuery) -> Answer<ThreadPage> {
        match self {
            Self::V2(monitor) => monitor.thread(session, thread, query).await,
        }
    }

    /// The delegation tree of a session.
    pub async fn delegations(&self, session: &SessionId) -> Answer<Delegations> {
        match self {
            Self::V2(monitor) => monitor.delegations(session).await,
        }
    }

    /// A page of events.
    pub async fn events(&self, query: &EventsQuery) -> Answer<EventsPage> {
        match self {
            Self::V2(monitor) => monitor.events(query).await,
        }
    }

    /// One event with its line.
    pub async fn event(&self, event: &EventId) -> Answer<EventDetail> {
        match self {
            Self::V2(monitor) => monitor.event(event).await,
        }
    }

    /// Tasks.
    pub async fn tasks(&self, query: &TasksQuery) -> Answer<TasksPage> {
        match self {
            Self::V2(monitor) => monitor.tasks(query).await,
        }
    }

    /// One task.
    pub async fn task(&self, agent: &AgentId, task: &TaskId) -> Answer<TaskDetail> {
        match self {
            Self::V2(monitor) => monitor.task(agent, task).await,
        }
    }

    /// Sets a session's category by hand.
    pub async fn patch_category(&self, session: &SessionId, patch: &CategoryPatch) -> Answer<CategoryPatched> {
        match self {
            Self::V2(monitor) => monitor.patch_category(session, patch).await,
        }
    }
}
