//! How long a connection may do nothing between two requests, under a clock that only the test moves.

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

use crate::http::{Patience, Peer, from_peers};

/// A listener for pipes in memory.
struct Door(mpsc::UnboundedReceiver<DuplexStream>);

impl Listener for Door {
    type Io = DuplexStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (DuplexStream, SocketAddr) {
        match self.0.recv().await {
            Some(io) => (io, SocketAddr::from(([127, 0, 0, 1], 1))),
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(SocketAddr::from(([127, 0, 0, 1], 2)))
    }
}

/// A connection to a small server.
fn connect() -> DuplexStream {
    let [near] = connections(1, 1024).try_into().expect("one");
    near
}

/// Connections to a small server that serves so many at once.
fn connections(count: usize, most: usize) -> Vec<DuplexStream> {
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
    let (sender, receiver) = mpsc::unbounded_channel();
    let near = (0..count).map(|_| duplex(64 * 1024)).map(|(near, far)| {
        sender.send(far).expect("open");
        near
    });
    let near = near.collect();
    let patient = Patience::new(Door(receiver), std::sync::Arc::default(), most);
    let service = from_peers(routes).into_make_service_with_connect_info::<Peer>();
    tokio::spawn(async move {
        let _open = sender;
        axum::serve(patient, service).await
    });
    near
}

async fn ask(wire: &mut DuplexStream, path: &str, end: &str) {
    wire.write_all(format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes()).await.expect("write");
    let mut said = String::new();
    while !said.ends_with(end) {
        said.push(char::from(wire.read_u8().await.expect("an answer")));
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
async fn between_two_requests_there_is_time_but_not_for_ever() {
    let mut wire = connect();
    for _ in 0..3 {
        ask(&mut wire, "/", "here").await;
        tokio::time::sleep(Duration::from_secs(60)).await;
    }
    ask(&mut wire, "/", "here").await;
    assert_eq!(closed(&mut wire).await, 75);
}

#[tokio::test(start_paused = true)]
async fn a_later_head_has_as_long_as_the_first_one() {
    assert_eq!(closed(&mut connect()).await, 10);
    let mut wire = connect();
    ask(&mut wire, "/", "here").await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    wire.write_all(b"GET / HT").await.expect("write");
    assert_eq!(closed(&mut wire).await, 10);
}

#[tokio::test(start_paused = true)]
async fn an_answer_may_take_its_time_and_a_stream_is_never_idle() {
    let mut wire = connect();
    ask(&mut wire, "/slow", "late").await;
    ask(&mut wire, "/", "here").await;
    let head = "GET /ws HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\
                Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    wire.write_all(head.as_bytes()).await.expect("write");
    let stays = tokio::time::timeout(Duration::from_secs(10_000), closed(&mut wire)).await;
    assert!(stays.is_err(), "it closed after {stays:?} s");
}

#[tokio::test(start_paused = true)]
async fn only_so_many_are_served_at_once_and_the_next_one_when_a_place_comes_free() {
    let mut wires = connections(3, 2);
    let mut third = wires.pop().expect("three");
    for wire in &mut wires {
        ask(wire, "/", "here").await;
    }
    let waits = tokio::time::timeout(Duration::from_secs(30), ask(&mut third, "/", "here")).await;
    assert!(waits.is_err(), "a third is served beside two");
    drop(wires.pop());
    let mut said = [0; 12];
    third.read_exact(&mut said).await.expect("an answer");
    assert_eq!(&said, b"HTTP/1.1 200");
}
