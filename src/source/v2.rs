//! Data source for a monitor with REST v2. Each query is one request. URLs and long polls of the live stream are made
//! here too.

use coordination::api::{
    ActivityQuery, AgentActivity, AgentDetail, AgentsPage, AgentsQuery, AlertMessage, AlertRetry, AlertTest,
    AlertsPage, ArchiveList, ArchiveQuery, AtQuery, CategoriesPatch, CategoriesPatched, CategoryClear, CategoryHistory,
    CategoryPatch, CategoryPatched, ChangesPage, ChangesQuery, Cursor, DaysQuery, Delegations, DelegationsQuery, Drift,
    EventDays, EventDetail, EventsPage, EventsQuery, EvidenceQuery, Flow, Health, Home, Me, MomentTotals, Names,
    PastMoment, PeriodsQuery, PermissionAnswer, PermissionDetail, PermissionSummary, PersonVisit, PushSubscribed,
    PushSubscription, Quality, Recap, RecapQuery, ReplayPage, SPEAK_SECONDS, SearchPage, SearchQuery, SessionDetail,
    SessionsPage, SessionsQuery, SharedChanged, SharedList, SharedPut, SharedQuery, SharedRemoval, ShownThread,
    SpeakAnswer, SpeakInfo, SpeakRequest, StoreHistory, StoreHistoryQuery, StoreList, StoreQuery, TaskDetail,
    TasksPage, TasksQuery, TaughtInfo, TaughtPut, ThreadFound, ThreadPage, ThreadQuery, Timeline, WaitsPage,
    WaitsQuery,
};
use coordination::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};

use coordination::query::params::ToPairs;

use futures::TryFutureExt;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Backend, SourceError, SourceFuture, answered, http};
use crate::routes::{encode, query_string};

/// Its address, e.g. `http://127.0.0.1:3847/api`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MonitorV2 {
    api: std::sync::Arc<str>,
    /// The past moment as of which it is asked.
    moment: Option<PastMoment>,
}

/// A long poll is held open by the monitor; longer than this is no answer.
const POLL_TIMEOUT_MS: u32 = 30_000;
/// So much longer than for an agent is waited for the monitor, which waits 20 s for the gateway.
const SEND_TIMEOUT_MS: u32 = 30_000;

/// The monitor writes an answer to the disk before it answers.
const ANSWER_TIMEOUT_MS: u32 = 20_000;

/// Home shows what happened during an absence once this answer is there.
const VISIT_TIMEOUT_MS: u32 = 5_000;

/// Which frames a live stream is to bring.
#[derive(Debug, Clone, Default)]
pub(crate) struct LiveRequest {
    /// Where to continue; without it a snapshot comes.
    pub(crate) cursor: Option<Cursor>,
    /// The thread on the screen, whose new items frames bring.
    pub(crate) shown: Option<ShownThread>,
}

