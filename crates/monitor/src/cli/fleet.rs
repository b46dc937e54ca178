//! Command `task-monitor fleet init`: makes the streams of a fleet, or gives them another retention.

use std::io::Write as _;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, Subcommand};

use crate::config::{ServeArgs, Settings};
use crate::fleet::{Retention, make_streams};

/// Subcommands of `fleet`.
#[derive(Debug, Subcommand)]
pub(super) enum FleetSubcommand {
    /// Make the streams of a fleet, or change how much they keep.
    Init(InitArgs),
}

/// Flags of `fleet init`.
#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// Days that lines of logs are kept; 0 keeps them until there are too many bytes.
    #[arg(long, value_name = "DAYS", default_value_t = 90)]
    days: u32,
    /// Gigabytes of logs that are kept, over all machines.
    #[arg(long, value_name = "GB", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    gigabytes: u32,
    /// Servers that hold a copy of each message: 1, 3 or 5.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=5))]
    replicas: u8,
    #[command(flatten)]
    serve: ServeArgs,
}

/// Makes the streams.
///
/// # Errors
/// When no fleet is set, or the servers refuse.
pub(super) fn run(command: &FleetSubcommand) -> anyhow::Result<()> {
    let FleetSubcommand::Init(args) = command;
    let settings = Settings::from_args(&args.serve)?;
    let fleet = settings.fleet.context("fleet init needs a fleet: --fleet NAME --nats URL")?;
    let retention = Retention {
        age: Duration::from_secs(u64::from(args.days) * 86_400),
        bytes: i64::from(args.gigabytes) * 1_000_000_000,
        replicas: usize::from(args.replicas),
    };
    tokio::runtime::Runtime::new()?.block_on(make_streams(&fleet, retention))?;
    let limits = match args.days {
        0 => format!("up to {} GB of logs", args.gigabytes),
        days => format!("logs of {days} days, up to {} GB", args.gigabytes),
    };
    let copies = if args.replicas == 1 { "one server".to_owned() } else { format!("{} servers", args.replicas) };
    let said = format!("The fleet {} keeps {limits}, on {copies}.\n", fleet.name);
    std::io::stdout().write_all(said.as_bytes()).context("cannot write to standard output")
}
