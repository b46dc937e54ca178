//! Benchmark of the cold start on a long history, until every view answers (goals G1 and G13 of `docs/benchmarks.md`).
//! The control only parses the same bytes with the same reader on one thread. Memory is measured too.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result};
use bench::home::logs;
use bench::http;
use bench::server::BenchServer;
use xtask::shell;

use crate::figure::{Bound, Figure, alternate};
use crate::setting::{ROUNDS, Setting};

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

/// One core, two cores, memory.
pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    let home = setting.home(setting.events)?;
    let (files, bytes) = logs(&home)?;
    let lines = setting.pass("lines", &files, &[])?;
    let lines = lines.first().and_then(|line| line["seconds"].as_f64()).context("the pass printed no seconds")?;
    // Once unmeasured: all bytes are in memory from then on.
    setting.parse_only(&files)?;
    shell::say(&format!("{ROUNDS} cold loads on one core, then on all, each beside a pass that only parses"));
    let mut after = ColdStart::default();
    let mut loads = |cores| {
        let load = || {
            after = cold_start(setting, &home, cores)?;
            Ok(after.seconds)
        };
        alternate(ROUNDS, load, || setting.parse_only(&files))
    };
    let (one, all) = (loads(Some("0"))?, loads(None)?);
    let one = Figure::best("cold load on one core, start to all views", "s", &one, "parse only");
    let all = Figure::best("the same on two cores", "s", &all, "parse only, one core");
    let parsed = one.control.as_ref().map_or(f64::NAN, |control| control.value);
    let rate = |seconds: f64| setting.events as f64 / seconds;
    let rates = Figure::new("events loaded a second on one core", rate(one.value), "/s");
    Ok(vec![
        one.goal("G1").bound(Bound::RatioAtMost(1.5)),
        all.goal("G1").bound(Bound::RatioAtMost(1.0)).noted("wished for beyond the goal"),
        rates.with_control("parse only", rate(parsed)).goal("G1"),
        Figure::new("only looking for ends of lines", lines, "s").with_control("parse only", parsed).goal("G1"),
        Figure::new("the last start on two cores, to the end of the index", after.indexed, "s").goal("G1"),
        Figure::new("memory after it, all indexed", after.megabytes, "MB")
            .with_control("bytes of the log", bytes as f64 / 1e6)
            .goal("G13")
            .bound(Bound::RatioAtMost(0.35)),
    ])
}

#[derive(Debug, Default)]
pub struct ColdStart {
    /// Seconds from the start to the last view's answer.
    pub seconds: f64,
    /// Seconds from the start until the search index covered all.
    pub indexed: f64,
    /// Memory then.
    pub megabytes: f64,
}

/// Starts a monitor and requests what every page requests, and one session with its flow and its thread.
pub fn cold_start(setting: &Setting, home: &Path, cores: Option<&str>) -> Result<ColdStart> {
    let start = Instant::now();
    let server = BenchServer::start(&setting.monitor, home, cores, &[])?;
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
    Ok(ColdStart { seconds, indexed: start.elapsed().as_secs_f64(), megabytes: server.resident_mb()? })
}
