//! Handlers of manual categories over REST v2: `PATCH` and `DELETE /api/v2/sessions/{id}/category`, its `/history`, and
//! `GET /api/v2/category-changes`, the changes of all sessions.

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use coordination::api::{
    CategoryClear, CategoryHistory, CategoryPatch, CategoryPatched, ChangesPage, ChangesQuery, ErrorCode,
    ExpectedOverride,
};
use coordination::category::Category;
use coordination::ids::SessionId;
use coordination::query;

use super::paths::SessionPath;
use crate::app::AppState;
use crate::core::overrides::OverrideChange;
use crate::web::error::{ApiError, session_not_found};
use crate::web::extract::{ApiResult, BadField, RequestBody, StrictPath, StrictQuery, ValidJson, json, line, not_text};
use crate::web::request::RequestId;
use crate::web::security::MayCategorize;

/// Sets the category of a session manually. The response is sent when the change is durable.
#[utoipa::path(patch, path = "/sessions/{id}/category", tag = "categories")]
pub(super) async fn set(
    State(state): State<AppState>,
    MayCategorize(author): MayCategorize,
    Extension(request): Extension<RequestId>,
    StrictPath(SessionPath { id }): StrictPath<SessionPath>,
    ValidJson(body): ValidJson<CategoryPatch>,
) -> ApiResult<CategoryPatched> {
    let change = OverrideChange {
        session_id: require_session(&state, id).await?,
        category: Some(body.collab_category),
        by: author.or_claimed(body.updated_by),
        reason: body.reason,
        request_id: request.0,
        expected: body.expected,
    };
    commit(&state, change).await
}

/// Returns to the automatic category. The author and the reason may be given as in the PATCH; the body may be left out.
#[utoipa::path(delete, path = "/sessions/{id}/category", tag = "categories")]
pub(super) async fn clear(
    State(state): State<AppState>,
    MayCategorize(author): MayCategorize,
    Extension(request): Extension<RequestId>,
    StrictPath(SessionPath { id }): StrictPath<SessionPath>,
    body: Option<ValidJson<CategoryClear>>,
) -> ApiResult<CategoryPatched> {
    let body = body.map(|ValidJson(body)| body).unwrap_or_default();
    let change = OverrideChange {
        session_id: require_session_or_override(&state, id).await?,
        category: None,
        by: author.or_claimed(body.updated_by),
        reason: body.reason,
        request_id: request.0,
        expected: body.expected,
    };
    commit(&state, change).await
}

/// Changes of the category of one session, newest first.
#[utoipa::path(get, path = "/sessions/{id}/category/history", tag = "categories")]
pub(super) async fn history(
    State(state): State<AppState>,
    StrictPath(SessionPath { id: session_id }): StrictPath<SessionPath>,
) -> ApiResult<CategoryHistory> {
    let store = state.overrides().clone();
    state
        .run_query(move |hub, now| match store.history(&session_id) {
            Ok(changes) if changes.is_empty() && query::session(hub, now, &session_id).is_none() => {
                Err(ApiError::not_found(session_not_found(&session_id)))
            }
            Ok(changes) => json(&CategoryHistory { work_session_id: session_id, changes }),
            Err(error) => Err(unreadable(&error)),
        })
        .await
}

/// Category changes of all sessions, newest first.
#[utoipa::path(get, path = "/category-changes", tag = "categories")]
pub(super) async fn changes(
    State(state): State<AppState>,
    StrictQuery(changes_query): StrictQuery<ChangesQuery>,
) -> ApiResult<ChangesPage> {
    let store = state.overrides().clone();
    state
        .run_query(move |hub, now| {
            let record = store.record().map_err(|error| unreadable(&error))?;
            json(&query::changes(hub, now, &record, &changes_query)?)
        })
        .await
}

fn unreadable(error: &std::io::Error) -> ApiError {
    tracing::error!(%error, "the audit log cannot be read");
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::SourceUnavailable, "The audit log cannot be read")
}

async fn commit(state: &AppState, change: OverrideChange) -> ApiResult<CategoryPatched> {
    let id = change.session_id.clone();
    let manual = state.overrides().change(change).await?;
    state
        .run_query(move |hub, now| {
            let session = query::session(hub, now, &id).map(|detail| detail.session);
            json(&CategoryPatched { ok: true, work_session_id: id, manual, session })
        })
        .await
}

/// Returns `id` if the log contains the session, else 404, or 503 while the history is being read. The 1.x route is less
/// strict.
pub(super) async fn require_session(state: &AppState, id: SessionId) -> Result<SessionId, ApiError> {
    let wanted_id = id.clone();
    // Read before the query: a session that arrives in between must not be answered with 404.
    let is_ready = state.is_ready();
    if state.run_query(move |hub, now| query::session(hub, now, &wanted_id).is_some()).await {
        return Ok(id);
    }
    if is_ready {
        return Err(ApiError::not_found(session_not_found(&id)));
    }
    // It may be in the unread history.
    let error = "The history is being read; ask again when it is";
    Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::SourceUnavailable, error))
}

/// Returns `id` if the log contains the session or the session has an override. An override can be cleared even when the
/// log no longer contains its session.
async fn require_session_or_override(state: &AppState, id: SessionId) -> Result<SessionId, ApiError> {
    if state.hub().overrides().contains_key(&id) { Ok(id) } else { require_session(state, id).await }
}

impl RequestBody for CategoryPatch {
    fn refuse(field: &BadField) -> ApiError {
        refuse_change_field(field)
    }

    fn validated(self) -> Result<Self, ApiError> {
        let (updated_by, reason) = author_and_reason(self.updated_by, self.reason)?;
        Ok(Self { updated_by, reason, ..self })
    }
}

impl RequestBody for CategoryClear {
    fn refuse(field: &BadField) -> ApiError {
        refuse_change_field(field)
    }

    fn validated(self) -> Result<Self, ApiError> {
        let (updated_by, reason) = author_and_reason(self.updated_by, self.reason)?;
        Ok(Self { updated_by, reason, ..self })
    }
}

/// The error for a field of a category change that is missing or has a wrong value.
pub(super) fn refuse_change_field(field: &BadField) -> ApiError {
    match field.name.as_str() {
        "collabCategory" => {
            let allowed = Category::ALL.iter().map(|category| category.as_str().to_owned()).collect();
            let error = "collabCategory must be one of the ten categories";
            ApiError::unprocessable("collabCategory", allowed, error)
        }
        "expected" => {
            let known = [None].into_iter().chain(Category::ALL.map(Some));
            let allowed = known.map(|category| String::from(ExpectedOverride(category))).collect();
            ApiError::unprocessable("expected", allowed, "expected must be one of the ten categories or automatic")
        }
        name => not_text(name),
    }
}

/// `updatedBy` and `reason` of a category change, trimmed. An error when one is too long.
pub(super) fn author_and_reason(
    updated_by: Option<String>,
    reason: Option<String>,
) -> Result<(Option<String>, Option<String>), ApiError> {
    Ok((line(updated_by, "updatedBy", 200)?, line(reason, "reason", 1000)?))
}
