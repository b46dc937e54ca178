//! Merge of the messages and delegations found in transcripts into the hub. Their events are inserted next to log
//! events, and retracted when later input contradicts them, so the result does not depend on the order of arrival. The
//! merge handles one pair of agents at a time ([`plan`]). The monitor's `sources/transcripts` reads the files.

pub(crate) mod plan;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::event_meta::NONE;
use super::{Changes, Hub, Log};
use crate::event::Event;
use crate::ids::EventId;
use crate::merge::{AgentNamePair, TranscriptExchanges};
use plan::{Fill, MergePlan};

/// Counts of what transcripts contribute to the hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TranscriptCounts {
    /// Exchanges and delegations in transcripts.
    pub exchanges: usize,
    /// Events that only transcripts contain.
    pub events: usize,
}

/// The transcripts in force, and the events in the hub that come from them.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct TranscriptOverlay {
    /// The exchanges that transcripts contain. Copies of the hub share them.
    #[serde(skip)]
    talk: Arc<TranscriptExchanges>,
    /// Events in the hub that come from transcripts, by pair of agents.
    pairs: BTreeMap<AgentNamePair, SyncedPair>,
    /// Pairs whose events in the hub are out of date. Shrinks with [`Hub::sync_next_pair`].
    #[serde(skip)]
    pending: BTreeSet<AgentNamePair>,
    /// Pairs that are out of date together, because an event moves from one to the other: the addressee of a message
    /// may become known later.
    #[serde(skip)]
    moved: BTreeSet<AgentNamePair>,
    /// True until the first exchanges after a load, which are compared with all `pairs`.
    #[serde(skip)]
    loaded: bool,
    /// What transcripts add to events of the log, by event number.
    fills: BTreeMap<u32, Fill>,
    /// Events that are filled, by the folded keys of sessions; as large as `fills`.
    filled: HashMap<Arc<str>, BTreeSet<u32>>,
}

impl TranscriptOverlay {
    /// Compares the next exchanges with every pair that has events, because those before them are unknown.
    pub(super) fn expect_all_pairs(&mut self) {
        self.loaded = true;
    }

    /// The exchanges as far as they were known at a moment, by the times of their messages.
    pub(super) fn talk_until(&self, at: i64) -> TranscriptExchanges {
        TranscriptExchanges::new(self.talk.events().filter(|event| event.at_ms <= at).cloned().collect())
    }

    /// Removes the events of exchanges after a moment. They are to be withdrawn, and their pairs are compared again.
    pub(super) fn remove_after(&mut self, at: i64, events: &Log) -> Vec<u32> {
        let mut removed = Vec::new();
        for (pair, shown) in &mut self.pairs {
            let before = removed.len();
            shown.events.retain(|_, (index, _)| {
                let stays = *index == NONE || events.at(*index) <= at;
                removed.extend((!stays).then_some(*index));
                stays
            });
            if removed.len() > before {
                self.pending.insert(pair.clone());
            }
        }
        removed
    }

    /// Sets or removes the fill of an event; true when it changed.
    fn fill(&mut self, index: u32, fill: Option<Fill>) -> bool {
        if self.fills.get(&index) == fill.as_ref() {
            return false;
        }
        let keys = fill.as_ref().map(|fill| fill.keys.clone()).unwrap_or_default();
        let before = match fill {
            Some(fill) => self.fills.insert(index, fill),
            None => self.fills.remove(&index),
        };
        for key in before.iter().flat_map(|fill| &fill.keys) {
            if let Some(of_key) = self.filled.get_mut(key) {
                of_key.remove(&index);
                if of_key.is_empty() {
                    self.filled.remove(key);
                }
            }
        }
        for key in keys {
            self.filled.entry(key).or_default().insert(index);
        }
        true
    }
}

/// Events in the hub that come from the transcripts of one pair.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct SyncedPair {
    /// Number of each event, and a fingerprint of its line.
    events: BTreeMap<EventId, (u32, u64)>,
    /// Events of the log that are filled.
    filled: BTreeSet<u32>,
}

