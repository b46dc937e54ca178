//! Benchmark of evidence files: `task-monitor export` of a session of 5,000 events, as NDJSON and masked, and `verify` of the
//! file against the log. The control is `task-monitor --version`: the start of the program.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, ensure};
use xtask::tree;

use super::Setting;
use crate::figure::{Figure, alternate, ms};

const EVENTS: usize = 5_000;
const SESSION: &str = "ws_long";
const START_MS: usize = 1_771_500_000_000;
const ROUNDS: usize = 9;

pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    let folder = tree::target()?.join("bench/evidence");
    std::fs::create_dir_all(&folder)?;
    let (log, file) = (folder.join("coordination-events.ndjson"), folder.join("evidence.ndjson"));
    std::fs::write(&log, lines())?;
    let run = |args: &[&str]| timed(&setting.monitor, &log, args);
    let export = ["export", "--session", SESSION, "--output", path(&file)];
    let masked = [&export[..], &["--mask"]].concat();
    let figure = |name: &str, args: &[&str]| -> Result<Figure> {
        let rounds = alternate(ROUNDS, || run(args), || timed_version(&setting.monitor))?;
        Ok(Figure::of_rounds(name, "ms", &rounds, "the same program's --version"))
    };
    let figures = vec![
        figure("masked export of 5,000 events", &masked)?,
        figure("export of 5,000 events", &export)?,
        figure("check of them against the log", &["verify", path(&file)])?,
    ];
    let whole = std::fs::read_to_string(&file)?;
    ensure!(whole.lines().count() == EVENTS + 2, "the file has {} lines", whole.lines().count());
    Ok(figures)
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
