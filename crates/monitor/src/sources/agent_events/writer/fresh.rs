//! Duplicate detection within one batch.

use std::collections::HashMap;

use coordination::schema::{Input, InputVersion, Ledger};

/// What is about to be taken in together: it counts like what is there already, so that nothing depends on what came at
/// once and what one by one.
#[derive(Default)]
pub(super) struct Fresh(HashMap<String, Vec<InputVersion>>);

impl Fresh {
    /// False when it says nothing new.
    pub(super) fn take(&mut self, input: &Input) -> bool {
        let (versions, version) = (self.0.entry(input.key.clone()).or_default(), Ledger::version_of(input));
        let new = !versions.iter().any(|known| known.supersedes(&version));
        versions.extend(new.then_some(version));
        new
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// Several say different things under this id.
    pub(super) fn conflicts(&self, id: &str) -> bool {
        self.0.get(id).is_some_and(|versions| versions.len() > 1)
    }
}
