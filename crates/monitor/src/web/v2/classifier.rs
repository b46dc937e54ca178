//! `classifier/config` and `classifier/replay`: rules that people teach, and texts to try them on.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::HeaderMap;
use axum::response::Response;
use coordination::api::{ReplayPage, Taught, TaughtInfo, TaughtPut};
use coordination::classify::v2::checked_rules;
use coordination::query::{self, params};
use serde_json::Value;

use super::category::{line, object};
use super::json;
use super::read::{Pairs, read};
use crate::app::AppState;
use crate::web::error::ApiError;
use crate::web::request::RequestId;
use crate::web::security::WriteAuth;

/// What the classifier was taught.
#[utoipa::path(
    get, path = "/api/v2/classifier/config", tag = "classifier",
    responses((status = 200, body = TaughtInfo))
)]
pub(super) async fn get(State(state): State<AppState>) -> Result<Response, ApiError> {
    json(&told(&state, state.overrides().taught()))
}

/// Replaces what is taught, whole.
#[utoipa::path(
    put, path = "/api/v2/classifier/config", tag = "classifier",
    request_body(content = TaughtPut),
    security(("token" = []), ("pageSession" = [])),
    responses((status = 200, body = TaughtInfo))
)]
pub(super) async fn set(
    State(state): State<AppState>,
    _right: WriteAuth,
    Extension(request): Extension<RequestId>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let body = object(&headers, body)?;
    let config = body.get("config").cloned().unwrap_or(Value::Null);
    let config: Taught = serde_json::from_value(config)
        .map_err(|error| ApiError::unprocessable("config", Vec::new(), format!("config: {error}")))?;
    let config = checked_rules(config)
        .map_err(|fault| ApiError::unprocessable(&format!("config.{}", fault.field), Vec::new(), fault.message))?;
    let put = TaughtPut { config, expected: line(&body, "expected", 64)?, updated_by: line(&body, "updatedBy", 200)? };
    tracing::info!(request = request.0, words = put.config.words.len(), by = put.updated_by, "the rules changed");
    let info = state.overrides().teach(put).await?;
    json(&told(&state, info))
}

/// What sessions say, to be classified anew elsewhere.
#[utoipa::path(
    get, path = "/api/v2/classifier/replay", tag = "classifier",
    params(
        ("after" = Option<i64>, Query, description = "The `next` of the page before", minimum = 0, maximum = 4_294_967_295i64),
        ("limit" = Option<u32>, Query, description = "Sessions a page", minimum = 1, maximum = 1000),
    ),
    responses((status = 200, body = ReplayPage))
)]
pub(super) async fn replay(State(state): State<AppState>, pairs: Pairs) -> Result<Response, ApiError> {
    let (after, limit) = params::replay_query(&read(pairs)?)?;
    state.ask(move |hub, _| json(&query::replay(hub, after, limit)?)).await
}

fn told(state: &AppState, info: TaughtInfo) -> TaughtInfo {
    TaughtInfo { classifier: state.settings().classifier, ..info }
}
