//! Commands `task-monitor completions` and `task-monitor man`: shell completions and the manual page, from the same
//! definitions as the command line.

use std::io::{Write as _, stdout};

use anyhow::Context as _;
use clap::{Args, Command};
use clap_complete::Shell;

/// Name of the program in both.
const NAME: &str = "task-monitor";

/// Flags of `completions`.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// Shell that the completions are for.
    shell: Shell,
}

/// Prints completions of a shell.
///
/// # Errors
/// When standard output cannot be written.
pub(super) fn completions(args: &CompletionsArgs, mut command: Command) -> anyhow::Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, NAME, &mut text);
    stdout().write_all(&text).context("cannot write to standard output")
}

/// Prints the manual page.
///
/// # Errors
/// When standard output cannot be written.
pub(super) fn man(command: Command) -> anyhow::Result<()> {
    clap_mangen::Man::new(command).render(&mut stdout()).context("cannot write to standard output")
}
