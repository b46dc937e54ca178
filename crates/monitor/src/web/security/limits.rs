//! Size and time limits of requests: address, headers, and ten seconds for a body. A request with conflicting body
//! lengths is refused. Size limits of bodies are set at the routes (16 KiB; for three routes 64 KiB, for two 1 MiB).

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::COOKIE;
use coordination::api::ErrorCode;
use http_body::{Frame, SizeHint};
use tokio::time::Sleep;

use crate::web::connection_timeout::ConflictingLength;
use crate::web::error::ApiError;

/// Longest target of a request, bytes.
const MAX_TARGET_BYTES: usize = 8 * 1024;
/// Names and values of all headers together, bytes, without cookies: a browser sends those of every program on this
/// machine, whatever the port, and none is read here.
const MAX_HEADER_BYTES: usize = 16 * 1024;
const MAX_HEADERS: usize = 100;
/// How long a body may take.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// Refuses what is too large or has two lengths (RFC 9112 §6.1: who forwards it may see another request in it).
pub(super) fn check(request: &Request) -> Result<(), ApiError> {
    if request.extensions().get::<ConflictingLength>().is_some() {
        let error = "A body has one length: Content-Length and Transfer-Encoding exclude each other";
        return Err(ApiError::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidBody, error));
    }
    if request.uri().path_and_query().is_some_and(|target| target.as_str().len() > MAX_TARGET_BYTES) {
        return Err(ApiError::of_status(StatusCode::URI_TOO_LONG));
    }
    let headers = request.headers();
    let counted = headers.iter().filter(|(name, _)| *name != COOKIE);
    let size: usize = counted.map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    if headers.len() > MAX_HEADERS || size > MAX_HEADER_BYTES {
        return Err(ApiError::of_status(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE));
    }
    Ok(())
}

/// Whether a body came too late.
#[derive(Debug, Clone, Default)]
pub(super) struct Late(Arc<AtomicBool>);

impl Late {
    pub(super) fn is_late(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Ends the body with an error when it is not there in time.
pub(super) fn hurry(request: Request) -> (Request, Late) {
    let late = Late::default();
    if request.body().is_end_stream() {
        return (request, late);
    }
    let body_late = late.clone();
    let hurried =
        |inner| Body::new(Hurried { inner, late: body_late, end: Box::pin(tokio::time::sleep(BODY_TIMEOUT)) });
    (request.map(hurried), late)
}

struct Hurried {
    inner: Body,
    late: Late,
    end: Pin<Box<Sleep>>,
}

impl HttpBody for Hurried {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        // The time is looked at first: a body that drips has always something ready.
        if self.end.as_mut().poll(context).is_ready() {
            self.late.0.store(true, Ordering::Relaxed);
            return Poll::Ready(Some(Err(axum::Error::new(std::io::Error::from(std::io::ErrorKind::TimedOut)))));
        }
        Pin::new(&mut self.inner).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
