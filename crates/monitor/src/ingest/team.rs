//! What coding agents tell, on its way to the hub.

use super::{Batch, Writer};
use crate::state::AppState;
use crate::team::TeamChange;

impl Writer {
    pub(super) fn team(&mut self, state: &AppState, change: TeamChange, batch: &mut Batch) {
        state.reading().team_trouble = change.unreadable;
        batch.source_changed |= self.refresh_source(state);
    }
}
