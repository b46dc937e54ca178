//! Requests of OpenClaw's stores to a person (approvals, statements of agents) in the hub, with the agents whose requests a
//! change touches.

use std::collections::BTreeSet;

use super::{Changes, Hub};
use crate::api::AgentStatement;
use crate::ids::AgentId;
use crate::store::PersonRequests;

impl Hub {
    /// Replaces what the stores ask of a person.
    pub fn set_person_requests(&mut self, requests: PersonRequests) -> Changes {
        let before = std::mem::replace(&mut self.inputs.requests, requests);
        let now = &self.inputs.requests;
        if before == *now {
            return Changes::default();
        }
        let mut agents = BTreeSet::new();
        for (these, others) in [(&before, now), (now, &before)] {
            let approvals = these.approvals.iter().filter(|approval| !others.approvals.contains(approval));
            agents.extend(approvals.filter_map(|approval| approval.agent_id.clone()));
            let statements = these.statements.iter().filter(|statement| !others.statements.contains(statement));
            agents.extend(statements.map(|(agent, _)| agent.clone()));
        }
        self.note_revision();
        // Approvals may name no agent, and the address of the gateway concerns all.
        Changes { everything: agents.is_empty(), agents, ..Changes::default() }
    }

    /// What the stores ask of a person, over or not.
    pub(crate) fn person_requests(&self) -> &PersonRequests {
        &self.inputs.requests
    }

    /// What an agent says of itself at `now`: of several statements the one that lasts longest.
    pub(crate) fn statement_of(&self, agent: &AgentId, now: i64) -> Option<&AgentStatement> {
        let own =
            self.inputs.requests.statements.iter().filter(|(of, statement)| of == agent && statement.expires_at > now);
        own.map(|(_, statement)| statement).max_by_key(|statement| (statement.expires_at, &statement.session_key))
    }
}
