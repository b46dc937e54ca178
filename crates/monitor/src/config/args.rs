//! Command-line arguments of `serve`.

use std::path::PathBuf;

use clap::Args;

use super::Watcher;

/// Flags of `serve`.
#[derive(Debug, Clone, Default, Args)]
pub struct ServeArgs {
    /// OpenClaw's state directory [env: OPENCLAW_STATE_DIR] [default: ~/.openclaw].
    #[arg(long, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Address to listen on [env: TASK_MONITOR_HOST] [default: 127.0.0.1].
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,
    /// Port to listen on; 0 lets the system choose [env: TASK_MONITOR_PORT] [default: 3847].
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
    /// Folder of the built dashboard, as `make bundle` leaves it.
    #[arg(long, value_name = "DIR")]
    pub bundle: Option<PathBuf>,
    /// Settings as TOML.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Whether the system is asked to tell when the log changes; a look every second is taken in any case [default:
    /// on].
    #[arg(long, value_name = "on|off", hide_possible_values = true)]
    pub watcher: Option<Watcher>,
    /// Cache of the state read from the log, which shortens the next start: a folder, `on` for the user's cache folder,
    /// or `off` [env: TASK_MONITOR_CACHE] [default: off].
    #[arg(long, value_name = "DIR|on|off")]
    pub cache: Option<PathBuf>,
    /// Fixes the time, for tests and screenshots.
    #[arg(long, value_name = "EPOCH_MS")]
    pub clock: Option<i64>,
    /// Answer REST 1.x only, as the original 1.x monitor does.
    #[arg(long, value_name = "1", value_parser = clap::value_parser!(u8).range(1..=1))]
    pub api: Option<u8>,
    /// Mark the data as demo data.
    #[arg(long)]
    pub demo: bool,
}
