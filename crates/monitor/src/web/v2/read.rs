//! Read handlers of REST v2: `/api/v2/health`, `doctor`, `home`, `names`, `search`, `sessions`, `delegations`,
//! `agents`, `quality`, `drift`, `events`, `tasks` and most routes below them. Each returns the JSON of one query, or
//! of the monitor's own state.

use axum::extract::State;
use coordination::api::{
    ActivityQuery, AgentActivity, AgentDetail, AgentsPage, AgentsQuery, CheckReport, DaysQuery, Delegations,
    DelegationsQuery, Drift, EventDays, EventDetail, EventsPage, EventsQuery, FindQuery, Flow, Health, Home, Me,
    MomentTotals, Names, PeriodsQuery, Quality, Recap, RecapQuery, SearchPage, SearchQuery, SessionDetail,
    SessionQuery, SessionsPage, SessionsQuery, TaskDetail, TasksPage, TasksQuery, ThreadFound, ThreadPage, ThreadQuery,
    Timeline, WaitsPage, WaitsQuery, Writes,
};
use coordination::query;

use super::paths::{AgentPath, EventPath, SessionPath, TaskPath, ThreadPath};
use crate::app::AppState;
use crate::fleet::FleetMember;
use crate::web::error::session_not_found;
use crate::web::extract::{ApiResult, HubAt, StrictPath, StrictQuery, json, json_or_404};
use crate::web::security::Viewer;

/// State of the files, the store of overrides and the live clients; below `/@<name>/` also of that machine.
#[utoipa::path(get, path = "/health", tag = "state")]
pub(super) async fn health(
    State(state): State<AppState>,
    State(member): State<Option<FleetMember>>,
    viewer: Viewer,
) -> ApiResult<Health> {
    let mut health = state.health();
    health.machine = member.map(|member| member.machine());
    if !viewer.may_categorize {
        health.writes = Some(Writes::Nobody);
    }
    health.user = viewer.user;
    json(&health)
}

/// The person who asks, and what that person may do.
#[utoipa::path(get, path = "/me", tag = "state")]
pub(super) async fn me(State(state): State<AppState>, viewer: Viewer) -> ApiResult<Me> {
    let writes = state.settings().writes() != Writes::Nobody;
    json(&Me {
        user: viewer.user,
        may_categorize: writes && viewer.may_categorize,
        may_speak: writes && state.speak().is_on() && viewer.may_speak,
        may_answer: writes && viewer.may_answer,
        read_only: !writes,
    })
}

/// The event doctor's report, file by file.
#[utoipa::path(get, path = "/doctor", tag = "state")]
pub(super) async fn doctor(State(state): State<AppState>) -> ApiResult<CheckReport> {
    json(&state.status().doctor().report())
}

/// The home screen: ten categories, what needs a person, agents.
#[utoipa::path(get, path = "/home", tag = "state")]
pub(super) async fn home(hub: HubAt) -> ApiResult<Home> {
    hub.run_query(|hub, now| json(&query::home(hub, now))).await
}

/// Display names of Discord users, from the configuration file.
#[utoipa::path(get, path = "/names", tag = "state")]
pub(super) async fn names(State(state): State<AppState>) -> ApiResult<Names> {
    json(&Names { discord_users: state.settings().discord_users.clone() })
}

/// Sessions that fit all filters, a page of them.
#[utoipa::path(get, path = "/sessions", tag = "sessions")]
pub(super) async fn sessions(hub: HubAt, StrictQuery(filter): StrictQuery<SessionsQuery>) -> ApiResult<SessionsPage> {
    hub.run_indexed_query(move |hub, index, now| json(&query::sessions_with_index(hub, index, now, &filter)?)).await
}

/// Search results of all kinds, ranked, with exact counts. A query has words, `"phrases"` and `operator:value`; `-`
/// negates each of them. `docs/search.md` describes the language.
#[utoipa::path(get, path = "/search", tag = "search")]
pub(super) async fn search(hub: HubAt, StrictQuery(filter): StrictQuery<SearchQuery>) -> ApiResult<SearchPage> {
    hub.run_indexed_query(move |hub, index, now| json(&query::search(hub, index, now, &filter)?)).await
}

/// One session with its threads and tasks.
#[utoipa::path(get, path = "/sessions/{id}", tag = "sessions")]
pub(super) async fn session(
    hub: HubAt,
    StrictPath(SessionPath { id }): StrictPath<SessionPath>,
    StrictQuery(SessionQuery { classifier }): StrictQuery<SessionQuery>,
) -> ApiResult<SessionDetail> {
    hub.run_query(move |hub, now| {
        let detail = match classifier {
            Some(classifier) => query::session_by(hub, now, &id, classifier),
            None => query::session(hub, now, &id),
        };
        json_or_404(detail, || session_not_found(&id))
    })
    .await
}

