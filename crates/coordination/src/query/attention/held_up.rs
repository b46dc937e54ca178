//! Graph of agents that wait for other agents: for an answer, or for help with a blocked task. The work list takes from
//! it the number of agents that one agent holds up, directly or through others.

use std::collections::{BTreeMap, BTreeSet};

use super::super::agents::Waits;
use super::sends::Stuck;
use crate::api::Attention;
use crate::hub::count;
use crate::ids::AgentId;

/// For each agent the agents that wait for it: for an answer, for a missing one, or to be unblocked.
pub(super) struct HeldUp(BTreeMap<AgentId, BTreeSet<AgentId>>);

impl HeldUp {
    pub(super) fn new(waits: &Waits<'_>, lines: &[Attention], stuck: &[Stuck<'_>]) -> Self {
        let pending = waits.to.values().flatten().map(|wait| (&wait.tracked.to, &wait.tracked.from));
        let ended = stuck.iter().map(|send| (&send.tracked.to, &send.tracked.from));
        // Many sends are between few pairs.
        let mut pairs: BTreeSet<(&AgentId, &AgentId)> = pending.chain(ended).collect();
        for line in lines {
            let blocked = line.agent.iter();
            pairs.extend(blocked.flat_map(|agent| line.unblockers.iter().map(move |helper| (helper, agent))));
        }
        let mut waiting: BTreeMap<AgentId, BTreeSet<AgentId>> = BTreeMap::new();
        for (receiver, sender) in pairs {
            waiting.entry(receiver.clone()).or_default().insert(sender.clone());
        }
        Self(waiting)
    }

    /// Number of agents that wait for this agent, directly or through others.
    pub(super) fn by(&self, agent: &AgentId) -> u32 {
        let mut found = BTreeSet::from([agent]);
        let mut next = vec![agent];
        while let Some(agent) = next.pop() {
            next.extend(self.0.get(agent).into_iter().flatten().filter(|waiting| found.insert(waiting)));
        }
        count(found.len() - 1)
    }
}
