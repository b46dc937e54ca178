//! Command `make bench`: measures the performance goals, most of them together with a control (a baseline for
//! comparison).
//!
//! Results are printed, recorded in `bench/latest.json` and shown in `docs/benchmarks.md`, each goal as met or not met.
//! A goal that is not met does not fail the command. While other programs load the machine, only sizes and counts are
//! judged.
//!
//! Proves (speed): Size, start, memory, delay and each query are measured beside a control and printed beside their
//! goals.
#![allow(clippy::print_stdout, reason = "a command line driver talks to its user on stdout")]
#![allow(unreachable_pub, reason = "a binary: nothing is reachable from outside")]

mod figure;
mod goals;
mod groups;
mod latest;

use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use bench::server::proc_number;
use xtask::{shell, tree};

use self::groups::{BenchGroup, GROUPS, Setting};
use self::latest::{GroupRun, Latest};

/// As in the monitor, whose core some groups run in this program.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The size that the goals speak of.
const EVENTS: u64 = 1_000_000;
/// Foreign tasks that run or wait to run, on average; above this no time is judged.
const NOISY: f64 = 1.5;

const USAGE: &str = "\
usage: cargo run --release -p bench -- [GROUP...]
       --events N   another size: printed, not recorded
       --page       only make the generated parts of docs/benchmarks.md from the record";

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let args = BenchArgs::read(&words)?;
    let mut latest = Latest::read()?;
    if args.page {
        return latest.write();
    }
    let setting = Setting::new(args.events)?;
    let mut failed = Vec::new();
    for group in GROUPS.iter().filter(|group| args.names.is_empty() || args.names.iter().any(|it| it == group.name)) {
        shell::say(&format!("{}: {}", group.name, group.about));
        match measured(group, &setting) {
            Ok(run) => {
                println!("\n{}", run.table());
                if args.events == EVENTS {
                    latest.put(run);
                    latest.write()?;
                }
            }
            Err(error) => {
                shell::say(&format!("{}: could not be measured: {error:#}", group.name));
                failed.push(group.name);
            }
        }
    }
    if failed.is_empty() { Ok(()) } else { bail!("not measured: {}", failed.join(", ")) }
}

struct BenchArgs {
    /// Groups to measure; none means all.
    names: Vec<String>,
    events: u64,
    page: bool,
}

impl BenchArgs {
    fn read(words: &[String]) -> Result<Self> {
        let mut args = Self { names: Vec::new(), events: EVENTS, page: false };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--events" => {
                    let number = words.next().and_then(|number| number.parse().ok()).filter(|number| *number >= 10_000);
                    args.events = number.context("--events needs a whole number, 10000 at least")?;
                }
                "--page" => args.page = true,
                name if groups::names().contains(&name) => args.names.push(name.to_owned()),
                other => bail!("unknown group {other:?}\n{USAGE}\ngroups: {}", groups::names().join(", ")),
            }
        }
        Ok(args)
    }
}

fn measured(group: &BenchGroup, setting: &Setting) -> Result<GroupRun> {
    let before = foreign_tasks()?;
    let figures = (group.work)(setting)?;
    let is_missing = |name: &&str| figures.iter().all(|figure| figure.name != **name);
    if let Some(name) = goals::expected(group.name).iter().find(|name| setting.events == EVENTS && is_missing(name)) {
        bail!("no figure has the name {name:?}, which goals.rs expects");
    }
    Ok(GroupRun {
        name: group.name.to_owned(),
        events: setting.events,
        commit: commit(),
        machine: machine(),
        noisy: before.max(foreign_tasks()?) > NOISY,
        figures,
    })
}

/// Tasks that run or wait while nothing of ours does, on average over two seconds. A value measured during a build
/// describes the build more than the code.
fn foreign_tasks() -> Result<f64> {
    let sample = |_| {
        std::thread::sleep(Duration::from_millis(50));
        // The process that reads this is running, too.
        Ok((proc_number("stat", "procs_running ")? - 1.0).max(0.0))
    };
    Ok((0..40).map(sample).sum::<Result<f64>>()? / 40.0)
}

/// Processor, cores, memory, system and compiler, in one line.
fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or("?");
    let model = model.trim_start_matches(['\t', ' ', ':']);
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let gigabytes = proc_number("meminfo", "MemTotal:").unwrap_or_default() / 1e6;
    let version = |program: &str, word: &str| shell::output(Command::new(program).arg(word)).unwrap_or_default();
    let (system, compiler) = (version("uname", "-r"), version("rustc", "--version"));
    format!("{model}, {cores} cores, {gigabytes:.0} GB; Linux {system}; {compiler}")
}

/// The tree's commit; `+` when something in it is not committed, the record itself and its page aside.
fn commit() -> String {
    let git = |words: &[&str]| shell::output(Command::new("git").current_dir(tree::root()).args(words));
    let Some(name) = git(&["rev-parse", "--short", "HEAD"]) else { return "unknown".to_owned() };
    let status = git(&["status", "--porcelain", "--", ".", ":!bench/latest.json", ":!docs/benchmarks.md"]);
    if status.is_some_and(|text| text.is_empty()) { name } else { format!("{name}+") }
}

#[cfg(test)]
mod tests {
    use super::BenchArgs;

    #[test]
    fn groups_are_chosen_by_name_unknown_names_fail() {
        let read = |words: &str| BenchArgs::read(&words.split(' ').map(ToOwned::to_owned).collect::<Vec<String>>());
        let some = read("cold --events 20000 search").expect("two groups");
        assert_eq!((some.events, some.names.join(" ")), (20_000, "cold search".to_owned()));
        for wrong in ["coldest", "--events", "--events many", "--events 0"] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}
