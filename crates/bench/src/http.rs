//! Minimal HTTP client for benchmarks, for loopback only. Requests share a persistent connection as in a browser
//! (HTTP/1.1), or each has its own (HTTP/1.0). Streamed bodies need their own connection, because its end is the end of
//! the body.

use std::io::{BufRead, BufReader, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

/// A response with its whole body.
pub struct BenchResponse {
    pub status: u16,
    pub body: Vec<u8>,
    pub etag: Option<String>,
    /// From before the request to the first byte of the body.
    pub first_byte: Duration,
    /// From before the request to its last byte.
    pub took: Duration,
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

/// GETs a path on a connection of its own. The time includes opening the connection.
pub fn get(port: u16, path: &str) -> Result<BenchResponse> {
    let start = Instant::now();
    let mut stream = connect(port)?;
    write!(stream.get_mut(), "GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n")?;
    response(&mut stream, start).with_context(|| path.to_owned())
}

/// POSTs JSON on a connection of its own; `head` are further lines of the request, each with its end.
pub fn post(port: u16, path: &str, head: &str, body: &Value) -> Result<BenchResponse> {
    send("POST", port, path, (head, body))
}

/// The same with any method.
pub fn send(method: &str, port: u16, path: &str, (head, body): (&str, &Value)) -> Result<BenchResponse> {
    let (start, body) = (Instant::now(), body.to_string());
    let mut stream = connect(port)?;
    let length = body.len();
    write!(
        stream.get_mut(),
        "{method} {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{head}\r\n{body}"
    )?;
    response(&mut stream, start).with_context(|| path.to_owned())
}

/// GETs a path on a connection of its own and reads the JSON of the response.
pub fn json(port: u16, path: &str) -> Result<Value> {
    get(port, path)?.json().with_context(|| path.to_owned())
}

/// The same request in a spelling that was not used for a while. The monitor caches an answer for a second by the exact
/// spelling of its request: this measures the uncached cost.
pub fn uncached_path(path: &str) -> String {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let spelling = CALLS.fetch_add(1, Ordering::Relaxed) % 2_000;
    format!("{path}{}{}", if path.contains('?') { "&" } else { "?" }, "&".repeat(spelling))
}

/// A client with a persistent connection, as browsers have.
pub struct KeepAlive {
    port: u16,
    stream: BufReader<TcpStream>,
}

impl KeepAlive {
    pub fn open(port: u16) -> Result<Self> {
        connect(port).map(|stream| Self { port, stream })
    }

    /// GETs a path; `head` are further lines of the request, each with its end.
    pub fn get(&mut self, path: &str, head: &str) -> Result<BenchResponse> {
        let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{head}\r\n", self.port);
        let start = Instant::now();
        self.stream.get_mut().write_all(request.as_bytes())?;
        response(&mut self.stream, start).with_context(|| path.to_owned())
    }
}

pub(crate) fn connect(port: u16) -> Result<BufReader<TcpStream>> {
    let stream = TcpStream::connect(("127.0.0.1", port)).context("cannot connect")?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    stream.set_nodelay(true)?;
    Ok(BufReader::with_capacity(64 * 1024, stream))
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

fn response(stream: &mut impl BufRead, start: Instant) -> Result<BenchResponse> {
    let head = read_head(stream)?;
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).context("the answer is not HTTP")?;
    let mut body = Vec::new();
    let length =
        if status == 304 { Some(0) } else { field(&head, "content-length").map(|it| it.parse()).transpose()? };
    if length != Some(0) {
        stream.fill_buf()?;
    }
    let first_byte = start.elapsed();
    match length {
        Some(bytes) => {
            body.resize(bytes, 0);
            stream.read_exact(&mut body).context("the answer broke off")?;
        }
        None if field(&head, "transfer-encoding").is_none() => drop(stream.read_to_end(&mut body)?),
        None => bail!("a body in chunks: only `get` reads it"),
    }
    Ok(BenchResponse { status, body, etag: field(&head, "etag"), first_byte, took: start.elapsed() })
}

fn field(head: &str, name: &str) -> Option<String> {
    head.lines().find_map(|line| {
        let (field, value) = line.split_once(':')?;
        field.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::response;

    #[test]
    fn body_ends_at_length_or_connection() {
        let body = |text: &str| response(&mut text.as_bytes(), Instant::now()).map(|answer| answer.body);
        assert_eq!(body("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc").expect("two bytes"), b"ab");
        assert_eq!(body("HTTP/1.0 200 OK\r\n\r\nabc").expect("all bytes"), b"abc");
        assert_eq!(body("HTTP/1.1 304 Not Modified\r\n\r\nabc").expect("no body"), b"");
        assert!(body("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n").is_err());
    }
}
