//! REST 1.x, as the existing monitor answers it (`contract/monitor-api.md`).

use axum::Router;

use crate::state::AppState;

/// All 1.x routes.
pub fn routes() -> Router<AppState> {
    Router::new()
}
