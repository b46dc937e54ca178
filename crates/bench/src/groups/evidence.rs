//! Benchmark of evidence files: `task-monitor export` of a session of 5,000 events, as NDJSON and masked, and `verify` of the
//! file against the log; the same session as an HTML page of a running monitor.
//!
//! The control of the commands is `task-monitor --version`: the start of the program. That of the page is the NDJSON of the
//! same monitor.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, ensure};
use bench::http;
use bench::server::BenchServer;
use xtask::{browser_tests, tree};

use super::{Setting, bundle};
use crate::figure::{Figure, alternate, ms};

const EVENTS: usize = 5_000;
const SESSION: &str = "ws_long";
const START_MS: usize = 1_771_500_000_000;
const ROUNDS: usize = 9;

pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    let folder = tree::target()?.join("bench/evidence");
    let (log, file) = (write_log(&folder)?, folder.join("evidence.ndjson"));
    let run = |args: &[&str]| timed(&setting.monitor, &log, args);
    let export = ["export", "--session", SESSION, "--output", path(&file)];
    let masked = [&export[..], &["--mask"]].concat();
    let figure = |name: &str, args: &[&str]| -> Result<Figure> {
        let rounds = alternate(ROUNDS, || run(args), || timed_version(&setting.monitor))?;
        Ok(Figure::of_rounds(name, "ms", &rounds, "the same program's --version"))
    };
    let mut figures = vec![
        figure("masked export of 5,000 events", &masked)?,
        figure("export of 5,000 events", &export)?,
        figure("check of them against the log", &["verify", path(&file)])?,
    ];
    let whole = std::fs::read_to_string(&file)?;
    ensure!(whole.lines().count() == EVENTS + 2, "the file has {} lines", whole.lines().count());
    figures.push(html_page(setting, &folder)?);
    Ok(figures)
}

/// The session as an HTML page of a running monitor.
fn html_page(setting: &Setting, folder: &Path) -> Result<Figure> {
    bundle()?;
    let (home, dashboard) = (folder.join(".openclaw"), browser_tests::release_bundle());
    write_log(&home.join("logs"))?;
    let server = BenchServer::start(&setting.monitor, &home, &["--bundle", path(&dashboard)])?;
    let took = |format: &str| -> Result<f64> {
        let answer = http::get(server.port, &format!("/api/v2/evidence?session={SESSION}&format={format}"))?;
        ensure!(answer.status == 200, "the monitor answers {} for {format}", answer.status);
        Ok(ms(answer.took))
    };
    let rounds = alternate(ROUNDS, || took("html"), || took("ndjson"))?;
    Ok(Figure::of_rounds("HTML page of 5,000 events", "ms", &rounds, "NDJSON of the same monitor"))
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap_or_default()
}

fn timed(monitor: &Path, log: &Path, args: &[&str]) -> Result<f64> {
    let start = Instant::now();
    let status =
        Command::new(monitor).args(args).arg("--log").arg(log).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    ensure!(status.success(), "{args:?} ended with {status}");
    Ok(ms(start.elapsed()))
}

fn timed_version(monitor: &Path) -> Result<f64> {
    let start = Instant::now();
    Command::new(monitor).arg("--version").stdout(Stdio::null()).status()?;
    Ok(ms(start.elapsed()))
}

/// Writes the log of the session into a folder.
pub(super) fn write_log(folder: &Path) -> Result<PathBuf> {
    write_live_log(folder, lines().as_bytes())
}

/// Writes a log under the name of the live one.
pub(super) fn write_live_log(folder: &Path, bytes: &[u8]) -> Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let log = folder.join("coordination-events.ndjson");
    std::fs::write(&log, bytes)?;
    Ok(log)
}

/// Requests and answers of one session, in fifty threads.
fn lines() -> String {
    let mut text = String::new();
    for number in 0..EVENTS {
        let (kind, from, to) = if number % 2 == 0 { ("send", "eden", "seum") } else { ("response", "seum", "eden") };
        let (conversation, at) = (number / 2 % 50, START_MS + number * 10_000);
        let data = format!(
            r#""fromAgent":"{from}","toAgent":"{to}","conversationId":"c{conversation}","workSessionId":"{SESSION}","eventRole":"conversation.main","message":"배포 상태 확인 부탁드립니다. 담당자는 ops@example.com 입니다.""#
        );
        // Writing to a string cannot fail.
        writeln!(text, r#"{{"type":"a2a.{kind}","agentId":"{from}","ts":{at},"data":{{{data}}}}}"#).unwrap_or_default();
    }
    text
}
