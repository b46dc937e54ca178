//! Append → frame: a line is written to the log, and the clock stops when its frame arrives on the WebSocket.

use std::fs::OpenOptions;
use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::http::find;

/// Delays of `count` appends, 20 to 70 ms apart so that no two share a frame.
pub fn append_to_frame(port: u16, home: &Path, count: usize) -> Result<Vec<Duration>> {
    let mut socket = Socket::open(port, "/api/v2/live")?;
    // The first frame is the snapshot.
    socket.frame()?;
    let mut delays = Vec::with_capacity(count);
    for number in 0..count {
        std::thread::sleep(Duration::from_millis(20 + (number as u64 * 17) % 50));
        let line = super::event(number as u64);
        let mark = format!("bench-marker-{number}-end");
        let start = Instant::now();
        append(home, &line)?;
        loop {
            if find(&socket.frame()?, mark.as_bytes()).is_some() {
                delays.push(start.elapsed());
                break;
            }
        }
    }
    Ok(delays)
}

/// Appends one line to the live log, the way the gateway does: opened for append, one write.
pub fn append(home: &Path, line: &str) -> Result<()> {
    let path = home.join("logs/coordination-events.ndjson");
    let mut log = OpenOptions::new().append(true).create(true).open(&path).context("cannot open the live log")?;
    log.write_all(format!("{line}\n").as_bytes()).context("cannot append")
}

/// A WebSocket client that only listens.
struct Socket {
    stream: BufReader<TcpStream>,
}

impl Socket {
    fn open(port: u16, path: &str) -> Result<Self> {
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
    fn frame(&mut self) -> Result<Vec<u8>> {
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
            let mut payload = vec![0; usize::try_from(length)?];
            self.stream.read_exact(&mut payload)?;
            // Control frames (ping, close) may come between the pieces of a message.
            match head[0] & 0x0f {
                0..=2 => message.extend_from_slice(&payload),
                8 => bail!("the monitor closed the stream"),
                _ => continue,
            }
            if head[0] & 0x80 != 0 {
                return Ok(message);
            }
        }
    }
}
