//! `GET sessions-store`: sessions as OpenClaw's own stores hold them.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use coordination::api::{ErrorCode, StoreList, StoreQuery};
use coordination::query::params;

use super::json;
use super::read::{Pairs, read};
use crate::http::error::ApiError;
use crate::state::AppState;

/// Sessions of OpenClaw's own stores, newest change first, and how each store stands. What was archived is told apart;
/// runs of scheduled jobs never are.
#[utoipa::path(
    get, path = "/api/v2/sessions-store", tag = "sessions",
    params(StoreQuery), responses((status = 200, body = StoreList))
)]
pub(super) async fn list(State(state): State<AppState>, pairs: Pairs) -> Result<Response, ApiError> {
    let asked = params::store_query(&read(pairs)?)?;
    match tokio::task::spawn_blocking(move || state.store_list(&asked)).await {
        Ok(list) => json(&list),
        Err(_) => {
            Err(ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, ErrorCode::Internal, "The stores could not be read"))
        }
    }
}
