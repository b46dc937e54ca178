//! Index from a work session to the sessions that resumed it (`previousWorkSessionId` of their events), so that a chain
//! of resumed sessions is followed without a scan.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::session::Session;
use crate::ids::SessionId;

/// Slots of the sessions whose events name the session they resume, by that session. An entry leaves with its last slot.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Resumed(BTreeMap<SessionId, BTreeSet<u32>>);

impl Resumed {
    /// Before a session changes.
    pub(super) fn leave(&mut self, slot: u32, session: &Session) {
        let Some(previous) = &session.state.previous else { return };
        if let Some(slots) = self.0.get_mut(previous) {
            slots.remove(&slot);
            if slots.is_empty() {
                self.0.remove(previous);
            }
        }
    }

    /// After it changed, when it still has events.
    pub(super) fn enter(&mut self, slot: u32, session: &Session) {
        if let Some(previous) = &session.state.previous {
            self.0.entry(previous.as_ref().clone()).or_default().insert(slot);
        }
    }

    /// Removes the slots for which `leaves` is true.
    pub(super) fn remove_all(&mut self, leaves: impl Fn(u32) -> bool) {
        self.0.retain(|_, slots| {
            slots.retain(|slot| !leaves(*slot));
            !slots.is_empty()
        });
    }

    /// Those that name this one.
    pub(crate) fn by(&self, id: &SessionId) -> impl Iterator<Item = u32> + '_ {
        self.0.get(id).into_iter().flatten().copied()
    }
}
