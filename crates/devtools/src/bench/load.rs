//! Load of the machine during a measurement. A value measured during a build describes the build more than the code.

use std::time::Duration;

use anyhow::{Context, Result};

/// Foreign tasks that run or wait to run, in the middle of a time; above this nothing is judged.
pub const NOISY: f64 = 1.5;
const SAMPLES: u32 = 40;
const SAMPLE_INTERVAL: Duration = Duration::from_millis(50);

/// The load average of the last minute, ours and foreign.
pub fn average() -> Result<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").context("cannot read /proc/loadavg")?;
    text.split(' ').next().and_then(|first| first.parse().ok()).context("/proc/loadavg begins with no number")
}

/// Tasks that run or wait while nothing of ours does, in the middle of two seconds.
pub fn foreign() -> Result<f64> {
    let mut sum = 0.0;
    for _ in 0..SAMPLES {
        std::thread::sleep(SAMPLE_INTERVAL);
        let text = std::fs::read_to_string("/proc/stat").context("cannot read /proc/stat")?;
        let running = running(&text).context("/proc/stat tells of no running tasks")?;
        // The process that reads this is running, too.
        sum += (running - 1.0).max(0.0);
    }
    Ok(sum / f64::from(SAMPLES))
}

fn running(stat: &str) -> Option<f64> {
    stat.lines().find_map(|line| line.strip_prefix("procs_running "))?.trim().parse().ok()
}

/// Processor, cores, memory, system and compiler, in one line.
pub fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        cpu.lines()
            .find_map(|line| line.strip_prefix(name))
            .map_or("?", |rest| rest.trim_start_matches(['\t', ' ', ':']))
    };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let memory = memory
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))
        .and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<f64>().ok());
    let says = |program: &str, word: &str| {
        crate::shell::output(std::process::Command::new(program).arg(word)).unwrap_or_else(|| "?".to_owned())
    };
    format!(
        "{}, {cores} cores, {:.0} GB; Linux {}; {}",
        field("model name"),
        memory.unwrap_or_default() / 1e6,
        says("uname", "-r"),
        says("rustc", "--version")
    )
}

#[cfg(test)]
mod tests {
    use super::{average, foreign, running};

    #[test]
    fn running_processes_are_parsed() {
        assert_eq!(running("ctxt 5\nprocs_running 3\nprocs_blocked 0\n"), Some(3.0));
        assert_eq!(running("ctxt 5\n"), None);
        assert!(average().is_ok() && foreign().is_ok());
    }
}
