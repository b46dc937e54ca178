//! Load of the machine during a measurement. A value measured during a build describes the build more than the code.

use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use bench::server::proc_number;
use xtask::shell;

/// Foreign tasks that run or wait to run, on average; above this nothing is judged.
pub const NOISY: f64 = 1.5;
const SAMPLES: u32 = 40;
const SAMPLE_INTERVAL: Duration = Duration::from_millis(50);

/// The load average of the last minute, ours and foreign.
pub fn average() -> Result<f64> {
    proc_number("loadavg", "")
}

/// Tasks that run or wait while nothing of ours does, on average over two seconds.
pub fn foreign() -> Result<f64> {
    let mut sum = 0.0;
    for _ in 0..SAMPLES {
        std::thread::sleep(SAMPLE_INTERVAL);
        // The process that reads this is running, too.
        sum += (proc_number("stat", "procs_running ")? - 1.0).max(0.0);
    }
    Ok(sum / f64::from(SAMPLES))
}

/// Processor, cores, memory, system and compiler, in one line.
pub fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or("?");
    let model = model.trim_start_matches(['\t', ' ', ':']);
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let gigabytes = proc_number("meminfo", "MemTotal:").unwrap_or_default() / 1e6;
    let version = |program: &str, word: &str| shell::output(Command::new(program).arg(word));
    let (system, compiler) = (version("uname", "-r"), version("rustc", "--version"));
    let [system, compiler] = [system, compiler].map(|it| it.unwrap_or_else(|| "?".to_owned()));
    format!("{model}, {cores} cores, {gigabytes:.0} GB; Linux {system}; {compiler}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn load_of_this_machine_is_readable() {
        assert!(super::average().is_ok() && super::foreign().is_ok());
    }
}
