//! The reading routes of REST v2.

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use coordination::api::{ErrorCode, Health, Names, SourceState};
use coordination::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};
use coordination::query::{self, params};

use super::json;
use crate::http::error::ApiError;
use crate::state::AppState;

pub(super) type Pairs = Result<Query<Vec<(String, String)>>, QueryRejection>;
type Answer = Result<Response, ApiError>;

pub(super) async fn health(State(state): State<AppState>) -> Answer {
    let health = {
        let hub = state.hub();
        let mut reading = state.reading();
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
            events: hub.events().len() as u64,
            sessions: hub.session_count() as u64,
            unreadable,
            following: Some(reading.standing.following.clone()),
            overrides: Some(state.overrides().standing()),
            live: Some(state.live().clients().info()),
            check: Some(check),
            writes: Some(state.settings().writes()),
            cursor: hub.cursor(),
            now: state.now(),
            source,
        }
    };
    json(&health)
}

/// The event doctor's report, file by file.
pub(super) async fn doctor(State(state): State<AppState>) -> Answer {
    json(&state.reading().doctor().report())
}

pub(super) async fn home(State(state): State<AppState>) -> Answer {
    state.ask(|hub, now| json(&query::home(hub, now))).await
}

pub(super) async fn names(State(state): State<AppState>) -> Answer {
    json(&Names { discord_users: state.settings().discord_users.clone() })
}

pub(super) async fn sessions(State(state): State<AppState>, pairs: Pairs) -> Answer {
    let asked = params::sessions_query(&read(pairs)?)?;
    state.ask(move |hub, now| json(&query::sessions(hub, now, &asked)?)).await
}

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

pub(super) async fn find_all(
    State(state): State<AppState>,
    id: Result<Path<String>, PathRejection>,
    pairs: Pairs,
) -> Answer {
    let id = SessionId(path(id)?);
    let text = params::find_query(&read(pairs)?)?;
    state.ask(move |hub, _| found(query::session_found(hub, &id, &text)?, || format!("Session not found: {id}"))).await
}

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

pub(super) async fn all_delegations(State(state): State<AppState>, pairs: Pairs) -> Answer {
    let asked = params::delegations_query(&read(pairs)?)?;
    state.ask(move |hub, now| json(&query::all_delegations(hub, now, &asked)?)).await
}

pub(super) async fn agents(State(state): State<AppState>, pairs: Pairs) -> Answer {
    let asked = params::agents_query(&read(pairs)?)?;
    state.ask(move |hub, now| json(&query::agents(hub, now, &asked))).await
}

pub(super) async fn quality(State(state): State<AppState>, pairs: Pairs) -> Answer {
    let asked = params::periods_query(&read(pairs)?)?;
    state.ask(move |hub, now| json(&query::quality(hub, now, &asked))).await
}

pub(super) async fn drift(State(state): State<AppState>, pairs: Pairs) -> Answer {
    let asked = params::periods_query(&read(pairs)?)?;
    state.ask(move |hub, now| json(&query::drift(hub, now, &asked))).await
}

pub(super) async fn flow(State(state): State<AppState>, id: Result<Path<String>, PathRejection>) -> Answer {
    let id = SessionId(path(id)?);
    state.ask(move |hub, now| found(query::flow(hub, now, &id), || format!("Session not found: {id}"))).await
}

pub(super) async fn events(State(state): State<AppState>, pairs: Pairs) -> Answer {
    let asked = params::events_query(&read(pairs)?)?;
    state.ask(move |hub, now| json(&query::events(hub, now, &asked)?)).await
}

pub(super) async fn event(State(state): State<AppState>, id: Result<Path<String>, PathRejection>) -> Answer {
    let id = EventId(path(id)?);
    // The hub knows events by the token of their file; what the file is called now is known here.
    let tokens = state.reading().standing.tokens.clone();
    let name = move |token: &str| tokens.into_iter().find(|(known, _)| known == token).map(|(_, name)| name);
    state.ask(move |hub, _| found(query::event(hub, &id, name), || format!("Event not found: {id}"))).await
}

pub(super) async fn tasks(State(state): State<AppState>, pairs: Pairs) -> Answer {
    let asked = params::tasks_query(&read(pairs)?)?;
    state.ask(move |hub, now| json(&query::tasks(hub, now, &asked)?)).await
}

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
