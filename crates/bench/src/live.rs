//! Live stream client for benchmarks: a blocking WebSocket that only receives frames. A benchmark appends numbered
//! lines to the log ([`crate::home::event`]) and waits for the frame that contains them. [`numbers`] finds the line
//! numbers in a frame, [`position`] reads the sequence number of a delta.

use std::io::{BufReader, Read as _, Write as _};
use std::net::TcpStream;

use anyhow::{Context as _, Result, bail};
use memchr::memmem::{find, find_iter};

use crate::http::{connect, read_head};

/// A client that has received its snapshot. It shows home and no thread.
pub struct StreamClient(BufReader<TcpStream>);

impl StreamClient {
    pub fn open(port: u16) -> Result<Self> {
        Self::open_below(port, "/")
    }

    /// The stream of the monitor below a path, which ends with `/`.
    pub fn open_below(port: u16, base: &str) -> Result<Self> {
        let mut stream = connect(port)?;
        write!(
            stream.get_mut(),
            "GET {base}api/v2/live?patches=true HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )?;
        let head = read_head(&mut stream)?;
        if !head.contains(" 101 ") {
            bail!("no live stream: {head}");
        }
        let mut client = Self(stream);
        client.frame().context("no snapshot")?;
        Ok(client)
    }

    /// Payload of the next whole message.
    pub fn frame(&mut self) -> Result<Vec<u8>> {
        let mut message = Vec::new();
        loop {
            let mut head = [0; 2];
            self.0.read_exact(&mut head).context("the stream ended")?;
            let wide = match head[1] & 0x7f {
                126 => 2,
                127 => 8,
                _ => 0,
            };
            let mut length = [0; 8];
            self.0.read_exact(&mut length[8 - wide..])?;
            let length = if wide == 0 { u64::from(head[1] & 0x7f) } else { u64::from_be_bytes(length) };
            let before = message.len();
            message.resize(before + usize::try_from(length)?, 0);
            self.0.read_exact(&mut message[before..])?;
            // Control frames (ping, close) may come between the pieces of a message.
            match head[0] & 0x0f {
                0..=2 if head[0] & 0x80 != 0 => return Ok(message),
                0..=2 => {}
                8 => bail!("the monitor closed the stream"),
                _ => message.truncate(before),
            }
        }
    }
}

/// Numbers of the appended lines that these bytes hold, in order.
pub fn numbers(bytes: &[u8]) -> impl Iterator<Item = u64> {
    const MARK: &[u8] = b"bench-marker-";
    find_iter(bytes, MARK).filter_map(move |at| {
        let (number, rest) = number(&bytes[at + MARK.len()..])?;
        rest.starts_with(b"-end").then_some(number)
    })
}

/// Position of a delta; `None` for other frames.
pub fn position(frame: &[u8]) -> Option<u64> {
    const SEQ: &[u8] = b"\"seq\":";
    let at = find(frame, SEQ).filter(|_| frame.starts_with(b"{\"type\":\"delta\""))?;
    number(&frame[at + SEQ.len()..]).map(|(number, _)| number)
}

/// The number that these bytes begin with, and the bytes behind it.
fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (digits, rest) = bytes.split_at(bytes.iter().position(|byte| !byte.is_ascii_digit())?);
    Some((std::str::from_utf8(digits).ok()?.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::{numbers, position};
    use crate::home::event;

    #[test]
    fn lines_are_found_by_their_whole_number() {
        let text = b"bench-marker-12-end bench-marker-x-end bench-marker-7-end bench-marker-99";
        assert_eq!(numbers(text).collect::<Vec<_>>(), [12, 7]);
        assert_eq!(numbers(event(3).as_bytes()).collect::<Vec<_>>(), [3]);
        assert_eq!(position(b"{\"type\":\"delta\",\"cursor\":{\"epoch\":\"a\",\"seq\":41},"), Some(41));
        assert_eq!(position(b"{\"type\":\"snapshot\",\"seq\":41}"), None);
    }
}
