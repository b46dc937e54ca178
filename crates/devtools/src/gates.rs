//! Gate against slower code. It counts the instructions of parsing, queries and layout (`crates/gauge`) with Callgrind,
//! and fails when a count is more than a twentieth above the one recorded in `bench/instructions.json`. Unlike times,
//! counts do not change with the load of the machine.
//!
//! Counts depend on the compiler, the processor's features, the C library and valgrind. If one of them differs from the
//! recorded one, the gate compares ratios: each count divided by the count of a `serde_json` pass over the log lines. A
//! ratio may rise by a quarter.
//!
//! Proves (speed): The instruction counts of the core stay within a twentieth of the record.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::{setup, shell, tree};

/// Where the record's tools are the ones at hand: at most so much more than recorded.
const MAX_GROWTH: f64 = 1.05;
/// Where they are others, of the ratio to the control.
const MAX_GROWTH_OTHER_TOOLS: f64 = 1.25;
/// Below this share of the record one is asked to accept the better count, so that it cannot be lost again unseen.
const ACCEPT_BELOW_SHARE: f64 = 0.95;
/// The part that all others are held against with other tools.
const CONTROL: &str = "control: plain JSON values";
/// Callgrind begins a new file whenever this function of `crates/gauge` is entered.
const PART_ENDS: &str = "*gauge*part_ends*";
const ACCEPT: &str = "if this is meant: cargo run -p devtools -- gates --accept";

/// `bench/instructions.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct InstructionRecord {
    /// What the counts depend on besides the code.
    tools: CountingTools,
    /// By name of the part.
    parts: BTreeMap<String, InstructionCount>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct CountingTools {
    rustc: String,
    processor: String,
    libc: String,
    valgrind: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct InstructionCount {
    /// What is counted once: a line, an event, an answer.
    unit: String,
    /// Instructions a unit.
    instructions: f64,
    /// The same over the control's.
    per_control: f64,
}

impl InstructionRecord {
    /// Of each part the smaller count.
    fn keep_smaller(&mut self, other: &Self) {
        for (name, count) in &mut self.parts {
            if let Some(recount) = other.parts.get(name).filter(|recount| recount.instructions < count.instructions) {
                *count = recount.clone();
            }
        }
    }
}

/// Counts and compares; with `accept` the counts become the record.
pub fn run(accept: bool) -> Result<()> {
    setup::for_counting()?;
    shell::run(shell::cargo().args(["build", "--release", "--locked", "-q", "-p", "gauge"]))?;
    let program = tree::target()?.join("release/gauge");
    let mut counted = count(&program)?;
    let file = file();
    if accept {
        std::fs::write(&file, format!("{}\n", serde_json::to_string_pretty(&counted)?))
            .with_context(|| format!("cannot write {}", file.display()))?;
        shell::say("recorded in bench/instructions.json");
        return Ok(());
    }
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let record: InstructionRecord =
        serde_json::from_str(&text).context("bench/instructions.json is not what is written there")?;
    let (mut lines, mut failed) = compare(&record, &counted);
    if !failed.is_empty() {
        // Hash maps have other keys in every run, which moves some counts by a fiftieth: the smaller of two counts.
        shell::say("above the gate: counting once more");
        counted.keep_smaller(&count(&program)?);
        (lines, failed) = compare(&record, &counted);
    }
    lines.iter().for_each(|line| println!("{line}"));
    if failed.is_empty() {
        return Ok(());
    }
    bail!("{}\n{ACCEPT}", failed.join("\n"))
}

fn file() -> PathBuf {
    tree::root().join("bench/instructions.json")
}

/// Runs the program under callgrind: one file of counts a part, in the order in which the program names the parts.
fn count(program: &Path) -> Result<InstructionRecord> {
    let folder = tree::target()?.join("gates");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| format!("cannot clear {}", folder.display()))?;
    }
    std::fs::create_dir_all(&folder)?;
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--dump-line=no"]);
    valgrind.arg(format!("--callgrind-out-file={}", folder.join("counts").display()));
    valgrind.arg(format!("--dump-before={PART_ENDS}")).arg(program);
    let done = valgrind.stdin(Stdio::null()).output().context("cannot start valgrind")?;
    if !done.status.success() {
        bail!("the counted program failed ({}): {}", done.status, String::from_utf8_lossy(&done.stderr).trim());
    }
    let counts = |number: usize| -> Result<String> {
        let file = folder.join(format!("counts.{number}"));
        std::fs::read_to_string(&file).with_context(|| format!("callgrind left no {}", file.display()))
    };
    let parts = parts(&String::from_utf8_lossy(&done.stdout), counts)?;
    Ok(InstructionRecord { tools: tools()?, parts })
}

/// Joins the names that the program printed with the counts that callgrind wrote.
fn parts(output: &str, counts: impl Fn(usize) -> Result<String>) -> Result<BTreeMap<String, InstructionCount>> {
    let mut parts = BTreeMap::new();
    for (at, line) in output.lines().enumerate() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, unit, units] = fields.as_slice() else { bail!("unexpected line of the counted program: {line:?}") };
        if *name == "-" {
            continue;
        }
        let units: f64 = units.parse().with_context(|| format!("{units:?} units of {name}"))?;
        let counted = counts(at + 1)?;
        let sum = counted.lines().find_map(|line| line.strip_prefix("summary:")).context("callgrind wrote no sum")?;
        let sum: f64 = sum.trim().parse().with_context(|| format!("callgrind's sum is {sum:?}"))?;
        // A part that costs nothing was not run: the compiler or a change left it out.
        if units < 1.0 || sum < units {
            bail!("{name} did nothing: {sum} instructions for {units} units");
        }
        let instructions = (sum / units).round();
        parts.insert((*name).to_owned(), InstructionCount { unit: (*unit).to_owned(), instructions, per_control: 0.0 });
    }
    let control = parts.get(CONTROL).map(|count| count.instructions).context("the control was not counted")?;
    for count in parts.values_mut() {
        count.per_control = (count.instructions / control * 1000.0).round() / 1000.0;
    }
    Ok(parts)
}

