//! Benchmark of the lists of REST 1.x. Each answer is compared with a file of exactly its size from the same server.
//! The time of one pass of serde_json over the log is printed beside them: an answer that costs what it returns is far
//! below it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use bench::home::logs;

use crate::figure::{Bound, Figure, alternate};
use crate::setting::Setting;

const ROUNDS: usize = 30;

/// Milliseconds since then.
fn ms(elapsed: Duration) -> f64 {
    elapsed.as_secs_f64() * 1_000.0
}

/// A name, a path, and the most milliseconds of a log of 100,000 events.
const LISTS: [(&str, &str, f64); 4] = [
    ("events", "/api/events?limit=100", 2.7),
    ("events of a role", "/api/events?role=conversation.main&limit=100", 4.6),
    ("open work sessions", "/api/work-sessions?status=ACTIVE,QUIET&limit=20", 1.0),
    ("work sessions of a role", "/api/work-sessions?role=conversation.main&limit=100", 20.0),
];
const ALL_SESSIONS: &str = "/api/work-sessions?limit=1000";
/// Most milliseconds to the first byte of all work sessions.
const MAX_FIRST_BYTE_MS: f64 = 300.0;

pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    let home = setting.home(setting.events)?;
    let (server, folder) = setting.server_of_files(&home, None)?;
    let mut figures = vec![Figure::new("a pass of serde_json over the log", serde_pass(&home)?, "ms")];
    for (name, path, most) in LISTS {
        let PairedTimes { rounds, first, bytes } = paired(server.port, &folder, path, false)?;
        let figure = Figure::middle(name, "ms", &rounds, &format!("a file of {bytes} bytes"));
        figures.push(figure.bound(Bound::AtMost(most)).noted(&format!("first request {first:.1} ms")));
    }
    let PairedTimes { rounds, bytes, .. } = paired(server.port, &folder, ALL_SESSIONS, true)?;
    let figure = Figure::middle("all work sessions, first byte", "ms", &rounds, &format!("a file of {bytes} bytes"));
    figures.push(figure.bound(Bound::AtMost(MAX_FIRST_BYTE_MS)));
    let PairedTimes { rounds, bytes, .. } = paired(server.port, &folder, ALL_SESSIONS, false)?;
    figures.push(Figure::middle("all work sessions", "ms", &rounds, &format!("a file of {bytes} bytes")));
    Ok(figures)
}

/// Times of an answer beside those of a file of its size.
struct PairedTimes {
    /// Milliseconds of both, round by round.
    rounds: Vec<(f64, f64)>,
    /// Milliseconds of the first request.
    first: f64,
    /// Bytes of the answer.
    bytes: usize,
}

fn paired(port: u16, folder: &Path, path: &str, first_byte: bool) -> Result<PairedTimes> {
    let (first, bytes) = request(port, path, false)?;
    let file = format!("equal-{bytes}.bin");
    std::fs::write(folder.join(&file), vec![b'x'; bytes])?;
    let time = |path: &str| Ok(request(port, path, first_byte)?.0);
    let rounds = alternate(ROUNDS, || time(path), || time(&format!("/{file}")))?;
    Ok(PairedTimes { rounds, first, bytes })
}

/// Milliseconds of a request on a connection of its own, and the bytes of its body; or only until the body begins. An
/// answer that is streamed states no length: HTTP/1.0 has it end with the connection.
fn request(port: u16, path: &str, first_byte: bool) -> Result<(f64, usize)> {
    let start = Instant::now();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).context("cannot connect")?;
    write!(stream, "GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n")?;
    let (mut read, mut buffer) = (Vec::new(), vec![0; 64 * 1024]);
    let mut body = None;
    loop {
        let bytes = stream.read(&mut buffer)?;
        read.extend_from_slice(&buffer[..bytes]);
        body = body.or_else(|| Some(memchr::memmem::find(&read, b"\r\n\r\n")? + 4));
        match body {
            None if bytes == 0 => bail!("{path}: the answer broke off"),
            Some(from) if bytes == 0 || (first_byte && read.len() > from) => {
                if !read.starts_with(b"HTTP/1.0 200") && !read.starts_with(b"HTTP/1.1 200") {
                    bail!("{path} answered {}", String::from_utf8_lossy(&read[..read.len().min(32)]));
                }
                return Ok((ms(start.elapsed()), read.len() - from));
            }
            _ => {}
        }
    }
}

/// Milliseconds in which every line of the log becomes a JSON value.
fn serde_pass(home: &Path) -> Result<f64> {
    let texts = logs(home)?.0.iter().map(std::fs::read_to_string).collect::<std::io::Result<Vec<String>>>()?;
    let start = Instant::now();
    for line in texts.iter().flat_map(|text| text.lines()) {
        std::hint::black_box(serde_json::from_str::<serde_json::Value>(line).context("a line is not JSON")?);
    }
    Ok(ms(start.elapsed()))
}
