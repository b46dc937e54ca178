//! Everything that came in, and the events that follow from it: a function of the set of inputs.

use std::collections::HashSet;

use super::hook::Hooks;
use super::{Changed, Input, What};

/// The set of inputs, folded.
#[derive(Debug, Default)]
pub struct Ledger {
    /// Keys of all inputs; never shrinks.
    keys: HashSet<String>,
    hooks: Hooks,
}

impl Ledger {
    /// This input is there already.
    #[must_use]
    pub fn knows(&self, input: &Input) -> bool {
        self.keys.contains(&input.key)
    }

    /// Takes inputs in, each once.
    pub fn take(&mut self, inputs: Vec<Input>) -> Changed {
        let mut hooks = Vec::new();
        let mut changed = Changed::default();
        for input in inputs {
            if !self.keys.insert(input.key.clone()) {
                continue;
            }
            match input.what {
                What::Event(event) => changed.put.push(*event),
                What::Hook { .. } => hooks.push(input),
            }
        }
        let folded = self.hooks.take(hooks);
        changed.put.extend(folded.put);
        changed.gone.extend(folded.gone);
        changed
    }

    /// What only the passing of time decides: `now` in epoch milliseconds.
    pub fn settle(&mut self, now: i64) -> Changed {
        self.hooks.settle(now)
    }

    /// When [`Self::settle`] has something to do next, in epoch milliseconds.
    #[must_use]
    pub fn due(&self) -> Option<i64> {
        self.hooks.due()
    }

    /// The hooks among the inputs.
    #[must_use]
    pub fn hooks(&self) -> &Hooks {
        &self.hooks
    }
}
