//! Schedule of faults, made of a seed before the first one: which, at what, from when to when. Faults overlap, but no process is
//! under two at once, and at most one server is away unless the quorum is lost.

use std::collections::BTreeMap;
use std::fmt;

/// Time after a lost quorum that the servers have to agree again.
const RECOVERY_MS: u64 = 15_000;
/// Between two looks for a free target.
const STEP_MS: u64 = 100;

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

/// What is under a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Resource {
    Publisher(usize),
    Aggregator(usize),
    Servers,
}

/// Kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FaultKind {
    KillPublisher,
    PausePublisher,
    /// The answers to its batches are lost, it is killed, and started when the streams no longer recognise doubles.
    LoseAcknowledgement,
    HoldPublisher,
    DelayPublisher,
    CutPublisher,
    /// Rotation, truncation and copy of its log while nothing passes.
    PartitionedRotation,
    RevokePublisher,
    ShiftClock,
    SecondPublisher,
    PoisonBatch,
    RenameLog,
    TruncateLog,
    CopyLog,
    RewriteFile,
    KillAggregator,
    RemoveMirror,
    /// Stopped for longer than the servers wait.
    PauseAggregator,
    /// Little bandwidth.
    SlowAggregator,
    HoldAggregator,
    DelayAggregator,
    CutAggregator,
    RevokeAggregator,
    KillLeader,
    KillServer,
    PauseServer,
    /// Two of three servers.
    LoseQuorum,
    DeleteStream,
}

/// Kinds that come in turn; the two others come once in a schedule.
const IN_TURN: [FaultKind; 26] = [
    FaultKind::KillPublisher,
    FaultKind::PausePublisher,
    FaultKind::LoseAcknowledgement,
    FaultKind::HoldPublisher,
    FaultKind::DelayPublisher,
    FaultKind::CutPublisher,
    FaultKind::PartitionedRotation,
    FaultKind::RevokePublisher,
    FaultKind::ShiftClock,
    FaultKind::SecondPublisher,
    FaultKind::PoisonBatch,
    FaultKind::RenameLog,
    FaultKind::TruncateLog,
    FaultKind::CopyLog,
    FaultKind::RewriteFile,
    FaultKind::KillAggregator,
    FaultKind::RemoveMirror,
    FaultKind::PauseAggregator,
    FaultKind::SlowAggregator,
    FaultKind::HoldAggregator,
    FaultKind::DelayAggregator,
    FaultKind::CutAggregator,
    FaultKind::RevokeAggregator,
    FaultKind::KillLeader,
    FaultKind::KillServer,
    FaultKind::PauseServer,
];

impl FaultKind {
    /// Shortest and longest time, in milliseconds.
    fn lasts(self, size: &PlanSize) -> (u64, u64) {
        match self {
            Self::RenameLog | Self::TruncateLog | Self::CopyLog | Self::RewriteFile => (0, 0),
            Self::PoisonBatch | Self::DeleteStream => (0, 0),
            Self::CutPublisher | Self::CutAggregator => (100, 1_000),
            Self::KillPublisher | Self::KillAggregator | Self::RemoveMirror => (300, 3_000),
            Self::SecondPublisher => (500, 2_000),
            Self::LoseAcknowledgement => (2_000, 4_000),
            Self::DelayPublisher | Self::DelayAggregator => (1_000, 5_000),
            Self::RevokePublisher | Self::RevokeAggregator | Self::ShiftClock => (2_000, 5_000),
            Self::KillLeader | Self::KillServer => (500, 5_000),
            Self::PausePublisher | Self::PauseServer | Self::PartitionedRotation => (500, 8_000),
            Self::SlowAggregator => (2_000, 8_000),
            // Longer than a publisher waits for an answer, some longer than the servers wait for a client.
            Self::HoldPublisher | Self::HoldAggregator => (3_000, 14_000),
            Self::PauseAggregator => (12_000, 15_000),
            Self::LoseQuorum => (size.quorum_lost_ms, size.quorum_lost_ms),
        }
    }

