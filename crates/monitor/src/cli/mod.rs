//! Command line of the monitor. `serve` is the default command. Each command has its own file.

mod check;
mod classify;
mod config;
mod enrich;
mod export;
mod fleet;
mod hook;
mod hooks;
mod manual;
mod normalize;
mod openapi;
mod rehearse;
mod serve;
mod sessions;
mod ship;
mod up;
mod verify;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser, Subcommand};

use crate::config::ServeArgs;

/// Secrets are never flags: every user of a machine can read the flags of a process.
const SECRETS: &str = "\
Secrets have no flag: TASK_MONITOR_WRITE_TOKEN and TASK_MONITOR_GATEWAY_TOKEN, or files of them.
`task-monitor config` prints the settings in force and where each comes from.";

/// Reads OpenClaw's coordination log and workspaces and serves them.
#[derive(Debug, Parser)]
#[command(name = "task-monitor", version = crate::version::VERSION, args_conflicts_with_subcommands = true, after_help = SECRETS)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: ServeArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the dashboard, the REST API and the live streams (the default).
    #[command(after_help = SECRETS)]
    Serve(ServeArgs),
    /// Serve this machine's home, or a demo home if it has no home, and open the browser.
    Up(up::UpArgs),
    /// Publish a home to a fleet of machines, over NATS JetStream.
    #[command(after_help = SECRETS)]
    Ship(ServeArgs),
    /// Set up a fleet of machines.
    #[command(subcommand)]
    Fleet(fleet::FleetSubcommand),
    /// Add role, session types and category to events: NDJSON in, NDJSON out.
    Enrich(enrich::EnrichArgs),
    /// Make events of schema 1.1 of what coding agents tell: NDJSON in, NDJSON out.
    Normalize(normalize::NormalizeArgs),
    /// Tell what kind of work records are about, and why: NDJSON in, NDJSON out.
    Classify(classify::ClassifyArgs),
    /// Print the work sessions of a log or a home as JSON.
    Sessions(sessions::SessionsArgs),
    /// Look for what is wrong in logs: the event doctor.
    Check(check::CheckArgs),
    /// Write an evidence file: the lines of a session or period, with their places and hashes.
    Export(export::ExportArgs),
    /// Check an evidence file by itself and against the log.
    Verify(verify::VerifyArgs),
    /// Print the settings in force, each with its source.
    Config(config::ConfigArgs),
    /// Print the OpenAPI 3.1 description of REST v2 as JSON.
    Openapi,
    /// Print completions for a shell.
    Completions(manual::CompletionsArgs),
    /// Print the manual page.
    Man,
    /// Have Claude Code or Codex tell the monitor what its agents do, or no longer.
    #[command(subcommand)]
    Hooks(hooks::HooksCommand),
    /// Pass one event of Claude Code or Codex on (`hooks install` has it started); it says nothing and never fails.
    Hook(hook::HookArgs),
    /// Write a plausible home of any size, and go on appending if asked to.
    Rehearse(rehearse::RehearseArgs),
}

/// Runs one command line. A bad flag exits with 2, a command that fails with 1; both say one clear sentence on stderr.
/// `check` has exit codes of its own, and `hook` has none: an agent waits for it.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    if let Some(words) = hook::words(&args) {
        crate::agent_hooks::wrapper::run(words.iter().cloned());
        return ExitCode::SUCCESS;
    }
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let outcome = match cli.command {
        None => serve::run(&cli.serve),
        Some(Command::Serve(args)) => serve::run(&args),
        Some(Command::Up(args)) => up::run(&args),
        Some(Command::Ship(args)) => ship::run(&args),
        Some(Command::Fleet(command)) => fleet::run(&command),
        Some(Command::Enrich(args)) => enrich::run(&args),
        Some(Command::Normalize(args)) => normalize::run(&args),
        Some(Command::Classify(args)) => classify::run(&args),
        Some(Command::Sessions(args)) => sessions::run(&args),
        Some(Command::Check(args)) => return done(check::run(&args)),
        Some(Command::Export(args)) => export::run(&args),
        Some(Command::Verify(args)) => return done(verify::run(&args)),
        Some(Command::Config(args)) => config::run(&args),
        Some(Command::Openapi) => openapi::run(),
        Some(Command::Completions(args)) => manual::completions(&args, Cli::command()),
        Some(Command::Man) => manual::man(Cli::command()),
        Some(Command::Hooks(command)) => return done(hooks::run(command)),
        Some(Command::Hook(_)) => Ok(()),
        Some(Command::Rehearse(args)) => rehearse::run(args),
    };
    done(outcome.map(|()| ExitCode::SUCCESS))
}

fn done(outcome: anyhow::Result<ExitCode>) -> ExitCode {
    match outcome {
        Ok(code) => code,
        // The reader of our output has closed it.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("task-monitor: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let closed = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    error.chain().any(closed)
}

/// Help and version are answers; everything else is one sentence instead of clap's page.
fn usage(error: &clap::Error) -> ExitCode {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    ) {
        return match error.print() {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        };
    }
    let text = error.render().to_string();
    let sentence = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
    eprintln!("task-monitor: {sentence} (task-monitor --help lists what there is)");
    ExitCode::from(2)
}
