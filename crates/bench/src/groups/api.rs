//! Benchmark of API responses (goal G10 of `docs/benchmarks.md`). Each response is compared with a file of exactly its
//! size from the same server, on one connection and on 32. New responses and unchanged responses (304) are measured
//! separately.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use bench::http::{KeepAlive, uncached_path};

use super::threads::on_threads;
use crate::figure::{Bound, Figure, alternate, percentiles, spread};
use crate::setting::{ROUNDS, Setting};

/// Requests in a round; a round's figure is their percentile.
const MAX_REQUESTS: usize = 100;
/// A request that takes long is sent less often, so that a round ends in about this time.
const ROUND_TIME: Duration = Duration::from_secs(2);
const MIN_REQUESTS: usize = 10;
const CONNECTIONS: usize = 32;
const WEEK_MS: i64 = 7 * 86_400_000;
/// A file's mark is when it was changed; far in the future it has not.
const FILE_UNCHANGED: &str = "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT\r\n";

/// Requests of the pages. `{session}` is the newest one that has a thread, `{thread}` its first, `{week}` a week ago.
const QUERIES: [(&str, &str); 8] = [
    ("home", "/api/v2/home"),
    ("sessions", "/api/v2/sessions?limit=50"),
    ("sessions of a category", "/api/v2/sessions?limit=50&category=legal_compliance"),
    ("events", "/api/v2/events?limit=100"),
    ("tasks", "/api/v2/tasks?limit=100"),
    ("agents", "/api/v2/agents?since={week}"),
    ("a session", "/api/v2/sessions/{session}"),
    ("a thread", "/api/v2/sessions/{session}/threads/{thread}"),
];

pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    let home = setting.home(setting.events)?;
    let (server, folder) = setting.server_of_files(&home, Some("0"))?;
    let mut figures = Vec::new();
    for (name, path) in requests(&mut KeepAlive::open(server.port)?)? {
        figures.extend(query_figures(server.port, &folder, name, &path)?);
    }
    Ok(figures)
}

/// The requests with a session and a thread put in.
fn requests(client: &mut KeepAlive) -> Result<Vec<(&'static str, String)>> {
    let sessions = client.get("/api/v2/sessions?limit=50", "")?.json()?;
    let week = (sessions["now"].as_i64().context("the answer tells no time")? - WEEK_MS).to_string();
    for session in sessions["sessions"].as_array().into_iter().flatten() {
        let session = session["workSessionId"].as_str().context("a session without an id")?;
        let detail = client.get(&format!("/api/v2/sessions/{session}"), "")?.json()?;
        if let Some(thread) = detail["threads"][0]["threadId"].as_str() {
            let values = [("{session}", session), ("{thread}", thread), ("{week}", &week)];
            let put_in =
                |path: &str| values.iter().fold(path.to_owned(), |path, (key, value)| path.replace(key, value));
            return Ok(QUERIES.map(|(name, path)| (name, put_in(path))).to_vec());
        }
    }
    bail!("no session of the newest has a thread")
}

/// Requests of a round when one takes so long.
fn request_count(took: Duration) -> usize {
    let times = ROUND_TIME.as_nanos() / took.as_nanos().max(1);
    usize::try_from(times).unwrap_or(MAX_REQUESTS).clamp(MIN_REQUESTS, MAX_REQUESTS)
}

