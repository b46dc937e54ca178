//! Ingest of coordination log lines: events go into the hub, unreadable lines and findings into the status. At start-up
//! the hub is loaded from its cache on disk, if possible; the log is then read from the point where the cached hub
//! ends.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Instant;

use super::{Batch, HubWriter};
use crate::core::Core;
use crate::core::hub_cache::CacheLoader;
use crate::core::status::{MAX_BAD_LINE_SAMPLES, V1Notice};
use crate::sources::tail::{Chunk, Follower};

/// Inputs of a loaded hub that are not saved with it, and that their sources have not delivered since.
#[derive(Default)]
pub(super) struct UnconfirmedInputs {
    pub(super) workspace: bool,
    pub(super) transcripts: bool,
    pub(super) agent_events: bool,
}

impl HubWriter {
    /// Begins with the saved hub, if there is one of these files, else with an empty one.
    pub(super) fn load(&mut self, loader: CacheLoader, started: &Sender<Follower>) {
        let Some(core) = self.core.upgrade() else { return };
        let home = core.settings().home.clone();
        let follower = match loader.load(&home, core.live().packing()) {
            Some(saved) => {
                self.unconfirmed = UnconfirmedInputs { workspace: true, transcripts: true, agent_events: true };
                self.newest = saved.newest;
                core.status().restore(saved.status);
                core.live().replace(saved.hub, saved.index);
                core.write(|hub| hub.set_classifier(core.settings().classifier));
                saved.follower
            }
            None => Follower::new(home),
        };
        // The roster is waited for from now on.
        self.started = Instant::now();
        // An error means that the monitor is closing.
        started.send(follower).unwrap_or_default();
    }

    pub(super) fn lines(&mut self, core: &Core, chunk: Chunk, batch: &mut Batch) {
        core.note_lines();
        core.status().examine(&chunk);
        if !chunk.bad.is_empty() {
            batch.source_changed = true;
            let mut reading = core.status();
            reading.bad_lines += chunk.bad.len() as u64;
            reading.samples.extend(chunk.bad);
            let excess = reading.samples.len().saturating_sub(MAX_BAD_LINE_SAMPLES);
            reading.samples.drain(..excess);
        }
        if chunk.events.is_empty() {
            return;
        }
        let arrived = self.history_read;
        chunk.events.iter().for_each(|event| self.newest.add(event.at, arrived));
        let has_v1_listener = self.history_read && core.notices().receiver_count() > 0;
        let copy = has_v1_listener.then(|| Arc::new(chunk.events.clone()));
        if self.history_read {
            let changes = core.write(|hub| hub.apply(chunk.events));
            batch.changes.merge(changes);
        } else {
            // Clients get a snapshot when the history is read.
            core.write(|hub| hub.load(chunk.events));
        }
        if let Some(events) = copy {
            // An error only means that the last listener has disconnected.
            drop(core.notices().send(V1Notice::Events(events)));
        }
    }
}
