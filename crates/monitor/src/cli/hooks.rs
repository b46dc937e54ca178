//! Command `task-monitor hooks install|uninstall|status`: its flags and its output. It manages the monitor's hooks in the
//! settings of Claude Code and Codex.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use coordination::api::MAX_ANSWER_SECONDS;
use coordination::schema::AgentProgram;

use crate::agent_hooks::setup::{SettingsScope, Wanted, delivery, hooks_status, install, uninstall};
use crate::agent_hooks::{ClaudeCodeVersion, Flags, HookDestination, HookTarget, installed};
use crate::clock::ServerClock;
use crate::home::HomeDir;

/// Seconds of `--answer` without a value: [`coordination::api::ANSWER_SECONDS`].
const DEFAULT_ANSWER_SECONDS: &str = "30";

/// What to do with the hooks of a coding agent.
#[derive(Debug, Clone, Subcommand)]
pub(super) enum HooksCommand {
    /// Have Claude Code or Codex tell the monitor what its agents do.
    Install(InstallArgs),
    /// Take out what `install` put in, and nothing else.
    Uninstall(ScopeArgs),
    /// Tell where hooks are installed and whether events arrive; exit code 1 when none can run.
    Status(StatusArgs),
}

#[derive(Debug, Clone, Args)]
pub(super) struct ScopeArgs {
    /// Whose hooks: claude-code or codex [default: claude-code; for status, both].
    #[arg(long, value_name = "PROGRAM")]
    program: Option<AgentProgram>,
    /// All sessions of this user: ~/.claude/settings.json, or ~/.codex/hooks.json (the default).
    #[arg(long, conflicts_with = "project")]
    user: bool,
    /// Sessions of Claude Code in a project: its .claude/settings.local.json, which is not shared with others [default:
    /// the repository around the current folder].
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    #[allow(clippy::option_option, reason = "the flag may stand without a folder")]
    project: Option<Option<PathBuf>>,
}

#[derive(Debug, Clone, Args)]
pub(super) struct WhereArgs {
    /// OpenClaw's state directory, whose drop file takes what no monitor takes [default: as for serve].
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
    /// Settings of the monitor as TOML: where it listens, its token file, how much is captured.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address of the monitor on this machine [default: of the settings, else http://127.0.0.1:3847].
    #[arg(long, value_name = "URL")]
    monitor: Option<String>,
}

#[derive(Debug, Clone, Args)]
pub(super) struct InstallArgs {
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    to: WhereArgs,
    /// Let the dashboard answer permission requests: the hook waits so long for an answer, and then leaves it to the
    /// terminal. Installing again without it takes this back.
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = DEFAULT_ANSWER_SECONDS,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_ANSWER_SECONDS)))]
    answer: Option<u32>,
    /// The version of Claude Code that reads the settings [default: the one that is installed].
    #[arg(long, value_name = "VERSION")]
    claude_version: Option<ClaudeCodeVersion>,
}

#[derive(Debug, Clone, Args)]
pub(super) struct StatusArgs {
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    to: WhereArgs,
}

fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

pub(super) fn run(command: HooksCommand) -> anyhow::Result<ExitCode> {
    let now = ServerClock::system().now_iso();
    match command {
        HooksCommand::Install(args) => {
            let home = HomeDir::resolve(args.to.home.as_deref());
            let flags = Flags { answer: args.answer, ..args.to.flags(&home)? };
            if args.answer.is_some() && !matches!(HookDestination::find(&flags, &env).token, Ok(Some(_))) {
                anyhow::bail!(
                    "--answer needs the monitor's write token, which shows that the hook may ask: set write_token_file in \
                     its settings (see docs/claude-code.md) and name them with --config"
                );
            }
            let executable = std::env::current_exe().context("cannot find the path of this program")?;
            let program = args.scope.program.unwrap_or_default();
            if args.claude_version.is_some() && program != AgentProgram::ClaudeCode {
                anyhow::bail!("--claude-version is for Claude Code only");
            }
            let target = match args.claude_version {
                Some(version) => HookTarget::ClaudeCode(Some(version)),
                None => target(program),
            };
            let wanted = Wanted { target, executable, flags: flags.clone() };
            let path = args.scope.scope()?.path(program, &env).map_err(anyhow::Error::msg)?;
            let mut lines = install(&path, &wanted, &home, &now).map_err(anyhow::Error::msg)?;
            lines.extend(delivery(&flags, &env));
            print(&lines)?;
        }
        HooksCommand::Uninstall(args) => {
            let path = args.scope()?.path(args.program.unwrap_or_default(), &env).map_err(anyhow::Error::msg)?;
            print(&uninstall(&path, &HomeDir::resolve(None)).map_err(anyhow::Error::msg)?)?;
        }
        HooksCommand::Status(args) => return status(&args),
    }
    Ok(ExitCode::SUCCESS)
}

