//! Benchmark of queries, each alternated with a cheap control. On a busy machine the ratio is more reliable than the
//! time. It also measures memory, start-up, and frames without a file watcher.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::figure::{Bound, Figure, PairedRounds};
use super::server::BenchServer;
use super::setting::Setting;
use super::{http, live, ms, percentile};

const ROUNDS: usize = 60;
/// Connection, routing and a small answer, and nothing else.
const CONTROL: &str = "/api/v2/sessions?limit=1";
/// Without the watcher each append waits for the look of that second.
const UNWATCHED_APPENDS: usize = 100;
const READ_TIMEOUT: Duration = Duration::from_secs(600);

/// A name, and a path.
const QUERIES: [(&str, &str); 8] = [
    ("sessions, first page", "/api/v2/sessions?limit=50"),
    ("sessions with 배포", "/api/v2/sessions?limit=50&q=%EB%B0%B0%ED%8F%AC"),
    // Whatever the log, no session holds it: every message is looked at.
    ("sessions with what none holds", "/api/v2/sessions?limit=50&q=zqxjkv"),
    ("home", "/api/v2/home"),
    ("tasks, first page", "/api/v2/tasks?limit=100"),
    ("events with 배포", "/api/v2/events?q=%EB%B0%B0%ED%8F%AC"),
    ("events with deploy", "/api/v2/events?q=deploy"),
    ("1.x work-sessions", "/api/work-sessions?role=conversation.main&limit=100"),
];

/// Each question's middle beside the control, its size, and memory after all of them.
pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    let (monitor, home) = (setting.monitor()?, setting.home_to_change(setting.events)?);
    let server = BenchServer::start(&monitor, &home)?;
    server.wait_until_read(READ_TIMEOUT)?;
    // Before that, words are looked for in every message; what that costs is a matter of the start.
    server.wait_until_indexed(READ_TIMEOUT)?;
    let mut figures = Vec::new();
    for (name, path) in QUERIES {
        let mut bytes = 0;
        let rounds = PairedRounds::run(
            ROUNDS,
            || {
                let (time, size) = ask(server.port, path)?;
                bytes = size;
                Ok(time)
            },
            || Ok(ask(server.port, CONTROL)?.0),
        )?;
        figures.push(Figure::middle(name, "ms", &rounds, "a small answer").noted(&format!("{bytes} bytes")));
    }
    figures.push(Figure::new("memory after the questions", server.resident_kb()? as f64 * 1.024 / 1000.0, "MB"));
    drop(server);
    figures.extend(unwatched(&monitor, &home)?);
    Ok(figures)
}

/// Append → frame where the system tells of no change: the monitor then looks once a second.
fn unwatched(monitor: &Path, home: &Path) -> Result<[Figure; 2]> {
    let server = BenchServer::start_with(monitor, home, &["--watcher", "off"])?;
    server.wait_until_read(READ_TIMEOUT)?;
    let mut delays = live::append_to_frame(server.port, home, 0, UNWATCHED_APPENDS)?;
    Ok([
        Figure::new("append → frame with the watcher off, p50", ms(percentile(&mut delays, 50)), "ms"),
        Figure::new("append → frame with the watcher off, p99", ms(percentile(&mut delays, 99)), "ms")
            .goal("", Bound::AtMost(1200.0)),
    ])
}

/// Milliseconds and bytes.
fn ask(port: u16, path: &str) -> Result<(f64, usize)> {
    let start = Instant::now();
    let answer = http::get(port, &http::uncached_path(path))?;
    if answer.status != 200 {
        bail!("{path} answered {}", answer.status);
    }
    Ok((ms(start.elapsed()), answer.body.len()))
}
