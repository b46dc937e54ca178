//! Data source for a monitor that supports only REST 1.x (`contract/monitor-api.md` §3–§4). The monitor's events fill a
//! local hub in the browser. That hub answers the queries of the pages; queries that need a v2 monitor are unsupported.

mod intake;
mod wire;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use coordination::api::{
    ActivityQuery, AgentActivity, AgentDetail, AgentsPage, AgentsQuery, CategoriesPatch, CategoriesPatched,
    CategoryPatch, CategoryPatched, CategoryResult, Delegations, DelegationsQuery, Delta, Drift, ErrorBody, ErrorCode,
    EventDetail, EventsPage, EventsQuery, Flow, Home, ManualOverride, Names, PeriodsQuery, Quality, SearchPage,
    SearchQuery, SessionDetail, SessionsPage, SessionsQuery, TaskDetail, TasksPage, TasksQuery, ThreadFound,
    ThreadPage, ThreadQuery, Timeline, WaitsPage, WaitsQuery,
};
use coordination::hub::{Changes, Hub};
use coordination::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};
use coordination::query::{self, QueryError};
use coordination::search::index::NoIndex;
use coordination::workspace::{AgentWorkspace, Workspace};
use futures::future::join_all;
use futures::join;
use serde_json::Value;

use self::intake::Intake;
use super::{Backend, Compat, SourceError, SourceFuture, SourceResult, answered, http};
use crate::routes::encode;

/// The original answers any number; a stricter monitor refuses and gets [`CAPPED_EVENTS`].
const WANTED_EVENTS: usize = 100_000;
/// What a monitor with a limit gives at most.
const CAPPED_EVENTS: usize = 1_000;

/// The monitor and what was read from it.
#[derive(Clone)]
pub(super) struct MonitorV1 {
    api: Arc<str>,
    ahead_ms: i64,
    state: Arc<Mutex<MonitorV1State>>,
}

#[derive(Default)]
struct MonitorV1State {
    hub: Hub,
    intake: Intake,
}

impl std::fmt::Debug for MonitorV1 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compat").field("api", &self.api).finish_non_exhaustive()
    }
}

/// Recognises a 1.x monitor at `api` and reads its history.
pub(super) fn open(api: String) -> SourceFuture<Arc<dyn Compat>> {
    Box::pin(async move { Ok(Arc::new(MonitorV1::open(&api).await?) as Arc<dyn Compat>) })
}

impl MonitorV1 {
    async fn open(api: &str) -> SourceResult<Self> {
        let health: wire::WireHealth = http::get(&format!("{api}/health")).await?;
        let device = js_sys::Date::now() as i64;
        let ahead_ms = coordination::time::parse_iso(&health.timestamp).map_or(0, |server| server - device);
        let monitor = Self { api: api.into(), ahead_ms, state: Arc::default() };
        // Who is who first: roles depend on it.
        monitor.read_agents().await?;
        monitor.read_events(None).await?;
        monitor.read_sessions().await?;
        monitor.read_workspaces().await?;
        Ok(monitor)
    }

    /// Asks the hub.
    fn ask<T>(&self, question: impl FnOnce(&Hub, i64) -> T) -> T {
        question(&self.state().hub, self.now())
    }

