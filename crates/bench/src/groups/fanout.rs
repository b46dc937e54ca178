//! Benchmark of a thousand sockets at a hundred lines per second (goal G11 of `docs/benchmarks.md`). It measures when
//! the last socket has each frame, and the server's cost. The control is a process that writes frames of the same size
//! to a thousand bare connections.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpStream;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, Result, ensure};
use bench::home::rehearsed;
use bench::live::{AppendClock, is_delta, numbers, position};
use bench::server::{BenchServer, KilledOnDrop, cpu_seconds, on_cores};
use bench::stream::StreamClient;
use xtask::shell;

use super::threads::{Pace, WAKE_LINE, many_files, on_threads, read_while_appending};
use crate::figure::{Bound, Figure, percentile};
use crate::setting::Setting;

const CLIENTS: usize = 1_000;
const PER_SECOND: u32 = 100;
const TIME: Duration = Duration::from_secs(20);
const SETTLE: Duration = Duration::from_secs(2);
/// Events of the home: the cost of a frame does not depend on history, the cost of home does, and has its own goal.
const EVENTS: u64 = 20_000;

/// Delays and cost of one crowd.
struct FanoutFigures {
    /// Of each frame, until its last client had it.
    last: Vec<Duration>,
    /// Over all clients and frames.
    all: Vec<Duration>,
    cores: f64,
    frames: usize,
    /// Average size.
    frame_bytes: usize,
}

pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    many_files()?;
    shell::say(&format!("{CLIENTS} clients at {PER_SECOND} lines a second for {} s", TIME.as_secs()));
    let own = monitored(setting)?;
    shell::say("the same frames written to bare connections");
    let bare = broadcast(setting, own.frames, own.frame_bytes)?;
    let figure = |name: &str, own: &[Duration], bare: &[Duration], percent: usize| {
        Figure::new(&format!("append → {name}, p{percent}"), percentile(own, percent), "ms")
            .with_control("bare broadcast", percentile(bare, percent))
            .goal("G11")
    };
    let cores = Figure::new("the server's cores", own.cores, "").with_control("bare broadcast", bare.cores);
    Ok(vec![
        figure("the last of 1,000 sockets", &own.last, &bare.last, 50),
        figure("the last of 1,000 sockets", &own.last, &bare.last, 99)
            .bound(Bound::AtMost(20.0))
            .noted(&format!("{} frames of {} bytes to each", own.frames, own.frame_bytes)),
        figure("any of them", &own.all, &bare.all, 99),
        cores.goal("G11").bound(Bound::RatioAtMost(1.5)),
    ])
}

/// Delays of all clients, by the number of the frame.
fn figures_of(delays: impl Iterator<Item = (u64, Duration)>, cores: f64, frames: usize, bytes: usize) -> FanoutFigures {
    let (mut all, mut last) = (Vec::new(), BTreeMap::<u64, Duration>::new());
    for (frame, delay) in delays {
        all.push(delay);
        let latest = last.entry(frame).or_default();
        *latest = delay.max(*latest);
    }
    FanoutFigures { last: last.into_values().collect(), all, cores, frames, frame_bytes: bytes / frames.max(1) }
}

/// Arrivals at one client, by position of the frame; and what the one client saw that decodes for all.
#[derive(Default)]
struct ReceivedFrames {
    arrivals: Vec<(u64, Instant)>,
    /// The first line of each frame, by its position.
    lines: BTreeMap<u64, u64>,
    bytes: usize,
}

