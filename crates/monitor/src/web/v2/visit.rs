//! Handler of `POST /api/v2/me/visit`: last visit of the person who asks. It takes no right to write, because it concerns
//! nobody else: the name comes from the trusted proxy and the time from the monitor's clock, neither from the request.

use axum::extract::State;
use axum::http::StatusCode;
use coordination::api::PersonVisit;

use crate::app::AppState;
use crate::web::error::ApiError;
use crate::web::extract::{ApiResult, json};
use crate::web::security::Viewer;

/// Records that the person looks at the dashboard now, and returns the last visit before, in whichever browser that was. Needs
/// no right to write. Of a client whom no trusted proxy names nothing is recorded.
#[utoipa::path(post, path = "/me/visit", tag = "state")]
pub(super) async fn record(State(state): State<AppState>, viewer: Viewer) -> ApiResult<PersonVisit> {
    let Some(user) = viewer.user else { return json(&PersonVisit::default()) };
    let recorded = tokio::task::spawn_blocking(move || state.visits().record(&user, state.now())).await;
    // A panic there was logged.
    json(&recorded.map_err(|_| ApiError::of_status(StatusCode::INTERNAL_SERVER_ERROR))?)
}