    /// Whether it has its effect only where a majority of the servers runs.
    fn needs_quorum(self) -> bool {
        matches!(
            self,
            Self::SlowAggregator
                | Self::DelayPublisher
                | Self::DelayAggregator
                | Self::CutPublisher
                | Self::CutAggregator
                | Self::ShiftClock
        ) || self.uses_servers()
    }

    /// Whether no server may be away meanwhile.
    fn uses_servers(self) -> bool {
        matches!(
            self,
            Self::LoseAcknowledgement
                | Self::RevokePublisher
                | Self::RevokeAggregator
                | Self::SecondPublisher
                | Self::PoisonBatch
                | Self::PauseAggregator
                | Self::DeleteStream
                | Self::KillLeader
                | Self::KillServer
                | Self::PauseServer
                | Self::LoseQuorum
        )
    }

    fn is_of_aggregator(self) -> bool {
        matches!(
            self,
            Self::KillAggregator
                | Self::RemoveMirror
                | Self::PauseAggregator
                | Self::SlowAggregator
                | Self::HoldAggregator
                | Self::DelayAggregator
                | Self::CutAggregator
                | Self::RevokeAggregator
        )
    }

    /// What it can be done to.
    fn targets(self, size: &PlanSize) -> Vec<usize> {
        match self {
            // Its machine shows both for an hour: the others must stay without a flaw.
            Self::SecondPublisher | Self::PoisonBatch => vec![size.machines - 1],
            _ if self.is_of_aggregator() => (0..size.aggregators).collect(),
            Self::KillLeader | Self::KillServer | Self::PauseServer | Self::LoseQuorum | Self::DeleteStream => {
                (0..super::cluster::SERVERS).collect()
            }
            _ => (0..size.machines).collect(),
        }
    }

    fn resources(self, target: usize) -> Vec<Resource> {
        let process = match self {
            _ if self.is_of_aggregator() => Some(Resource::Aggregator(target)),
            Self::RenameLog | Self::TruncateLog | Self::CopyLog | Self::RewriteFile => None,
            Self::KillLeader | Self::KillServer | Self::PauseServer | Self::LoseQuorum | Self::DeleteStream => None,
            _ => Some(Resource::Publisher(target)),
        };
        process.into_iter().chain(self.uses_servers().then_some(Resource::Servers)).collect()
    }
}

/// How large a schedule is.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlanSize {
    pub(super) machines: usize,
    pub(super) aggregators: usize,
    pub(super) faults: usize,
    /// Over which the beginnings are spread.
    pub(super) duration_ms: u64,
    pub(super) quorum_lost_ms: u64,
    pub(super) lines_without_quorum: u64,
    /// Lines a second in all homes.
    pub(super) pace: u64,
}

/// A fault that will be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PlannedFault {
    pub(super) kind: FaultKind,
    /// Number of a machine, an aggregator or a server.
    pub(super) target: usize,
    pub(super) begin_ms: u64,
    pub(super) end_ms: u64,
    /// Decides between the forms of a kind.
    pub(super) form: usize,
}

impl fmt::Display for PlannedFault {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (begin, end) = (self.begin_ms as f64 / 1e3, self.end_ms as f64 / 1e3);
        write!(to, "{begin:.1} s to {end:.1} s: {:?} {} (form {})", self.kind, self.target, self.form)
    }
}

