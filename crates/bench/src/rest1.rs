//! Benchmark of the lists of REST 1.x. Each answer is compared with a file of exactly its size from the same server.
//! The time of one pass of serde_json over the log is printed beside them: an answer that costs what it returns is far
//! below it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::figure::{Bound, Figure, PairedRounds};
use super::http;
use super::ms;
use super::server::BenchServer;
use super::setting::{Setting, logs};
use crate::tree;

const ROUNDS: usize = 30;
const READ_TIMEOUT: Duration = Duration::from_secs(600);

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
    let folder = tree::target()?.join("bench/bundle");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("index.html"), "<!doctype html><title>bench</title>")?;
    let words = ["--bundle", folder.to_str().context("the folder's name is not text")?];
    let server = BenchServer::start_with(&setting.monitor()?, &home, &words)?;
    server.wait_until_read(READ_TIMEOUT)?;
    let mut figures = vec![Figure::new("a pass of serde_json over the log", serde_pass(&home)?, "ms")];
    for (name, path, most) in LISTS {
        let (rounds, first, bytes) = paired(server.port, &folder, path, |path| whole(server.port, path))?;
        let figure = Figure::middle(name, "ms", &rounds, &format!("a file of {bytes} bytes"));
        figures.push(figure.goal("", Bound::AtMost(most)).noted(&format!("first request {first:.1} ms")));
    }
    for (name, bound) in [("all work sessions, first byte", Some(MAX_FIRST_BYTE_MS)), ("all work sessions", None)] {
        let time = |path: &str| if bound.is_some() { first_byte(server.port, path) } else { whole(server.port, path) };
        let (rounds, _, bytes) = paired(server.port, &folder, ALL_SESSIONS, time)?;
        let figure = Figure::middle(name, "ms", &rounds, &format!("a file of {bytes} bytes"));
        figures.push(bound.map_or(figure.clone(), |most| figure.goal("", Bound::AtMost(most))));
    }
    Ok(figures)
}

/// Rounds of an answer and of a file of its size, the milliseconds of its first request, and its bytes.
fn paired(
    port: u16,
    folder: &Path,
    path: &str,
    time: impl Fn(&str) -> Result<f64>,
) -> Result<(PairedRounds, f64, usize)> {
    let start = Instant::now();
    let bytes = http::get(port, path)?.body.len();
    let first = ms(start.elapsed());
    let file = format!("equal-{bytes}.bin");
    std::fs::write(folder.join(&file), vec![b'x'; bytes])?;
    let rounds = PairedRounds::run(ROUNDS, || time(path), || time(&format!("/{file}")))?;
    Ok((rounds, first, bytes))
}

fn whole(port: u16, path: &str) -> Result<f64> {
    let start = Instant::now();
    let answer = http::get(port, path)?;
    if answer.status != 200 {
        bail!("{path} answered {}", answer.status);
    }
    Ok(ms(start.elapsed()))
}

/// Milliseconds to the first bytes of the body. The rest is not read.
fn first_byte(port: u16, path: &str) -> Result<f64> {
    let start = Instant::now();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).context("cannot connect")?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n")?;
    let (mut read, mut buffer) = (Vec::new(), [0; 4096]);
    while http::find(&read, b"\r\n\r\n").is_none_or(|end| end + 4 == read.len()) {
        match stream.read(&mut buffer)? {
            0 => bail!("{path}: the answer broke off"),
            bytes => read.extend_from_slice(&buffer[..bytes]),
        }
    }
    Ok(ms(start.elapsed()))
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
