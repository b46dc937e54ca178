//! Time limits and connection limits against slow clients. A connection is closed after ten seconds without a complete
//! request head or without progress of an answer, and after 75 seconds without a further request. Beyond the connection
//! limits, a new connection replaces an idle one or is refused.

use std::future::Future;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

mod head;
mod phase;
mod refuse;
mod seats;

use axum::body::Bytes;
use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

pub(crate) use self::head::ConflictingLength;
use self::head::RequestHead;
use self::phase::PhaseChange;
pub(crate) use self::phase::RequestPhase;
use self::refuse::Refuser;
pub(crate) use self::refuse::{CLEAR_COOKIES, HEAD_TOO_LARGE};
use self::seats::{Seat, Seats};
use crate::core::live::Clients;

/// How long a peer may take nothing, or take over the head of a request.
pub(crate) const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a connection may be idle between two requests.
const IDLE_TIMEOUT: Duration = Duration::from_secs(75);
/// Longest head that is read at all, bytes; a head beyond the limits of a request, but within this, gets an error.
/// Cookies of other programs on the machine alone can be a few hundred KiB.
const MAX_HEAD_BYTES: usize = 384 * 1024;
/// Longest head of a navigation that is read to its end, bytes, so that the page that refuses it arrives. Browsers keep
/// at most 180 cookies of 4 KiB.
const MAX_NAVIGATION_HEAD_BYTES: usize = 1024 * 1024;

/// Listener with a time limit on connections, and a limit on their number in all and for each peer: each connection is
/// an open file, and the monitor needs files to read.
pub(crate) struct TimeoutListener<L> {
    /// The listener that accepts.
    inner: L,
    /// Number of live clients.
    clients: Arc<Clients>,
    /// Registry of the open connections.
    seats: Arc<Seats>,
    refuser: Refuser,
}

impl<L> TimeoutListener<L> {
    pub(crate) fn new(inner: L, clients: Arc<Clients>, most: usize) -> Self {
        clients.limit_to_share_of(most);
        Self { inner, clients, seats: Arc::new(Seats::new(most)), refuser: Refuser::default() }
    }
}

impl<L: Listener<Addr = SocketAddr>> Listener for TimeoutListener<L>
where
    L::Io: 'static,
{
    type Io = TimeoutStream<L::Io>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, SocketAddr) {
        loop {
            let (io, peer) = self.inner.accept().await;
            let phase = Arc::default();
            match self.seats.take(peer.ip(), &phase) {
                Some(seat) => return (TimeoutStream::new(io, Arc::clone(&self.clients), phase, seat), peer),
                None => self.refuser.refuse(io, peer.ip()),
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.inner.local_addr()
    }
}

/// The peer of a connection.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    pub(crate) phase: Arc<RequestPhase>,
}

impl<L: Listener<Addr = SocketAddr>> Connected<IncomingStream<'_, TimeoutListener<L>>> for Peer {
    fn connect_info(stream: IncomingStream<'_, TimeoutListener<L>>) -> Self {
        Self { address: *stream.remote_addr(), phase: Arc::clone(&stream.io().phase) }
    }
}

/// One connection.
pub(crate) struct TimeoutStream<T> {
    inner: T,
    clients: Arc<Clients>,
    /// What the HTTP service reports about this connection.
    phase: Arc<RequestPhase>,
    /// Set while a head is awaited or read.
    head: Option<RequestHead>,
    /// Deadline for the head of the next request.
    head_deadline: Pin<Box<Sleep>>,
    /// Deadline for the peer to take bytes; set while it takes none.
    write_deadline: Option<Pin<Box<Sleep>>>,
    /// True after the write deadline passed: the connection is closed.
    timed_out: bool,
    /// The answer to a head that is too long, from the first byte not yet written.
    refusal: Option<Bytes>,
    /// Place in the registry; released on drop.
    seat: Seat,
}

impl<T> TimeoutStream<T> {
    fn new(inner: T, clients: Arc<Clients>, phase: Arc<RequestPhase>, seat: Seat) -> Self {
        let head_deadline = Box::pin(tokio::time::sleep(HEAD_TIMEOUT));
        Self {
            inner,
            clients,
            phase,
            head: Some(RequestHead::default()),
            head_deadline,
            write_deadline: None,
            timed_out: false,
            refusal: None,
            seat,
        }
    }

    /// Looks whether the last request was answered, and so a head is awaited again.
    fn update_phase(&mut self, context: &Context<'_>) {
        match self.phase.last_change(context) {
            PhaseChange::None => {}
            PhaseChange::Began => self.head = None,
            PhaseChange::Ended => {
                self.head = Some(RequestHead::default());
                self.seat.set_idle();
                self.head_deadline.as_mut().reset(tokio::time::Instant::now() + IDLE_TIMEOUT);
            }
        }
    }

