//! Runner of tests with the real OpenClaw, Claude Code and Codex, whose files and hooks the monitor reads. These tests are not
//! in `make test`, because they fetch large programs of other vendors.
//!
//! `make test-openclaw` runs the monitor over the state folder of a running OpenClaw (`e2e/openclaw/`). `make
//! test-claude-code` runs Claude Code with the hooks of `hooks install` and a scripted model (`e2e/claude-code/`), and
//! `make test-codex` does the same with Codex (`e2e/codex/`). Each is skipped alone where npm has no such program.

use std::ffi::OsString;

use anyhow::Result;

use crate::{browser_tests, clock, setup, shell};

/// Environment variables that name the program for the specs.
type Variables = Vec<(&'static str, OsString)>;

/// `make test-openclaw`.
pub fn openclaw() -> Result<()> {
    let found = setup::openclaw()
        .map(|found| vec![("TASK_HUB_OPENCLAW", found.program.into()), ("TASK_HUB_OPENCLAW_NODE", found.node.into())]);
    with("openclaw", "OpenClaw", found)
}

/// `make test-claude-code`.
pub fn claude_code() -> Result<()> {
    let found = setup::claude_code().map(|found| {
        vec![("TASK_HUB_CLAUDE_CODE", found.program.into()), ("TASK_HUB_CLAUDE_CODE_VERSION", found.version.into())]
    });
    with("claude-code", "Claude Code", found)
}

/// `make test-codex`.
pub fn codex() -> Result<()> {
    with("codex", "Codex", setup::codex().map(|program| vec![("TASK_HUB_CODEX", program.into())]))
}

/// Builds the monitor and runs the specs. Where the program cannot be had, one line says so and nothing has failed.
fn with(name: &str, program: &str, found: Result<Variables>) -> Result<()> {
    let found = match found {
        Ok(found) => found,
        Err(error) => {
            shell::say(&format!("test-{name}: SKIPPED, the real {program} cannot be run here: {error:#}"));
            return Ok(());
        }
    };
    setup::for_browser()?;
    browser_tests::build_monitor()?;
    let start = std::time::Instant::now();
    let mut playwright = browser_tests::playwright()?;
    playwright.envs(found).env("TASK_HUB_REAL", "1");
    shell::run(playwright.args(["--timeout", "900000", "--workers", "1", &format!("/e2e/{name}/")]))?;
    shell::say(&format!("test-{name}: holds ({})", clock::words(start.elapsed())));
    Ok(())
}