impl LiveRequest {
    fn pairs(&self) -> Vec<(String, String)> {
        let patches = ("patches", "true".to_owned());
        let cursor = self.cursor.as_ref().map(|cursor| ("cursor", cursor.to_string()));
        let shown = self
            .shown
            .as_ref()
            .map(|shown| [("session", shown.session_id.to_string()), ("thread", shown.thread_id.to_string())]);
        let pairs = std::iter::once(patches).chain(cursor).chain(shown.into_iter().flatten());
        pairs.map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

impl MonitorV2 {
    /// The monitor whose API is at `api`.
    pub(super) fn at(api: &str) -> Self {
        Self { api: api.into(), moment: None }
    }

    /// The same monitor, asked as of a past moment, or as of now.
    pub(super) fn as_of(&self, moment: Option<PastMoment>) -> Self {
        Self { moment, ..self.clone() }
    }

    /// Address of a v2 route.
    pub(crate) fn url(&self, route: &str) -> String {
        format!("{}/v2/{route}", self.api)
    }

    /// Address of a live route, with this query.
    pub(crate) fn live_url(&self, route: &str, live: &LiveRequest) -> String {
        self.url(&format!("{route}{}", query_string(&live.pairs())))
    }

    /// Address of the live socket: the same, with the scheme of sockets.
    pub(crate) fn socket_url(&self, live: &LiveRequest) -> String {
        self.live_url("live", live).replacen("http", "ws", 1)
    }

    /// The next frames, as soon as there are any; a heartbeat when there are none for `wait` seconds.
    pub(crate) async fn poll(&self, live: &LiveRequest, wait: u32) -> Result<Vec<Value>, SourceError> {
        let mut pairs = live.pairs();
        pairs.push(("wait".to_owned(), wait.to_string()));
        let url = self.url(&format!("live/poll{}", query_string(&pairs)));
        frames(http::get_within(&url, POLL_TIMEOUT_MS).await?).ok_or(SourceError::Decode)
    }

    pub(super) async fn home(&self) -> Result<Home, SourceError> {
        self.ask("home").await
    }

    /// The home answer as text, to be stored as it is.
    pub(crate) async fn home_text(&self) -> Result<String, SourceError> {
        http::text(&self.url("home")).await
    }

    /// Address of an agent's own picture; opened files have none.
    pub(super) fn avatar_url(&self, agent: &AgentId) -> Option<String> {
        (!self.is_files()).then(|| self.url(&format!("agents/{}/avatar", encode(agent.as_str()))))
    }

    /// Whether opened files answer instead of a server.
    pub(crate) fn is_files(&self) -> bool {
        &*self.api == super::local::BASE
    }

    fn category_url(&self, session: &SessionId, rest: &str) -> String {
        self.url(&format!("sessions/{}/category{rest}", encode(session.as_str())))
    }

    /// The route of a question that can be asked as of a past moment.
    fn at_moment(&self, route: &str) -> String {
        let moment = query_string(&self.moment.map(|moment| AtQuery::from(moment).to_pairs()).unwrap_or_default());
        let moment = if route.contains('?') { moment.replacen('?', "&", 1) } else { moment };
        format!("{route}{moment}")
    }

    /// Asks such a question.
    fn ask<T: DeserializeOwned + 'static>(&self, route: &str) -> SourceFuture<T> {
        self.get(&self.at_moment(route))
    }

    fn get<T: DeserializeOwned + 'static>(&self, route: &str) -> SourceFuture<T> {
        http::get(&self.url(route))
    }

    /// A list that is not found is a question that an older monitor does not know.
    fn get_list<T: DeserializeOwned + 'static>(&self, route: &str) -> SourceFuture<T> {
        let unsupported = |error: SourceError| if error.is_not_found() { SourceError::Unsupported } else { error };
        Box::pin(self.get(route).map_err(unsupported))
    }
}

impl Backend for MonitorV2 {
    fn health(&self) -> SourceFuture<Health> {
        self.get("health")
    }

    fn days(&self, query: &DaysQuery) -> SourceFuture<EventDays> {
        self.get_list(&format!("days{}", query_string(&query.to_pairs())))
    }

    fn totals(&self) -> SourceFuture<MomentTotals> {
        self.get_list(&self.at_moment("totals"))
    }

    fn evidence(&self, query: &EvidenceQuery) -> SourceFuture<String> {
        http::plain_text(&self.url(&format!("evidence{}", query_string(&query.to_pairs()))))
    }

    fn recap(&self, query: &RecapQuery) -> SourceFuture<Recap> {
        self.get_list(&self.at_moment(&format!("recap{}", query_string(&query.to_pairs()))))
    }

    fn me(&self) -> SourceFuture<Me> {
        self.get_list("me")
    }

    fn record_visit(&self) -> SourceFuture<PersonVisit> {
        http::post_within(&self.url("me/visit"), &(), VISIT_TIMEOUT_MS)
    }

    fn shared_records(&self, query: &SharedQuery) -> SourceFuture<SharedList> {
        self.get_list(&self.at_moment(&format!("shared{}", query_string(&query.to_pairs()))))
    }

    fn put_shared(&self, id: &str, put: &SharedPut) -> SourceFuture<SharedChanged> {
        http::put(&self.url(&format!("shared/{}", encode(id))), put)
    }

    fn remove_shared(&self, id: &str, removal: &SharedRemoval) -> SourceFuture<SharedChanged> {
        http::delete(&self.url(&format!("shared/{}", encode(id))), removal)
    }

    fn names(&self) -> SourceFuture<Names> {
        self.get("names")
    }

    fn sessions(&self, query: &SessionsQuery) -> SourceFuture<SessionsPage> {
        self.ask(&format!("sessions{}", query_string(&query.to_pairs())))
    }

    fn session(&self, session: &SessionId) -> SourceFuture<SessionDetail> {
        self.ask(&format!("sessions/{}", encode(session.as_str())))
    }

