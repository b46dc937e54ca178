//! Commands `task-monitor fleet`: `init` makes the streams of a fleet or gives them another retention, `list` shows the
//! machines that they know, `forget` removes one.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _, stderr, stdin, stdout};
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, Subcommand};

use coordination::api::FleetRetention;
use coordination::time::to_iso;

use crate::config::{FleetSettings, ServeArgs, Settings};
use crate::fleet::{KnownMachine, MachineRegistry, Retention, find_machine, make_streams};

const DAY_MS: i64 = 86_400_000;

/// Subcommands of `fleet`.
#[derive(Debug, Subcommand)]
pub(super) enum FleetSubcommand {
    /// Make the streams of a fleet, or change how much they keep.
    Init(InitArgs),
    /// List the machines that the streams of a fleet know.
    List(ListArgs),
    /// Remove a machine from a fleet. It comes back if it publishes again. Nothing on the machine changes.
    Forget(ForgetArgs),
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

/// Flags of `fleet list`.
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    serve: ServeArgs,
}

/// Flags of `fleet forget`.
#[derive(Debug, Args)]
pub(super) struct ForgetArgs {
    /// The machine, as `fleet list` names it.
    #[arg(value_name = "NAME|ID")]
    machine: String,
    /// Do not ask.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    serve: ServeArgs,
}

/// Runs one of them.
///
/// # Errors
/// When no fleet is set, or the servers refuse.
pub(super) fn run(command: &FleetSubcommand) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Runtime::new()?;
    match command {
        FleetSubcommand::Init(args) => runtime.block_on(init(args)),
        FleetSubcommand::List(args) => runtime.block_on(list(args)),
        FleetSubcommand::Forget(args) => runtime.block_on(forget(args)),
    }
}

fn fleet_of(args: &ServeArgs, command: &str) -> anyhow::Result<(FleetSettings, Settings)> {
    let mut settings = Settings::from_args(args)?;
    let fleet = settings.fleet.take();
    Ok((fleet.with_context(|| format!("fleet {command} needs a fleet: --fleet NAME --nats URL"))?, settings))
}

async fn init(args: &InitArgs) -> anyhow::Result<()> {
    let (fleet, _) = fleet_of(&args.serve, "init")?;
    let retention = Retention {
        age: Duration::from_secs(u64::from(args.days) * 86_400),
        bytes: i64::from(args.gigabytes) * 1_000_000_000,
        replicas: usize::from(args.replicas),
    };
    make_streams(&fleet, retention).await?;
    let limits = match args.days {
        0 => format!("up to {} GB of logs", args.gigabytes),
        days => format!("logs of {days} days, up to {} GB", args.gigabytes),
    };
    let copies = if args.replicas == 1 { "one server".to_owned() } else { format!("{} servers", args.replicas) };
    say(&format!("The fleet {} keeps {limits}, on {copies}.\n", fleet.name))
}

async fn list(args: &ListArgs) -> anyhow::Result<()> {
    let (fleet, settings) = fleet_of(&args.serve, "list")?;
    let registry = MachineRegistry::connect(&fleet, settings.clock).await?;
    let (machines, retention) = (registry.machines().await?, registry.retention());
    if args.json {
        let json = serde_json::json!({ "fleet": fleet.name, "retention": retention, "machines": machines });
        return say(&format!("{json:#}\n"));
    }
    say(&format!("{}{}", table(&fleet.name, &machines)?, retention_line(&retention)))
}

/// One line a machine.
fn table(fleet: &str, machines: &[KnownMachine]) -> anyhow::Result<String> {
    if machines.is_empty() {
        return Ok(format!("The streams of {fleet} know no machine.\n"));
    }
    let width = machines.iter().map(|machine| machine.label().chars().count()).max().unwrap_or_default().max(4);
    let mut text = format!("{:width$}  {:32}  {:10}  {:24}  {:>15}\n", "NAME", "ID", "STATE", "LAST HELLO", "BYTES");
    for machine in machines {
        let (label, id, state) = (machine.label(), &machine.id, machine.state.as_str());
        let last = machine.last_hello.map_or_else(|| "-".to_owned(), to_iso);
        writeln!(text, "{label:width$}  {id:32}  {state:10}  {last:24}  {:>15}", machine.bytes)?;
    }
    Ok(text)
}

/// Limits of the stream of logs, and what it holds.
fn retention_line(retention: &FleetRetention) -> String {
    let FleetRetention { max_age_ms, max_bytes, bytes, first_time } = *retention;
    let age = max_age_ms.map(|ms| match ms / DAY_MS {
        1 if ms % DAY_MS == 0 => "for a day".to_owned(),
        days if ms % DAY_MS == 0 => format!("for {days} days"),
        _ => format!("for {} seconds", ms / 1_000),
    });
    let size = max_bytes.map(|limit| format!("up to {limit} bytes"));
    let limits: Vec<String> = age.into_iter().chain(size).collect();
    let limits = if limits.is_empty() { "without a limit".to_owned() } else { limits.join(", ") };
    let first = first_time.map(|at| format!(", the oldest line of {}", to_iso(at))).unwrap_or_default();
    format!("Lines are kept {limits}. Stored: {bytes} bytes{first}.\n")
}

async fn forget(args: &ForgetArgs) -> anyhow::Result<()> {
    let (fleet, settings) = fleet_of(&args.serve, "forget")?;
    let register = MachineRegistry::connect(&fleet, settings.clock).await?;
    let machines = register.machines().await?;
    let machine = find_machine(&machines, &args.machine)?;
    let (name, id) = (machine.label(), &machine.id);
    if let Some(refusal) = register.refusal(machine).await? {
        anyhow::bail!(refusal);
    }
    if !args.yes && !confirms(&format!("Remove {name} ({id}) from the fleet {}?", fleet.name))? {
        return say("Nothing was removed.\n");
    }
    let purged = register.forget(machine).await?;
    say(&format!(
        "{name} ({id}) is removed from the fleet {}, with {} batches of lines and {} messages of files. Its home is unchanged; \
         publishing it again adds it from the beginning.\n",
        fleet.name, purged.batches, purged.states
    ))
}

/// Asks at the terminal.
///
/// # Errors
/// Without a terminal.
fn confirms(question: &str) -> anyhow::Result<bool> {
    anyhow::ensure!(
        stdin().is_terminal(),
        "fleet forget asks before it removes a machine: without a terminal, add --yes"
    );
    write!(stderr(), "{question} Its lines and files leave the streams. [y/N] ")?;
    stderr().flush()?;
    let mut answer = String::new();
    stdin().read_line(&mut answer).context("cannot read the answer")?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn say(text: &str) -> anyhow::Result<()> {
    stdout().write_all(text.as_bytes()).context("cannot write to standard output")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_ends_with_the_retention_of_the_lines() {
        let limited = FleetRetention {
            max_age_ms: Some(90 * DAY_MS),
            max_bytes: Some(10_000_000_000),
            bytes: 480,
            first_time: Some(1_771_651_020_000),
        };
        assert_eq!(
            retention_line(&limited),
            "Lines are kept for 90 days, up to 10000000000 bytes. Stored: 480 bytes, the oldest line of \
             2026-02-21T05:17:00.000Z.\n"
        );
        let short = FleetRetention { max_age_ms: Some(90_500), ..FleetRetention::default() };
        assert_eq!(retention_line(&short), "Lines are kept for 90 seconds. Stored: 0 bytes.\n");
        assert_eq!(retention_line(&FleetRetention::default()), "Lines are kept without a limit. Stored: 0 bytes.\n");
    }
}
