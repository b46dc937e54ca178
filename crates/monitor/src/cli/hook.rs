//! Arguments of `task-monitor hook`. clap only prints their help and does not parse them: a wrong flag must not stop an
//! agent, and start-up time counts for each event.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

/// Flags of `hook`, for `--help` only.
#[derive(Debug, Clone, Args)]
pub(super) struct HookArgs {
    /// Whose event it is.
    #[arg(long, value_name = "claude-code|codex")]
    from: Option<String>,
    /// OpenClaw's state directory, whose drop file takes what no monitor takes [default: as for serve].
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
    /// Settings of the monitor: where it listens, its token file, how much is captured.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address of the monitor on this machine [default: http://127.0.0.1:3847].
    #[arg(long, value_name = "URL")]
    monitor: Option<String>,
    /// For a permission request: wait so long for an answer from the dashboard.
    #[arg(long, value_name = "SECONDS")]
    answer: Option<u32>,
    /// Say on standard error what became of the event.
    #[arg(long)]
    verbose: bool,
}

/// The arguments after `hook`, unless help is requested.
pub(super) fn words(args: &[OsString]) -> Option<&[OsString]> {
    let [_, command, words @ ..] = args else { return None };
    let help = words.iter().any(|word| word == "--help" || word == "-h");
    (command == "hook" && !help).then_some(words)
}