impl Hub {
    /// Replaces the transcripts and brings the hub up to date. Costs the exchanges of the pairs that differ.
    pub fn sync_transcripts(&mut self, talk: TranscriptExchanges) -> Changes {
        self.set_transcripts(talk);
        let mut changes = Changes::default();
        while let Some(more) = self.sync_next_pair() {
            changes.merge(more);
        }
        changes
    }

    /// Replaces the transcripts; [`Hub::sync_next_pair`] then brings the hub up to date, pair by pair of agents.
    pub fn set_transcripts(&mut self, talk: TranscriptExchanges) {
        let before = std::mem::replace(&mut self.inputs.transcripts.talk, Arc::new(talk));
        let now = &self.inputs.transcripts.talk;
        let all: BTreeSet<AgentNamePair> = before.pairs.keys().chain(now.pairs.keys()).cloned().collect();
        let differs = |pair: &AgentNamePair| before.of_pair(pair) != now.of_pair(pair);
        let mut pairs: BTreeSet<AgentNamePair> = all.into_iter().filter(differs).collect();
        if std::mem::take(&mut self.inputs.transcripts.loaded) {
            pairs.extend(self.inputs.transcripts.pairs.keys().cloned());
        }
        let shown = pairs.iter().filter_map(|pair| Some((pair, self.inputs.transcripts.pairs.get(pair)?)));
        let owners: HashMap<&str, &AgentNamePair> =
            shown.flat_map(|(pair, shown)| shown.events.keys().map(move |id| (id.as_str(), pair))).collect();
        let mut moved = BTreeSet::new();
        for pair in &pairs {
            for id in now.of_pair(pair).iter().flat_map(|exchange| &exchange.ids) {
                if let Some(owner) = owners.get(id.as_str()).filter(|owner| **owner != pair) {
                    moved.extend([(*owner).clone(), pair.clone()]);
                }
            }
        }
        drop(owners);
        self.inputs.transcripts.moved.append(&mut moved);
        self.inputs.transcripts.pending.extend(pairs);
    }

    /// Brings one pair up to date; none when all are.
    pub fn sync_next_pair(&mut self) -> Option<Changes> {
        let moved = std::mem::take(&mut self.inputs.transcripts.moved);
        if !moved.is_empty() {
            self.inputs.transcripts.pending.retain(|pair| !moved.contains(pair));
            return Some(self.resync_pairs(moved));
        }
        let pair = self.inputs.transcripts.pending.pop_first()?;
        Some(self.resync_pairs(BTreeSet::from([pair])))
    }

    /// The newest time among the new events of a change, in epoch milliseconds.
    #[must_use]
    pub fn newest_of(&self, changes: &Changes) -> Option<i64> {
        changes.events.iter().map(|index| self.at(*index)).filter(|at| *at > 0).max()
    }

    /// Copies of the new events of a change.
    #[must_use]
    pub fn events_of(&self, changes: &Changes) -> Vec<Event> {
        let live = changes.events.iter().filter(|index| !self.events.log.is_withdrawn(**index));
        live.map(|index| self.event(*index).clone()).collect()
    }

    /// What the transcripts have contributed so far.
    #[must_use]
    pub fn transcript_counts(&self) -> TranscriptCounts {
        let synced = self
            .inputs
            .transcripts
            .talk
            .pairs
            .iter()
            .filter(|(pair, _)| !self.inputs.transcripts.pending.contains(*pair));
        let events = self.inputs.transcripts.pairs.values().map(|shown| shown.events.len()).sum();
        TranscriptCounts { exchanges: synced.map(|(_, talks)| talks.len()).sum(), events }
    }

    /// Number of events that are not withdrawn.
    #[must_use]
    pub fn event_count(&self) -> usize {
        self.events.log.len() - self.events.log.withdrawn_count()
    }

    /// What a transcript adds to an event of the log.
    pub(crate) fn fill(&self, index: u32) -> Option<&Fill> {
        self.inputs.transcripts.fills.get(&index)
    }

