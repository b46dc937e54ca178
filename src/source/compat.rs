//! Source for a REST 1.x monitor: a hub in the browser that runs the queries of a v2 monitor.

use coordination::api::{
    ActivityQuery, AgentActivity, AgentDetail, AgentsPage, AgentsQuery, CategoryPatch, CategoryPatched, Delegations,
    DelegationsQuery, Delta, Drift, EventDetail, EventsPage, EventsQuery, Flow, Home, PeriodsQuery, Quality,
    SearchPage, SearchQuery, SessionDetail, SessionsPage, SessionsQuery, TaskDetail, TasksPage, TasksQuery,
    ThreadFound, ThreadPage, ThreadQuery, Timeline,
};
use coordination::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};

use super::{Answer, Pending};

/// A 1.x monitor: a hub in the browser answers the queries.
pub trait Compat: std::fmt::Debug + Send + Sync {
    /// The monitor's time.
    fn now(&self) -> i64;
    /// Reads what is new since the newest event; what it changed, if anything.
    fn refresh(&self) -> Pending<'_, Option<Delta>>;
    /// Reads the agents' folders again; what it changed, if anything.
    fn refresh_workspaces(&self) -> Pending<'_, Option<Delta>>;
    fn home(&self) -> Home;
    fn sessions(&self, query: &SessionsQuery) -> Answer<SessionsPage>;
    fn session(&self, session: &SessionId) -> Answer<SessionDetail>;
    fn thread(&self, session: &SessionId, thread: &ThreadId, query: &ThreadQuery) -> Answer<ThreadPage>;
    fn found(&self, session: &SessionId, thread: Option<&ThreadId>, text: &str) -> Answer<ThreadFound>;
    fn timeline(&self, session: &SessionId, query: &ThreadQuery) -> Answer<Timeline>;
    fn flow(&self, session: &SessionId) -> Answer<Flow>;
    fn agents(&self, query: &AgentsQuery) -> AgentsPage;
    fn agent(&self, agent: &AgentId, query: &AgentsQuery) -> Answer<AgentDetail>;
    fn activity(&self, agent: &AgentId, query: &ActivityQuery) -> Answer<AgentActivity>;
    fn quality(&self, query: &PeriodsQuery) -> Quality;
    fn drift(&self, query: &PeriodsQuery) -> Drift;
    fn delegations(&self, session: Option<&SessionId>, query: &DelegationsQuery) -> Answer<Delegations>;
    fn search(&self, query: &SearchQuery) -> Answer<SearchPage>;
    fn events(&self, query: &EventsQuery) -> Answer<EventsPage>;
    fn event(&self, event: &EventId) -> Answer<EventDetail>;
    fn tasks(&self, query: &TasksQuery) -> Answer<TasksPage>;
    fn task(&self, agent: &AgentId, task: &TaskId) -> Answer<TaskDetail>;
    fn patch_category<'a>(&'a self, session: &'a SessionId, patch: &'a CategoryPatch) -> Pending<'a, CategoryPatched>;
}
