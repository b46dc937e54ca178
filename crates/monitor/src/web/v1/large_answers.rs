//! Concurrency limit for the REST 1.x lists of events and sessions: two requests at once, because an answer can take
//! megabytes of memory. A request with a large answer counts until the answer is sent. A request that waits four
//! seconds in vain gets 503.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use coordination::compat::ByteLimit;
use http_body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::answer::V1Error;

/// Most of one answer. While it is sent, it holds the lines of its events.
pub(super) const MAX_ANSWER: ByteLimit = ByteLimit(16 << 20);
/// Answers that are made or sent at once.
const MAX_LARGE_ANSWERS: usize = 2;
/// How long a place is waited for.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(4);
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("5");
/// An answer of fewer bytes frees its permit when it is made, however slowly it is read.
pub(super) const MAX_SMALL_BYTES: usize = 256 * 1024;

pub(super) fn permits() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(MAX_LARGE_ANSWERS))
}

/// Lets a few through at once.
pub(super) async fn limit_large_answers(
    State(permits): State<Arc<Semaphore>>,
    request: Request,
    next: Next,
) -> Response {
    let Ok(Ok(place)) = tokio::time::timeout(PERMIT_TIMEOUT, permits.acquire_owned()).await else {
        let busy = V1Error::busy("Too many lists of events are being sent; ask again after Retry-After seconds");
        return ([(header::RETRY_AFTER, RETRY_AFTER)], busy).into_response();
    };
    let response = next.run(request).await;
    let small = response.body().size_hint().exact().is_some_and(|bytes| bytes < MAX_SMALL_BYTES as u64);
    if small || response.status() != StatusCode::OK {
        return response;
    }
    response.map(|inner| Body::new(PermitBody { inner, _place: place }))
}

/// A body that holds its permit until it is sent, or dropped.
struct PermitBody {
    inner: Body,
    _place: OwnedSemaphorePermit,
}

impl HttpBody for PermitBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.inner).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
