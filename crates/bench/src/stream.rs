//! Client of the live stream that only receives, as a WebSocket or as server-sent events: one blocking socket each.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use anyhow::{Context as _, Result, bail};

use crate::http::{connect, read_head};

/// A client that has received its snapshot.
pub struct StreamClient {
    stream: BufReader<TcpStream>,
    read_frame: fn(&mut BufReader<TcpStream>) -> Result<Vec<u8>>,
}

impl StreamClient {
    pub fn web_socket(port: u16) -> Result<Self> {
        let request = "GET /api/v2/live?patches=true HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                       Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        Self::open(port, request, " 101 ", web_socket_message)
    }

    /// HTTP/1.0, so that the events come without chunks around them.
    pub fn events(port: u16) -> Result<Self> {
        Self::open(port, "GET /api/v2/live/events?patches=true HTTP/1.0\r\n", " 200 ", event_data)
    }

    fn open(
        port: u16,
        request: &str,
        status: &str,
        read_frame: fn(&mut BufReader<TcpStream>) -> Result<Vec<u8>>,
    ) -> Result<Self> {
        let mut stream = BufReader::new(connect(port)?);
        write!(stream.get_mut(), "{request}Host: 127.0.0.1:{port}\r\n\r\n")?;
        let head = read_head(&mut stream)?;
        let answer = head.lines().next().unwrap_or_default();
        if !answer.contains(status) {
            bail!("no live stream: {answer}");
        }
        let mut client = Self { stream, read_frame };
        client.frame().context("no snapshot")?;
        Ok(client)
    }

    /// The next frame.
    pub fn frame(&mut self) -> Result<Vec<u8>> {
        (self.read_frame)(&mut self.stream)
    }
}

/// Payload of the next whole message.
fn web_socket_message(stream: &mut BufReader<TcpStream>) -> Result<Vec<u8>> {
    let mut message = Vec::new();
    loop {
        let mut head = [0; 2];
        stream.read_exact(&mut head).context("the stream ended")?;
        let wide = match head[1] & 0x7f {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        let mut length = [0; 8];
        stream.read_exact(&mut length[8 - wide..])?;
        let length = if wide == 0 { u64::from(head[1] & 0x7f) } else { u64::from_be_bytes(length) };
        let before = message.len();
        message.resize(before + usize::try_from(length)?, 0);
        stream.read_exact(&mut message[before..])?;
        // Control frames (ping, close) may come between the pieces of a message.
        match head[0] & 0x0f {
            0..=2 if head[0] & 0x80 != 0 => return Ok(message),
            0..=2 => {}
            8 => bail!("the monitor closed the stream"),
            _ => message.truncate(before),
        }
    }
}

fn event_data(stream: &mut BufReader<TcpStream>) -> Result<Vec<u8>> {
    loop {
        let mut line = Vec::new();
        if stream.read_until(b'\n', &mut line).context("the stream ended")? == 0 {
            bail!("the monitor closed the stream");
        }
        if let Some(data) = line.strip_prefix(b"data: ") {
            return Ok(data.to_vec());
        }
    }
}
