//! Tests with raw bytes on a real connection: request heads that no client library writes, and slow clients.
//!
//! Proves (security): Malformed heads and slow peers get an answer or are disconnected.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::{SESSION, TOKEN, WebFixture};
use crate::web::{Peer, TimeoutListener, from_peers, router_of};

/// Longest wait for an answer: far beyond any limit here.
const PATIENCE: Duration = Duration::from_secs(60);

/// Serves the fixture's application as the program does.
async fn listen(fixture: &WebFixture) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bind");
    let address = listener.local_addr().expect("address");
    let app = from_peers(router_of(&fixture.web)).into_make_service_with_connect_info::<Peer>();
    let timeout_listener = TimeoutListener::new(listener, Arc::clone(fixture.state.live().clients()), 64);
    tokio::spawn(async move { axum::serve(timeout_listener, app).await });
    address
}

/// Sends bytes and reads until the other end closes. Returns the response.
async fn send_raw(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.expect("connect");
    // A server that has refused already may have stopped reading.
    drop(stream.write_all(bytes).await);
    read_response(&mut stream).await
}

async fn read_response(stream: &mut TcpStream) -> String {
    let mut response = Vec::new();
    let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut response)).await.expect("closed in time");
    drop(read);
    String::from_utf8_lossy(&response).into_owned()
}

/// The first answer's status; 0 for a connection that was cut without an answer.
fn status(response: &str) -> u16 {
    response.split_whitespace().nth(1).and_then(|word| word.parse().ok()).unwrap_or_default()
}

