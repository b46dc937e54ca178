//! Lanes (columns) of a flow diagram: first one for all people, then one per agent in order of appearance, last one for
//! all other agents. Agents with messages have their own lane, and so do main agents with tasks or delegated runs.
//!
//! All people share a lane, because an event names only the agent's session that carried a person's message
//! (`contract/events.md` §7.4).

use std::collections::{HashMap, HashSet};

use crate::api::{Flow, FlowLane};
use crate::hub::{Hub, Session};
use crate::ids::AgentId;

/// Placeholder for the lane of the others until all lanes are known.
const OTHERS: u32 = u32::MAX;
/// Placeholder for the lane of people until then.
const PEOPLE: u32 = u32::MAX - 1;

/// Lanes of a session during the build.
pub(super) struct Lanes<'a> {
    hub: &'a Hub,
    /// Agents that speak or are addressed in a thread.
    talkers: HashSet<AgentId>,
    /// Lane of each agent that has one.
    known: HashMap<AgentId, u32>,
    /// Agents in order of their lanes.
    order: Vec<AgentId>,
}

impl<'a> Lanes<'a> {
    pub(super) fn new(hub: &'a Hub, session: &Session) -> Self {
        let messages = session.state.threads.iter().flat_map(|thread| &thread.messages);
        let talkers = messages.flat_map(|index| [hub.event(*index).speaker(), hub.event(*index).addressee()]);
        let talkers = talkers.filter(is_known).collect();
        Self { hub, talkers, known: HashMap::new(), order: Vec::new() }
    }

    /// The lane of an agent.
    pub(super) fn lane_of(&mut self, agent: &AgentId) -> u32 {
        if let Some(lane) = self.known.get(agent) {
            return *lane;
        }
        let own = is_known(agent) && (self.talkers.contains(agent) || self.hub.roster().is_main(agent.as_str()));
        if !own {
            return OTHERS;
        }
        let lane = u32::try_from(self.order.len()).unwrap_or(OTHERS);
        self.known.insert(agent.clone(), lane);
        self.order.push(agent.clone());
        lane
    }

    /// The lane of an agent, unless it would contain notes only.
    pub(super) fn of_worker(&mut self, agent: &AgentId) -> u32 {
        let stays = self.known.contains_key(agent) || self.talkers.contains(agent);
        if stays || self.talkers.is_empty() { self.lane_of(agent) } else { OTHERS }
    }

    /// The lane of agents without one.
    pub(super) fn others(&self) -> u32 {
        OTHERS
    }

    /// The lane of people.
    pub(super) fn people(&self) -> u32 {
        PEOPLE
    }

    /// Puts the lanes into the answer: that of people first, that of the others last, each only when it is
    /// used.
    pub(super) fn finish(self, flow: &mut Flow) {
        let of_people = flow.arrows.iter().any(|arrow| arrow.from == PEOPLE);
        let shift = u32::from(of_people);
        let last = u32::try_from(self.order.len()).unwrap_or(PEOPLE - 1) + shift;
        let people = of_people.then_some(FlowLane { agent: None, person: true });
        let agents = self.order.into_iter().map(|agent| FlowLane { agent: Some(agent), person: false });
        flow.lanes = people.into_iter().chain(agents).collect();
        let arrows = flow.arrows.iter_mut().flat_map(|arrow| [&mut arrow.from, &mut arrow.to]);
        let delegations = flow.delegations.iter_mut().map(|delegation| &mut delegation.lane);
        let task_bars = flow.task_bars.iter_mut().map(|task_bar| &mut task_bar.lane);
        let notes = flow.notes.iter_mut().map(|note| &mut note.lane);
        let mut others = false;
        for lane in arrows.chain(delegations).chain(task_bars).chain(notes) {
            match *lane {
                OTHERS => (*lane, others) = (last, true),
                PEOPLE => *lane = 0,
                _ => *lane += shift,
            }
        }
        if others {
            flow.lanes.push(FlowLane::default());
        }
    }
}

fn is_known(agent: &AgentId) -> bool {
    !matches!(agent.as_str(), "" | "unknown")
}
