//! Handlers of `GET /api/work-sessions`, `GET /api/work-sessions/:id` and `GET /api/work-sessions/search`
//! (`contract/monitor-api.md` §4.2–§4.3).

use axum::extract::{Path, State};
use axum::response::Response;
use coordination::compat::{self, WorkSessionsQuery};
use coordination::hub::Hub;
use coordination::ids::SessionId;
use coordination::role::Role;
use coordination::session::Status;

use super::answer::V1Error;
use super::large_answers::MAX_ANSWER;
use super::list_answer::ListRequest;
use super::query::V1QueryPairs;
use crate::app::AppState;

/// Work sessions that fit all filters, newest first. An answer holds at most 16 MiB of events, counted as lines of the
/// log: the newest of the first sessions. `count` and `totalEventCount` tell what is left out.
pub(super) async fn list(
    State(state): State<AppState>,
    request: ListRequest,
    pairs: V1QueryPairs,
) -> Result<Response, V1Error> {
    let query = WorkSessionsQuery {
        status: pairs.words("status", &Status::ALL, Status::as_str)?,
        role: pairs.words("role", &Role::ALL, Role::as_str)?,
        types: pairs.csv("type"),
        view_category: pairs.first("viewCategory").map(str::to_owned),
        sub_tag: pairs.first("subTag").map(str::to_owned),
        limit: pairs.limit(100),
        bound: MAX_ANSWER,
    };
    let by_v1 = pairs.by_v1()?;
    request.answer(state, move |hub, now| Ok(compat::work_sessions(hub, by_v1, now, &query))).await
}

/// Sessions whose texts hold `q`, at most 50, with at most 16 MiB of events, counted as lines of the log.
pub(super) async fn search(
    State(state): State<AppState>,
    request: ListRequest,
    pairs: V1QueryPairs,
) -> Result<Response, V1Error> {
    let Some(q) = pairs.text("q").map(str::to_owned) else { return Err(V1Error::value("q", ["text to look for"])) };
    let by_v1 = pairs.by_v1()?;
    let found = move |hub: &Hub, now| Ok(compat::search_work_sessions(hub, by_v1, now, &q, MAX_ANSWER));
    request.answer(state, found).await
}

/// One session by its bare id, with at most 16 MiB of events, counted as lines of the log: the newest.
pub(super) async fn one(
    State(state): State<AppState>,
    Path(id): Path<String>,
    request: ListRequest,
    pairs: V1QueryPairs,
) -> Result<Response, V1Error> {
    let role = match pairs.text("role") {
        None => None,
        Some(text) => Some(text.parse::<Role>().map_err(|()| V1Error::value("role", Role::ALL.map(Role::as_str)))?),
    };
    let query = WorkSessionsQuery {
        role: role.into_iter().collect(),
        types: pairs.csv("type"),
        limit: 1,
        bound: MAX_ANSWER,
        ..WorkSessionsQuery::default()
    };
    let by_v1 = pairs.by_v1()?;
    let found = move |hub: &Hub, now| {
        let session = SessionId::from(id);
        let found = compat::work_session(hub, by_v1, now, &session, &query);
        found.ok_or_else(|| V1Error::not_found(format!("Work session not found: {session}")))
    };
    request.answer(state, found).await
}