    fn read_head(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(head) = &mut self.head else { return Ok(()) };
        if bytes.is_empty() {
            return Ok(());
        }
        if head.bytes == 0 && self.phase.reports_requests() {
            self.head_deadline.as_mut().reset(tokio::time::Instant::now() + HEAD_TIMEOUT);
        }
        let complete = head.read(bytes);
        // The last bytes of a head may come with those that make it too long.
        if head.bytes > if head.navigates() { MAX_NAVIGATION_HEAD_BYTES } else { MAX_HEAD_BYTES } {
            return Err(io::ErrorKind::InvalidData.into());
        }
        if complete {
            if head.has_two_lengths() {
                self.phase.note_two_lengths();
            }
            let too_long = head.bytes > MAX_HEAD_BYTES;
            self.head = None;
            if too_long {
                self.refusal = Some(refuse::head_too_large());
            }
        }
        Ok(())
    }

    /// A head that is too long, of which the service is to see no more.
    fn is_too_long(&self) -> bool {
        self.refusal.is_some() || self.head.as_ref().is_some_and(|head| head.bytes > MAX_HEAD_BYTES)
    }

    /// Result of a write; an error once the peer has taken nothing for too long.
    fn judge<R>(&mut self, context: &mut Context<'_>, tried: Poll<io::Result<R>>) -> Poll<io::Result<R>> {
        if !self.timed_out && tried.is_ready() {
            self.write_deadline = None;
            return tried;
        }
        if !self.timed_out {
            let sleep = self.write_deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep(HEAD_TIMEOUT)));
            ready!(sleep.as_mut().poll(context));
            self.timed_out = true;
            self.clients.note_slow_disconnect();
            tracing::info!("a peer took nothing for {} s and is cut", HEAD_TIMEOUT.as_secs());
        }
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> AsyncRead for TimeoutStream<T> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            if let Some(rest) = &mut this.refusal {
                while !rest.is_empty() {
                    let tried = Pin::new(&mut this.inner).poll_write(context, rest);
                    let written = ready!(tried)?;
                    *rest = rest.slice(written..);
                }
                return Poll::Ready(Err(io::ErrorKind::InvalidData.into()));
            }
            let before = into.filled().len();
            let read = this.read_some(context, into);
            if !this.is_too_long() {
                return read;
            }
            // Nothing of it reaches the service any more.
            let came = into.filled().len() > before;
            into.set_filled(before);
            if !came || !matches!(read, Poll::Ready(Ok(()))) {
                return read;
            }
        }
    }
}

impl<T: AsyncRead + Unpin> TimeoutStream<T> {
    fn read_some(&mut self, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self;
        this.update_phase(context);
        let before = into.filled().len();
        if this.seat.is_evicted() {
            // The end of the connection, as if the peer had closed it.
            return Poll::Ready(Ok(()));
        }
        let read = Pin::new(&mut this.inner).poll_read(context, into);
        if into.filled().len() > before && !this.seat.set_busy() {
            into.set_filled(before);
            return Poll::Ready(Ok(()));
        }
        if this.head.is_some() {
            if this.head_deadline.as_mut().poll(context).is_ready() {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            this.read_head(into.filled().get(before..).unwrap_or_default())?;
        }
        read
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for TimeoutStream<T> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let tried = Pin::new(&mut this.inner).poll_write(context, bytes);
        this.judge(context, tried)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let tried = Pin::new(&mut this.inner).poll_write_vectored(context, bytes);
        this.judge(context, tried)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let tried = Pin::new(&mut this.inner).poll_flush(context);
        this.judge(context, tried)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let tried = Pin::new(&mut this.inner).poll_shutdown(context);
        this.judge(context, tried)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// One read may bring the whole head; what was answered must not depend on how it was cut.
    #[tokio::test]
    async fn only_a_navigation_is_answered_when_its_head_is_too_long() {
        for (accept, answered) in [("text/html", true), ("application/json", false)] {
            let (mut peer, io) = tokio::io::duplex(2 * MAX_HEAD_BYTES);
            let turn = Arc::default();
            let seat = Arc::new(Seats::new(1)).take([127, 0, 0, 1].into(), &turn).expect("a seat");
            let mut stream = TimeoutStream::new(io, Arc::default(), turn, seat);
            let cookie = "x".repeat(MAX_HEAD_BYTES);
            let head = format!("GET / HTTP/1.1\r\nAccept: {accept}\r\nCookie: {cookie}\r\n\r\n");
            peer.write_all(head.as_bytes()).await.expect("write");
            let mut bytes = vec![0; 2 * MAX_HEAD_BYTES];
            stream.read(&mut bytes).await.expect_err("the service sees nothing of it");
            drop(stream);
            let mut answer = String::new();
            peer.read_to_string(&mut answer).await.expect("read");
            assert_eq!(answer.contains("clear-site-data"), answered, "{accept}: {answer}");
        }
    }
}
