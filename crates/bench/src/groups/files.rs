//! Benchmark of opened files: logs of 40 and 100 MB that are dropped onto the page of a static host, without a monitor,
//! and a session of 5,000 events that such a page saves as evidence.
//!
//! `e2e/bench/files.mjs` measures each round in Chromium, on one core. The controls are a worker that streams the bytes of
//! the same file and drops them, and a pass of `serde_json` over the lines in this process.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use bench::home::logs;
use serde::Deserialize;
use serde_json::Value;
use xtask::{browser_tests, tree};

use super::{Setting, evidence, prepare_browser};
use crate::figure::{Figure, alternate, short};

const ROUNDS: usize = 3;
/// Bytes of the two logs for each event of the setting: 40 and 100 MB.
const BYTES_PER_EVENT: [u64; 2] = [40, 100];
/// The logs are cut from that of a home with this part of the setting's events, of about 500 bytes each.
const EVENTS_DIVISOR: u64 = 4;

/// One round, as `files.mjs` prints it.
#[derive(Deserialize)]
struct FilesRound {
    log: OpenedLog,
    large: OpenedLog,
    saved: SavedSession,
}

/// A log that the page has read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpenedLog {
    first_card_seconds: f64,
    read_seconds: f64,
    longest_frame_ms: f64,
    events: u64,
    peak_mb: f64,
    control: StreamedLog,
}

/// The same file on the control's page.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StreamedLog {
    read_seconds: f64,
    longest_frame_ms: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SavedSession {
    ndjson_ms: f64,
    markdown_ms: f64,
    control: StreamedLog,
}

pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    prepare_browser()?;
    let folder = tree::target()?.join("bench/files");
    let sizes = BYTES_PER_EVENT.map(|bytes| bytes * setting.events);
    let [log, large] = write_logs(setting, &folder, sizes)?;
    let session = evidence::write_log(&folder.join("session"))?;
    let mut rounds: Vec<FilesRound> = Vec::new();
    let in_browser = || {
        let text = browser_tests::bench("files", &setting.monitor, setting.events, &[&log, &large, &session])?;
        let round: FilesRound = serde_json::from_str(&text).with_context(|| format!("files.mjs printed {text:?}"))?;
        let seconds = round.log.read_seconds;
        rounds.push(round);
        Ok(seconds)
    };
    let all = alternate(ROUNDS, in_browser, || parse_seconds(&log))?;
    let (lines, large_lines) = (count_lines(&log)?, count_lines(&large)?);
    for FilesRound { log, large, .. } in &rounds {
        let events = (log.events, large.events);
        ensure!(events == (lines, large_lines), "the page has {events:?} events of {lines} and {large_lines} lines");
    }

    let [mb, large_mb] = sizes.map(|bytes| bytes as f64 / 1e6);
    let [size, large_size] = [mb, large_mb].map(|mb| format!("{} MB", short(mb)));
    let streamed = |name: &str, unit: &str, pair: fn(&FilesRound) -> (f64, f64)| {
        let pairs: Vec<_> = rounds.iter().map(pair).collect();
        Figure::of_rounds(name, unit, &pairs, "a worker streams the file")
    };
    let peak = |size: &str, mb: f64, of: fn(&FilesRound) -> f64| {
        let pairs: Vec<_> = rounds.iter().map(|round| (of(round), mb)).collect();
        Figure::of_rounds(&format!("peak memory of the page with {size}"), "MB", &pairs, "bytes of the log")
    };
    Ok(vec![
        streamed(&format!("first card of a log of {size}"), "s", |it| {
            (it.log.first_card_seconds, it.log.control.read_seconds)
        }),
        Figure::of_rounds(&format!("all of a log of {size}"), "s", &all, "serde_json, one core"),
        streamed(&format!("all of a log of {large_size}"), "s", |it| {
            (it.large.read_seconds, it.large.control.read_seconds)
        }),
        streamed(&format!("longest frame while {size} are read"), "ms", |it| {
            (it.log.longest_frame_ms, it.log.control.longest_frame_ms)
        }),
        streamed(&format!("longest frame while {large_size} are read"), "ms", |it| {
            (it.large.longest_frame_ms, it.large.control.longest_frame_ms)
        }),
        peak(&size, mb, |it| it.log.peak_mb),
        peak(&large_size, large_mb, |it| it.large.peak_mb),
        streamed("5,000 events saved as NDJSON", "ms", |it| {
            (it.saved.ndjson_ms, it.saved.control.read_seconds * 1000.0)
        }),
        streamed("5,000 events saved as Markdown", "ms", |it| {
            (it.saved.markdown_ms, it.saved.control.read_seconds * 1000.0)
        }),
    ])
}

/// Logs with the newest whole lines of a rehearsed home, of at most these sizes.
fn write_logs(setting: &Setting, folder: &Path, sizes: [u64; 2]) -> Result<[PathBuf; 2]> {
    let (files, bytes) = logs(&setting.home(setting.events / EVENTS_DIVISOR)?)?;
    let mut all = Vec::with_capacity(usize::try_from(bytes)?);
    for file in files {
        all.extend(std::fs::read(file)?);
    }
    let write = |name: &str, size: u64| -> Result<PathBuf> {
        let start = all.len().checked_sub(usize::try_from(size)?).context("the home's log is too small")?;
        let line_end = memchr::memchr(b'\n', &all[start..]).context("no line ends in the log")?;
        evidence::write_live_log(&folder.join(name), &all[start + line_end + 1..])
    };
    Ok([write("log", sizes[0])?, write("large", sizes[1])?])
}

fn count_lines(log: &Path) -> Result<u64> {
    Ok(memchr::memchr_iter(b'\n', &std::fs::read(log)?).count() as u64)
}

/// The control: reads every line as a JSON value and drops it, on one thread.
fn parse_seconds(log: &Path) -> Result<f64> {
    let start = Instant::now();
    let mut reader = BufReader::with_capacity(1 << 20, File::open(log)?);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        black_box(serde_json::from_slice::<Value>(&line)?);
        line.clear();
    }
    Ok(start.elapsed().as_secs_f64())
}
