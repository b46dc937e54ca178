//! `make bench`: the measured goals, printed beside what was measured. Nothing here passes or fails.

pub mod classify;
pub mod fanout;
pub mod http;
pub mod live;
mod pure;
pub mod queries;
pub mod server;
mod stream;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::json;

use self::server::Server;
use crate::{bundle, setup, shell, size, tree};

const APPENDS: usize = 300;
/// Without the watcher each append waits for the look of that second.
const UNWATCHED_APPENDS: usize = 100;
const COLD_STARTS: usize = 5;
const LOAD: u32 = 200;
const LOAD_TIME: Duration = Duration::from_secs(60);

/// Measures size, cold start, questions, memory, and append → frame.
pub fn run(events: u64) -> Result<()> {
    let mut table = Vec::new();
    if !bundle::dist().join("index.html").is_file() {
        bundle::build(&setup::for_bundle()?)?;
    }
    let (_, packed) = size::total(&size::first_load(&bundle::dist())?);
    table.push(row("first load (brotli)", &format!("{:.1} KB", packed as f64 / 1000.0), "≤ 260 KB"));

    shell::say("records through both classifiers");
    table.extend(classify::rows()?);
    let monitor = release_monitor()?;
    let home = rehearsed(&monitor, events)?;
    shell::say(&format!("{COLD_STARTS} cold starts with {events} events"));
    let mut starts = Vec::new();
    for _ in 0..COLD_STARTS {
        let start = Instant::now();
        let server = Server::start(&monitor, &home)?;
        server.wait_until_read(Duration::from_secs(120))?;
        let answer = http::get(server.port, "/api/v2/sessions?limit=50")?;
        if answer.status != 200 {
            bail!("the sessions query answered {}", answer.status);
        }
        starts.push(start.elapsed());
    }
    table.push(row("cold start to first answer, p50", &ms(percentile(&mut starts, 50)), "≤ 1000 ms"));

    let server = Server::start(&monitor, &home)?;
    server.wait_until_read(Duration::from_secs(120))?;
    table.push(row("resident memory", &format!("{} MB", server.resident_kb()? / 1000), "≤ 200 MB"));
    shell::say("questions, each in turn with a control");
    table.extend(queries::rows(server.port)?);

    let after = format!("{} MB", server.resident_kb()? / 1000);
    table.push(row("resident memory after the questions", &after, ""));

    shell::say(&format!("{APPENDS} appends, each timed until its frame is on the socket"));
    let mut delays = live::append_to_frame(server.port, &home, 0, APPENDS)?;
    table.push(row("append → frame, p50", &ms(percentile(&mut delays, 50)), ""));
    table.push(row("append → frame, p99", &ms(percentile(&mut delays, 99)), "≤ 50 ms"));
    shell::say(&format!("{LOAD} appends a second for {} s", LOAD_TIME.as_secs()));
    let mut delays = live::under_load(server.port, &home, APPENDS as u64, LOAD, LOAD_TIME)?;
    table.push(row("the same at 200 appends/s, p50", &ms(percentile(&mut delays, 50)), ""));
    table.push(row("the same at 200 appends/s, p99", &ms(percentile(&mut delays, 99)), "≤ 250 ms"));

    drop(server);
    table.extend(unwatched(&monitor, &home)?);

    table.extend(pure::rows()?);

    println!("\n{:<34} {:>28}   goal", format!("at {events} events"), "measured");
    for [name, measured, goal] in &table {
        println!("{name:<34} {measured:>28}   {goal}");
    }
    Ok(())
}

/// Append → frame where the system tells of no change: the monitor then looks once a second.
fn unwatched(monitor: &Path, home: &Path) -> Result<[[String; 3]; 2]> {
    let server = Server::start_with(monitor, home, &["--watcher", "off"])?;
    server.wait_until_read(Duration::from_secs(120))?;
    shell::say(&format!("{UNWATCHED_APPENDS} appends without the watcher"));
    // Numbers that no earlier line bears.
    let mut delays = live::append_to_frame(server.port, home, 1_000_000, UNWATCHED_APPENDS)?;
    Ok([
        row("the same with the watcher off, p50", &ms(percentile(&mut delays, 50)), ""),
        row("the same with the watcher off, p99", &ms(percentile(&mut delays, 99)), "≤ 1200 ms"),
    ])
}

/// An ordinary line of talk that a reader will find again by its number.
pub fn event(number: u64) -> String {
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_millis());
    let body = json!({
        "type": if number.is_multiple_of(2) { "a2a.send" } else { "a2a.response" },
        "agentId": "eden",
        "ts": u64::try_from(now).unwrap_or_default(),
        "data": {
            "fromAgent": "eden", "toAgent": "seum", "eventRole": "conversation.main",
            "conversationId": format!("bench-{}", number / 20), "workSessionId": format!("ws_bench-{}", number / 100),
            "message": format!("배포 상태를 확인해 주세요. bench-marker-{number}-end")
        }
    });
    body.to_string()
}

pub fn release_monitor() -> Result<PathBuf> {
    shell::say("building task-monitor (release)");
    shell::run(shell::cargo().args(["build", "--release", "-p", "task-monitor"]))?;
    Ok(tree::target()?.join("release/task-monitor"))
}

/// A fresh home with that many events, in a folder really named `.openclaw`.
pub fn rehearsed(monitor: &Path, events: u64) -> Result<PathBuf> {
    let home = tree::target()?.join("bench/.openclaw");
    if home.exists() {
        std::fs::remove_dir_all(&home).with_context(|| format!("cannot clear {}", home.display()))?;
    }
    std::fs::create_dir_all(&home)?;
    shell::say(&format!("rehearsing a home of {events} events"));
    let mut rehearse = std::process::Command::new(monitor);
    shell::run(rehearse.arg("rehearse").arg(&home).args(["--events", &events.to_string(), "--seed", "7"]))?;
    Ok(home)
}

fn row(name: &str, measured: &str, goal: &str) -> [String; 3] {
    [name.to_owned(), measured.to_owned(), goal.to_owned()]
}

fn ms(duration: Duration) -> String {
    format!("{:.2} ms", duration.as_secs_f64() * 1000.0)
}

/// The value at or below which `percent` of all values lie.
fn percentile(values: &mut [Duration], percent: usize) -> Duration {
    values.sort_unstable();
    let at = (values.len() * percent).div_ceil(100).saturating_sub(1);
    values.get(at).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{event, percentile};

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let mut values: Vec<Duration> = (1..=100).rev().map(Duration::from_millis).collect();
        assert_eq!(percentile(&mut values, 50), Duration::from_millis(50));
        assert_eq!(percentile(&mut values, 99), Duration::from_millis(99));
        assert_eq!(percentile(&mut [], 50), Duration::ZERO);
    }

    #[test]
    fn each_appended_line_is_one_line_with_its_own_mark() {
        assert!(!event(3).contains('\n'));
        assert!(event(3).contains("bench-marker-3-end"));
    }
}
