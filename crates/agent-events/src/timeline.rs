//! Timeline of schema events (normalised events of coding agents), ordered and without duplicates, and the agent states
//! that follow from it (`contract/event-schema-v1_1.md` §A.4, §C.5). Events with distinct ids may arrive in any order.
//! An event made from hooks replaces any event with the same id. Otherwise the first event with an id wins.

mod agents;
mod evict;
mod group;
mod meaning;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Bound;
use std::sync::Arc;

use serde_json::{Map, Value};

use self::agents::AgentTimelines;
use self::group::MeaningGroup;
use self::meaning::{EvidenceSource, MeaningDigest, decide, evidence_source, meaning};
use super::state::AgentFold;
use super::{AgentNow, Changed, Kind, SchemaEvent, Source};

/// Producer of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventProducer {
    /// The fold of the hooks: the same id again is a newer version.
    Hooks,
    /// A program that writes events: the first event of an id wins (§A.4).
    External,
}

/// Field with the ids of the events that this one superseded.
const SUPERSEDED: &str = "superseded";

/// A place in the order of events: time, then id.
type EventOrderKey = (i64, Arc<str>);

/// The events, each once, in order.
#[derive(Debug, Clone, Default)]
pub struct EventTimeline {
    /// Superseded events included. Shrinks by removal and eviction.
    entries: BTreeMap<EventOrderKey, TimelineEntry>,
    /// Time of each entry in epoch milliseconds, by id.
    times: HashMap<Arc<str>, i64>,
    /// Events of an external producer under an id that the hooks use.
    shadowed: HashMap<Arc<str>, SchemaEvent>,
    /// Groups of events that may say the same, by a digest of their content.
    meanings: HashMap<MeaningDigest, MeaningGroup>,
    /// Shared values of evidence sources; a few dozen.
    evidence_sources: HashSet<Arc<EvidenceSource>>,
    /// State of each agent by its events.
    agents: AgentTimelines,
    /// Number of superseded entries.
    hidden: usize,
    /// Number of entries that are tool events.
    tools: usize,
    /// Number of external events whose id another event had, with other content.
    conflicts: u64,
}

#[derive(Debug, Clone)]
struct TimelineEntry {
    /// As it is shown: `raw.superseded` holds the ids of superseded events.
    event: SchemaEvent,
    from: EventProducer,
    /// Its `raw` as received, where the shown one has more.
    original_raw: Option<Option<Map<String, Value>>>,
    /// The event that supersedes it.
    loses_to: Option<Arc<str>>,
}

/// What a step touched: shown before it, by id.
#[derive(Default)]
struct Touched {
    before: BTreeMap<Arc<str>, Option<SchemaEvent>>,
}

impl EventTimeline {
    /// Inserts events in any order, and returns what is shown now that was not, or differently.
    pub fn put(&mut self, events: Vec<SchemaEvent>, from: EventProducer) -> Changed {
        let mut touched = Touched::default();
        for event in events {
            self.put_one(event, from, &mut touched);
        }
        self.changed(touched)
    }

    /// Takes events out. An external event under the same id is shown again.
    pub fn remove(&mut self, ids: &[String]) -> Changed {
        let mut touched = Touched::default();
        for id in ids {
            if self.take_out(id, &mut touched).is_some()
                && let Some(hidden_event) = self.shadowed.remove(id.as_str())
            {
                self.insert(hidden_event, EventProducer::External, &mut touched);
            }
        }
        self.changed(touched)
    }

    /// What is shown, in order.
    pub fn events(&self) -> impl Iterator<Item = &SchemaEvent> {
        self.entries.values().filter(|entry| entry.loses_to.is_none()).map(|entry| &entry.event)
    }

    /// Shown events after a place (time and id), in order.
    pub fn since(&self, place: (i64, &str)) -> impl Iterator<Item = &SchemaEvent> {
        let from: Bound<EventOrderKey> = Bound::Excluded((place.0, place.1.into()));
        let behind = self.entries.range((from, Bound::Unbounded));
        behind.map(|(_, entry)| entry).filter(|entry| entry.loses_to.is_none()).map(|entry| &entry.event)
    }

    /// An event by its id, shown or not.
    #[must_use]
    pub fn event(&self, id: &str) -> Option<&SchemaEvent> {
        self.entry(id).map(|entry| &entry.event)
    }

