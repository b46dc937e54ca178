//! G10: each answer beside a file of exactly its size from the same server, on one connection and on 32; and what an
//! answer that has not changed costs.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::figure::{Bound, Figure, Pairs, spread};
use super::http::Kept;
use super::server::Server;
use super::setting::Setting;
use super::{ms, percentile};
use crate::tree;

/// Questions in a round; a round's figure is their percentile.
const ASKED: usize = 100;
const ROUNDS: usize = 9;
const TOGETHER: usize = 32;
const PATIENCE: Duration = Duration::from_secs(600);

/// What the pages ask. `{session}` is the newest one, `{thread}` its first thread.
const QUESTIONS: [(&str, &str); 8] = [
    ("home", "/api/v2/home"),
    ("sessions", "/api/v2/sessions?limit=50"),
    ("sessions of a category", "/api/v2/sessions?limit=50&category=legal_compliance"),
    ("events", "/api/v2/events?limit=100"),
    ("tasks", "/api/v2/tasks?limit=100"),
    ("agents", "/api/v2/agents"),
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
    let server = Server::start_on(&setting.monitor()?, &home, Some("0"), &words)?;
    server.wait_until_read(PATIENCE)?;
    let mut figures = Vec::new();
    for (name, path) in places(&mut Kept::open(server.port)?)? {
        figures.extend(question(server.port, &folder, name, &path)?);
    }
    Ok(figures)
}

/// The questions with a session and a thread put in.
fn places(client: &mut Kept) -> Result<Vec<(&'static str, String)>> {
    let mut json = |path: &str| -> Result<serde_json::Value> {
        serde_json::from_slice(&client.get(path, "")?.body).with_context(|| format!("{path} is not JSON"))
    };
    let sessions = json("/api/v2/sessions?limit=1")?;
    let session = sessions["sessions"][0]["workSessionId"].as_str().context("no session is known")?;
    let detail = json(&format!("/api/v2/sessions/{session}"))?;
    let thread = detail["threads"][0]["threadId"].as_str().context("the newest session has no thread")?;
    Ok(QUESTIONS.map(|(name, path)| (name, path.replace("{session}", session).replace("{thread}", thread))).to_vec())
}

fn question(port: u16, folder: &Path, name: &str, path: &str) -> Result<Vec<Figure>> {
    let answer = Kept::open(port)?.get(path, "")?;
    if answer.status != 200 {
        bail!("{path} answered {}", answer.status);
    }
    // The server packs nothing for who does not ask: both sides send all bytes.
    let file = PathBuf::from(format!("equal-{}.bin", answer.body.len()));
    std::fs::write(folder.join(&file), vec![b'x'; answer.body.len()])?;
    let file = format!("/{}", file.display());
    let control = format!("a file of {} bytes", answer.body.len());
    // A connection a round, for both sides: one that lay idle for a slow round of the other is closed.
    let once = |path: &str| asked(&mut Kept::open(port)?, path, "", 200);
    let [middle, late] = rounds(|| once(path), || once(&file))?;
    let mut figures = vec![
        Figure::middle(&format!("{name}, p50"), "ms", &middle, &control).goal("G10", Bound::RatioAtMost(2.0)),
        Figure::middle(&format!("{name}, p99"), "ms", &late, &control).goal("G10", Bound::RatioAtMost(3.0)),
    ];
    let [middle, late] = rounds(|| together(port, path), || together(port, &file))?;
    figures.push(
        Figure::middle(&format!("{name}, {TOGETHER} connections, p50"), "ms", &middle, &control)
            .goal("G10", Bound::RatioAtMost(2.0)),
    );
    figures.push(
        Figure::middle(&format!("{name}, {TOGETHER} connections, p99"), "ms", &late, &control)
            .goal("G10", Bound::RatioAtMost(3.0)),
    );
    figures.push(unchanged(port, name, path, &file)?);
    Ok(figures)
}

/// A 304 beside the file's 304.
fn unchanged(port: u16, name: &str, path: &str, file: &str) -> Result<Figure> {
    let title = format!("{name}, not changed (304), p50");
    let bound = Bound::RatioAtMost(1.1);
    let mut client = Kept::open(port)?;
    let Some(mark) = client.get(path, "")?.etag else {
        return Ok(Figure::missing(&title, "ms", "the answer has no ETag").goal("G10", bound));
    };
    let mark = format!("If-None-Match: {mark}\r\n");
    if client.get(path, &mark)?.status != 304 {
        return Ok(Figure::missing(&title, "ms", "asked with its ETag, it is sent again").goal("G10", bound));
    }
    // A file's mark is when it was changed; far in the future it has not.
    let since = "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT\r\n";
    let once = |path: &str, head: &str| asked(&mut Kept::open(port)?, path, head, 304);
    let [middle, _] = rounds(|| once(path, &mark), || once(file, since))?;
    Ok(Figure::middle(&title, "ms", &middle, "the file's 304").goal("G10", bound))
}

/// Middle and 99th percentile of each round, for both sides.
fn rounds(
    mut own: impl FnMut() -> Result<Vec<Duration>>,
    mut control: impl FnMut() -> Result<Vec<Duration>>,
) -> Result<[Pairs; 2]> {
    let mut late = (Vec::new(), Vec::new());
    let middle = Pairs::run(
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
    // One late answer of a file says more of the machine than of either side: the control's middle stands for all.
    let usual = spread(late.1.iter().copied())[1];
    Ok([middle, Pairs(late.0.into_iter().map(|own| (own, usual)).collect())])
}

fn asked(client: &mut Kept, path: &str, head: &str, status: u16) -> Result<Vec<Duration>> {
    let mut times = Vec::with_capacity(ASKED);
    for _ in 0..ASKED {
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
fn together(port: u16, path: &str) -> Result<Vec<Duration>> {
    std::thread::scope(|scope| {
        let one = || -> Result<Vec<Duration>> {
            let mut client = Kept::open(port)?;
            let mut times = Vec::new();
            for _ in 0..ASKED / 10 {
                let start = Instant::now();
                if client.get(path, "")?.status != 200 {
                    bail!("{path} is not answered any more");
                }
                times.push(start.elapsed());
            }
            Ok(times)
        };
        let clients: Vec<_> = (0..TOGETHER).map(|_| scope.spawn(one)).collect();
        let mut all = Vec::new();
        for client in clients {
            all.extend(client.join().map_err(|_| anyhow::anyhow!("a client panicked"))??);
        }
        Ok(all)
    })
}
