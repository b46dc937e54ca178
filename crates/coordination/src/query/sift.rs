//! Events that hold words, found in one pass over the log. Packed lines are looked at as lines; only those that may
//! hold it are read again, and none of them is kept.

use crate::event::Event;
use crate::hub::Hub;

/// Events found, as bits by number.
pub(super) struct Sifted(Vec<u64>);

impl Sifted {
    /// Looks at all events; of those whose line `may` hold what is looked for, `holds` decides.
    pub(super) fn new(hub: &Hub, may: impl Fn(&str) -> bool, holds: impl Fn(u32, &Event) -> bool) -> Self {
        let mut bits = vec![0_u64; hub.events.len().div_ceil(64)];
        hub.events.sift(may, |index, event| {
            if holds(index, event) {
                bits[index as usize / 64] |= 1 << (index % 64);
            }
        });
        Self(bits)
    }

    pub(super) fn has(&self, index: u32) -> bool {
        self.0.get(index as usize / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }
}
