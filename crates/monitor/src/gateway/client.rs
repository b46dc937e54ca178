//! HTTP client for a single request to OpenClaw's gateway. It connects only to addresses of this machine, by plain
//! HTTP, without redirects or retries. The time of the request and the size of the answer are limited.

use std::io;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::{Request, header};
use coordination::gateway_message::GatewayReply;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::{TcpStream, lookup_host};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use crate::config::Gateway;

/// How long a connection on this machine may take.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Most that is read of an answer, bytes.
const MAX_RESPONSE_BYTES: usize = 1024 * 1024;

/// What became of a request.
#[derive(Debug)]
pub(super) enum Sent {
    /// There is an answer.
    GatewayReply(GatewayReply),
    /// No connection could be made.
    Never(String),
    /// It was, or may have been, sent, and no whole answer came.
    Lost(String),
}

/// Sends a body and waits for the answer, `wait` longer than a gateway may take by itself.
pub(super) async fn post(gateway: &Gateway, body: &Value, wait: Duration) -> Sent {
    let stream = match timeout(CONNECT_TIMEOUT, connect(gateway)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return Sent::Never(error.to_string()),
        Err(_) => return Sent::Never("no connection in time".to_owned()),
    };
    let Some(authorization) = gateway.authorization() else {
        return Sent::Never("the token is no header".to_owned());
    };
    let request = Request::post(gateway.path())
        .header(header::HOST, gateway.authority())
        .header(header::AUTHORIZATION, authorization)
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "application/json")
        .header(header::CONNECTION, "close")
        .body(Full::from(body.to_string()));
    let request = match request {
        Ok(request) => request,
        Err(error) => return Sent::Never(error.to_string()),
    };
    match timeout(wait + gateway.margin(), exchange(stream, request)).await {
        Ok(Ok(reply)) => Sent::GatewayReply(reply),
        Ok(Err(cause)) => Sent::Lost(cause.to_string()),
        Err(_) => Sent::Lost("no answer in time".to_owned()),
    }
}

/// Only to addresses of this machine, whatever `localhost` is here.
pub(super) async fn connect(gateway: &Gateway) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::AddrNotAvailable, "no address on this machine");
    for address in lookup_host(gateway.place()).await? {
        if !address.ip().to_canonical().is_loopback() {
            continue;
        }
        match TcpStream::connect(address).await {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

type Cause = Box<dyn std::error::Error + Send + Sync>;

async fn exchange(stream: TcpStream, request: Request<Full<Bytes>>) -> Result<GatewayReply, Cause> {
    let begun = Instant::now();
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await?;
    // Ends with this function, however that ends.
    let mut driving = JoinSet::new();
    driving.spawn(connection);
    let (head, body) = sender.send_request(request).await?.into_parts();
    let body = Limited::new(body, MAX_RESPONSE_BYTES).collect().await?.to_bytes().to_vec();
    let retry_after = head.headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
    let elapsed_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(GatewayReply { status: head.status.as_u16(), retry_after, body, elapsed_ms })
}
