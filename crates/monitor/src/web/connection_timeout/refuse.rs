//! Refusal of connections when too many are open, by a 503 answer with `Retry-After`. While 16 such answers are being
//! written, further connections are closed without an answer. The 431 page for a browser whose request headers are too
//! large is also here.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Semaphore;
use tokio::time::Instant;

/// Connections that are being refused at once; further ones are closed without an answer. Each is an open file.
pub(super) const MAX_REFUSALS: usize = 16;
/// How long a refused peer may take to read the answer.
const LINGER_TIMEOUT: Duration = Duration::from_secs(1);
/// A line of the log is written this often at most.
const LOG_EVERY: Duration = Duration::from_secs(60);
/// Bytes of a request that are read and dropped, so that the answer is not lost to a reset (RFC 9112 §9.6).
const MAX_DRAINED_BYTES: usize = 16 * 1024;

const BODY: &str = r#"{"error":"Too many connections are open","code":"source_unavailable"}"#;

/// Header of the answer [`HEAD_TOO_LARGE`]: the browser drops its cookies, so that the next try succeeds.
pub(crate) const CLEAR_COOKIES: (&str, &str) = ("clear-site-data", "\"cookies\"");
/// Page for a navigation whose headers are too large.
pub(crate) const HEAD_TOO_LARGE: &str = "<!doctype html><html lang=\"ko\"><meta charset=\"utf-8\">\
    <meta name=\"viewport\" content=\"width=device-width\"><title>431 · task-monitor</title>\
    <h1>요청 헤더가 너무 큽니다</h1><p>이 컴퓨터의 다른 프로그램이 저장한 쿠키가 원인일 수 있습니다. 이 주소의 쿠키를 \
    삭제했습니다. 페이지를 새로 고쳐 주세요. 계속되면 브라우저 설정에서 이 주소의 쿠키를 삭제해 주세요.</p>\
    <div lang=\"en\"><h2>The request headers are too large</h2><p>Cookies of other programs on this machine are a common \
    cause. The cookies of this address were deleted. Reload the page. If it happens again, delete the cookies of this \
    address in the browser settings.</p></div></html>";

/// [`HEAD_TOO_LARGE`] as a whole answer, for a head that no service sees.
pub(super) fn head_too_large() -> Bytes {
    let (name, value) = CLEAR_COOKIES;
    let length = HEAD_TOO_LARGE.len();
    format!(
        "HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Type: text/html; charset=utf-8\r\n\
         Content-Length: {length}\r\n{name}: {value}\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
         Content-Security-Policy: default-src 'none'\r\nConnection: close\r\n\r\n{HEAD_TOO_LARGE}"
    )
    .into()
}

/// Refuses connections.
#[derive(Debug)]
pub(super) struct Refuser {
    /// Limits refusals that are being written.
    at_once: Arc<Semaphore>,
    /// Time of the last log line.
    logged: Option<Instant>,
    /// Number of refusals since then.
    refused: u64,
}

impl Default for Refuser {
    fn default() -> Self {
        Self { at_once: Arc::new(Semaphore::new(MAX_REFUSALS)), logged: None, refused: 0 }
    }
}

impl Refuser {
    /// Answers 503 and closes, without delaying other connections.
    pub(super) fn refuse<T: AsyncRead + AsyncWrite + Unpin + Send + 'static>(&mut self, io: T, peer: IpAddr) {
        self.refused += 1;
        if self.logged.is_none_or(|at| at.elapsed() >= LOG_EVERY) {
            tracing::warn!(%peer, refused = self.refused, "connections refused: too many of this peer or of all");
            (self.logged, self.refused) = (Some(Instant::now()), 0);
        }
        let Ok(permit) = Arc::clone(&self.at_once).try_acquire_owned() else { return };
        tokio::spawn(async move {
            // A peer that does not read it gets nothing.
            drop(tokio::time::timeout(LINGER_TIMEOUT, answer(io)).await);
            drop(permit);
        });
    }
}

async fn answer<T: AsyncRead + AsyncWrite + Unpin>(mut io: T) -> std::io::Result<()> {
    let length = BODY.len();
    let head = format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
         Retry-After: 1\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n{BODY}"
    );
    io.write_all(head.as_bytes()).await?;
    io.shutdown().await?;
    let mut buffer = [0; 1024];
    let mut drained = 0;
    while drained < MAX_DRAINED_BYTES {
        match io.read(&mut buffer).await? {
            0 => break,
            count => drained += count,
        }
    }
    Ok(())
}
