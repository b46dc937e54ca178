//! Command `make bench`: measures the performance goals, each compared with a control in the same run. Results are
//! printed, recorded in `bench/latest.json` and shown on `docs/benchmarks.md`. No result passes or fails. A result
//! measured under other load is not judged.
//!
//! Proves (speed): Size, start, memory, delay and each query are measured beside a control and printed beside their
//! goals.

mod api;
mod classify;
mod cold;
mod crowd;
mod fanout;
mod figure;
// Waits for the log with inotify.
#[cfg(target_os = "linux")]
mod frames;
mod growth;
mod hook;
pub mod http;
mod ingest;
mod latest;
pub mod live;
mod load;
mod page;
mod pure;
mod queries;
mod rest1;
mod search;
pub mod server;
mod setting;
mod stream;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::json;

use self::figure::{Bound, Figure};
use self::latest::Ran;
use self::setting::Setting;
use crate::{shell, size, tree};

/// The size that the goals speak of.
const EVENTS: u64 = 1_000_000;

/// Figures that are taken together.
struct BenchGroup {
    name: &'static str,
    about: &'static str,
    work: fn(&Setting) -> Result<Vec<Figure>>,
}

const fn group(name: &'static str, about: &'static str, work: fn(&Setting) -> Result<Vec<Figure>>) -> BenchGroup {
    BenchGroup { name, about, work }
}

/// In the order in which they run.
const GROUPS: &[BenchGroup] = &[
    group("size", "bytes of the first load", first_load),
    group("cold", "a start on a long history, to every view's answer", cold::figures),
    group("growth", "what grows with the log, and how fast", growth::figures),
    group("ingest", "events that arrive as fast as they are taken in", ingest::figures),
    #[cfg(target_os = "linux")]
    group("frames", "from a line in the log to its frame on a socket", frames::figures),
    group("api", "answers beside a file of the same size from the same server", api::figures),
    group("questions", "questions beside one that costs next to nothing", queries::figures),
    group("rest1", "lists of REST 1.x beside a file of the same size and a pass over the log", rest1::figures),
    group("search", "every term beside a scan of all bytes", search::figures),
    group("core", "questions over much history in the core itself", pure::figures),
    group("classify", "records a second through both classifiers", classify::figures),
    group("hook", "the command that an agent waits for, beside a program that does nothing", hook::figures),
    group("fanout", "a thousand sockets beside a bare broadcast", fanout::figures),
    group("crowd", "many clients at many events a second, and frozen ones among them", crowd::figures),
    group("pixel", "from a line in the log to the screen", page::pixel),
    group("inp", "from a press to the next picture on a processor four times slower", page::inp),
    group("thread", "a thread of 100,000 messages: opening, wheel, nodes", page::thread),
    group("bubble", "the worst texts, each as one message", page::bubble),
    group("wide", "a flow of 5,000 events and a tree of 10,000 runs", page::wide),
];

/// Runs the groups whose name is one of the words, or all. `--events N` takes another size, `--record` records it all
/// the same, `--monitor FILE` measures another build, `--page` only makes the page of what is recorded.
pub fn run(words: &[String]) -> Result<()> {
    let options = BenchArgs::read(words)?;
    let mut latest = latest::read()?;
    if options.page {
        return latest.write();
    }
    let setting = Setting::new(options.events, options.monitor.clone());
    let order: Vec<&str> = GROUPS.iter().map(|group| group.name).collect();
    let records = options.record || (options.events == EVENTS && options.monitor.is_none());
    let mut failed = Vec::new();
    for group in GROUPS.iter().filter(|group| options.wants(group.name)) {
        shell::say(&format!("{}: {}", group.name, group.about));
        match measured(group, &setting) {
            Ok(ran) => {
                ran.print();
                latest.take(ran, &order);
                if records {
                    latest.write()?;
                }
            }
            Err(error) => {
                shell::say(&format!("{}: could not be measured: {error:#}", group.name));
                failed.push(group.name);
            }
        }
    }
    if !records {
        shell::say(
            "not recorded: not the size, or not the build, that the goals speak of (--record does it all the same)",
        );
    }
    if failed.is_empty() { Ok(()) } else { bail!("not measured: {}", failed.join(", ")) }
}

/// What was asked for on the command line.
#[derive(Debug, Default, PartialEq)]
struct BenchArgs {
    names: Vec<String>,
    events: u64,
    record: bool,
    page: bool,
    monitor: Option<PathBuf>,
}

