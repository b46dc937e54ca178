//! Runner of the native tests of the whole workspace, with cargo-nextest if it is installed, else with `cargo test`.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::steps::{TestOutcome, TestTime};
use crate::{setup, shell, tree};

/// Seed of proptest.
const SEED: &str = "PROPTEST_RNG_SEED";

/// `make native ARGS=…`: the tests whose name holds an argument.
pub fn named(args: &[String]) -> Result<()> {
    match setup::nextest() {
        Ok(program) => shell::run(nextest(&program)?.args(args)),
        Err(_) => shell::run(cargo_test().args(args)),
    }
}

/// All tests, with their times. The property tests draw the same inputs each time, so that the verdict depends on the
/// tree and not on the day; `cargo test` and `make soak` draw others.
pub fn all() -> (Vec<TestTime>, Result<()>) {
    let program = match setup::nextest() {
        Ok(program) => program,
        Err(error) => {
            shell::say(&format!("no cargo-nextest ({error:#}): cargo test runs the same tests, one binary at a time"));
            return counted(cargo_test());
        }
    };
    let outcome = nextest(&program).and_then(|mut command| shell::run(command.arg("--no-fail-fast")));
    // A build that failed leaves the report of an earlier run behind: `nextest` removed it first.
    match (report().and_then(|file| Ok(std::fs::read_to_string(file)?)), outcome) {
        (Ok(xml), outcome) => (parse_junit(&xml), outcome),
        (Err(_), Err(error)) => (Vec::new(), Err(error)),
        (Err(error), Ok(())) => (Vec::new(), Err(error.context("nextest passed, but left no report"))),
    }
}

/// The command, after the report of an earlier run was removed.
fn nextest(program: &Path) -> Result<Command> {
    let old = report()?;
    if old.exists() {
        std::fs::remove_file(&old).with_context(|| format!("cannot remove {}", old.display()))?;
    }
    let mut cargo = seeded();
    shell::prepend_path(&mut cargo, &[program.parent().map(Path::to_path_buf).unwrap_or_default()])?;
    cargo.args(["nextest", "run", "--locked", "--workspace"]);
    Ok(cargo)
}

fn report() -> Result<PathBuf> {
    Ok(tree::target()?.join("nextest/default/junit.xml"))
}

fn cargo_test() -> Command {
    let mut cargo = seeded();
    cargo.args(["test", "--locked", "--workspace", "--no-fail-fast"]);
    cargo
}

fn seeded() -> Command {
    let mut cargo = shell::cargo();
    if std::env::var_os(SEED).is_none() {
        cargo.env(SEED, "20260216");
    }
    cargo
}

/// Runs `cargo test`, shows its output, and reads the verdict of each test from it. There are no times.
fn counted(mut command: Command) -> (Vec<TestTime>, Result<()>) {
    let mut tests = Vec::new();
    let outcome = (|| {
        let mut child = command.stdout(Stdio::piped()).spawn().context("cannot start cargo")?;
        let output = child.stdout.take().context("no output")?;
        for line in BufReader::new(output).lines() {
            let line = line?;
            println!("{line}");
            tests.extend(parse_libtest(&line));
        }
        let status = child.wait()?;
        if !status.success() {
            bail!("`cargo test` failed ({status})");
        }
        Ok(())
    })();
    (tests, outcome)
}

/// `test NAME ... ok` of libtest.
fn parse_libtest(line: &str) -> Option<TestTime> {
    let (name, verdict) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    let outcome = match verdict.split([' ', ',']).next()? {
        "ok" => TestOutcome::Passed,
        "FAILED" => TestOutcome::Failed,
        "ignored" => TestOutcome::Skipped,
        _ => return None,
    };
    Some(TestTime { name: name.to_owned(), took: Duration::ZERO, outcome })
}

/// Test cases of nextest's JUnit report. Only the attributes are read; the format is nextest's own and flat.
fn parse_junit(xml: &str) -> Vec<TestTime> {
    let cases = xml.split("<testcase ").skip(1);
    cases
        .filter_map(|case| {
            let (tag, rest) = case.split_once('>')?;
            let attribute = |name: &str| {
                let (_, value) = tag.split_once(&format!("{name}=\""))?;
                value.split('"').next()
            };
            let body = if tag.ends_with('/') { "" } else { rest.split("</testcase>").next()? };
            let outcome = if body.contains("<failure") || body.contains("<error") {
                TestOutcome::Failed
            } else if body.contains("<flakyFailure") {
                TestOutcome::Flaky
            } else {
                TestOutcome::Passed
            };
            let took = attribute(" time").or_else(|| attribute("time"))?.parse().ok()?;
            let name = tag.strip_prefix("name=\"")?.split('"').next()?;
            let class = attribute("classname").unwrap_or_default();
            Some(TestTime { name: format!("{class} {name}"), took: Duration::try_from_secs_f64(took).ok()?, outcome })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{TestOutcome, parse_junit, parse_libtest};

    #[test]
    fn junit_cases_have_times_and_outcomes() {
        let xml = r#"<testsuites name="nextest-run" tests="2" time="1.0"><testsuite name="a::it">
<testcase name="law::holds" classname="a::it" timestamp="2026-02-21T00:00:00Z" time="1.250">
</testcase><testcase name="bad" classname="a" timestamp="x" time="0.010"><failure type="t">x</failure></testcase>"#;
        let tests = parse_junit(xml);
        assert_eq!(tests.len(), 2);
        assert_eq!((tests[0].name.as_str(), tests[0].took.as_millis()), ("a::it law::holds", 1250));
        assert_eq!((tests[0].outcome, tests[1].outcome), (TestOutcome::Passed, TestOutcome::Failed));
    }

    #[test]
    fn libtest_lines_are_verdicts() {
        assert_eq!(parse_libtest("test a::b ... ok").map(|test| test.outcome), Some(TestOutcome::Passed));
        assert_eq!(parse_libtest("test a::b ... FAILED").map(|test| test.outcome), Some(TestOutcome::Failed));
        assert_eq!(parse_libtest("test a ... ignored, slow").map(|test| test.outcome), Some(TestOutcome::Skipped));
        assert_eq!(parse_libtest("test result: ok. 3 passed; 0 failed"), None);
    }
}
