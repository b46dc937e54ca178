//! Fleet lane: machines and aggregators over a cluster of three real NATS servers, with a schedule of faults that follows from
//! a seed. What an aggregator answers below `/@<name>/` is compared with a plain monitor that reads the same home, and its
//! mirror with the files.
//!
//! The whole lane runs once for each version of the servers: the pinned one and the one on `PATH`. A line says
//! when the latter is missing.
//!
//! Proves (fleet): An aggregator answers for each machine as a monitor there, also with messages of transcripts and approvals
//! that wait in OpenClaw, merges their lists and searches, and has their logs byte by byte, after a schedule of faults: killed
//! and stopped processes, a lost quorum, connections that are held, slow or cut, lost acknowledgements, refused passwords,
//! wrong clocks, second publishers, damaged messages, rotations, and a removed mirror or stream. A browser continues at
//! another aggregator without a reset. No change is made twice, late or at another machine. A removed machine is gone from
//! all of them, and comes back whole when it is published again. With `docs/guide/fleet-server.conf` a fleet works over TLS, and
//! the server refuses each user what the guide says.
//! Long form: `make soak ARGS=fleet`.

mod accounts;
mod aggregator;
mod answers;
mod changes;
mod cluster;
mod demo;
mod difference;
mod faults;
mod merged;
mod moving_browser;
mod plan;
mod process;
mod proxy;
mod requests;
mod site;
mod stories;
mod talk;
mod wire;
mod writer;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context as _, Result};
use bench::server::BenchServer;

use crate::{bundle, clock, setup, shell, tree};
use answers::{MirroredMachine, PlainAnswers, PlainMonitor};
use cluster::Cluster;
use faults::FaultySite;
use merged::PlainLists;
use moving_browser::MovingBrowser;
use plan::{FaultKind, PlanSize, PlannedFault, SplitMix};
use process::retry;
use site::{CLOCK_MS, FIRST_PASSWORD, TestFleet};
use writer::{LineStream, Writer};

pub use demo::run as run_demo;

/// The schedule of each run of the tests.
const SHORT: PlanSize = PlanSize {
    machines: 4,
    aggregators: 2,
    faults: 28,
    duration_ms: 60_000,
    quorum_lost_ms: 6_000,
    lines_without_quorum: 1_000,
    pace: 200,
};
/// The schedule of the soak.
const LONG: PlanSize = PlanSize {
    machines: 5,
    aggregators: 3,
    faults: 300,
    duration_ms: 600_000,
    quorum_lost_ms: 60_000,
    lines_without_quorum: 100_000,
    pace: 2_000,
};
/// Sessions, tasks and events of each machine that are looked at one by one.
const SHORT_SAMPLE: usize = 6;
const LONG_SAMPLE: usize = 60;
/// Events of a rehearsed home at the start.
const REHEARSED_EVENTS: u32 = 3_000;
/// How long a mirror may take to be like its home once nothing happens any more.
const MIRRORED_WITHIN: Duration = Duration::from_secs(60);
/// How long a monitor may take to read what is in its files.
const READ_WITHIN: Duration = Duration::from_secs(30);

