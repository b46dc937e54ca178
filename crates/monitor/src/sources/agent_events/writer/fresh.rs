//! Duplicate detection among the hooks and schema events of the batch that is being written to the journal. Duplicates
//! of inputs from earlier batches are detected by [`Ledger`], the state derived from the journal.

use std::collections::HashMap;

use coordination::schema::{InputVersion, Ledger, SchemaInput};

/// Inputs of the current batch: they count like stored ones, so that a batch has the same result as single
/// requests.
#[derive(Default)]
pub(super) struct Fresh(HashMap<String, Vec<InputVersion>>);

impl Fresh {
    /// False when an equal input is in the batch already.
    pub(super) fn take(&mut self, input: &SchemaInput) -> bool {
        let (versions, version) = (self.0.entry(input.key.clone()).or_default(), Ledger::version_of(input));
        let new = !versions.iter().any(|known| known.supersedes(&version));
        versions.extend(new.then_some(version));
        new
    }

    pub(super) fn contains(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// True when the batch holds different inputs of this id.
    pub(super) fn conflicts(&self, id: &str) -> bool {
        self.0.get(id).is_some_and(|versions| versions.len() > 1)
    }
}
