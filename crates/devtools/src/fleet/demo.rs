//! Command `make run-fleet`: a fleet to look at. Three servers, two machines with demo homes that go on, two aggregators, and
//! one address before both. They are in one process group, so one Ctrl-C ends them all.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::cluster::{Cluster, SERVERS};
use super::process::Process;
use super::proxy::FaultyProxy;
use super::site::TestFleet;
use crate::{setup, shell, tree};

/// Machines of the demo, and the seeds of their homes.
const MACHINES: [(&str, &str); 2] = [("seum-mac", "1"), ("dajim-pc", "2")];
const AGGREGATORS: [&str; 2] = ["one", "two"];

/// Builds what is needed, starts everything and waits until it is ended.
pub fn run() -> Result<()> {
    let monitor = xtask::run::build()?;
    let folder = tree::target()?.join("run-fleet");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| format!("cannot clear {}", folder.display()))?;
    }
    std::fs::create_dir_all(&folder)?;
    let cluster = Cluster::start(&setup::nats_server()?, &folder)?;
    let fleet = TestFleet::new(&monitor, "studio", &cluster.urls(), &folder)?;
    let mut fleet = fleet.with_bundle(xtask::page::dist()?);
    fleet.make_streams()?;
    let mut writers = Vec::new();
    for (name, seed) in MACHINES {
        let home = folder.join("homes").join(name).join(".openclaw");
        writers.push(demo_home(&monitor, &home, (seed, &fleet.log_of(&format!("{name}-home"))))?);
        fleet.add_machine(name, home)?;
    }
    AGGREGATORS.into_iter().try_for_each(|name| fleet.add_aggregator(name))?;
    let ports: Vec<u16> = fleet.aggregators.iter().map(|aggregator| aggregator.port).collect();
    let front = FaultyProxy::front(&ports)?;
    shell::say(&format!(
        "open http://127.0.0.1:{}/ (leads to one aggregator, to the other when that ends)",
        front.port()?
    ));
    for aggregator in &fleet.aggregators {
        let id = aggregator.process.as_ref().context("the aggregator does not run")?.id();
        let (name, port) = (&aggregator.name, aggregator.port);
        shell::say(&format!("aggregator {name}, process {id}: http://127.0.0.1:{port}/"));
    }
    for number in 0..SERVERS {
        shell::say(&format!("server {}, process {}", number + 1, cluster.server(number)?.id()));
    }
    for machine in &fleet.machines {
        let id = machine.publisher.as_ref().context("the publisher does not run")?.id();
        shell::say(&format!("publisher of {}, process {id}", machine.name));
    }
    shell::say(&format!("logs of all processes: {}", folder.display()));
    shell::say("end any of them and look at the page; Ctrl-C ends all");
    loop {
        std::thread::park();
    }
}

/// A demo home that is written to.
fn demo_home(monitor: &Path, home: &Path, (seed, log): (&str, &Path)) -> Result<Process> {
    let mut command = Command::new(monitor);
    command.arg("rehearse").arg(home).args(["--demo", "--follow", "--seed", seed]);
    let writer = Process::start(&mut command, log)?;
    super::retry("the demo home", super::READ_WITHIN, || {
        std::fs::metadata(home.join("logs/coordination-events.ndjson")).map(drop).context("no log yet")
    })?;
    Ok(writer)
}
