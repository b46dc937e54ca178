//! Middleware of every request: request id, one log line for each server error, JSON errors, and `no-store` for the
//! API.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use tracing::Instrument as _;

use super::error::ApiError;
use super::security::for_log;
use crate::random::random_hex;

static COUNT: AtomicU64 = AtomicU64::new(1);
/// Names this run: the audit log outlives it, and process numbers come again.
static RUN: LazyLock<String> = LazyLock::new(random_hex::<4>);

/// Names one request in answer, log and audit log.
#[derive(Debug, Clone)]
pub struct RequestId(pub String);

/// Gives the request its id and errors their one form.
pub(super) async fn finish(mut request: Request, next: Next) -> Response {
    let id = format!("r{}-{}", *RUN, COUNT.fetch_add(1, Ordering::Relaxed));
    request.extensions_mut().insert(RequestId(id.clone()));
    let of_api = is_api(request.uri().path());
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let span = tracing::error_span!("request", %id);
    let mut response = next.run(request).instrument(span).await;
    let status = response.status();
    let failed = status.is_client_error() || status.is_server_error();
    let handler_error = response.extensions_mut().remove::<ApiError>();
    let of_machine = handler_error.as_ref().is_some_and(ApiError::is_of_machine);
    let lacks_json = failed && of_api && !is_json(&response);
    if let Some(error) = handler_error.or_else(|| lacks_json.then(|| ApiError::of_status(status))) {
        response = answer(error, &id, &response);
    }
    if status.is_server_error() && !of_machine {
        tracing::error!(%id, %method, path = for_log(&path), status = status.as_u16(), "request failed");
    }
    if of_api || failed {
        let no_store = HeaderValue::from_static("no-store");
        response.headers_mut().entry(header::CACHE_CONTROL).or_insert(no_store);
    }
    if of_api && let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("x-request-id", value);
    }
    response
}

/// A panic of a handler as an error like any other; its text goes to the log only.
#[expect(clippy::needless_pass_by_value, reason = "the shape that the panic layer calls")]
pub(super) fn panicked(cause: Box<dyn std::any::Any + Send + 'static>) -> Response {
    let text = cause.downcast_ref::<&str>().copied().or_else(|| cause.downcast_ref::<String>().map(String::as_str));
    tracing::error!(cause = text.unwrap_or("unknown"), "a handler panicked");
    ApiError::of_status(StatusCode::INTERNAL_SERVER_ERROR).into_response()
}

pub(super) fn is_api(path: &str) -> bool {
    path == "/api" || path == "/ws" || path.starts_with("/api/")
}

/// Whether the request declares once that its body is JSON.
pub(super) fn says_json(headers: &HeaderMap) -> bool {
    let mut kinds = headers.get_all(header::CONTENT_TYPE).into_iter().map(|value| value.to_str().unwrap_or_default());
    let kind = kinds.next().unwrap_or_default().split(';').next().unwrap_or_default();
    kinds.next().is_none() && kind.trim().eq_ignore_ascii_case("application/json")
}

fn is_json(response: &Response) -> bool {
    response.headers().get(header::CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(b"application/json"))
}

fn answer(mut error: ApiError, id: &str, old: &Response) -> Response {
    id.clone_into(&mut error.body.request_id);
    let text = serde_json::to_vec(&error.body).unwrap_or_default();
    let mut response = (error.status, [(header::CONTENT_TYPE, "application/json")], text).into_response();
    for (name, value) in old.headers() {
        // Headers of the refusing layer (`Allow`, `Retry-After`) stay.
        if !matches!(*name, header::CONTENT_TYPE | header::CONTENT_LENGTH | header::CONTENT_ENCODING) {
            response.headers_mut().insert(name, value.clone());
        }
    }
    response
}