/// A line for each part, and what is wrong.
fn compare(record: &InstructionRecord, counted: &InstructionRecord) -> (Vec<String>, Vec<String>) {
    let same = record.tools == counted.tools;
    let gate = if same { MAX_GROWTH } else { MAX_GROWTH_OTHER_TOOLS };
    let what = if same { "instructions a unit" } else { "times the control, because the record's tools are others" };
    let mut lines = vec![format!("{:<30} {:>12} {:>12} {:>8}   {what}", "part", "recorded", "counted", "change")];
    let mut failed = Vec::new();
    for (name, now) in &counted.parts {
        let Some(then) = record.parts.get(name) else {
            failed.push(format!("{name}: not in bench/instructions.json"));
            continue;
        };
        let pick = |count: &InstructionCount| if same { count.instructions } else { count.per_control };
        let change = pick(now) / pick(then);
        // Also for a record of zero, which nothing can be held against.
        let bad = !change.is_finite() || change > gate;
        let note = if change < ACCEPT_BELOW_SHARE { "   better: accept it" } else { "" };
        lines.push(format!(
            "{name:<30} {:>12} {:>12} {:>+7.1}%   / {}{note}",
            pick(then),
            pick(now),
            (change - 1.0) * 100.0,
            now.unit
        ));
        if bad {
            failed.push(format!("{name}: {} instead of {}, {what}", pick(now), pick(then)));
        }
    }
    let uncounted = record.parts.keys().filter(|name| !counted.parts.contains_key(*name));
    failed.extend(uncounted.map(|name| format!("{name}: recorded, but no longer counted")));
    (lines, failed)
}

fn tools() -> Result<CountingTools> {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let features: Vec<&str> =
        ["avx2", "sse4_2"].into_iter().filter(|name| cpu.split_whitespace().any(|word| word == *name)).collect();
    let says = |program: &str, word: &str| {
        shell::output(Command::new(program).arg(word)).with_context(|| format!("`{program} {word}` says nothing"))
    };
    Ok(CountingTools {
        rustc: says("rustc", "--version")?,
        processor: format!("{} {}", std::env::consts::ARCH, features.join(" ")).trim().to_owned(),
        libc: says("getconf", "GNU_LIBC_VERSION").unwrap_or_else(|_| "not glibc".to_owned()),
        valgrind: says("valgrind", "--version")?,
    })
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::{CONTROL, CountingTools, InstructionRecord, compare, parts};

    fn record(rustc: &str, parse: u64, control: u64) -> InstructionRecord {
        let output = format!("-\t\t0\n{CONTROL}\tline\t10\nparse\tline\t10\n");
        let sums = |number: usize| match number {
            1 => Ok("summary: 99\n".to_owned()),
            2 => Ok(format!("part: 2\nsummary: {}\n", control * 10)),
            3 => Ok(format!("part: 3\nsummary: {}\ntotals: 7\n", parse * 10)),
            other => bail!("no {other}"),
        };
        let tools = CountingTools { rustc: rustc.to_owned(), ..CountingTools::default() };
        InstructionRecord { tools, parts: parts(&output, sums).expect("valid output") }
    }

    #[test]
    fn five_hundredths_more_pass_and_six_fail() {
        let then = record("1", 1_000, 400);
        assert_eq!(then.parts["parse"].instructions, 1_000.0);
        assert_eq!(then.parts["parse"].per_control, 2.5);
        assert!(compare(&then, &record("1", 1_050, 400)).1.is_empty());
        let failed = compare(&then, &record("1", 1_060, 400)).1;
        assert_eq!(failed, ["parse: 1060 instead of 1000, instructions a unit"]);
        let (lines, failed) = compare(&then, &record("1", 900, 400));
        assert!(failed.is_empty() && lines.iter().any(|line| line.ends_with("better: accept it")), "{lines:?}");
    }

    #[test]
    fn a_second_count_only_lowers_the_first() {
        let mut first = record("1", 1_000, 400);
        first.keep_smaller(&record("1", 980, 500));
        assert_eq!((first.parts["parse"].instructions, first.parts[CONTROL].instructions), (980.0, 400.0));
    }

    #[test]
    fn another_compiler_is_judged_by_the_control() {
        let then = record("1", 1_000, 400);
        // All costs doubled, the control's too: the compiler's doing.
        assert!(compare(&then, &record("2", 2_000, 800)).1.is_empty());
        assert_eq!(compare(&then, &record("2", 1_300, 400)).1.len(), 1, "the control did not move");
    }

    #[test]
    fn added_and_removed_parts_are_reported() {
        let then = record("1", 1_000, 400);
        let mut fewer = then.clone();
        fewer.parts.remove("parse");
        assert_eq!(compare(&then, &fewer).1, ["parse: recorded, but no longer counted"]);
        assert_eq!(compare(&fewer, &then).1, ["parse: not in bench/instructions.json"]);
    }

    #[test]
    fn missing_work_is_not_a_valid_count() {
        let output = format!("{CONTROL}\tline\t10\nparse\tline\t10\n");
        let none = |number: usize| Ok(format!("summary: {}\n", if number == 2 { 3 } else { 900 }));
        assert!(parts(&output, none).is_err());
        assert!(parts("parse\tline", |_| Ok(String::new())).is_err(), "a line of two fields");
        assert!(parts("parse\tline\t1\n", |_| Ok("summary: 5\n".to_owned())).is_err(), "no control");
    }
}
