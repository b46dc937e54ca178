//! Faults of a schedule: how each begins and ends, and how it is seen that it had an effect. One without effect fails the run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::json;

use super::aggregator::Aggregator;
use super::cluster::{Cluster, SERVERS};
use super::plan::{FaultKind, PlanSize, PlannedFault};
use super::process::{Process, retry};
use super::proxy::{FaultyProxy, Traffic, counted, wait_for_more};
use super::site::{ServerLink, TestFleet, TestMachine};
use super::stories::ended_by_conflict;
use super::wire::Tap;
use super::writer::{LineStream, rewrite_task};

/// A fault has its effect within this, on a machine with other work too.
const EFFECT_WITHIN: Duration = Duration::from_secs(90);
/// How long the servers of a schedule recognise a repeated message.
const DUPLICATE_WINDOW: Duration = Duration::from_secs(1);
const CLOCK_AHEAD_MS: i64 = 3 * 3_600_000;
const SLOW_BYTES_PER_SECOND: u64 = 20_000;
/// Form of a damaged message that is a copy of a batch which no stream has.
const UNSTORED: usize = 3;

/// What faults are done to.
pub(super) struct FaultySite<'a> {
    pub(super) fleet: &'a mut TestFleet,
    pub(super) cluster: &'a mut Cluster,
    pub(super) lines: &'a LineStream,
    pub(super) size: PlanSize,
}

/// What was so when a fault began.
#[derive(Default)]
struct FaultStart {
    /// A number that must be larger at the end.
    count: u64,
    process: Option<Process>,
    servers: Vec<usize>,
}

/// Runs a schedule, each beginning and end in its turn and not before its time.
pub(super) fn run(site: &mut FaultySite, plan: &[PlannedFault]) -> Result<()> {
    let begins = plan.iter().enumerate().map(|(number, fault)| (fault.begin_ms, true, number));
    let ends = plan.iter().enumerate().map(|(number, fault)| (fault.end_ms, false, number));
    let mut steps: Vec<(u64, bool, usize)> = begins.chain(ends).collect();
    // At the same time, ends come first. A fault without duration begins first of all.
    steps.sort_by_key(|(at, is_begin, number)| (*at, *is_begin && plan[*number].end_ms > *at, *number, !*is_begin));
    let start = Instant::now();
    let mut begun = BTreeMap::new();
    // A step that takes its time moves all later ones, so that no fault is shorter than planned.
    let mut late = Duration::ZERO;
    for (at, is_begin, number) in steps {
        let planned = Duration::from_millis(at);
        std::thread::sleep((planned + late).saturating_sub(start.elapsed()));
        late = start.elapsed().saturating_sub(planned);
        let fault = plan[number];
        let done = match (is_begin, begun.remove(&number)) {
            (true, _) => site.begin(fault).map(|start| drop(begun.insert(number, start))),
            (false, Some(start)) => site.end(fault, start),
            (false, None) => bail!("fault {number} ends before it begins"),
        };
        let step = if is_begin { "begin" } else { "end" };
        done.with_context(|| format!("{step} of fault {number} ({fault}), at {:.1} s", start.elapsed().as_secs_f64()))?;
    }
    Ok(())
}

/// Lets the servers of a fleet recognise repeated messages only for a short time, as after a long outage.
pub(super) fn shorten_duplicate_window(cluster: &Cluster, fleet: &str) -> Result<()> {
    let stream = format!("TH_LOG_{fleet}");
    let mut config = cluster.request(&format!("STREAM.INFO.{stream}"), "")?["config"].take();
    let window = json!(u64::try_from(DUPLICATE_WINDOW.as_nanos())?);
    config["duplicate_window"] = window.clone();
    let made = cluster.request(&format!("STREAM.UPDATE.{stream}"), &config.to_string())?;
    ensure!(made["config"]["duplicate_window"] == window, "the duplicate window is {}", made["config"]);
    Ok(())
}