/// A page of a thread: its newest one, or the one before, after or around a place (only one of the three may be given).
#[utoipa::path(get, path = "/sessions/{id}/threads/{thread}", tag = "sessions")]
pub(super) async fn thread(
    hub: HubAt,
    StrictPath(ThreadPath { id: session, thread }): StrictPath<ThreadPath>,
    StrictQuery(position): StrictQuery<ThreadQuery>,
) -> ApiResult<ThreadPage> {
    hub.run_query(move |hub, now| {
        let page = query::thread_page(hub, now, &session, &thread, &position)?;
        json_or_404(page, || format!("Thread not found: {thread} in {session}"))
    })
    .await
}

/// Messages of a thread that hold a text.
#[utoipa::path(get, path = "/sessions/{id}/threads/{thread}/find", tag = "sessions")]
pub(super) async fn find_in_thread(
    hub: HubAt,
    StrictPath(ThreadPath { id: session, thread }): StrictPath<ThreadPath>,
    StrictQuery(FindQuery { q: text }): StrictQuery<FindQuery>,
) -> ApiResult<ThreadFound> {
    hub.run_query(move |hub, _| {
        let hits = query::thread_found(hub, &session, &thread, &text)?;
        json_or_404(hits, || format!("Thread not found: {thread} in {session}"))
    })
    .await
}

/// Messages of all threads of a session that hold a text.
#[utoipa::path(get, path = "/sessions/{id}/find", tag = "sessions")]
pub(super) async fn find_in_session(
    hub: HubAt,
    StrictPath(SessionPath { id }): StrictPath<SessionPath>,
    StrictQuery(FindQuery { q: text }): StrictQuery<FindQuery>,
) -> ApiResult<ThreadFound> {
    hub.run_query(move |hub, _| json_or_404(query::session_found(hub, &id, &text)?, || session_not_found(&id))).await
}

/// Messages and delegations of a session, in order of time. Only one of before, after and around may be given.
#[utoipa::path(get, path = "/sessions/{id}/timeline", tag = "sessions")]
pub(super) async fn timeline(
    hub: HubAt,
    StrictPath(SessionPath { id }): StrictPath<SessionPath>,
    StrictQuery(position): StrictQuery<ThreadQuery>,
) -> ApiResult<Timeline> {
    hub.run_query(move |hub, now| json_or_404(query::timeline(hub, now, &id, &position)?, || session_not_found(&id)))
        .await
}

/// The runs that a session spawned.
#[utoipa::path(get, path = "/sessions/{id}/delegations", tag = "work")]
pub(super) async fn session_delegations(
    hub: HubAt,
    StrictPath(SessionPath { id }): StrictPath<SessionPath>,
    StrictQuery(filter): StrictQuery<DelegationsQuery>,
) -> ApiResult<Delegations> {
    hub.run_query(move |hub, now| json_or_404(query::delegations(hub, now, &id, &filter)?, || session_not_found(&id)))
        .await
}

/// The runs of all sessions.
#[utoipa::path(get, path = "/delegations", tag = "work")]
pub(super) async fn delegations(
    hub: HubAt,
    StrictQuery(filter): StrictQuery<DelegationsQuery>,
) -> ApiResult<Delegations> {
    hub.run_query(move |hub, now| json(&query::all_delegations(hub, now, &filter)?)).await
}

/// Agents with their current work and its evidence, and counts and times of the answers between each pair of agents.
#[utoipa::path(get, path = "/agents", tag = "work")]
pub(super) async fn agents(hub: HubAt, StrictQuery(filter): StrictQuery<AgentsQuery>) -> ApiResult<AgentsPage> {
    hub.run_query(move |hub, now| json(&query::agents(hub, now, &filter))).await
}

/// One agent: current work, tasks, threads, sessions, sends that wait for an answer, and answers by pair of agents.
#[utoipa::path(get, path = "/agents/{id}", tag = "work")]
pub(super) async fn agent(
    hub: HubAt,
    StrictPath(AgentPath { id }): StrictPath<AgentPath>,
    StrictQuery(filter): StrictQuery<AgentsQuery>,
) -> ApiResult<AgentDetail> {
    hub.run_query(move |hub, now| {
        json_or_404(query::agent_detail(hub, now, &id, &filter), || format!("Agent not found: {id}"))
    })
    .await
}

