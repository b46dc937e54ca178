//! Command `make bench`: measures the performance goals, each compared with a control in the same run. Results are
//! printed, recorded in `bench/latest.json` and shown on `docs/benchmarks.md`. No result passes or fails. A result
//! measured under other load is not judged.
//!
//! Proves (speed): Size, start, memory, delay and each query are measured beside a control and printed beside their
//! goals.
#![allow(clippy::print_stdout, reason = "a command line driver talks to its user on stdout")]
#![allow(unreachable_pub, reason = "a binary: nothing is reachable from outside")]

mod figure;
mod groups;
mod latest;
mod load;
mod setting;

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use xtask::{shell, tree};

use self::groups::{BenchGroup, GROUPS};
use self::latest::{GroupRun, Latest};
use self::setting::Setting;

/// The size that the goals speak of.
const EVENTS: u64 = 1_000_000;

const USAGE: &str = "\
usage: cargo run --release -p bench -- [OPTIONS] [GROUP...]

  --events N        another size: not recorded without --record
  --monitor FILE    another build of the monitor: not recorded without --record
  --record          record it all the same
  --page            only make the tables of docs/benchmarks.md from the record";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match BenchArgs::read(&words).and_then(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: BenchArgs) -> Result<()> {
    let names = groups::names();
    let mut latest = Latest::read(&names)?;
    if args.page {
        return latest.write();
    }
    let records = args.record || (args.events == EVENTS && args.monitor.is_none());
    let setting = Setting::new(args.events, args.monitor)?;
    let mut failed = Vec::new();
    for group in GROUPS.iter().filter(|group| args.names.is_empty() || args.names.iter().any(|it| it == group.name)) {
        shell::say(&format!("{}: {}", group.name, group.about));
        match measured(group, &setting) {
            Ok(run) => {
                run.print();
                latest.take(run, &names);
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
        shell::say("not recorded: not the size, or not the build, that the goals speak of (--record records it)");
    }
    if failed.is_empty() { Ok(()) } else { bail!("not measured: {}", failed.join(", ")) }
}

/// The command line.
#[derive(Debug, Default)]
struct BenchArgs {
    /// Groups to measure; none means all.
    names: Vec<String>,
    events: u64,
    record: bool,
    page: bool,
    monitor: Option<PathBuf>,
}

impl BenchArgs {
    fn read(words: &[String]) -> Result<Self> {
        let mut args = Self { events: EVENTS, ..Self::default() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--events" => {
                    let number = words.next().and_then(|number| number.parse().ok()).filter(|number| *number >= 1_000);
                    args.events = number.context("--events needs a whole number, 1000 at least")?;
                }
                "--monitor" => args.monitor = Some(words.next().context("--monitor needs a file")?.into()),
                "--record" => args.record = true,
                "--page" => args.page = true,
                name if groups::names().contains(&name) => args.names.push(name.to_owned()),
                other => bail!("unknown group {other:?}\n\n{USAGE}\n\ngroups: {}", groups::names().join(", ")),
            }
        }
        Ok(args)
    }
}

fn measured(group: &BenchGroup, setting: &Setting) -> Result<GroupRun> {
    let (before, quiet) = (load::average()?, load::foreign()?);
    let start = Instant::now();
    let figures = (group.work)(setting)?;
    let seconds = start.elapsed().as_secs_f64();
    let (foreign, after) = ([quiet, load::foreign()?], load::average()?);
    Ok(GroupRun {
        name: group.name.to_owned(),
        about: group.about.to_owned(),
        events: setting.events,
        commit: commit(),
        machine: load::machine(),
        other_build: setting.is_other_build,
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
    let status = git(&["status", "--porcelain", "--", ".", ":!bench/latest.json", ":!docs/benchmarks.md"]);
    if status.is_some_and(|text| text.is_empty()) { name } else { format!("{name}+") }
}

#[cfg(test)]
mod tests {
    use super::{BenchArgs, EVENTS};

    #[test]
    fn groups_are_chosen_by_name_unknown_names_fail() {
        let read = |words: &[&str]| BenchArgs::read(&words.iter().map(|&word| word.into()).collect::<Vec<String>>());
        let all = read(&[]).expect("nothing is fine");
        assert!(all.events == EVENTS && all.names.is_empty());
        let some = read(&["cold", "--events", "20000", "search"]).expect("two groups");
        assert_eq!((some.events, some.names), (20_000, vec!["cold".to_owned(), "search".to_owned()]));
        for wrong in [&["coldest"][..], &["--events"], &["--events", "many"], &["--events", "0"], &["--monitor"]] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}
