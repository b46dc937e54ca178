//! Runner of the steps of one make target, such as `make test`. It times each step, continues after a failed one, and
//! prints a summary with the slowest and the flaky tests.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::{clock, shell};

/// Tests listed at the end of a lane.
const MAX_SLOW_TESTS: usize = 20;

/// A test that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestTime {
    /// Module and name, or spec file and title.
    pub name: String,
    /// Wall time, retries included.
    pub took: Duration,
    pub outcome: TestOutcome,
}

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestOutcome {
    Passed,
    Failed,
    /// Failed first and passed on its retry.
    Flaky,
    Skipped,
}

/// Steps of one lane.
#[derive(Debug)]
pub struct Steps {
    lane: &'static str,
    start: Instant,
    rows: Vec<(String, Duration, bool)>,
    tests: Vec<TestTime>,
}

impl Steps {
    /// Starts the clock. `lane` is the make target.
    pub fn new(lane: &'static str) -> Self {
        Self { lane, start: Instant::now(), rows: Vec::new(), tests: Vec::new() }
    }

    /// Runs a step; false when it failed.
    pub fn step(&mut self, name: &str, work: impl FnOnce() -> Result<()>) -> bool {
        let start = Instant::now();
        shell::say(&format!("{name} …"));
        let outcome = work().with_context(|| name.to_owned());
        let took = start.elapsed();
        match &outcome {
            Ok(()) => shell::say(&format!("{name}: ok ({})", clock::words(took))),
            Err(error) => shell::say(&format!("{name}: FAILED ({}): {error:#}", clock::words(took))),
        }
        self.rows.push((name.to_owned(), took, outcome.is_ok()));
        outcome.is_ok()
    }

    /// Runs a step that runs tests. Their times are kept also when it fails: `work` returns the tests beside the error.
    pub fn step_with_tests(&mut self, name: &str, work: impl FnOnce() -> (Vec<TestTime>, Result<()>)) -> bool {
        let mut tests = Vec::new();
        let passed = self.step(name, || {
            let (ran, outcome) = work();
            tests = ran;
            outcome
        });
        self.tests.append(&mut tests);
        passed
    }

    /// Prints the summary; an error when a step failed.
    pub fn finish(self) -> Result<()> {
        print!("{}", self.summary());
        let failed: Vec<&str> = self.rows.iter().filter(|row| !row.2).map(|row| row.0.as_str()).collect();
        if failed.is_empty() {
            return Ok(());
        }
        bail!("make {}: {} of {} steps failed: {}", self.lane, failed.len(), self.rows.len(), failed.join(", "))
    }

    /// Step table, slowest tests, flaky tests, and the closing line that CI reads.
    fn summary(&self) -> String {
        let mut out = format!("\n==> make {} in {}\n", self.lane, clock::words(self.start.elapsed()));
        for (name, took, passed) in &self.rows {
            let mark = if *passed { "ok" } else { "FAILED" };
            out.push_str(&format!("{:>12}  {mark:<6}  {name}\n", clock::words(*took)));
        }
        let mut slowest: Vec<&TestTime> =
            self.tests.iter().filter(|test| test.outcome != TestOutcome::Skipped).collect();
        slowest.sort_by_key(|test| std::cmp::Reverse(test.took));
        if !slowest.is_empty() {
            out.push_str("\n==> slowest tests\n");
        }
        for test in slowest.iter().take(MAX_SLOW_TESTS) {
            out.push_str(&format!("{:>12}  {}\n", clock::words(test.took), test.name));
        }
        let flaky: Vec<&TestTime> = self.tests.iter().filter(|test| test.outcome == TestOutcome::Flaky).collect();
        out.push_str(&format!("\n==> flaky tests (failed, then passed): {}\n", flaky.len()));
        for test in flaky {
            out.push_str(&format!("              {}\n", test.name));
        }
        let count = |outcome| self.tests.iter().filter(|test| test.outcome == outcome).count();
        // A step without tests of its own counts as one.
        let failed_tests = count(TestOutcome::Failed);
        let failed_steps = self.rows.iter().filter(|row| !row.2).count();
        let passed = count(TestOutcome::Passed) + count(TestOutcome::Flaky);
        out.push_str(&format!("\n{passed} passed, {} failed\n", failed_tests.max(failed_steps)));
        out
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use anyhow::bail;

    use super::{Steps, TestOutcome, TestTime};

    fn test(name: &str, ms: u64, outcome: TestOutcome) -> TestTime {
        TestTime { name: name.to_owned(), took: Duration::from_millis(ms), outcome }
    }

    #[test]
    fn summary_counts_tests_and_names_flaky_ones() {
        let mut steps = Steps::new("test");
        let ran = vec![
            test("a", 5, TestOutcome::Passed),
            test("b", 9_000, TestOutcome::Flaky),
            test("c", 1, TestOutcome::Failed),
        ];
        assert!(!steps.step_with_tests("tests", || (ran, Err(anyhow::anyhow!("1 failed")))));
        let text = steps.summary();
        assert!(text.ends_with("\n2 passed, 1 failed\n"), "{text}");
        assert!(text.contains("passed): 1\n              b\n"), "{text}");
        assert!(text.find("9.0 s  b") < text.find("0.0 s  a"), "{text}");
        assert!(steps.finish().is_err());
    }

    #[test]
    fn failed_step_without_tests_counts_as_failed() {
        let mut steps = Steps::new("test");
        assert!(steps.step("one", || Ok(())));
        assert!(!steps.step("two", || bail!("no")));
        assert!(steps.summary().ends_with("\n0 passed, 1 failed\n"));
    }
}
