//! A monitor with REST v2: each query is one request.

use coordination::api::{
    ActivityQuery, AgentActivity, AgentDetail, AgentsPage, AgentsQuery, ArchiveList, ArchiveQuery, CategoriesPatch,
    CategoriesPatched, CategoryClear, CategoryHistory, CategoryPatch, CategoryPatched, ChangesPage, ChangesQuery,
    ClientFrame, Cursor, Delegations, DelegationsQuery, Drift, EventDetail, EventsPage, EventsQuery, Flow, Health,
    Home, Names, PeriodsQuery, Quality, ReplayPage, SPEAK_SECONDS, SearchPage, SearchQuery, SessionDetail,
    SessionsPage, SessionsQuery, SpeakAnswer, SpeakInfo, SpeakRequest, StoreHistory, StoreHistoryQuery, StoreList,
    StoreQuery, TaskDetail, TasksPage, TasksQuery, TaughtInfo, TaughtPut, ThreadFound, ThreadPage, ThreadQuery,
    Timeline,
};
use coordination::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};

use coordination::query::params::ToPairs;

use serde_json::Value;

use super::{ApiError, http};
use crate::routes::{encode, query_string};

/// Its address, e.g. `http://127.0.0.1:3847/api`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Monitor {
    api: std::sync::Arc<str>,
}

/// A long poll is held open by the monitor; longer than this is no answer.
const POLL_LIMIT_MS: u32 = 30_000;
/// So much longer than for an agent is waited for the monitor, which waits 20 s for the gateway.
const SPEAK_LIMIT_MS: u32 = 30_000;

impl Monitor {
    /// The monitor whose API is at `api`.
    pub(super) fn at(api: &str) -> Self {
        Self { api: api.into() }
    }

    /// Address of a v2 route.
    pub(crate) fn url(&self, route: &str) -> String {
        format!("{}/v2/{route}", self.api)
    }

    /// Address of a live route, continued at `cursor`.
    pub(crate) fn live_url(&self, route: &str, cursor: Option<&Cursor>) -> String {
        let pairs: Vec<_> = cursor.map(|cursor| ("cursor".to_owned(), cursor.to_string())).into_iter().collect();
        self.url(&format!("{route}{}", query_string(&pairs)))
    }

    /// Address of the live socket: the same, with the scheme of sockets.
    pub(crate) fn socket_url(&self, cursor: Option<&Cursor>) -> String {
        self.live_url("live", cursor).replacen("http", "ws", 1)
    }

    /// Frames after `cursor`, as soon as there are any; a heartbeat when there are none for `wait` seconds.
    pub(crate) async fn poll(&self, cursor: Option<&Cursor>, wait: u32) -> Result<Vec<ClientFrame>, ApiError> {
        let cursor = cursor.map(|cursor| ("cursor".to_owned(), cursor.to_string()));
        let pairs: Vec<_> = cursor.into_iter().chain([("wait".to_owned(), wait.to_string())]).collect();
        let url = self.url(&format!("live/poll{}", query_string(&pairs)));
        frames(http::get_within(&url, POLL_LIMIT_MS).await?).ok_or(ApiError::Decode)
    }

    pub(crate) async fn health(&self) -> Result<Health, ApiError> {
        http::get(&self.url("health")).await
    }

    pub(super) async fn home(&self) -> Result<Home, ApiError> {
        http::get(&self.url("home")).await
    }

    /// The home answer as text, to be stored as it is.
    pub(crate) async fn home_text(&self) -> Result<String, ApiError> {
        http::text(&self.url("home")).await
    }

    pub(super) async fn names(&self) -> Result<Names, ApiError> {
        http::get(&self.url("names")).await
    }

    pub(super) async fn sessions(&self, query: &SessionsQuery) -> Result<SessionsPage, ApiError> {
        http::get(&self.url(&format!("sessions{}", query_string(&query.to_pairs())))).await
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
        let route = format!(
            "sessions/{}/threads/{}{}",
            encode(session.as_str()),
            encode(thread.as_str()),
            query_string(&query.to_pairs())
        );
        http::get(&self.url(&route)).await
    }

