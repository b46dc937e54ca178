//! Handlers of `GET /api/v2/sessions-archive`: archived transcripts and their histories.

use axum::extract::State;
use coordination::api::{ArchiveList, ArchiveQuery, StoreHistory, StoreHistoryQuery, TranscriptState};
use coordination::ids::AgentId;
use coordination::store::{archived_key, archives, valid_session_id};

use super::paths::ArchivedSessionPath;
use super::stores::{DEFAULT_HISTORY_MESSAGES, blocking, history_answer};
use crate::app::AppState;
use crate::sources::store;
use crate::web::error::ApiError;
use crate::web::extract::{Reply, StrictPath, StrictQuery};

/// Transcripts of sessions that were reset, deleted, taken into a database or moved to cold storage, the newest first.
#[utoipa::path(get, path = "/sessions-archive", tag = "sessions")]
pub(super) async fn list(
    State(state): State<AppState>,
    StrictQuery(archive_query): StrictQuery<ArchiveQuery>,
) -> Reply<ArchiveList> {
    blocking(move || {
        let (held, ..) = state.stores();
        Ok(archives(&held, &archive_query, state.now()))
    })
    .await
}

/// What was said in a session, by its id, whether a key leads to it or not: of the branch in use and since the last
/// reset, as the gateway's tool gives a history.
#[utoipa::path(get, path = "/sessions-archive/{agent}/{session}/history", tag = "sessions")]
pub(super) async fn history(
    State(state): State<AppState>,
    StrictPath(ArchivedSessionPath { agent, session }): StrictPath<ArchivedSessionPath>,
    StrictQuery(archive_query): StrictQuery<StoreHistoryQuery>,
) -> Reply<StoreHistory> {
    let StoreHistoryQuery { limit, include_tools, before } = archive_query;
    let limit = limit.unwrap_or(DEFAULT_HISTORY_MESSAGES) as usize;
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
        let answer = history_answer(state.now(), key.clone().unwrap_or_default(), read, limit, include_tools);
        // For a session that is listed somewhere the answer is that its transcript is missing; others are unknown.
        let listed = key.is_some() || held.archives.iter().any(|one| one.agent_id == id && one.is_of(&session));
        if answer.status == TranscriptState::Missing && !listed {
            return Err(unknown());
        }
        Ok(answer)
    })
    .await
}
