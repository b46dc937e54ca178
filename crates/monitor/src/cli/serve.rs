//! Command `task-monitor serve`: sets up logging and the tokio runtime, and runs the web server.

use crate::config::{ServeArgs, Settings};

pub(super) fn run(args: &ServeArgs) -> anyhow::Result<()> {
    let settings = Settings::from_args(args)?;
    let filter = tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| "info".into());
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    log.with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr())).init();
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(crate::web::serve(settings))
}
