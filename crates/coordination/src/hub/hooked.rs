//! What hooks of coding agents tell, beside the log: each normalised event stands in the hub as what it means in the
//! log's terms (`contract/event-schema-v1_1.md` §D), and is replaced when it reads differently, because a hook that came
//! later showed who an agent is or that a guess was none.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{Changes, Hub};
use crate::event::{Event, event_from_value};
use crate::ids::{AgentId, EventId};
use crate::schema::{AgentNow, AgentStage, Changed, TOKEN, folded, to_coordination};

/// What hooks told, and what of it stands in the hub.
#[derive(Debug, Default)]
pub(crate) struct Hooked {
    /// The hub's events of each normalised event that has any, by its id.
    shown: HashMap<Box<str>, Vec<Shown>>,
    agents: BTreeMap<AgentId, Standing>,
}

/// What an agent does.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Standing {
    /// What says most of it, and when it was heard of last, wherever that was.
    shown: AgentNow,
    /// At each terminal where it is at something.
    each: Vec<AgentNow>,
}

/// One event of the hub, and what tells its line from another.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shown {
    id: EventId,
    print: u64,
}

impl Hub {
    /// Takes in what hooks newly tell, and what all agents that they know are doing now.
    pub fn hook(&mut self, changed: &Changed, agents: Vec<AgentNow>) -> Changes {
        let (mut gone, mut news) = (Vec::new(), Vec::new());
        for id in &changed.gone {
            gone.extend(self.hooked.shown.remove(id.as_str()).into_iter().flatten());
        }
        for event in &changed.put {
            let lines = to_coordination(event);
            let made = lines.iter().enumerate();
            let made: Vec<Event> = made
                .filter_map(|(number, line)| {
                    event_from_value(line, &EventId(format!("{TOKEN}{}-{number}", event.id))).ok()
                })
                .collect();
            let now: Vec<Shown> = made.iter().map(|event| Shown { id: event.id(), print: print(event) }).collect();
            let before = self.hooked.shown.remove(event.id.as_str()).unwrap_or_default();
            if before != now {
                gone.extend(before);
                news.extend(made);
            }
            if !now.is_empty() {
                self.hooked.shown.insert(event.id.as_str().into(), now);
            }
        }
        let gone: BTreeSet<u32> = gone.iter().filter_map(|shown| self.find(&shown.id)).collect();
        let mut changes = Changes { everything: !gone.is_empty(), ..Changes::default() };
        if !gone.is_empty() || !news.is_empty() {
            changes.merge(self.take_in(news, &gone));
        }
        changes.agents.extend(self.hooked.stand(agents));
        changes
    }

    /// What hooks say an agent is doing.
    pub(crate) fn at_terminal(&self, id: &AgentId) -> Option<&AgentNow> {
        self.hooked.agents.get(id).map(|agent| &agent.shown)
    }

    /// What people call an agent: by the roster, else by the hooks that tell of it.
    pub(crate) fn called(&self, id: &AgentId) -> Option<&str> {
        let known = self.roster().agent(id.as_str()).and_then(|agent| agent.name.as_deref());
        known.or_else(|| self.at_terminal(id).map(AgentNow::shown))
    }

    /// Everybody whom somebody named.
    pub(crate) fn all_called(&self) -> impl Iterator<Item = (&AgentId, &str)> {
        let known = self.roster().agents.iter().map(|agent| &agent.id);
        let others = self.hooked.agents.keys().filter(|id| self.roster().agent(id.as_str()).is_none());
        known.chain(others).filter_map(|id| Some((id, self.called(id)?)))
    }

    /// The hub's event of a normalised one.
    pub(crate) fn told_by(&self, event: &str) -> Option<u32> {
        self.find(&self.hooked.shown.get(event)?.first()?.id)
    }

    /// All agents that hooks know, by their ids, at each of their terminals.
    pub(crate) fn at_terminals(&self) -> impl Iterator<Item = (&AgentId, &AgentNow)> {
        self.hooked.agents.iter().flat_map(|(id, agent)| agent.each.iter().map(move |now| (id, now)))
    }
}

impl Hooked {
    /// Replaces what the agents do; those of whom it differs.
    fn stand(&mut self, agents: Vec<AgentNow>) -> Vec<AgentId> {
        let mut now: BTreeMap<AgentId, Standing> = BTreeMap::new();
        for agent in agents {
            match now.entry(AgentId(folded(&agent.agent_id))) {
                Entry::Vacant(free) => _ = free.insert(Standing { shown: agent.clone(), each: vec![agent] }),
                Entry::Occupied(taken) => taken.into_mut().add(agent),
            }
        }
        let before = std::mem::replace(&mut self.agents, now);
        let all: BTreeSet<&AgentId> = before.keys().chain(self.agents.keys()).collect();
        all.into_iter().filter(|id| before.get(*id) != self.agents.get(*id)).cloned().collect()
    }
}

impl Standing {
    fn add(&mut self, agent: AgentNow) {
        let last_at = self.shown.last_at.max(agent.last_at);
        if (urgency(&agent), agent.last_at) > (urgency(&self.shown), self.shown.last_at) {
            self.shown = agent.clone();
        }
        self.shown.last_at = last_at;
        self.each.push(agent);
    }
}

/// What a person should know of first.
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
