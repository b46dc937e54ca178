//! A fleet without servers, for tests: machines whose monitors run already.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use coordination::api::{FleetLink, FleetSource};

use super::{AggregateState, Fleet, FleetMember, FleetShared, FleetView};
use crate::app::{AppState, HubMemory};
use crate::config::{FleetSettings, FleetText};
use crate::fleet::saved::MirrorFolder;
use crate::inputs::WrittenInputs;

impl Fleet {
    /// A fleet of running monitors without servers, each by id, name and state.
    pub(crate) fn of_monitors(folder: &Path, monitors: Vec<(FleetSource, AppState)>) -> Self {
        let settings = monitors[0].1.settings().clone();
        let fleet = FleetSettings {
            name: "studio".to_owned(),
            servers: Vec::new(),
            creds_file: None,
            ca_file: None,
            machine: String::new(),
            text: FleetText::default(),
            ship: false,
            writes: false,
            reads: false,
            mirror: None,
        };
        let shared = FleetShared {
            settings,
            fleet,
            folder: MirrorFolder::hold(folder.to_path_buf()).expect("a folder"),
            state: Mutex::new(AggregateState { link: FleetLink::Connected, ..AggregateState::default() }),
            view: RwLock::default(),
            client: Mutex::default(),
            written: WrittenInputs::default(),
            memory: HubMemory::default(),
        };
        let fleet = Self(Arc::new(shared));
        fleet.show_monitors(monitors, FleetView::default());
        fleet
    }

    /// Replaces the machines of [`Self::of_monitors`], and the rest of what is shown.
    pub(crate) fn show_monitors(&self, monitors: Vec<(FleetSource, AppState)>, view: FleetView) {
        let member = |(info, app): (FleetSource, AppState)| FleetMember {
            id: info.id.clone(),
            info,
            app,
            has_reads: false,
            fleet: self.clone(),
        };
        let members = monitors.into_iter().map(member).collect();
        let view = FleetView { link: FleetLink::Connected, members, ..view };
        let view = FleetView { digest: view.digest(0), ..view };
        *self.0.view.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(view);
    }
}
