//! Minimal HTTP clients for benchmarks, for loopback only: one opens a connection per request, one reuses a single
//! connection.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};

/// Status and unpacked body of an answer.
pub struct BenchResponse {
    pub status: u16,
    pub body: Vec<u8>,
    /// Its mark, to ask again with.
    pub etag: Option<String>,
}

/// GETs a path.
pub fn get(port: u16, path: &str) -> Result<BenchResponse> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).context("cannot connect")?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    stream.set_nodelay(true)?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n")?;
    let mut all = Vec::new();
    stream.read_to_end(&mut all).context("the answer broke off")?;
    parse(&all).context("the answer is not HTTP")
}

/// A question written otherwise each time, with letters that mean nothing, up to this often.
const MAX_PATH_VARIANTS: usize = 2_000;

/// The same request in a spelling that was not used for a while. The monitor caches an answer for a second by the exact
/// spelling of its request: this measures the uncached cost.
pub fn uncached_path(path: &str) -> String {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let way = CALLS.fetch_add(1, Ordering::Relaxed) % MAX_PATH_VARIANTS;
    format!("{path}{}{}", if path.contains('?') { "&" } else { "?" }, "&".repeat(way))
}

/// A client that keeps its connection, as browsers do.
pub struct KeepAlive {
    port: u16,
    stream: BufReader<TcpStream>,
}

impl KeepAlive {
    /// Connects.
    pub fn open(port: u16) -> Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port)).context("cannot connect")?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        stream.set_nodelay(true)?;
        Ok(Self { port, stream: BufReader::with_capacity(64 * 1024, stream) })
    }

    /// GETs a path; `head` are further lines of the request, each with its end.
    pub fn get(&mut self, path: &str, head: &str) -> Result<BenchResponse> {
        let Self { port, stream } = self;
        let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{head}\r\n");
        stream.get_mut().write_all(request.as_bytes())?;
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if stream.read_line(&mut head).context("no answer")? == 0 {
                bail!("the connection was closed");
            }
        }
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).context("the answer is not HTTP")?;
        let mut body = vec![0; length(&head).context("an answer without a length")?];
        stream.read_exact(&mut body).context("the answer broke off")?;
        Ok(BenchResponse { status, body, etag: field(&head, "etag") })
    }
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

fn parse(all: &[u8]) -> Option<BenchResponse> {
    let end = find(all, b"\r\n\r\n")?;
    let head = std::str::from_utf8(&all[..end]).ok()?;
    let etag = field(head, "etag");
    let head = head.to_ascii_lowercase();
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let body = &all[end + 4..];
    let body = if head.contains("transfer-encoding: chunked") { dechunk(body)? } else { body.to_vec() };
    Some(BenchResponse { status, body, etag })
}

fn dechunk(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = find(rest, b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..line]).ok()?.trim(), 16).ok()?;
        if size == 0 {
            return Some(body);
        }
        body.extend_from_slice(rest.get(line + 2..line + 2 + size)?);
        rest = rest.get(line + 4 + size..)?;
    }
}

/// First place of `needle`.
pub fn find(hay: &[u8], needle: &[u8]) -> Option<usize> {
    memchr::memmem::find(hay, needle)
}

#[cfg(test)]
mod tests {
    use super::{length, parse, uncached_path};

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

    #[test]
    fn plain_and_chunked_bodies_are_read() {
        let plain = parse(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").expect("plain");
        assert_eq!((plain.status, plain.body), (200, b"{}".to_vec()));
        let chunked = b"HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
        let chunked = parse(chunked).expect("chunked");
        assert_eq!((chunked.status, chunked.body), (400, b"abcde".to_vec()));
    }
}
