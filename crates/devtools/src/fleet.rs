//! Fleet lane: four machines and two aggregators over a cluster of three real NATS servers, with faults. What an aggregator
//! answers below `/@<name>/` is compared with a plain monitor that reads the same home, and its mirror with the files.
//!
//! The whole lane runs once for each version of the servers: the pinned one and the one on `PATH`, if there is one.
//!
//! Proves (fleet): An aggregator answers for each machine as a monitor there, also with messages of transcripts and approvals
//! that wait in OpenClaw, merges their lists in one order, and has their logs byte by byte, after kills and pauses of servers,
//! publishers and aggregators, after rotations, and after a removed mirror or stream. A browser continues at another
//! aggregator without a reset. A removed machine is gone from all of them, and comes back whole when it is published again.
//! Long form: `make soak ARGS=fleet`.

mod answers;
mod cluster;
mod demo;
mod faults;
mod merged;
mod moving_browser;
mod process;
mod requests;
mod site;
mod stories;
mod talk;
mod wire;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, Result};
use bench::server::BenchServer;

use crate::{bundle, clock, setup, shell, tree};
use answers::{MirroredMachine, PlainMonitor};
use cluster::Cluster;
use faults::{SplitMix, Writer};
use merged::PlainLists;
use process::retry;
use site::{CLOCK_MS, TestFleet};

pub use demo::run as run_demo;

/// Faults and the time over which they are spread.
const SHORT_FAULTS: (usize, Duration) = (12, Duration::ZERO);
const LONG_FAULTS: (usize, Duration) = (300, Duration::from_secs(600));
/// Sessions, tasks and events of each machine that are looked at one by one.
const SHORT_SAMPLE: usize = 6;
const LONG_SAMPLE: usize = 60;
/// Events of the third home.
const REHEARSED_EVENTS: u32 = 3_000;
/// How long a mirror may take to be like its home once nothing happens any more.
const MIRRORED_WITHIN: Duration = Duration::from_secs(60);
/// How long a monitor may take to read what is in its files.
const READ_WITHIN: Duration = Duration::from_secs(30);

/// The proof: in short, or as the soak has it.
pub fn run(long: bool) -> Result<()> {
    answers::check_routes()?;
    xtask::browser_tests::build_monitor()?;
    let monitor = tree::target()?.join("debug/task-monitor");
    let seed = match long {
        true => SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(1, |time| time.as_secs()),
        false => 1,
    };
    let pinned = setup::nats_server()?;
    let of_system = shell::which("nats-server");
    for server in std::iter::once(pinned).chain(of_system) {
        let version = version_of(&server)?;
        let folder = tree::target()?.join("fleet").join(&version);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).with_context(|| format!("cannot clear {}", folder.display()))?;
        }
        let start = Instant::now();
        let round = Round { monitor: monitor.clone(), server, folder, seed, long };
        let seen = round.run().with_context(|| format!("nats-server {version}, seed {seed}"))?;
        shell::say(&format!("fleet: nats-server {version}, seed {seed}: {seen} ({})", clock::words(start.elapsed())));
    }
    Ok(())
}

/// `2.14.0` out of `nats-server: v2.14.0`.
fn version_of(server: &Path) -> Result<String> {
    let line = shell::output(Command::new(server).arg("--version")).context("nats-server does not start")?;
    Ok(line.rsplit(['v', ' ']).next().unwrap_or_default().to_owned())
}

/// All of it with one version of the servers.
struct Round {
    monitor: PathBuf,
    server: PathBuf,
    folder: PathBuf,
    seed: u64,
    long: bool,
}

