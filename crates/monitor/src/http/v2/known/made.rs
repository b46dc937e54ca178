//! Answers that were made at the present moment, for whoever asks the same next. A change of what is known, or the next
//! second, lets go of all of them, so what is kept is what one moment's clients ask.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::{Body, Bytes, HttpBody as _, to_bytes};
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tokio::sync::OnceCell;

use super::{Asked, Moment};

/// All answers and the questions they belong to. Beyond it they are made anew.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// A larger answer is not kept.
const LARGEST: u64 = 1024 * 1024;

/// Filled by the first who asks; the others wait for it.
type Place = Arc<OnceCell<Bytes>>;

/// Answers of one moment.
#[derive(Debug, Default)]
pub(crate) struct Made(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    moment: Option<Moment>,
    bytes: usize,
    places: HashMap<Asked, Place>,
}

impl Made {
    /// The answer that was made for this question at this moment; else it is made now. What is no plain answer, a fault
    /// or one too large, is never kept.
    pub(super) async fn answer(&self, moment: &Moment, asked: Asked, request: Request, next: Next) -> Response {
        let place = self.place(moment, asked);
        let make = async || {
            let response = next.run(request).await;
            let size = response.body().size_hint().exact();
            if response.status() != StatusCode::OK || size.is_none_or(|size| size > LARGEST) {
                return Err(response);
            }
            let (head, body) = response.into_parts();
            match to_bytes(body, usize::MAX).await {
                Ok(bytes) => {
                    self.grown(moment, bytes.len());
                    Ok(bytes)
                }
                // A body of a known size stands in memory already.
                Err(_) => Err(Response::from_parts(head, Body::empty())),
            }
        };
        match place.get_or_try_init(make).await {
            Ok(bytes) => ([(header::CONTENT_TYPE, "application/json")], bytes.clone()).into_response(),
            Err(response) => response,
        }
    }

    fn place(&self, moment: &Moment, asked: Asked) -> Place {
        let mut kept = self.kept();
        if kept.moment.as_ref() != Some(moment) || kept.bytes > MOST_BYTES {
            *kept = Kept { moment: Some(moment.clone()), ..Kept::default() };
        }
        if let Some(place) = kept.places.get(&asked) {
            return Arc::clone(place);
        }
        kept.bytes += asked.0.len() + asked.1.as_ref().map_or(0, String::len) + size_of::<(Asked, Place)>();
        Arc::clone(kept.places.entry(asked).or_default())
    }

    fn grown(&self, moment: &Moment, bytes: usize) {
        let mut kept = self.kept();
        if kept.moment.as_ref() == Some(moment) {
            kept.bytes += bytes;
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
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

    /// Asks through the keeper at a version of what is known; the path says what is answered.
    async fn ask(made: &Arc<Made>, count: &Arc<AtomicUsize>, version: u64, path: &str) -> (StatusCode, usize) {
        let moment = Moment { version, ..Moment::default() };
        let (made, count) = (Arc::clone(made), Arc::clone(count));
        let keep = move |request: Request, next: Next| {
            let (made, moment) = (Arc::clone(&made), moment.clone());
            async move {
                let asked = (request.uri().path().to_owned(), request.uri().query().map(str::to_owned));
                made.answer(&moment, asked, request, next).await
            }
        };
        let handler = move |request: Request| async move {
            count.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
            match request.uri().path() {
                "/fault" => (StatusCode::BAD_REQUEST, String::new()),
                "/large" => (StatusCode::OK, "x".repeat(LARGEST as usize + 1)),
                "/half" => (StatusCode::OK, "x".repeat(LARGEST as usize / 2)),
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
    async fn a_hundred_at_once_make_it_once() {
        let (made, count) = (Arc::default(), Arc::default());
        let all = (0..100).map(|_| ask(&made, &count, 1, "/a?x=1"));
        assert!(futures::future::join_all(all).await.iter().all(|answer| *answer == (StatusCode::OK, 6)));
        assert_eq!(count.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn another_question_another_moment_a_fault_and_a_large_one_are_made_anew() {
        let (made, count) = (Arc::default(), Arc::default());
        let mut expected = 0;
        let asks =
            [(1, "/a", 1), (1, "/a?", 1), (1, "/a", 0), (2, "/a", 1), (1, "/a", 1), (1, "/fault", 1), (1, "/fault", 1)];
        for (version, path, made_now) in asks.into_iter().chain([(1, "/large", 1), (1, "/large", 1)]) {
            ask(&made, &count, version, path).await;
            expected += made_now;
            assert_eq!(count.load(Ordering::Relaxed), expected, "{version} {path}");
        }
    }

    #[tokio::test]
    async fn what_is_kept_has_a_bound() {
        let (made, count) = (Arc::new(Made::default()), Arc::default());
        for asked in 0..200 {
            ask(&made, &count, 1, &format!("/half?{asked}")).await;
            let kept = made.kept();
            let held: usize = kept.places.values().filter_map(|place| place.get()).map(Bytes::len).sum();
            assert!(held <= MOST_BYTES + LARGEST as usize && held <= kept.bytes, "{held}");
        }
    }
}
