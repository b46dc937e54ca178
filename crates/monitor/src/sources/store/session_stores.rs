//! Cached reader of the session stores of OpenClaw's state folder, shared by several threads. A store that changed on
//! disk is read again at the next access. The reader also lists the stored sessions, and looks for their transcripts if
//! the query wants titles, messages or paths.

use std::sync::{Arc, Mutex, PoisonError};

use coordination::api::{StoreList, StoreQuery};
use coordination::roster::Roster;
use coordination::store::StoreSnapshot;

use super::{StoreReader, TranscriptTexts};
use crate::home::HomeDir;
use crate::sources::transcript::Briefs;

/// Reads OpenClaw's session stores again when they changed. Every method blocks on the disk: for threads that may.
#[derive(Debug)]
pub(crate) struct SessionStores {
    home: HomeDir,
    /// Content of the stores at the last look.
    reader: Mutex<StoreReader>,
    /// Cache of first and last messages.
    briefs: Mutex<Briefs>,
}

impl SessionStores {
    /// Nothing is read yet.
    pub(crate) fn new(home: HomeDir) -> Self {
        Self { reader: Mutex::new(StoreReader::new(home.clone())), home, briefs: Mutex::default() }
    }

    /// The home whose stores these are.
    pub(crate) fn home(&self) -> &HomeDir {
        &self.home
    }

    /// Current content of the stores.
    pub(crate) fn sessions(&self, roster: &Roster) -> Arc<StoreSnapshot> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        match reader.look(roster) {
            Some(now) => now,
            None => reader.held().map(Arc::clone).unwrap_or_default(),
        }
    }

    /// A list of the stored sessions. When the query wants titles, messages or paths, it also looks for transcripts.
    pub(crate) fn list(&self, roster: &Roster, query: &StoreQuery, now: i64) -> StoreList {
        let sessions = self.sessions(roster);
        if !query.needs_transcripts() {
            return coordination::store::list(&sessions, roster, query, now, &mut ());
        }
        let mut briefs = self.briefs.lock().unwrap_or_else(PoisonError::into_inner);
        coordination::store::list(
            &sessions,
            roster,
            query,
            now,
            &mut TranscriptTexts::new(&self.home, roster, &mut briefs),
        )
    }
}
