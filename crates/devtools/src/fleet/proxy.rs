//! TCP proxy between one process of a fleet and the servers: it delays, holds what it received without closing, and cuts.
//! What a fault meets is counted, so that a fault without effect is seen. Without faults it is the front of several servers
//! that do the same.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use super::process::retry;

/// Between two looks whether held bytes may go on.
const PAUSE: Duration = Duration::from_millis(5);
/// How long it is waited for an acknowledgement before replies pass again.
const HELD_AT_ONCE: Duration = Duration::from_secs(1);
const BUFFER_BYTES: usize = 16 * 1024;
/// Begin of the answer to a stored batch.
const ACKNOWLEDGEMENT: &[u8] = br#"{"stream":"TH_LOG_"#;

/// What a proxy does with bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Traffic {
    Open,
    /// Every piece waits so long, in both directions.
    Delayed(Duration),
    /// Bytes a second from the servers.
    Limited(u64),
    /// Nothing is passed on and nothing is closed.
    Held,
    /// Only what the servers say is held.
    RepliesHeld,
}

/// What a proxy did to bytes and connections since its start.
#[derive(Debug, Default)]
pub(super) struct ProxyCounts {
    /// Bytes that waited.
    pub(super) hindered: AtomicU64,
    /// Pieces with the answer to a stored batch that waited.
    pub(super) acknowledgements: AtomicU64,
    /// Connections that were cut.
    pub(super) cut: AtomicU64,
}

pub(super) struct FaultyProxy {
    /// One for each server.
    ports: Vec<u16>,
    shared: Arc<ProxyShared>,
}

struct ProxyShared {
    traffic: Mutex<Traffic>,
    connections: Mutex<Vec<Arc<ProxiedConnection>>>,
    counts: ProxyCounts,
    is_closed: AtomicBool,
}

struct ProxiedConnection {
    client: TcpStream,
    server: TcpStream,
    is_cut: AtomicBool,
    /// One of the two ended it.
    is_over: AtomicBool,
}

impl FaultyProxy {
    /// A proxy with a port before each server of these ports.
    pub(super) fn start(servers: &[u16]) -> Result<Self> {
        Self::listen(servers.iter().map(|server| vec![*server]).collect())
    }

    /// A proxy with one port before all of them. A connection is made to the server of the one before, or to the next that
    /// accepts it.
    pub(super) fn front(servers: &[u16]) -> Result<Self> {
        Self::listen(vec![servers.to_vec()])
    }

    fn listen(listeners: Vec<Vec<u16>>) -> Result<Self> {
        let shared = Arc::new(ProxyShared {
            traffic: Mutex::new(Traffic::Open),
            connections: Mutex::default(),
            counts: ProxyCounts::default(),
            is_closed: AtomicBool::new(false),
        });
        let ports =
            listeners.into_iter().map(|servers| ProxyShared::listen(&shared, servers)).collect::<Result<_>>()?;
        Ok(Self { ports, shared })
    }

    /// Addresses, as the flag `--nats` takes them.
    pub(super) fn urls(&self) -> String {
        let urls: Vec<String> = self.ports.iter().map(|port| format!("nats://127.0.0.1:{port}")).collect();
        urls.join(",")
    }

    /// Port of a [`front`](Self::front).
    pub(super) fn port(&self) -> Result<u16> {
        self.ports.first().copied().context("the proxy has no port")
    }

    pub(super) fn set(&self, traffic: Traffic) {
        *lock(&self.shared.traffic) = traffic;
    }

    pub(super) fn counts(&self) -> &ProxyCounts {
        &self.shared.counts
    }

    /// Holds what the servers say from a moment on at which a batch is on its way. Held earlier, a client that asks for something
    /// first would send none.
    pub(super) fn hold_acknowledgement(&self, limit: Duration) -> Result<()> {
        let count = || self.counts().acknowledgements.load(Ordering::SeqCst);
        let before = count();
        retry("an acknowledgement is held", limit, || {
            self.set(Traffic::RepliesHeld);
            std::thread::sleep(HELD_AT_ONCE);
            let is_held = count() > before;
            if !is_held {
                self.set(Traffic::Open);
                std::thread::sleep(HELD_AT_ONCE);
            }
            ensure!(is_held, "the process sends no batch");
            Ok(())
        })
    }