    /// How many are shown.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len() - self.hidden
    }

    /// Nothing has come yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The agents by id, each as its last event left it. One that is busy at several terminals is listed for each,
    /// the most recent one first.
    pub fn agents(&self) -> impl Iterator<Item = &AgentNow> {
        self.folds().map(AgentFold::now)
    }

    /// The same with what they follow from.
    pub(super) fn folds(&self) -> impl Iterator<Item = &AgentFold> {
        self.agents.now()
    }

    /// What one agent follows from; nothing of one that is not known.
    pub(super) fn folds_of(&self, agent: &str) -> Vec<&AgentFold> {
        self.agents.now_of(agent)
    }

    /// The agents whose state may have changed since the last call.
    pub(super) fn take_changed_agents(&mut self) -> BTreeSet<String> {
        self.agents.take_changed()
    }

    /// Terminals examined for listing the agents, in all: the cost of that.
    #[must_use]
    pub fn looked_at(&self) -> u64 {
        self.agents.looked_at()
    }

    /// How many agents there are.
    #[must_use]
    pub fn agents_len(&self) -> usize {
        self.agents.len()
    }

    /// Reports with a known id and other content, which were left out (§A.4).
    #[must_use]
    pub fn conflicts(&self) -> u64 {
        self.conflicts
    }

    fn entry(&self, id: &str) -> Option<&TimelineEntry> {
        let (id, at) = self.times.get_key_value(id)?;
        self.entries.get(&(*at, Arc::clone(id)))
    }

    fn put_one(&mut self, event: SchemaEvent, from: EventProducer, touched: &mut Touched) {
        if event.kind == Kind::Heartbeat && event.source != Source::Synthetic {
            // Accepted and ignored (§A.5).
            return;
        }
        let Some(known) = self.entry(&event.id) else { return self.insert(event, from, touched) };
        let (same, known_from) = (known.has_same_content(&event), known.from);
        match (known_from, from) {
            (_, EventProducer::Hooks) if same && known_from == EventProducer::Hooks => {}
            (EventProducer::Hooks, EventProducer::Hooks) => {
                self.take_out(&event.id, touched);
                self.insert(event, from, touched);
            }
            (EventProducer::External, EventProducer::Hooks) => {
                self.conflicts += u64::from(!same);
                if let Some(replaced) = self.take_out(&event.id, touched) {
                    self.shadowed.insert(replaced.id.as_str().into(), replaced);
                }
                self.insert(event, from, touched);
            }
            (EventProducer::External, EventProducer::External) => self.conflicts += u64::from(!same),
            (EventProducer::Hooks, EventProducer::External) => {
                let known = self.shadowed.get(event.id.as_str());
                self.conflicts += u64::from(known.map_or(!same, |known| *known != event));
                if known.is_none() {
                    self.shadowed.insert(event.id.as_str().into(), event);
                }
            }
        }
    }

    fn insert(&mut self, mut event: SchemaEvent, from: EventProducer, touched: &mut Touched) {
        // Maps that grew have room for more; these do not grow again.
        event.payload = event.payload.into_iter().collect();
        let id: Arc<str> = event.id.as_str().into();
        touched.note(&id, None);
        self.times.insert(Arc::clone(&id), event.ts);
        let place = (event.ts, id);
        let group_key = meaning(&event).map(|means| (means, evidence_source(&event)));
        self.agents.put(&place, &event);
        self.tools += usize::from(event.kind.is_tool());
        self.entries.insert(place.clone(), TimelineEntry { event, from, original_raw: None, loses_to: None });
        if let Some((means, way)) = group_key {
            let way = match self.evidence_sources.get(&way) {
                Some(known) => Arc::clone(known),
                None => {
                    let way = Arc::new(way);
                    self.evidence_sources.insert(Arc::clone(&way));
                    way
                }
            };
            let group = self.meanings.entry(means).or_default();
            group.put(place.clone(), way);
            // Events of one way never give way to each other, and most meanings have but one.
            if group.sources.len() > 1 {
                self.weigh(&means, &place, touched);
            }
        }
    }

    /// An event as received, removed from all indexes.
    fn take_out(&mut self, id: &str, touched: &mut Touched) -> Option<SchemaEvent> {
        let (place, entry) = self.take_entry(id, touched)?;
        if entry.loses_to.is_none() {
            self.agents.take(&place, &entry.event);
        }
        Some(self.settle_without(&place, entry, touched))
    }

    fn take_entry(&mut self, id: &str, touched: &mut Touched) -> Option<(EventOrderKey, TimelineEntry)> {
        let place = self.times.remove_entry(id).map(|(id, at)| (at, id))?;
        let entry = self.entries.remove(&place)?;
        touched.note(&place.1, Some(&entry));
        self.hidden -= usize::from(entry.loses_to.is_some());
        self.tools -= usize::from(entry.event.kind.is_tool());
        Some((place, entry))
    }

    /// Decides again which of the equivalent events are shown after one was removed. Returns that one as it came in.
    fn settle_without(
        &mut self,
        place: &EventOrderKey,
        mut entry: TimelineEntry,
        touched: &mut Touched,
    ) -> SchemaEvent {
        if let Some(raw) = entry.original_raw.take() {
            entry.event.raw = raw;
        }
        if let Some(means) = meaning(&entry.event)
            && let Some(group) = self.meanings.get_mut(&means)
        {
            group.forget(place);
            if group.events.is_empty() {
                self.meanings.remove(&means);
            } else {
                self.weigh(&means, place, touched);
            }
        }
        entry.event
    }

    /// Decides again which events of a meaning are shown, as far as one at this place can affect it.
    fn weigh(&mut self, means: &MeaningDigest, place: &EventOrderKey, touched: &mut Touched) {
        let Some(group) = self.meanings.get(means) else { return };
        let run = group.around(place);
        let mut superseded: BTreeMap<Arc<str>, Vec<&str>> = BTreeMap::new();
        let loses = decide(&run);
        for (member, winner) in run.iter().zip(&loses) {
            superseded.entry(Arc::clone(&member.id)).or_default();
            if let Some(winner) = winner {
                superseded.entry(Arc::clone(winner)).or_default().push(&member.id);
            }
        }
        for (member, loses_to) in run.iter().zip(loses) {
            let place = (member.at, Arc::clone(&member.id));
            let Some(entry) = self.entries.get_mut(&place) else { continue };
            let evidence = superseded.get(&member.id).map_or(&[][..], Vec::as_slice);
            if entry.loses_to == loses_to && entry.has_evidence(evidence) {
                continue;
            }
            touched.note(&member.id, Some(entry));
            match (entry.loses_to.is_some(), loses_to.is_some()) {
                (false, true) => {
                    self.hidden += 1;
                    self.agents.take(&place, &entry.event);
                }
                (true, false) => {
                    self.hidden -= 1;
                    self.agents.put(&place, &entry.event);
                }
                _ => {}
            }
            entry.loses_to = loses_to;
            entry.keep_evidence(evidence);
        }
    }

    fn changed(&mut self, touched: Touched) -> Changed {
        let entries = &self.entries;
        self.agents.settle(&|place| entries.get(place).map(|entry| &entry.event));
        let mut changed = Changed::default();
        for (id, before) in touched.before {
            let after = self.entry(&id).filter(|entry| entry.loses_to.is_none()).map(|entry| &entry.event);
            match (before, after) {
                (Some(_), None) => changed.removed.push(id.to_string()),
                (before, Some(after)) if before.as_ref() != Some(after) => changed.put.push(after.clone()),
                _ => {}
            }
        }
        changed.put.sort_by(|a, b| a.place().cmp(&b.place()));
        changed
    }
}

