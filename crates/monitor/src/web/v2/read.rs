//! Read routes of REST v2: parse parameters, run the query, answer JSON.

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use coordination::api::{
    ActivityQuery, AgentActivity, AgentDetail, AgentsPage, AgentsQuery, CheckReport, Delegations, DelegationsQuery,
    Drift, ErrorCode, EventDetail, EventsPage, EventsQuery, Flow, Health, Home, Names, PeriodsQuery, Quality,
    SearchPage, SearchQuery, SessionDetail, SessionsPage, SessionsQuery, SourceState, TaskDetail, TasksPage,
    TasksQuery, ThreadFound, ThreadPage, ThreadQuery, Timeline, TranscriptReading,
};
use coordination::classify::Classifier;
use coordination::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};
use coordination::query::{self, params};

use super::json;
use crate::app::AppState;
use crate::web::error::ApiError;

pub(super) type Pairs = Result<Query<Vec<(String, String)>>, QueryRejection>;
type Answer = Result<Response, ApiError>;

/// State of the files, the store of overrides and the live clients.
#[utoipa::path(get, path = "/api/v2/health", tag = "state", responses((status = 200, body = Health)))]
pub(super) async fn health(State(state): State<AppState>) -> Answer {
    let health = {
        let hub = state.hub();
        let mut reading = state.status();
        let check = reading.doctor().summary();
        let unreadable: Vec<_> = reading.unreadable().cloned().collect();
        let source = hub.source().clone();
        let fine = matches!(source.state, SourceState::Ok) && unreadable.is_empty();
        Health {
            status: if fine { "ok" } else { "degraded" }.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            lag_bytes: reading.standing.lag_bytes,
            pending_bytes: reading.standing.pending_bytes,
            bad_lines: reading.bad_lines,
            bad_line_samples: reading.samples.clone(),
            events: hub.event_count() as u64,
            sessions: hub.session_count() as u64,
            unreadable,
            following: Some(reading.standing.following.clone()),
            overrides: Some(state.overrides().standing()),
            live: Some(state.live().clients().info()),
            check: Some(check),
            writes: Some(state.settings().writes()),
            index: Some(state.live().index_info()),
            stores: reading.stores.clone(),
            transcripts: Some(TranscriptReading {
                talks: hub.transcript_counts().0 as u64,
                events: hub.transcript_counts().1 as u64,
                ..reading.transcripts.clone()
            }),
            ingest: Some(state.team().info()),
            cursor: hub.cursor(),
            now: state.now(),
            source,
        }
    };
    json(&health)
}

/// The event doctor's report, file by file.
#[utoipa::path(get, path = "/api/v2/doctor", tag = "state", responses((status = 200, body = CheckReport)))]
pub(super) async fn doctor(State(state): State<AppState>) -> Answer {
    json(&state.status().doctor().report())
}

/// The home screen: ten categories, what needs a person, agents.
#[utoipa::path(get, path = "/api/v2/home", tag = "state", responses((status = 200, body = Home)))]
pub(super) async fn home(State(state): State<AppState>) -> Answer {
    state.ask(|hub, now| json(&query::home(hub, now))).await
}

/// Who is who beyond the agents.
#[utoipa::path(get, path = "/api/v2/names", tag = "state", responses((status = 200, body = Names)))]
pub(super) async fn names(State(state): State<AppState>) -> Answer {
    json(&Names { discord_users: state.settings().discord_users.clone() })
}

/// Sessions that fit all filters, a page of them.
#[utoipa::path(
    get, path = "/api/v2/sessions", tag = "sessions",
    params(SessionsQuery), responses((status = 200, body = SessionsPage))
)]
pub(super) async fn sessions(State(state): State<AppState>, pairs: Pairs) -> Answer {
    let asked = params::sessions_query(&read(pairs)?)?;
    state.ask_index(move |hub, index, now| json(&query::sessions_by(hub, index, now, &asked)?)).await
}

