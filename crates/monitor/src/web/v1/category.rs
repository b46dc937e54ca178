//! Handler of `PATCH /api/work-sessions/:id/category` (`contract/monitor-api.md` §7). The session id need not exist in
//! the log.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use coordination::category::Category;
use coordination::ids::SessionId;
use serde_json::{Value, json};

use super::answer::{Pretty, V1Error};
use crate::app::AppState;
use crate::core::overrides::OverrideChange;
use crate::web::RequestId;
use crate::web::request::says_json;
use crate::web::security::MayCategorize;

/// Longest id and name that are taken.
const MAX_TEXT_CHARS: usize = 200;

/// Sets a category by hand; the answer comes when it is durable.
pub(super) async fn set(
    State(state): State<AppState>,
    MayCategorize(author): MayCategorize,
    Extension(request): Extension<RequestId>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Pretty, V1Error> {
    if !says_json(&headers) {
        return Err(V1Error::not_json());
    }
    let body = body.map_err(|_| V1Error::too_large())?;
    let body: Value = serde_json::from_slice(&body).map_err(|_| V1Error::body("Invalid JSON body"))?;
    let category = body.get("collabCategory").and_then(Value::as_str).and_then(|text| text.parse::<Category>().ok());
    let Some(category) = category else {
        let required = "collabCategory is required and must be a valid category";
        return Err(V1Error::body(required).with_field("collabCategory"));
    };
    let id = id.trim();
    if id.is_empty() || id.chars().count() > MAX_TEXT_CHARS || id.chars().any(char::is_control) {
        return Err(V1Error::value("workSessionId", ["text of at most 200 characters"]));
    }
    let by = body.get("updatedBy").and_then(Value::as_str).unwrap_or_default();
    let by: String = by.trim().chars().filter(|char| !char.is_control()).take(MAX_TEXT_CHARS).collect();
    let by = author.or_claimed(Some(by.trim().to_owned()).filter(|by| !by.is_empty()));
    let change = OverrideChange {
        session_id: SessionId::from(id),
        category: Some(category),
        by,
        reason: None,
        request_id: request.0,
        expected: None,
    };
    let manual = state.overrides().change(change).await?;
    Ok(Pretty(json!({ "ok": true, "workSessionId": id, "override": manual })))
}
