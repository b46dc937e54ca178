//! Simulated network between browsers and the real HTTP server. Its in-memory pipes can be cut within a frame, frozen
//! or left half-open. A proxy on them refuses upgrades or buffers event streams.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use axum::serve::Listener;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::sync::{mpsc, watch};

/// Bytes that fit into one pipe before its writer has to wait.
const PIPE: usize = 16 * 1024;
const PEER: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 50_000);

/// The proxy between browser and server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Proxy {
    /// Nothing.
    None,
    /// It answers 502 to upgrades.
    RefusesUpgrades,
    /// The same, and it passes event streams on only when they have ended.
    Buffers,
}

/// What happens to all open wires.
#[derive(Debug, Clone, Copy)]
pub(super) enum Strike {
    /// So many bytes still pass, then the wire is cut.
    CutAfter(usize),
    /// Nothing passes any more, without notice.
    HalfOpen,
}

/// The server's end of the network.
pub(super) struct Doors(mpsc::UnboundedReceiver<DuplexStream>);

impl Listener for Doors {
    type Io = DuplexStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (DuplexStream, SocketAddr) {
        match self.0.recv().await {
            Some(io) => (io, PEER),
            // The listener is closed.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(PEER)
    }
}

/// The network; cheap to clone.
#[derive(Clone)]
pub(super) struct Net {
    proxy: Proxy,
    server: Arc<Mutex<Option<mpsc::UnboundedSender<DuplexStream>>>>,
    frozen: Arc<watch::Sender<bool>>,
    strikes: Arc<watch::Sender<Strike>>,
}

impl Net {
    pub(super) fn new(proxy: Proxy) -> Self {
        Self {
            proxy,
            server: Arc::default(),
            frozen: Arc::new(watch::channel(false).0),
            strikes: Arc::new(watch::channel(Strike::HalfOpen).0),
        }
    }

    /// A server listens from now on.
    pub(super) fn doors(&self) -> Doors {
        let (sender, receiver) = mpsc::unbounded_channel();
        *self.server.lock().expect("lock") = Some(sender);
        Doors(receiver)
    }

    /// The server stops listening, and open wires are cut.
    pub(super) fn down(&self, bytes: usize) {
        *self.server.lock().expect("lock") = None;
        self.strike(Strike::CutAfter(bytes));
    }

    pub(super) fn strike(&self, strike: Strike) {
        self.strikes.send_replace(strike);
    }

    /// Nothing passes while this holds, over old wires and new ones.
    pub(super) fn freeze(&self, frozen: bool) {
        self.frozen.send_replace(frozen);
    }

    /// A wire without anything on it.
    pub(super) fn connect_raw(&self) -> Option<DuplexStream> {
        let (browser, door) = duplex(PIPE);
        self.server.lock().expect("lock").clone()?.send(door).ok()?;
        Some(browser)
    }

    /// A new wire to the server; `None` when it does not listen.
    pub(super) fn connect(&self) -> Option<DuplexStream> {
        let server = self.server.lock().expect("lock").clone()?;
        let (browser, near) = duplex(PIPE);
        let (far, door) = duplex(PIPE);
        server.send(door).ok()?;
        let wire = Wire { proxy: self.proxy, frozen: self.frozen.subscribe(), strikes: self.strikes.subscribe() };
        // How a wire ends is seen at its ends.
        tokio::spawn(async move { wire.carry(near, far).await.unwrap_or_default() });
        Some(browser)
    }
}

struct Wire {
    proxy: Proxy,
    frozen: watch::Receiver<bool>,
    strikes: watch::Receiver<Strike>,
}

impl Wire {
    async fn carry(mut self, mut near: DuplexStream, mut far: DuplexStream) -> io::Result<()> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(near.read_u8().await?);
        }
        let head_text = String::from_utf8_lossy(&head).to_ascii_lowercase();
        if self.proxy != Proxy::None && head_text.contains("upgrade: websocket") {
            return near.write_all(b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n").await;
        }
        let holds = self.proxy == Proxy::Buffers && head_text.contains("/live/events");
        self.thawed().await;
        far.write_all(&head).await?;
        let mut held = Vec::new();
        let mut budget = usize::MAX;
        let (mut down, mut up) = ([0; 1024], [0; 256]);
        loop {
            self.thawed().await;
            tokio::select! {
                biased;
                struck = self.strikes.changed() => {
                    if struck.is_err() {
                        return Ok(());
                    }
                    let strike = *self.strikes.borrow_and_update();
                    match strike {
                        Strike::CutAfter(0) => return Ok(()),
                        Strike::CutAfter(bytes) => budget = budget.min(bytes),
                        Strike::HalfOpen => {
                            drop(far);
                            return half_open(near).await;
                        }
                    }
                }
                _ = self.frozen.changed() => {}
                read = far.read(&mut down) => {
                    let count = read?;
                    if holds {
                        held.extend_from_slice(&down[..count]);
                    }
                    let bytes = if count == 0 { held.as_slice() } else if holds { &[] } else { &down[..count] };
                    near.write_all(&bytes[..bytes.len().min(budget)]).await?;
                    budget = budget.saturating_sub(bytes.len());
                    if count == 0 || budget == 0 {
                        return Ok(());
                    }
                }
                read = near.read(&mut up) => match read? {
                    0 => return Ok(()),
                    count => far.write_all(&up[..count]).await?,
                },
            }
        }
    }

    async fn thawed(&mut self) {
        // The sender lives as long as the network; when it is dropped nothing is waited for.
        drop(self.frozen.wait_for(|frozen| !*frozen).await);
    }
}

/// Reads the browser's bytes and never answers.
async fn half_open(mut near: DuplexStream) -> io::Result<()> {
    let mut discarded = [0; 256];
    while near.read(&mut discarded).await? > 0 {}
    Ok(())
}