fn query_figures(port: u16, folder: &Path, name: &str, path: &str) -> Result<Vec<Figure>> {
    let mut first = KeepAlive::open(port)?;
    let answer = first.get(path, "")?;
    let start = Instant::now();
    first.get(&uncached_path(path), "")?.json()?;
    let count = request_count(start.elapsed());
    // The server packs nothing for a client that does not ask: both sides send all bytes.
    let file = format!("/equal-{}.bin", answer.body.len());
    std::fs::write(folder.join(&file[1..]), vec![b'x'; answer.body.len()])?;
    let control = format!("a file of {} bytes", answer.body.len());
    let figure = |name: &str, rounds: &[(f64, f64)], most: f64| {
        Figure::middle(name, "ms", rounds, &control).goal("G10").bound(Bound::RatioAtMost(most))
    };
    let cached = |path: &str| times(port, path, str::to_owned, 200, "", count);
    let one = alternate(ROUNDS, || cached(path), || cached(&file))?;
    let many = alternate(ROUNDS, || together(port, path, count), || together(port, &file, count))?;
    let mut figures = Vec::new();
    for (suffix, rounds) in [("", one), (", 32 connections", many)] {
        figures.push(figure(&format!("{name}{suffix}, p50"), &percentiles(&rounds, 50), 2.0));
        // One late answer of a file says more of the machine than of either side: its median is used for all rounds.
        let late = percentiles(&rounds, 99);
        let usual = spread(late.iter().map(|pair| pair.1))[1];
        let late: Vec<(f64, f64)> = late.iter().map(|(own, _)| (*own, usual)).collect();
        figures.push(figure(&format!("{name}{suffix}, p99"), &late, 3.0));
    }
    if count < MAX_REQUESTS {
        let note = format!("asked {count} times a round");
        figures = figures.into_iter().map(|figure| figure.noted(&note)).collect();
    }
    let uncached = || times(port, path, uncached_path, 200, "", count);
    let rounds = alternate(ROUNDS, uncached, || cached(&file))?;
    figures.push(figure(&format!("{name}, uncached, p50"), &percentiles(&rounds, 50), 2.0));

    let unchanged = || {
        let etag = KeepAlive::open(port)?.get(path, "")?.etag.with_context(|| format!("{path} has no ETag"))?;
        not_modified(port, path, &format!("If-None-Match: {etag}\r\n"))
    };
    // The tag changes with the minute and the position in the stream: a round in which it did is measured once more.
    let unchanged = || unchanged().or_else(|_| unchanged());
    let rounds = alternate(ROUNDS, unchanged, || not_modified(port, &file, FILE_UNCHANGED))?;
    let title = format!("{name}, not changed (304), p50");
    let figure = Figure::middle(&title, "ms", &percentiles(&rounds, 50), "the file's 304");
    figures.push(figure.goal("G10").bound(Bound::RatioAtMost(1.1)));
    Ok(figures)
}

/// Times of `count` requests of a path in the given spelling, on a connection of their own: one that lay idle for a slow
/// round of the other side is closed.
fn times(
    port: u16,
    path: &str,
    spelling: impl Fn(&str) -> String,
    status: u16,
    head: &str,
    count: usize,
) -> Result<Vec<Duration>> {
    let mut client = KeepAlive::open(port)?;
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let path = spelling(path);
        let start = Instant::now();
        let answer = client.get(&path, head)?;
        times.push(start.elapsed());
        if answer.status != status {
            bail!("{path} answered {} instead of {status}", answer.status);
        }
    }
    Ok(times)
}

fn not_modified(port: u16, path: &str, head: &str) -> Result<Vec<Duration>> {
    times(port, path, str::to_owned, 304, head, MAX_REQUESTS)
}

/// Times of requests from many connections at once.
fn together(port: u16, path: &str, count: usize) -> Result<Vec<Duration>> {
    let read = |_: usize, (): ()| times(port, path, str::to_owned, 200, "", count.div_ceil(10));
    let (all, ()) = on_threads(vec![(); CONNECTIONS], read, || Ok(()))?;
    Ok(all.into_iter().collect::<Result<Vec<_>>>()?.concat())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::request_count;

    #[test]
    fn slow_queries_get_fewer_requests() {
        let counts = [1, 20, 40, 100, 1_000, 60_000].map(|ms| request_count(Duration::from_millis(ms)));
        assert_eq!(counts, [100, 100, 50, 20, 10, 10]);
    }
}
