//! Eviction of the oldest tool events (tool calls of coding agents) from memory. Most events are tool events, and old
//! ones are rarely read. The agents' states do not change.

use std::collections::BTreeSet;

use super::{EventOrderKey, EventProducer, EventTimeline, Touched};
use crate::Changed;

impl EventTimeline {
    /// Number of tool events.
    pub(crate) fn tools(&self) -> usize {
        self.tools
    }

    /// Tool events in excess of `most`, oldest first, each with its source. Leaves out those that an agent's state names.
    /// Looks at every event.
    pub(crate) fn oldest_tools(&self, most: usize) -> Vec<(String, EventProducer)> {
        let tools = self
            .entries
            .iter()
            .filter(|(place, entry)| entry.event.kind.is_tool() && !self.agents.names(place, &entry.event));
        let oldest = tools.take(self.tools.saturating_sub(most));
        oldest.map(|(place, entry)| (place.1.to_string(), entry.from)).collect()
    }

    /// Removes events and keeps the agents' states.
    pub(crate) fn evict(&mut self, ids: &[String]) -> Changed {
        let mut touched = Touched::default();
        let mut newest: Option<EventOrderKey> = None;
        for id in ids {
            let Some((place, entry)) = self.take_entry(id, &mut touched) else { continue };
            newest = newest.max(Some(place.clone()));
            self.shadowed.remove(id.as_str());
            self.settle_without(&place, entry, &mut touched);
        }
        let Changed { put, removed, .. } = self.changed(touched);
        let ids: BTreeSet<&String> = ids.iter().collect();
        let (evicted, removed) = removed.into_iter().partition(|id| ids.contains(id));
        if let Some(newest) = newest {
            self.agents.forget(&newest);
        }
        Changed { put, removed, evicted }
    }
}
