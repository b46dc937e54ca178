//! `GET sessions-archive`: archived transcripts and their histories.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::response::Response;
use coordination::api::{ArchiveList, ArchiveQuery, StoreHistory, StoreHistoryQuery, TranscriptState};
use coordination::ids::AgentId;
use coordination::query::params;
use coordination::store::{archived_key, archives, valid_session_id};

use super::read::{Pairs, path, read};
use super::stores::{MESSAGES, blocking, told};
use crate::app::AppState;
use crate::sources::store;
use crate::web::error::ApiError;

/// Transcripts of sessions that were begun anew, deleted, taken into a database or moved to cold storage, the newest
/// first.
#[utoipa::path(
    get, path = "/api/v2/sessions-archive", tag = "sessions",
    params(ArchiveQuery), responses((status = 200, body = ArchiveList))
)]
pub(super) async fn list(State(state): State<AppState>, pairs: Pairs) -> Result<Response, ApiError> {
    let asked = params::archive_query(&read(pairs)?)?;
    blocking(move || {
        let (held, ..) = state.stores();
        Ok(archives(&held, &asked, state.now()))
    })
    .await
}

/// What was said in a session, by its id, whether a key leads to it or not: of the branch in use and since it was begun
/// anew, as the gateway's tool gives a history.
#[utoipa::path(
    get, path = "/api/v2/sessions-archive/{agent}/{session}/history", tag = "sessions",
    params(
        ("agent" = String, Path, description = "The agent", example = "eden"),
        ("session" = String, Path, description = "The session's id", example = "70e14d35-13d4-4028-8a08-4708e7f7c260"),
        StoreHistoryQuery,
    ),
    responses((status = 200, body = StoreHistory))
)]
pub(super) async fn history(
    State(state): State<AppState>,
    parts: Result<Path<(String, String)>, PathRejection>,
    pairs: Pairs,
) -> Result<Response, ApiError> {
    let (agent, session) = path(parts)?;
    let StoreHistoryQuery { limit, include_tools, before } = params::store_history_query(&read(pairs)?)?;
    let limit = limit.unwrap_or(MESSAGES) as usize;
    blocking(move || {
        let unknown = || ApiError::not_found(format!("No transcript of this session: {agent}/{session}"));
        let (held, home, roster) = state.stores();
        let known = store::agents(&home, &roster).unwrap_or_default();
        let id = AgentId::from(agent.as_str());
        if !known.contains(&id) || !valid_session_id(&session) {
            return Err(unknown());
        }
        let own = (&id, session.as_str());
        let read = store::archived_before(&home, &roster, own, &held.archives, limit, before);
        let key = archived_key(&held, &id, &session);
        let answer = told(state.now(), key.clone().unwrap_or_default(), read, limit, include_tools);
        // For a session that is listed somewhere the answer is that its transcript is missing; others are unknown.
        let listed = key.is_some() || held.archives.iter().any(|one| one.agent_id == id && one.is_of(&session));
        if answer.status == TranscriptState::Missing && !listed {
            return Err(unknown());
        }
        Ok(answer)
    })
    .await
}