/// The program as it is on this machine.
fn target(program: AgentProgram) -> HookTarget {
    match program {
        AgentProgram::ClaudeCode => HookTarget::ClaudeCode(installed(&env)),
        AgentProgram::Codex => HookTarget::Codex,
    }
}

/// All programs and scopes unless one is named; the delivery as the installed command has it, unless flags say otherwise.
fn status(args: &StatusArgs) -> anyhow::Result<ExitCode> {
    let home = HomeDir::resolve(args.to.home.as_deref());
    let given = args.to.flags(&home)?;
    let (claude_code, codex) = (AgentProgram::ClaudeCode, AgentProgram::Codex);
    let scopes = match (args.scope.program, args.scope.user, &args.scope.project) {
        (program, false, None) => {
            let all = [
                (claude_code, SettingsScope::User),
                (claude_code, SettingsScope::Project(project(None)?)),
                (codex, SettingsScope::User),
            ];
            all.into_iter().filter(|(of, _)| program.is_none_or(|program| program == *of)).collect()
        }
        (None, true, _) => vec![(claude_code, SettingsScope::User), (codex, SettingsScope::User)],
        (program, _, _) => vec![(program.unwrap_or_default(), args.scope.scope()?)],
    };
    let (mut lines, mut well, mut found) = (Vec::new(), false, None);
    for (program, scope) in scopes {
        let path = scope.path(program, &env).map_err(anyhow::Error::msg)?;
        let file_status = hooks_status(&path, target(program), &home);
        lines.extend(file_status.report_lines);
        well |= file_status.can_run;
        found = found.or(file_status.flags);
    }
    let WhereArgs { home: home_flag, config, monitor } = &args.to;
    let mut flags = found.unwrap_or_else(|| given.clone());
    flags.home = home_flag.as_ref().and(given.home.clone()).or(flags.home);
    flags.config = config.as_ref().and(given.config.clone()).or(flags.config);
    flags.monitor = monitor.clone().or(flags.monitor);
    lines.extend(delivery(&flags, &env));
    print(&lines)?;
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

impl ScopeArgs {
    fn scope(&self) -> anyhow::Result<SettingsScope> {
        match &self.project {
            Some(folder) => Ok(SettingsScope::Project(project(folder.as_deref())?)),
            None => Ok(SettingsScope::User),
        }
    }
}

/// The folder that is named, or the repository around the current one.
fn project(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    let folder = std::path::absolute(named.unwrap_or(Path::new("."))).context("there is no current folder")?;
    let top = named.is_none().then(|| folder.ancestors().find(|folder| folder.join(".git").exists())).flatten();
    Ok(top.unwrap_or(&folder).to_path_buf())
}

impl WhereArgs {
    /// Complete and absolute: a hook runs elsewhere and with another environment.
    fn flags(&self, home: &HomeDir) -> anyhow::Result<Flags> {
        let absolute = |path: &Path| std::path::absolute(path).context("there is no current folder");
        if let Some(url) = &self.monitor {
            crate::agent_hooks::MonitorClient::new(url).map_err(anyhow::Error::msg)?;
        }
        Ok(Flags {
            home: Some(absolute(home.root())?),
            config: self.config.as_deref().map(absolute).transpose()?,
            monitor: self.monitor.clone(),
            answer: None,
        })
    }
}

fn print(lines: &[String]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(())
}