/// Everything that holds what is looked for, ranked, with exact counts. Words, `"phrases"`, `operator:value` and `-` for
/// the opposite of each; `docs/search.md` tells the language.
#[utoipa::path(
    get, path = "/api/v2/search", tag = "search",
    params(SearchQuery), responses((status = 200, body = SearchPage))
)]
pub(super) async fn search(State(state): State<AppState>, pairs: Pairs) -> Answer {
    let asked = params::search_query(&read(pairs)?)?;
    state.ask_index(move |hub, index, now| json(&query::search(hub, index, now, &asked)?)).await
}

/// One session with its threads and tasks.
#[utoipa::path(
    get, path = "/api/v2/sessions/{id}", tag = "sessions",
    params(
        ("id" = SessionId, Path, description = "The session"),
        ("classifier" = Option<Classifier>, Query, description = "By whom the category is told; by the one in force when absent"),
    ),
    responses((status = 200, body = SessionDetail))
)]
pub(super) async fn session(
    State(state): State<AppState>,
    id: Result<Path<String>, PathRejection>,
    pairs: Pairs,
) -> Answer {
    let id = SessionId(path(id)?);
    let classifier = params::classifier_query(&read(pairs)?)?;
    state
        .ask(move |hub, now| {
            let detail = match classifier {
                Some(classifier) => query::session_by(hub, now, &id, classifier),
                None => query::session(hub, now, &id),
            };
            found(detail, || format!("Session not found: {id}"))
        })
        .await
}

/// A page of a thread: its newest one, or the one before, after or around a place (only one of the three may be given).
#[utoipa::path(
    get, path = "/api/v2/sessions/{id}/threads/{thread}", tag = "sessions",
    params(
        ("id" = SessionId, Path, description = "The session"),
        ("thread" = ThreadId, Path, description = "The thread"),
        ThreadQuery,
    ),
    responses((status = 200, body = ThreadPage))
)]
pub(super) async fn thread(
    State(state): State<AppState>,
    ids: Result<Path<(String, String)>, PathRejection>,
    pairs: Pairs,
) -> Answer {
    let (session, thread) = path(ids)?;
    let (session, thread) = (SessionId(session), ThreadId(thread));
    let asked = params::thread_query(&read(pairs)?)?;
    state
        .ask(move |hub, now| {
            let page = query::thread_page(hub, now, &session, &thread, &asked)?;
            found(page, || format!("Thread not found: {thread} in {session}"))
        })
        .await
}

/// Messages of a thread that hold a text.
#[utoipa::path(
    get, path = "/api/v2/sessions/{id}/threads/{thread}/find", tag = "sessions",
    params(
        ("id" = SessionId, Path, description = "The session"),
        ("thread" = ThreadId, Path, description = "The thread"),
        ("q" = String, Query, description = "Text to look for, case-insensitive; not blank", max_length = 400, pattern = "\\S"),
    ),
    responses((status = 200, body = ThreadFound))
)]
pub(super) async fn find(
    State(state): State<AppState>,
    ids: Result<Path<(String, String)>, PathRejection>,
    pairs: Pairs,
) -> Answer {
    let (session, thread) = path(ids)?;
    let (session, thread) = (SessionId(session), ThreadId(thread));
    let text = params::find_query(&read(pairs)?)?;
    state
        .ask(move |hub, _| {
            let hits = query::thread_found(hub, &session, &thread, &text)?;
            found(hits, || format!("Thread not found: {thread} in {session}"))
        })
        .await
}

/// Messages of all threads of a session that hold a text.
#[utoipa::path(
    get, path = "/api/v2/sessions/{id}/find", tag = "sessions",
    params(
        ("id" = SessionId, Path, description = "The session"),
        ("q" = String, Query, description = "Text to look for, case-insensitive; not blank", max_length = 400, pattern = "\\S"),
    ),
    responses((status = 200, body = ThreadFound))
)]
pub(super) async fn find_all(
    State(state): State<AppState>,
    id: Result<Path<String>, PathRejection>,
    pairs: Pairs,
) -> Answer {
    let id = SessionId(path(id)?);
    let text = params::find_query(&read(pairs)?)?;
    state.ask(move |hub, _| found(query::session_found(hub, &id, &text)?, || format!("Session not found: {id}"))).await
}

