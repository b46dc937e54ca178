//! Benchmark of many clients at many events per second, and of the cost that frozen clients cause for others
//! (reliability goals G12 and G13). `make bench ARGS=crowd` runs it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Result;
use bench::home::rehearsed;
use bench::http;
use bench::live::{AppendClock, ClientTally};
use bench::server::BenchServer;
use bench::stream::StreamClient;
use xtask::shell;

use super::threads::{Pace, many_files, read_while_appending};
use crate::figure::{Bound, Figure, percentile};
use crate::setting::Setting;

/// One client in so many measures delays; all of them watch their positions.
const MEASURING: usize = 25;
/// An event that a client has not received by then is lost.
const SETTLE: Duration = Duration::from_secs(20);
const QUIET: Duration = Duration::from_secs(60);

/// Clients by kind, and the lines appended for them.
#[derive(Clone, Copy)]
struct Crowd {
    sockets: usize,
    event_streams: usize,
    frozen: usize,
    per_second: u32,
    seconds: u64,
}

/// What came of it.
#[derive(Default)]
struct CrowdFigures {
    delays: Vec<Duration>,
    appended: u64,
    lost: u64,
    jumps: u64,
    ended: u64,
    cut: u64,
    cores: f64,
    grown_mb: f64,
    quiet_mb: f64,
}

/// Measures both crowds.
pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    many_files()?;
    let big = Crowd { sockets: 500, event_streams: 100, frozen: 0, per_second: 1_000, seconds: 120 };
    let seen = run(setting, big)?;
    let calm = Crowd { sockets: 200, event_streams: 0, frozen: 0, per_second: 500, seconds: 60 };
    let without = run(setting, calm)?;
    let with = run(setting, Crowd { frozen: 20, ..calm })?;
    let none = |name: &str, count: u64| Figure::new(name, count as f64, "").bound(Bound::AtMost(0.0));
    Ok(vec![
        Figure::new("appended at 1,000/s to 500 WS + 100 SSE", seen.appended as f64, ""),
        none("events lost, over all clients", seen.lost),
        none("positions missing or doubled", seen.jumps),
        none("clients that lost their stream", seen.ended),
        Figure::new("append → frame, p50", percentile(&seen.delays, 50), "ms"),
        Figure::new("append → frame, p99", percentile(&seen.delays, 99), "ms").bound(Bound::AtMost(300.0)),
        Figure::new("the server's cores", seen.cores, "").bound(Bound::AtMost(1.0)),
        Figure::new("memory, start to end", seen.grown_mb, "MB"),
        Figure::new("memory, a minute of quiet after it", seen.quiet_mb, "MB").bound(Bound::AtMost(0.0)),
        Figure::new("200 WS at 500/s beside 20 frozen ones, p99", percentile(&with.delays, 99), "ms")
            .with_control("without the frozen ones", percentile(&without.delays, 99))
            .bound(Bound::RatioAtMost(1.2)),
        Figure::new("frozen ones cut", with.cut as f64, "").bound(Bound::AtLeast(20.0)),
        none("events lost by the others", with.lost),
    ])
}

fn run(setting: &Setting, crowd: Crowd) -> Result<CrowdFigures> {
    let home = rehearsed(&setting.monitor, 2_000, "crowd")?;
    let server = BenchServer::start(&setting.monitor, &home, None, &[])?;
    let Crowd { sockets, event_streams, frozen, per_second, seconds } = crowd;
    let all = sockets + event_streams + frozen;
    shell::say(&format!("{all} clients, {frozen} of them frozen, {per_second} events/s for {seconds} s"));
    let mut clients = Vec::new();
    clients.extend((0..sockets).map(|_| StreamClient::web_socket(server.port)));
    clients.extend((0..event_streams).map(|_| StreamClient::events(server.port)));
    let clients = clients.into_iter().collect::<Result<Vec<_>>>()?;
    // They take their snapshot and then nothing.
    let frozen = (0..frozen).map(|_| StreamClient::web_socket(server.port)).collect::<Result<Vec<_>>>()?;
    let before = server.resident_mb()?;
    let clock = AppendClock::new(0);
    let pace = Pace { per_second, together: per_second / 100, time: Duration::from_secs(seconds), settle: SETTLE };
    let read =
        |number: usize, client, over: &AtomicBool| listen(client, number.is_multiple_of(MEASURING), &clock, over);
    let (tallies, cores) = read_while_appending(&server, &home, clients, (&clock, pace), read)?;
    drop(frozen);
    let mut figures = CrowdFigures { appended: clock.count().unwrap_or(0), cores, ..CrowdFigures::default() };
    for (tally, is_open) in tallies {
        figures.lost += figures.appended.saturating_sub(tally.events);
        figures.jumps += tally.jumps;
        figures.ended += u64::from(!is_open);
        figures.delays.extend(tally.delays);
    }
    figures.cut = http::json(server.port, "/api/v2/health")?["live"]["cut"].as_u64().unwrap_or(0);
    let after = server.resident_mb()?;
    std::thread::sleep(QUIET);
    figures.grown_mb = after - before;
    figures.quiet_mb = server.resident_mb()? - after;
    Ok(figures)
}

/// Reads until all is over; whether the stream was still open then.
fn listen(mut client: StreamClient, measures: bool, clock: &AppendClock, over: &AtomicBool) -> (ClientTally, bool) {
    let mut tally = ClientTally::default();
    while let Ok(frame) = client.frame() {
        if measures {
            tally.take(clock, &frame);
        } else {
            tally.count(&frame);
        }
        if over.load(Ordering::SeqCst) {
            return (tally, true);
        }
    }
    (tally, false)
}
