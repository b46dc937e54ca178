//! Benchmark of how each cost grows with the log: at a hundredth, a tenth and all of it. The fitted exponent is
//! reported; 1 means in proportion.

use std::time::Instant;

use anyhow::Result;
use bench::home::logs;
use bench::http;
use bench::server::BenchServer;

use super::cold::cold_start;
use crate::figure::{Bound, Figure, percentile, short};
use crate::setting::Setting;

const REQUESTS: usize = 30;
const LOADS: usize = 3;
/// Divisors of the log.
const SHARES: [u64; 3] = [100, 10, 1];
/// In proportion, with room for what does not fit a straight line.
const MAX_EXPONENT: f64 = 1.05;

const QUERIES: [(&str, &str); 7] = [
    ("home", "/api/v2/home"),
    ("sessions, first page", "/api/v2/sessions?limit=50"),
    ("sessions with 배포", "/api/v2/sessions?limit=50&q=%EB%B0%B0%ED%8F%AC"),
    ("events, first page", "/api/v2/events?limit=100"),
    ("tasks, first page", "/api/v2/tasks?limit=100"),
    ("quality", "/api/v2/quality"),
    ("search for 배포", "/api/v2/search?q=%EB%B0%B0%ED%8F%AC"),
];

/// A figure a cost: how it grew, with its values.
pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    let mut costs = vec![("cold load", "s", Vec::new()), ("memory after it", "MB", Vec::new())];
    costs.extend(QUERIES.map(|(name, _)| (name, "ms", Vec::new())));
    let mut bytes = Vec::new();
    for share in SHARES {
        let home = setting.home((setting.events / share).max(100))?;
        bytes.push(logs(&home)?.1 as f64);
        let starts = (0..LOADS).map(|_| cold_start(setting, &home, None)).collect::<Result<Vec<_>>>()?;
        let mut measured = vec![
            starts.iter().map(|start| start.seconds).fold(f64::INFINITY, f64::min),
            starts.last().map_or(f64::NAN, |start| start.megabytes),
        ];
        let server = BenchServer::start(&setting.monitor, &home, None, &[])?;
        server.wait_until_indexed()?;
        for (_, path) in QUERIES {
            measured.push(median_ms(server.port, path)?);
        }
        costs.iter_mut().zip(measured).for_each(|(cost, value)| cost.2.push(value));
    }
    Ok(costs.into_iter().map(|(name, unit, values)| figure(name, unit, &values, &bytes)).collect())
}

fn median_ms(port: u16, path: &str) -> Result<f64> {
    let mut times = Vec::new();
    for _ in 0..REQUESTS {
        let start = Instant::now();
        http::json(port, &http::uncached_path(path))?;
        times.push(start.elapsed());
    }
    Ok(percentile(&times, 50))
}

fn figure(name: &str, unit: &str, values: &[f64], bytes: &[f64]) -> Figure {
    let shown: Vec<String> = values.iter().map(|value| format!("{} {unit}", short(*value))).collect();
    Figure::new(&format!("{name}: exponent over the log's bytes"), exponent(bytes, values), "")
        .goal("growth")
        .bound(Bound::AtMost(MAX_EXPONENT))
        .noted(&format!("at a hundredth, a tenth and all: {}", shown.join(", ")))
}

/// The slope of the straight line nearest to the logarithms (least squares).
fn exponent(sizes: &[f64], costs: &[f64]) -> f64 {
    let points: Vec<(f64, f64)> =
        sizes.iter().zip(costs).map(|(size, cost)| (size.ln(), cost.max(f64::MIN_POSITIVE).ln())).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let over = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>();
    over / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::{exponent, figure};

    #[test]
    fn exponent_matches_known_growth() {
        let sizes = [1e4, 1e5, 1e6];
        for (costs, wanted) in [([3.0, 3.0, 3.0], 0.0), ([1.0, 10.0, 100.0], 1.0), ([1.0, 100.0, 10_000.0], 2.0)] {
            assert!((exponent(&sizes, &costs) - wanted).abs() < 1e-9, "{costs:?}");
        }
        assert_eq!(figure("a", "ms", &[1.0, 10.0, 200.0], &sizes).met, Some(false));
        assert_eq!(figure("a", "ms", &[1.0, 10.0, 90.0], &sizes).met, Some(true));
    }
}
