//! Seeded schedule of faults: publishers, aggregators and servers are killed and paused, and a mirror is removed, while lines are
//! written and logs are rotated. One fault is over before the next one begins.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::json;

use super::cluster::{Cluster, SERVERS};
use super::site::{CLOCK_MS, TestFleet};
use super::talk;

#[derive(Debug, Clone, Copy)]
enum InjectedFault {
    KillPublisher,
    PausePublisher,
    KillAggregator,
    RemoveMirror,
    KillLeader,
    KillServer,
    PauseServer,
    RenameLog,
    TruncateLog,
    RewriteFile,
}

const FAULTS: [InjectedFault; 10] = [
    InjectedFault::KillPublisher,
    InjectedFault::PausePublisher,
    InjectedFault::KillAggregator,
    InjectedFault::RemoveMirror,
    InjectedFault::KillLeader,
    InjectedFault::KillServer,
    InjectedFault::PauseServer,
    InjectedFault::RenameLog,
    InjectedFault::TruncateLog,
    InjectedFault::RewriteFile,
];

/// Numbers from a seed (SplitMix64).
pub(super) struct SplitMix(pub(super) u64);

impl SplitMix {
    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % (end as u64)).unwrap_or_default()
    }
}

/// Writes to the homes of a fleet: numbered events, so that every line is another one.
#[derive(Default)]
pub(super) struct Writer {
    events: u64,
    archives: u64,
}

impl Writer {
    /// Appends some lines to the live log of each home, some of them in two writes, and messages to the transcripts of one.
    pub(super) fn append(&mut self, fleet: &TestFleet, random: &mut SplitMix) -> Result<()> {
        for machine in &fleet.machines {
            let mut log = OpenOptions::new().append(true).create(true).open(live_log(&machine.home))?;
            for _ in 0..=random.below(12) {
                let line = self.line();
                let cut = if random.below(3) == 0 { random.below(line.len()) } else { 0 };
                log.write_all(&line.as_bytes()[..cut])?;
                if cut > 0 {
                    std::thread::sleep(Duration::from_millis(random.below(30) as u64));
                }
                log.write_all(&line.as_bytes()[cut..])?;
            }
            if machine.name == talk::NAME {
                talk::say(&machine.home, self.events)?;
            }
        }
        Ok(())
    }

    fn line(&mut self) -> String {
        self.events += 1;
        let number = self.events;
        let body = json!({
            "type": if number.is_multiple_of(2) { "a2a.send" } else { "a2a.response" },
            "agentId": "eden",
            "ts": CLOCK_MS - 600_000 + number,
            "data": {
                "fromAgent": "eden", "toAgent": "seum", "eventRole": "conversation.main",
                "conversationId": format!("lane-{}", number / 20), "workSessionId": format!("ws_lane-{}", number / 100),
                "message": format!("배포 상태를 확인해 주세요. marker {number} end")
            }
        });
        format!("{body}\n")
    }

    /// Path for the live log once it is an archive.
    fn archive(&mut self, home: &Path) -> std::path::PathBuf {
        self.archives += 1;
        let (seconds, minutes) = (self.archives % 60, self.archives / 60);
        home.join(format!("logs/coordination-events-2026-02-21T05-{minutes:02}-{seconds:02}-000Z.ndjson"))
    }
}

fn live_log(home: &Path) -> std::path::PathBuf {
    home.join("logs/coordination-events.ndjson")
}

/// Runs that many faults, each kind in turn in another order, spread over `duration` when that is longer than they take.
pub(super) fn run(
    fleet: &mut TestFleet,
    cluster: &mut Cluster,
    (random, writer): (&mut SplitMix, &mut Writer),
    (count, duration): (usize, Duration),
) -> Result<()> {
    let start = Instant::now();
    let mut order: Vec<InjectedFault> = Vec::new();
    for number in 0..count {
        if order.is_empty() {
            order = FAULTS.to_vec();
        }
        let fault = order.swap_remove(random.below(order.len()));
        writer.append(fleet, random)?;
        inject(fault, fleet, cluster, (random, writer)).with_context(|| format!("fault {number}, {fault:?}"))?;
        writer.append(fleet, random)?;
        let due = duration.mul_f64((number + 1) as f64 / count as f64);
        std::thread::sleep(due.saturating_sub(start.elapsed()));
    }
    Ok(())
}

fn inject(
    fault: InjectedFault,
    fleet: &mut TestFleet,
    cluster: &mut Cluster,
    (random, writer): (&mut SplitMix, &mut Writer),
) -> Result<()> {
    let machine = random.below(fleet.machines.len());
    let aggregator = random.below(fleet.aggregators.len());
    let server = random.below(SERVERS);
    let mut write_for = |fleet: &TestFleet, most_ms: usize| {
        writer.append(fleet, random)?;
        std::thread::sleep(Duration::from_millis(100 + random.below(most_ms) as u64));
        writer.append(fleet, random)
    };
    match fault {
        InjectedFault::KillPublisher => {
            fleet.machines[machine].publisher.take().context("no publisher")?.kill()?;
            write_for(fleet, 500)?;
            fleet.start_publisher(machine)
        }
        InjectedFault::PausePublisher => {
            fleet.machines[machine].publisher.as_ref().context("no publisher")?.pause()?;
            write_for(fleet, 1_500)?;
            fleet.machines[machine].publisher.as_ref().context("no publisher")?.resume()
        }
        InjectedFault::KillAggregator | InjectedFault::RemoveMirror => {
            fleet.aggregators[aggregator].process.take().context("no aggregator")?.kill()?;
            if matches!(fault, InjectedFault::RemoveMirror) {
                std::fs::remove_dir_all(&fleet.aggregators[aggregator].mirror).context("cannot remove the mirror")?;
            }
            write_for(fleet, 500)?;
            fleet.start_aggregator(aggregator)
        }
        InjectedFault::KillLeader | InjectedFault::KillServer => {
            let leader = cluster.leader(&format!("TH_LOG_{}", fleet.name)).unwrap_or(server);
            let server = if matches!(fault, InjectedFault::KillLeader) { leader } else { server };
            cluster.kill_server(server)?;
            write_for(fleet, 1_500)?;
            cluster.start_server(server)
        }
        InjectedFault::PauseServer => {
            cluster.server(server)?.pause()?;
            write_for(fleet, 2_500)?;
            cluster.server(server)?.resume()
        }
        InjectedFault::RenameLog => {
            let home = fleet.machines[machine].home.clone();
            std::fs::rename(live_log(&home), writer.archive(&home)).context("cannot rename the live log")
        }
        InjectedFault::TruncateLog => {
            let home = fleet.machines[machine].home.clone();
            std::fs::copy(live_log(&home), writer.archive(&home)).context("cannot copy the live log")?;
            OpenOptions::new().write(true).open(live_log(&home))?.set_len(0).context("cannot truncate the live log")
        }
        InjectedFault::RewriteFile => {
            let home = fleet.machines[machine].home.clone();
            let file = home.join("workspace-eden/CURRENT_TASK.md");
            let text = format!("# Task {}\n\n- [ ] step {}\n", random.below(1_000), random.below(1_000));
            std::fs::create_dir_all(home.join("workspace-eden"))?;
            let staged = home.join("workspace-eden/staged");
            std::fs::write(&staged, text)?;
            std::fs::rename(staged, file).context("cannot replace a file")
        }
    }
}
