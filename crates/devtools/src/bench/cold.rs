//! Benchmark of the cold start on a long history, until every view answers (goals G1 and G13 of `docs/benchmarks.md`).
//! The control only parses the same bytes with the same reader on one thread. Memory is measured too.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::figure::{Bound, Figure, PairedRounds};
use super::http;
use super::server::BenchServer;
use super::setting::{ROUNDS, Setting, logs};
use crate::shell;

/// Longer than any load takes.
const READ_TIMEOUT: Duration = Duration::from_secs(600);
/// First requests of the dashboard's pages. The search is requested separately: an older monitor may not have it.
const VIEWS: [&str; 7] = [
    "/api/v2/home",
    "/api/v2/sessions?limit=50",
    "/api/v2/events?limit=100",
    "/api/v2/tasks?limit=100",
    "/api/v2/agents",
    "/api/v2/quality",
    "/api/v2/delegations",
];

/// One core, two cores, memory.
pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    let home = setting.home(setting.events)?;
    let (files, bytes) = logs(&home)?;
    let lines = seconds(&setting.pass(&["lines"], &files, &[])?)?;
    // Once unmeasured: all bytes are in memory from then on.
    parse_only(setting, &files)?;
    let rate = |seconds: f64| setting.events as f64 / seconds;
    shell::say(&format!("{ROUNDS} cold loads on one core, then on all, each beside a pass that only parses"));
    let mut after = StartFigures::default();
    let one =
        PairedRounds::run(ROUNDS, || loaded(setting, &home, Some("0"), &mut after), || parse_only(setting, &files))?;
    let all = PairedRounds::run(ROUNDS, || loaded(setting, &home, None, &mut after), || parse_only(setting, &files))?;
    let one = Figure::best("cold load on one core, start to all views", "s", &one, "parse only");
    let all = Figure::best("the same on two cores", "s", &all, "parse only, one core");
    let parsed = one.control.as_ref().map_or(f64::NAN, |control| control.value);
    let loaded = one.value.unwrap_or(f64::NAN);
    let in_memory = Figure::new("memory after it, all indexed", after.megabytes, "MB")
        .with_control("bytes of the log", bytes as f64 / 1e6)
        .goal("G13", Bound::RatioAtMost(0.35));
    Ok(vec![
        one.goal("G1", Bound::RatioAtMost(1.5)),
        all.goal("G1", Bound::RatioAtMost(1.0)).noted("wished for beyond the goal"),
        Figure::new("events loaded a second on one core", rate(loaded), "/s")
            .with_control("parse only", rate(parsed))
            .with_goal_name("G1"),
        Figure::new("only looking for ends of lines", lines, "s")
            .with_control("parse only", parsed)
            .with_goal_name("G1"),
        Figure::new("the last start on two cores, to the end of the index", after.indexed, "s").with_goal_name("G1"),
        in_memory,
    ])
}

/// Seconds of a pass that parses, its start included.
fn parse_only(setting: &Setting, files: &[PathBuf]) -> Result<f64> {
    let start = Instant::now();
    setting.pass(&["parse"], files, &[])?;
    Ok(start.elapsed().as_secs_f64())
}

/// Seconds of the pass itself.
fn seconds(lines: &[Value]) -> Result<f64> {
    lines.first().and_then(|line| line["seconds"].as_f64()).context("the pass printed no seconds")
}

/// How a start went on behind the last view's answer.
#[derive(Debug, Default)]
pub struct StartFigures {
    /// Seconds from the start until the search's index covered all.
    pub indexed: f64,
    /// Memory then.
    pub megabytes: f64,
}

/// Seconds from the start to the last view's answer.
pub fn loaded(setting: &Setting, home: &Path, cores: Option<&str>, after: &mut StartFigures) -> Result<f64> {
    let monitor = setting.monitor()?;
    let start = Instant::now();
    let server = BenchServer::start_on(&monitor, home, cores, &[])?;
    server.wait_until_read(READ_TIMEOUT)?;
    all_views(server.port)?;
    let took = start.elapsed().as_secs_f64();
    server.wait_until_indexed(READ_TIMEOUT)?;
    *after = StartFigures {
        indexed: start.elapsed().as_secs_f64(),
        megabytes: server.resident_kb()? as f64 * 1.024 / 1000.0,
    };
    Ok(took)
}

/// Asks what every page asks, and one session, its thread, its flow and a search.
fn all_views(port: u16) -> Result<()> {
    let mut session = None;
    for path in VIEWS {
        let body = answer(port, path)?;
        session = session.or_else(|| body["sessions"][0]["workSessionId"].as_str().map(ToOwned::to_owned));
    }
    let session = session.context("no session is known")?;
    let detail = answer(port, &format!("/api/v2/sessions/{session}"))?;
    answer(port, &format!("/api/v2/sessions/{session}/flow"))?;
    if let Some(thread) = detail["threads"][0]["threadId"].as_str() {
        answer(port, &format!("/api/v2/sessions/{session}/threads/{thread}"))?;
    }
    match http::get(port, "/api/v2/search?q=%EB%B0%B0%ED%8F%AC")?.status {
        // 404: a monitor that has no search yet.
        200 | 404 => Ok(()),
        other => bail!("the search answered {other}"),
    }
}

fn answer(port: u16, path: &str) -> Result<Value> {
    let answer = http::get(port, path)?;
    if answer.status != 200 {
        bail!("{path} answered {}", answer.status);
    }
    serde_json::from_slice(&answer.body).with_context(|| format!("{path} is not JSON"))
}
