//! Steps of `make test`, `make test-full`, `make check` and `make fmt`. The full test adds instruction counts, wasm
//! checks, API tests, the release bundle and other browsers. A failed step does not stop later steps that do not depend
//! on it.

use std::process::Command;
use std::thread::JoinHandle;

use anyhow::{Result, anyhow};

use crate::steps::Steps;
use crate::{browser_tests, native_tests, page, setup, shell, supply_chain, tree};

/// `make test`, and what CI runs.
pub fn quick() -> Result<()> {
    let mut steps = Steps::new("test");
    if common(&mut steps) {
        steps.step_with_tests("browser tests: one story per capability", || {
            browser_tests::lane(&["--project", "page", "--grep", "@quick"])
        });
    }
    steps.finish()
}

/// `make test-full`: nightly, and before an issue is resolved.
pub fn full() -> Result<()> {
    let mut steps = Steps::new("test-full");
    let built = common(&mut steps);
    // Built once and started by name: `cargo run` would look for changes before each step.
    for (name, command) in [
        ("agents' events are alike natively and in wasm", "alike"),
        ("a caught panic leaves the wasm instance usable", "survives"),
        ("instruction counts of the core", "gates"),
    ] {
        steps.step(name, || devtools(&[command]));
    }
    let bundled = steps.step("release bundle and its size", || devtools(&["bundle"]));
    steps.step("every route against docs/openapi.json", || devtools(&["contract"]));
    steps.step("a fleet over NATS servers that fail", || devtools(&["fleet"]));
    if built {
        steps.step_with_tests("browser tests: test bundle", || browser_tests::lane(&["--project", "page"]));
        if steps.step("Firefox and WebKit", setup::for_engines) {
            steps.step_with_tests("browser tests: Firefox and WebKit", || {
                browser_tests::lane(&["--project", "engines"])
            });
        }
    }
    let hosted = bundled && steps.step("modules of the Next.js host", setup::for_next_host);
    if hosted {
        steps.step_with_tests("browser tests: release bundle", || browser_tests::lane(&["--project", "release"]));
    }
    steps.finish()
}

/// The steps of both lanes; true when the browser tests have what they need.
fn common(steps: &mut Steps) -> bool {
    let mut wasm = None;
    let ready = steps.step("set-up", || {
        wasm = Some(setup::wasm()?);
        setup::for_browser()
    });
    let Some(wasm) = wasm.filter(|_| ready) else { return false };
    let page = BackgroundPageBuild::start(&wasm);
    steps.step("formatting", || shell::run(shell::cargo().args(["fmt", "--all", "--check"])));
    steps.step("supply chain", supply_chain::run);
    steps.step("lints, native", lint);
    steps.step("lints, wasm", || lint_wasm(&wasm));
    steps.step("tests of the npm package task-hub-next", test_next_package);
    let native = steps.step_with_tests("native tests", native_tests::all);
    // A red native test leaves the programs built; a build that failed does not.
    let monitor = native || steps.step("task-monitor for the browser tests", browser_tests::build_monitor);
    let compiled = steps.step("test bundle, compiled beside the other steps", || page.finish());
    monitor && compiled && steps.step("test bundle", page::stage)
}

/// Needs Node only; the package has no dependency.
fn test_next_package() -> Result<()> {
    shell::run(Command::new("node").arg("--test").current_dir(tree::root().join("npm/task-hub-next")))
}

/// `make check`: compiles and lints, runs nothing.
pub fn check() -> Result<()> {
    let wasm = setup::wasm()?;
    shell::run(shell::cargo().args(["fmt", "--all", "--check"]))?;
    lint()?;
    lint_wasm(&wasm)
}

/// `make fmt`.
pub fn fmt() -> Result<()> {
    shell::run(shell::cargo().args(["fmt", "--all"]))
}

/// A command of `devtools`.
pub fn devtools(args: &[&str]) -> Result<()> {
    shell::run(shell::cargo().args(["run", "--quiet", "--locked", "-p", "devtools", "--"]).args(args))
}

fn lint() -> Result<()> {
    clippy(shell::cargo().args(["clippy", "--locked", "--workspace", "--all-targets"]))?;
    // Not among the targets: it runs in the full lane only.
    clippy(shell::cargo().args(["clippy", "--locked", "-p", "task-monitor", "--test", "overrides_system"]))
}

/// The page, and with it the core, as the browser gets them.
fn lint_wasm(wasm: &setup::Wasm) -> Result<()> {
    const PACKAGE: [&str; 5] = ["--locked", "-p", "task-hub", "--target", "wasm32-unknown-unknown"];
    if wasm.is_host() {
        return clippy(shell::cargo().arg("clippy").args(PACKAGE));
    }
    shell::say("the compiler for wasm32 has no clippy here: the page is only checked");
    shell::run(wasm.command("cargo").arg("check").args(PACKAGE))
}

fn clippy(command: &mut Command) -> Result<()> {
    shell::run(command.args(["--", "-D", "warnings"]))
}

/// The page, compiled while other steps run: much of it is one thread's work, in a target folder of its own.
struct BackgroundPageBuild(JoinHandle<Result<()>>);

impl BackgroundPageBuild {
    fn start(wasm: &setup::Wasm) -> Self {
        let wasm = wasm.clone();
        Self(std::thread::spawn(move || page::compile(&wasm)))
    }

    fn finish(self) -> Result<()> {
        self.0.join().map_err(|_| anyhow!("the build of the page panicked"))?
    }
}