impl Round {
    fn run(&self) -> Result<String> {
        std::fs::create_dir_all(&self.folder)?;
        let mut cluster = Cluster::start(&self.server, &self.folder)?;
        let mut fleet = self.fleet(&cluster, "studio")?;
        for (name, home) in self.homes()? {
            fleet.add_machine(name, home)?;
        }
        ["one", "two"].into_iter().try_for_each(|name| fleet.add_aggregator(name))?;
        let before = self.compare(&fleet).context("before the first fault")?;
        let (mut random, mut writer) = (SplitMix(self.seed), Writer::default());
        let (count, duration) = if self.long { LONG_FAULTS } else { SHORT_FAULTS };
        faults::run(&mut fleet, &mut cluster, (&mut random, &mut writer), (count, duration))?;
        let after = self.compare(&fleet).context("after the faults")?;
        talk::ensure_shown(&fleet, true)?;
        talk::resolve(&fleet)?;
        self.compare(&fleet).context("after the approvals were answered")?;
        talk::ensure_shown(&fleet, false)?;
        stories::delete_stream(&mut fleet, &cluster)?;
        self.compare(&fleet).context("after the stream was deleted")?;
        stories::write_to_new_stream(&fleet, &cluster, (&mut random, &mut writer))?;
        self.compare(&fleet).context("after lines for a new stream")?;
        drop(fleet);
        moving_browser::story(self, &cluster).context("a browser that moves")?;
        stories::removed_logs(self, &cluster).context("removed logs")?;
        stories::forgotten_machine(self, &cluster).context("a removed machine")?;
        stories::second_publisher(self, &cluster).context("a second publisher")?;
        stories::evicted_logs(self, &cluster).context("a stream that is too small")?;
        requests::of_machines(self, &cluster).context("reads and permission requests")?;
        Ok(format!("{before} answers before and {after} after {count} faults are those of plain monitors"))
    }

    /// A fleet of the cluster, with its streams.
    fn fleet(&self, cluster: &Cluster, name: &str) -> Result<TestFleet> {
        let fleet = TestFleet::new(&self.monitor, name, &cluster.urls(), &self.folder)?;
        fleet.make_streams()?;
        Ok(fleet)
    }

    /// Copies of three fixtures, and a rehearsed home.
    fn homes(&self) -> Result<Vec<(&'static str, PathBuf)>> {
        let rehearsed = self.home("rehearsed");
        std::fs::create_dir_all(&rehearsed)?;
        let mut rehearse = Command::new(&self.monitor);
        rehearse.arg("rehearse").arg(&rehearsed).args(["--events", &REHEARSED_EVENTS.to_string(), "--seed", "7"]);
        shell::run_quietly(rehearse.args(["--end", &CLOCK_MS.to_string()]))?;
        // A home without configuration: its agents are those of its log and of its folders.
        let ping_pong = self.copied("ping-pong", "ping-pong")?;
        std::fs::remove_file(ping_pong.join("openclaw.json"))?;
        for workspace in ["workspace", "workspace-seum"] {
            std::fs::create_dir_all(ping_pong.join(workspace))?;
            std::fs::write(ping_pong.join(workspace).join("CURRENT_TASK.md"), "# Task\n\n- [ ] step\n")?;
        }
        let everything = self.copied("everything", "everything")?;
        let talking = talk::home(self)?;
        Ok(vec![("everything", everything), ("ping-pong", ping_pong), ("rehearsed", rehearsed), (talk::NAME, talking)])
    }

    /// A copy of a fixture.
    fn copied(&self, fixture: &str, name: &str) -> Result<PathBuf> {
        let home = self.home(name);
        bundle::copy_dir(&tree::root().join("fixtures").join(fixture), &home)?;
        Ok(home)
    }

    fn home(&self, name: &str) -> PathBuf {
        self.folder.join("homes").join(name).join(".openclaw")
    }

    /// Waits until the mirrors are like the homes, and compares the answers of both aggregators; the number of questions.
    fn compare(&self, fleet: &TestFleet) -> Result<usize> {
        fleet.wait_until_mirrored(MIRRORED_WITHIN)?;
        let sample = if self.long { LONG_SAMPLE } else { SHORT_SAMPLE };
        let mut questions = 0;
        let mut lists = Vec::new();
        for machine in &fleet.machines {
            let server = BenchServer::start(&self.monitor, &machine.home, &["--clock", &CLOCK_MS.to_string()])?;
            server.wait_until_indexed()?;
            let plain = PlainMonitor { server: &server, home: machine.home.to_string_lossy().into_owned() };
            for aggregator in &fleet.aggregators {
                let source = aggregator.source(&machine.name)?;
                let home = aggregator.mirrored_home(&source).to_string_lossy().into_owned();
                let mirrored = MirroredMachine { port: aggregator.port, name: &machine.name, home };
                let what = format!("answers of {} for {}", aggregator.name, machine.name);
                questions += retry(&what, READ_WITHIN, || answers::compare(&plain, &mirrored, sample, &self.folder))?;
            }
            // Now it has read its transcripts as well.
            lists.push(PlainLists::read(server.port, &machine.name)?);
        }
        for aggregator in &fleet.aggregators {
            let what = format!("merged lists of {}", aggregator.name);
            questions += retry(&what, READ_WITHIN, || merged::compare(aggregator.port, &lists))?;
        }
        Ok(questions)
    }
}
