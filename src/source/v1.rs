//! A monitor that speaks only REST 1.x (`contract/monitor-api.md` §3–§4): its events are read into a local hub, and
//! the same queries the v2 monitor runs answer the pages here in the browser.

mod intake;
mod wire;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use coordination::api::{
    ActivityQuery, AgentActivity, AgentDetail, AgentsPage, AgentsQuery, CategoryPatch, CategoryPatched, Delegations,
    DelegationsQuery, Delta, Drift, ErrorBody, ErrorCode, EventDetail, EventsPage, EventsQuery, Flow, Home,
    ManualOverride, PeriodsQuery, Quality, SearchPage, SearchQuery, SessionDetail, SessionsPage, SessionsQuery,
    TaskDetail, TasksPage, TasksQuery, ThreadFound, ThreadPage, ThreadQuery, Timeline,
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
use super::{Answer, ApiError, Compat, Pending, http};
use crate::routes::encode;

/// The original answers any number; a stricter monitor refuses and gets [`CAPPED_EVENTS`].
const WANTED: usize = 100_000;
/// What a monitor with a limit gives at most.
const CAPPED: usize = 1_000;

/// The monitor and what was read from it.
#[derive(Clone)]
pub(super) struct Monitor {
    api: Arc<str>,
    ahead_ms: i64,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    hub: Hub,
    intake: Intake,
}

impl std::fmt::Debug for Monitor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compat").field("api", &self.api).finish_non_exhaustive()
    }
}

/// Recognises a 1.x monitor at `api` and reads its history.
pub(super) fn open(api: String) -> Pending<'static, Arc<dyn Compat>> {
    Box::pin(async move { Ok(Arc::new(Monitor::open(&api).await?) as Arc<dyn Compat>) })
}

impl Monitor {
    async fn open(api: &str) -> Answer<Self> {
        let health: wire::Health = http::get(&format!("{api}/health")).await?;
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

    /// Asks the hub for something that may not be there.
    fn find<T>(&self, question: impl FnOnce(&Hub, i64) -> Option<T>) -> Result<T, ApiError> {
        self.ask(question).ok_or_else(|| refused(404, ErrorCode::NotFound))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn read_agents(&self) -> Result<(), ApiError> {
        let answer: wire::Agents = http::get(&format!("{}/agents", self.api)).await?;
        let ids: Vec<AgentId> = answer.agents.into_iter().map(|agent| AgentId(agent.id.to_lowercase())).collect();
        let mut state = self.state();
        let mut roster = state.hub.roster().clone();
        roster.with_directories(&ids);
        state.hub.set_roster(roster);
        Ok(())
    }

    async fn read_events(&self, since: Option<String>) -> Result<Option<Delta>, ApiError> {
        let since = since.map(|since| format!("&since={}", encode(&since))).unwrap_or_default();
        let url = |limit: usize| format!("{}/events?limit={limit}{since}", self.api);
        let answer: wire::Events = match http::get(&url(WANTED)).await {
            Err(ApiError::Api { status: 400..=422, .. } | ApiError::Unsupported) => http::get(&url(CAPPED)).await?,
            answer => answer?,
        };
        Ok(self.take(&answer.events))
    }

    /// Sessions with their events: what lies before a limited event list, and which categories people chose.
    async fn read_sessions(&self) -> Result<(), ApiError> {
        let answer: wire::Sessions = http::get(&format!("{}/work-sessions?limit={CAPPED}", self.api)).await?;
        let mut events: Vec<Value> = Vec::new();
        let mut overrides = std::collections::BTreeMap::new();
        for session in answer.sessions {
            if session.category_source.as_deref() == Some("manual_override")
                && let Some(collab_category) = session.collab_category.as_deref().and_then(|key| key.parse().ok())
            {
                let manual = ManualOverride { collab_category, updated_at: String::new(), updated_by: None };
                overrides.insert(SessionId(session.work_session_id), manual);
            }
            events.extend(session.threads.into_iter().flat_map(|thread| thread.events));
        }
        self.take(&events);
        self.state().hub.set_overrides(overrides);
        Ok(())
    }

    fn take(&self, values: &[Value]) -> Option<Delta> {
        let now = self.now();
        let State { hub, intake } = &mut *self.state();
        let events = intake.fresh(values);
        if events.is_empty() {
            return None;
        }
        let changes = hub.apply(events);
        hub.set_source(intake.source());
        hub.advance();
        Some(told(hub, now, &changes))
    }

    async fn read_folder(&self, agent: String) -> AgentWorkspace {
        let base = format!("{}/agents/{}", self.api, encode(&agent));
        let (tasks, current, plans) = (format!("{base}/tasks"), format!("{base}/current"), format!("{base}/plans"));
        let (tasks, current, plans) = join!(http::get(&tasks), http::get(&current), http::get(&plans));
        wire::workspace(&agent, tasks, current, plans)
    }

    async fn read_workspaces(&self) -> Result<Option<Delta>, ApiError> {
        let agents: wire::Agents = http::get(&format!("{}/agents", self.api)).await?;
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
        Ok(Some(told(&state.hub, now, &changes)))
    }
}

/// A change and home after it.
fn told(hub: &Hub, now: i64, changes: &Changes) -> Delta {
    Delta { home: Some(query::home(hub, now)), ..query::delta(hub, now, changes) }
}

impl Compat for Monitor {
    fn now(&self) -> i64 {
        js_sys::Date::now() as i64 + self.ahead_ms
    }

    fn refresh(&self) -> Pending<'_, Option<Delta>> {
        let since = self.state().intake.since();
        Box::pin(self.read_events(since))
    }

    fn refresh_workspaces(&self) -> Pending<'_, Option<Delta>> {
        Box::pin(self.read_workspaces())
    }

