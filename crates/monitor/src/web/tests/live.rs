//! Tests of the live stream with real clients over WebSocket, server-sent events and long poll, and of the REST 1.x
//! WebSocket `/ws`. A line appended to the log arrives as the next frame.
//!
//! Proves (live): A line that is appended to the log arrives as the next frame of a real client.

use std::net::SocketAddr;
use std::time::Duration;

use axum::body::Body;
use coordination::api::{ClientMessage, Delta, Frame, ShownThread, ThreadPatch};
use futures::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::{NOW, WebFixture, ask, send};
use crate::web::router_of;

pub(super) type LiveSocket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Serves the fixture's application on a free port.
pub(super) async fn listen(fixture: &WebFixture) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("bind");
    let address = listener.local_addr().expect("address");
    let app = router_of(&fixture.web).into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

pub(super) async fn connect(address: SocketAddr, query: &str) -> LiveSocket {
    connect_async(format!("ws://{address}/api/v2/live{query}")).await.expect("connect").0
}

pub(super) async fn frame(socket: &mut LiveSocket) -> Frame {
    loop {
        let message = tokio::time::timeout(Duration::from_secs(20), socket.next()).await.expect("a frame within 20 s");
        if let Message::Text(text) = message.expect("open").expect("message") {
            return serde_json::from_str(&text).expect("frame");
        }
    }
}

