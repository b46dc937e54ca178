//! Benchmark of past moments: home at the first moment that is asked for, in the middle of a history of a tenth of the
//! events, at random ones, and at ones a minute apart, as a slider or a playback asks for it; and the memory that the hubs
//! of the past take. The control is home of the present from the same server.

use anyhow::{Context as _, Result, ensure};
use bench::http::{self, KeepAlive};
use bench::server::BenchServer;
use serde_json::Value;

use super::Setting;
use crate::figure::{Figure, percentile};

/// Moments of each figure.
const MOMENTS: u64 = 100;
const MINUTE_MS: u64 = 60_000;

pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    let home = setting.home(setting.events / 10)?;
    let server = BenchServer::start(&setting.monitor, &home, &[])?;
    server.wait_until_indexed()?;
    let port = server.port;
    let days = http::json(port, "/api/v2/days")?;
    let time = |name: &str| days[name].as_u64().with_context(|| format!("the days have no {name}"));
    let (first, last) = (time("first")?, time("last")?);
    let before = server.resident_mb()?;
    let mut asker = MomentAsker(KeepAlive::open(port)?);
    let middle = first + (last - first) / 2;
    let opening = asker.ask(middle)?;
    let count = events_of(&asker.get(&format!("/api/v2/recap?since=0&at={last}"))?)?;
    ensure!(count * 10 > setting.events * 9 / 10, "the last moment knows {count} events");
    let mut random = Random(7);
    let anywhere = (0..MOMENTS).map(|_| asker.ask(first + random.below(last - first))).collect::<Result<Vec<_>>>()?;
    let steps = |from: u64, asker: &mut MomentAsker, back: bool| {
        let moments = (0..MOMENTS).map(|step| if back { from - step * MINUTE_MS } else { from + step * MINUTE_MS });
        moments.map(|at| asker.ask(at)).collect::<Result<Vec<_>>>()
    };
    let (forward, backward) = (steps(middle, &mut asker, false)?, steps(middle, &mut asker, true)?);
    let mut present = Vec::new();
    for _ in 0..MOMENTS {
        present.push(asker.0.get(&http::uncached_path("/api/v2/home"), "")?.took);
    }
    let figure = |name: &str, times: &[std::time::Duration], percent: usize| {
        Figure::new(name, percentile(times, percent), "ms").control("home now", percentile(&present, percent))
    };
    Ok(vec![
        figure("a moment of 100,000 events, p50", &anywhere, 50),
        figure("a moment of 100,000 events, p95", &anywhere, 95),
        figure("a minute forward, p95", &forward, 95),
        figure("a minute back, p95", &backward, 95),
        figure("the first moment", &[opening], 50),
        Figure::new("memory for past moments", server.resident_mb()? - before, "MB")
            .noted("released after ten minutes without a question"),
    ])
}

/// A client that asks for home at a moment.
struct MomentAsker(KeepAlive);

impl MomentAsker {
    fn ask(&mut self, at: u64) -> Result<std::time::Duration> {
        let answer = self.0.get(&format!("/api/v2/home?at={at}"), "")?;
        ensure!(answer.status == 200, "home at {at}: {}", answer.status);
        ensure!(answer.json()?["now"].as_u64() == Some(at), "home at {at} is of another moment");
        Ok(answer.took)
    }

    fn get(&mut self, path: &str) -> Result<Value> {
        self.0.get(path, "")?.json()
    }
}

fn events_of(recap: &Value) -> Result<u64> {
    recap["events"].as_u64().context("the recap has no events")
}

/// The same numbers for the same seed (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end.max(1)
    }
}
