//! Data source, the only module that fetches. Pages query a [`DataSource`] and never know which kind it is.

mod compat;
mod error;
mod http;
mod trial;
mod v1;
mod v2;

pub use compat::Compat;
pub use error::ApiError;
pub use http::meta;
pub use trial::{Moved, Trial, open_trial};
pub use v2::Monitor;

use coordination::api::{
    ActivityQuery, AgentActivity, AgentDetail, AgentsPage, AgentsQuery, ArchiveList, ArchiveQuery, CategoriesPatch,
    CategoriesPatched, CategoryClear, CategoryHistory, CategoryPatch, CategoryPatched, CategoryResult, ChangesPage,
    ChangesQuery, Delegations, DelegationsQuery, Drift, ErrorCode, EventDetail, EventsPage, EventsQuery, Flow, Health,
    Home, Names, PeriodsQuery, Quality, ReplayPage, SearchPage, SearchQuery, SessionDetail, SessionsPage,
    SessionsQuery, SpeakAnswer, SpeakInfo, SpeakRequest, StoreHistory, StoreHistoryQuery, StoreList, StoreQuery,
    StoreRow, TaskDetail, TasksPage, TasksQuery, TaughtInfo, TaughtPut, ThreadFound, ThreadPage, ThreadQuery, Timeline,
};
use coordination::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};

use crate::parts::part;

use std::pin::Pin;
use std::sync::Arc;

/// A monitor that was recognised.
#[derive(Debug, Clone)]
pub enum Source {
    /// REST v2: the monitor answers the queries.
    V2(Monitor),
    /// REST 1.x: a local hub answers them.
    V1(Arc<dyn Compat>),
}

type Answer<T> = Result<T, ApiError>;
type Pending<'a, T> = Pin<Box<dyn Future<Output = Answer<T>> + 'a>>;

part!(
    compat,
    load_v1,
    fn open_v1(api: String) -> Pending<'static, Arc<dyn Compat>> {
        v1::open(api)
    }
);

/// Detects the API version of the monitor below the page's API base. Only a server that does not know v2 is asked for
/// 1.x; one that is merely down is tried again later.
pub async fn detect() -> Answer<(Source, Home)> {
    let api = http::api_base();
    let monitor = Monitor::at(&api);
    match monitor.home().await {
        Ok(home) => Ok((Source::V2(monitor), home)),
        Err(ApiError::Unsupported | ApiError::Decode | ApiError::Api { status: 404 | 410, .. }) => {
            let monitor = open_v1(api).await.map_err(|_| ApiError::Network)?.await?;
            let home = monitor.home();
            Ok((Source::V1(monitor), home))
        }
        Err(error) => Err(error),
    }
}

/// A list that is not found is an endpoint that an older monitor does not have.
fn older(error: ApiError) -> ApiError {
    if error.is_not_found() { ApiError::Unsupported } else { error }
}

impl Source {
    /// State of the data; a 1.x monitor does not report it.
    pub async fn health(&self) -> Answer<Health> {
        match self {
            Self::V2(monitor) => monitor.health().await,
            Self::V1(_) => Err(ApiError::Unsupported),
        }
    }

    /// Names an operator gave; a 1.x monitor has none.
    pub async fn names(&self) -> Answer<Names> {
        match self {
            Self::V2(monitor) => monitor.names().await,
            Self::V1(_) => Ok(Names::default()),
        }
    }

    /// A page of sessions.
    pub async fn sessions(&self, query: &SessionsQuery) -> Answer<SessionsPage> {
        match self {
            Self::V2(monitor) => monitor.sessions(query).await,
            Self::V1(monitor) => monitor.sessions(query),
        }
    }

    /// One session.
    pub async fn session(&self, session: &SessionId) -> Answer<SessionDetail> {
        match self {
            Self::V2(monitor) => monitor.session(session).await,
            Self::V1(monitor) => monitor.session(session),
        }
    }

    /// A page of a thread.
    pub async fn thread(&self, session: &SessionId, thread: &ThreadId, query: &ThreadQuery) -> Answer<ThreadPage> {
        match self {
            Self::V2(monitor) => monitor.thread(session, thread, query).await,
            Self::V1(monitor) => monitor.thread(session, thread, query),
        }
    }

    /// The messages of a thread, or of all threads of a session, that hold a text.
    pub async fn found(&self, session: &SessionId, thread: Option<&ThreadId>, text: &str) -> Answer<ThreadFound> {
        match self {
            Self::V2(monitor) => monitor.found(session, thread, text).await,
            Self::V1(monitor) => monitor.found(session, thread, text),
        }
    }

    /// A page of a whole session.
    pub async fn timeline(&self, session: &SessionId, query: &ThreadQuery) -> Answer<Timeline> {
        match self {
            Self::V2(monitor) => monitor.timeline(session, query).await,
            Self::V1(monitor) => monitor.timeline(session, query),
        }
    }

