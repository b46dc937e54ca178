//! What the sessions of the agents said to each other goes into the hub.

use std::sync::Arc;

use coordination::api::TranscriptReading;
use coordination::hub::{Changes, Hub};

use super::{Batch, Writer, write};
use crate::state::{AppState, Notice};
use crate::talk::Heard;

impl Writer {
    /// Pair by pair of agents, so that no question waits for all of them.
    pub(super) fn talk(&mut self, state: &AppState, heard: Heard, batch: &mut Batch) {
        let Heard { talk, revision, stores, reading, unreadable } = heard;
        let changed = {
            let mut now = state.reading();
            let changed = now.transcripts.revision != revision;
            now.stores = stores;
            now.transcripts = TranscriptReading { revision, ..reading };
            now.talk_trouble = unreadable;
            changed
        };
        if changed {
            batch.changes.merge(Changes::stores(revision));
        }
        if let Some(talk) = talk {
            write(state, |hub| hub.hear(talk));
        }
        while let Some(changes) = write(state, Hub::tell_next) {
            self.note(state, changes, batch);
        }
        batch.source_changed |= self.refresh_source(state);
    }

    /// Events that no line of the log brought: the newest time, and the clients of the old API that listen.
    pub(super) fn note(&mut self, state: &AppState, changes: Changes, batch: &mut Batch) {
        self.newest = self.newest.max(state.hub().newest_of(&changes));
        if self.history_read && state.notices().receiver_count() > 0 {
            let events = state.hub().events_of(&changes);
            if !events.is_empty() {
                // An error only says that the last listener has just gone.
                drop(state.notices().send(Notice::Events(Arc::new(events))));
            }
        }
        batch.changes.merge(changes);
    }
}
