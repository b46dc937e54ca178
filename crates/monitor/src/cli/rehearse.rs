//! Command `task-monitor rehearse`: generates an OpenClaw state folder with demo data of any size. With `--follow` it
//! keeps appending events.

use std::path::PathBuf;

use clap::Args;
use demo_home::DemoPlan;

use crate::agent_hooks::DROP_FILE;
use crate::clock::ServerClock;

/// Flags of `rehearse`.
#[derive(Debug, Clone, Args)]
pub(super) struct RehearseArgs {
    /// A new folder; a real home is never touched.
    dir: PathBuf,
    /// How many events to write.
    #[arg(long, value_name = "N", default_value_t = 2000)]
    events: usize,
    /// Equal seeds write equal homes.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Go on appending until stopped.
    #[arg(long)]
    follow: bool,
    /// Events a second while following; realistic pauses without it.
    #[arg(long, value_name = "EVENTS_PER_S", value_parser = rate)]
    rate: Option<f64>,
    /// Time of the newest event; now without it.
    #[arg(long, value_name = "EPOCH_MS")]
    end: Option<i64>,
    /// The demo home instead of one of a given size.
    #[arg(long)]
    demo: bool,
}

pub(super) fn run(args: RehearseArgs) -> anyhow::Result<()> {
    let RehearseArgs { dir: folder, events, seed, follow, rate, end, demo } = args;
    let plan = DemoPlan { folder, events, seed, end, demo, follow, rate, drop_file: DROP_FILE };
    let now_ms = || ServerClock::system().now_ms();
    if demo_home::write(&plan, &now_ms)? {
        let what = if demo { "the demo home".to_owned() } else { format!("a home with {events} events") };
        eprintln!("task-monitor: wrote {what} to {}", plan.folder.display());
    }
    if follow {
        eprintln!("task-monitor: appending to {} until stopped", plan.folder.display());
        demo_home::follow(&plan, &now_ms)?;
    }
    Ok(())
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate.is_finite() && rate > 0.0 && rate <= 100_000.0 => Ok(rate),
        _ => Err("a number above 0, at most 100000".to_owned()),
    }
}
