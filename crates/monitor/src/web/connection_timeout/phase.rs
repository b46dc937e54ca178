//! Phase of a connection (reading a request or writing an answer), on which its time limit depends. The HTTP service
//! reports the phase to the connection, which cannot see where an answer ends.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::StatusCode;
use axum::response::Response;
use futures::task::AtomicWaker;
use http_body::{Frame, SizeHint};

use super::ConflictingLength;

/// Shared by a connection and the service over it.
#[derive(Debug, Default)]
pub(crate) struct RequestPhase {
    /// Code of the newest [`PhaseChange`]; reset when it is read.
    last_change: AtomicU8,
    /// The service has reported a request, so its phases are known.
    is_reported: AtomicBool,
    /// The head has two conflicting body lengths.
    two_lengths: AtomicBool,
    /// Task that reads the connection; woken when an answer ends.
    reader: AtomicWaker,
}

/// What happened since one last looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PhaseChange {
    None,
    /// A request is being served.
    Began,
    /// The last one is answered.
    Ended,
}

impl RequestPhase {
    /// Begins a request. Returns whether its head had two conflicting lengths.
    pub(crate) fn begin(&self) -> Option<ConflictingLength> {
        self.last_change.store(1, Ordering::Release);
        self.is_reported.store(true, Ordering::Release);
        self.two_lengths.swap(false, Ordering::AcqRel).then_some(ConflictingLength)
    }

    /// Reports the end of an answer. One that changes the protocol never ends.
    pub(crate) fn end_with(phase: Arc<Self>, response: Response) -> Response {
        if response.status() == StatusCode::SWITCHING_PROTOCOLS {
            return response;
        }
        response.map(|inner| Body::new(Watched { inner, phase }))
    }

    /// What happened since the last call; the caller is woken when an answer ends.
    pub(super) fn last_change(&self, context: &Context<'_>) -> PhaseChange {
        self.reader.register(context.waker());
        match self.last_change.swap(0, Ordering::AcqRel) {
            0 => PhaseChange::None,
            1 => PhaseChange::Began,
            _ => PhaseChange::Ended,
        }
    }

    /// Whether the service reports requests at all.
    pub(super) fn reports_requests(&self) -> bool {
        self.is_reported.load(Ordering::Acquire)
    }

    /// Makes the connection look again.
    pub(super) fn wake_reader(&self) {
        self.reader.wake();
    }

    pub(super) fn note_two_lengths(&self) {
        self.two_lengths.store(true, Ordering::Release);
    }
}

struct Watched {
    inner: Body,
    phase: Arc<RequestPhase>,
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.phase.last_change.store(2, Ordering::Release);
        self.phase.wake_reader();
    }
}

impl HttpBody for Watched {
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