fn get(target: &str, headers: &str) -> String {
    format!("GET {target} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn exactly_one_own_host_header_is_accepted() {
    let fixture = WebFixture::new().await;
    let address = listen(&fixture).await;
    let ours = format!("Host: {address}\r\n");
    let home = "/api/v2/home";
    for (target, headers, wanted) in [
        (home.to_owned(), ours.clone(), 200),
        (home.to_owned(), String::new(), 400),
        (home.to_owned(), format!("{ours}{ours}"), 400),
        (home.to_owned(), format!("{ours}Host: evil.example\r\n"), 400),
        (home.to_owned(), "Host: \r\n".to_owned(), 400),
        (home.to_owned(), "Host: a b\r\n".to_owned(), 400),
        (home.to_owned(), "Host: evil.example\r\n".to_owned(), 421),
        (format!("http://{address}{home}"), ours.clone(), 200),
        (format!("http://evil.example{home}"), ours.clone(), 421),
        (format!("http://evil.example/{home}"), "Host: evil.example\r\n".to_owned(), 421),
        (format!("http://user@{address}{home}"), ours.clone(), 421),
        ("http://evil.example".to_owned(), ours.clone(), 421),
    ] {
        let response = send_raw(address, get(&target, &headers).as_bytes()).await;
        assert_eq!(status(&response), wanted, "{target} {headers:?}: {response}");
        assert!(response.contains("x-content-type-options: nosniff"), "{response}");
    }
    let old = send_raw(address, b"GET /api/v2/home HTTP/1.0\r\n\r\n").await;
    assert_eq!(status(&old), 400, "{old}");
    let tunnel =
        send_raw(address, b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\nConnection: close\r\n\r\n")
            .await;
    assert_eq!(status(&tunnel), 421, "{tunnel}");
    let tunnel = format!("CONNECT {address} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let tunnel = send_raw(address, tunnel.as_bytes()).await;
    assert!((400..500).contains(&status(&tunnel)), "{tunnel}");
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_stream_is_refused_before_upgrade() {
    let fixture = WebFixture::new().await;
    let address = listen(&fixture).await;
    let upgrade = "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    for path in ["/ws", "/api/v2/live"] {
        for (origin, wanted) in [
            (String::new(), 101),
            (format!("Origin: http://{address}\r\n"), 101),
            ("Origin: null\r\n".to_owned(), 403),
            ("Origin: http://127.0.0.1:1\r\n".to_owned(), 403),
            ("Origin: https://evil.example\r\n".to_owned(), 403),
            ("Sec-Fetch-Site: cross-site\r\n".to_owned(), 403),
        ] {
            let head = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{upgrade}{origin}\r\n");
            let mut stream = TcpStream::connect(address).await.expect("connect");
            stream.write_all(head.as_bytes()).await.expect("write");
            let mut response = [0; 12];
            stream.read_exact(&mut response).await.expect("an answer");
            let response = String::from_utf8_lossy(&response).into_owned();
            assert_eq!(status(&response), wanted, "{path} {origin:?}: {response}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn large_incoming_frame_closes_the_stream() {
    let fixture = WebFixture::new().await;
    let address = listen(&fixture).await;
    for path in ["/ws", "/api/v2/live"] {
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        let mut stream = TcpStream::connect(address).await.expect("connect");
        stream.write_all(head.as_bytes()).await.expect("write");
        // A binary frame of 8 MiB, of which only the head comes: it is refused for the announced length.
        let frame = [&[0x82, 0xff][..], &(8_u64 << 20).to_be_bytes(), &[0; 4]].concat();
        stream.write_all(&frame).await.expect("write");
        let mut response = Vec::new();
        let end = tokio::time::timeout(Duration::from_secs(60), stream.read_to_end(&mut response)).await;
        assert!(end.is_ok(), "{path}: still open");
    }
}

fn patch(headers: &str, body: &str) -> String {
    format!(
        "PATCH /api/v2/sessions/{SESSION}/category HTTP/1.1\r\nContent-Type: application/json\r\n\
         X-Task-Monitor-Token: {TOKEN}\r\n{headers}\r\n{body}"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_has_one_length() {
    let fixture = WebFixture::new().await;
    let address = listen(&fixture).await;
    let host = format!("Host: {address}\r\nConnection: close\r\n");
    let (length, chunked) = ("Content-Length: 33\r\n", "Transfer-Encoding: chunked\r\n");
    let plain = r#"{"collabCategory":"qa_validation"}"#;
    let body = format!("{:x}\r\n{plain}\r\n0\r\n\r\n", plain.len());
    let good = send_raw(address, patch(&format!("{host}{chunked}"), &body).as_bytes()).await;
    assert_eq!(status(&good), 200, "one length, by chunks: {good}");
    let good = send_raw(address, patch(&format!("{host}Content-Length: {}\r\n", plain.len()), plain).as_bytes()).await;
    assert_eq!(status(&good), 200, "{good}");
    for headers in [format!("{length}{chunked}"), format!("{chunked}{length}")] {
        let response = send_raw(address, patch(&format!("{host}{headers}"), &body).as_bytes()).await;
        assert_eq!(status(&response), 400, "{headers:?}: {response}");
        assert_eq!(response.matches("HTTP/1.1").count(), 1, "nothing after it is taken for a request: {response}");
    }
    for headers in
        ["Content-Length: 3\r\nContent-Length: 4\r\n", "Content-Length: -1\r\n", "Transfer-Encoding: gzip\r\n"]
    {
        let response = send_raw(address, patch(&format!("{host}{headers}"), &body).as_bytes()).await;
        assert_eq!(status(&response), 400, "{headers:?}: {response}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn conflicting_lengths_are_refused_on_reused_connection() {
    let fixture = WebFixture::new().await;
    let address = listen(&fixture).await;
    let mut stream = TcpStream::connect(address).await.expect("connect");
    let head = format!("GET /api/health HTTP/1.1\r\nHost: {address}\r\n\r\n");
    for _ in 0..3 {
        stream.write_all(head.as_bytes()).await.expect("write");
        let mut response = Vec::new();
        while !response.ends_with(b"}") {
            response.push(stream.read_u8().await.expect("an answer"));
        }
        assert_eq!(status(&String::from_utf8_lossy(&response)), 200);
    }
    let both = format!("Host: {address}\r\nConnection: close\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n");
    stream.write_all(patch(&both, "0\r\n\r\n").as_bytes()).await.expect("write");
    let response = read_response(&mut stream).await;
    assert_eq!(status(&response), 400, "{response}");
}

#[tokio::test(flavor = "multi_thread")]
async fn oversized_requests_get_specific_statuses() {
    let fixture = WebFixture::new().await;
    let address = listen(&fixture).await;
    let host = format!("Host: {address}\r\n");
    let filler = |bytes: usize| "x".repeat(bytes);
    let many = |count: usize| (0..count).map(|number| format!("X-{number}: 1\r\n")).collect::<String>();
    for (target, headers, wanted) in [
        (format!("/api/v2/home?q={}", filler(8_000)), String::new(), 200),
        (format!("/api/v2/home?q={}", filler(8_192)), String::new(), 414),
        (format!("/{}", filler(70_000)), String::new(), 414),
        ("/api/v2/home".to_owned(), format!("X-Long: {}\r\n", filler(15_000)), 200),
        ("/api/v2/home".to_owned(), format!("X-Long: {}\r\n", filler(17_000)), 431),
        ("/api/v2/home".to_owned(), format!("Cookie: {}\r\n", filler(300_000)), 200),
        ("/api/v2/home".to_owned(), format!("Cookie: {}\r\nX-Long: {}\r\n", filler(17_000), filler(17_000)), 431),
        ("/api/v2/home".to_owned(), many(90), 200),
        ("/api/v2/home".to_owned(), many(101), 431),
    ] {
        let response = send_raw(address, get(&target, &format!("{host}{headers}")).as_bytes()).await;
        let about = format!("{:.40} {:.40}: {response:.300}", target, headers);
        assert_eq!(status(&response), wanted, "{about}");
    }
    let endless = send_raw(address, format!("GET / HTTP/1.1\r\n{host}X-Long: {}", filler(2_000_000)).as_bytes()).await;
    assert!(matches!(status(&endless), 0 | 431), "{endless}");
    for (path, most) in [
        (format!("/api/work-sessions/{SESSION}/category"), 16 * 1024),
        (format!("/api/v2/sessions/{SESSION}/category"), 16 * 1024),
        ("/api/v2/categories".to_owned(), 64 * 1024),
        ("/api/v2/classifier/config".to_owned(), 64 * 1024),
        ("/api/v2/shared/one".to_owned(), 64 * 1024),
    ] {
        let method = if path.contains("config") || path.contains("shared") { "PUT" } else { "PATCH" };
        for (bytes, wanted) in [(most, 400), (most + 1, 413)] {
            let head = format!(
                "{method} {path} HTTP/1.1\r\n{host}Content-Type: application/json\r\nConnection: close\r\n\
                 X-Task-Monitor-Token: {TOKEN}\r\nContent-Length: {bytes}\r\n\r\n"
            );
            let response = send_raw(address, format!("{head}{}", filler(bytes)).as_bytes()).await;
            assert_eq!(status(&response), wanted, "{path} {bytes}: {response}");
            assert!(response.contains("cache-control: no-store"), "{response}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_request_body_times_out() {
    let fixture = WebFixture::new().await;
    let address = listen(&fixture).await;
    let host = format!("Host: {address}\r\n");
    let silent = async { read_response(&mut TcpStream::connect(address).await.expect("connect")).await };
    let head = async { send_raw(address, format!("GET / HTTP/1.1\r\n{host}").as_bytes()).await };
    let blank = async { send_raw(address, b"\r\n\r\n\r\n").await };
    let body = async { send_raw(address, patch(&format!("{host}Content-Length: 40\r\n"), "{").as_bytes()).await };
    let dripping = async {
        let mut stream = TcpStream::connect(address).await.expect("connect");
        let head = patch(&format!("{host}Content-Length: 4000\r\n"), "");
        stream.write_all(head.as_bytes()).await.expect("write");
        let (mut reader, mut writer) = stream.into_split();
        let drops = tokio::spawn(async move {
            while writer.write_all(b"x").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        });
        let mut response = Vec::new();
        drop(tokio::time::timeout(PATIENCE, reader.read_to_end(&mut response)).await.expect("closed in time"));
        drops.abort();
        String::from_utf8_lossy(&response).into_owned()
    };
    // A connection that served once is not a licence either.
    let defer = async {
        let mut stream = TcpStream::connect(address).await.expect("connect");
        let whole = format!("GET /api/health HTTP/1.1\r\n{host}\r\n");
        stream.write_all(whole.as_bytes()).await.expect("write");
        let mut response = Vec::new();
        while !response.ends_with(b"}") {
            response.push(stream.read_u8().await.expect("an answer"));
        }
        stream.write_all(b"GET /api/health HT").await.expect("write");
        read_response(&mut stream).await
    };
    let (silent, head, blank, body, dripping, defer) = tokio::join!(silent, head, blank, body, dripping, defer);
    assert_eq!((status(&silent), status(&head), status(&blank), status(&defer)), (0, 0, 0, 0));
    assert_eq!(status(&body), 408, "{body}");
    assert_eq!(status(&dripping), 408, "{dripping}");
    assert!(body.contains("connection: close") && body.contains("x-request-id"), "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn oversized_navigation_head_gets_cookie_clearing_page() {
    let fixture = WebFixture::new().await;
    let address = listen(&fixture).await;
    let cookies = format!("Cookie: {}\r\n", "x".repeat(450 * 1024));
    let other = format!("X-Other: {}\r\n", "x".repeat(17 * 1024));
    for large in [&cookies, &other] {
        let head = |accept: &str| format!("Host: {address}\r\nAccept: {accept}\r\n{large}");
        let response = send_raw(address, get("/", &head("text/html,*/*")).as_bytes()).await;
        assert_eq!(status(&response), 431, "{response}");
        assert!(response.contains("clear-site-data: \"cookies\"\r\n"), "{response}");
        assert!(response.contains("쿠키를") && response.contains("The request headers are too large"), "{response}");
        let response = send_raw(address, get("/api/v2/home", &head("application/json")).as_bytes()).await;
        assert!(matches!(status(&response), 0 | 431) && !response.contains("clear-site-data"), "{response}");
    }
    let endless = format!("GET / HTTP/1.1\r\nAccept: text/html\r\nCookie: {}", "x".repeat(2 * 1024 * 1024));
    assert_eq!(status(&send_raw(address, endless.as_bytes()).await), 0);
}
