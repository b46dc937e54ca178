//! Hub of a past moment: a second hub, fed with exactly the events of the present one that were known then, so that
//! every query answers as it would have at that moment.
//!
//! [`PastHub::prepare`] chooses where to start, and [`PastHub::step`] feeds one batch, so that a caller can let go of the
//! present hub in between. Going forward costs the events in between. Copies of the hub on the way (checkpoints) make
//! going back cost a part of the history instead of all of it.
//!
//! Not known of the past, and left out: task files, approvals, and the states of terminals. Settings, such as the roster
//! and the rules of the classifier, are those of the present.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::packed::Packing;
use super::{Hub, SharedIndex};
use crate::api::{KnownBy, ManualOverride, Origin, PastMoment, SourceInfo};
use crate::event::{Event, origin_of};
use crate::ids::SessionId;
use crate::merge::TranscriptExchanges;
use crate::workspace::{AgentWorkspace, Workspace};

/// Fewest events between two checkpoints.
const MIN_SPACING: usize = 4 * 1024;
/// Most checkpoints over a whole history.
const MAX_CHECKPOINTS: usize = 24;
/// Most events in all checkpoints together: a copy of a hub takes about a quarter of a kibibyte for each.
const MAX_CHECKPOINT_EVENTS: usize = 1_500_000;
/// Events of one step.
const BATCH: usize = 1024;
/// Events that stay unpacked: packing what is soon left again would be in vain.
const MAX_UNPACKED: usize = 16 * 1024;
/// States of sessions that are packed at once.
const STATES_AT_ONCE: usize = 256;

/// Hub of a past moment, which can be moved to another moment.
#[derive(Debug, Default)]
pub struct PastHub {
    /// How old lines are packed; absent: they stay parsed.
    packing: Option<Arc<dyn Packing>>,
    /// The hub that is moved.
    shown: FedHub,
    /// Copies, fewest events first.
    checkpoints: Vec<FedHub>,
    /// Events that are yet to be fed, newest first.
    pending: Vec<u32>,
    /// Inputs that are set once all events are fed.
    inputs: Option<OtherInputs>,
    /// Events between two checkpoints.
    spacing: usize,
}

/// A hub, and the numbers of the events in it, as the present hub counts them.
#[derive(Debug, Clone, Default)]
struct FedHub {
    hub: Hub,
    events: EventSet,
}

/// Inputs of a past hub that are not events of the log.
#[derive(Debug)]
struct OtherInputs {
    overrides: BTreeMap<SessionId, ManualOverride>,
    talk: TranscriptExchanges,
    shared: SharedIndex,
    workspace: Workspace,
    source: SourceInfo,
}

impl PastHub {
    /// Without events; `packing` packs its old lines, as that of a present hub does.
    #[must_use]
    pub fn new(packing: Option<Arc<dyn Packing>>) -> Self {
        Self { packing, ..Self::default() }
    }

    /// The hub as of the moment of the last [`PastHub::prepare`]: complete once [`PastHub::step`] has returned false and
    /// [`PastHub::settle`] was called.
    #[must_use]
    pub fn hub(&self) -> &Hub {
        &self.shown.hub
    }

    /// Begins to move to a moment. `overrides` are the manual categories that were in force then.
    pub fn prepare(&mut self, present: &Hub, moment: PastMoment, overrides: BTreeMap<SessionId, ManualOverride>) {
        if !has_settings_of(&self.shown.hub, present) {
            self.checkpoints.clear();
            self.shown = FedHub::with_settings_of(present, self.packing.clone());
        }
        let times = known_times(present, moment.known_by);
        let known = EventSet::of((0..).zip(&times).filter(|(_, time)| **time <= moment.at).map(|(event, _)| event));
        let nearest = self.checkpoints.iter().rfind(|checkpoint| checkpoint.events.is_within(&known));
        let reached = nearest.map_or(0, |checkpoint| checkpoint.events.len);
        if !self.shown.events.is_within(&known) || self.shown.events.len < reached {
            let empty = || FedHub::with_settings_of(present, self.packing.clone());
            self.shown = nearest.cloned().unwrap_or_else(empty);
        }
        self.shown.hub.cursor = present.cursor.clone();
        self.checkpoints.retain(|checkpoint| !checkpoint.events.has_gone(&times));
        self.spacing = MIN_SPACING.max(times.len() / MAX_CHECKPOINTS);
        self.pending = known.iter().filter(|event| !self.shown.events.contains(*event)).collect();
        self.pending.sort_unstable_by_key(|event| std::cmp::Reverse((times[*event as usize], *event)));
        self.inputs = Some(OtherInputs::at(present, moment.at, overrides));
    }

