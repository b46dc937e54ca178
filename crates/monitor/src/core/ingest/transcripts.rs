//! Ingest of OpenClaw's transcripts into the hub. The hub is updated one pair of agents after the other, so no request
//! has to wait until all pairs are done.

use std::sync::Arc;

use coordination::api::TranscriptReading;
use coordination::hub::{Changes, Hub};
use coordination::store::PersonRequests;

use super::{Batch, HubWriter};
use crate::config::Gateway;
use crate::core::Core;
use crate::core::status::V1Notice;
use crate::sources::transcripts::TranscriptUpdate;

impl HubWriter {
    /// Pair by pair of agents, so that no question waits for all of them.
    pub(super) fn transcripts(&mut self, core: &Core, update: TranscriptUpdate, batch: &mut Batch) {
        let TranscriptUpdate { mut talk, complete, revision, stores, requests, reading, unreadable } = update;
        let changed = {
            let mut now = core.status();
            let changed = now.transcripts.revision != revision;
            now.stores = stores;
            now.transcripts = TranscriptReading { revision, ..reading };
            now.talk_trouble = unreadable;
            changed
        };
        if changed {
            batch.changes.merge(Changes::stores(revision));
        }
        let gateway = core.settings().gateway.as_ref();
        let requests = PersonRequests { gateway_page: gateway.map(Gateway::page), ..requests };
        batch.changes.merge(core.write(|hub| hub.set_person_requests(requests)));
        // The loaded hub has the events of all transcripts: a part of them would withdraw the others for a moment.
        if self.unconfirmed.transcripts {
            self.partial_talk = talk.take().or(self.partial_talk.take());
            self.unconfirmed.transcripts = !complete;
            talk = complete.then(|| self.partial_talk.take().unwrap_or_default());
        }
        if let Some(talk) = talk {
            core.write(|hub| hub.set_transcripts(talk));
        }
        while let Some(changes) = core.write(Hub::sync_next_pair) {
            self.note(core, changes, batch);
        }
        batch.source_changed |= self.refresh_source(core);
    }

    /// Events that no line of the log brought: the newest time, and the clients of the old API that listen.
    pub(super) fn note(&mut self, core: &Core, changes: Changes, batch: &mut Batch) {
        let arrived = self.history_read;
        core.hub().newest_of(&changes).into_iter().for_each(|at| self.newest.add(at, arrived));
        if self.history_read && core.notices().receiver_count() > 0 {
            let events = core.hub().events_of(&changes);
            if !events.is_empty() {
                // An error only means that the last listener has disconnected.
                drop(core.notices().send(V1Notice::Events(Arc::new(events))));
            }
        }
        batch.changes.merge(changes);
    }
}