/// A schedule, by beginning.
pub(super) fn plan(seed: u64, size: &PlanSize) -> Vec<PlannedFault> {
    let mut random = SplitMix(seed);
    // The stream is deleted in the second quarter, the quorum lost in the third.
    let once = [FaultKind::DeleteStream, FaultKind::LoseQuorum].into_iter().enumerate();
    let once: BTreeMap<usize, FaultKind> =
        once.map(|(quarter, kind)| ((quarter + 1) * size.faults / 4 + random.below(size.faults / 4), kind)).collect();
    let mut planner = Planner { free: BTreeMap::new(), without_quorum: (0, 0), random, size };
    let (mut order, mut faults) = (Vec::new(), Vec::new());
    let mut at = 0;
    for number in 0..size.faults {
        at = at.max(size.duration_ms * number as u64 / size.faults as u64);
        let fault = loop {
            if order.is_empty() {
                order = IN_TURN.to_vec();
            }
            let found = match once.get(&number) {
                Some(kind) => planner.fault(*kind, at),
                None => {
                    let first = planner.random.below(order.len());
                    order.rotate_left(first);
                    let found = (0..order.len()).find_map(|index| Some((index, planner.fault(order[index], at)?)));
                    found.map(|(index, fault)| {
                        order.remove(index);
                        fault
                    })
                }
            };
            match found {
                Some(fault) => break fault,
                None => {
                    // While the quorum is lost, the kinds that then make sense come more often, as long as all come.
                    let (is_lost, left) = (at < planner.without_quorum.1, size.faults - number);
                    if is_lost && order.len() < IN_TURN.len() && order.len() + IN_TURN.len() + once.len() < left {
                        order.extend(IN_TURN);
                    }
                    at += STEP_MS;
                }
            }
        };
        faults.push(fault);
    }
    faults
}

struct Planner<'a> {
    /// From when on each resource is under no fault.
    free: BTreeMap<Resource, u64>,
    /// Begin and end of the time in which the servers have no majority.
    without_quorum: (u64, u64),
    random: SplitMix,
    size: &'a PlanSize,
}

impl Planner<'_> {
    /// A fault of this kind that begins at `at`, if something is free for it.
    fn fault(&mut self, kind: FaultKind, at: u64) -> Option<PlannedFault> {
        let (least, most) = kind.lasts(self.size);
        if kind.needs_quorum() && at < self.without_quorum.1 {
            return None;
        }
        let is_free = |resource: &Resource| self.free.get(resource).is_none_or(|free| *free <= at);
        // A majority is away only once nothing is under way that needs it.
        if kind == FaultKind::LoseQuorum && !self.free.values().all(|free| *free <= at) {
            return None;
        }
        let targets = kind.targets(self.size);
        let targets: Vec<usize> =
            targets.into_iter().filter(|target| kind.resources(*target).iter().all(is_free)).collect();
        if targets.is_empty() {
            return None;
        }
        let target = targets[self.random.below(targets.len())];
        let end_ms = at + least + self.random.below(usize::try_from(most - least).unwrap_or_default() + 1) as u64;
        for resource in kind.resources(target) {
            self.free.insert(resource, end_ms);
        }
        if kind == FaultKind::LoseQuorum {
            self.without_quorum = (at, end_ms + RECOVERY_MS);
        }
        Some(PlannedFault { kind, target, begin_ms: at, end_ms, form: self.random.below(4) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::{LONG, SHORT};

    #[test]
    fn schedule_follows_from_its_seed() {
        assert_eq!(plan(7, &LONG), plan(7, &LONG));
        assert_ne!(plan(7, &LONG), plan(8, &LONG));
    }

    #[test]
    fn schedules_have_every_kind_and_no_process_under_two_faults() {
        for size in [SHORT, LONG] {
            for seed in 0..20 {
                let faults = plan(seed, &size);
                assert_eq!(faults.len(), size.faults);
                let kinds = IN_TURN.into_iter().chain([FaultKind::LoseQuorum, FaultKind::DeleteStream]);
                for kind in kinds {
                    assert!(faults.iter().any(|fault| fault.kind == kind), "seed {seed} without {kind:?}");
                }
                for (number, fault) in faults.iter().enumerate() {
                    for other in faults[..number].iter().filter(|other| fault.begin_ms < other.end_ms) {
                        let mine = fault.kind.resources(fault.target);
                        let shared = other.kind.resources(other.target).into_iter().any(|it| mine.contains(&it));
                        assert!(!shared, "seed {seed}: {other} and {fault}");
                        let lost = other.kind == FaultKind::LoseQuorum && fault.kind.needs_quorum();
                        assert!(!lost, "seed {seed}: {fault} while the quorum is lost");
                    }
                }
            }
        }
    }
}
