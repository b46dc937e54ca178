//! The answer to a connection beyond the limits: 503 with `Retry-After`, written without waiting for a request.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Semaphore;
use tokio::time::Instant;

/// Connections that are being refused at once; further ones are closed without an answer. Each is an open file.
pub(super) const MAX_REFUSALS: usize = 16;
/// How long a refused peer may take to read the answer.
const LINGER: Duration = Duration::from_secs(1);
/// A line of the log is written this often at most.
const LOG_EVERY: Duration = Duration::from_secs(60);
/// Bytes of a request that are read and dropped, so that the answer is not lost to a reset (RFC 9112 §9.6).
const DRAINED: usize = 16 * 1024;

const BODY: &str = r#"{"error":"Too many connections are open","code":"source_unavailable"}"#;

/// Refuses connections.
#[derive(Debug)]
pub(super) struct Refuser {
    at_once: Arc<Semaphore>,
    logged: Option<Instant>,
    refused: u64,
}

impl Default for Refuser {
    fn default() -> Self {
        Self { at_once: Arc::new(Semaphore::new(MAX_REFUSALS)), logged: None, refused: 0 }
    }
}

impl Refuser {
    /// Answers 503 and closes, beside the accepting of others.
    pub(super) fn refuse<T: AsyncRead + AsyncWrite + Unpin + Send + 'static>(&mut self, io: T, peer: IpAddr) {
        self.refused += 1;
        if self.logged.is_none_or(|at| at.elapsed() >= LOG_EVERY) {
            tracing::warn!(%peer, refused = self.refused, "connections refused: too many of this peer or of all");
            (self.logged, self.refused) = (Some(Instant::now()), 0);
        }
        let Ok(permit) = Arc::clone(&self.at_once).try_acquire_owned() else { return };
        tokio::spawn(async move {
            // A peer that does not read it gets nothing.
            drop(tokio::time::timeout(LINGER, answer(io)).await);
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
    while drained < DRAINED {
        match io.read(&mut buffer).await? {
            0 => break,
            count => drained += count,
        }
    }
    Ok(())
}
