//! Handlers of `GET /api/events` and `GET /api/events/search` (`contract/monitor-api.md` §4.1, §4.4).

use axum::extract::State;
use axum::response::Response;
use coordination::compat::{self, V1EventsQuery, V1SearchQuery};
use coordination::role::Role;

use super::answer::V1Error;
use super::large_answers::MAX_ANSWER;
use super::list_answer::ListRequest;
use super::query::V1QueryPairs;
use crate::app::AppState;

/// The last `limit` matching events, oldest first: at most 16 MiB of them, counted as lines of the log.
pub(super) async fn list(
    State(state): State<AppState>,
    request: ListRequest,
    pairs: V1QueryPairs,
) -> Result<Response, V1Error> {
    let query = V1EventsQuery {
        since: pairs.since()?,
        role: role(&pairs)?,
        types: pairs.csv("type"),
        view_category: pairs.first("viewCategory").map(str::to_owned),
        limit: pairs.limit(100),
        bound: MAX_ANSWER,
    };
    let by_v1 = pairs.by_v1()?;
    request.answer(state, move |hub, _| Ok(compat::events(hub, by_v1, &query))).await
}

/// Events that hold a text, newest first: at most 16 MiB of them, counted as lines of the log. Plain text over memory; no database is needed (§4.4).
pub(super) async fn search(
    State(state): State<AppState>,
    request: ListRequest,
    pairs: V1QueryPairs,
) -> Result<Response, V1Error> {
    let Some(q) = pairs.text("q").map(str::to_owned) else { return Err(V1Error::value("q", ["text to look for"])) };
    let query = V1SearchQuery {
        q,
        role: role(&pairs)?,
        view_category: pairs.first("viewCategory").map(str::to_owned),
        limit: pairs.limit(50),
        offset: pairs.offset(),
        bound: MAX_ANSWER,
    };
    let by_v1 = pairs.by_v1()?;
    request.answer(state, move |hub, _| Ok(compat::search_events(hub, by_v1, &query))).await
}

/// One exact role as given; blank means no filter. An unknown role is a 400 (D17).
fn role(pairs: &V1QueryPairs) -> Result<Option<String>, V1Error> {
    match pairs.text("role") {
        None => Ok(None),
        Some(text) => match text.parse::<Role>() {
            Ok(role) => Ok(Some(role.as_str().to_owned())),
            Err(()) => Err(V1Error::value("role", Role::ALL.map(Role::as_str))),
        },
    }
}
