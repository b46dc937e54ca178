//! Manual categories over REST v2: set, return to automatic, history.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, PathRejection};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use coordination::api::{
    CategoryClear, CategoryHistory, CategoryPatch, CategoryPatched, ChangesPage, ChangesQuery, ErrorCode, Seen,
};
use coordination::category::Category;
use coordination::ids::SessionId;
use coordination::query::{self, params};
use serde_json::{Map, Value};

use super::json;
use super::read::{Pairs, path, read};
use crate::app::AppState;
use crate::core::overrides::Change;
use crate::web::error::ApiError;
use crate::web::request::{RequestId, says_json};
use crate::web::security::WriteAuth;

type Id = Result<Path<String>, PathRejection>;

/// Sets the category of a session by hand; answered when that is durable.
#[utoipa::path(
    patch, path = "/api/v2/sessions/{id}/category", tag = "categories",
    params(("id" = SessionId, Path, description = "The session")),
    request_body(content = CategoryPatch),
    security(("token" = []), ("pageSession" = [])),
    responses((status = 200, body = CategoryPatched))
)]
pub(super) async fn set(
    State(state): State<AppState>,
    _right: WriteAuth,
    Extension(request): Extension<RequestId>,
    id: Id,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let body = object(&headers, body)?;
    let id = known(&state, id).await?;
    let Some(category) = category(&body)? else { return Err(no_category()) };
    let change = Change {
        session_id: id,
        category: Some(category),
        by: line(&body, "updatedBy", 200)?,
        reason: line(&body, "reason", 1000)?,
        request_id: request.0,
        expected: expected(&body)?,
    };
    commit(&state, change).await
}

/// Returns to the automatic category. Who and why may be told as in the PATCH; the body may be left out.
#[utoipa::path(
    delete, path = "/api/v2/sessions/{id}/category", tag = "categories",
    params(("id" = SessionId, Path, description = "The session")),
    request_body(content = Option<CategoryClear>),
    security(("token" = []), ("pageSession" = [])),
    responses((status = 200, body = CategoryPatched))
)]
pub(super) async fn clear(
    State(state): State<AppState>,
    _right: WriteAuth,
    Extension(request): Extension<RequestId>,
    id: Id,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let body = match &body {
        Ok(bytes) if bytes.is_empty() => Map::new(),
        _ => object(&headers, body)?,
    };
    let change = Change {
        session_id: overridden(&state, id).await?,
        category: None,
        by: line(&body, "updatedBy", 200)?,
        reason: line(&body, "reason", 1000)?,
        request_id: request.0,
        expected: expected(&body)?,
    };
    commit(&state, change).await
}

/// Changes of the category of one session, newest first.
#[utoipa::path(
    get, path = "/api/v2/sessions/{id}/category/history", tag = "categories",
    params(("id" = SessionId, Path, description = "The session")), responses((status = 200, body = CategoryHistory))
)]
pub(super) async fn history(State(state): State<AppState>, id: Id) -> Result<Response, ApiError> {
    let asked = SessionId(path(id)?);
    let store = state.overrides().clone();
    state
        .ask(move |hub, now| match store.history(&asked) {
            Ok(changes) if changes.is_empty() && query::session(hub, now, &asked).is_none() => Err(nobody(&asked)),
            Ok(changes) => json(&CategoryHistory { work_session_id: asked, changes }),
            Err(error) => Err(unreadable(&error)),
        })
        .await
}

/// The changes of all sessions.
#[utoipa::path(
    get, path = "/api/v2/category-changes", tag = "categories",
    params(ChangesQuery), responses((status = 200, body = ChangesPage))
)]
pub(super) async fn changes(State(state): State<AppState>, pairs: Pairs) -> Result<Response, ApiError> {
    let asked = params::changes_query(&read(pairs)?)?;
    let store = state.overrides().clone();
    state
        .ask(move |hub, now| {
            let record = store.record().map_err(|error| unreadable(&error))?;
            json(&query::changes(hub, now, &record, &asked)?)
        })
        .await
}

