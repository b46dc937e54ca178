//! Answers that a client has already: a weak tag names the position in the stream that an answer was made at, and who
//! shows it again is told that nothing changed, without the answer being made anew.
//!
//! Everything that these answers show moves the position when it changes, the passing of time within twenty seconds
//! (`live::publisher`). What depends on the day or the hour besides is covered by the minute in the tag. While the history
//! is read the position stands still, so there are no tags.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::state::AppState;

const MINUTE_MS: i64 = 60_000;

/// Answers `304` to who shows the tag of the answer it would get, and puts a tag on every other one.
pub(super) async fn known(State(state): State<AppState>, request: Request, next: Next) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) || !state.is_ready() {
        return next.run(request).await;
    }
    // Before the answer is made: it may be newer than its tag, never older.
    let tag = tag(&state, request.uri());
    if shows(request.headers(), &tag) {
        return (StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response();
    }
    let mut response = next.run(request).await;
    if response.status() == StatusCode::OK
        && let Ok(tag) = HeaderValue::from_str(&tag)
    {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// Names an answer by the run of the process, the position, the minute and the question.
fn tag(state: &AppState, uri: &Uri) -> String {
    let mut asked = DefaultHasher::new();
    (uri.path(), uri.query()).hash(&mut asked);
    let (epoch, seq) = state.live().position();
    epoch.hash(&mut asked);
    format!("W/\"{seq}-{}-{:016x}\"", state.now().div_euclid(MINUTE_MS), asked.finish())
}

/// `If-None-Match` is a list of tags, or `*`, which asks for no particular answer and is passed over.
fn shows(headers: &HeaderMap, tag: &str) -> bool {
    let strong = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let lists = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|shown| strong(shown) == strong(tag))
}
