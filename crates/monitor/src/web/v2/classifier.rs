//! Handlers of `/api/v2/classifier/config` and `/api/v2/classifier/replay`: classifier rules that people set, and texts
//! to try them on.

use axum::Extension;
use axum::extract::State;
use coordination::api::{ReplayPage, ReplayQuery, TaughtInfo, TaughtPut};
use coordination::classify::v2::checked_rules;
use coordination::query;

use crate::app::AppState;
use crate::web::error::ApiError;
use crate::web::extract::{ApiResult, BadField, RequestBody, StrictQuery, ValidJson, json, line, not_text};
use crate::web::request::RequestId;
use crate::web::security::MayCategorize;

/// What the classifier was taught.
#[utoipa::path(get, path = "/classifier/config", tag = "classifier")]
pub(super) async fn get(State(state): State<AppState>) -> ApiResult<TaughtInfo> {
    json(&with_classifier(&state, state.overrides().taught()))
}

/// Replaces what is taught, whole.
#[utoipa::path(put, path = "/classifier/config", tag = "classifier")]
pub(super) async fn set(
    State(state): State<AppState>,
    MayCategorize(author): MayCategorize,
    Extension(request): Extension<RequestId>,
    ValidJson(put): ValidJson<TaughtPut>,
) -> ApiResult<TaughtInfo> {
    let put = TaughtPut { updated_by: author.or_claimed(put.updated_by), ..put };
    tracing::info!(request = request.0, words = put.config.words.len(), by = put.updated_by, "taught words are set");
    let info = state.overrides().teach(put).await?;
    json(&with_classifier(&state, info))
}

/// What sessions say, to be classified again elsewhere.
#[utoipa::path(get, path = "/classifier/replay", tag = "classifier")]
pub(super) async fn replay(
    State(state): State<AppState>,
    StrictQuery(ReplayQuery { after, limit }): StrictQuery<ReplayQuery>,
) -> ApiResult<ReplayPage> {
    state.run_query(move |hub, _| json(&query::replay(hub, after, limit)?)).await
}

fn with_classifier(state: &AppState, info: TaughtInfo) -> TaughtInfo {
    TaughtInfo { classifier: state.settings().classifier, ..info }
}

impl RequestBody for TaughtPut {
    fn refuse(field: &BadField) -> ApiError {
        let config = |error: &str| ApiError::unprocessable("config", Vec::new(), format!("config: {error}"));
        match (field.top.as_str(), field.name.as_str()) {
            ("config", "config") if field.is_missing => config("invalid type: null, expected struct Taught"),
            ("config", _) => config(&field.message),
            (_, name) => not_text(name),
        }
    }

    fn validated(self) -> Result<Self, ApiError> {
        let config = checked_rules(self.config)
            .map_err(|fault| ApiError::unprocessable(&format!("config.{}", fault.field), Vec::new(), fault.message))?;
        let expected = line(self.expected, "expected", 64)?;
        Ok(Self { config, expected, updated_by: line(self.updated_by, "updatedBy", 200)? })
    }
}