    fn home(&self) -> Home {
        self.ask(query::home)
    }

    fn sessions(&self, query: &SessionsQuery) -> Answer<SessionsPage> {
        Ok(self.ask(|hub, now| query::sessions(hub, now, query))?)
    }

    fn session(&self, session: &SessionId) -> Answer<SessionDetail> {
        self.find(|hub, now| query::session(hub, now, session))
    }

    fn thread(&self, session: &SessionId, thread: &ThreadId, query: &ThreadQuery) -> Answer<ThreadPage> {
        let page = self.ask(|hub, now| query::thread_page(hub, now, session, thread, query))?;
        self.find(|_, _| page)
    }

    fn found(&self, session: &SessionId, thread: Option<&ThreadId>, text: &str) -> Answer<ThreadFound> {
        let found = self.ask(|hub, _| match thread {
            Some(thread) => query::thread_found(hub, session, thread, text),
            None => query::session_found(hub, session, text),
        })?;
        self.find(|_, _| found)
    }

    fn timeline(&self, session: &SessionId, query: &ThreadQuery) -> Answer<Timeline> {
        let page = self.ask(|hub, now| query::timeline(hub, now, session, query))?;
        self.find(|_, _| page)
    }

    fn agents(&self, query: &AgentsQuery) -> AgentsPage {
        self.ask(|hub, now| query::agents(hub, now, query))
    }

    fn agent(&self, agent: &AgentId, query: &AgentsQuery) -> Answer<AgentDetail> {
        self.find(|hub, now| query::agent_detail(hub, now, agent, query))
    }

    fn activity(&self, agent: &AgentId, query: &ActivityQuery) -> Answer<AgentActivity> {
        self.find(|hub, now| query::activity(hub, now, agent, query))
    }

    fn delegations(&self, session: Option<&SessionId>, query: &DelegationsQuery) -> Answer<Delegations> {
        match session {
            Some(session) => {
                let found = self.ask(|hub, now| query::delegations(hub, now, session, query))?;
                self.find(|_, _| found)
            }
            None => Ok(self.ask(|hub, now| query::all_delegations(hub, now, query))?),
        }
    }

    fn quality(&self, query: &PeriodsQuery) -> Quality {
        self.ask(|hub, now| query::quality(hub, now, query))
    }

    fn drift(&self, query: &PeriodsQuery) -> Drift {
        self.ask(|hub, now| query::drift(hub, now, query))
    }

    fn flow(&self, session: &SessionId) -> Answer<Flow> {
        self.find(|hub, now| query::flow(hub, now, session))
    }

    fn search(&self, query: &SearchQuery) -> Answer<SearchPage> {
        Ok(self.ask(|hub, now| query::search(hub, &NoIndex, now, query))?)
    }

    fn events(&self, query: &EventsQuery) -> Answer<EventsPage> {
        Ok(self.ask(|hub, now| query::events(hub, now, query))?)
    }

    fn event(&self, event: &EventId) -> Answer<EventDetail> {
        // A 1.x monitor gives its events no place in a file.
        self.find(|hub, _| query::event(hub, event, |_| None))
    }

    fn tasks(&self, query: &TasksQuery) -> Answer<TasksPage> {
        Ok(self.ask(|hub, now| query::tasks(hub, now, query))?)
    }

    fn task(&self, agent: &AgentId, task: &TaskId) -> Answer<TaskDetail> {
        self.find(|hub, now| query::task(hub, now, agent, task))
    }

    fn patch_category<'a>(&'a self, session: &'a SessionId, patch: &'a CategoryPatch) -> Pending<'a, CategoryPatched> {
        Box::pin(async move {
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
        })
    }
}

fn refused(status: u16, code: ErrorCode) -> ApiError {
    ApiError::Api { status, body: ErrorBody::new(code, "") }
}

impl From<QueryError> for ApiError {
    fn from(error: QueryError) -> Self {
        Self::Api { status: 400, body: error.into() }
    }
}