    fn thread(&self, session: &SessionId, thread: &ThreadId, query: &ThreadQuery) -> SourceFuture<ThreadPage> {
        let route = format!(
            "sessions/{}/threads/{}{}",
            encode(session.as_str()),
            encode(thread.as_str()),
            query_string(&query.to_pairs())
        );
        self.ask(&route)
    }

    fn found(&self, session: &SessionId, thread: Option<&ThreadId>, text: &str) -> SourceFuture<ThreadFound> {
        let query = query_string(&[("q".to_owned(), text.to_owned())]);
        let thread = thread.map(|thread| format!("/threads/{}", encode(thread.as_str()))).unwrap_or_default();
        self.ask(&format!("sessions/{}{thread}/find{query}", encode(session.as_str())))
    }

    fn timeline(&self, session: &SessionId, query: &ThreadQuery) -> SourceFuture<Timeline> {
        let query = query_string(&query.to_pairs());
        self.ask(&format!("sessions/{}/timeline{query}", encode(session.as_str())))
    }

    fn agent(&self, agent: &AgentId, query: &AgentsQuery) -> SourceFuture<AgentDetail> {
        let route = format!("agents/{}{}", encode(agent.as_str()), query_string(&query.to_pairs()));
        self.ask(&route)
    }

    fn activity(&self, agent: &AgentId, query: &ActivityQuery) -> SourceFuture<AgentActivity> {
        let route = format!("agents/{}/activity{}", encode(agent.as_str()), query_string(&query.to_pairs()));
        self.ask(&route)
    }

    fn agents(&self, query: &AgentsQuery) -> SourceFuture<AgentsPage> {
        self.ask(&format!("agents{}", query_string(&query.to_pairs())))
    }

    fn delegations(&self, session: Option<&SessionId>, query: &DelegationsQuery) -> SourceFuture<Delegations> {
        let prefix = session.map(|id| format!("sessions/{}/", encode(id.as_str()))).unwrap_or_default();
        self.ask(&format!("{prefix}delegations{}", query_string(&query.to_pairs())))
    }

    fn flow(&self, session: &SessionId) -> SourceFuture<Flow> {
        self.ask(&format!("sessions/{}/flow", encode(session.as_str())))
    }

    fn waits(&self, query: &WaitsQuery) -> SourceFuture<WaitsPage> {
        self.ask(&format!("waits{}", query_string(&query.to_pairs())))
    }

    fn quality(&self, query: &PeriodsQuery) -> SourceFuture<Quality> {
        self.ask(&format!("quality{}", query_string(&query.to_pairs())))
    }

    fn drift(&self, query: &PeriodsQuery) -> SourceFuture<Drift> {
        self.ask(&format!("drift{}", query_string(&query.to_pairs())))
    }

    fn search(&self, query: &SearchQuery) -> SourceFuture<SearchPage> {
        self.ask(&format!("search{}", query_string(&query.to_pairs())))
    }

    fn events(&self, query: &EventsQuery) -> SourceFuture<EventsPage> {
        self.ask(&format!("events{}", query_string(&query.to_pairs())))
    }

    fn event(&self, event: &EventId) -> SourceFuture<EventDetail> {
        self.ask(&format!("events/{}", encode(event.as_str())))
    }

    fn tasks(&self, query: &TasksQuery) -> SourceFuture<TasksPage> {
        self.ask(&format!("tasks{}", query_string(&query.to_pairs())))
    }

    fn task(&self, agent: &AgentId, task: &TaskId) -> SourceFuture<TaskDetail> {
        self.ask(&format!("tasks/{}/{}", encode(agent.as_str()), encode(task.as_str())))
    }

    fn patch_category(&self, session: &SessionId, patch: &CategoryPatch) -> SourceFuture<CategoryPatched> {
        http::patch(&self.category_url(session, ""), patch)
    }

    fn clear_category(&self, session: &SessionId, clear: &CategoryClear) -> SourceFuture<CategoryPatched> {
        http::delete(&self.category_url(session, ""), clear)
    }

    fn patch_categories(&self, patch: &CategoriesPatch) -> SourceFuture<CategoriesPatched> {
        http::patch(&self.url("categories"), patch)
    }

    fn category_history(&self, session: &SessionId) -> SourceFuture<CategoryHistory> {
        http::get(&self.category_url(session, "/history"))
    }

    fn category_changes(&self, query: &ChangesQuery) -> SourceFuture<ChangesPage> {
        self.get(&format!("category-changes{}", query_string(&query.to_pairs())))
    }

