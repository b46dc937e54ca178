//! Runner of browser tests, screenshots and browser benchmarks (`e2e/`) over the real monitor. The tests run on
//! Playwright Test with an installed Chromium; `make test-full` adds Firefox and WebKit.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::steps::{TestOutcome, TestTime};
use crate::{page, setup, shell, tree};

/// Set for tests that run in their long form.
pub const LONG_FORM_VARIABLE: &str = "TASK_HUB_SOAK";

/// The bundle that ships, made by `make bundle`.
pub fn release_bundle() -> PathBuf {
    tree::root().join("dist")
}

/// `make e2e ARGS="--grep override"`: builds what is missing and passes ARGS to `playwright test`. Without a project
/// among them only the test bundle's project runs.
pub fn run(args: &[String]) -> Result<()> {
    build()?;
    let chosen = args.iter().any(|arg| arg.starts_with("--project"));
    let mut command = playwright()?;
    if !chosen {
        // One argument: Playwright takes every word after a bare `--project` for another project.
        command.arg("--project=page");
    }
    let Err(error) = shell::run(command.args(spec_paths(args, &spec_names()))) else { return Ok(()) };
    let names = if chosen { Vec::new() } else { release_specs(args) };
    if names.is_empty() {
        return Err(error);
    }
    let (names, args) = (names.join(", "), args.join(" "));
    Err(error.context(format!(
        "{names} has tests of the release bundle: `make bundle`, then `make e2e ARGS=\"{args} --project release\"`"
    )))
}

/// Names of the files in `e2e/specs`.
fn spec_names() -> Vec<String> {
    let specs = std::fs::read_dir(tree::root().join("e2e/specs")).into_iter().flatten().flatten();
    specs.map(|spec| spec.file_name().to_string_lossy().into_owned()).collect()
}

/// The arguments, with the folder before each name of a spec. Playwright looks for a bare name in the whole path, and a
/// folder above the repository may have it, too. A word after an option is taken for the option's value.
fn spec_paths(args: &[String], specs: &[String]) -> Vec<String> {
    let after_option = |at: usize| at > 0 && args[at - 1].starts_with('-') && !args[at - 1].contains('=');
    let path = |(at, arg): (usize, &String)| {
        let is_spec = !arg.starts_with('-') && !after_option(at) && {
            let (name, _) = arg.split_once(':').unwrap_or((arg, ""));
            specs.iter().any(|spec| spec.starts_with(name))
        };
        if is_spec { format!("/specs/{arg}") } else { arg.clone() }
    };
    args.iter().enumerate().map(path).collect()
}

/// Spec files that an argument names and that hold tests of the release bundle.
fn release_specs(args: &[String]) -> Vec<String> {
    let is_named =
        |name: &String| args.iter().any(|arg| !arg.starts_with('-') && name.contains(arg.trim_start_matches("specs/")));
    let has_release_tests = |name: &String| {
        let text = std::fs::read_to_string(tree::root().join("e2e/specs").join(name));
        text.is_ok_and(|text| text.contains("@release"))
    };
    spec_names().into_iter().filter(|name| is_named(name) && has_release_tests(name)).collect()
}

/// Runs the tests of a lane against what is built, failed ones once more, and reads their times.
pub fn lane(args: &[&str]) -> (Vec<TestTime>, Result<()>) {
    let file = match times() {
        Ok(file) => file,
        Err(error) => return (Vec::new(), Err(error)),
    };
    if file.exists() && std::fs::remove_file(&file).is_err() {
        return (Vec::new(), Err(anyhow::anyhow!("cannot remove {}", file.display())));
    }
    let outcome = playwright()
        .and_then(|mut command| shell::run(command.args(["--retries", "1", "--trace", "on-first-retry"]).args(args)));
    let tests = std::fs::read_to_string(&file).map(|text| parse_times(&text)).unwrap_or_default();
    if tests.is_empty() && outcome.is_ok() {
        return (tests, Err(anyhow::anyhow!("no browser test ran")));
    }
    (tests, outcome)
}

/// The specs whose file name holds `name`, in their long form, as long as that takes.
pub fn long_form(name: &str) -> Result<()> {
    shell::run(playwright()?.env(LONG_FORM_VARIABLE, "1").arg(name))
}

