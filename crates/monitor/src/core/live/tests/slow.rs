//! Tests of clients that stop reading or read slowly. A client that reads nothing is disconnected, costs the others
//! nothing, and loses nothing when it reconnects. A client that only reads slowly stays connected.
//!
//! Proves (live): Clients that stop reading are cut off, cost the others nothing, and lose nothing when they return.
//! Long form: `make soak ARGS=live`.

use std::sync::Arc;
use std::time::Duration;

use coordination::hub::Hub;
use futures::StreamExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use tokio::time::Instant;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use super::super::channel::FrameKind;
use super::super::frame_text::FrameText;
use super::net::{Net, Proxy};
use super::{HubMemory, Live, NOW, virtual_time};
use crate::clock::ServerClock;
use crate::web::{HEAD_TIMEOUT, TimeoutListener, live_routes};

/// Bytes of a frame.
const FRAME: usize = 8 * 1024;

struct SlowClientFixture {
    net: Net,
    live: Arc<Live>,
}

impl SlowClientFixture {
    fn new() -> Self {
        let net = Net::new(Proxy::None);
        let live = Arc::new(Live::new("run".to_owned(), ServerClock::fixed(NOW), &HubMemory::default()));
        let doors = TimeoutListener::new(net.doors(), Arc::clone(live.clients()), 1024);
        let app: axum::Router = live_routes().with_state(Arc::clone(&live)).into();
        tokio::spawn(async move { axum::serve(doors, app).await.expect("served") });
        Self { net, live }
    }

    /// One more frame, and a moment for the reading clients.
    async fn publish(&self, coalesce_delay: Duration) {
        self.publish_of(FRAME, coalesce_delay).await;
    }

    async fn publish_of(&self, bytes: usize, coalesce_delay: Duration) {
        self.live.write(Hub::advance);
        let seq = self.live.hub().cursor().seq;
        let text = format!("{{\"type\":\"test\",\"seq\":{seq},\"pad\":\"{}\"}}", "x".repeat(bytes));
        self.live.channel.publish(seq, FrameKind::Delta, FrameText::same_for_all(text));
        tokio::time::sleep(coalesce_delay).await;
    }

    async fn socket(&self, query: &str) -> WebSocketStream<DuplexStream> {
        let wire = self.net.connect().expect("a server");
        let url = format!("ws://monitor/live{query}");
        let mut socket = tokio_tungstenite::client_async(url, wire).await.expect("upgraded").0;
        socket.next().await.expect("a first frame").expect("whole");
        socket
    }

    /// An event stream whose first frame has come.
    async fn events(&self) -> DuplexStream {
        let mut wire = self.net.connect().expect("a server");
        wire.write_all(b"GET /live/events HTTP/1.0\r\nHost: monitor\r\n\r\n").await.expect("asked");
        let mut head = vec![0; 64];
        wire.read_exact(&mut head).await.expect("answered");
        wire
    }

    fn cut(&self) -> u64 {
        self.live.clients().info().cut
    }
}

/// Positions of the test's frames, until the stream ends or the last of `until` came.
async fn take(mut socket: WebSocketStream<DuplexStream>, until: u64) -> Vec<u64> {
    let mut seqs = Vec::new();
    while let Some(Ok(message)) = socket.next().await {
        let Message::Text(text) = message else { continue };
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        seqs.extend(value["seq"].as_u64());
        if seqs.last() == Some(&until) {
            break;
        }
    }
    seqs
}

