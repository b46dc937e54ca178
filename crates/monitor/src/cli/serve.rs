//! Command `task-monitor serve`: sets up the log and the tokio runtime, and runs the web server.

use std::io::{IsTerminal as _, stderr};

use anyhow::Context as _;
use coordination::schema::AgentProgram;
use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::agent_hooks::setup::on_this_machine;
use crate::config::{LogFormat, LogSettings, ServeArgs, Settings};

pub(super) fn run(args: &ServeArgs) -> anyhow::Result<()> {
    start(Settings::from_args(args)?, |_| ())
}

/// Serves until a signal comes; `listening` is called once with the address of the dashboard.
pub(super) fn start(settings: Settings, listening: impl FnOnce(&str)) -> anyhow::Result<()> {
    log_to_stderr(&settings.log)?;
    let hooks = |program| on_this_machine(program, &|name| std::env::var(name).ok());
    let (claude_code, codex) = (hooks(AgentProgram::ClaudeCode), hooks(AgentProgram::Codex));
    let settings = Settings { claude_code, codex, ..settings };
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(crate::web::serve(settings, listening))
}

pub(super) fn log_to_stderr(log: &LogSettings) -> anyhow::Result<()> {
    let filter: Targets = log.level.parse().context("log.level")?;
    // One logs each connection, as the fleet does; the other each watch of a folder that was removed.
    let quiet = [("async_nats", Level::WARN), ("notify", Level::ERROR)];
    let quiet = quiet.into_iter().filter(|(target, _)| !log.level.contains(target));
    let filter = quiet.fold(filter, |filter, (target, level)| filter.with_target(target, level));
    let lines = tracing_subscriber::fmt::layer().with_writer(stderr).with_target(false);
    let lines = match log.format {
        LogFormat::Text => lines.with_ansi(stderr().is_terminal()).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_current_span(true).with_span_list(false).boxed(),
    };
    tracing_subscriber::registry().with(lines.with_filter(filter)).try_init().context("log")
}
