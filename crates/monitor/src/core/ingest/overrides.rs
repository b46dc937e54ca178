//! Application of what people set (manual categories, classifier rules, shared records) to the hub.

use coordination::hub::SharedIndex;

use super::{Batch, HubWriter};
use crate::core::Core;
use crate::core::overrides::OverrideStoreUpdate;

impl HubWriter {
    pub(super) fn overrides(&mut self, core: &Core, update: OverrideStoreUpdate, batch: &mut Batch) {
        match update {
            OverrideStoreUpdate::Overrides { entries, trouble, applied } => {
                core.status().override_trouble = trouble;
                batch.source_changed |= self.refresh_source(core);
                let changes = core.write(|hub| hub.set_overrides(entries));
                batch.changes.merge(changes);
                batch.applied.extend(applied);
            }
            OverrideStoreUpdate::Shared { records, trouble, applied } => {
                // The long part needs no write lock.
                let index = SharedIndex::new(&records);
                let changes = core.write(|hub| hub.set_shared_records(index));
                batch.changes.merge(changes);
                // After the records: who sees that they were read finds them.
                core.status().shared_trouble = Some(trouble);
                batch.source_changed |= self.refresh_source(core);
                batch.applied.extend(applied);
            }
            OverrideStoreUpdate::Rules { taught, trouble, applied } => {
                core.status().taught_trouble = trouble;
                batch.source_changed |= self.refresh_source(core);
                // The long part needs no write lock, and there is no other writer.
                let other = *core.hub().taught() != taught;
                if other {
                    let update = core.hub().evaluate_rules(taught);
                    batch.changes.merge(core.write(|hub| hub.apply_rules(update)));
                }
                batch.applied.extend(applied);
            }
        }
    }
}
