//! `make test`: every check, one after the other, all of them even when one fails, and a verdict at the end.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::{alike, browser_tests, clock, contract, gates, setup, shell, size, survives, tree};

/// What proptest takes its seed from.
const DRAWS: &str = "PROPTEST_RNG_SEED";

/// What CI runs.
pub fn run() -> Result<()> {
    let start = Instant::now();
    let tools = setup::for_bundle()?;
    setup::for_tests()?;
    let bundle = Beside::start(&["bundle", "--unmeasured"])?;
    let mut steps = Steps::default();
    steps.step("formatting", || shell::run(shell::cargo().args(["fmt", "--all", "--check"])));
    steps.step("lints", || lint(&tools));
    steps.step("the core compiles for wasm32", || check_wasm(&tools, "coordination"));
    steps.step("agents' events come out alike natively and in wasm", || alike::with(&tools));
    steps.step("a contained panic leaves the wasm usable", || survives::with(&tools));
    steps.step("tests of all crates", tests);
    steps.step("instructions of the core's work", || gates::run(false));
    let bundled = steps.step("the bundle, begun beside the other steps", || bundle.finish());
    steps.step("size of the first load", || size::run(false));
    let built = steps.step("task-monitor for the browser tests", browser_tests::build_monitor);
    if built {
        steps.step("every route against docs/openapi.json", || contract::run(false));
    }
    if bundled && built {
        steps.step("browser tests", || browser_tests::specs(&[]));
    }
    steps.verdict(start)
}

/// `make check`: compiles and lints, runs nothing.
pub fn check() -> Result<()> {
    let tools = setup::for_bundle()?;
    shell::run(shell::cargo().args(["fmt", "--all", "--check"]))?;
    lint(&tools)?;
    check_wasm(&tools, "coordination")
}

/// `make fmt`.
pub fn fmt() -> Result<()> {
    shell::run(shell::cargo().args(["fmt", "--all"]))
}

/// The laws draw the same inputs each time, so that the verdict is of the tree and not of the day; `cargo test` and
/// `make soak` draw others.
fn tests() -> Result<()> {
    let mut cargo = shell::cargo();
    if std::env::var_os(DRAWS).is_none() {
        cargo.env(DRAWS, "20260216");
    }
    shell::run(cargo.args(["test", "--locked", "--workspace", "--no-fail-fast"]))
}

/// Native code with all its tests, and the dashboard as the browser gets it.
fn lint(tools: &setup::Tools) -> Result<()> {
    let clippy = |command: &mut Command| -> Result<()> { shell::run(command.args(["--", "-D", "warnings"])) };
    clippy(shell::cargo().args(["clippy", "--locked", "--workspace", "--all-targets"]))?;
    if tools.wasm_by_host() {
        let wasm = ["clippy", "--locked", "-p", "task-hub", "--target", "wasm32-unknown-unknown"];
        return clippy(shell::cargo().args(wasm));
    }
    shell::say("the compiler for wasm32 has no clippy here: the dashboard is only checked there");
    check_wasm(tools, "task-hub")
}

fn check_wasm(tools: &setup::Tools, package: &str) -> Result<()> {
    let mut cargo = tools.command("cargo")?;
    shell::run(cargo.args(["check", "--locked", "-p", package, "--target", "wasm32-unknown-unknown"]))
}

/// Another command of ours that runs beside the steps: most of the bundle is made by one thread, and in a target folder
/// of its own. What it says is shown when it is waited for.
struct Beside {
    child: Child,
    said: PathBuf,
}

impl Beside {
    fn start(words: &[&str]) -> Result<Self> {
        let command = words.join(" ");
        let said = tree::target()?.join("beside.log");
        let file = File::create(&said).with_context(|| format!("cannot write {}", said.display()))?;
        let mut own = Command::new(std::env::current_exe()?);
        own.args(words).current_dir(tree::root()).stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        let child = own.spawn().with_context(|| format!("cannot start `{command}`"))?;
        Ok(Self { child, said })
    }

    fn finish(mut self) -> Result<()> {
        let status = self.child.wait()?;
        print!("{}", String::from_utf8_lossy(&std::fs::read(&self.said)?));
        if !status.success() {
            bail!("it failed ({status})");
        }
        Ok(())
    }
}

/// Runs steps, tells them apart on the screen, and remembers which failed.
#[derive(Default)]
struct Steps {
    done: u32,
    failed: Vec<String>,
}

impl Steps {
    fn step(&mut self, name: &str, work: impl FnOnce() -> Result<()>) -> bool {
        let start = Instant::now();
        shell::say(&format!("{name} …"));
        self.done += 1;
        let outcome = work().with_context(|| name.to_owned());
        let took = clock::words(start.elapsed());
        match outcome {
            Ok(()) => {
                shell::say(&format!("{name}: ok ({took})"));
                true
            }
            Err(error) => {
                shell::say(&format!("{name}: FAILED ({took}): {error:#}"));
                self.failed.push(name.to_owned());
                false
            }
        }
    }

    fn verdict(&self, start: Instant) -> Result<()> {
        let took = clock::words(start.elapsed());
        if self.failed.is_empty() {
            shell::say(&format!("make test: all {} steps passed in {took}", self.done));
            return Ok(());
        }
        bail!("make test: {} of {} steps failed after {took}: {}", self.failed.len(), self.done, self.failed.join(", "))
    }
}