    /// Ends all connections, with what is held.
    pub(super) fn cut(&self) {
        for connection in lock(&self.shared.connections).drain(..) {
            if !connection.is_over.load(Ordering::SeqCst) {
                self.shared.counts.cut.fetch_add(1, Ordering::SeqCst);
            }
            connection.is_cut.store(true, Ordering::SeqCst);
            connection.client.shutdown(Shutdown::Both).ok();
            connection.server.shutdown(Shutdown::Both).ok();
        }
    }
}

impl Drop for FaultyProxy {
    fn drop(&mut self) {
        self.shared.is_closed.store(true, Ordering::SeqCst);
        self.cut();
        for port in &self.ports {
            // It wakes the thread that accepts.
            TcpStream::connect(("127.0.0.1", *port)).ok();
        }
    }
}

impl ProxyShared {
    /// Starts to accept connections for any of these servers; the port.
    fn listen(shared: &Arc<Self>, servers: Vec<u16>) -> Result<u16> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).context("no port for a proxy")?;
        let port = listener.local_addr()?.port();
        let shared = Arc::clone(shared);
        std::thread::spawn(move || shared.accept(&listener, servers));
        Ok(port)
    }

    fn accept(self: &Arc<Self>, listener: &TcpListener, mut servers: Vec<u16>) {
        for client in listener.incoming() {
            if self.is_closed.load(Ordering::SeqCst) {
                return;
            }
            // A client for whom no server runs is refused by dropping it.
            let Ok(client) = client else { continue };
            let connected = servers.iter().enumerate().find_map(|(number, port)| {
                TcpStream::connect(("127.0.0.1", *port)).ok().map(|server| (number, server))
            });
            if let Some((number, server)) = connected {
                // The next clients come here too: requests of one browser belong to one server.
                servers.rotate_left(number);
                self.join(client, server).ok();
            }
        }
    }

    fn join(self: &Arc<Self>, client: TcpStream, server: TcpStream) -> std::io::Result<()> {
        client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        let directions = [(client.try_clone()?, server.try_clone()?), (server.try_clone()?, client.try_clone()?)];
        let connection =
            ProxiedConnection { client, server, is_cut: AtomicBool::new(false), is_over: AtomicBool::new(false) };
        let connection = Arc::new(connection);
        let mut connections = lock(&self.connections);
        connections.retain(|connection| !connection.is_over.load(Ordering::SeqCst));
        connections.push(Arc::clone(&connection));
        for ((from, to), is_reply) in directions.into_iter().zip([false, true]) {
            let (shared, connection) = (Arc::clone(self), Arc::clone(&connection));
            std::thread::spawn(move || shared.forward(&connection, (from, to), is_reply));
        }
        Ok(())
    }

    /// Passes on what comes in one direction until it ends.
    fn forward(&self, connection: &ProxiedConnection, (mut from, mut to): (TcpStream, TcpStream), is_reply: bool) {
        let mut buffer = vec![0; BUFFER_BYTES];
        while let Ok(count) = from.read(&mut buffer) {
            let bytes = &buffer[..count];
            if count == 0 || !self.wait(connection, bytes, is_reply) || to.write_all(bytes).is_err() {
                break;
            }
        }
        connection.is_over.store(true, Ordering::SeqCst);
        to.shutdown(Shutdown::Write).ok();
    }

    /// Waits until bytes may go on; false once the connection is cut.
    fn wait(&self, connection: &ProxiedConnection, bytes: &[u8], is_reply: bool) -> bool {
        let mut is_counted = false;
        while !connection.is_cut.load(Ordering::SeqCst) {
            let traffic = *lock(&self.traffic);
            let pause = match traffic {
                Traffic::Delayed(pause) => Some(pause),
                Traffic::Limited(rate) if is_reply => Some(Duration::from_secs_f64(bytes.len() as f64 / rate as f64)),
                Traffic::Held => None,
                Traffic::RepliesHeld if is_reply => None,
                Traffic::Open | Traffic::Limited(_) | Traffic::RepliesHeld => return true,
            };
            if !is_counted {
                is_counted = true;
                self.counts.hindered.fetch_add(bytes.len() as u64, Ordering::SeqCst);
                if has(bytes, ACKNOWLEDGEMENT) {
                    self.counts.acknowledgements.fetch_add(1, Ordering::SeqCst);
                }
            }
            std::thread::sleep(pause.unwrap_or(PAUSE));
            if pause.is_some() {
                return true;
            }
        }
        false
    }
}