    /// Asks the hub what it may refuse to answer.
    fn answer<T: 'static>(&self, question: impl FnOnce(&Hub, i64) -> Result<T, QueryError>) -> SourceFuture<T> {
        answered(self.ask(question).map_err(SourceError::from))
    }

    /// Asks the hub for something that may not be there.
    fn find<T: 'static>(&self, question: impl FnOnce(&Hub, i64) -> Option<T>) -> SourceFuture<T> {
        answered(self.ask(question).ok_or_else(not_found))
    }

    /// Both: it may refuse, and the thing may not be there.
    fn look_up<T: 'static>(
        &self,
        question: impl FnOnce(&Hub, i64) -> Result<Option<T>, QueryError>,
    ) -> SourceFuture<T> {
        answered(self.ask(question).map_err(SourceError::from).and_then(|found| found.ok_or_else(not_found)))
    }

    fn state(&self) -> MutexGuard<'_, MonitorV1State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn read_agents(&self) -> Result<(), SourceError> {
        let answer: wire::WireAgents = http::get(&format!("{}/agents", self.api)).await?;
        let ids: Vec<AgentId> = answer.agents.into_iter().map(|agent| AgentId::from(agent.id.to_lowercase())).collect();
        let mut state = self.state();
        let mut roster = state.hub.roster().clone();
        roster.with_directories(&ids);
        state.hub.set_roster(roster);
        Ok(())
    }

    async fn read_events(&self, since: Option<String>) -> Result<Option<Delta>, SourceError> {
        let since = since.map(|since| format!("&since={}", encode(&since))).unwrap_or_default();
        let url = |limit: usize| format!("{}/events?limit={limit}{since}", self.api);
        let answer: wire::WireEvents = match http::get(&url(WANTED_EVENTS)).await {
            Err(SourceError::Api { status: 400..=422, .. } | SourceError::Unsupported) => {
                http::get(&url(CAPPED_EVENTS)).await?
            }
            answer => answer?,
        };
        Ok(self.take(&answer.events))
    }

    /// Sessions with their events: what lies before a limited event list, and which categories people chose.
    async fn read_sessions(&self) -> Result<(), SourceError> {
        let answer: wire::WireSessions =
            http::get(&format!("{}/work-sessions?limit={CAPPED_EVENTS}", self.api)).await?;
        let mut events: Vec<Value> = Vec::new();
        let mut overrides = std::collections::BTreeMap::new();
        for session in answer.sessions {
            if session.category_source.as_deref() == Some("manual_override")
                && let Some(collab_category) = session.collab_category.as_deref().and_then(|key| key.parse().ok())
            {
                let manual = ManualOverride { collab_category, updated_at: String::new(), updated_by: None };
                overrides.insert(SessionId::from(session.work_session_id), manual);
            }
            events.extend(session.threads.into_iter().flat_map(|thread| thread.events));
        }
        self.take(&events);
        self.state().hub.set_overrides(overrides);
        Ok(())
    }

    fn take(&self, values: &[Value]) -> Option<Delta> {
        let now = self.now();
        let MonitorV1State { hub, intake } = &mut *self.state();
        let events = intake.fresh(values);
        if events.is_empty() {
            return None;
        }
        let changes = hub.apply(events);
        hub.set_source(intake.source());
        hub.advance();
        Some(delta_of(hub, now, &changes))
    }

    async fn read_folder(&self, agent: String) -> AgentWorkspace {
        let base = format!("{}/agents/{}", self.api, encode(&agent));
        let (tasks, current, plans) = (format!("{base}/tasks"), format!("{base}/current"), format!("{base}/plans"));
        let (tasks, current, plans) = join!(http::get(&tasks), http::get(&current), http::get(&plans));
        wire::workspace(&agent, tasks, current, plans)
    }

    async fn read_workspaces(&self) -> Result<Option<Delta>, SourceError> {
        let agents: wire::WireAgents = http::get(&format!("{}/agents", self.api)).await?;
        // All at once: one after the other, three questions an agent took longer than the time between two looks.
        let folders = agents.agents.into_iter().map(|agent| self.read_folder(agent.id));
        let workspace = Workspace { agents: join_all(folders).await };
        let now = self.now();
        let mut state = self.state();
        let changes = state.hub.set_workspace(workspace);
        if changes.is_empty() {
            return Ok(None);
        }
        state.hub.advance();
        Ok(Some(delta_of(&state.hub, now, &changes)))
    }

    async fn set_category(&self, session: &SessionId, patch: &CategoryPatch) -> SourceResult<CategoryPatched> {
        let url = format!("{}/work-sessions/{}/category", self.api, encode(session.as_str()));
        let answer: CategoryPatched = http::patch(&url, patch).await?;
        let now = self.now();
        let mut state = self.state();
        let mut overrides = state.hub.overrides().clone();
        match &answer.manual {
            Some(manual) => overrides.insert(session.clone(), manual.clone()),
            None => overrides.remove(session),
        };
        state.hub.set_overrides(overrides);
        let card = query::session(&state.hub, now, session).map(|detail| detail.session);
        Ok(CategoryPatched { session: card, ..answer })
    }

    /// One after the other: REST 1.x has no request for many.
    async fn set_categories(&self, patch: CategoriesPatch) -> SourceResult<CategoriesPatched> {
        let mut results = Vec::new();
        for item in patch.items {
            let mut result = CategoryResult {
                work_session_id: item.work_session_id.clone(),
                refused: Some(ErrorCode::NotCommitted),
                manual: None,
                session: None,
            };
            if let Some(collab_category) = item.collab_category {
                let (updated_by, reason) = (patch.updated_by.clone(), patch.reason.clone());
                let one = CategoryPatch { collab_category, updated_by, reason, expected: item.expected };
                match self.set_category(&item.work_session_id, &one).await {
                    Ok(done) => {
                        result = CategoryResult { refused: None, manual: done.manual, session: done.session, ..result };
                    }
                    Err(SourceError::Api { body, .. }) => result.refused = Some(body.code),
                    Err(error) if results.is_empty() => return Err(error),
                    Err(_) => {}
                }
            }
            results.push(result);
        }
        Ok(CategoriesPatched { results })
    }
}

/// A change and home after it.
fn delta_of(hub: &Hub, now: i64, changes: &Changes) -> Delta {
    Delta { home: Some(query::home(hub, now)), ..query::delta(hub, now, changes) }
}

impl Compat for MonitorV1 {
    fn now(&self) -> i64 {
        js_sys::Date::now() as i64 + self.ahead_ms
    }

    fn home(&self) -> Home {
        self.ask(query::home)
    }

