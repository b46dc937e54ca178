//! Benchmark of the live stream with one client and with a thousand, while a hundred log lines arrive per second: time
//! until the last client has each frame, and bytes of a frame. The control writes frames of the same size for the same
//! lines to a thousand plain TCP connections.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, ensure};
use bench::home::{append, event, rehearsed};
use bench::live::{StreamClient, numbers, position};
use bench::server::BenchServer;

use super::Setting;
use crate::figure::{Figure, percentile};

const CLIENTS: usize = 1_000;
const PER_SECOND: u32 = 100;
const TIME: Duration = Duration::from_secs(20);
/// Time in which frames may still arrive after the last line.
const SETTLE: Duration = Duration::from_secs(2);
/// Events of the home: the cost of a frame does not depend on history.
const EVENTS: u64 = 20_000;
/// Number of the line that wakes clients who still wait for a frame. It is not measured.
const WAKE_LINE: u64 = u64::MAX >> 1;

/// When each frame was sent, by its position.
type SentFrames = BTreeMap<u64, Instant>;

/// What one client received.
#[derive(Default)]
struct ReceivedFrames {
    /// Position and time of each frame.
    arrivals: Vec<(u64, Instant)>,
    /// All frames, of the one client that stores them.
    frames: Vec<Vec<u8>>,
}

pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).context("cannot allow more open files")?;

    let (alone, sizes) = monitored(setting, 1)?;
    let (own, crowd_sizes) = monitored(setting, CLIENTS)?;
    let mean = |sizes: &[usize]| sizes.iter().sum::<usize>() / sizes.len().max(1);
    let bare = broadcast(mean(&crowd_sizes))?;
    let last = |percent: usize| {
        let name = format!("append → the last of 1,000 sockets, p{percent}");
        Figure::new(&name, percentile(&own, percent), "ms").control("bare broadcast", percentile(&bare, percent))
    };
    let note = format!("mean of {}, at most {}", sizes.len(), sizes.iter().max().unwrap_or(&0));
    Ok(vec![
        Figure::new("append → one socket, p99", percentile(&alone, 99), "ms"),
        last(50),
        last(99),
        Figure::new("a frame to a page that shows home", mean(&sizes) as f64, "B").noted(&note),
    ])
}

/// Delays of the monitor's frames to so many clients, and their sizes.
fn monitored(setting: &Setting, clients: usize) -> Result<(Vec<Duration>, Vec<usize>)> {
    let home = rehearsed(&setting.monitor, EVENTS, "fanout")?;
    let server = BenchServer::start(&setting.monitor, &home, &[])?;
    let clients = (0..clients).map(|_| StreamClient::open(server.port)).collect::<Result<Vec<_>>>()?;
    let over = AtomicBool::new(false);
    let read = |number: usize, mut client: StreamClient| {
        let mut received = ReceivedFrames::default();
        while !over.load(Ordering::SeqCst) {
            let Ok(frame) = client.frame() else { break };
            let now = Instant::now();
            received.arrivals.extend(position(&frame).map(|position| (position, now)));
            if number == 0 {
                received.frames.push(frame);
            }
        }
        received
    };
    let (received, times) = on_threads(clients, read, || {
        let times = append_lines(&home)?;
        std::thread::sleep(SETTLE);
        over.store(true, Ordering::SeqCst);
        append(&home, &event(WAKE_LINE))?;
        Ok(times)
    })?;
    let (mut sent, mut newest, mut sizes) = (SentFrames::new(), None, Vec::new());
    for frame in received.iter().flat_map(|client| &client.frames) {
        let Some(position) = position(frame) else { continue };
        sizes.push(frame.len());
        // Titles and cards repeat older lines.
        let fresh: Vec<u64> = numbers(frame).filter(|number| newest.is_none_or(|newest| *number > newest)).collect();
        newest = fresh.iter().max().copied().or(newest);
        let first = fresh.iter().min().and_then(|first| times.get(usize::try_from(*first).ok()?));
        sent.extend(first.map(|at| (position, *at)));
    }
    ensure!(!sent.is_empty(), "no line arrived");
    Ok((last_delays(&sent, &received), sizes))
}

/// Appends lines at their pace; when each was written, by its number.
fn append_lines(home: &Path) -> Result<Vec<Instant>> {
    let start = Instant::now();
    let mut times = Vec::new();
    for number in 0..PER_SECOND * TIME.as_secs() as u32 {
        std::thread::sleep((Duration::from_secs(1) * number / PER_SECOND).saturating_sub(start.elapsed()));
        let line = event(number.into());
        times.push(Instant::now());
        append(home, &line)?;
    }
    Ok(times)
}

/// The control: frames of that size for lines at the same pace, written by this process. Lines that become due while a
/// frame is written share the next one, as in the monitor.
fn broadcast(bytes: usize) -> Result<Vec<Duration>> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let (mut clients, mut streams) = (Vec::new(), Vec::new());
    for _ in 0..CLIENTS {
        clients.push(TcpStream::connect(listener.local_addr()?)?);
        let (stream, _) = listener.accept()?;
        stream.set_nodelay(true)?;
        streams.push(stream);
    }
    let read = |_: usize, mut client: TcpStream| {
        let (mut received, mut frame) = (ReceivedFrames::default(), vec![0; bytes]);
        while client.read_exact(&mut frame).is_ok() {
            received.arrivals.push((received.arrivals.len() as u64, Instant::now()));
        }
        received
    };
    let frame = vec![b'x'; bytes];
    let (received, sent) = on_threads(clients, read, || {
        let start = Instant::now();
        let mut sent = SentFrames::new();
        let mut lines = 0;
        while lines < PER_SECOND * TIME.as_secs() as u32 {
            let due = Duration::from_secs(1) * lines / PER_SECOND;
            std::thread::sleep(due.saturating_sub(start.elapsed()));
            sent.insert(sent.len() as u64, start + due);
            let arrived = (start.elapsed().as_secs_f64() * f64::from(PER_SECOND)) as u32 + 1;
            lines = arrived.max(lines + 1);
            streams.iter_mut().try_for_each(|stream| stream.write_all(&frame))?;
        }
        // The clients read until their streams end.
        drop(streams);
        Ok(sent)
    })?;
    Ok(last_delays(&sent, &received))
}

/// Runs `read` for each client on a thread of its own, and `meanwhile` on this one.
fn on_threads<C: Send, M>(
    clients: Vec<C>,
    read: impl Fn(usize, C) -> ReceivedFrames + Sync,
    meanwhile: impl FnOnce() -> Result<M>,
) -> Result<(Vec<ReceivedFrames>, M)> {
    std::thread::scope(|scope| {
        let (read, clients) = (&read, clients.into_iter().enumerate());
        let threads: Vec<_> = clients.map(|(number, client)| scope.spawn(move || read(number, client))).collect();
        let done = meanwhile()?;
        let joined = threads.into_iter().map(|thread| thread.join().map_err(|_| anyhow!("a client panicked")));
        Ok((joined.collect::<Result<_>>()?, done))
    })
}

/// From sending each frame until its last client had it.
fn last_delays(sent: &SentFrames, received: &[ReceivedFrames]) -> Vec<Duration> {
    let mut last = BTreeMap::<u64, Duration>::new();
    for (position, at) in received.iter().flat_map(|client| &client.arrivals) {
        if let Some(sent) = sent.get(position) {
            let delay = last.entry(*position).or_default();
            *delay = at.saturating_duration_since(*sent).max(*delay);
        }
    }
    last.into_values().collect()
}