impl BenchArgs {
    fn read(words: &[String]) -> Result<Self> {
        let mut options = Self { events: EVENTS, ..Self::default() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--events" => {
                    let number = words.next().and_then(|number| number.parse().ok()).filter(|number| *number >= 1_000);
                    options.events = number.context("--events needs a whole number, 1000 at least")?;
                }
                "--monitor" => options.monitor = Some(words.next().context("--monitor needs a file")?.into()),
                "--record" => options.record = true,
                "--page" => options.page = true,
                name if GROUPS.iter().any(|group| group.name == name) => options.names.push(name.to_owned()),
                other => {
                    let names: Vec<&str> = GROUPS.iter().map(|group| group.name).collect();
                    bail!("nothing is called {other:?}; there are: {}", names.join(", "));
                }
            }
        }
        Ok(options)
    }

    fn wants(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|wanted| wanted == name)
    }
}

fn measured(group: &BenchGroup, setting: &Setting) -> Result<Ran> {
    // What is built or written first does not count as the group's own load.
    setting.prepare()?;
    let (before, quiet) = (load::average()?, load::foreign()?);
    let start = Instant::now();
    let figures = (group.work)(setting)?;
    let seconds = start.elapsed().as_secs_f64();
    let (foreign, after) = ([quiet, load::foreign()?], load::average()?);
    Ok(Ran {
        name: group.name.to_owned(),
        about: group.about.to_owned(),
        events: setting.events,
        commit: commit(),
        machine: load::machine(),
        other_build: setting.is_given(),
        load: [before, after],
        foreign,
        noisy: foreign.into_iter().any(|tasks| tasks > load::NOISY),
        seconds,
        figures,
    })
}

/// The tree's commit; `+` when something in it is not committed, the record itself and its page aside.
fn commit() -> String {
    let git = |words: &[&str]| shell::output(Command::new("git").current_dir(tree::root()).args(words));
    let Some(name) = git(&["rev-parse", "--short", "HEAD"]) else { return "unknown".to_owned() };
    let own = [".", ":!bench/latest.json", ":!docs/benchmarks.md"];
    let changed = git(&[&["status", "--porcelain", "--"], &own[..]].concat()).is_none_or(|text| !text.is_empty());
    if changed { format!("{name}+") } else { name }
}

fn first_load(setting: &Setting) -> Result<Vec<Figure>> {
    let parts = size::first_load(&setting.bundle()?)?;
    let (raw, packed) = size::total(&parts);
    let figure =
        Figure::new("first load, brotli", packed as f64 / 1000.0, "KB").with_control("raw", raw as f64 / 1000.0);
    let wished = Figure::new("the same against what is wished for", packed as f64 / 1000.0, "KB");
    Ok(vec![
        figure.goal("G5", Bound::AtMost(size::MAX_FIRST_LOAD_BYTES as f64 / 1000.0)).exact(),
        wished.goal("G5", Bound::AtMost(230.0)).exact().noted("wished for beyond the goal"),
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
    rehearsed_in(monitor, events, "home")
}

/// The same in a folder of its own below `target/bench/`.
fn rehearsed_in(monitor: &Path, events: u64, folder: &str) -> Result<PathBuf> {
    let home = tree::target()?.join(format!("bench/{folder}/.openclaw"));
    if home.exists() {
        std::fs::remove_dir_all(&home).with_context(|| format!("cannot clear {}", home.display()))?;
    }
    std::fs::create_dir_all(&home)?;
    let mut rehearse = Command::new(monitor);
    shell::run_quietly(rehearse.arg("rehearse").arg(&home).args(["--events", &events.to_string(), "--seed", "7"]))?;
    Ok(home)
}

/// Milliseconds.
fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
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

    use super::{BenchArgs, EVENTS, GROUPS, event, percentile};

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let mut values: Vec<Duration> = (1..=100).rev().map(Duration::from_millis).collect();
        assert_eq!(percentile(&mut values, 50), Duration::from_millis(50));
        assert_eq!(percentile(&mut values, 99), Duration::from_millis(99));
        assert_eq!(percentile(&mut [], 50), Duration::ZERO);
    }

    #[test]
    fn each_appended_line_has_its_own_mark() {
        assert!(!event(3).contains('\n'));
        assert!(event(3).contains("bench-marker-3-end"));
    }

    #[test]
    fn groups_are_chosen_by_name_unknown_names_fail() {
        let read = |words: &[&str]| BenchArgs::read(&words.iter().map(|&word| word.into()).collect::<Vec<String>>());
        let all = read(&[]).expect("nothing is fine");
        assert!(all.events == EVENTS && GROUPS.iter().all(|group| all.wants(group.name)));
        let some = read(&["cold", "--events", "20000", "search"]).expect("two groups");
        assert_eq!((some.events, some.wants("cold"), some.wants("api")), (20_000, true, false));
        for wrong in [&["coldest"][..], &["--events"], &["--events", "many"], &["--events", "0"], &["--monitor"]] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}