impl FaultySite<'_> {
    /// What stays after the last fault, so that the comparison meets it: clocks that are wrong, and damaged messages.
    pub(super) fn leave_flaws(&mut self) -> Result<()> {
        self.set_clock(0, CLOCK_AHEAD_MS)?;
        self.set_clock(1, -CLOCK_AHEAD_MS)?;
        self.poison(self.fleet.machines.len() - 1, UNSTORED)
    }

    fn machine(&self, fault: PlannedFault) -> &TestMachine {
        &self.fleet.machines[fault.target]
    }

    fn aggregator(&self, fault: PlannedFault) -> &Aggregator {
        &self.fleet.aggregators[fault.target]
    }

    fn home(&self, fault: PlannedFault) -> PathBuf {
        self.machine(fault).home.clone()
    }

    fn link(&self, fault: PlannedFault) -> Result<&ServerLink> {
        let link = match fault.kind {
            FaultKind::SlowAggregator
            | FaultKind::HoldAggregator
            | FaultKind::DelayAggregator
            | FaultKind::CutAggregator
            | FaultKind::PauseAggregator
            | FaultKind::RevokeAggregator => &self.aggregator(fault).link,
            _ => &self.machine(fault).link,
        };
        link.as_ref().context("no proxy")
    }

    fn proxy(&self, fault: PlannedFault) -> Result<&FaultyProxy> {
        Ok(&self.link(fault)?.proxy)
    }

    fn begin(&mut self, fault: PlannedFault) -> Result<FaultStart> {
        let mut start = FaultStart::default();
        match fault.kind {
            FaultKind::KillPublisher => self.kill_publisher(fault)?,
            FaultKind::PausePublisher => self.publisher(fault)?.pause()?,
            FaultKind::LoseAcknowledgement => {
                self.proxy(fault)?.hold_acknowledgement(EFFECT_WITHIN)?;
                self.kill_publisher(fault)?;
                let proxy = self.proxy(fault)?;
                proxy.cut();
                proxy.set(Traffic::Open);
            }
            FaultKind::HoldPublisher | FaultKind::HoldAggregator | FaultKind::PartitionedRotation => {
                start.count = counted(self.proxy(fault)?, |counts| &counts.hindered);
                self.proxy(fault)?.set(Traffic::Held);
                if fault.kind == FaultKind::PartitionedRotation {
                    self.rotate(fault)?;
                }
            }
            FaultKind::DelayPublisher | FaultKind::DelayAggregator => {
                start.count = counted(self.proxy(fault)?, |counts| &counts.hindered);
                self.proxy(fault)?.set(Traffic::Delayed(Duration::from_millis(30 + 120 * fault.form as u64)));
            }
            FaultKind::SlowAggregator => {
                start.count = counted(self.proxy(fault)?, |counts| &counts.hindered);
                self.proxy(fault)?.set(Traffic::Limited(SLOW_BYTES_PER_SECOND));
            }
            FaultKind::CutPublisher | FaultKind::CutAggregator => self.cut(fault)?,
            FaultKind::RevokePublisher => {
                start.count = self.revoked_lines(fault)?;
                self.change_password(fault)?;
            }
            FaultKind::RevokeAggregator => self.change_password(fault)?,
            FaultKind::ShiftClock => {
                let ahead_ms = if fault.form < 2 { CLOCK_AHEAD_MS } else { -CLOCK_AHEAD_MS };
                self.set_clock(fault.target, ahead_ms)?;
            }
            FaultKind::SecondPublisher => start.process = Some(self.fleet.publisher_of(self.machine(fault))?),
            FaultKind::PoisonBatch => self.poison(fault.target, fault.form)?,
            FaultKind::RenameLog => drop(self.lines.writer().rename_log(&self.home(fault))?),
            FaultKind::TruncateLog => self.lines.writer().truncate_log(&self.home(fault))?,
            FaultKind::CopyLog => self.lines.writer().copy_log(&self.home(fault))?,
            FaultKind::RewriteFile => self.rewrite_file(fault)?,
            FaultKind::KillAggregator | FaultKind::RemoveMirror => {
                let aggregator = &mut self.fleet.aggregators[fault.target];
                aggregator.process.take().context("no aggregator")?.kill()?;
                if fault.kind == FaultKind::RemoveMirror {
                    std::fs::remove_dir_all(&aggregator.mirror).context("cannot remove the mirror")?;
                }
            }
            FaultKind::PauseAggregator => {
                self.aggregator_process(fault)?.pause()?;
                start.count = self.aggregator(fault).log_bytes()?;
            }
            FaultKind::KillLeader | FaultKind::KillServer => {
                let leader = self.cluster.leader(&self.stream()).unwrap_or(fault.target);
                let server = if fault.kind == FaultKind::KillLeader { leader } else { fault.target };
                self.cluster.kill_server(server)?;
                start.servers.push(server);
            }
            FaultKind::PauseServer => self.cluster.server(fault.target)?.pause()?,
            FaultKind::LoseQuorum => {
                start.servers = (0..SERVERS).filter(|server| *server != fault.target).collect();
                start.servers.iter().try_for_each(|server| self.cluster.kill_server(*server))?;
                start.count = self.lines.writer().lines();
            }
            FaultKind::DeleteStream => {
                self.cluster.request(&format!("STREAM.DELETE.{}", self.stream()), "")?;
                self.fleet.make_streams()?;
                shorten_duplicate_window(self.cluster, &self.fleet.name)?;
            }
        }
        Ok(start)
    }

    fn end(&mut self, fault: PlannedFault, start: FaultStart) -> Result<()> {
        match fault.kind {
            FaultKind::KillPublisher | FaultKind::LoseAcknowledgement => self.fleet.start_publisher(fault.target),
            FaultKind::PausePublisher => self.publisher(fault)?.resume(),
            FaultKind::HoldPublisher
            | FaultKind::HoldAggregator
            | FaultKind::PartitionedRotation
            | FaultKind::DelayPublisher
            | FaultKind::DelayAggregator
            | FaultKind::SlowAggregator => {
                let proxy = self.proxy(fault)?;
                wait_for_more(proxy, "nothing was hindered", |counts| &counts.hindered, (start.count, EFFECT_WITHIN))?;
                // What is held arrives late, or never.
                if fault.form > 1 {
                    proxy.cut();
                }
                proxy.set(Traffic::Open);
                Ok(())
            }
            FaultKind::CutPublisher | FaultKind::CutAggregator => self.cut(fault),
            FaultKind::RevokePublisher => {
                retry("the publisher says that it is refused", EFFECT_WITHIN, || {
                    ensure!(self.revoked_lines(fault)? > start.count, "its log does not say it");
                    Ok(())
                })?;
                self.admit_again(fault)
            }
            FaultKind::RevokeAggregator => {
                retry("the page says that the servers refuse", EFFECT_WITHIN, || {
                    let page = self.aggregator(fault).page()?;
                    let cause = page["cause"].as_str().unwrap_or_default().to_lowercase();
                    // Since its start it may not have been connected.
                    let is_said = page["link"] != "connected" && cause.contains("authorization");
                    ensure!(is_said, "the link is {}, cause {}", page["link"], page["cause"]);
                    Ok(())
                })?;
                self.admit_again(fault)
            }
            FaultKind::ShiftClock => self.set_clock(fault.target, 0),
            FaultKind::SecondPublisher => self.end_conflict(fault, start),
            FaultKind::KillAggregator | FaultKind::RemoveMirror => self.fleet.start_aggregator(fault.target),
            FaultKind::PauseAggregator => {
                self.aggregator_process(fault)?.resume()?;
                // Some servers give its connection up, others do not while they can still write to it.
                retry("a paused aggregator goes on", EFFECT_WITHIN, || {
                    ensure!(self.aggregator(fault).log_bytes()? > start.count, "its mirror has no more bytes");
                    Ok(())
                })
            }
            FaultKind::KillLeader | FaultKind::KillServer => self.start_servers(&start),
            FaultKind::PauseServer => self.cluster.server(fault.target)?.resume(),
            FaultKind::LoseQuorum => {
                let missing = || {
                    let written = self.lines.writer().lines() - start.count;
                    self.size.lines_without_quorum.saturating_sub(written)
                };
                // A server of 2.9 names the lost leader for some seconds.
                retry("lines without a leader", EFFECT_WITHIN, || {
                    ensure!(missing() == 0, "{} lines are missing", missing());
                    ensure!(self.cluster.leader(&self.stream()).is_err(), "a server names a leader");
                    Ok(())
                })?;
                self.start_servers(&start)
            }
            FaultKind::PoisonBatch
            | FaultKind::RenameLog
            | FaultKind::TruncateLog
            | FaultKind::CopyLog
            | FaultKind::RewriteFile
            | FaultKind::DeleteStream => Ok(()),
        }
    }

    fn stream(&self) -> String {
        format!("TH_LOG_{}", self.fleet.name)
    }

    fn publisher(&self, fault: PlannedFault) -> Result<&Process> {
        self.machine(fault).publisher.as_ref().context("no publisher")
    }

    fn aggregator_process(&self, fault: PlannedFault) -> Result<&Process> {
        self.aggregator(fault).process.as_ref().context("no aggregator")
    }

    fn kill_publisher(&mut self, fault: PlannedFault) -> Result<()> {
        self.fleet.machines[fault.target].publisher.take().context("no publisher")?.kill()
    }

    fn start_servers(&mut self, start: &FaultStart) -> Result<()> {
        start.servers.iter().try_for_each(|server| self.cluster.start_server(*server))
    }

    /// Cuts the connections of a process, once it has one.
    fn cut(&self, fault: PlannedFault) -> Result<()> {
        let proxy = self.proxy(fault)?;
        let before = counted(proxy, |counts| &counts.cut);
        retry("nothing is cut", EFFECT_WITHIN, || {
            proxy.cut();
            ensure!(counted(proxy, |counts| &counts.cut) > before, "the process has no connection");
            Ok(())
        })
    }

    /// Rotation, truncation and copy, with lines in between.
    fn rotate(&self, fault: PlannedFault) -> Result<()> {
        let home = self.home(fault);
        for turn in 0..3 {
            let mut writer = self.lines.writer();
            match (turn + fault.form) % 3 {
                0 => drop(writer.rename_log(&home)?),
                1 => writer.truncate_log(&home)?,
                _ => writer.copy_log(&home)?,
            }
            drop(writer);
            self.lines.wait_for_lines(&home)?;
        }
        Ok(())
    }

    /// Gives the user of a process another password, which the process does not have.
    fn change_password(&mut self, fault: PlannedFault) -> Result<()> {
        let link = self.link(fault)?;
        let (user, password) = (link.user.clone(), format!("{}x", link.password));
        self.cluster.set_password(&user, &password)
    }

    /// The servers take the old password again, or the process gets the new one.
    fn admit_again(&mut self, fault: PlannedFault) -> Result<()> {
        let link = self.link(fault)?;
        let (user, password) = (link.user.clone(), link.password.clone());
        if fault.form < 2 {
            return self.cluster.set_password(&user, &password);
        }
        let link = match fault.kind {
            FaultKind::RevokePublisher => &mut self.fleet.machines[fault.target].link,
            _ => &mut self.fleet.aggregators[fault.target].link,
        };
        link.as_mut().context("no proxy")?.set_password(&format!("{password}x"))
    }

    /// How often a publisher said that the servers refuse it.
    fn revoked_lines(&self, fault: PlannedFault) -> Result<u64> {
        let said = std::fs::read_to_string(self.fleet.log_of(&self.machine(fault).name))?.to_lowercase();
        Ok(said.lines().filter(|line| line.contains("authorization")).count() as u64)
    }

    /// Restarts a publisher with a clock that is so far ahead; the lines of its home have the same time.
    pub(super) fn set_clock(&mut self, machine: usize, ahead_ms: i64) -> Result<()> {
        let machine_state = &mut self.fleet.machines[machine];
        machine_state.publisher.take().context("no publisher")?.kill()?;
        machine_state.clock_ahead_ms = ahead_ms;
        self.lines.writer().set_clock(&machine_state.home, ahead_ms);
        self.fleet.start_publisher(machine)
    }

    /// Waits until one of two publishers has ended; the other one stays.
    fn end_conflict(&mut self, fault: PlannedFault, start: FaultStart) -> Result<()> {
        let mut second = start.process.context("no second publisher")?;
        let log = self.fleet.log_of(&self.fleet.machines[fault.target].name);
        let mut first = self.fleet.machines[fault.target].publisher.take().context("no publisher")?;
        let stays = retry("one of two publishers of a source ends", EFFECT_WITHIN, || {
            match (ended_by_conflict(&mut first, &log)?, ended_by_conflict(&mut second, &log)?) {
                (false, false) => bail!("both publish"),
                (is_first, is_second) => Ok((!is_first, !is_second)),
            }
        })?;
        let machine = &mut self.fleet.machines[fault.target];
        machine.is_conflicted = true;
        machine.publisher = Some(match stays {
            (true, false) => first,
            (false, true) => second,
            _ => bail!("both publishers ended"),
        });
        Ok(())
    }

    /// Publishes damaged messages in the name of a machine: of a log that it does not have, or of one that it writes, there also
    /// of a batch that nothing else has. Of a stream that has just lost its leader no answer comes, and it may have the message.
    fn poison(&mut self, target: usize, form: usize) -> Result<()> {
        let subject = self.fleet.subject_of(target, "log")?;
        let other = format!("{subject}.0123456789abcdef");
        retry("a damaged message is stored", EFFECT_WITHIN, || {
            let mut tap = Tap::open(self.cluster.port()?, &format!("{subject}.*"))?;
            // After the first copy the servers refuse the next batch.
            for _ in 0..if form == UNSTORED { 2 } else { 1 } {
                let (written, head, mut payload) = tap.next_batch()?;
                let middle = payload.len() / 2;
                payload[middle] ^= 1;
                self.fleet.machines[target].poisoned += 1;
                tap.publish(if form < 2 { &other } else { &written }, &head, &payload)?;
            }
            Ok(())
        })
    }

    fn rewrite_file(&self, fault: PlannedFault) -> Result<()> {
        rewrite_task(&self.home(fault), &format!("# Task {}\n\n- [ ] step {}\n", fault.begin_ms, fault.form))
    }
}
