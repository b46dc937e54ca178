//! Live stream clients that only receive: WebSocket and server-sent events, one blocking socket each.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, Result, bail};

/// A client over either way.
pub enum StreamClient {
    WebSocketClient(WebSocketClient),
    EventStreamClient(EventStreamClient),
}

impl StreamClient {
    /// The next frame.
    pub fn frame(&mut self) -> Result<Vec<u8>> {
        match self {
            Self::WebSocketClient(socket) => socket.frame(),
            Self::EventStreamClient(events) => events.frame(),
        }
    }
}

/// A WebSocket client that only listens.
pub struct WebSocketClient {
    stream: BufReader<TcpStream>,
}

impl WebSocketClient {
    /// Opens it.
    pub fn open(port: u16, path: &str) -> Result<Self> {
        let mut stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        stream.set_nodelay(true)?;
        let key = "dGhlIHNhbXBsZSBub25jZQ==";
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
        )?;
        let mut stream = BufReader::new(stream);
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).context("no answer to the upgrade")?;
            head.push(byte[0]);
        }
        if !head.starts_with(b"HTTP/1.1 101") {
            bail!("no WebSocket: {}", String::from_utf8_lossy(&head).lines().next().unwrap_or_default());
        }
        Ok(Self { stream })
    }

    /// The next whole message's payload.
    pub fn frame(&mut self) -> Result<Vec<u8>> {
        let mut message = Vec::new();
        loop {
            let mut head = [0; 2];
            self.stream.read_exact(&mut head).context("the stream ended")?;
            let mut length = u64::from(head[1] & 0x7f);
            if length == 126 {
                let mut wide = [0; 2];
                self.stream.read_exact(&mut wide)?;
                length = u64::from(u16::from_be_bytes(wide));
            } else if length == 127 {
                let mut wide = [0; 8];
                self.stream.read_exact(&mut wide)?;
                length = u64::from_be_bytes(wide);
            }
            let before = message.len();
            message.resize(before + usize::try_from(length)?, 0);
            self.stream.read_exact(&mut message[before..])?;
            // Control frames (ping, close) may come between the pieces of a message.
            match head[0] & 0x0f {
                0..=2 => {}
                8 => bail!("the monitor closed the stream"),
                _ => {
                    message.truncate(before);
                    continue;
                }
            }
            if head[0] & 0x80 != 0 {
                return Ok(message);
            }
        }
    }
}

/// Server-sent events; HTTP/1.0, so that they come without chunks around them.
pub struct EventStreamClient {
    stream: BufReader<TcpStream>,
}

impl EventStreamClient {
    /// Opens them.
    pub fn open(port: u16, path: &str) -> Result<Self> {
        let mut stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        write!(stream, "GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n")?;
        let mut stream = BufReader::with_capacity(64 * 1024, stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if stream.read_line(&mut head).context("no answer")? == 0 {
                bail!("the answer broke off");
            }
        }
        if !head.contains(" 200 ") {
            bail!("no event stream: {}", head.lines().next().unwrap_or_default());
        }
        Ok(Self { stream })
    }

    fn frame(&mut self) -> Result<Vec<u8>> {
        let mut line = Vec::new();
        loop {
            line.clear();
            if self.stream.read_until(b'\n', &mut line).context("the stream ended")? == 0 {
                bail!("the monitor closed the stream");
            }
            if line.starts_with(b"data: ") {
                return Ok(line.split_off(b"data: ".len()));
            }
        }
    }
}
