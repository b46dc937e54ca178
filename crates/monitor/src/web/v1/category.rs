//! `PATCH /api/work-sessions/:id/category` (`contract/monitor-api.md` §7). The id need not exist here.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use coordination::category::Category;
use coordination::ids::SessionId;
use serde_json::{Value, json};

use super::answer::{Fault, Pretty};
use crate::app::AppState;
use crate::core::overrides::Change;
use crate::web::request::says_json;
use crate::web::{RequestId, WriteAuth};

/// Longest id and name that are taken.
const LONGEST: usize = 200;

/// Sets a category by hand; the answer comes when it is durable.
pub(super) async fn set(
    State(state): State<AppState>,
    _right: WriteAuth,
    Extension(request): Extension<RequestId>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Pretty, Fault> {
    if !says_json(&headers) {
        return Err(Fault::not_json());
    }
    let body = body.map_err(|_| Fault::too_large())?;
    let body: Value = serde_json::from_slice(&body).map_err(|_| Fault::body("Invalid JSON body"))?;
    let category = body.get("collabCategory").and_then(Value::as_str).and_then(|text| text.parse::<Category>().ok());
    let Some(category) = category else {
        let required = "collabCategory is required and must be a valid category";
        return Err(Fault::body(required).with_field("collabCategory"));
    };
    let id = id.trim();
    if id.is_empty() || id.chars().count() > LONGEST || id.chars().any(char::is_control) {
        return Err(Fault::value("workSessionId", ["text of at most 200 characters"]));
    }
    let by = body.get("updatedBy").and_then(Value::as_str).unwrap_or_default();
    let by: String = by.trim().chars().filter(|char| !char.is_control()).take(LONGEST).collect();
    let by = Some(by.trim().to_owned()).filter(|by| !by.is_empty());
    let change = Change {
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
