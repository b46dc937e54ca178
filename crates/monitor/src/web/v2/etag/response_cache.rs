//! Cache of REST v2 responses by address, valid for one state of the monitor and at most one second. The next request
//! empties it if the state has changed, a new second has begun, or the cached responses exceed 16 MiB.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::{Body, Bytes, HttpBody as _, to_bytes};
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tokio::sync::OnceCell;

use super::{CacheKey, StateVersion};

/// All cached answers and their keys. The next request after it is passed empties the cache.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// A larger answer is not cached.
const MAX_ANSWER_BYTES: u64 = 1024 * 1024;

/// Filled by the first request; the others wait for it.
type CachedResponse = Arc<OnceCell<Bytes>>;

/// Answers of one version.
#[derive(Debug, Default)]
pub(crate) struct ResponseCache(Mutex<Entries>);

#[derive(Debug, Default)]
struct Entries {
    version: Option<StateVersion>,
    bytes: usize,
    slots: HashMap<CacheKey, CachedResponse>,
}

impl ResponseCache {
    /// The cached answer of this key and version, computed by `next` if there is none. Errors and answers larger than
    /// [`MAX_ANSWER_BYTES`] are not cached.
    pub(super) async fn answer(&self, version: &StateVersion, key: CacheKey, request: Request, next: Next) -> Response {
        let slot = self.slot(version, key);
        let make = async || {
            let response = next.run(request).await;
            let size = response.body().size_hint().exact();
            if response.status() != StatusCode::OK || size.is_none_or(|size| size > MAX_ANSWER_BYTES) {
                return Err(response);
            }
            let (head, body) = response.into_parts();
            match to_bytes(body, usize::MAX).await {
                Ok(bytes) => {
                    self.grow(version, bytes.len());
                    Ok(bytes)
                }
                // A body of a known size is in memory already.
                Err(_) => Err(Response::from_parts(head, Body::empty())),
            }
        };
        match slot.get_or_try_init(make).await {
            Ok(bytes) => ([(header::CONTENT_TYPE, "application/json")], bytes.clone()).into_response(),
            Err(response) => response,
        }
    }

    fn slot(&self, version: &StateVersion, key: CacheKey) -> CachedResponse {
        let mut entries = self.entries();
        if entries.version.as_ref() != Some(version) || entries.bytes > MAX_BYTES {
            *entries = Entries { version: Some(version.clone()), ..Entries::default() };
        }
        if let Some(slot) = entries.slots.get(&key) {
            return Arc::clone(slot);
        }
        entries.bytes += key.0.len() + key.1.as_ref().map_or(0, String::len) + size_of::<(CacheKey, CachedResponse)>();
        Arc::clone(entries.slots.entry(key).or_default())
    }

    fn grow(&self, version: &StateVersion, bytes: usize) {
        let mut entries = self.entries();
        if entries.version.as_ref() == Some(version) {
            entries.bytes += bytes;
        }
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use axum::Router;
    use axum::middleware::from_fn;
    use axum::routing::get;
    use tower::ServiceExt as _;

    use super::*;

    /// Requests `path` through the cache at a number of changes; the path selects the answer.
    async fn ask(
        cache: &Arc<ResponseCache>,
        count: &Arc<AtomicUsize>,
        version: u64,
        path: &str,
    ) -> (StatusCode, usize) {
        let version = StateVersion { changes: version, ..StateVersion::default() };
        let (cache, count) = (Arc::clone(cache), Arc::clone(count));
        let keep = move |request: Request, next: Next| {
            let (cache, version) = (Arc::clone(&cache), version.clone());
            async move {
                let key = (request.uri().path().to_owned(), request.uri().query().map(str::to_owned));
                cache.answer(&version, key, request, next).await
            }
        };
        let handler = move |request: Request| async move {
            count.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
            match request.uri().path() {
                "/fault" => (StatusCode::BAD_REQUEST, String::new()),
                "/large" => (StatusCode::OK, "x".repeat(MAX_ANSWER_BYTES as usize + 1)),
                "/half" => (StatusCode::OK, "x".repeat(MAX_ANSWER_BYTES as usize / 2)),
                _ => (StatusCode::OK, "answer".to_owned()),
            }
        };
        let app = Router::new().fallback(get(handler)).layer(from_fn(keep));
        let request = Request::get(path).body(Body::empty()).expect("a request");
        let response = app.oneshot(request).await.expect("an answer");
        let status = response.status();
        (status, to_bytes(response.into_body(), usize::MAX).await.expect("a body").len())
    }

    #[tokio::test]
    async fn concurrent_requests_compute_once() {
        let (cache, count) = (Arc::default(), Arc::default());
        let all = (0..100).map(|_| ask(&cache, &count, 1, "/a?x=1"));
        assert!(futures::future::join_all(all).await.iter().all(|answer| *answer == (StatusCode::OK, 6)));
        assert_eq!(count.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn only_small_equal_answers_are_cached() {
        let (cache, count) = (Arc::default(), Arc::default());
        let mut expected = 0;
        let requests =
            [(1, "/a", 1), (1, "/a?", 1), (1, "/a", 0), (2, "/a", 1), (1, "/a", 1), (1, "/fault", 1), (1, "/fault", 1)];
        for (version, path, computed_now) in requests.into_iter().chain([(1, "/large", 1), (1, "/large", 1)]) {
            ask(&cache, &count, version, path).await;
            expected += computed_now;
            assert_eq!(count.load(Ordering::Relaxed), expected, "{version} {path}");
        }
    }

    #[tokio::test]
    async fn cached_bytes_are_bounded() {
        let (cache, count) = (Arc::new(ResponseCache::default()), Arc::default());
        for key in 0..200 {
            ask(&cache, &count, 1, &format!("/half?{key}")).await;
            let entries = cache.entries();
            let held: usize = entries.slots.values().filter_map(|slot| slot.get()).map(Bytes::len).sum();
            assert!(held <= MAX_BYTES + MAX_ANSWER_BYTES as usize && held <= entries.bytes, "{held}");
        }
    }
}
