//! `make bench ARGS=fanout`: many clients at many events a second, and what frozen ones cost the others
//! (reliability goals G12 and G13).

use std::io::Write as _;
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use super::live::{Appended, Seen};
use super::server::Server;
use super::stream::{Client, Events, Socket};
use super::{http, ms, percentile, rehearsed, release_monitor, row};
use crate::shell;

/// One client in so many measures delays; all of them watch their positions.
const MEASURING: usize = 25;
/// Clients are many and do little.
const STACK: usize = 256 * 1024;
const PATHS: [&str; 2] = ["/api/v2/live", "/api/v2/live/events"];

/// A crowd and what it is told.
struct Crowd {
    sockets: usize,
    events: usize,
    frozen: usize,
    per_second: u32,
    time: Duration,
}

/// What came of it.
struct Outcome {
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

/// Measures both crowds and prints them beside their goals.
pub fn run(minutes: u64) -> Result<()> {
    let monitor = release_monitor()?;
    let mut table = Vec::new();
    let big =
        Crowd { sockets: 500, events: 100, frozen: 0, per_second: 1_000, time: Duration::from_secs(60 * minutes) };
    let mut seen = crowd(&monitor, &big)?;
    table.push(row("appended at 1,000/s to 500 WS + 100 SSE", &seen.appended.to_string(), ""));
    table.push(row("  events lost, over all clients", &seen.lost.to_string(), "0"));
    table.push(row("  positions missing or doubled", &seen.jumps.to_string(), "0"));
    table.push(row("  clients that lost their stream", &seen.ended.to_string(), "0"));
    table.push(row("  append → frame, p50", &ms(percentile(&mut seen.delays, 50)), ""));
    table.push(row("  append → frame, p99", &ms(percentile(&mut seen.delays, 99)), "≤ 300 ms"));
    table.push(row("  the server's cores", &format!("{:.2}", seen.cores), "≤ 1"));
    table.push(row("  memory, start to end", &format!("{:+.1} MB", seen.grown_kb as f64 / 1000.0), ""));
    table.push(row(
        "  memory, a minute of quiet after it",
        &format!("{:+.1} MB", seen.quiet_kb as f64 / 1000.0),
        "≤ 0",
    ));
    let calm = Crowd { sockets: 200, events: 0, frozen: 0, per_second: 500, time: Duration::from_secs(60) };
    let without = percentile(&mut crowd(&monitor, &calm)?.delays, 99);
    let mut with = crowd(&monitor, &Crowd { frozen: 20, ..calm })?;
    let held = percentile(&mut with.delays, 99);
    let ratio = held.as_secs_f64() / without.as_secs_f64().max(1e-9);
    table.push(row("200 WS at 500/s, p99", &ms(without), ""));
    table.push(row("  the same beside 20 frozen ones", &ms(held), ""));
    table.push(row("  ratio", &format!("{ratio:.2}"), "≤ 1.2"));
    table.push(row("  frozen ones cut", &with.cut.to_string(), "20"));
    table.push(row("  events lost by the others", &with.lost.to_string(), "0"));
    println!("\n{:<44} {:>12}   goal", "fan-out", "measured");
    for [name, measured, goal] in &table {
        println!("{name:<44} {measured:>12}   {goal}");
    }
    Ok(())
}

fn crowd(monitor: &Path, crowd: &Crowd) -> Result<Outcome> {
    let home = rehearsed(monitor, 2_000)?;
    let server = Server::start(monitor, &home)?;
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
            Client::Socket(Socket::open(server.port, PATHS[0])?)
        } else {
            Client::Events(Events::open(server.port, PATHS[1])?)
        };
        client.frame().context("no snapshot")?;
        clients.push(client);
    }
    let frozen: Vec<TcpStream> = (0..crowd.frozen).map(|_| deaf(server.port)).collect::<Result<_>>()?;
    let clock = Appended::new(0);
    let over = AtomicBool::new(false);
    let (memory, cpu, start) = (server.resident_kb()?, server.cpu_seconds()?, Instant::now());
    let mut outcome = std::thread::scope(|scope| -> Result<Outcome> {
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
        // Whoever has not seen everything by then has lost it.
        std::thread::sleep(Duration::from_secs(20));
        over.store(true, Ordering::SeqCst);
        let appended = clock.count().unwrap_or(0);
        let mut outcome = Outcome {
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
fn listen(mut client: Client, measures: bool, clock: &Appended, over: &AtomicBool) -> (Seen, bool) {
    let mut seen = Seen::default();
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
