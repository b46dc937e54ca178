//! A monitor that speaks REST v2: each question is one request.

use coordination::api::{
    CategoryPatch, CategoryPatched, Delegations, EventDetail, EventsPage, EventsQuery, Health, Home, SessionDetail,
    SessionsPage, SessionsQuery, SessionsSort, TaskDetail, TasksPage, TasksQuery, ThreadPage, ThreadQuery,
};
use coordination::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};

use super::{ApiError, http};
use crate::routes::{encode, query_string};

/// Its address, e.g. `http://127.0.0.1:3847/api`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Monitor {
    api: std::sync::Arc<str>,
}

struct Pairs(Vec<(String, String)>);

impl Pairs {
    fn put(&mut self, key: &str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.0.push((key.to_owned(), value.to_string()));
        }
    }

    fn list<'a>(&mut self, key: &str, values: impl Iterator<Item = &'a str>) {
        let joined = values.collect::<Vec<_>>().join(",");
        self.put(key, (!joined.is_empty()).then_some(joined));
    }
}

impl Monitor {
    /// The monitor below this page's API base.
    pub(super) fn at_page() -> Self {
        Self { api: http::api_base().into() }
    }

    /// Address of a v2 route.
    pub(crate) fn url(&self, route: &str) -> String {
        format!("{}/v2/{route}", self.api)
    }

    pub(crate) async fn health(&self) -> Result<Health, ApiError> {
        http::get(&self.url("health")).await
    }

    pub(super) async fn home(&self) -> Result<Home, ApiError> {
        http::get(&self.url("home")).await
    }

    pub(super) async fn sessions(&self, query: &SessionsQuery) -> Result<SessionsPage, ApiError> {
        let mut pairs = Pairs(Vec::new());
        pairs.put("category", query.category.map(|category| category.as_str()));
        pairs.list("status", query.status.iter().map(|status| status.as_str()));
        pairs.put("agent", query.agent.as_ref());
        pairs.put("tag", query.tag.as_ref());
        pairs.put("q", query.q.as_ref());
        pairs.put("since", query.since);
        pairs.put("sort", (query.sort == SessionsSort::Category).then_some("category"));
        pairs.put("limit", query.limit);
        pairs.put("after", query.after.as_ref());
        http::get(&self.url(&format!("sessions{}", query_string(&pairs.0)))).await
    }

    pub(super) async fn session(&self, session: &SessionId) -> Result<SessionDetail, ApiError> {
        http::get(&self.url(&format!("sessions/{}", encode(session.as_str())))).await
    }

    pub(super) async fn thread(
        &self,
        session: &SessionId,
        thread: &ThreadId,
        query: &ThreadQuery,
    ) -> Result<ThreadPage, ApiError> {
        let mut pairs = Pairs(Vec::new());
        pairs.put("before", query.before.as_ref());
        pairs.put("after", query.after.as_ref());
        pairs.put("around", query.around.as_ref());
        pairs.put("limit", query.limit);
        let route = format!(
            "sessions/{}/threads/{}{}",
            encode(session.as_str()),
            encode(thread.as_str()),
            query_string(&pairs.0)
        );
        http::get(&self.url(&route)).await
    }

    pub(super) async fn delegations(&self, session: &SessionId) -> Result<Delegations, ApiError> {
        http::get(&self.url(&format!("sessions/{}/delegations", encode(session.as_str())))).await
    }

    pub(super) async fn events(&self, query: &EventsQuery) -> Result<EventsPage, ApiError> {
        let mut pairs = Pairs(Vec::new());
        pairs.list("role", query.role.iter().map(|role| role.as_str()));
        pairs.list("type", query.types.iter().map(String::as_str));
        pairs.put("agent", query.agent.as_ref());
        pairs.put("session", query.session.as_ref());
        pairs.put("task", query.task.as_ref());
        pairs.put("since", query.since);
        pairs.put("until", query.until);
        pairs.put("q", query.q.as_ref());
        pairs.put("limit", query.limit);
        pairs.put("before", query.before.as_ref());
        http::get(&self.url(&format!("events{}", query_string(&pairs.0)))).await
    }

    pub(super) async fn event(&self, event: &EventId) -> Result<EventDetail, ApiError> {
        http::get(&self.url(&format!("events/{}", encode(event.as_str())))).await
    }

    pub(super) async fn tasks(&self, query: &TasksQuery) -> Result<TasksPage, ApiError> {
        let mut pairs = Pairs(Vec::new());
        pairs.put("agent", query.agent.as_ref());
        pairs.list("status", query.status.iter().map(|status| status.as_str()));
        pairs.put("session", query.session.as_ref());
        pairs.put("q", query.q.as_ref());
        http::get(&self.url(&format!("tasks{}", query_string(&pairs.0)))).await
    }

    pub(super) async fn task(&self, agent: &AgentId, task: &TaskId) -> Result<TaskDetail, ApiError> {
        http::get(&self.url(&format!("tasks/{}/{}", encode(agent.as_str()), encode(task.as_str())))).await
    }

    pub(super) async fn patch_category(
        &self,
        session: &SessionId,
        patch: &CategoryPatch,
    ) -> Result<CategoryPatched, ApiError> {
        http::patch(&self.url(&format!("sessions/{}/category", encode(session.as_str()))), patch).await
    }
}
