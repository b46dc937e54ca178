//! Benchmark of a thousand sockets at a hundred lines per second (goal G11 of `docs/benchmarks.md`). It measures when
//! the last socket has each frame, and the server's cost. The control is a process that writes frames of the same size
//! to a thousand bare connections.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result};

use super::figure::{Bound, Figure};
use super::live::{self, AppendClock};
use super::server::{BenchServer, cpu_seconds};
use super::setting::{Setting, many_files};
use super::stream::WebSocketClient;
use super::{ms, percentile, rehearsed};
use crate::shell;

const CLIENTS: usize = 1_000;
const PER_SECOND: u32 = 100;
const TIME: Duration = Duration::from_secs(20);
/// Events of the home: the cost of a frame does not hang on history, the cost of home does, and has its own goal.
const EVENTS: u64 = 20_000;
const STACK: usize = 128 * 1024;

/// What a crowd saw.
struct FanoutFigures {
    /// Of each frame, until its last client had it.
    last: Vec<Duration>,
    /// Over all clients and frames.
    all: Vec<Duration>,
    cores: f64,
    frames: usize,
    bytes: usize,
}

pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    many_files()?;
    shell::say(&format!("{CLIENTS} clients at {PER_SECOND} lines a second for {} s", TIME.as_secs()));
    let mut own = monitored(&setting.monitor()?)?;
    shell::say("the same frames written to bare connections");
    let mut bare = broadcast(&setting.gauge()?, own.frames, own.bytes / own.frames.max(1))?;
    let last = [ms(percentile(&mut own.last, 50)), ms(percentile(&mut own.last, 99))];
    let control = [ms(percentile(&mut bare.last, 50)), ms(percentile(&mut bare.last, 99))];
    let note = format!("{} frames of {} bytes to each", own.frames, own.bytes / own.frames.max(1));
    Ok(vec![
        Figure::new("append → the last of 1,000 sockets, p50", last[0], "ms")
            .with_control("bare broadcast", control[0])
            .with_goal_name("G11"),
        Figure::new("append → the last of 1,000 sockets, p99", last[1], "ms")
            .with_control("bare broadcast", control[1])
            .goal("G11", Bound::AtMost(20.0))
            .noted(&note),
        Figure::new("append → any of them, p99", ms(percentile(&mut own.all, 99)), "ms")
            .with_control("bare broadcast", ms(percentile(&mut bare.all, 99)))
            .with_goal_name("G11"),
        Figure::new("the server's cores", own.cores, "")
            .with_control("bare broadcast", bare.cores)
            .goal("G11", Bound::RatioAtMost(1.5)),
    ])
}

fn monitored(monitor: &Path) -> Result<FanoutFigures> {
    let home = rehearsed(monitor, EVENTS)?;
    let server = BenchServer::start_on(monitor, &home, Some("0"), &[])?;
    server.wait_until_read(Duration::from_secs(60))?;
    let mut clients = Vec::with_capacity(CLIENTS);
    for _ in 0..CLIENTS {
        let mut client = WebSocketClient::open(server.port, "/api/v2/live")?;
        client.frame().context("no snapshot")?;
        clients.push(client);
    }
    // Decodes, so that the others need not.
    let mut socket = WebSocketClient::open(server.port, "/api/v2/live")?;
    socket.frame()?;
    let (clock, over) = (AppendClock::new(0), AtomicBool::new(false));
    let (cpu, start) = (server.cpu_seconds()?, Instant::now());
    std::thread::scope(|scope| {
        let (clock, over) = (&clock, &over);
        let recorder = scope.spawn(move || first_lines_by_position(&mut socket, over));
        let mut readers = Vec::with_capacity(CLIENTS);
        for client in clients {
            let read = move || arrivals(client, over);
            readers.push(std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, read)?);
        }
        clock.append(&home, PER_SECOND, 1, TIME)?;
        let cores = (server.cpu_seconds()? - cpu) / start.elapsed().as_secs_f64();
        std::thread::sleep(Duration::from_secs(2));
        over.store(true, Ordering::SeqCst);
        // One more line wakes those who still wait.
        live::append(&home, &super::event(u64::MAX >> 1))?;
        let (lines, bytes) = recorder.join().map_err(|_| anyhow::anyhow!("the teller panicked"))??;
        let seen = joined(readers)?;
        Ok(outcome(&seen, &lines, clock, cores, bytes))
    })
}

