//! `PATCH categories`: categories of many sessions at once, durable together, each with its own result.

use std::collections::HashSet;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::HeaderMap;
use coordination::api::{CategoriesPatch, CategoriesPatched, CategoryResult, ErrorCode};
use coordination::ids::SessionId;
use coordination::query;
use serde_json::{Map, Value};

use super::category::{category, expected, line, object};
use crate::app::AppState;
use crate::core::overrides::Change;
use crate::web::error::ApiError;
use crate::web::extract::{Answer, Reply};
use crate::web::request::RequestId;
use crate::web::security::WriteAuth;

/// Most sessions of one request.
const MAX_ITEMS: usize = 200;

/// Sets the categories of many sessions, or returns them to their automatic ones. What cannot be understood is refused
/// as a whole; a session that is not there, or that somebody else changed meanwhile, is refused alone.
#[utoipa::path(patch, path = "/categories", tag = "categories", request_body(content = CategoriesPatch))]
pub(super) async fn set(
    State(state): State<AppState>,
    _right: WriteAuth,
    Extension(request): Extension<RequestId>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Reply<CategoriesPatched> {
    let changes = changes(&object(&headers, body)?, &request.0)?;
    let asked: Vec<SessionId> = changes.iter().map(|change| change.session_id.clone()).collect();
    let ids: Vec<_> = changes.iter().map(|change| (change.session_id.clone(), change.category.is_none())).collect();
    let held: HashSet<SessionId> = state
        .ask(move |hub, now| {
            // An override must not stay for ever, though the log no longer holds its session.
            let may = |id: &SessionId, back| {
                query::session_card(hub, now, id).is_some() || (back && hub.overrides().contains_key(id))
            };
            ids.into_iter().filter(|(id, back)| may(id, *back)).map(|(id, _)| id).collect()
        })
        .await;
    let known = changes.into_iter().filter(|change| held.contains(&change.session_id)).collect();
    let mut done = state.overrides().change_all(known).await?.into_iter();
    let refused: Vec<Option<ErrorCode>> = asked
        .iter()
        .map(|id| match held.contains(id) {
            true => done.next().and_then(Result::err).map(|_| ErrorCode::Conflict),
            false => Some(ErrorCode::NotFound),
        })
        .collect();
    state
        .ask(move |hub, now| {
            let results = asked.into_iter().zip(refused).map(|(id, refused)| CategoryResult {
                refused,
                manual: hub.overrides().get(&id).cloned(),
                session: query::session_card(hub, now, &id),
                work_session_id: id,
            });
            Answer::new(&CategoriesPatched { results: results.collect() })
        })
        .await
}

fn changes(body: &Map<String, Value>, request_id: &str) -> Result<Vec<Change>, ApiError> {
    let wrong = |error: &str| ApiError::unprocessable("items", Vec::new(), error);
    let items = body.get("items").and_then(Value::as_array).ok_or_else(|| wrong("items must be a list"))?;
    if items.is_empty() || items.len() > MAX_ITEMS {
        return Err(wrong(&format!("items must hold 1 to {MAX_ITEMS} sessions")));
    }
    let (by, reason) = (line(body, "updatedBy", 200)?, line(body, "reason", 1000)?);
    let mut ids = HashSet::new();
    let change = |(number, item): (usize, &Value)| {
        let item = item.as_object().ok_or_else(|| wrong("every item must be an object"))?;
        let id = item.get("workSessionId").and_then(Value::as_str).filter(|id| !id.is_empty());
        let id = SessionId::from(id.ok_or_else(|| wrong("every item must name its workSessionId"))?);
        if !ids.insert(id.clone()) {
            return Err(wrong("every session may stand there once"));
        }
        Ok(Change {
            category: category(item)?,
            expected: expected(item)?,
            by: by.clone(),
            reason: reason.clone(),
            request_id: format!("{request_id}.{number}"),
            session_id: id,
        })
    };
    items.iter().enumerate().map(change).collect()
}
