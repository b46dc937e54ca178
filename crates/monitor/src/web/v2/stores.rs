//! Handlers of `GET /api/v2/sessions-store`: OpenClaw's stored sessions, their previews and histories.

use axum::extract::{FromRequestParts as _, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};
use coordination::api::{
    ErrorBody, ErrorCode, StoreHistory, StoreHistoryQuery, StoreList, StorePreview, StorePreviewQuery, StoreQuery,
    StoreSaid, TranscriptState,
};
use coordination::transcript::{HistoryOptions, PreviewItem, history as of_entries};
use serde::Serialize;

use super::paths::StoredSessionPath;
use crate::app::AppState;
use crate::sources::store;
use crate::sources::transcript::RecentEntries;
use crate::sources::workspace::ReadError;
use crate::web::error::ApiError;
use crate::web::extract::{ApiResult, JsonResponse, StrictPath, StrictQuery, json};
use crate::web::security::MayCategorize;
use crate::web::state::WebState;

/// Messages of a history by default.
pub(super) const DEFAULT_HISTORY_MESSAGES: u32 = 200;
/// Messages of a preview, and characters of each.
const DEFAULT_PREVIEW_LIMITS: (u32, u32) = (12, 240);

/// Sessions of OpenClaw's own stores, newest change first, and the state of each store. Archived sessions are listed
/// only with `archived`; runs of scheduled jobs are never listed. Addresses of people and paths of transcripts are left
/// out unless `includeRouting` asks for them, which needs the right to write.
#[utoipa::path(
    get, path = "/sessions-store", tag = "sessions",
    responses((status = 401, description = "`includeRouting` without the right to write", body = ErrorBody))
)]
pub(super) async fn list(
    State(state): State<WebState>,
    StrictQuery(store_query): StrictQuery<StoreQuery>,
    mut parts: Parts,
) -> Result<JsonResponse<StoreList>, Response> {
    if store_query.include_routing {
        MayCategorize::from_request_parts(&mut parts, &state).await?;
    }
    blocking(move || Ok(state.app.store_list(&store_query))).await.map_err(ApiError::into_response)
}

/// The last things said in a stored session.
#[utoipa::path(get, path = "/sessions-store/{key}/preview", tag = "sessions")]
pub(super) async fn preview(
    State(state): State<AppState>,
    StrictPath(StoredSessionPath { key }): StrictPath<StoredSessionPath>,
    StrictQuery(StorePreviewQuery { limit, max_chars }): StrictQuery<StorePreviewQuery>,
) -> ApiResult<StorePreview> {
    let (limit, max_chars) =
        (limit.unwrap_or(DEFAULT_PREVIEW_LIMITS.0) as usize, max_chars.unwrap_or(DEFAULT_PREVIEW_LIMITS.1) as usize);
    blocking(move || {
        let (home, roster, session) = state.stored(&key).ok_or_else(|| unknown(&key))?;
        let (ts, key) = (state.now(), session.key.as_str().to_owned());
        let mut read = store::preview(&home, &roster, &session, limit, max_chars);
        if is_absent(&read, Vec::is_empty)
            && let Some(id) = session.entry.session_id()
        {
            let (held, ..) = state.stores();
            let own = (&session.agent_id, id);
            read = or_archived(read, store::archived_preview(&home, &roster, own, &held.archives, limit, max_chars));
        }
        let (status, items) = transcript_state(read, Vec::is_empty);
        let preview_row = |item: PreviewItem| StoreSaid { role: item.role.as_str().to_owned(), text: item.text };
        Ok(StorePreview { ts, key, status, items: items.into_iter().map(preview_row).collect() })
    })
    .await
}

/// History of a stored session: the messages on the active branch since the last reset, in the format of the gateway's
/// `sessions_history`.
#[utoipa::path(get, path = "/sessions-store/{key}/history", tag = "sessions")]
pub(super) async fn history(
    State(state): State<AppState>,
    StrictPath(StoredSessionPath { key }): StrictPath<StoredSessionPath>,
    StrictQuery(store_query): StrictQuery<StoreHistoryQuery>,
) -> ApiResult<StoreHistory> {
    let StoreHistoryQuery { limit, include_tools, before } = store_query;
    let limit = limit.unwrap_or(DEFAULT_HISTORY_MESSAGES) as usize;
    blocking(move || {
        let (home, roster, session) = state.stored(&key).ok_or_else(|| unknown(&key))?;
        let (ts, key) = (state.now(), session.key.as_str().to_owned());
        let mut read = store::recent_before(&home, &roster, &session, limit, before);
        if is_absent(&read, |read| read.entries.is_empty())
            && let Some(id) = session.entry.session_id()
        {
            let (held, ..) = state.stores();
            let own = (&session.agent_id, id);
            read = or_archived(read, store::archived_before(&home, &roster, own, &held.archives, limit, before));
        }
        Ok(history_answer(ts, key, read, limit, include_tools))
    })
    .await
}

/// The transcript is missing or empty: it may have been archived.
fn is_absent<T>(read: &Result<T, ReadError>, is_empty: impl Fn(&T) -> bool) -> bool {
    match read {
        Ok(read) => is_empty(read),
        Err(error) => matches!(error, ReadError::Missing),
    }
}

/// The archive, if there is one; an archive that cannot be read is an error.
fn or_archived<T>(read: Result<T, ReadError>, archive: Result<T, ReadError>) -> Result<T, ReadError> {
    match archive {
        Err(ReadError::Missing) => read,
        archive => archive,
    }
}

/// The answer for a read history.
pub(super) fn history_answer(
    ts: i64,
    key: String,
    read: Result<RecentEntries, ReadError>,
    limit: usize,
    include_tools: bool,
) -> StoreHistory {
    let (status, read) = transcript_state(read, |read| read.entries.is_empty());
    let options = HistoryOptions { limit: Some(limit), include_tools, keep_silent: false };
    let found = of_entries(&read.entries, &options);
    let begins = read.entries.first().filter(|_| !read.complete).map(|entry| entry.place);
    StoreHistory {
        ts,
        key,
        status,
        truncated: found.truncated(),
        dropped_messages: found.dropped_messages,
        content_truncated: found.content_truncated,
        bytes: found.bytes,
        messages: found.messages,
        places: found.places,
        ids: found.ids,
        earlier: found.earlier.or(begins),
        complete: read.complete,
        bad_lines: read.bad,
    }
}

/// The read content, and the state of its transcript.
fn transcript_state<T: Default>(read: Result<T, ReadError>, is_empty: impl Fn(&T) -> bool) -> (TranscriptState, T) {
    match read {
        Ok(read) if is_empty(&read) => (TranscriptState::Empty, read),
        Ok(read) => (TranscriptState::Ok, read),
        Err(ReadError::Missing) => (TranscriptState::Missing, T::default()),
        Err(ReadError::Unreadable(cause)) => {
            tracing::warn!(%cause, "a transcript cannot be read");
            (TranscriptState::Error, T::default())
        }
    }
}

fn unknown(key: &str) -> ApiError {
    ApiError::not_found(format!("Session not found in any store: {key}"))
}

/// Stores and transcripts are read by a thread that may wait.
pub(super) async fn blocking<T: Serialize + Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> ApiResult<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(answer) => json(&answer?),
        Err(_) => {
            Err(ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, ErrorCode::Internal, "The stores could not be read"))
        }
    }
}