    /// One agent with its work, and who waits for whom.
    pub async fn agent(&self, agent: &AgentId, query: &AgentsQuery) -> Answer<AgentDetail> {
        match self {
            Self::V2(monitor) => monitor.agent(agent, query).await,
            Self::V1(monitor) => monitor.agent(agent, query),
        }
    }

    /// What an agent did in a period.
    pub async fn activity(&self, agent: &AgentId, query: &ActivityQuery) -> Answer<AgentActivity> {
        match self {
            Self::V2(monitor) => monitor.activity(agent, query).await,
            Self::V1(monitor) => monitor.activity(agent, query),
        }
    }

    /// All agents and what they are at.
    pub async fn agents(&self, query: &AgentsQuery) -> Answer<AgentsPage> {
        match self {
            Self::V2(monitor) => monitor.agents(query).await,
            Self::V1(monitor) => Ok(monitor.agents(query)),
        }
    }

    /// Where an agent's own picture is served; a 1.x monitor serves none.
    pub fn avatar_url(&self, agent: &AgentId) -> Option<String> {
        match self {
            Self::V2(monitor) => Some(monitor.avatar_url(agent)),
            Self::V1(_) => None,
        }
    }

    /// The delegation tree of a session, or of all.
    pub async fn delegations(&self, session: Option<&SessionId>, query: &DelegationsQuery) -> Answer<Delegations> {
        match self {
            Self::V2(monitor) => monitor.delegations(session, query).await,
            Self::V1(monitor) => monitor.delegations(session, query),
        }
    }

    /// The flow of a session.
    pub async fn flow(&self, session: &SessionId) -> Answer<Flow> {
        match self {
            Self::V2(monitor) => monitor.flow(session).await,
            Self::V1(monitor) => monitor.flow(session),
        }
    }

    /// Quality of the log: how well its events are identified.
    pub async fn quality(&self, query: &PeriodsQuery) -> Answer<Quality> {
        match self {
            Self::V2(monitor) => monitor.quality(query).await,
            Self::V1(monitor) => Ok(monitor.quality(query)),
        }
    }

    /// How the automatic filing does over time.
    pub async fn drift(&self, query: &PeriodsQuery) -> Answer<Drift> {
        match self {
            Self::V2(monitor) => monitor.drift(query).await,
            Self::V1(monitor) => Ok(monitor.drift(query)),
        }
    }

    /// A page of what is found everywhere.
    pub async fn search(&self, query: &SearchQuery) -> Answer<SearchPage> {
        match self {
            Self::V2(monitor) => monitor.search(query).await,
            Self::V1(monitor) => monitor.search(query),
        }
    }

    /// A page of events.
    pub async fn events(&self, query: &EventsQuery) -> Answer<EventsPage> {
        match self {
            Self::V2(monitor) => monitor.events(query).await,
            Self::V1(monitor) => monitor.events(query),
        }
    }

    /// One event with its line.
    pub async fn event(&self, event: &EventId) -> Answer<EventDetail> {
        match self {
            Self::V2(monitor) => monitor.event(event).await,
            Self::V1(monitor) => monitor.event(event),
        }
    }

    /// Tasks.
    pub async fn tasks(&self, query: &TasksQuery) -> Answer<TasksPage> {
        match self {
            Self::V2(monitor) => monitor.tasks(query).await,
            Self::V1(monitor) => monitor.tasks(query),
        }
    }

    /// One task.
    pub async fn task(&self, agent: &AgentId, task: &TaskId) -> Answer<TaskDetail> {
        match self {
            Self::V2(monitor) => monitor.task(agent, task).await,
            Self::V1(monitor) => monitor.task(agent, task),
        }
    }

    /// Sets a session's category by hand.
    pub async fn patch_category(&self, session: &SessionId, patch: &CategoryPatch) -> Answer<CategoryPatched> {
        match self {
            Self::V2(monitor) => monitor.patch_category(session, patch).await,
            Self::V1(monitor) => monitor.patch_category(session, patch).await,
        }
    }

    /// Returns a session to its automatic category; a 1.x monitor cannot (`contract/monitor-api.md` §7).
    pub async fn clear_category(&self, session: &SessionId, clear: &CategoryClear) -> Answer<CategoryPatched> {
        match self {
            Self::V2(monitor) => monitor.clear_category(session, clear).await,
            Self::V1(_) => Err(ApiError::Unsupported),
        }
    }

