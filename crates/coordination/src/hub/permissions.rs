//! Open permission requests in the hub: those of coding agents whose hooks wait for an answer from a page. The monitor
//! holds the requests themselves; here is what the work list needs to link to them.

use std::collections::BTreeSet;

use super::{Changes, Hub};
use crate::api::PermissionRef;
use crate::ids::AgentId;

/// A request that can be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenPermission {
    /// The agent that asks.
    pub agent: AgentId,
    /// Its terminal, as hooks name it.
    pub terminal: String,
    /// The request.
    pub request: PermissionRef,
}

/// All of them, oldest first. Shrinks when a request ends.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenPermissions(Vec<OpenPermission>);

impl OpenPermissions {
    /// Those of an agent at a terminal, oldest first.
    pub(crate) fn requests(&self, agent: &AgentId, terminal: &str) -> Vec<PermissionRef> {
        let own = self.0.iter().filter(|open| open.agent == *agent && open.terminal == terminal);
        own.map(|open| open.request.clone()).collect()
    }
}

impl Hub {
    /// Replaces the open permission requests.
    pub fn set_permission_requests(&mut self, open: Vec<OpenPermission>) -> Changes {
        let old = &self.inputs.permissions.0;
        let differing = open.iter().filter(|request| !old.contains(request));
        let differing = differing.chain(old.iter().filter(|request| !open.contains(request)));
        let agents: BTreeSet<AgentId> = differing.map(|request| request.agent.clone()).collect();
        if agents.is_empty() {
            return Changes::default();
        }
        self.note_revision();
        self.inputs.permissions = OpenPermissions(open);
        Changes { agents, ..Changes::default() }
    }
}