#[test]
fn frozen_sockets_are_cut_and_others_continue() {
    virtual_time().block_on(async {
        const FRAMES: u64 = 400;
        let fixture = SlowClientFixture::new();
        let mut healthy = Vec::new();
        for _ in 0..5 {
            healthy.push(tokio::spawn(take(fixture.socket("").await, FRAMES)));
        }
        let mut frozen = Vec::new();
        for _ in 0..5 {
            frozen.push(fixture.socket("").await);
        }
        let start = Instant::now();
        for _ in 0..FRAMES {
            fixture.publish(Duration::from_millis(20)).await;
            if fixture.cut() == 0 {
                assert!(start.elapsed() < HEAD_TIMEOUT, "a mebibyte is queued long before");
            }
        }
        assert_eq!(fixture.cut(), 5);
        for reader in healthy {
            assert_eq!(reader.await.expect("reads"), (1..=FRAMES).collect::<Vec<_>>());
        }
        for socket in frozen {
            let mut got = take(socket, FRAMES).await;
            let last = got.last().copied().unwrap_or(0);
            assert!(last < FRAMES, "it was cut");
            let wire = fixture.net.connect().expect("a server");
            let url = format!("ws://monitor/live?cursor=run:{last}");
            let reconnected = tokio_tungstenite::client_async(url, wire).await.expect("upgraded").0;
            got.extend(take(reconnected, FRAMES).await);
            assert_eq!(got, (1..=FRAMES).collect::<Vec<_>>(), "what it missed was kept for it");
        }
    });
}

#[test]
fn large_frames_do_not_cut_reading_clients() {
    virtual_time().block_on(async {
        let fixture = SlowClientFixture::new();
        let reader = tokio::spawn(take(fixture.socket("").await, 6));
        let frozen = fixture.socket("").await;
        for _ in 0..3 {
            // Two at once: the second comes while the first is being sent.
            fixture.publish_of(3 << 20, Duration::ZERO).await;
            fixture.publish_of(3 << 20, Duration::from_millis(500)).await;
        }
        assert_eq!(reader.await.expect("reads"), (1..=6).collect::<Vec<_>>());
        assert_eq!(fixture.cut(), 1, "only the client that reads nothing is cut");
        drop(frozen);
    });
}

#[test]
fn stalled_client_is_cut_after_ten_seconds() {
    virtual_time().block_on(async {
        let fixture = SlowClientFixture::new();
        let healthy = tokio::spawn(take(fixture.socket("").await, 91));
        let frozen = (fixture.socket("").await, fixture.events().await);
        // More than the pipes hold, less than a mebibyte.
        for _ in 0..90 {
            fixture.publish(Duration::from_millis(5)).await;
        }
        assert_eq!((fixture.cut(), fixture.live.clients().info().clients), (0, 3));
        tokio::time::sleep(HEAD_TIMEOUT + Duration::from_secs(1)).await;
        assert_eq!((fixture.cut(), fixture.live.clients().info().clients), (2, 1));
        fixture.publish(Duration::ZERO).await;
        assert_eq!(healthy.await.expect("reads"), (1..=91).collect::<Vec<_>>());
        drop(frozen);
    });
}

#[test]
fn slow_client_is_not_cut() {
    virtual_time().block_on(async {
        let fixture = SlowClientFixture::new();
        let mut socket = fixture.socket("").await;
        let slow = tokio::spawn(async move {
            let mut got = 0;
            while got < 60 {
                tokio::time::sleep(Duration::from_secs(4)).await;
                if let Some(Ok(Message::Text(text))) = socket.next().await {
                    got += u64::from(text.contains("\"seq\""));
                }
            }
            got
        });
        for _ in 0..60 {
            fixture.publish(Duration::from_millis(1)).await;
        }
        assert_eq!(slow.await.expect("reads"), 60);
        assert_eq!(fixture.cut(), 0);
    });
}

#[test]
fn endless_request_head_is_cut() {
    virtual_time().block_on(async {
        let fixture = SlowClientFixture::new();
        let mut wire = fixture.net.connect_raw().expect("a server");
        let start = Instant::now();
        let mut cut = false;
        for letter in "GET /live/poll HTTP/1.1\r\nHost: monitor\r\nX-Slow: aaaaaaaaaaaaaaaaaaaa".bytes() {
            tokio::time::sleep(Duration::from_secs(1)).await;
            if wire.write_all(&[letter]).await.is_err() {
                cut = true;
                break;
            }
        }
        assert!(cut, "the door is closed");
        assert!(start.elapsed() <= HEAD_TIMEOUT + Duration::from_secs(2), "{:?}", start.elapsed());
    });
}
