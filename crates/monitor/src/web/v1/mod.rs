//! Routes of REST 1.x and its WebSocket `/ws`, compatible with the original 1.x monitor (`contract/monitor-api.md`
//! §2–§8). Response formats are the old ones, field by field. Values that were wrong because of a defect listed in §11
//! are correct here.

mod agents;
mod answer;
mod category;
mod events;
mod feed;
mod folder;
mod large_answers;
mod list_answer;
mod query;
mod removed_routes;
mod sessions;
mod socket;
mod task;

#[cfg(test)]
mod tests;

use axum::Router;
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, any, get, patch};
use serde_json::json;

use self::answer::{Pretty, V1Error};
use super::state::WebState;
use crate::app::AppState;

/// All 1.x routes.
pub(super) fn routes() -> Router<WebState> {
    let lists = Router::new()
        .route("/api/events", get(events::list))
        .route("/api/events/search", get(events::search))
        .route("/api/work-sessions", get(sessions::list))
        .route("/api/work-sessions/search", get(sessions::search))
        .route("/api/work-sessions/{id}", get(sessions::one))
        .route_layer(middleware::from_fn_with_state(large_answers::permits(), large_answers::limit_large_answers));
    Router::new()
        .merge(lists)
        .route("/api", get(about))
        .route("/api/health", get(health))
        .route("/api/agents", get(agents::list))
        .route("/api/agents/{id}/info", get(agents::one_info))
        .route("/api/agents/{id}/tasks", get(agents::open_tasks))
        .route("/api/agents/{id}/current", get(agents::current_task))
        .route("/api/agents/{id}/history", get(agents::archive))
        .route("/api/agents/{id}/blocked", get(agents::blocked_tasks))
        .route("/api/agents/{id}/plans", get(agents::plans))
        .route("/api/agents/{id}/{action}", get(agents::unknown_action))
        .route("/api/agents/{id}/tasks/{task}", get(agents::one_task))
        .route("/api/team-state", get(agents::team_state))
        .route("/api/work-sessions/{id}/category", patch(category::set))
        .route("/api/workspace-file", get_post_or_patch(removed_routes::workspace_file))
        .route("/api/milestones", get_post_or_patch(removed_routes::milestones))
        .route("/api/milestones/{*rest}", get_post_or_patch(removed_routes::milestones))
        .route("/api/{*rest}", any(not_found))
        .method_not_allowed_fallback(method_not_allowed)
        .layer(middleware::from_fn(refuse_other_methods))
        .route("/ws", get(socket::open))
}

/// Accepts every method of REST 1.x. Unlike with `any`, the 405 for another method has an `Allow` header.
fn get_post_or_patch<F: Future<Output = V1Error> + Send + 'static>(
    answer: impl Fn() -> F + Clone + Send + Sync + 'static,
) -> MethodRouter<WebState> {
    get(answer.clone()).post(answer.clone()).patch(answer)
}

/// Any `OPTIONS` is answered with an empty 204; methods the old monitor refuses everywhere are refused everywhere
/// (§2). The rest is decided by the route.
async fn refuse_other_methods(request: Request, next: Next) -> Response {
    match *request.method() {
        Method::OPTIONS => StatusCode::NO_CONTENT.into_response(),
        Method::GET | Method::POST | Method::PATCH => next.run(request).await,
        _ => method_not_allowed().await.into_response(),
    }
}

async fn method_not_allowed() -> V1Error {
    V1Error::method()
}

async fn not_found() -> V1Error {
    V1Error::not_found("Not found")
}

/// What REST 1.x offers (§3). `/` itself serves the dashboard here.
async fn about() -> Pretty {
    Pretty(json!({
        "name": "Task Monitor API",
        "version": "1.3.0",
        "endpoints": [
            "GET /api/health",
            "GET /api/agents",
            "GET /api/agents/:id/info",
            "GET /api/agents/:id/tasks",
            "GET /api/agents/:id/tasks/:taskId",
            "GET /api/agents/:id/current",
            "GET /api/agents/:id/history",
            "GET /api/agents/:id/blocked",
            "GET /api/agents/:id/plans",
            "GET /api/team-state",
            "GET /api/events",
            "GET /api/events/search",
            "GET /api/work-sessions",
            "GET /api/work-sessions/search",
            "GET /api/work-sessions/:id",
            "PATCH /api/work-sessions/:id/category",
            "WS /ws"
        ],
        "docs": "README.md",
    }))
}

/// The monitor is up.
async fn health(axum::extract::State(state): axum::extract::State<AppState>) -> Pretty {
    Pretty(json!({ "status": "ok", "timestamp": coordination::time::to_iso(state.now()) }))
}
