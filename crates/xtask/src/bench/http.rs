//! The smallest HTTP client that measures fairly: one connection a request, loopback only.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, Result};

/// Status and unpacked body of an answer.
pub struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
}

/// GETs a path.
pub fn get(port: u16, path: &str) -> Result<Answer> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).context("cannot connect")?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    stream.set_nodelay(true)?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n")?;
    let mut all = Vec::new();
    stream.read_to_end(&mut all).context("the answer broke off")?;
    parse(&all).context("the answer is not HTTP")
}

fn parse(all: &[u8]) -> Option<Answer> {
    let end = find(all, b"\r\n\r\n")?;
    let head = std::str::from_utf8(&all[..end]).ok()?.to_ascii_lowercase();
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let body = &all[end + 4..];
    let body = if head.contains("transfer-encoding: chunked") { dechunk(body)? } else { body.to_vec() };
    Some(Answer { status, body })
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
    use super::parse;

    #[test]
    fn plain_and_chunked_bodies_are_read() {
        let plain = parse(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").expect("plain");
        assert_eq!((plain.status, plain.body), (200, b"{}".to_vec()));
        let chunked = b"HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
        let chunked = parse(chunked).expect("chunked");
        assert_eq!((chunked.status, chunked.body), (400, b"abcde".to_vec()));
    }
}