fn unreadable(error: &std::io::Error) -> ApiError {
    tracing::error!(%error, "the audit log cannot be read");
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::SourceUnavailable, "The audit log cannot be read")
}

async fn commit(state: &AppState, change: Change) -> Result<Response, ApiError> {
    let id = change.session_id.clone();
    let manual = state.overrides().change(change).await?;
    state
        .ask(move |hub, now| {
            let session = query::session(hub, now, &id).map(|detail| detail.session);
            json(&CategoryPatched { ok: true, work_session_id: id, manual, session })
        })
        .await
}

/// A session that the log holds: no other can be overridden here. The 1.x route is less strict.
async fn known(state: &AppState, id: Id) -> Result<SessionId, ApiError> {
    let id = SessionId(path(id)?);
    let asked = id.clone();
    let is_ready = state.is_ready();
    let held = state.ask(move |hub, now| query::session(hub, now, &asked).is_some()).await;
    match held {
        true => Ok(id),
        // It may be in the unread history.
        false if !is_ready => {
            let error = "The history is being read; ask again when it is";
            Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::SourceUnavailable, error))
        }
        false => Err(nobody(&id)),
    }
}

/// A session that the log holds, or one that has an override: that must be removable.
async fn overridden(state: &AppState, id: Id) -> Result<SessionId, ApiError> {
    let id = SessionId(path(id)?);
    if state.hub().overrides().contains_key(&id) { Ok(id) } else { known(state, Ok(Path(id.0))).await }
}

fn nobody(id: &SessionId) -> ApiError {
    ApiError::not_found(format!("Session not found: {id}"))
}

pub(super) fn object(headers: &HeaderMap, body: Result<Bytes, BytesRejection>) -> Result<Map<String, Value>, ApiError> {
    if !says_json(headers) {
        return Err(ApiError::of_status(StatusCode::UNSUPPORTED_MEDIA_TYPE));
    }
    let body = body.map_err(|rejection| ApiError::of_status(rejection.into_response().status()))?;
    match serde_json::from_slice(&body) {
        Ok(Value::Object(object)) => Ok(object),
        _ => Err(ApiError::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidBody, "The body must be a JSON object")),
    }
}

/// The category of the body, if there is one.
pub(super) fn category(body: &Map<String, Value>) -> Result<Option<Category>, ApiError> {
    match body.get("collabCategory") {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_str().and_then(|text| text.parse().ok()).map(Some).ok_or_else(no_category),
    }
}

fn no_category() -> ApiError {
    let allowed = Category::ALL.iter().map(|category| category.as_str().to_owned()).collect();
    ApiError::unprocessable("collabCategory", allowed, "collabCategory must be one of the ten categories")
}

/// The expected current category, if the body names one.
pub(super) fn expected(body: &Map<String, Value>) -> Result<Option<Seen>, ApiError> {
    let text = match body.get("expected") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.clone(),
        Some(_) => String::new(),
    };
    let seen = Seen::try_from(text).map_err(|_| {
        let known = [None].into_iter().chain(Category::ALL.map(Some));
        let allowed = known.map(|category| String::from(Seen(category))).collect();
        ApiError::unprocessable("expected", allowed, "expected must be one of the ten categories or automatic")
    })?;
    Ok(Some(seen))
}

/// An optional line of text: trimmed, without control characters, blank as good as absent.
pub(super) fn line(body: &Map<String, Value>, field: &str, longest: usize) -> Result<Option<String>, ApiError> {
    let text = match body.get(field) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.trim(),
        Some(_) => return Err(ApiError::unprocessable(field, Vec::new(), format!("{field} must be text"))),
    };
    if text.chars().count() > longest {
        let error = format!("{field} may hold {longest} characters");
        return Err(ApiError::unprocessable(field, Vec::new(), error));
    }
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
}