/// `make screenshots`: every view, or the one named.
pub fn screenshots(args: &[String]) -> Result<()> {
    build()?;
    shell::run(node()?.arg("screenshots.mjs").args(args))
}

/// What a bench in the browser prints on its standard output; its progress goes to the screen. `files` are its arguments.
pub fn bench(name: &str, monitor: &Path, events: u64, files: &[&Path]) -> Result<String> {
    let mut node = node()?;
    node.env("TASK_HUB_MONITOR", monitor).env("TASK_HUB_EVENTS", events.to_string());
    // What is measured is what ships.
    node.env("TASK_HUB_BUNDLE", release_bundle());
    node.arg(format!("bench/{name}.mjs")).args(files);
    let done = node.stderr(Stdio::inherit()).output().context("cannot start node")?;
    if !done.status.success() {
        bail!("e2e/bench/{name}.mjs failed ({})", done.status);
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

/// Brings a browser, and builds the page and the monitor.
fn build() -> Result<()> {
    setup::for_browser()?;
    page::compile(&setup::wasm()?)?;
    build_monitor()?;
    page::stage()
}

/// Monitor and `page-build` of the native tests' own build: the same features, so nothing is compiled twice after
/// `make test`. Integration tests need them, so their build brings them.
pub fn build_monitor() -> Result<()> {
    shell::run(shell::cargo().args(["test", "--locked", "--workspace", "--no-run", "--quiet", "--test", "it"]))
}

/// `playwright test`, with the environment of the specs.
pub fn playwright() -> Result<Command> {
    let mut node = node()?;
    node.args(["node_modules/@playwright/test/cli.js", "test"]);
    Ok(node)
}

fn node() -> Result<Command> {
    let browser = setup::find_browser().context("no Chromium: run `cargo run -p xtask -- setup --tests`")?;
    let mut node = Command::new("node");
    node.current_dir(tree::root().join("e2e"));
    node.env("TASK_HUB_CHROMIUM", browser);
    node.env("TASK_HUB_MONITOR", tree::target()?.join("debug/task-monitor"));
    node.env("TASK_HUB_BUNDLE", page::dist()?);
    node.env("TASK_HUB_RELEASE_BUNDLE", release_bundle());
    Ok(node)
}

/// Written by `e2e/support/reporter.mjs`.
fn times() -> Result<PathBuf> {
    Ok(tree::root().join("target/e2e/times.tsv"))
}

/// Lines of outcome, milliseconds, file and title.
fn parse_times(text: &str) -> Vec<TestTime> {
    let line = |line: &str| {
        let mut fields = line.split('\t');
        let outcome = match fields.next()? {
            "passed" => TestOutcome::Passed,
            "flaky" => TestOutcome::Flaky,
            "skipped" => TestOutcome::Skipped,
            _ => TestOutcome::Failed,
        };
        let took = Duration::from_millis(fields.next()?.parse().ok()?);
        let name = format!("{}: {}", fields.next()?, fields.next()?);
        Some(TestTime { name, took, outcome })
    };
    text.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::{TestOutcome, parse_times, spec_paths};

    #[test]
    fn spec_names_are_looked_for_in_their_folder() {
        let strings = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        let specs = strings(&["live.spec.mjs", "link.spec.mjs"]);
        for (args, expected) in [
            (&["live"][..], &["/specs/live"][..]),
            (
                &["live.spec.mjs:14", "--repeat-each=3", "link"],
                &["/specs/live.spec.mjs:14", "--repeat-each=3", "/specs/link"],
            ),
            (&["--grep", "live"], &["--grep", "live"]),
            (&["engines/smoke"], &["engines/smoke"]),
        ] {
            assert_eq!(spec_paths(&strings(args), &specs), strings(expected));
        }
    }

    #[test]
    fn times_are_read_from_the_reporter() {
        let tests = parse_times("passed\t1200\ta.spec.mjs\topens\nflaky\t5\tb.spec.mjs\tlate\nbroken line\n");
        assert_eq!(tests.len(), 2);
        assert_eq!((tests[0].name.as_str(), tests[0].took.as_millis()), ("a.spec.mjs: opens", 1200));
        assert_eq!(tests[1].outcome, TestOutcome::Flaky);
    }
}
