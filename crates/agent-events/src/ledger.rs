//! Ledger of all inputs from coding agents: Claude Code hooks, and events that other programs write. Duplicates are
//! ignored. The event timeline and the agent states are derived from the inputs and the current time. Old tool events
//! are evicted.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash as _, Hasher as _};

use super::hook::{HookFold, Precedence};
use super::state::AgentFold;
use super::{AgentNow, AgentsChanged, Changed, EventProducer, EventTimeline, InputKind, SchemaEvent, SchemaInput};

/// The set of inputs, folded.
#[derive(Debug, Default)]
pub struct Ledger {
    /// Digests of events that programs wrote, by id. Shrinks in [`Self::evict`] only.
    event_digests: HashMap<String, Vec<u64>>,
    /// The hooks and the events made from them.
    hooks: HookFold,
    /// All events in order.
    timeline: EventTimeline,
    /// Number of accepted inputs that were new.
    taken: u64,
    /// Number of tool events that remained after the last eviction.
    left: usize,
    /// Number of evicted events.
    evicted: u64,
}

/// The version of an input under its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputVersion {
    /// An event's digest: another one is a conflict (§A.4).
    Event(u64),
    /// When a hook was received: the earliest report counts.
    Hook(Precedence),
}

impl InputVersion {
    /// True when this version makes the other one, under the same key, needless.
    #[must_use]
    pub fn supersedes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Event(known), Self::Event(other)) => known == other,
            (Self::Hook(known), Self::Hook(other)) => known <= other,
            _ => false,
        }
    }
}

impl Ledger {
    /// This input is there already and would change nothing. A hook that is known but was received earlier than the
    /// known one, and an event that says something else under a known id (a conflict, §A.4), are not known.
    ///
    /// Hooks without a call's id that fall into neighbouring buckets are not the same input: both are stored, and only
    /// one of them makes events. So the events stay a function of the set, whichever of the two came first.
    #[must_use]
    pub fn knows(&self, input: &SchemaInput) -> bool {
        match &input.what {
            InputKind::Event(event) => {
                self.event_digests.get(&event.id).is_some_and(|event_digests| event_digests.contains(&digest(event)))
            }
            InputKind::Hook { .. } => self.hooks.knows(input),
        }
    }

    /// The version of this input under its key, before it is taken in.
    #[must_use]
    pub fn version_of(input: &SchemaInput) -> InputVersion {
        match &input.what {
            InputKind::Event(event) => InputVersion::Event(digest(event)),
            InputKind::Hook { .. } => InputVersion::Hook(Precedence::from_input(input)),
        }
    }

    /// Takes inputs in, each once, in any order.
    pub fn take(&mut self, inputs: Vec<SchemaInput>) -> Changed {
        let mut hooks = Vec::new();
        let mut event_digests = Vec::new();
        for input in inputs {
            match input.what {
                InputKind::Event(event) => {
                    let digests = self.event_digests.entry(event.id.clone()).or_default();
                    let digest = digest(&event);
                    if !digests.contains(&digest) {
                        digests.push(digest);
                        self.taken += 1;
                        event_digests.push(*event);
                    }
                }
                InputKind::Hook { .. } => hooks.push(input),
            }
        }
        let folded = self.hooks.take(hooks);
        let mut steps = self.apply_folded(folded);
        steps.push(self.timeline.put(event_digests, EventProducer::External));
        merge_steps(steps)
    }

    /// What only the passing of time decides: `now` in epoch milliseconds.
    pub fn settle(&mut self, now: i64) -> Changed {
        let folded = self.hooks.settle(now);
        merge_steps(self.apply_folded(folded))
    }

    /// Holds about the newest `most` tool events and evicts older ones, to bound memory. All other events stay, and so do
    /// those that an agent's state names. Other events and states are as if nothing had been evicted, except where a
    /// later hook changes an agent's name: earlier hooks are then folded again, without the evicted ones. An evicted
    /// event that is sent again counts as new.
    ///
    /// Does nothing until `most` is exceeded by a 64th: an eviction visits every event.
    pub fn evict(&mut self, most: usize) -> Changed {
        if self.timeline.tools() <= self.left.max(most).saturating_add(most / 64) {
            return Changed::default();
        }
        let mut ids = self.timeline.oldest_tools(most);
        ids.retain(|(id, from)| match from {
            EventProducer::Hooks => self.hooks.evict(id),
            EventProducer::External => self.event_digests.remove(id).is_some(),
        });
        let ids: Vec<String> = ids.into_iter().map(|(id, _)| id).collect();
        self.evicted += ids.len() as u64;
        let changed = self.timeline.evict(&ids);
        self.left = self.timeline.tools();
        changed
    }

    /// How many events were evicted.
    #[must_use]
    pub fn evicted(&self) -> u64 {
        self.evicted
    }

    /// When [`Self::settle`] has something to do next, in epoch milliseconds.
    #[must_use]
    pub fn due(&self) -> Option<i64> {
        self.hooks.due()
    }

    /// The events in order, and the agents' states.
    #[must_use]
    pub fn timeline(&self) -> &EventTimeline {
        &self.timeline
    }

    /// State of each agent. A sign of life that makes no event, such as the end of a turn, counts too (§C.2).
    pub fn agents(&self) -> impl Iterator<Item = AgentNow> {
        self.timeline.folds().map(|fold| self.agent(fold))
    }

    /// The agents whose state may have changed since the last call, by id. Costs what they do, whatever else is
    /// known.
    pub fn take_changed_agents(&mut self) -> AgentsChanged {
        let mut changed = self.timeline.take_changed_agents();
        changed.extend(self.hooks.take_lively());
        let now = |id: String| {
            let now = self.timeline.folds_of(&id).into_iter().map(|fold| self.agent(fold)).collect();
            (id, now)
        };
        AgentsChanged(changed.into_iter().map(now).collect())
    }

    fn agent(&self, fold: &AgentFold) -> AgentNow {
        let mut agent = fold.now().clone();
        let active = fold.session().and_then(|session| self.hooks.active_at(session, &agent));
        agent.last_at = agent.last_at.max(active.unwrap_or(i64::MIN));
        agent
    }

    /// Reports that changed something.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.taken + self.hooks.taken()
    }

    /// The hooks among the inputs.
    #[must_use]
    pub fn hooks(&self) -> &HookFold {
        &self.hooks
    }

    fn apply_folded(&mut self, folded: Changed) -> Vec<Changed> {
        vec![self.timeline.remove(&folded.removed), self.timeline.put(folded.put, EventProducer::Hooks)]
    }
}

fn digest(event: &SchemaEvent) -> u64 {
    let mut hasher = DefaultHasher::new();
    serde_json::to_vec(event).unwrap_or_default().hash(&mut hasher);
    hasher.finish()
}

/// Several steps as one: what the last of them says of each event.
fn merge_steps(steps: Vec<Changed>) -> Changed {
    let mut last: BTreeMap<String, Option<SchemaEvent>> = BTreeMap::new();
    for step in steps {
        last.extend(step.removed.into_iter().map(|id| (id, None)));
        last.extend(step.put.into_iter().map(|event| (event.id.clone(), Some(event))));
    }
    let mut changed = Changed::default();
    for (id, event) in last {
        match event {
            Some(event) => changed.put.push(event),
            None => changed.removed.push(id),
        }
    }
    changed.put.sort_by(|one, other| one.place().cmp(&other.place()));
    changed
}