    /// Feeds a batch of events; false when there are no more. [`PastHub::settle`] has to follow, which needs no access to
    /// the present hub.
    pub fn step(&mut self, present: &Hub) -> bool {
        let most = BATCH.min(self.until_checkpoint()).min(self.pending.len());
        let mut batch = self.pending.split_off(self.pending.len() - most);
        batch.sort_unstable();
        self.shown.feed(present, &batch);
        !self.pending.is_empty()
    }

    /// Keeps a copy where one is due, and completes the hub after the last step.
    pub fn settle(&mut self) {
        if self.until_checkpoint() == self.spacing && self.shown.events.len > 0 {
            self.add_checkpoint();
        }
        if !self.pending.is_empty() {
            return;
        }
        if let Some(inputs) = self.inputs.take() {
            inputs.set(&mut self.shown.hub);
        }
        if self.shown.hub.uncompressed_count() > MAX_UNPACKED {
            self.shown.pack();
        }
        drop(self.shown.hub.evict_rehydrated());
    }

    /// Events until a copy is due.
    fn until_checkpoint(&self) -> usize {
        self.spacing - self.shown.events.len % self.spacing
    }

    /// Number of events in all copies.
    fn checkpoint_events(&self) -> usize {
        self.checkpoints.iter().map(|checkpoint| checkpoint.events.len).sum()
    }

    fn add_checkpoint(&mut self) {
        let events = self.shown.events.len;
        let mut place = self.checkpoints.partition_point(|checkpoint| checkpoint.events.len < events);
        let is_known = self.checkpoints.get(place).is_some_and(|next| next.events.len == events);
        if is_known || events > MAX_CHECKPOINT_EVENTS {
            return;
        }
        // Most questions are about moments near the one that is looked at.
        while self.checkpoint_events() + events > MAX_CHECKPOINT_EVENTS && place > 0 {
            self.checkpoints.remove(0);
            place -= 1;
        }
        while self.checkpoint_events() + events > MAX_CHECKPOINT_EVENTS {
            self.checkpoints.pop();
        }
        self.shown.pack();
        self.checkpoints.insert(place, self.shown.clone());
    }
}

impl FedHub {
    fn with_settings_of(present: &Hub, packing: Option<Arc<dyn Packing>>) -> Self {
        let mut hub = Hub::new();
        hub.cursor = present.cursor.clone();
        if let Some(packing) = packing {
            hub.set_packing(packing);
        }
        drop(hub.set_roster(present.inputs.roster.clone()));
        drop(hub.set_classifier(present.inputs.classifier.classifier));
        let rules = hub.evaluate_rules(present.inputs.rules.clone());
        drop(hub.apply_rules(rules));
        Self { hub, events: EventSet::default() }
    }

    /// Adds events of the present hub, in order of their numbers.
    fn feed(&mut self, present: &Hub, events: &[u32]) {
        let mut batch: Vec<Event> = Vec::with_capacity(events.len());
        present.events.log.visit(events.iter().copied(), |_, event| batch.push(event.clone()));
        events.iter().for_each(|event| self.events.insert(*event));
        self.hub.load(batch);
    }

    /// Packs old lines and states, before they are kept for long.
    fn pack(&mut self) {
        let packed = self.hub.pack(usize::MAX);
        drop(self.hub.put_packed(packed));
        while let Some(states) = self.hub.take_encoded_states(STATES_AT_ONCE) {
            self.hub.put_packed_states(states.pack());
        }
    }
}

/// Whether what decides roles and categories is the same in both.
fn has_settings_of(past: &Hub, present: &Hub) -> bool {
    let (past, present) = (&past.inputs, &present.inputs);
    past.roster == present.roster
        && past.classifier.classifier == present.classifier.classifier
        && past.rules == present.rules
}

