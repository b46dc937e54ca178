//! Benchmark of many clients at many events per second, and of the cost that frozen clients cause for others
//! (reliability goals G12 and G13). `make bench ARGS=crowd` runs it.

use std::io::Write as _;
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use super::figure::{Bound, Figure};
use super::live::{AppendClock, ClientTally};
use super::server::BenchServer;
use super::setting::{Setting, many_files};
use super::stream::{EventStreamClient, StreamClient, WebSocketClient};
use super::{http, ms, percentile, rehearsed};
use crate::shell;

/// One client in so many measures delays; all of them watch their positions.
const MEASURING: usize = 25;
/// Clients are many and do little.
const STACK: usize = 256 * 1024;
const PATHS: [&str; 2] = ["/api/v2/live", "/api/v2/live/events"];

/// A crowd of clients and the events appended for it.
struct Crowd {
    sockets: usize,
    events: usize,
    frozen: usize,
    per_second: u32,
    time: Duration,
}

/// What came of it.
struct CrowdFigures {
    delays: Vec<Duration>,
    appended: usize,
    lost: u64,
    jumps: u64,
    ended: u64,
    cut: u64,
    cores: f64,
    grown_kb: i64,
    quiet_kb: i64,
}

/// Minutes of the large crowd.
const MINUTES: u64 = 2;

/// Measures both crowds.
pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    many_files()?;
    let monitor = setting.monitor()?;
    let big =
        Crowd { sockets: 500, events: 100, frozen: 0, per_second: 1_000, time: Duration::from_secs(60 * MINUTES) };
    let mut seen = crowd(&monitor, &big)?;
    let count = |name: &str, value: u64, most: f64| Figure::new(name, value as f64, "").goal("", Bound::AtMost(most));
    let mut figures = vec![
        Figure::new("appended at 1,000/s to 500 WS + 100 SSE", seen.appended as f64, ""),
        count("events lost, over all clients", seen.lost, 0.0),
        count("positions missing or doubled", seen.jumps, 0.0),
        count("clients that lost their stream", seen.ended, 0.0),
        Figure::new("append → frame, p50", ms(percentile(&mut seen.delays, 50)), "ms"),
        Figure::new("append → frame, p99", ms(percentile(&mut seen.delays, 99)), "ms").goal("", Bound::AtMost(300.0)),
        Figure::new("the server's cores", seen.cores, "").goal("", Bound::AtMost(1.0)),
        Figure::new("memory, start to end", seen.grown_kb as f64 / 1000.0, "MB"),
        Figure::new("memory, a minute of quiet after it", seen.quiet_kb as f64 / 1000.0, "MB")
            .goal("", Bound::AtMost(0.0)),
    ];
    let calm = Crowd { sockets: 200, events: 0, frozen: 0, per_second: 500, time: Duration::from_secs(60) };
    let without = percentile(&mut crowd(&monitor, &calm)?.delays, 99);
    let mut with = crowd(&monitor, &Crowd { frozen: 20, ..calm })?;
    let held = percentile(&mut with.delays, 99);
    figures.push(
        Figure::new("200 WS at 500/s beside 20 frozen ones, p99", ms(held), "ms")
            .with_control("without the frozen ones", ms(without))
            .goal("", Bound::RatioAtMost(1.2)),
    );
    figures.push(Figure::new("frozen ones cut", with.cut as f64, "").goal("", Bound::AtLeast(20.0)));
    figures.push(count("events lost by the others", with.lost, 0.0));
    Ok(figures)
}

fn crowd(monitor: &Path, crowd: &Crowd) -> Result<CrowdFigures> {
    let home = rehearsed(monitor, 2_000)?;
    let server = BenchServer::start(monitor, &home)?;
    server.wait_until_read(Duration::from_secs(60))?;
    shell::say(&format!(
        "{} clients, {} of them frozen, {} events/s for {} s",
        crowd.sockets + crowd.events + crowd.frozen,
        crowd.frozen,
        crowd.per_second,
        crowd.time.as_secs()
    ));
    let mut clients = Vec::new();
    for number in 0..crowd.sockets + crowd.events {
        let mut client = if number < crowd.sockets {
            StreamClient::WebSocketClient(WebSocketClient::open(server.port, PATHS[0])?)
        } else {
            StreamClient::EventStreamClient(EventStreamClient::open(server.port, PATHS[1])?)
        };
        client.frame().context("no snapshot")?;
        clients.push(client);
    }
    let frozen: Vec<TcpStream> = (0..crowd.frozen).map(|_| deaf(server.port)).collect::<Result<_>>()?;
    let clock = AppendClock::new(0);
    let over = AtomicBool::new(false);
    let (memory, cpu, start) = (server.resident_kb()?, server.cpu_seconds()?, Instant::now());
    let mut outcome = std::thread::scope(|scope| -> Result<CrowdFigures> {
        let readers: Vec<_> = clients
            .into_iter()
            .enumerate()
            .map(|(number, client)| {
                let (clock, over) = (&clock, &over);
                let read = move || listen(client, number % MEASURING == 0, clock, over);
                std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, read)
            })
            .collect::<std::io::Result<_>>()?;
        clock.append(&home, crowd.per_second, crowd.per_second / 100, crowd.time)?;
        let cores = (server.cpu_seconds()? - cpu) / start.elapsed().as_secs_f64();
        // An event that a client has not received by then is lost.
        std::thread::sleep(Duration::from_secs(20));
        over.store(true, Ordering::SeqCst);
        let appended = clock.count().unwrap_or(0);
        let mut outcome = CrowdFigures {
            delays: Vec::new(),
            appended,
            lost: 0,
            jumps: 0,
            ended: 0,
            cut: 0,
            cores,
            grown_kb: 0,
            quiet_kb: 0,
        };
        // One more line wakes those who still wait for a frame.
        super::live::append(&home, &super::event(u64::MAX >> 1))?;
        for reader in readers {
            let (seen, alive) = reader.join().map_err(|_| anyhow::anyhow!("a client panicked"))?;
            outcome.lost += (appended as u64).saturating_sub(seen.events);
            outcome.jumps += seen.jumps;
            outcome.ended += u64::from(!alive);
            outcome.delays.extend(seen.delays);
        }
        Ok(outcome)
    })?;
    drop(frozen);
    let health = http::get(server.port, "/api/v2/health")?;
    let health: serde_json::Value = serde_json::from_slice(&health.body).context("health is not JSON")?;
    outcome.cut = health["live"]["cut"].as_u64().unwrap_or(0);
    let after = server.resident_kb()?;
    outcome.grown_kb = after.cast_signed() - memory.cast_signed();
    std::thread::sleep(Duration::from_secs(60));
    outcome.quiet_kb = server.resident_kb()?.cast_signed() - after.cast_signed();
    Ok(outcome)
}

/// Reads until all is over; whether the stream still stood then.
fn listen(mut client: StreamClient, measures: bool, clock: &AppendClock, over: &AtomicBool) -> (ClientTally, bool) {
    let mut seen = ClientTally::default();
    while let Ok(frame) = client.frame() {
        if measures {
            seen.take(clock, &frame);
        } else {
            seen.count(&frame);
        }
        if over.load(Ordering::SeqCst) {
            return (seen, true);
        }
    }
    (seen, false)
}

/// A client that asks for the stream and then takes nothing.
fn deaf(port: u16) -> Result<TcpStream> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    write!(
        stream,
        "GET {} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        PATHS[0]
    )?;
    Ok(stream)
}
