//! Tests of connection timeouts with a simulated clock, and of connection limits: 503 beyond them, and eviction of the
//! connection that has been idle longest.
//!
//! Proves (security): Idle connections are closed at their time limit.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::response::Response;
use axum::routing::get;
use axum::serve::Listener;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::web::{Peer, TimeoutListener, from_peers};

/// A listener for pipes in memory.
struct Door(mpsc::UnboundedReceiver<(DuplexStream, [u8; 4])>);

const NEAR: [u8; 4] = [127, 0, 0, 1];

impl Listener for Door {
    type Io = DuplexStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (DuplexStream, SocketAddr) {
        match self.0.recv().await {
            Some((io, peer)) => (io, SocketAddr::from((peer, 1))),
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(SocketAddr::from(([127, 0, 0, 1], 2)))
    }
}

/// A connection to a small server.
fn connect() -> DuplexStream {
    TimeoutServer::start(1024).connect(NEAR)
}

/// A small server; it continues when this is dropped.
struct TimeoutServer(mpsc::UnboundedSender<(DuplexStream, [u8; 4])>);

impl TimeoutServer {
    /// Serves so many connections at once.
    fn start(most: usize) -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        serve(receiver, most);
        Self(sender)
    }

    fn connect(&self, peer: [u8; 4]) -> DuplexStream {
        let (near, far) = duplex(64 * 1024);
        self.0.send((far, peer)).expect("open");
        near
    }
}

fn serve(receiver: mpsc::UnboundedReceiver<(DuplexStream, [u8; 4])>, most: usize) {
    let stays = |upgrade: WebSocketUpgrade| async move {
        let answer: Response = upgrade.on_upgrade(|socket| async move {
            tokio::time::sleep(Duration::from_secs(100_000)).await;
            drop(socket);
        });
        answer
    };
    let slow = || async {
        tokio::time::sleep(Duration::from_secs(500)).await;
        "late"
    };
    let routes = Router::new().route("/", get(|| async { "here" })).route("/slow", get(slow)).route("/ws", get(stays));
    let timeout_listener = TimeoutListener::new(Door(receiver), std::sync::Arc::default(), most);
    let service = from_peers(routes).into_make_service_with_connect_info::<Peer>();
    tokio::spawn(async move { axum::serve(timeout_listener, service).await });
}

async fn ask(wire: &mut DuplexStream, path: &str, end: &str) {
    wire.write_all(format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes()).await.expect("write");
    let mut received = String::new();
    while !received.ends_with(end) {
        received.push(char::from(wire.read_u8().await.expect("an answer")));
    }
}

/// Seconds until the other end closes.
async fn closed(wire: &mut DuplexStream) -> u64 {
    let start = Instant::now();
    let mut rest = Vec::new();
    drop(wire.read_to_end(&mut rest).await);
    start.elapsed().as_secs()
}

#[tokio::test(start_paused = true)]
async fn idle_connection_is_closed_after_limit() {
    let mut wire = connect();
    for _ in 0..3 {
        ask(&mut wire, "/", "here").await;
        tokio::time::sleep(Duration::from_secs(60)).await;
    }
    ask(&mut wire, "/", "here").await;
    assert_eq!(closed(&mut wire).await, 75);
}

#[tokio::test(start_paused = true)]
async fn later_head_gets_the_same_timeout() {
    assert_eq!(closed(&mut connect()).await, 10);
    let mut wire = connect();
    ask(&mut wire, "/", "here").await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    wire.write_all(b"GET / HT").await.expect("write");
    assert_eq!(closed(&mut wire).await, 10);
}

#[tokio::test(start_paused = true)]
async fn slow_answers_and_streams_never_time_out() {
    let mut wire = connect();
    ask(&mut wire, "/slow", "late").await;
    ask(&mut wire, "/", "here").await;
    let head = "GET /ws HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\
                Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    wire.write_all(head.as_bytes()).await.expect("write");
    let stays = tokio::time::timeout(Duration::from_secs(10_000), closed(&mut wire)).await;
    assert!(stays.is_err(), "it closed after {stays:?} s");
}

/// Everything that comes until the other end closes.
async fn read_rest(wire: &mut DuplexStream) -> String {
    let mut rest = Vec::new();
    wire.read_to_end(&mut rest).await.expect("closed in order");
    String::from_utf8(rest).expect("text")
}

#[tokio::test(start_paused = true)]
async fn connection_beyond_cap_gets_503() {
    let server = TimeoutServer::start(2);
    let mut busy = [server.connect(NEAR), server.connect(NEAR)];
    for wire in &mut busy {
        wire.write_all(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n").await.expect("write");
    }
    tokio::time::sleep(Duration::from_secs(20)).await;
    let start = Instant::now();
    // It need not send a request.
    let answer = read_rest(&mut server.connect(NEAR)).await;
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    let lower = answer.to_ascii_lowercase();
    assert!(lower.contains("retry-after: 1\r\n") && lower.contains("connection: close\r\n"), "{answer}");
    assert!(answer.ends_with(r#""code":"source_unavailable"}"#), "{answer}");
    assert_eq!(start.elapsed(), Duration::ZERO);
    drop(busy);
    tokio::time::sleep(Duration::from_secs(1)).await;
    ask(&mut server.connect(NEAR), "/", "here").await;
}

#[tokio::test(start_paused = true)]
async fn a_new_connection_closes_the_one_idle_longest() {
    let server = TimeoutServer::start(2);
    let (mut first, mut second) = (server.connect(NEAR), server.connect(NEAR));
    ask(&mut first, "/", "here").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    ask(&mut second, "/", "here").await;
    let answer = read_rest(&mut server.connect(NEAR)).await;
    assert!(answer.starts_with("HTTP/1.1 503 "), "none is idle for a second: {answer}");
    tokio::time::sleep(Duration::from_millis(700)).await;
    let mut third = server.connect(NEAR);
    ask(&mut third, "/", "here").await;
    assert_eq!(read_rest(&mut first).await, "", "closed in favour of the third");
    ask(&mut second, "/", "here").await;
}

#[tokio::test(start_paused = true)]
async fn one_machine_cannot_take_all_connections() {
    let server = TimeoutServer::start(128);
    let mut open_wires = Vec::new();
    for _ in 0..200 {
        let mut wire = server.connect([10, 0, 0, 9]);
        wire.write_all(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n").await.expect("write");
        open_wires.push(wire);
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    ask(&mut server.connect([10, 0, 0, 8]), "/", "here").await;
    ask(&mut server.connect(NEAR), "/", "here").await;
    let answer = read_rest(&mut server.connect([10, 0, 0, 9])).await;
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
}
