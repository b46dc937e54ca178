//! Benchmark of API responses (goal G10 of `docs/benchmarks.md`). Each response is compared with a file of exactly its
//! size from the same server, on one connection and on 32. New responses and unchanged responses (304) are measured
//! separately.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::figure::{Bound, Figure, PairedRounds, spread};
use super::http::{KeepAlive, uncached_path};
use super::server::BenchServer;
use super::setting::Setting;
use super::{ms, percentile};
use crate::tree;

/// Questions in a round; a round's figure is their percentile.
const MAX_REQUESTS: usize = 100;
/// A question that takes long is asked less often, so that a round ends in about this time.
const ROUND_TIME: Duration = Duration::from_secs(2);
const MIN_REQUESTS: usize = 10;
const ROUNDS: usize = 9;
const CONNECTIONS: usize = 32;
const WEEK_MS: i64 = 7 * 86_400_000;
const READ_TIMEOUT: Duration = Duration::from_secs(600);

/// What the pages ask. `{session}` is the newest one that has a thread, `{thread}` its first, `{week}` a week ago.
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
    let folder = tree::target()?.join("bench/bundle");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("index.html"), "<!doctype html><title>bench</title>")?;
    let words = ["--bundle", folder.to_str().context("the folder's name is not text")?];
    let server = BenchServer::start_on(&setting.monitor()?, &home, Some("0"), &words)?;
    server.wait_until_read(READ_TIMEOUT)?;
    let mut figures = Vec::new();
    for (name, path) in places(&mut KeepAlive::open(server.port)?)? {
        figures.extend(query_figures(server.port, &folder, name, &path)?);
    }
    Ok(figures)
}

/// The questions with a session and a thread put in.
fn places(client: &mut KeepAlive) -> Result<Vec<(&'static str, String)>> {
    let mut json = |path: &str| -> Result<serde_json::Value> {
        serde_json::from_slice(&client.get(path, "")?.body).with_context(|| format!("{path} is not JSON"))
    };
    let sessions = json("/api/v2/sessions?limit=50")?;
    let week = sessions["now"].as_i64().context("the answer tells no time")? - WEEK_MS;
    let mut with_thread = None;
    for session in sessions["sessions"].as_array().into_iter().flatten() {
        let session = session["workSessionId"].as_str().context("a session without an id")?;
        let detail = json(&format!("/api/v2/sessions/{session}"))?;
        if let Some(thread) = detail["threads"][0]["threadId"].as_str() {
            with_thread = Some((session.to_owned(), thread.to_owned()));
            break;
        }
    }
    let (session, thread) = with_thread.context("no session of the newest has a thread")?;
    let put_in = |path: &str| {
        path.replace("{session}", &session).replace("{thread}", &thread).replace("{week}", &week.to_string())
    };
    Ok(QUERIES.map(|(name, path)| (name, put_in(path))).to_vec())
}

/// How often a question that takes so long is asked in a round.
fn often(took: Duration) -> usize {
    let times = ROUND_TIME.as_nanos() / took.as_nanos().max(1);
    usize::try_from(times).unwrap_or(MAX_REQUESTS).clamp(MIN_REQUESTS, MAX_REQUESTS)
}

fn query_figures(port: u16, folder: &Path, name: &str, path: &str) -> Result<Vec<Figure>> {
    let mut first = KeepAlive::open(port)?;
    let answer = first.get(path, "")?;
    if answer.status != 200 {
        bail!("{path} answered {}", answer.status);
    }
    let start = Instant::now();
    first.get(&uncached_path(path), "")?;
    let often = often(start.elapsed());
    // The server packs nothing for who does not ask: both sides send all bytes.
    let file = PathBuf::from(format!("equal-{}.bin", answer.body.len()));
    std::fs::write(folder.join(&file), vec![b'x'; answer.body.len()])?;
    let file = format!("/{}", file.display());
    let control = format!("a file of {} bytes", answer.body.len());
    // A connection a round, for both sides: one that lay idle for a slow round of the other is closed.
    let once = |path: &str| request_times(&mut KeepAlive::open(port)?, path, "", 200, often);
    let [middle, late] = rounds(|| once(path), || once(&file))?;
    let mut figures = vec![
        Figure::middle(&format!("{name}, p50"), "ms", &middle, &control).goal("G10", Bound::RatioAtMost(2.0)),
        Figure::middle(&format!("{name}, p99"), "ms", &late, &control).goal("G10", Bound::RatioAtMost(3.0)),
    ];
    let [middle, late] = rounds(|| together(port, path, often), || together(port, &file, often))?;
    figures.push(
        Figure::middle(&format!("{name}, {CONNECTIONS} connections, p50"), "ms", &middle, &control)
            .goal("G10", Bound::RatioAtMost(2.0)),
    );
    figures.push(
        Figure::middle(&format!("{name}, {CONNECTIONS} connections, p99"), "ms", &late, &control)
            .goal("G10", Bound::RatioAtMost(3.0)),
    );
    if often < MAX_REQUESTS {
        let note = format!("asked {often} times a round");
        figures = figures.into_iter().map(|figure| figure.noted(&note)).collect();
    }
    figures.push(uncached_figure(port, name, path, &file, &control, often)?);
    figures.push(not_modified_figure(port, name, path, &file)?);
    Ok(figures)
}

