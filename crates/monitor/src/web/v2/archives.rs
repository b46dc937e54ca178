//! Handlers of `GET /api/v2/sessions-archive`: archived transcripts and their histories.

use axum::extract::State;
use axum::http::StatusCode;
use coordination::api::{ArchiveList, ArchiveQuery, ErrorCode, StoreHistory, StoreHistoryQuery, TranscriptState};
use coordination::ids::AgentId;
use coordination::store::{archived_key, archives, valid_session_id};

use super::paths::ArchivedSessionPath;
use super::stores::{DEFAULT_HISTORY_MESSAGES, blocking, history_answer};
use crate::app::AppState;
use crate::sources::store;
use crate::sources::workspace::ReadError;
use crate::web::error::ApiError;
use crate::web::extract::{ApiResult, StrictPath, StrictQuery};

/// Transcripts of sessions that were reset, deleted, taken into a database or moved to cold storage, the newest first.
#[utoipa::path(get, path = "/sessions-archive", tag = "sessions")]
pub(super) async fn list(
    State(state): State<AppState>,
    StrictQuery(archive_query): StrictQuery<ArchiveQuery>,
) -> ApiResult<ArchiveList> {
    blocking(move || {
        let (snapshot, ..) = state.stores();
        Ok(archives(&snapshot, &archive_query, state.now()))
    })
    .await
}

/// History of a session by its id, also when no session key names it: the messages on the active branch since the last
/// reset, in the format of the gateway's `sessions_history`.
#[utoipa::path(get, path = "/sessions-archive/{agent}/{session}/history", tag = "sessions")]
pub(super) async fn history(
    State(state): State<AppState>,
    StrictPath(ArchivedSessionPath { agent, session }): StrictPath<ArchivedSessionPath>,
    StrictQuery(archive_query): StrictQuery<StoreHistoryQuery>,
) -> ApiResult<StoreHistory> {
    let StoreHistoryQuery { limit, include_tools, before } = archive_query;
    let limit = limit.unwrap_or(DEFAULT_HISTORY_MESSAGES) as usize;
    blocking(move || {
        let not_found = || ApiError::not_found(format!("No transcript of this session: {agent}/{session}"));
        let (snapshot, home, roster) = state.stores();
        let agent_id = AgentId::from(agent.as_str());
        let agents = match store::agents(&home, &roster) {
            Ok(agents) => agents,
            Err(ReadError::Missing) => return Err(not_found()),
            Err(ReadError::Unreadable(cause)) => return Err(unreadable_agents(&cause)),
        };
        if !agents.contains(&agent_id) || !valid_session_id(&session) {
            return Err(not_found());
        }
        let read = store::archived_before(&home, &roster, (&agent_id, &session), &snapshot.archives, limit, before);
        let key = archived_key(&snapshot, &agent_id, &session);
        let is_archived =
            key.is_some() || snapshot.archives.iter().any(|one| one.agent_id == agent_id && one.is_of(&session));
        let answer = history_answer(state.now(), key.unwrap_or_default(), read, limit, include_tools);
        // A listed session without a transcript is answered as missing; an unlisted one is not found.
        if answer.status == TranscriptState::Missing && !is_archived {
            return Err(not_found());
        }
        Ok(answer)
    })
    .await
}

/// 503: without the list of agents, an unknown agent cannot be distinguished from an unread one.
fn unreadable_agents(cause: &str) -> ApiError {
    tracing::error!(%cause, "the folder of agents cannot be read");
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::SourceUnavailable, "The folder of agents cannot be read")
}
