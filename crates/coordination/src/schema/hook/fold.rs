//! The events that follow from the set of hooks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::schema::{Changed, Input, What};

/// How many hooks there were, by name, and what became of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// By the hook's name.
    pub hooks: BTreeMap<String, u64>,
    /// Known hooks that make no event.
    pub ignored: u64,
    /// Hooks whose name this build does not know.
    pub unknown: u64,
}

/// The hooks of every session, folded.
#[derive(Debug, Default)]
pub struct Hooks {
    counts: Counts,
}

impl Hooks {
    /// Takes hooks in; inputs that are events of their own are passed over.
    pub fn take(&mut self, inputs: Vec<Input>) -> Changed {
        for input in inputs {
            if let What::Hook { payload, .. } = input.what {
                let name = payload.get("hook_event_name").and_then(serde_json::Value::as_str).unwrap_or_default();
                *self.counts.hooks.entry(name.to_owned()).or_default() += 1;
            }
        }
        Changed::default()
    }

    /// What only the passing of time decides: `now` in epoch milliseconds.
    pub fn settle(&mut self, now: i64) -> Changed {
        let _ = now;
        Changed::default()
    }

    /// When [`Self::settle`] has something to do next.
    #[must_use]
    pub fn due(&self) -> Option<i64> {
        None
    }

    /// How many there were.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        &self.counts
    }
}