    /// Slots of the work sessions in which an event of the log was found in, or sent between, transcripts of sessions
    /// with this folded key. Costs the messages of that session.
    pub(crate) fn filled_by(&self, key: &str) -> BTreeSet<u32> {
        let events = self.inputs.transcripts.filled.get(key).into_iter().flatten();
        events.map(|index| self.meta_of(*index).session).filter(|slot| *slot != NONE).collect()
    }

    /// Has the pairs compared again that entered or withdrawn events of the log touch.
    pub(super) fn note_affected(&mut self, events: &[u32]) {
        let mut pairs = plan::concerns(self, &self.inputs.transcripts.talk, events);
        self.inputs.transcripts.pending.append(&mut pairs);
    }

    /// Updates the pairs that new events of the log touch.
    pub(super) fn resync_affected(&mut self, events: &[u32]) -> Changes {
        let pairs = plan::concerns(self, &self.inputs.transcripts.talk, events);
        if pairs.is_empty() { Changes::default() } else { self.resync_pairs(pairs) }
    }

    fn resync_pairs(&mut self, pairs: BTreeSet<AgentNamePair>) -> Changes {
        let mut withdrawn = BTreeSet::new();
        let mut news: Vec<Event> = Vec::new();
        let mut refilled: BTreeSet<u32> = BTreeSet::new();
        let mut shown: BTreeMap<AgentNamePair, SyncedPair> = BTreeMap::new();
        for pair in pairs {
            let plan = plan::plan(self, &self.inputs.transcripts.talk.of_pair(&pair));
            let before = self.inputs.transcripts.pairs.remove(&pair).unwrap_or_default();
            let MergePlan { events, fills } = plan;
            let mut now = SyncedPair { events: BTreeMap::new(), filled: fills.keys().copied().collect() };
            let mut stay: BTreeSet<u32> = BTreeSet::new();
            for event in events {
                let (id, fingerprint) = (event.id(), fingerprint(&event));
                match before.events.get(&id) {
                    Some((index, same)) if *same == fingerprint => {
                        stay.insert(*index);
                        now.events.insert(id, (*index, fingerprint));
                    }
                    _ => {
                        // Its number is known when it is inserted.
                        now.events.insert(id, (NONE, fingerprint));
                        news.push(event);
                    }
                }
            }
            withdrawn.extend(before.events.values().map(|(index, _)| *index).filter(|index| !stay.contains(index)));
            for index in before.filled.iter().filter(|index| !fills.contains_key(index)) {
                self.inputs.transcripts.fill(*index, None);
                refilled.insert(*index);
            }
            for (index, fill) in fills {
                if self.inputs.transcripts.fill(index, Some(fill)) {
                    refilled.insert(index);
                }
            }
            shown.insert(pair, now);
        }
        let mut changes = Changes { everything: !withdrawn.is_empty(), ..Changes::default() };
        if !withdrawn.is_empty() || !news.is_empty() {
            changes.merge(self.insert(news, &withdrawn, true));
        }
        for (pair, mut now) in shown {
            for (id, (index, _)) in &mut now.events {
                if *index == NONE {
                    *index = self.find(id).unwrap_or(NONE);
                }
            }
            if !now.events.is_empty() || !now.filled.is_empty() {
                self.inputs.transcripts.pairs.insert(pair, now);
            }
        }
        self.note_refilled(&refilled, &mut changes);
        changes
    }

    /// Bubbles whose texts, or places in a transcript, changed.
    fn note_refilled(&self, refilled: &BTreeSet<u32>, changes: &mut Changes) {
        for index in refilled {
            let meta = self.meta_of(*index);
            let Some(session) = self.session_at(meta.session) else { continue };
            let thread = session.state.threads.get(meta.thread as usize).filter(|_| meta.thread != NONE && meta.bubble);
            let Some(thread) = thread else { continue };
            changes.sessions.insert(meta.session);
            let items = changes.threads.entry(meta.session).or_default().items.entry(thread.id.clone()).or_default();
            items.messages.insert(*index);
        }
    }
}

fn fingerprint(event: &Event) -> u64 {
    let mut hasher = DefaultHasher::new();
    event.raw.hash(&mut hasher);
    hasher.finish()
}
