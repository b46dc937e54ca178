//! Ingest of the configuration and the agents' workspace folders into the hub.

use std::sync::Arc;

use coordination::api::Unreadable;

use super::{Batch, HubWriter};
use crate::core::Core;
use crate::core::status::V1Notice;
use crate::sources::workspace::Update;

impl HubWriter {
    pub(super) fn files(&mut self, core: &Core, update: Update, batch: &mut Batch) {
        let Update { roster, config, workspace, unreadable, changes } = update;
        {
            let of_agents = workspace.agents.iter().flat_map(|agent| &agent.unreadable);
            let mut reading = core.status();
            reading.config_trouble = unreadable;
            reading.workspace_trouble =
                of_agents.map(|(path, cause)| Unreadable { path: path.clone(), cause: cause.clone() }).collect();
        }
        batch.source_changed |= config != self.config;
        self.config = config;
        batch.source_changed |= self.refresh_source(core);
        // Setting the roster rederives all roles, so it is set only when it changed.
        let (roster_changed, workspace_changed) = {
            let hub = core.hub();
            let unconfirmed = std::mem::take(&mut self.unconfirmed.workspace);
            (*hub.roster() != roster, unconfirmed || *hub.workspace() != workspace)
        };
        if roster_changed {
            batch.changes.merge(core.write(|hub| hub.set_roster(roster)));
        }
        if workspace_changed {
            batch.changes.merge(core.write(|hub| hub.set_workspace(workspace)));
        }
        if !changes.is_empty() {
            // An error only means that no 1.x client listens.
            drop(core.notices().send(V1Notice::Files(Arc::new(changes))));
        }
    }
}
