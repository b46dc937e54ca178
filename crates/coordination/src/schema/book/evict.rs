//! Eviction: calls of tools are by far the most events and say the least later, so that only the newest are held.

use std::collections::BTreeSet;

use super::{Book, From, Place, Touched};
use crate::schema::Changed;

impl Book {
    /// How many events of tools are held.
    pub(in crate::schema) fn tools(&self) -> usize {
        self.tools
    }

    /// The oldest events of tools beyond so many, oldest first, each with its source. Those that an agent's state names
    /// are not among them. Looks at every event.
    pub(in crate::schema) fn oldest_tools(&self, most: usize) -> Vec<(String, From)> {
        let tools = self
            .entries
            .iter()
            .filter(|(place, entry)| entry.event.kind.is_tool() && !self.agents.names(place, &entry.event));
        let oldest = tools.take(self.tools.saturating_sub(most));
        oldest.map(|(place, entry)| (place.1.to_string(), entry.from)).collect()
    }

    /// Takes events out while the agents' states stand as they are.
    pub(in crate::schema) fn evict(&mut self, ids: &[String]) -> Changed {
        let mut touched = Touched::default();
        let mut newest: Option<Place> = None;
        for id in ids {
            let Some((place, entry)) = self.take_entry(id, &mut touched) else { continue };
            newest = newest.max(Some(place.clone()));
            self.shadowed.remove(id.as_str());
            self.settle_without(&place, entry, &mut touched);
        }
        let Changed { put, gone, .. } = self.changed(touched);
        let ids: BTreeSet<&String> = ids.iter().collect();
        let (evicted, gone) = gone.into_iter().partition(|id| ids.contains(id));
        if let Some(newest) = newest {
            self.agents.forget(&newest);
        }
        Changed { put, gone, evicted }
    }
}