/// An answer that nobody asked for since something changed.
fn uncached_figure(port: u16, name: &str, path: &str, file: &str, control: &str, often: usize) -> Result<Figure> {
    let own = || {
        let mut client = KeepAlive::open(port)?;
        let mut times = Vec::with_capacity(often);
        for _ in 0..often {
            times.extend(request_times(&mut client, &uncached_path(path), "", 200, 1)?);
        }
        Ok(times)
    };
    let [middle, _] = rounds(own, || request_times(&mut KeepAlive::open(port)?, file, "", 200, often))?;
    Ok(Figure::middle(&format!("{name}, made anew, p50"), "ms", &middle, control).goal("G10", Bound::RatioAtMost(2.0)))
}

/// A 304 beside the file's 304.
fn not_modified_figure(port: u16, name: &str, path: &str, file: &str) -> Result<Figure> {
    let title = format!("{name}, not changed (304), p50");
    let bound = Bound::RatioAtMost(1.1);
    let mut client = KeepAlive::open(port)?;
    let Some(mark) = client.get(path, "")?.etag else {
        return Ok(Figure::missing(&title, "ms", "the answer has no ETag").goal("G10", bound));
    };
    let mark = format!("If-None-Match: {mark}\r\n");
    if client.get(path, &mark)?.status != 304 {
        return Ok(Figure::missing(&title, "ms", "asked with its ETag, it is sent again").goal("G10", bound));
    }
    // A file's mark is when it was changed; far in the future it has not.
    let since = "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT\r\n";
    let once = |path: &str, head: &str| request_times(&mut KeepAlive::open(port)?, path, head, 304, MAX_REQUESTS);
    let [middle, _] = rounds(|| once(path, &mark), || once(file, since))?;
    Ok(Figure::middle(&title, "ms", &middle, "the file's 304").goal("G10", bound))
}

/// Middle and 99th percentile of each round, for both sides.
fn rounds(
    mut own: impl FnMut() -> Result<Vec<Duration>>,
    mut control: impl FnMut() -> Result<Vec<Duration>>,
) -> Result<[PairedRounds; 2]> {
    let mut late = (Vec::new(), Vec::new());
    let middle = PairedRounds::run(
        ROUNDS,
        || {
            let mut times = own()?;
            late.0.push(ms(percentile(&mut times, 99)));
            Ok(ms(percentile(&mut times, 50)))
        },
        || {
            let mut times = control()?;
            late.1.push(ms(percentile(&mut times, 99)));
            Ok(ms(percentile(&mut times, 50)))
        },
    )?;
    // One late answer of a file says more of the machine than of either side: the control's median is used for all.
    let usual = spread(late.1.iter().copied())[1];
    Ok([middle, PairedRounds(late.0.into_iter().map(|own| (own, usual)).collect())])
}

fn request_times(client: &mut KeepAlive, path: &str, head: &str, status: u16, often: usize) -> Result<Vec<Duration>> {
    let mut times = Vec::with_capacity(often);
    for _ in 0..often {
        let start = Instant::now();
        let answer = client.get(path, head)?;
        times.push(start.elapsed());
        if answer.status != status {
            bail!("{path} answered {} instead of {status}", answer.status);
        }
    }
    Ok(times)
}

/// The same from many connections at once.
fn together(port: u16, path: &str, often: usize) -> Result<Vec<Duration>> {
    std::thread::scope(|scope| {
        let one = || -> Result<Vec<Duration>> {
            let mut client = KeepAlive::open(port)?;
            let mut times = Vec::new();
            for _ in 0..often.div_ceil(10) {
                let start = Instant::now();
                if client.get(path, "")?.status != 200 {
                    bail!("{path} is not answered any more");
                }
                times.push(start.elapsed());
            }
            Ok(times)
        };
        let clients: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(one)).collect();
        let mut all = Vec::new();
        for client in clients {
            all.extend(client.join().map_err(|_| anyhow::anyhow!("a client panicked"))??);
        }
        Ok(all)
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::often;

    #[test]
    fn slow_queries_get_fewer_requests() {
        let counts = [1, 20, 40, 100, 1_000, 60_000].map(|ms| often(Duration::from_millis(ms)));
        assert_eq!(counts, [100, 100, 50, 20, 10, 10]);
    }
}