/// The proof: in short, or as the soak has it. A run with the seed of another one has the same schedule. `server` is the
/// program of the servers, if it is not to run once with each.
pub fn run(long: bool, seed: Option<u64>, server: Option<PathBuf>) -> Result<()> {
    answers::check_routes()?;
    let monitor = monitor(long)?;
    let of_now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(1, |time| time.as_secs());
    let seed = seed.unwrap_or_else(|| if long { of_now() } else { 1 });
    let servers = match server {
        Some(server) => vec![server],
        None => {
            let installed = shell::which("nats-server");
            if installed.is_none() {
                shell::say("fleet: skipped with an installed nats-server: PATH has none; only the pinned version runs");
            }
            std::iter::once(setup::nats_server()?).chain(installed).collect()
        }
    };
    for server in servers {
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

/// The monitor. At the pace of the long form it is the optimised one.
fn monitor(long: bool) -> Result<PathBuf> {
    if long {
        shell::run(shell::cargo().args(["build", "--locked", "--release", "-p", "task-monitor"]))?;
        return Ok(tree::target()?.join("release/task-monitor"));
    }
    xtask::browser_tests::build_monitor()?;
    Ok(tree::target()?.join("debug/task-monitor"))
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
        let seen = self.schedule(&mut cluster)?;
        moving_browser::story(self, &cluster).context("a browser that moves")?;
        stories::removed_logs(self, &cluster).context("removed logs")?;
        stories::renamed_while_away(self, &cluster).context("a log that was renamed while nothing was published")?;
        stories::forgotten_machine(self, &cluster).context("a removed machine")?;
        stories::copied_machine(self, &cluster).context("a copied machine")?;
        stories::evicted_logs(self, &cluster).context("a stream that is too small")?;
        requests::of_machines(self, &cluster).context("reads and permission requests")?;
        accounts::story(self).context("a server with accounts")?;
        changes::of_machines(self, &mut cluster).context("changes over connections that are held and cut")?;
        Ok(seen)
    }

    /// The schedule of faults, with comparisons before and after it.
    fn schedule(&self, cluster: &mut Cluster) -> Result<String> {
        let size = if self.long { LONG } else { SHORT };
        let mut fleet = self.fleet(cluster, "studio")?.with_proxies(cluster);
        faults::shorten_duplicate_window(cluster, &fleet.name)?;
        let (homes, aggregators) = (self.homes()?, &["one", "two", "three"][..size.aggregators]);
        for name in homes.iter().map(|(name, _)| name.as_str()).chain(aggregators.iter().copied()) {
            cluster.set_password(&fleet.user_of(name), FIRST_PASSWORD)?;
        }
        for (name, home) in homes {
            fleet.add_machine(&name, home)?;
        }
        aggregators.iter().try_for_each(|name| fleet.add_aggregator(name))?;
        let before = self.compare(&fleet).context("before the first fault")?;
        let mut plan = plan::plan(self.seed, &size);
        if self.has_diverging_replicas() {
            let paused = plan.iter_mut().filter(|fault| fault.kind == FaultKind::PauseServer);
            paused.for_each(|fault| fault.kind = FaultKind::KillServer);
        }
        let shown: Vec<String> =
            plan.iter().enumerate().map(|(number, fault)| format!("{number}: {fault}\n")).collect();
        std::fs::write(self.folder.join("schedule.txt"), shown.concat())?;
        shell::say(&format!(
            "fleet: {before} answers are the same; seed {}, {} faults ({}), each in {}",
            self.seed,
            plan.len(),
            counts(&plan),
            self.folder.join("schedule.txt").display()
        ));
        let homes = fleet.machines.iter().map(|machine| machine.home.clone()).collect();
        let lines = LineStream::start(homes, size.pace, SplitMix(self.seed));
        let browser = MovingBrowser::start(&fleet, &fleet.machines[0].name, SplitMix(self.seed));
        let start = Instant::now();
        let mut site = FaultySite { fleet: &mut fleet, cluster, lines: &lines, size };
        faults::run(&mut site, &plan)?;
        let lasted = start.elapsed();
        site.leave_flaws()?;
        let (written, pace) = lines.finish()?;
        shell::say(&format!("fleet: {written} lines, {pace:.0} a second; faults in {}", clock::words(lasted)));
        let after = self.compare(&fleet).context("after the faults")?;
        let moves = browser.finish(&fleet)?;
        if !self.long {
            talk::ensure_shown(&fleet, true)?;
            talk::resolve(&fleet)?;
            self.compare(&fleet).context("after the approvals were answered")?;
            talk::ensure_shown(&fleet, false)?;
            let (mut random, mut writer) = (SplitMix(self.seed), Writer::default());
            stories::delete_stream(&mut fleet, cluster)?;
            self.compare(&fleet).context("after the stream was deleted")?;
            for stream in ["TH_LOG", "TH_STATE"] {
                stories::write_to_new_stream(&fleet, cluster, stream, (&mut random, &mut writer))?;
                self.compare(&fleet).with_context(|| format!("after lines for a new {stream}"))?;
            }
        }
        Ok(format!(
            "{before} answers before and {after} after {} faults and {written} lines are those of plain monitors; a browser \
             moved {moves} times and has what each aggregator answers",
            plan.len()
        ))
    }

    /// Whether a leader of a stream that is paused may write messages of its own where the others have those of the next
    /// leader. Seen in the files of three servers of 2.9.10; the mirror that read from the first one named the hole.
    fn has_diverging_replicas(&self) -> bool {
        self.folder.file_name().is_some_and(|version| version.to_string_lossy().starts_with("2.9."))
    }

    /// A fleet of the cluster, with its streams.
    fn fleet(&self, cluster: &Cluster, name: &str) -> Result<TestFleet> {
        let fleet = TestFleet::new(&self.monitor, name, &cluster.urls(), &self.folder)?;
        fleet.make_streams()?;
        Ok(fleet)
    }

    /// Rehearsed homes; in the short form one of them, copies of two fixtures, and a home with transcripts.
    fn homes(&self) -> Result<Vec<(String, PathBuf)>> {
        if self.long {
            return (0..LONG.machines).map(|number| self.rehearsed(&format!("home-{number}"), 7 + number)).collect();
        }
        // A home without configuration: its agents are those of its log and of its folders.
        let ping_pong = self.copied("ping-pong", "ping-pong")?;
        std::fs::remove_file(ping_pong.join("openclaw.json"))?;
        for workspace in ["workspace", "workspace-seum"] {
            std::fs::create_dir_all(ping_pong.join(workspace))?;
            std::fs::write(ping_pong.join(workspace).join("CURRENT_TASK.md"), "# Task\n\n- [ ] step\n")?;
        }
        let everything = self.copied("everything", "everything")?;
        let talking = (talk::NAME.to_owned(), talk::home(self)?);
        let named = [("everything", everything), ("ping-pong", ping_pong)].map(|(name, home)| (name.to_owned(), home));
        Ok(named.into_iter().chain([talking, self.rehearsed("rehearsed", 7)?]).collect())
    }

    fn rehearsed(&self, name: &str, seed: usize) -> Result<(String, PathBuf)> {
        let home = self.home(name);
        std::fs::create_dir_all(&home)?;
        let mut rehearse = Command::new(&self.monitor);
        rehearse.arg("rehearse").arg(&home);
        rehearse.args(["--events", &REHEARSED_EVENTS.to_string(), "--seed", &seed.to_string()]);
        shell::run_quietly(rehearse.args(["--end", &CLOCK_MS.to_string()]))?;
        Ok((name.to_owned(), home))
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
            let plain = PlainAnswers::read(&plain, sample)?;
            for aggregator in &fleet.aggregators {
                let source = aggregator.source(&machine.name)?;
                let home = aggregator.mirrored_home(&source).to_string_lossy().into_owned();
                let mirrored = MirroredMachine { port: aggregator.port, name: &machine.name, home };
                let what = format!("answers of {} for {}", aggregator.name, machine.name);
                questions += retry(&what, READ_WITHIN, || answers::compare(&plain, &mirrored, &self.folder))?;
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

/// How many faults of each kind a schedule has.
fn counts(plan: &[PlannedFault]) -> String {
    let mut counts: BTreeMap<FaultKind, usize> = BTreeMap::new();
    for fault in plan {
        *counts.entry(fault.kind).or_default() += 1;
    }
    counts.iter().map(|(kind, count)| format!("{count} {kind:?}")).collect::<Vec<_>>().join(", ")
}