/// The moment from which each event is known; the greatest number for those that are not fed: withdrawn ones, and those
/// of transcripts, which are merged again from the exchanges that were known.
fn known_times(present: &Hub, known_by: KnownBy) -> Vec<i64> {
    let log = &present.events.log;
    // The newest time in the lines of the log so far.
    let mut clock = 0;
    let mut times = Vec::with_capacity(log.len());
    for (file, events) in log.file_stretches() {
        let origin = origin_of(file);
        for event in events {
            let at = log.at(event);
            let time = match origin {
                Origin::Transcript => i64::MAX,
                _ if log.is_withdrawn(event) => i64::MAX,
                Origin::Log => {
                    clock = clock.max(at);
                    if known_by == KnownBy::Arrival || at <= 0 { clock } else { at }
                }
                Origin::Hooks | Origin::Unknown => at,
            };
            times.push(time);
        }
    }
    times
}

impl OtherInputs {
    fn at(present: &Hub, at: i64, overrides: BTreeMap<SessionId, ManualOverride>) -> Self {
        let agents = present.inputs.workspace.agents.iter();
        // The agents. No earlier versions of their files exist.
        let folder = |agent: &AgentWorkspace| AgentWorkspace { agent_id: agent.agent_id.clone(), ..Default::default() };
        Self {
            overrides,
            talk: present.inputs.transcripts.talk_until(at),
            shared: present.inputs.shared.unchanged_since(at),
            workspace: Workspace { agents: agents.map(folder).collect() },
            source: present.inputs.source.clone(),
        }
    }

    fn set(self, hub: &mut Hub) {
        drop(hub.sync_transcripts(self.talk));
        drop(hub.set_overrides(self.overrides));
        drop(hub.set_shared_records(self.shared));
        if hub.inputs.workspace != self.workspace {
            drop(hub.set_workspace(self.workspace));
        }
        let newest = hub.events.timeline.list.last().map(|event| hub.events.log.at(*event)).filter(|at| *at > 0);
        hub.set_source(SourceInfo { newest_event: newest, third_newest_event: None, ..self.source });
    }
}

/// Set of event numbers.
#[derive(Debug, Clone, Default)]
struct EventSet {
    words: Vec<u64>,
    len: usize,
}

impl EventSet {
    fn of(events: impl Iterator<Item = u32>) -> Self {
        let mut set = Self::default();
        events.for_each(|event| set.insert(event));
        set
    }

    fn insert(&mut self, event: u32) {
        let (word, bit) = (event as usize / 64, 1_u64 << (event % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.len += usize::from(self.words[word] & bit == 0);
        self.words[word] |= bit;
    }

    fn contains(&self, event: u32) -> bool {
        self.words.get(event as usize / 64).is_some_and(|word| word & (1_u64 << (event % 64)) != 0)
    }

    fn iter(&self) -> impl Iterator<Item = u32> {
        let numbers = (0..).step_by(64).zip(&self.words);
        numbers
            .flat_map(|(first, word)| (0..64).filter(move |bit| word & (1_u64 << bit) != 0).map(move |bit| first + bit))
    }

    /// Whether all of them are in the other set.
    fn is_within(&self, other: &Self) -> bool {
        let rest = other.words.iter().copied().chain(std::iter::repeat(0));
        self.words.iter().zip(rest).all(|(word, other)| word & !other == 0)
    }

    /// Whether one of them is not known at any moment, because it was withdrawn.
    fn has_gone(&self, times: &[i64]) -> bool {
        self.iter().any(|event| times.get(event as usize).is_none_or(|time| *time == i64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::EventSet;

    #[test]
    fn set_of_events_counts_lists_and_compares() {
        let all = EventSet::of([3, 64, 127, 3].into_iter());
        assert_eq!((all.len, all.iter().collect::<Vec<_>>()), (3, vec![3, 64, 127]));
        let some = EventSet::of([64].into_iter());
        assert!(some.is_within(&all) && !all.is_within(&some) && EventSet::default().is_within(&some));
        assert!(all.contains(127) && !all.contains(126) && !all.contains(4096));
    }
}