/// The next delta that brings events: files may have their own.
async fn delta(socket: &mut LiveSocket) -> Delta {
    loop {
        match frame(socket).await {
            Frame::Delta(delta) if delta.events_total > 0 => return *delta,
            Frame::Delta(_) | Frame::Heartbeat(_) => {}
            other => panic!("unexpected {other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn appended_line_arrives_as_continuing_delta() {
    let fixture = WebFixture::new().await;
    let mut socket = connect(listen(&fixture).await, "").await;
    let Frame::Snapshot(snapshot) = frame(&mut socket).await else { panic!("snapshot first") };
    fixture.append(&send(NOW - 1000, "재배포 완료"));
    let first = delta(&mut socket).await;
    assert_eq!(first.cursor.epoch, snapshot.cursor.epoch);
    assert!(first.cursor.seq > snapshot.cursor.seq);
    assert_eq!((first.events_total, first.threads.len(), &first.thread_patch), (1, 1, &None));
    assert_eq!(first.sessions.len(), 1);
    fixture.append(&send(NOW - 500, "확인했습니다"));
    let mut seq = first.cursor.seq;
    loop {
        let Frame::Delta(next) = frame(&mut socket).await else { continue };
        seq += 1;
        assert_eq!(next.cursor.seq, seq);
        // Home may come on its own in between.
        if next.events_total > 0 {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn home_arrives_after_the_last_change() {
    let fixture = WebFixture::new().await;
    let mut socket = connect(listen(&fixture).await, "").await;
    frame(&mut socket).await;
    let (mut without_home, mut home) = (0, 0);
    // Until one of them left home out: which does depends on when the machine gets round to it.
    for number in 0..50 {
        fixture.append(&send(NOW - 1000 + number, "하나 더"));
        let delta_frame = delta(&mut socket).await;
        without_home += u32::from(delta_frame.home.is_none());
        home = delta_frame.home.map_or(home, |home| home.cursor.seq);
        if delta_frame.cursor.seq > home {
            // Much longer than it takes, and less than the interval after which time alone publishes home.
            let next = tokio::time::timeout(Duration::from_secs(10), frame(&mut socket)).await.expect("home in time");
            let Frame::Delta(next) = next else { panic!("unexpected {next:?}") };
            let shown = next.home.expect("home, because nothing else changed");
            assert_eq!((next.events_total, shown.cursor.seq), (0, delta_frame.cursor.seq + 1));
            assert_eq!(shown.all.total, 1);
            home = shown.cursor.seq;
        }
        if without_home == 3 {
            break;
        }
    }
    assert!(without_home > 0, "home always went along");
}

/// The `threadPatch` of the next delta that brings events, decoded.
async fn patch(socket: &mut LiveSocket) -> Option<ThreadPatch> {
    delta(socket).await.thread_patch.map(|patch| serde_json::from_value(patch).expect("a patch"))
}

#[tokio::test(flavor = "multi_thread")]
async fn shown_thread_arrives_with_its_frame() {
    let fixture = WebFixture::new().await;
    let address = listen(&fixture).await;
    let mut socket = connect(address, "?patches=true").await;
    frame(&mut socket).await;
    fixture.append(&send(NOW - 1000, "하나"));
    let touched = delta(&mut socket).await.threads.remove(0);
    let shown = ShownThread { session_id: touched.session_id, thread_id: touched.thread.thread_id };
    let (session, thread) = (shown.session_id.as_str(), shown.thread_id.as_str());
    let mut by_query = connect(address, &format!("?patches=true&session={session}&thread={thread}")).await;
    frame(&mut by_query).await;
    let show = ClientMessage::Show { thread: Some(shown.clone()) };
    socket.send(Message::text(serde_json::to_string(&show).expect("text"))).await.expect("sent");
    // What else a client sends changes nothing.
    socket.send(Message::text("not JSON")).await.expect("sent");
    socket.send(Message::text(r#"{"type":"tomorrow"}"#)).await.expect("sent");
    let mut number = 0;
    let mine = loop {
        // The message may be read after a line that follows it.
        number += 1;
        fixture.append(&send(NOW - 900 + number, "둘"));
        if let Some(patch) = patch(&mut socket).await {
            break patch;
        }
    };
    assert_eq!((&mine.session_id, &mine.thread.thread_id), (&shown.session_id, &shown.thread_id));
    assert_eq!((mine.replaced, mine.messages.len(), mine.messages[0].text.as_str()), (false, 1, "둘"));
    assert!(patch(&mut by_query).await.is_some());
    let mut cursor = fixture.state.hub().cursor().to_string();
    loop {
        number += 1;
        fixture.append(&send(NOW - 900 + number, "셋"));
        let poll = format!("/api/v2/live/poll?patches=true&session={session}&thread={thread}&cursor={cursor}&wait=20");
        let frames = fixture.get(&poll).await.json()["frames"].as_array().expect("frames").clone();
        if frames.iter().any(|frame| frame["threadPatch"]["messages"][0]["text"] == "셋") {
            break;
        }
        let newest = &frames.last().expect("a frame")["cursor"];
        cursor = format!("{}:{}", newest["epoch"].as_str().expect("epoch"), newest["seq"]);
    }
    let none = ClientMessage::Show { thread: None };
    socket.send(Message::text(serde_json::to_string(&none).expect("text"))).await.expect("sent");
    while patch(&mut socket).await.is_some() {
        number += 1;
        fixture.append(&send(NOW - 400 + number, "넷"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn resumed_client_gets_exactly_missed_frames() {
    let fixture = WebFixture::new().await;
    let address = listen(&fixture).await;
    let mut socket = connect(address, "").await;
    let Frame::Snapshot(snapshot) = frame(&mut socket).await else { panic!("snapshot first") };
    fixture.append(&send(NOW - 1000, "하나"));
    let first = delta(&mut socket).await;
    fixture.append(&send(NOW - 900, "둘"));
    let second = delta(&mut socket).await;
    drop(socket);
    let mut resumed = connect(address, &format!("?cursor={}", first.cursor)).await;
    assert_eq!(delta(&mut resumed).await, second);
    let mut from_the_start = connect(address, &format!("?cursor={}", snapshot.cursor)).await;
    assert_eq!(delta(&mut from_the_start).await, first);
    assert_eq!(delta(&mut from_the_start).await, second);
}

#[tokio::test(flavor = "multi_thread")]
async fn cursor_of_other_run_gets_snapshot() {
    let fixture = WebFixture::new().await;
    let mut socket = connect(listen(&fixture).await, "?cursor=elsewhere:7").await;
    assert!(matches!(frame(&mut socket).await, Frame::Reset(reset) if reset.reason == "epoch"));
    assert!(matches!(frame(&mut socket).await, Frame::Snapshot(_)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_page_is_refused_before_the_upgrade() {
    let fixture = WebFixture::new().await;
    let address = listen(&fixture).await;
    for (origin, fine) in [("https://evil.example".to_owned(), false), (format!("http://{address}"), true)] {
        let mut request = format!("ws://{address}/api/v2/live").into_client_request().expect("request");
        request.headers_mut().insert("origin", origin.parse().expect("value"));
        match connect_async(request).await {
            Ok(_) => assert!(fine, "{origin}"),
            Err(Error::Http(response)) => assert_eq!((response.status().as_u16(), fine), (403, false), "{origin}"),
            Err(other) => panic!("{other}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_stream_ends_when_the_server_closes() {
    let fixture = WebFixture::new().await;
    let mut socket = connect(listen(&fixture).await, "").await;
    frame(&mut socket).await;
    fixture.state.close();
    let end = tokio::time::timeout(Duration::from_secs(20), socket.next()).await.expect("an end within 20 s");
    assert!(matches!(end, Some(Ok(Message::Close(_)))), "{end:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn long_poll_waits_only_when_current() {
    let fixture = WebFixture::new().await;
    let first = fixture.get("/api/v2/live/poll").await.json();
    assert_eq!(first["frames"][0]["type"], "snapshot");
    let cursor = &first["frames"][0]["cursor"];
    let cursor = format!("{}:{}", cursor["epoch"].as_str().expect("epoch"), cursor["seq"]);
    let path = format!("/api/v2/live/poll?cursor={cursor}&wait=20");
    let (waited, ()) = tokio::join!(fixture.get(&path), async { fixture.append(&send(NOW - 1000, "왔어요")) });
    assert_eq!(waited.json()["frames"][0]["type"], "delta");
    let behind = fixture.get(&path).await.json();
    assert_eq!(behind["frames"][0]["type"], "delta");
    // Once home has followed there is nothing more.
    let mut idle = behind;
    while idle["frames"][0]["type"] == "delta" {
        let now = fixture.state.hub().cursor();
        idle = fixture.get(&format!("/api/v2/live/poll?cursor={now}&wait=0")).await.json();
    }
    assert_eq!(idle["frames"][0]["type"], "heartbeat");
}

#[tokio::test(flavor = "multi_thread")]
async fn server_sent_events_carry_frames_unbuffered() {
    let fixture = WebFixture::new().await;
    let mut request = ask("GET", "/api/v2/live/events").body(Body::empty()).expect("request");
    let here: SocketAddr = "127.0.0.1:1".parse().expect("address");
    request.extensions_mut().insert(axum::extract::ConnectInfo(here));
    let response = tower::ServiceExt::oneshot(fixture.app.clone(), request).await.expect("infallible");
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    assert_eq!(response.headers()["x-accel-buffering"], "no");
    let mut body = response.into_body().into_data_stream();
    let first = body.next().await.expect("open").expect("bytes");
    assert!(first.starts_with(b"data: {\"type\":\"snapshot\""), "{first:?}");
    fixture.append(&send(NOW - 1000, "왔어요"));
    let next = body.next().await.expect("open").expect("bytes");
    assert!(next.starts_with(b"data: {\"type\":\"delta\""), "{next:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn client_beyond_cap_gets_503() {
    let fixture = WebFixture::new().await;
    let mut socket = connect(listen(&fixture).await, "").await;
    frame(&mut socket).await;
    let places: Vec<_> =
        std::iter::from_fn(|| fixture.state.live().clients().enter(coordination::link::Transport::Poll)).collect();
    for route in ["live/poll", "live/events"] {
        let answer = fixture.get(&format!("/api/v2/{route}")).await;
        assert_eq!((answer.status.as_u16(), answer.header("retry-after")), (503, "10"), "{route}");
        assert_eq!(answer.json()["code"], "source_unavailable");
    }
    fixture.append(&send(NOW - 1000, "왔어요"));
    assert_eq!(delta(&mut socket).await.events_total, 1);
    let live = &fixture.get("/api/v2/health").await.json()["live"];
    assert_eq!((live["clients"].as_u64(), live["sockets"].as_u64()), (Some(places.len() as u64 + 1), Some(1)));
    drop(places);
    assert_eq!(fixture.get("/api/v2/live/poll").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn current_client_gets_immediate_heartbeat() {
    let fixture = WebFixture::new().await;
    let here = fixture.state.hub().cursor();
    let mut socket = connect(listen(&fixture).await, &format!("?cursor={here}")).await;
    assert!(matches!(frame(&mut socket).await, Frame::Heartbeat(beat) if beat.cursor == here));
}

#[tokio::test(flavor = "multi_thread")]
async fn old_socket_greets_and_sends_each_new_event() {
    let fixture = WebFixture::new().await;
    let address = listen(&fixture).await;
    let mut socket = connect_async(format!("ws://{address}/ws")).await.expect("connect").0;
    let mut types = Vec::new();
    while types.last().is_none_or(|last| last != "coordination_event_new") {
        let message = tokio::time::timeout(Duration::from_secs(20), socket.next()).await.expect("in time");
        let Message::Text(text) = message.expect("open").expect("message") else { continue };
        let message: Value = serde_json::from_str(&text).expect("JSON");
        // Subscribed before it greets: what comes from now on is sent.
        if message["type"] == "connected" {
            fixture.append(&send(NOW - 1000, "재배포 완료"));
        }
        types.push(message["type"].as_str().expect("a type").to_owned());
    }
    assert_eq!(types, ["connected", "event_log", "coordination_event_new"]);
}