/// All that was said and delegated in a session, in one order of time (only one of before, after and around may be given).
#[utoipa::path(
    get, path = "/api/v2/sessions/{id}/timeline", tag = "sessions",
    params(("id" = SessionId, Path, description = "The session"), ThreadQuery),
    responses((status = 200, body = Timeline))
)]
pub(super) async fn timeline(
    State(state): State<AppState>,
    id: Result<Path<String>, PathRejection>,
    pairs: Pairs,
) -> Answer {
    let id = SessionId(path(id)?);
    let asked = params::thread_query(&read(pairs)?)?;
    state
        .ask(move |hub, now| found(query::timeline(hub, now, &id, &asked)?, || format!("Session not found: {id}")))
        .await
}

/// The runs that a session spawned.
#[utoipa::path(
    get, path = "/api/v2/sessions/{id}/delegations", tag = "work",
    params(("id" = SessionId, Path, description = "The session"), DelegationsQuery),
    responses((status = 200, body = Delegations))
)]
pub(super) async fn delegations(
    State(state): State<AppState>,
    id: Result<Path<String>, PathRejection>,
    pairs: Pairs,
) -> Answer {
    let id = SessionId(path(id)?);
    let asked = params::delegations_query(&read(pairs)?)?;
    state
        .ask(move |hub, now| found(query::delegations(hub, now, &id, &asked)?, || format!("Session not found: {id}")))
        .await
}

/// The runs of all sessions.
#[utoipa::path(
    get, path = "/api/v2/delegations", tag = "work",
    params(DelegationsQuery), responses((status = 200, body = Delegations))
)]
pub(super) async fn all_delegations(State(state): State<AppState>, pairs: Pairs) -> Answer {
    let asked = params::delegations_query(&read(pairs)?)?;
    state.ask(move |hub, now| json(&query::all_delegations(hub, now, &asked)?)).await
}

/// Who does what by what evidence, and how pairs of agents answer.
#[utoipa::path(
    get, path = "/api/v2/agents", tag = "work",
    params(AgentsQuery), responses((status = 200, body = AgentsPage))
)]
pub(super) async fn agents(State(state): State<AppState>, pairs: Pairs) -> Answer {
    let asked = params::agents_query(&read(pairs)?)?;
    state.ask(move |hub, now| json(&query::agents(hub, now, &asked))).await
}

/// One agent: what it is at, its tasks, threads and sessions, who waits for whom, and how it answers.
#[utoipa::path(
    get, path = "/api/v2/agents/{id}", tag = "work",
    params(("id" = AgentId, Path, description = "The agent"), AgentsQuery), responses((status = 200, body = AgentDetail))
)]
pub(super) async fn agent(
    State(state): State<AppState>,
    id: Result<Path<String>, PathRejection>,
    pairs: Pairs,
) -> Answer {
    let id = AgentId(path(id)?.to_lowercase());
    let asked = params::agents_query(&read(pairs)?)?;
    state
        .ask(move |hub, now| found(query::agent_detail(hub, now, &id, &asked), || format!("Agent not found: {id}")))
        .await
}

/// What an agent did in a period, as far as the log says.
#[utoipa::path(
    get, path = "/api/v2/agents/{id}/activity", tag = "work",
    params(("id" = AgentId, Path, description = "The agent"), ActivityQuery),
    responses((status = 200, body = AgentActivity))
)]
pub(super) async fn activity(
    State(state): State<AppState>,
    id: Result<Path<String>, PathRejection>,
    pairs: Pairs,
) -> Answer {
    let id = AgentId(path(id)?.to_lowercase());
    let asked = params::activity_query(&read(pairs)?)?;
    state.ask(move |hub, now| found(query::activity(hub, now, &id, &asked), || format!("Agent not found: {id}"))).await
}

/// How well the log tells what its events are, over time.
#[utoipa::path(
    get, path = "/api/v2/quality", tag = "state",
    params(PeriodsQuery), responses((status = 200, body = Quality))
)]
pub(super) async fn quality(State(state): State<AppState>, pairs: Pairs) -> Answer {
    let asked = params::periods_query(&read(pairs)?)?;
    state.ask(move |hub, now| json(&query::quality(hub, now, &asked))).await
}

