//! Benchmarks of a monitor's start-up and idle load: time from process start until the first requests of the
//! dashboard's pages are answered, resident memory, and processor time while no log line arrives. The start-up time is
//! compared with that of a program which only parses the same bytes on one thread.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use bench::home::{append, event, logs, rehearsed};
use bench::http;
use bench::live::{StreamClient, numbers};
use bench::server::BenchServer;
use coordination::event::parse_lines;

use super::Setting;
use crate::figure::{Figure, alternate, short};

const ROUNDS: usize = 5;
/// Bytes of a read, as the monitor reads its history.
const PIECE_BYTES: u64 = 1 << 20;
/// Time without a line before the idle monitor is measured, and time of the measurement.
const SETTLE: Duration = Duration::from_secs(10);
const IDLE: Duration = Duration::from_secs(60);
/// First requests of the dashboard's pages.
const VIEWS: [&str; 8] = [
    "/api/v2/home",
    "/api/v2/sessions?limit=50",
    "/api/v2/events?limit=100",
    "/api/v2/tasks?limit=100",
    "/api/v2/agents",
    "/api/v2/quality",
    "/api/v2/delegations",
    "/api/v2/search?q=%EB%B0%B0%ED%8F%AC",
];

/// Start and memory with a tenth of the events and with all.
pub fn start(setting: &Setting) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for events in [setting.events / 10, setting.events] {
        let home = setting.home(events)?;
        let (files, bytes) = logs(&home)?;
        // Once unmeasured: all bytes are in memory from then on.
        parse_seconds(&files)?;
        let mut megabytes = 0.0;
        let load = || {
            let (seconds, after) = cold_start(setting, &home, &[])?;
            megabytes = after;
            Ok(seconds)
        };
        let rounds = alternate(ROUNDS, load, || parse_seconds(&files))?;
        let at = format!("at {} events", short(events as f64));
        figures.push(Figure::of_rounds(&format!("start {at} without a store"), "s", &rounds, "parse only, one core"));
        let memory = Figure::new(&format!("memory {at}"), megabytes, "MB");
        figures.push(memory.control("bytes of the log", bytes as f64 / 1e6).noted("every view answered, all indexed"));
        let folder = home.with_file_name("cache");
        let words = ["--cache", folder.to_str().context("a folder in UTF-8")?];
        // Saved when the monitor ends, but not by one that ends while it reads.
        let server = BenchServer::start(&setting.monitor, &home, &words)?;
        server.wait_until_indexed()?;
        server.stop()?;
        let saved: u64 = std::fs::read_dir(&folder)?.map(|file| Ok(file?.metadata()?.len())).sum::<Result<u64>>()?;
        let load = || Ok(cold_start(setting, &home, &words)?.0);
        let rounds = alternate(ROUNDS, load, || parse_seconds(&files))?;
        let start = Figure::of_rounds(&format!("start {at} with a store"), "s", &rounds, "parse only, one core");
        figures.push(start.noted(&format!("{:.0} MB saved", saved as f64 / 1e6)));
    }
    Ok(figures)
}

/// Starts a monitor and requests what every page requests, and one session with its flow and its thread: seconds, and
/// memory when the search index covers all.
fn cold_start(setting: &Setting, home: &Path, words: &[&str]) -> Result<(f64, f64)> {
    let start = Instant::now();
    let server = BenchServer::start(&setting.monitor, home, words)?;
    let mut session = None;
    for path in VIEWS {
        let body = http::json(server.port, path)?;
        session = session.or_else(|| body["sessions"][0]["workSessionId"].as_str().map(ToOwned::to_owned));
    }
    let session = format!("/api/v2/sessions/{}", session.context("no session is known")?);
    let detail = http::json(server.port, &session)?;
    http::json(server.port, &format!("{session}/flow"))?;
    if let Some(thread) = detail["threads"][0]["threadId"].as_str() {
        http::json(server.port, &format!("{session}/threads/{thread}"))?;
    }
    let seconds = start.elapsed().as_secs_f64();
    server.wait_until_indexed()?;
    Ok((seconds, server.resident_mb()?))
}

/// The control: parses every line as the monitor does and drops the result, on one thread.
fn parse_seconds(files: &[PathBuf]) -> Result<f64> {
    let start = Instant::now();
    let mut piece = Vec::new();
    for file in files {
        let mut reader = BufReader::new(File::open(file)?);
        while reader.by_ref().take(PIECE_BYTES).read_to_end(&mut piece)? > 0 {
            reader.read_until(b'\n', &mut piece)?;
            black_box(parse_lines(&piece, "control", 0));
            piece.clear();
        }
    }
    Ok(start.elapsed().as_secs_f64())
}

/// Processor time of a monitor with a tenth of the events and one live client, while no line arrives.
pub fn idle(setting: &Setting) -> Result<Vec<Figure>> {
    let home = rehearsed(&setting.monitor, setting.events / 10, "idle")?;
    let server = BenchServer::start(&setting.monitor, &home, &[])?;
    server.wait_until_indexed()?;
    let mut client = StreamClient::open(server.port)?;
    std::thread::sleep(SETTLE);
    let before = server.cpu_seconds()?;
    std::thread::sleep(IDLE);
    let percent = (server.cpu_seconds()? - before) / IDLE.as_secs_f64() * 100.0;
    // The client was connected all the time: it receives the next line.
    append(&home, &event(1))?;
    while numbers(&client.frame()?).next().is_none() {}
    Ok(vec![Figure::new("processor time with one open page", percent, "%").noted("of a core, over a minute")])
}