    fn stores(&self, query: &StoreQuery) -> SourceFuture<StoreList> {
        self.get_list(&format!("sessions-store{}", query_string(&query.to_pairs())))
    }

    fn store_history(&self, key: &str, query: &StoreHistoryQuery) -> SourceFuture<StoreHistory> {
        let query = query_string(&query.to_pairs());
        self.get(&format!("sessions-store/{}/history{query}", encode(key)))
    }

    fn archives(&self, query: &ArchiveQuery) -> SourceFuture<ArchiveList> {
        self.get_list(&format!("sessions-archive{}", query_string(&query.to_pairs())))
    }

    fn archive_history(&self, of: (&AgentId, &str), query: &StoreHistoryQuery) -> SourceFuture<StoreHistory> {
        let (agent, session) = (encode(of.0.as_str()), encode(of.1));
        let query = query_string(&query.to_pairs());
        self.get(&format!("sessions-archive/{agent}/{session}/history{query}"))
    }

    fn taught(&self) -> SourceFuture<TaughtInfo> {
        self.get("classifier/config")
    }

    fn teach(&self, put: &TaughtPut) -> SourceFuture<TaughtInfo> {
        http::put(&self.url("classifier/config"), put)
    }

    fn replay(&self, after: Option<u32>) -> SourceFuture<ReplayPage> {
        let after: Vec<_> = after.map(|after| ("after".to_owned(), after.to_string())).into_iter().collect();
        self.get(&format!("classifier/replay{}", query_string(&after)))
    }

    fn alerts(&self) -> SourceFuture<AlertsPage> {
        self.get("alerts")
    }

    /// The monitor waits for the channel.
    fn test_alert(&self, test: &AlertTest) -> SourceFuture<AlertMessage> {
        http::post_within(&self.url("alerts/test"), test, SEND_TIMEOUT_MS)
    }

    fn subscribe_push(&self, subscription: &PushSubscription) -> SourceFuture<PushSubscribed> {
        http::post_within(&self.url("push-subscriptions"), subscription, SEND_TIMEOUT_MS)
    }

    fn unsubscribe_push(&self, id: &str) -> SourceFuture<AlertsPage> {
        http::delete(&self.url(&format!("push-subscriptions/{}", encode(id))), &())
    }

    fn retry_alert(&self, retry: &AlertRetry) -> SourceFuture<AlertsPage> {
        http::post_within(&self.url("alerts/retry"), retry, SEND_TIMEOUT_MS)
    }

    /// Messages can only be sent in the present.
    fn speak_info(&self) -> SourceFuture<SpeakInfo> {
        match self.moment {
            Some(_) => answered(Err(SourceError::Unsupported)),
            None => self.get("speak"),
        }
    }

    fn permission(&self, id: &str) -> SourceFuture<PermissionDetail> {
        self.get(&format!("permission-requests/{}", encode(id)))
    }

    fn answer_permission(&self, id: &str, answer: &PermissionAnswer) -> SourceFuture<PermissionSummary> {
        http::post_within(&self.url(&format!("permission-requests/{}/answer", encode(id))), answer, ANSWER_TIMEOUT_MS)
    }

    /// The monitor waits for the agent as long as it is asked to, and for the gateway a while longer.
    fn speak(&self, request: &SpeakRequest) -> SourceFuture<SpeakAnswer> {
        let limit_ms = request.timeout_seconds.unwrap_or(SPEAK_SECONDS) * 1_000 + SEND_TIMEOUT_MS;
        http::post_within(&self.url("speak"), request, limit_ms)
    }
}

/// The long poll's answer: frames in order, bare or under `frames`.
fn frames(answer: Value) -> Option<Vec<Value>> {
    let list = match answer {
        Value::Object(mut answer) => answer.remove("frames")?,
        list => list,
    };
    let Value::Array(frames) = list else { return None };
    frames.iter().all(Value::is_object).then_some(frames)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn poll_accepts_list_or_wrapped_list() {
        let list =
            json!([{"type": "tomorrow"}, {"type": "reset", "cursor": {"epoch": "e", "seq": 1}, "reason": "window"}]);
        let bare = frames(list.clone()).unwrap();
        assert_eq!(bare.len(), 2);
        assert_eq!(frames(json!({"frames": list})), Some(bare));
        assert_eq!(frames(json!({"frames": [3]})), None);
        assert_eq!(frames(json!({})), None);
    }
}