fn has(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|part| part == word)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One of the counts of a proxy.
type CountOf = fn(&ProxyCounts) -> &AtomicU64;

/// The count now.
pub(super) fn counted(proxy: &FaultyProxy, count: CountOf) -> u64 {
    count(proxy.counts()).load(Ordering::SeqCst)
}

/// Waits until a count is larger than before.
pub(super) fn wait_for_more(
    proxy: &FaultyProxy,
    what: &str,
    count: CountOf,
    (before, limit): (u64, Duration),
) -> Result<()> {
    retry(what, limit, || {
        ensure!(counted(proxy, count) > before, "the count is still {before}");
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that sends back what it gets.
    fn echo_server() -> u16 {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut from = stream.try_clone().expect("a second handle");
                std::thread::spawn(move || std::io::copy(&mut from, &mut &stream));
            }
        });
        port
    }

    fn echoed(client: &mut TcpStream, text: &[u8], limit_ms: u64) -> Option<Vec<u8>> {
        client.set_read_timeout(Some(Duration::from_millis(limit_ms))).expect("a limit");
        client.write_all(text).expect("sent");
        let mut bytes = vec![0; text.len()];
        client.read_exact(&mut bytes).ok().map(|()| bytes)
    }

    #[test]
    fn held_bytes_arrive_after_release_and_cut_ends_connections() {
        let proxy = FaultyProxy::start(&[echo_server()]).expect("a proxy");
        let mut client = TcpStream::connect(("127.0.0.1", proxy.ports[0])).expect("accepted");
        assert_eq!(echoed(&mut client, b"one", 5_000).as_deref(), Some(b"one".as_slice()));
        assert_eq!(proxy.counts().hindered.load(Ordering::SeqCst), 0);
        for traffic in [Traffic::Held, Traffic::RepliesHeld] {
            let before = proxy.counts().hindered.load(Ordering::SeqCst);
            proxy.set(traffic);
            assert_eq!(echoed(&mut client, b"two", 200), None, "{traffic:?}");
            assert_eq!(proxy.counts().hindered.load(Ordering::SeqCst), before + 3);
            proxy.set(Traffic::Open);
            let mut late = [0; 3];
            client.set_read_timeout(Some(Duration::from_secs(5))).expect("a limit");
            client.read_exact(&mut late).expect("it comes");
            assert_eq!(&late, b"two");
        }
        proxy.cut();
        assert_eq!(proxy.counts().cut.load(Ordering::SeqCst), 1);
        assert_eq!(client.read(&mut [0; 1]).expect("the end"), 0);
    }

    /// A server at this port, or at any, that sends a letter. One that does not last ends before the first client has it.
    fn letter_server(port: u16, letter: u8, lasts: bool) -> u16 {
        let listener = TcpListener::bind(("127.0.0.1", port)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let mut listener = Some(listener);
        std::thread::spawn(move || {
            while let Some(open) = &listener {
                let (mut client, _) = open.accept().expect("a client");
                listener = listener.filter(|_| lasts);
                client.write_all(&[letter]).expect("sent");
            }
        });
        port
    }

    #[test]
    fn front_stays_with_a_server_until_it_ends() {
        let (first, second) = (letter_server(0, b'1', false), letter_server(0, b'2', true));
        let front = FaultyProxy::front(&[first, second]).expect("a proxy");
        let received = || {
            let mut client = TcpStream::connect(("127.0.0.1", front.port().expect("a port"))).expect("accepted");
            client.set_read_timeout(Some(Duration::from_secs(5))).expect("a limit");
            let mut letter = [0];
            client.read_exact(&mut letter).expect("a letter");
            char::from(letter[0])
        };
        assert_eq!([received(), received()], ['1', '2']);
        letter_server(first, b'3', true);
        assert_eq!(received(), '2');
    }
}
