//! Metrics of the process, by the names that Prometheus gives them for every program: processor time, memory, open files
//! and the start. Memory and open files come from `/proc`; on a system without it, they are left out.

use std::fs;
use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};

use super::registry::Metrics;

/// Time of the first use. [`note_start`] makes it the start of the server.
static START: LazyLock<SystemTime> = LazyLock::new(SystemTime::now);

/// Notes when the process started.
pub(in crate::web) fn note_start() {
    LazyLock::force(&START);
}

/// Adds the metrics of this process.
pub(super) fn add(metrics: &mut Metrics) {
    let start = START.duration_since(UNIX_EPOCH).unwrap_or_default();
    let help = "Start time of the process since unix epoch in seconds";
    metrics.process_gauge("process_start_time_seconds", help, start.as_secs_f64());
    let cpu = clock_gettime(ClockId::ProcessCPUTime);
    let help = "Total user and system CPU time spent in seconds";
    metrics.process_counter("process_cpu_seconds", help, seconds(cpu.tv_sec, cpu.tv_nsec));
    if let Some(bytes) = resident_bytes() {
        metrics.process_gauge("process_resident_memory_bytes", "Resident memory size in bytes", bytes);
    }
    if let Ok(files) = fs::read_dir("/proc/self/fd") {
        metrics.process_gauge("process_open_fds", "Number of open file descriptors", number(files.count() as u64));
    }
    if let Some(most) = getrlimit(Resource::Nofile).current {
        metrics.process_gauge("process_max_fds", "Maximum number of open file descriptors", number(most));
    }
}

fn resident_bytes() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(number(kib * 1024))
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn seconds(whole: i64, nanos: i64) -> f64 {
    whole as f64 + nanos as f64 / 1e9
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn number(value: u64) -> f64 {
    value as f64
}
