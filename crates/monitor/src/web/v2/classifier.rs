//! `classifier/config` and `classifier/replay`: rules that people teach, and texts to try them on.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::HeaderMap;
use coordination::api::{ReplayPage, ReplayQuery, Taught, TaughtInfo, TaughtPut};
use coordination::classify::v2::checked_rules;
use coordination::query;
use serde_json::Value;

use super::category::{line, object};
use crate::app::AppState;
use crate::web::error::ApiError;
use crate::web::extract::{Answer, Reply, StrictQuery};
use crate::web::request::RequestId;
use crate::web::security::WriteAuth;

/// What the classifier was taught.
#[utoipa::path(get, path = "/classifier/config", tag = "classifier")]
pub(super) async fn get(State(state): State<AppState>) -> Reply<TaughtInfo> {
    Answer::new(&told(&state, state.overrides().taught()))
}

/// Replaces what is taught, whole.
#[utoipa::path(put, path = "/classifier/config", tag = "classifier", request_body(content = TaughtPut))]
pub(super) async fn set(
    State(state): State<AppState>,
    _right: WriteAuth,
    Extension(request): Extension<RequestId>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Reply<TaughtInfo> {
    let body = object(&headers, body)?;
    let config = body.get("config").cloned().unwrap_or(Value::Null);
    let config: Taught = serde_json::from_value(config)
        .map_err(|error| ApiError::unprocessable("config", Vec::new(), format!("config: {error}")))?;
    let config = checked_rules(config)
        .map_err(|fault| ApiError::unprocessable(&format!("config.{}", fault.field), Vec::new(), fault.message))?;
    let put = TaughtPut { config, expected: line(&body, "expected", 64)?, updated_by: line(&body, "updatedBy", 200)? };
    tracing::info!(request = request.0, words = put.config.words.len(), by = put.updated_by, "taught words are set");
    let info = state.overrides().teach(put).await?;
    Answer::new(&told(&state, info))
}

/// What sessions say, to be classified anew elsewhere.
#[utoipa::path(get, path = "/classifier/replay", tag = "classifier")]
pub(super) async fn replay(
    State(state): State<AppState>,
    StrictQuery(ReplayQuery { after, limit }): StrictQuery<ReplayQuery>,
) -> Reply<ReplayPage> {
    state.ask(move |hub, _| Answer::new(&query::replay(hub, after, limit)?)).await
}

fn told(state: &AppState, info: TaughtInfo) -> TaughtInfo {
    TaughtInfo { classifier: state.settings().classifier, ..info }
}
