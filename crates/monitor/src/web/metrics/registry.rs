//! Builder of one answer of `GET /metrics`: a registry of `prometheus-client` that is filled with values and encoded.

use std::sync::atomic::AtomicU64;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet, prometheus_text};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::RequestMetrics;

/// Prefix of all names but those of the process.
const PREFIX: &str = "task_monitor";

type LabelPair = (&'static str, String);

/// Name and word of a label, and the value of its series.
pub(super) type LabelledValue = (&'static str, String, u64);

/// The metrics of one answer.
pub(super) struct Metrics {
    ours: Registry,
    /// Names that the Prometheus documentation gives for every process; they have no prefix.
    process: Registry,
}

impl Metrics {
    pub(super) fn new() -> Self {
        Self { ours: Registry::with_prefix(PREFIX), process: Registry::default() }
    }

    /// A number that goes up and down.
    pub(super) fn gauge(&mut self, name: &str, help: &str, value: u64) {
        let gauge = Gauge::<u64, AtomicU64>::default();
        gauge.set(value);
        self.ours.register(name, help, gauge);
    }

    /// A number that grows until the process ends.
    pub(super) fn counter(&mut self, name: &str, help: &str, value: u64) {
        let counter = Counter::<u64>::default();
        counter.inc_by(value);
        self.ours.register(name, help, counter);
    }

    /// Gauges that differ by one label.
    pub(super) fn labelled(&mut self, name: &str, help: &str, values: impl IntoIterator<Item = LabelledValue>) {
        let family = Family::<[LabelPair; 1], Gauge<u64, AtomicU64>>::default();
        for (label, word, value) in values {
            family.get_or_create(&[(label, word)]).set(value);
        }
        self.ours.register(name, help, family);
    }

    /// Counters that differ by one label.
    pub(super) fn labelled_counter(&mut self, name: &str, help: &str, values: impl IntoIterator<Item = LabelledValue>) {
        let family = Family::<[LabelPair; 1], Counter>::default();
        for (label, word, value) in values {
            family.get_or_create(&[(label, word)]).inc_by(value);
        }
        self.ours.register(name, help, family);
    }

    /// Counters that differ by two labels.
    pub(super) fn labelled_twice(
        &mut self,
        name: &str,
        help: &str,
        values: impl IntoIterator<Item = ([(&'static str, String); 2], u64)>,
    ) {
        let family = Family::<[LabelPair; 2], Counter>::default();
        for (labels, value) in values {
            family.get_or_create(&labels).inc_by(value);
        }
        self.ours.register(name, help, family);
    }

    /// A histogram: upper bounds in seconds, the number in each bucket (one more than bounds), and the sum in
    /// milliseconds.
    pub(super) fn histogram(
        &mut self,
        name: &'static str,
        help: &'static str,
        bounds: &[f64],
        counts: &[u64],
        sum_ms: u64,
    ) {
        let bounds = bounds.iter().copied().chain([f64::INFINITY]);
        let buckets = bounds.zip(counts.iter().copied()).collect();
        self.ours.register_collector(Box::new(FixedHistogram { name, help, buckets, sum: seconds(sum_ms) }));
    }

    /// Durations of requests, measured as they were answered.
    pub(super) fn requests(&mut self, requests: &RequestMetrics) {
        self.ours.register("http_request_duration_seconds", "Time to the head of an answer", requests.family());
    }

    /// A gauge of the process.
    pub(super) fn process_gauge(&mut self, name: &str, help: &str, value: f64) {
        let gauge = Gauge::<f64, AtomicU64>::default();
        gauge.set(value);
        self.process.register(name, help, gauge);
    }

    /// A counter of the process.
    pub(super) fn process_counter(&mut self, name: &str, help: &str, value: f64) {
        let counter = Counter::<f64, AtomicU64>::default();
        counter.inc_by(value);
        self.process.register(name, help, counter);
    }

    /// The text of all metrics.
    ///
    /// # Errors
    /// Never: a string takes every text.
    pub(super) fn encode(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        prometheus_text::encode(&mut text, &self.ours)?;
        prometheus_text::encode(&mut text, &self.process)?;
        Ok(text)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a sum of milliseconds below 2^53")]
fn seconds(ms: u64) -> f64 {
    ms as f64 / 1_000.0
}

/// A histogram that was counted elsewhere.
#[derive(Debug)]
struct FixedHistogram {
    name: &'static str,
    help: &'static str,
    buckets: Vec<(f64, u64)>,
    sum: f64,
}

impl Collector for FixedHistogram {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let mut metric = encoder.encode_descriptor(self.name, self.help, None, MetricType::Histogram)?;
        let count = self.buckets.iter().map(|(_, number)| number).sum();
        metric.encode_histogram::<NoLabelSet>(self.sum, count, &self.buckets, None)
    }
}
