//! Where data comes from. The only module that fetches; pages ask a [`Source`] and never know which kind it is.

mod error;
mod http;
mod v1;
mod v2;

pub use error::ApiError;
pub use http::meta;
pub use v1::Compat;
pub use v2::Monitor;

use coordination::api::{
    CategoryPatch, CategoryPatched, Delegations, EventDetail, EventsPage, EventsQuery, Health, Home, SessionDetail,
    SessionsPage, SessionsQuery, TaskDetail, TasksPage, TasksQuery, ThreadPage, ThreadQuery,
};
use coordination::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};
use coordination::query;

/// A monitor that was recognised.
#[derive(Debug, Clone)]
pub enum Source {
    /// REST v2: the monitor answers the questions.
    V2(Monitor),
    /// REST 1.x: a local hub answers them.
    V1(Compat),
}

type Answer<T> = Result<T, ApiError>;

/// Asks the monitor below the page's API base what it speaks. Only a server that has never heard of v2 is asked for
/// 1.x; one that is merely down is asked again later.
pub async fn detect() -> Answer<Source> {
    let api = http::api_base();
    let monitor = Monitor::at(&api);
    match monitor.health().await {
        Ok(_) => Ok(Source::V2(monitor)),
        Err(ApiError::Unsupported | ApiError::Decode | ApiError::Api { status: 404 | 410, .. }) => {
            Compat::open(&api).await.map(Source::V1)
        }
        Err(error) => Err(error),
    }
}

impl Source {
    /// How the data stands; a 1.x monitor does not tell.
    pub async fn health(&self) -> Answer<Health> {
        match self {
            Self::V2(monitor) => monitor.health().await,
            Self::V1(_) => Err(ApiError::Unsupported),
        }
    }

    /// Home.
    pub async fn home(&self) -> Answer<Home> {
        match self {
            Self::V2(monitor) => monitor.home().await,
            Self::V1(monitor) => Ok(monitor.ask(query::home)),
        }
    }

    /// A page of sessions.
    pub async fn sessions(&self, query: &SessionsQuery) -> Answer<SessionsPage> {
        match self {
            Self::V2(monitor) => monitor.sessions(query).await,
            Self::V1(monitor) => Ok(monitor.ask(|hub, now| query::sessions(hub, now, query))?),
        }
    }

    /// One session.
    pub async fn session(&self, session: &SessionId) -> Answer<SessionDetail> {
        match self {
            Self::V2(monitor) => monitor.session(session).await,
            Self::V1(monitor) => monitor.find(|hub, now| query::session(hub, now, session)),
        }
    }

    /// A page of a thread.
    pub async fn thread(&self, session: &SessionId, thread: &ThreadId, query: &ThreadQuery) -> Answer<ThreadPage> {
        match self {
            Self::V2(monitor) => monitor.thread(session, thread, query).await,
            Self::V1(monitor) => {
                let page = monitor.ask(|hub, now| query::thread_page(hub, now, session, thread, query))?;
                monitor.find(|_, _| page)
            }
        }
    }

    /// The delegation tree of a session.
    pub async fn delegations(&self, session: &SessionId) -> Answer<Delegations> {
        match self {
            Self::V2(monitor) => monitor.delegations(session).await,
            Self::V1(monitor) => monitor.find(|hub, now| query::delegations(hub, now, session)),
        }
    }

    /// A page of events.
    pub async fn events(&self, query: &EventsQuery) -> Answer<EventsPage> {
        match self {
            Self::V2(monitor) => monitor.events(query).await,
            Self::V1(monitor) => Ok(monitor.ask(|hub, now| query::events(hub, now, query))?),
        }
    }

    /// One event with its line.
    pub async fn event(&self, event: &EventId) -> Answer<EventDetail> {
        match self {
            Self::V2(monitor) => monitor.event(event).await,
            Self::V1(monitor) => monitor.find(|hub, _| query::event(hub, event)),
        }
    }

    /// Tasks.
    pub async fn tasks(&self, query: &TasksQuery) -> Answer<TasksPage> {
        match self {
            Self::V2(monitor) => monitor.tasks(query).await,
            Self::V1(monitor) => Ok(monitor.ask(|hub, now| query::tasks(hub, now, query))?),
        }
    }

    /// One task.
    pub async fn task(&self, agent: &AgentId, task: &TaskId) -> Answer<TaskDetail> {
        match self {
            Self::V2(monitor) => monitor.task(agent, task).await,
            Self::V1(monitor) => monitor.find(|hub, now| query::task(hub, now, agent, task)),
        }
    }

    /// Sets a session's category by hand.
    pub async fn patch_category(&self, session: &SessionId, patch: &CategoryPatch) -> Answer<CategoryPatched> {
        match self {
            Self::V2(monitor) => monitor.patch_category(session, patch).await,
            Self::V1(monitor) => monitor.patch_category(session, patch).await,
        }
    }
}