impl Touched {
    /// Remembers how an event was shown before the step.
    fn note(&mut self, id: &Arc<str>, entry: Option<&TimelineEntry>) {
        if !self.before.contains_key(id) {
            let shown = entry.filter(|entry| entry.loses_to.is_none()).map(|entry| entry.event.clone());
            self.before.insert(Arc::clone(id), shown);
        }
    }
}

impl TimelineEntry {
    /// Whether an event has the same content as this one as received.
    fn has_same_content(&self, event: &SchemaEvent) -> bool {
        match &self.original_raw {
            None => self.event == *event,
            Some(raw) => SchemaEvent { raw: raw.clone(), ..self.event.clone() } == *event,
        }
    }

    fn original(&self) -> Option<&Map<String, Value>> {
        self.original_raw.as_ref().unwrap_or(&self.event.raw).as_ref()
    }

    fn has_evidence(&self, ids: &[&str]) -> bool {
        let shown = self.event.raw.as_ref().and_then(|raw| raw.get(SUPERSEDED));
        shown == with_evidence(self.original(), ids).as_ref().and_then(|raw| raw.get(SUPERSEDED))
    }

    fn keep_evidence(&mut self, ids: &[&str]) {
        let original = self.original_raw.take().unwrap_or_else(|| self.event.raw.clone());
        self.event.raw = with_evidence(original.as_ref(), ids);
        if self.event.raw != original {
            self.original_raw = Some(original);
        }
    }
}

/// A `raw` with the ids of superseded events, in addition to those it had (§A.4).
fn with_evidence(original: Option<&Map<String, Value>>, ids: &[&str]) -> Option<Map<String, Value>> {
    if ids.is_empty() {
        return original.cloned();
    }
    let mut raw = original.cloned().unwrap_or_default();
    let before = raw.get(SUPERSEDED).and_then(Value::as_array);
    let mut all: BTreeSet<&str> = before.into_iter().flatten().filter_map(Value::as_str).collect();
    all.extend(ids);
    let all = all.into_iter().map(Value::from).collect();
    raw.insert(SUPERSEDED.to_owned(), Value::Array(all));
    Some(raw)
}
