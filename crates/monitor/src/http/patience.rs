//! Connections whose other end must keep up: one that sends no whole request head, or takes no byte of an answer, for
//! ten seconds is cut, whatever is spoken over it (reliability goals G12 and G13).

use std::future::Future;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use crate::live::Clients;

/// How long a peer may take nothing, or take over the head of its first request.
pub(crate) const LIMIT: Duration = Duration::from_secs(10);

/// A listener whose connections lose patience.
pub(crate) struct Patience<L> {
    inner: L,
    clients: Arc<Clients>,
}

impl<L> Patience<L> {
    pub(crate) fn new(inner: L, clients: Arc<Clients>) -> Self {
        Self { inner, clients }
    }
}

impl<L: Listener<Addr = SocketAddr>> Listener for Patience<L> {
    type Io = Patient<L::Io>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, SocketAddr) {
        let (io, peer) = self.inner.accept().await;
        (Patient::new(io, Arc::clone(&self.clients)), peer)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.inner.local_addr()
    }
}

/// Who is at the other end of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) SocketAddr);

impl<L: Listener<Addr = SocketAddr>> Connected<IncomingStream<'_, Patience<L>>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Patience<L>>) -> Self {
        Self(*stream.remote_addr())
    }
}

/// One connection.
pub(crate) struct Patient<T> {
    inner: T,
    clients: Arc<Clients>,
    /// Runs while the first head is not complete.
    head: Option<Pin<Box<Sleep>>>,
    /// How much of the head's end was read: `\r\n\r\n`.
    ending: usize,
    /// Runs while the peer takes nothing.
    blocked: Option<Pin<Box<Sleep>>>,
    cut: bool,
}

impl<T> Patient<T> {
    fn new(inner: T, clients: Arc<Clients>) -> Self {
        Self { inner, clients, head: Some(Box::pin(tokio::time::sleep(LIMIT))), ending: 0, blocked: None, cut: false }
    }

    fn read_head(&mut self, bytes: &[u8]) {
        const END: &[u8] = b"\r\n\r\n";
        for byte in bytes {
            self.ending = match END.get(self.ending) {
                Some(wanted) if wanted == byte => self.ending + 1,
                _ => usize::from(*byte == b'\r'),
            };
            if self.ending == END.len() {
                self.head = None;
                return;
            }
        }
    }

    /// What a try to write came to; an error once the peer has taken nothing for too long.
    fn judge<R>(&mut self, context: &mut Context<'_>, tried: Poll<io::Result<R>>) -> Poll<io::Result<R>> {
        if !self.cut && tried.is_ready() {
            self.blocked = None;
            return tried;
        }
        if !self.cut {
            let sleep = self.blocked.get_or_insert_with(|| Box::pin(tokio::time::sleep(LIMIT)));
            ready!(sleep.as_mut().poll(context));
            self.cut = true;
            self.clients.note_cut();
            tracing::info!("a peer took nothing for {} s and is cut", LIMIT.as_secs());
        }
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Patient<T> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = into.filled().len();
        let read = Pin::new(&mut this.inner).poll_read(context, into);
        if let Some(head) = &mut this.head {
            if head.as_mut().poll(context).is_ready() {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            let news = into.filled().get(before..).unwrap_or_default().to_vec();
            this.read_head(&news);
        }
        read
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Patient<T> {
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
