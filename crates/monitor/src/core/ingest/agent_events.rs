//! Application of coding agents' events to the hub (state in memory), in batches of 2,000. Queries can run between two
//! batches.

use coordination::schema::{AgentsChanged, Changed};

use super::{Batch, HubWriter};
use crate::core::Core;
use crate::sources::agent_events::AgentEventsUpdate;

/// So many events are taken in before questions have their turn again: a record that is read at the start holds many.
const MAX_EVENTS_PER_WRITE: usize = 2_000;

impl HubWriter {
    pub(super) fn agent_events(&mut self, core: &Core, update: AgentEventsUpdate, batch: &mut Batch) {
        let AgentEventsUpdate { mut changed, whole, agents, unreadable } = update;
        core.status().team_trouble = unreadable;
        self.hooked |= agents.0.values().any(|agent| !agent.is_empty());
        if whole && std::mem::take(&mut self.unconfirmed.agent_events) {
            let current = changed.put.iter().map(|event| event.id.as_str()).collect();
            changed.removed.extend(core.hub().stale_agent_events(&current));
        }
        let Changed { put, removed: gone, evicted } = changed;
        let mut parts = put.chunks(MAX_EVENTS_PER_WRITE).map(<[_]>::to_vec);
        let mut hook = |writer: &mut Self, changed: &Changed, agents: AgentsChanged| {
            let changes = core.write(|hub| hub.apply_agent_events(changed, agents));
            writer.note(core, changes, batch);
        };
        // Even when no event differs, an agent may.
        let first = Changed { put: parts.next().unwrap_or_default(), removed: gone, evicted };
        hook(self, &first, agents);
        for put in parts {
            hook(self, &Changed { put, ..Changed::default() }, AgentsChanged::default());
        }
        batch.source_changed |= self.refresh_source(core);
    }
}