/// How the filing into categories does over time.
#[utoipa::path(
    get, path = "/api/v2/drift", tag = "state",
    params(PeriodsQuery), responses((status = 200, body = Drift))
)]
pub(super) async fn drift(State(state): State<AppState>, pairs: Pairs) -> Answer {
    let asked = params::periods_query(&read(pairs)?)?;
    state.ask(move |hub, now| json(&query::drift(hub, now, &asked))).await
}

/// The braid of a session.
#[utoipa::path(
    get, path = "/api/v2/sessions/{id}/flow", tag = "sessions",
    params(("id" = SessionId, Path, description = "The session")), responses((status = 200, body = Flow))
)]
pub(super) async fn flow(State(state): State<AppState>, id: Result<Path<String>, PathRejection>) -> Answer {
    let id = SessionId(path(id)?);
    state.ask(move |hub, now| found(query::flow(hub, now, &id), || format!("Session not found: {id}"))).await
}

/// Events that fit all filters, newest first.
#[utoipa::path(
    get, path = "/api/v2/events", tag = "events",
    params(EventsQuery), responses((status = 200, body = EventsPage))
)]
pub(super) async fn events(State(state): State<AppState>, pairs: Pairs) -> Answer {
    let asked = params::events_query(&read(pairs)?)?;
    state.ask_index(move |hub, index, now| json(&query::events_by(hub, index, now, &asked)?)).await
}

/// One event and its line as written.
#[utoipa::path(
    get, path = "/api/v2/events/{id}", tag = "events",
    params(("id" = EventId, Path, description = "The event")), responses((status = 200, body = EventDetail))
)]
pub(super) async fn event(State(state): State<AppState>, id: Result<Path<String>, PathRejection>) -> Answer {
    let id = EventId(path(id)?);
    // The hub knows events by the token of their file; the current name of the file is known here.
    let tokens = state.status().standing.tokens.clone();
    let name = move |token: &str| tokens.into_iter().find(|(known, _)| known == token).map(|(_, name)| name);
    state.ask(move |hub, _| found(query::event(hub, &id, name), || format!("Event not found: {id}"))).await
}

/// Tasks that fit all filters, a page of them.
#[utoipa::path(
    get, path = "/api/v2/tasks", tag = "work",
    params(TasksQuery), responses((status = 200, body = TasksPage))
)]
pub(super) async fn tasks(State(state): State<AppState>, pairs: Pairs) -> Answer {
    let asked = params::tasks_query(&read(pairs)?)?;
    state.ask(move |hub, now| json(&query::tasks(hub, now, &asked)?)).await
}

/// One task with all that is known of it.
#[utoipa::path(
    get, path = "/api/v2/tasks/{agent}/{id}", tag = "work",
    params(("agent" = AgentId, Path, description = "Whose"), ("id" = TaskId, Path, description = "The task")),
    responses((status = 200, body = TaskDetail))
)]
pub(super) async fn task(State(state): State<AppState>, ids: Result<Path<(String, String)>, PathRejection>) -> Answer {
    let (agent, id) = path(ids)?;
    let (agent, id) = (AgentId(agent.to_lowercase()), TaskId(id));
    state
        .ask(move |hub, now| found(query::task(hub, now, &agent, &id), || format!("Task not found: {agent} {id}")))
        .await
}

fn found<T: serde::Serialize>(value: Option<T>, missing: impl FnOnce() -> String) -> Answer {
    value.map_or_else(|| Err(ApiError::not_found(missing())), |value| json(&value))
}

pub(super) fn read(pairs: Pairs) -> Result<Vec<(String, String)>, ApiError> {
    pairs
        .map(|Query(pairs)| pairs)
        .map_err(|_| ApiError::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidValue, "The query string cannot be read"))
}

pub(super) fn path<T>(path: Result<Path<T>, PathRejection>) -> Result<T, ApiError> {
    path.map(|Path(value)| value)
        .map_err(|_| ApiError::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidValue, "The path cannot be read"))
}
