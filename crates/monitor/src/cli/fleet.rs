//! Commands `task-monitor fleet`: `init` makes the streams of a fleet or gives them another retention, `list` shows the
//! machines that they know, `forget` removes one.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _, stderr, stdin, stdout};
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, Subcommand};

use coordination::time::to_iso;

use crate::config::{FleetSettings, ServeArgs, Settings};
use crate::fleet::{KnownMachine, MachineRegistry, Retention, find_machine, make_streams};

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
    let machines = MachineRegistry::connect(&fleet, settings.clock).await?.machines().await?;
    if args.json {
        let json = serde_json::json!({ "fleet": fleet.name, "machines": machines });
        return say(&format!("{json:#}\n"));
    }
    say(&table(&fleet.name, &machines)?)
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