    pub(super) async fn found(
        &self,
        session: &SessionId,
        thread: Option<&ThreadId>,
        text: &str,
    ) -> Result<ThreadFound, ApiError> {
        let query = query_string(&[("q".to_owned(), text.to_owned())]);
        let thread = thread.map(|thread| format!("/threads/{}", encode(thread.as_str()))).unwrap_or_default();
        http::get(&self.url(&format!("sessions/{}{thread}/find{query}", encode(session.as_str())))).await
    }

    pub(super) async fn timeline(&self, session: &SessionId, query: &ThreadQuery) -> Result<Timeline, ApiError> {
        let query = query_string(&query.to_pairs());
        http::get(&self.url(&format!("sessions/{}/timeline{query}", encode(session.as_str())))).await
    }

    pub(super) async fn agent(&self, agent: &AgentId, query: &AgentsQuery) -> Result<AgentDetail, ApiError> {
        let route = format!("agents/{}{}", encode(agent.as_str()), query_string(&query.to_pairs()));
        http::get(&self.url(&route)).await
    }

    pub(super) async fn activity(&self, agent: &AgentId, query: &ActivityQuery) -> Result<AgentActivity, ApiError> {
        let route = format!("agents/{}/activity{}", encode(agent.as_str()), query_string(&query.to_pairs()));
        http::get(&self.url(&route)).await
    }

    pub(super) async fn agents(&self, query: &AgentsQuery) -> Result<AgentsPage, ApiError> {
        http::get(&self.url(&format!("agents{}", query_string(&query.to_pairs())))).await
    }

    /// Address of an agent's own picture.
    pub(super) fn avatar_url(&self, agent: &AgentId) -> String {
        self.url(&format!("agents/{}/avatar", encode(agent.as_str())))
    }

    pub(super) async fn delegations(
        &self,
        session: Option<&SessionId>,
        query: &DelegationsQuery,
    ) -> Result<Delegations, ApiError> {
        let of = session.map(|id| format!("sessions/{}/", encode(id.as_str()))).unwrap_or_default();
        http::get(&self.url(&format!("{of}delegations{}", query_string(&query.to_pairs())))).await
    }

    pub(super) async fn flow(&self, session: &SessionId) -> Result<Flow, ApiError> {
        http::get(&self.url(&format!("sessions/{}/flow", encode(session.as_str())))).await
    }

    pub(super) async fn quality(&self, query: &PeriodsQuery) -> Result<Quality, ApiError> {
        http::get(&self.url(&format!("quality{}", query_string(&query.to_pairs())))).await
    }

    pub(super) async fn drift(&self, query: &PeriodsQuery) -> Result<Drift, ApiError> {
        http::get(&self.url(&format!("drift{}", query_string(&query.to_pairs())))).await
    }

    pub(super) async fn search(&self, query: &SearchQuery) -> Result<SearchPage, ApiError> {
        http::get(&self.url(&format!("search{}", query_string(&query.to_pairs())))).await
    }

    pub(super) async fn events(&self, query: &EventsQuery) -> Result<EventsPage, ApiError> {
        http::get(&self.url(&format!("events{}", query_string(&query.to_pairs())))).await
    }

    pub(super) async fn event(&self, event: &EventId) -> Result<EventDetail, ApiError> {
        http::get(&self.url(&format!("events/{}", encode(event.as_str())))).await
    }

    pub(super) async fn tasks(&self, query: &TasksQuery) -> Result<TasksPage, ApiError> {
        http::get(&self.url(&format!("tasks{}", query_string(&query.to_pairs())))).await
    }

    pub(super) async fn task(&self, agent: &AgentId, task: &TaskId) -> Result<TaskDetail, ApiError> {
        http::get(&self.url(&format!("tasks/{}/{}", encode(agent.as_str()), encode(task.as_str())))).await
    }

    pub(super) async fn patch_category(
        &self,
        session: &SessionId,
        patch: &CategoryPatch,
    ) -> Result<CategoryPatched, ApiError> {
        http::patch(&self.category_url(session, ""), patch).await
    }

