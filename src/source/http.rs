//! HTTP client for JSON: requests with a time limit, error bodies and decoding, and the address of the API. A request
//! whose future is dropped is aborted.

use std::future::Future;

use coordination::api::ErrorBody;
use coordination::decode::{DecodeError, decode};
use futures::FutureExt;
use gloo_net::http::{Request, RequestBuilder};
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::document;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use web_sys::{AbortController, RequestCache};

use super::{SourceError, SourceFuture, local};

/// No answer within this time counts as none.
const REQUEST_TIMEOUT_MS: u32 = 20_000;

/// The address below which the API answers: the page's `task-hub:api-base`, resolved against its `<base>`,
/// without a trailing slash.
pub(crate) fn api_base() -> String {
    let wanted = meta("task-hub:api-base").filter(|base| !base.trim().is_empty()).unwrap_or_else(|| "api".to_owned());
    let page = document().base_uri().ok().flatten().unwrap_or_default();
    web_sys::Url::new_with_base(wanted.trim(), &page)
        .map(|url| url.href())
        .unwrap_or(wanted)
        .trim_end_matches('/')
        .to_owned()
}

/// Content of a `<meta name=…>`.
pub fn meta(name: &str) -> Option<String> {
    document().query_selector(&format!("meta[name=\"{name}\"]")).ok().flatten()?.get_attribute("content")
}

/// GET as JSON.
pub(super) fn get<T: DeserializeOwned + 'static>(url: &str) -> SourceFuture<T> {
    get_within(url, REQUEST_TIMEOUT_MS)
}

/// The path behind the base of the opened files and `v2/`, for an address that they answer.
fn of_files(url: &str) -> Option<&str> {
    url.strip_prefix(local::BASE)?.strip_prefix("/v2/")
}

/// Asks the opened files.
fn ask_files<B: Serialize, T: DeserializeOwned + 'static>(
    method: &'static str,
    path: &str,
    body: Option<&B>,
) -> SourceFuture<T> {
    let body = body.and_then(|body| serde_json::to_string(body).ok()).unwrap_or_default();
    let answer = local::ask(method, path, body);
    fitting(Box::pin(async move {
        let (status, text) = answer.await?;
        outcome(status, &text)
    }))
}

/// GET of a JSON answer, re-serialised as text.
pub(super) async fn text(url: &str) -> Result<String, SourceError> {
    let (request, abort_guard) = with_abort(Request::get(url));
    Ok(ask(request.build(), abort_guard, REQUEST_TIMEOUT_MS).await?.to_string())
}

/// GET as JSON with its own time limit.
pub(super) fn get_within<T: DeserializeOwned + 'static>(url: &str, limit_ms: u32) -> SourceFuture<T> {
    if let Some(path) = of_files(url) {
        return ask_files::<(), T>("GET", path, None);
    }
    let (request, abort_guard) = with_abort(Request::get(url));
    fitting(ask(request.build(), abort_guard, limit_ms))
}

/// PATCH with a JSON body, answered as JSON.
pub(super) fn patch<B: Serialize, T: DeserializeOwned + 'static>(url: &str, body: &B) -> SourceFuture<T> {
    if let Some(path) = of_files(url) {
        return ask_files("PATCH", path, Some(body));
    }
    let (request, abort_guard) = with_abort(Request::patch(url));
    fitting(ask(request.json(body), abort_guard, REQUEST_TIMEOUT_MS))
}

/// PUT with a JSON body, answered as JSON.
pub(super) fn put<B: Serialize, T: DeserializeOwned + 'static>(url: &str, body: &B) -> SourceFuture<T> {
    if let Some(path) = of_files(url) {
        return ask_files("PUT", path, Some(body));
    }
    let (request, abort_guard) = with_abort(Request::put(url));
    fitting(ask(request.json(body), abort_guard, REQUEST_TIMEOUT_MS))
}

/// POST with a JSON body and its own time limit, answered as JSON.
pub(super) fn post_within<B: Serialize, T: DeserializeOwned + 'static>(
    url: &str,
    body: &B,
    limit_ms: u32,
) -> SourceFuture<T> {
    if let Some(path) = of_files(url) {
        return ask_files("POST", path, Some(body));
    }
    let (request, abort_guard) = with_abort(Request::post(url));
    fitting(ask(request.json(body), abort_guard, limit_ms))
}

/// DELETE with a JSON body, answered as JSON.
pub(super) fn delete<B: Serialize, T: DeserializeOwned + 'static>(url: &str, body: &B) -> SourceFuture<T> {
    if let Some(path) = of_files(url) {
        return ask_files("DELETE", path, Some(body));
    }
    let (request, abort_guard) = with_abort(Request::delete(url));
    fitting(ask(request.json(body), abort_guard, REQUEST_TIMEOUT_MS))
}

