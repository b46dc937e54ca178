//! Insertion of coding agents' events and current states into the hub (`contract/event-schema-v1_1.md` §D). A schema
//! event is converted to events of the log's types. When a later hook changes the schema event, the converted events
//! are replaced.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};

use super::{Changes, Hub};
use crate::event::{Event, event_from_value};
use crate::ids::{AgentId, EventId};
use crate::schema::{AgentNow, AgentStage, AgentsChanged, Changed, HOOKS_TOKEN, folded, to_coordination};

/// Events and agent states derived from hooks.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct AgentEventsOverlay {
    /// The hub's events of each normalised event that has any, by its id.
    shown: HashMap<Box<str>, Vec<OverlayEvent>>,
    #[serde(skip)]
    agents: BTreeMap<AgentId, TerminalStates>,
}

/// State of an agent over all its terminals.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TerminalStates {
    /// The most urgent state, with the newest time of all terminals.
    shown: AgentNow,
    /// At each terminal where it is active.
    each: Vec<AgentNow>,
}

/// One event of the hub, with a fingerprint of its line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct OverlayEvent {
    id: EventId,
    print: u64,
}

impl Hub {
    /// Applies changed events and agent states; other agents keep their state.
    pub fn apply_agent_events(&mut self, changed: &Changed, agents: AgentsChanged) -> Changes {
        let (mut removed, mut news) = (Vec::new(), Vec::new());
        for id in changed.removed.iter().chain(&changed.evicted) {
            removed.extend(self.inputs.agent_events.shown.remove(id.as_str()).into_iter().flatten());
        }
        for event in &changed.put {
            let lines = to_coordination(event);
            let made = lines.iter().enumerate();
            let made: Vec<Event> = made
                .filter_map(|(number, line)| {
                    event_from_value(line, &EventId::from(format!("{HOOKS_TOKEN}{}-{number}", event.id))).ok()
                })
                .collect();
            let now: Vec<OverlayEvent> =
                made.iter().map(|event| OverlayEvent { id: event.id(), print: print(event) }).collect();
            let before = self.inputs.agent_events.shown.remove(event.id.as_str()).unwrap_or_default();
            if before != now {
                removed.extend(before);
                news.extend(made);
            }
            if !now.is_empty() {
                self.inputs.agent_events.shown.insert(event.id.as_str().into(), now);
            }
        }
        let removed: BTreeSet<u32> = removed.iter().filter_map(|shown| self.find(&shown.id)).collect();
        let mut changes = Changes { everything: !removed.is_empty(), ..Changes::default() };
        if !removed.is_empty() || !news.is_empty() {
            changes.merge(self.insert(news, &removed, true));
        }
        changes.agents.extend(self.inputs.agent_events.set_agents(agents));
        changes
    }

    /// State of an agent by hooks.
    pub(crate) fn live_status(&self, id: &AgentId) -> Option<&AgentNow> {
        self.inputs.agent_events.agents.get(id).map(|agent| &agent.shown)
    }

    /// Display name of an agent: by the roster, else by hooks.
    pub(crate) fn display_name(&self, id: &AgentId) -> Option<&str> {
        let known = self.roster().agent(id.as_str()).and_then(|agent| agent.name.as_deref());
        known.or_else(|| self.live_status(id).map(AgentNow::shown))
    }

    /// All agents with a display name.
    pub(crate) fn display_names(&self) -> impl Iterator<Item = (&AgentId, &str)> {
        let known = self.roster().agents.iter().map(|agent| &agent.id);
        let others = self.inputs.agent_events.agents.keys().filter(|id| self.roster().agent(id.as_str()).is_none());
        known.chain(others).filter_map(|id| Some((id, self.display_name(id)?)))
    }

    /// Number of the hub's event that was made from a normalised one.
    pub(crate) fn event_of(&self, event: &str) -> Option<u32> {
        self.find(&self.inputs.agent_events.shown.get(event)?.first()?.id)
    }

    /// All agents that hooks know, by id, at each of their terminals.
    pub(crate) fn live_statuses(&self) -> impl Iterator<Item = (&AgentId, &AgentNow)> {
        self.inputs.agent_events.agents.iter().flat_map(|(id, agent)| agent.each.iter().map(move |now| (id, now)))
    }
}

impl AgentEventsOverlay {
    /// Ids of the normalised events that have events in the hub.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.shown.keys().map(|id| &**id)
    }

    /// Replaces agent states. Returns the agents that changed.
    fn set_agents(&mut self, agents: AgentsChanged) -> BTreeSet<AgentId> {
        let mut differ = BTreeSet::new();
        for (name, now) in agents.0 {
            let id = AgentId::from(folded(&name));
            let before = self.agents.remove(&id);
            // Names that differ only in case are one agent here.
            let others = before.iter().flat_map(|known| &known.each).filter(|agent| agent.agent_id != name).cloned();
            let mut all = others.chain(now);
            if let Some(first) = all.next() {
                let mut states = TerminalStates { shown: first.clone(), each: vec![first] };
                all.for_each(|agent| states.add(agent));
                self.agents.insert(id.clone(), states);
            }
            if before.as_ref() != self.agents.get(&id) {
                differ.insert(id);
            }
        }
        differ
    }
}

impl TerminalStates {
    fn add(&mut self, agent: AgentNow) {
        let last_at = self.shown.last_at.max(agent.last_at);
        if (urgency(&agent), agent.last_at) > (urgency(&self.shown), self.shown.last_at) {
            self.shown = agent.clone();
        }
        self.shown.last_at = last_at;
        self.each.push(agent);
    }
}

/// Rank of a state by how urgently a person should know of it.
fn urgency(agent: &AgentNow) -> u8 {
    match agent.stage {
        AgentStage::PendingInput if !agent.rests() => 3,
        AgentStage::Failed => 2,
        AgentStage::Working | AgentStage::InMeeting => 1,
        AgentStage::PendingInput | AgentStage::Idle | AgentStage::Stopped => 0,
    }
}

fn print(event: &Event) -> u64 {
    let mut hasher = DefaultHasher::new();
    event.raw.hash(&mut hasher);
    hasher.finish()
}
