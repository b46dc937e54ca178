//! Benchmark of how each cost grows with the log: at a hundredth, a tenth and all of it. The fitted exponent is
//! reported; 1 means in proportion.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::figure::{Bound, Figure, short};
use super::server::BenchServer;
use super::setting::{Setting, logs};
use super::{cold, http, ms, percentile};

const REQUESTS: usize = 30;
/// Smallest share of the log.
const SHARES: [u64; 3] = [100, 10, 1];
/// In proportion, with room for what does not fit a straight line.
const MAX_EXPONENT: f64 = 1.05;
const READ_TIMEOUT: Duration = Duration::from_secs(600);

const QUERIES: [(&str, &str); 7] = [
    ("home", "/api/v2/home"),
    ("sessions, first page", "/api/v2/sessions?limit=50"),
    ("sessions with 배포", "/api/v2/sessions?limit=50&q=%EB%B0%B0%ED%8F%AC"),
    ("events, first page", "/api/v2/events?limit=100"),
    ("tasks, first page", "/api/v2/tasks?limit=100"),
    ("quality", "/api/v2/quality"),
    ("search for 배포", "/api/v2/search?q=%EB%B0%B0%ED%8F%AC"),
];

/// A figure a cost: the largest log's, and how it grew.
pub fn figures(setting: &Setting) -> Result<Vec<Figure>> {
    let mut costs: Vec<(&str, &str, Vec<Option<f64>>)> =
        vec![("cold load", "s", Vec::new()), ("memory after it", "MB", Vec::new())];
    costs.extend(QUERIES.map(|(name, _)| (name, "ms", Vec::new())));
    let mut bytes = Vec::new();
    for share in SHARES {
        let home = setting.home((setting.events / share).max(100))?;
        bytes.push(logs(&home)?.1 as f64);
        let mut after = cold::StartFigures::default();
        let mut best = f64::INFINITY;
        for _ in 0..3 {
            best = best.min(cold::loaded(setting, &home, None, &mut after)?);
        }
        let mut measured = vec![Some(best), Some(after.megabytes)];
        let server = BenchServer::start(&setting.monitor()?, &home)?;
        server.wait_until_read(READ_TIMEOUT)?;
        server.wait_until_indexed(READ_TIMEOUT)?;
        for (_, path) in QUERIES {
            measured.push(middle(server.port, path)?);
        }
        costs.iter_mut().zip(measured).for_each(|(cost, value)| cost.2.push(value));
    }
    Ok(costs.into_iter().map(|(name, unit, values)| figure(name, unit, &values, &bytes)).collect())
}

/// Milliseconds in the middle; nothing when the monitor does not know the question.
fn middle(port: u16, path: &str) -> Result<Option<f64>> {
    let mut times = Vec::new();
    for _ in 0..REQUESTS {
        let start = Instant::now();
        match http::get(port, &http::uncached_path(path))?.status {
            200 => times.push(start.elapsed()),
            404 => return Ok(None),
            other => bail!("{path} answered {other}"),
        }
    }
    Ok(Some(ms(percentile(&mut times, 50))))
}

fn figure(name: &str, unit: &str, values: &[Option<f64>], bytes: &[f64]) -> Figure {
    let title = format!("{name}: exponent over the log's bytes");
    let Some(values) = values.iter().copied().collect::<Option<Vec<f64>>>() else {
        return Figure::missing(&title, "", "the monitor does not know the question")
            .goal("growth", Bound::AtMost(MAX_EXPONENT));
    };
    let formatted: Vec<String> = values.iter().map(|value| format!("{} {unit}", short(*value))).collect();
    let note = format!("at a hundredth, a tenth and all: {}", formatted.join(", "));
    Figure::new(&title, exponent(bytes, &values), "").goal("growth", Bound::AtMost(MAX_EXPONENT)).noted(&note)
}

/// The slope of the straight line nearest to the logarithms (least squares).
fn exponent(sizes: &[f64], costs: &[f64]) -> f64 {
    let points: Vec<(f64, f64)> =
        sizes.iter().zip(costs).map(|(size, cost)| (size.ln(), cost.max(f64::MIN_POSITIVE).ln())).collect();
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
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
        assert_eq!(figure("a", "ms", &[Some(1.0), Some(10.0), Some(200.0)], &sizes).met, Some(false));
        assert_eq!(figure("a", "ms", &[Some(1.0), Some(10.0), Some(90.0)], &sizes).met, Some(true));
        assert_eq!(figure("a", "ms", &[Some(1.0), None, None], &sizes).met, Some(false));
    }
}