fn fitting<T: DeserializeOwned + 'static>(answer: SourceFuture<Value>) -> SourceFuture<T> {
    Box::pin(async { decoded(answer.await?) })
}

fn decoded<T: DeserializeOwned>(value: Value) -> Result<T, SourceError> {
    decode(value).map_err(|DecodeError| SourceError::Decode)
}

/// Aborts the browser's request when nobody waits for its answer any more: at its timeout, or because its page is
/// closed. A request that is merely dropped holds a dead connection for ever; a browser has at most
/// six for one host, and then none for the next request.
struct AbortOnDrop(Option<AbortController>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        if let Some(request) = &self.0 {
            request.abort();
        }
    }
}

/// A request for JSON. It passes by the browser's cache, which would let it wait behind an earlier one for the same
/// address that is never answered.
fn with_abort(request: RequestBuilder) -> (RequestBuilder, AbortOnDrop) {
    let abort = AbortController::new().ok();
    let signal = abort.as_ref().map(AbortController::signal);
    let request = request.header("accept", "application/json").cache(RequestCache::NoStore);
    (request.abort_signal(signal.as_ref()), AbortOnDrop(abort))
}

async fn limited<T, E>(answer: impl Future<Output = Result<T, E>>, limit_ms: u32) -> Result<T, SourceError> {
    futures::select_biased! {
        answer = answer.fuse() => answer.map_err(|_| SourceError::Network),
        () = TimeoutFuture::new(limit_ms).fuse() => Err(SourceError::Network),
    }
}

/// GET of an answer that is no JSON.
pub(super) fn plain_text(url: &str) -> SourceFuture<String> {
    if let Some(path) = of_files(url) {
        let answer = local::ask("GET", path, String::new());
        return Box::pin(async move { text_of(answer.await?) });
    }
    let (request, abort_guard) = with_abort(Request::get(url));
    let answer = answer(request.header("accept", "*/*").build(), abort_guard, REQUEST_TIMEOUT_MS);
    Box::pin(async move { text_of(answer.await?) })
}

/// A file of the page's own bundle, as text.
pub fn bundle_text(name: &str) -> SourceFuture<String> {
    let page = document().base_uri().ok().flatten().unwrap_or_default();
    match web_sys::Url::new_with_base(name, &page) {
        Ok(url) => plain_text(&url.href()),
        Err(_) => super::answered(Err(SourceError::Network)),
    }
}

/// The text of an answer that is no JSON; that of a refusal is.
fn text_of((status, text): (u16, String)) -> Result<String, SourceError> {
    match status {
        200..300 => Ok(text),
        _ => Err(outcome(status, &text).err().unwrap_or(SourceError::Decode)),
    }
}

/// Status and text of an answer.
fn answer(
    request: Result<Request, gloo_net::Error>,
    abort_guard: AbortOnDrop,
    limit_ms: u32,
) -> SourceFuture<(u16, String)> {
    Box::pin(async move {
        let _taken_back_with_this_future = abort_guard;
        let request = request.map_err(|_| SourceError::Decode)?;
        let response = limited(request.send(), limit_ms).await?;
        let status = response.status();
        // A cut connection fails here, half-way through the body.
        Ok((status, limited(response.text(), REQUEST_TIMEOUT_MS).await?))
    })
}

/// Boxed: every question of the app waits in this one future instead of in a copy of it.
fn ask(request: Result<Request, gloo_net::Error>, abort_guard: AbortOnDrop, limit_ms: u32) -> SourceFuture<Value> {
    let answer = answer(request, abort_guard, limit_ms);
    Box::pin(async move {
        let (status, text) = answer.await?;
        outcome(status, &text)
    })
}

/// The value of an answer, or what went wrong by its status and text.
fn outcome(status: u16, text: &str) -> Result<Value, SourceError> {
    let value = serde_json::from_str::<Value>(text).map_err(|_| SourceError::Decode);
    if (200..300).contains(&status) {
        return value;
    }
    match value.and_then(decoded::<ErrorBody>) {
        Ok(body) => Err(SourceError::Api { status, body }),
        // Not our error shape: a proxy's page, or a server that does not know this route.
        Err(_) if matches!(status, 404 | 405 | 501) => Err(SourceError::Unsupported),
        Err(_) if matches!(status, 502..=504) => Err(SourceError::Network),
        Err(_) => Err(SourceError::Decode),
    }
}