    pub(super) async fn clear_category(
        &self,
        session: &SessionId,
        clear: &CategoryClear,
    ) -> Result<CategoryPatched, ApiError> {
        http::delete(&self.category_url(session, ""), clear).await
    }

    pub(super) async fn patch_categories(&self, patch: &CategoriesPatch) -> Result<CategoriesPatched, ApiError> {
        http::patch(&self.url("categories"), patch).await
    }

    pub(super) async fn category_history(&self, session: &SessionId) -> Result<CategoryHistory, ApiError> {
        http::get(&self.category_url(session, "/history")).await
    }

    pub(super) async fn category_changes(&self, query: &ChangesQuery) -> Result<ChangesPage, ApiError> {
        http::get(&self.url(&format!("category-changes{}", query_string(&query.to_pairs())))).await
    }

    pub(super) async fn stores(&self, query: &StoreQuery) -> Result<StoreList, ApiError> {
        http::get(&self.url(&format!("sessions-store{}", query_string(&query.to_pairs())))).await
    }

    pub(super) async fn store_history(&self, key: &str, query: &StoreHistoryQuery) -> Result<StoreHistory, ApiError> {
        let query = query_string(&query.to_pairs());
        http::get(&self.url(&format!("sessions-store/{}/history{query}", encode(key)))).await
    }

    pub(super) async fn archives(&self, query: &ArchiveQuery) -> Result<ArchiveList, ApiError> {
        http::get(&self.url(&format!("sessions-archive{}", query_string(&query.to_pairs())))).await
    }

    pub(super) async fn archive_history(
        &self,
        agent: &AgentId,
        session: &str,
        query: &StoreHistoryQuery,
    ) -> Result<StoreHistory, ApiError> {
        let (agent, session) = (encode(agent.as_str()), encode(session));
        let query = query_string(&query.to_pairs());
        http::get(&self.url(&format!("sessions-archive/{agent}/{session}/history{query}"))).await
    }

    pub(super) async fn taught(&self) -> Result<TaughtInfo, ApiError> {
        http::get(&self.url("classifier/config")).await
    }

    pub(super) async fn teach(&self, put: &TaughtPut) -> Result<TaughtInfo, ApiError> {
        http::put(&self.url("classifier/config"), put).await
    }

    pub(super) async fn replay(&self, after: Option<u32>) -> Result<ReplayPage, ApiError> {
        let after: Vec<_> = after.map(|after| ("after".to_owned(), after.to_string())).into_iter().collect();
        http::get(&self.url(&format!("classifier/replay{}", query_string(&after)))).await
    }

    pub(super) async fn speak_info(&self) -> Result<SpeakInfo, ApiError> {
        http::get(&self.url("speak")).await
    }

    /// The monitor waits for the agent as long as requested, and for the gateway a while longer.
    pub(super) async fn speak(&self, request: &SpeakRequest) -> Result<SpeakAnswer, ApiError> {
        let limit_ms = request.timeout_seconds.unwrap_or(SPEAK_SECONDS) * 1_000 + SPEAK_LIMIT_MS;
        http::post_within(&self.url("speak"), request, limit_ms).await
    }

    fn category_url(&self, session: &SessionId, rest: &str) -> String {
        self.url(&format!("sessions/{}/category{rest}", encode(session.as_str())))
    }
}

/// The long poll's answer: frames in order, bare or under `frames`.
fn frames(answer: Value) -> Option<Vec<ClientFrame>> {
    let list = match answer {
        Value::Object(mut answer) => answer.remove("frames")?,
        list => list,
    };
    let Value::Array(frames) = list else { return None };
    frames.into_iter().map(|frame| ClientFrame::from_value(frame).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_poll_answers_with_a_list_or_with_an_object_that_holds_it() {
        let list =
            json!([{"type": "tomorrow"}, {"type": "reset", "cursor": {"epoch": "e", "seq": 1}, "reason": "window"}]);
        let bare = frames(list.clone()).unwrap();
        assert_eq!(bare.len(), 2);
        assert_eq!(frames(json!({"frames": list})), Some(bare));
        assert_eq!(frames(json!({"frames": [3]})), None);
        assert_eq!(frames(json!({})), None);
    }
}
