//! Benchmarks of `coordination` queries in release mode over a long history, each compared with a tenth of the work.

use anyhow::{Context, Result};

use super::figure::{Bound, Figure};
use super::setting::Setting;
use crate::shell;

/// Each bench with its goal: ten times the work in ten times the time, with room for the processor's caches.
const BENCHES: [(&str, Bound); 2] = [("flow_bench", Bound::RatioAtMost(12.0)), ("drift_bench", Bound::AtMost(20.0))];

/// A flow of 5,000 events, and the drift of 10,000 sessions.
pub fn figures(_: &Setting) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (name, goal) in BENCHES {
        let mut bench = shell::cargo();
        bench.args(["test", "--release", "-q", "-p", "coordination", "--test", "it", name]);
        let output =
            shell::output(bench.args(["--", "--ignored", "--nocapture"])).context("a bench of the core failed")?;
        for line in output.lines().filter_map(|line| line.split_once("bench\t")) {
            let fields: Vec<&str> = line.1.split('\t').collect();
            let [what, measured] = fields.as_slice() else { continue };
            figures.push(figure(what, measured, goal).with_context(|| format!("{name} told {measured:?}"))?);
        }
    }
    Ok(figures)
}

/// Reads `12.34 ms (10.1 × 500 events)`.
fn figure(what: &str, measured: &str, goal: Bound) -> Option<Figure> {
    let (value, rest) = measured.split_once(" ms (")?;
    let (ratio, control) = rest.trim_end_matches(')').split_once(" × ")?;
    let (value, ratio): (f64, f64) = (value.parse().ok()?, ratio.parse().ok()?);
    Some(Figure::new(what, value, "ms").with_control(control, value / ratio).goal("", goal))
}

#[cfg(test)]
mod tests {
    use super::{Bound, figure};

    #[test]
    fn core_bench_output_is_parsed() {
        let read = figure("flow", "12.50 ms (10.0 × 500 events)", Bound::RatioAtMost(12.0)).expect("a figure");
        assert_eq!(
            (read.value, read.met, read.held_against().as_str()),
            (Some(12.5), Some(true), "500 events: 1.25 ms")
        );
        assert_eq!(figure("flow", "12.50 s", Bound::AtMost(1.0)), None);
    }
}
