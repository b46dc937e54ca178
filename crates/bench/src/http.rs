//! Minimal HTTP client for benchmarks, for loopback only. It reads bodies of a stated length, on a kept connection or on
//! a new one for each request.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

/// A response with its whole body.
pub struct BenchResponse {
    pub status: u16,
    pub body: Vec<u8>,
    pub etag: Option<String>,
}

impl BenchResponse {
    /// The body of a successful response.
    pub fn json(&self) -> Result<Value> {
        if self.status != 200 {
            bail!("status {} instead of 200", self.status);
        }
        serde_json::from_slice(&self.body).context("not JSON")
    }
}

/// GETs a path on a connection of its own.
pub fn get(port: u16, path: &str) -> Result<BenchResponse> {
    KeepAlive::open(port)?.get(path, "")
}

/// GETs a path on a connection of its own and reads the JSON of the response.
pub fn json(port: u16, path: &str) -> Result<Value> {
    get(port, path)?.json().with_context(|| path.to_owned())
}

/// The same request in a spelling that was not used for a while. The monitor caches an answer for a second by the exact
/// spelling of its request: this measures the uncached cost.
pub fn uncached_path(path: &str) -> String {
    const SPELLINGS: usize = 2_000;
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let spelling = CALLS.fetch_add(1, Ordering::Relaxed) % SPELLINGS;
    format!("{path}{}{}", if path.contains('?') { "&" } else { "?" }, "&".repeat(spelling))
}

/// A client that keeps its connection, as browsers do.
pub struct KeepAlive {
    port: u16,
    stream: BufReader<TcpStream>,
}

impl KeepAlive {
    pub fn open(port: u16) -> Result<Self> {
        Ok(Self { port, stream: BufReader::with_capacity(64 * 1024, connect(port)?) })
    }

    /// GETs a path; `head` are further lines of the request, each with its end.
    pub fn get(&mut self, path: &str, head: &str) -> Result<BenchResponse> {
        let Self { port, stream } = self;
        let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{head}\r\n");
        stream.get_mut().write_all(request.as_bytes())?;
        let head = read_head(stream)?;
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).context("the answer is not HTTP")?;
        let mut body = vec![0; length(&head).context("an answer without a length")?];
        stream.read_exact(&mut body).context("the answer broke off")?;
        Ok(BenchResponse { status, body, etag: field(&head, "etag") })
    }
}

pub(crate) fn connect(port: u16) -> Result<TcpStream> {
    let stream = TcpStream::connect(("127.0.0.1", port)).context("cannot connect")?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Status line and fields of a response, with the empty line behind them.
pub(crate) fn read_head(stream: &mut impl BufRead) -> Result<String> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).context("no answer")? == 0 {
            bail!("the connection was closed");
        }
    }
    Ok(head)
}

/// Bytes of the body; answers without content need not say.
fn length(head: &str) -> Option<usize> {
    match field(head, "content-length") {
        Some(length) => length.parse().ok(),
        None => head.starts_with("HTTP/1.1 304").then_some(0),
    }
}

fn field(head: &str, name: &str) -> Option<String> {
    head.lines().find_map(|line| {
        let (field, value) = line.split_once(':')?;
        field.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::{length, uncached_path};

    #[test]
    fn uncached_paths_differ_each_time() {
        let (one, other) = (uncached_path("/a?b=c"), uncached_path("/a?b=c"));
        assert!(one != other && one.starts_with("/a?b=c&") && other.starts_with("/a?b=c&"));
        assert!(uncached_path("/a").starts_with("/a?"));
    }

    #[test]
    fn persistent_response_ends_at_length() {
        assert_eq!(length("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n"), Some(12));
        assert_eq!(length("HTTP/1.1 304 Not Modified\r\n\r\n"), Some(0));
        assert_eq!(length("HTTP/1.1 200 OK\r\n\r\n"), None);
    }
}