fn monitored(setting: &Setting) -> Result<FanoutFigures> {
    let home = rehearsed(&setting.monitor, EVENTS, "fanout")?;
    let server = BenchServer::start(&setting.monitor, &home, Some("0"), &[])?;
    let clients = (0..=CLIENTS).map(|_| StreamClient::web_socket(server.port)).collect::<Result<Vec<_>>>()?;
    let clock = AppendClock::new(0);
    let pace = Pace { per_second: PER_SECOND, together: 1, time: TIME, settle: SETTLE };
    let read = |number: usize, client, over: &AtomicBool| match number {
        CLIENTS => decode(client, over),
        _ => receive(client, over),
    };
    let (mut received, cores) = read_while_appending(&server, &home, clients, (&clock, pace), read)?;
    let ReceivedFrames { lines, bytes, .. } = received.pop().context("no client")?;
    ensure!(!lines.is_empty(), "no line arrived");
    let arrivals = received.iter().flat_map(|client| &client.arrivals);
    let delays = arrivals.filter_map(|(position, at)| {
        let appended = clock.at(*lines.get(position)?)?;
        Some((*position, at.saturating_duration_since(appended)))
    });
    Ok(figures_of(delays, cores, lines.len(), bytes))
}

fn receive(mut client: StreamClient, over: &AtomicBool) -> ReceivedFrames {
    let mut received = ReceivedFrames::default();
    while !over.load(Ordering::SeqCst) {
        let Ok(frame) = client.frame() else { break };
        let now = Instant::now();
        // The position is at the beginning of the frame.
        received.arrivals.extend(position(&frame[..frame.len().min(200)]).map(|position| (position, now)));
    }
    received
}

fn decode(mut client: StreamClient, over: &AtomicBool) -> ReceivedFrames {
    let (mut received, mut newest) = (ReceivedFrames::default(), None);
    while !over.load(Ordering::SeqCst) {
        let Ok(frame) = client.frame() else { break };
        let Some(position) = position(&frame).filter(|_| is_delta(&frame)) else { continue };
        // What only home changed is written to everyone, too.
        received.bytes += frame.len();
        // Titles and cards repeat older lines.
        let fresh: Vec<u64> = numbers(&frame).filter(|number| newest.is_none_or(|newest| *number > newest)).collect();
        let Some(first) = fresh.iter().min() else { continue };
        if *first < WAKE_LINE {
            received.lines.insert(position, *first);
        }
        newest = fresh.iter().max().copied();
    }
    received
}

/// The control, in a process of its own: `gauge broadcast`.
fn broadcast(setting: &Setting, frames: usize, bytes: usize) -> Result<FanoutFigures> {
    let pause = TIME.as_micros() / frames.max(1) as u128;
    let mut command = on_cores(Some("0"), &setting.gauge);
    command.args(["broadcast", &CLIENTS.to_string(), &frames.to_string(), &bytes.to_string(), &pause.to_string()]);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("cannot start the broadcast")?;
    let mut process = KilledOnDrop(child);
    let mut port = String::new();
    BufReader::new(process.0.stdout.take().context("the broadcast prints nothing")?).read_line(&mut port)?;
    let port: u16 = port.trim().parse().context("the broadcast printed no port")?;
    let clients = (0..CLIENTS).map(|_| TcpStream::connect(("127.0.0.1", port))).collect::<std::io::Result<Vec<_>>>()?;
    let start = Instant::now();
    let (delays, ()) = on_threads(clients, |_, client| stamped_delays(client, bytes), || Ok(()))?;
    // It waits for the end of its input before it ends, so that its time can be read.
    let cores = cpu_seconds(&process.0)? / start.elapsed().as_secs_f64();
    let delays = delays.iter().flat_map(|delays| (0..).zip(delays.iter().copied()));
    Ok(figures_of(delays, cores, frames, frames * bytes))
}

/// From the time in each frame's first bytes to its last byte here.
fn stamped_delays(client: TcpStream, bytes: usize) -> Vec<Duration> {
    let mut client = BufReader::new(client);
    let mut frame = vec![0; bytes.max(16)];
    let mut delays = Vec::new();
    while client.read_exact(&mut frame).is_ok() {
        let stamp = frame.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        if stamp == 0 {
            break;
        }
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        delays.push(now.saturating_sub(Duration::from_nanos(stamp)));
    }
    delays
}