/// The first line of each frame, by the frame's position; and the bytes of all.
fn first_lines_by_position(socket: &mut WebSocketClient, over: &AtomicBool) -> Result<(BTreeMap<u64, u64>, usize)> {
    let (mut lines, mut bytes, mut newest) = (BTreeMap::new(), 0, None);
    while !over.load(Ordering::SeqCst) {
        let frame = socket.frame()?;
        let Some(position) = live::position(&frame).filter(|_| frame.starts_with(b"{\"type\":\"delta\"")) else {
            continue;
        };
        // What only home changed is written to everyone, too.
        bytes += frame.len();
        // Titles and cards repeat older lines.
        let fresh: Vec<u64> =
            live::numbers(&frame).filter(|number| newest.is_none_or(|newest| *number > newest)).collect();
        let Some(first) = fresh.iter().min() else { continue };
        if *first < u64::MAX >> 1 {
            lines.insert(position, *first);
        }
        newest = fresh.iter().max().copied();
    }
    Ok((lines, bytes))
}

/// When each frame came, by its position.
fn arrivals(mut client: WebSocketClient, over: &AtomicBool) -> Vec<(u64, Instant)> {
    let mut seen = Vec::new();
    while !over.load(Ordering::SeqCst) {
        let Ok(frame) = client.frame() else { break };
        let now = Instant::now();
        // The position is at the beginning of the frame.
        seen.extend(live::position(&frame[..frame.len().min(200)]).map(|position| (position, now)));
    }
    seen
}

fn joined<T>(readers: Vec<std::thread::ScopedJoinHandle<'_, T>>) -> Result<Vec<T>> {
    readers.into_iter().map(|reader| reader.join().map_err(|_| anyhow::anyhow!("a client panicked"))).collect()
}

fn outcome(
    seen: &[Vec<(u64, Instant)>],
    lines: &BTreeMap<u64, u64>,
    clock: &AppendClock,
    cores: f64,
    bytes: usize,
) -> FanoutFigures {
    let (mut all, mut last) = (Vec::new(), BTreeMap::<u64, Duration>::new());
    for (position, at) in seen.iter().flatten() {
        let Some(appended) = lines.get(position).and_then(|line| clock.at(*line)) else { continue };
        let delay = at.saturating_duration_since(appended);
        all.push(delay);
        let latest = last.entry(*position).or_default();
        *latest = delay.max(*latest);
    }
    FanoutFigures { last: last.into_values().collect(), all, cores, frames: lines.len(), bytes }
}

/// The control, in a process of its own: `gauge broadcast`.
fn broadcast(gauge: &Path, frames: usize, bytes: usize) -> Result<FanoutFigures> {
    let pause = TIME.as_micros() / frames.max(1) as u128;
    let mut child = Ended(
        Command::new("taskset")
            .args(["-c", "0"])
            .arg(gauge)
            .args(["broadcast", &CLIENTS.to_string(), &frames.to_string(), &bytes.to_string(), &pause.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start the broadcast")?,
    );
    let mut output = BufReader::new(child.0.stdout.take().context("the broadcast tells nothing")?);
    let mut port = String::new();
    output.read_line(&mut port)?;
    let port: u16 = port.trim().parse().context("the broadcast told no port")?;
    let clients: Vec<TcpStream> =
        (0..CLIENTS).map(|_| TcpStream::connect(("127.0.0.1", port))).collect::<std::io::Result<_>>()?;
    let start = Instant::now();
    std::thread::scope(|scope| {
        let mut readers = Vec::with_capacity(CLIENTS);
        for client in clients {
            let read = move || stamped(client, bytes);
            readers.push(std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, read)?);
        }
        let seen = joined(readers)?;
        let mut last = BTreeMap::<usize, Duration>::new();
        for (number, delay) in seen.iter().flat_map(|delays| delays.iter().enumerate()) {
            let latest = last.entry(number).or_default();
            *latest = (*delay).max(*latest);
        }
        // It waits for a word before it ends, so that its time can be read.
        let cores = cpu_seconds(child.0.id())? / start.elapsed().as_secs_f64();
        let all = seen.into_iter().flatten().collect();
        Ok(FanoutFigures { last: last.into_values().collect(), all, cores, frames, bytes: frames * bytes })
    })
}

/// From the time in each frame's first bytes to its last byte here.
fn stamped(client: TcpStream, bytes: usize) -> Vec<Duration> {
    let mut client = BufReader::new(client);
    let mut frame = vec![0; bytes.max(16)];
    let mut delays = Vec::new();
    while client.read_exact(&mut frame).is_ok() {
        let stamp =
            u64::from_le_bytes([frame[0], frame[1], frame[2], frame[3], frame[4], frame[5], frame[6], frame[7]]);
        if stamp == 0 {
            break;
        }
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        delays.push(now.saturating_sub(Duration::from_nanos(stamp)));
    }
    delays
}

/// Ended when dropped.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}