    /// Sets the categories of many sessions, or returns them to their automatic ones. A 1.x monitor is asked for one
    /// after the other, and cannot return any.
    pub async fn patch_categories(&self, patch: &CategoriesPatch) -> Answer<CategoriesPatched> {
        let monitor = match self {
            Self::V2(monitor) => return monitor.patch_categories(patch).await,
            Self::V1(monitor) => monitor,
        };
        let mut results = Vec::new();
        for item in &patch.items {
            let mut result = CategoryResult {
                work_session_id: item.work_session_id.clone(),
                refused: Some(ErrorCode::NotCommitted),
                manual: None,
                session: None,
            };
            if let Some(collab_category) = item.collab_category {
                let (updated_by, reason) = (patch.updated_by.clone(), patch.reason.clone());
                let one = CategoryPatch { collab_category, updated_by, reason, expected: item.expected };
                match monitor.patch_category(&item.work_session_id, &one).await {
                    Ok(done) => {
                        result = CategoryResult { refused: None, manual: done.manual, session: done.session, ..result };
                    }
                    Err(ApiError::Api { body, .. }) => result.refused = Some(body.code),
                    Err(error) if results.is_empty() => return Err(error),
                    Err(_) => {}
                }
            }
            results.push(result);
        }
        Ok(CategoriesPatched { results })
    }

    /// The changes of a session's category; a 1.x monitor keeps none.
    pub async fn category_history(&self, session: &SessionId) -> Answer<CategoryHistory> {
        match self {
            Self::V2(monitor) => monitor.category_history(session).await,
            Self::V1(_) => Err(ApiError::Unsupported),
        }
    }

    /// What the classifier was taught; a 1.x monitor cannot be taught.
    pub async fn taught(&self) -> Answer<TaughtInfo> {
        match self {
            Self::V2(monitor) => monitor.taught().await,
            Self::V1(_) => Err(ApiError::Unsupported),
        }
    }

    /// Replaces what the classifier was taught.
    pub async fn teach(&self, put: &TaughtPut) -> Answer<TaughtInfo> {
        match self {
            Self::V2(monitor) => monitor.teach(put).await,
            Self::V1(_) => Err(ApiError::Unsupported),
        }
    }

    /// What sessions say, to try taught words on.
    pub async fn replay(&self, after: Option<u32>) -> Answer<ReplayPage> {
        match self {
            Self::V2(monitor) => monitor.replay(after).await,
            Self::V1(_) => Err(ApiError::Unsupported),
        }
    }

    /// Sessions of OpenClaw's own stores; a 1.x monitor does not look there.
    pub async fn stores(&self, query: &StoreQuery) -> Answer<StoreList> {
        match self {
            Self::V2(monitor) => monitor.stores(query).await.map_err(older),
            Self::V1(_) => Err(ApiError::Unsupported),
        }
    }

    /// Whether messages can be sent to agents; a 1.x monitor cannot.
    pub async fn speak_info(&self) -> Answer<SpeakInfo> {
        match self {
            Self::V2(monitor) => monitor.speak_info().await,
            Self::V1(_) => Err(ApiError::Unsupported),
        }
    }

    /// One of them by its key, archived or not; none when no store holds it.
    pub async fn store(&self, key: &str) -> Answer<Option<StoreRow>> {
        for archived in [false, true] {
            let query = StoreQuery {
                search: Some(key.to_owned()),
                include_global: true,
                include_unknown: true,
                include_derived_titles: true,
                archived,
                ..StoreQuery::default()
            };
            let rows = self.stores(&query).await?.sessions;
            if let Some(row) = rows.into_iter().find(|row| row.key.eq_ignore_ascii_case(key)) {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// Messages of one of them.
    pub async fn store_history(&self, key: &str, query: &StoreHistoryQuery) -> Answer<StoreHistory> {
        match self {
            Self::V2(monitor) => monitor.store_history(key, query).await,
            Self::V1(_) => Err(ApiError::Unsupported),
        }
    }

    /// Archived transcripts.
    pub async fn archives(&self, query: &ArchiveQuery) -> Answer<ArchiveList> {
        match self {
            Self::V2(monitor) => monitor.archives(query).await.map_err(older),
            Self::V1(_) => Err(ApiError::Unsupported),
        }
    }

    /// Messages of one of them.
    pub async fn archive_history(&self, of: (&AgentId, &str), query: &StoreHistoryQuery) -> Answer<StoreHistory> {
        match self {
            Self::V2(monitor) => monitor.archive_history(of.0, of.1, query).await,
            Self::V1(_) => Err(ApiError::Unsupported),
        }
    }

    /// Sends an agent a message. Asked again with the same name it gives the first answer.
    pub async fn speak(&self, request: &SpeakRequest) -> Answer<SpeakAnswer> {
        match self {
            Self::V2(monitor) => monitor.speak(request).await,
            Self::V1(_) => Err(ApiError::Unsupported),
        }
    }

    /// The changes of all sessions; a 1.x monitor keeps none.
    pub async fn category_changes(&self, query: &ChangesQuery) -> Answer<ChangesPage> {
        match self {
            Self::V2(monitor) => monitor.category_changes(query).await,
            Self::V1(_) => Err(ApiError::Unsupported),
        }
    }
}