    fn refresh(&self) -> SourceFuture<Option<Delta>> {
        let (monitor, since) = (self.clone(), self.state().intake.since());
        Box::pin(async move { monitor.read_events(since).await })
    }

    fn refresh_workspaces(&self) -> SourceFuture<Option<Delta>> {
        let monitor = self.clone();
        Box::pin(async move { monitor.read_workspaces().await })
    }
}

impl Backend for MonitorV1 {
    fn sessions(&self, query: &SessionsQuery) -> SourceFuture<SessionsPage> {
        self.answer(|hub, now| query::sessions(hub, now, query))
    }

    fn session(&self, session: &SessionId) -> SourceFuture<SessionDetail> {
        self.find(|hub, now| query::session(hub, now, session))
    }

    fn thread(&self, session: &SessionId, thread: &ThreadId, query: &ThreadQuery) -> SourceFuture<ThreadPage> {
        self.look_up(|hub, now| query::thread_page(hub, now, session, thread, query))
    }

    fn found(&self, session: &SessionId, thread: Option<&ThreadId>, text: &str) -> SourceFuture<ThreadFound> {
        self.look_up(|hub, _| match thread {
            Some(thread) => query::thread_found(hub, session, thread, text),
            None => query::session_found(hub, session, text),
        })
    }

    fn timeline(&self, session: &SessionId, query: &ThreadQuery) -> SourceFuture<Timeline> {
        self.look_up(|hub, now| query::timeline(hub, now, session, query))
    }

    fn agent(&self, agent: &AgentId, query: &AgentsQuery) -> SourceFuture<AgentDetail> {
        self.find(|hub, now| query::agent_detail(hub, now, agent, query))
    }

    fn activity(&self, agent: &AgentId, query: &ActivityQuery) -> SourceFuture<AgentActivity> {
        self.find(|hub, now| query::activity(hub, now, agent, query))
    }

    fn agents(&self, query: &AgentsQuery) -> SourceFuture<AgentsPage> {
        answered(Ok(self.ask(|hub, now| query::agents(hub, now, query))))
    }

    fn names(&self) -> SourceFuture<Names> {
        answered(Ok(Names::default()))
    }

    fn delegations(&self, session: Option<&SessionId>, query: &DelegationsQuery) -> SourceFuture<Delegations> {
        match session {
            Some(session) => self.look_up(|hub, now| query::delegations(hub, now, session, query)),
            None => self.answer(|hub, now| query::all_delegations(hub, now, query)),
        }
    }

    fn flow(&self, session: &SessionId) -> SourceFuture<Flow> {
        self.find(|hub, now| query::flow(hub, now, session))
    }

    fn waits(&self, query: &WaitsQuery) -> SourceFuture<WaitsPage> {
        answered(Ok(self.ask(|hub, now| query::waits(hub, now, query))))
    }

    fn quality(&self, query: &PeriodsQuery) -> SourceFuture<Quality> {
        answered(Ok(self.ask(|hub, now| query::quality(hub, now, query))))
    }

    fn drift(&self, query: &PeriodsQuery) -> SourceFuture<Drift> {
        answered(Ok(self.ask(|hub, now| query::drift(hub, now, query))))
    }

    fn search(&self, query: &SearchQuery) -> SourceFuture<SearchPage> {
        self.answer(|hub, now| query::search(hub, &NoIndex, now, query))
    }

    fn events(&self, query: &EventsQuery) -> SourceFuture<EventsPage> {
        self.answer(|hub, now| query::events(hub, now, query))
    }

    fn event(&self, event: &EventId) -> SourceFuture<EventDetail> {
        // A 1.x monitor gives its events no place in a file.
        self.find(|hub, _| query::event(hub, event, |_| None))
    }

    fn tasks(&self, query: &TasksQuery) -> SourceFuture<TasksPage> {
        self.answer(|hub, now| query::tasks(hub, now, query))
    }

    fn task(&self, agent: &AgentId, task: &TaskId) -> SourceFuture<TaskDetail> {
        self.find(|hub, now| query::task(hub, now, agent, task))
    }

    fn patch_category(&self, session: &SessionId, patch: &CategoryPatch) -> SourceFuture<CategoryPatched> {
        let (monitor, session, patch) = (self.clone(), session.clone(), patch.clone());
        Box::pin(async move { monitor.set_category(&session, &patch).await })
    }

    fn patch_categories(&self, patch: &CategoriesPatch) -> SourceFuture<CategoriesPatched> {
        let (monitor, patch) = (self.clone(), patch.clone());
        Box::pin(async move { monitor.set_categories(patch).await })
    }
}

fn not_found() -> SourceError {
    SourceError::Api { status: 404, body: ErrorBody::new(ErrorCode::NotFound, "") }
}

impl From<QueryError> for SourceError {
    fn from(error: QueryError) -> Self {
        Self::Api { status: 400, body: error.into() }
    }
}