/// What an agent did in a period, as far as the log says.
#[utoipa::path(get, path = "/agents/{id}/activity", tag = "work")]
pub(super) async fn activity(
    hub: HubAt,
    StrictPath(AgentPath { id }): StrictPath<AgentPath>,
    StrictQuery(filter): StrictQuery<ActivityQuery>,
) -> ApiResult<AgentActivity> {
    hub.run_query(move |hub, now| {
        json_or_404(query::activity(hub, now, &id, &filter), || format!("Agent not found: {id}"))
    })
    .await
}

/// Which agents wait for which, with the evidence.
#[utoipa::path(get, path = "/waits", tag = "work")]
pub(super) async fn waits(hub: HubAt, StrictQuery(query): StrictQuery<WaitsQuery>) -> ApiResult<WaitsPage> {
    hub.run_query(move |hub, now| json(&query::waits(hub, now, &query))).await
}

/// Quality of the log over time: how many events lack which data.
#[utoipa::path(get, path = "/quality", tag = "state")]
pub(super) async fn quality(hub: HubAt, StrictQuery(periods): StrictQuery<PeriodsQuery>) -> ApiResult<Quality> {
    hub.run_query(move |hub, now| json(&query::quality(hub, now, &periods))).await
}

/// Drift of the automatic categories over time.
#[utoipa::path(get, path = "/drift", tag = "state")]
pub(super) async fn drift(hub: HubAt, StrictQuery(periods): StrictQuery<PeriodsQuery>) -> ApiResult<Drift> {
    hub.run_query(move |hub, now| json(&query::drift(hub, now, &periods))).await
}

/// The flow of a session.
#[utoipa::path(get, path = "/sessions/{id}/flow", tag = "sessions")]
pub(super) async fn flow(hub: HubAt, StrictPath(SessionPath { id }): StrictPath<SessionPath>) -> ApiResult<Flow> {
    hub.run_query(move |hub, now| json_or_404(query::flow(hub, now, &id), || session_not_found(&id))).await
}

/// Events that fit all filters, newest first.
#[utoipa::path(get, path = "/events", tag = "events")]
pub(super) async fn events(hub: HubAt, StrictQuery(filter): StrictQuery<EventsQuery>) -> ApiResult<EventsPage> {
    hub.run_indexed_query(move |hub, index, now| json(&query::events_with_index(hub, index, now, &filter)?)).await
}

/// One event and its line as written.
#[utoipa::path(get, path = "/events/{id}", tag = "events")]
pub(super) async fn event(hub: HubAt, StrictPath(EventPath { id }): StrictPath<EventPath>) -> ApiResult<EventDetail> {
    // Events are stored with their file's token. Its current name comes from the log status.
    let tokens = hub.app().status().log_status.tokens.clone();
    let name = move |token: &str| tokens.into_iter().find(|(known, _)| known == token).map(|(_, name)| name);
    hub.run_query(move |hub, _| json_or_404(query::event(hub, &id, name), || format!("Event not found: {id}"))).await
}

/// Tasks that fit all filters, a page of them.
#[utoipa::path(get, path = "/tasks", tag = "work")]
pub(super) async fn tasks(hub: HubAt, StrictQuery(filter): StrictQuery<TasksQuery>) -> ApiResult<TasksPage> {
    hub.run_query(move |hub, now| json(&query::tasks(hub, now, &filter)?)).await
}

/// One task with all that is known of it.
#[utoipa::path(get, path = "/tasks/{agent}/{id}", tag = "work")]
pub(super) async fn task(
    hub: HubAt,
    StrictPath(TaskPath { agent, id }): StrictPath<TaskPath>,
) -> ApiResult<TaskDetail> {
    hub.run_query(move |hub, now| {
        json_or_404(query::task(hub, now, &agent, &id), || format!("Task not found: {agent} {id}"))
    })
    .await
}

/// What changed since a moment, such as the reader's last visit, in at most ten lines.
#[utoipa::path(get, path = "/recap", tag = "state")]
pub(super) async fn recap(hub: HubAt, StrictQuery(query): StrictQuery<RecapQuery>) -> ApiResult<Recap> {
    hub.run_query(move |hub, now| json(&query::recap(hub, now, &query))).await
}

/// Counts of sessions, sends and waiting matters, to compare two moments.
#[utoipa::path(get, path = "/totals", tag = "state")]
pub(super) async fn totals(hub: HubAt) -> ApiResult<MomentTotals> {
    hub.run_query(|hub, now| json(&query::moment_totals(hub, now))).await
}

/// Days with events, with their numbers of events.
#[utoipa::path(get, path = "/days", tag = "events")]
pub(super) async fn days(
    State(state): State<AppState>,
    StrictQuery(query): StrictQuery<DaysQuery>,
) -> ApiResult<EventDays> {
    state.run_query(move |hub, now| json(&query::days(hub, now, &query))).await
}
