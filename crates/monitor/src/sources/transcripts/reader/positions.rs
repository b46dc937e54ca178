//! Discovery of the transcripts that the reader has to read, in the databases and sessions folders of agents. Each is
//! listed under its agent and session id, with its session key where that is known. Changes of the session stores are
//! detected here, too.

use std::collections::BTreeMap;
use std::sync::Arc;

use coordination::ids::AgentId;
use coordination::roster::Roster;
use coordination::store::{StoreSnapshot, TranscriptKeys, TranscriptName};
use coordination::transcript::FoundTranscript;

use super::{TranscriptDatabase, TranscriptReader, TranscriptSource, UNSETTLED, database_path};
use crate::home::HomeDir;
use crate::sources::store;
use crate::sources::workspace::ReadError;

impl TranscriptReader {
    /// Takes the current content of the stores; whether that changes anything.
    pub(super) fn note_held(&mut self, held: &Arc<StoreSnapshot>) -> Other {
        let Some(before) = self.held.replace(Arc::clone(held)) else {
            self.keys = TranscriptKeys::from_snapshot(held);
            let runs = !held.spawns.is_empty() || children(held).next().is_some();
            return Other { stores: !held.places.is_empty(), talk: runs };
        };
        if Arc::ptr_eq(&before, held) {
            return Other { stores: false, talk: false };
        }
        self.keys = TranscriptKeys::from_snapshot(held);
        let same = before.spawns == held.spawns && children(&before).eq(children(held));
        Other { stores: true, talk: !same }
    }

    pub(super) fn note_database(
        &mut self,
        home: &HomeDir,
        roster: &Roster,
        agent: &AgentId,
        sources: &mut BTreeMap<TranscriptName, (TranscriptSource, Option<String>)>,
    ) {
        match store::database_state(home, roster, agent) {
            Ok(state) => {
                let known = self.databases.get(agent).is_some_and(|known| known.state == Some(state));
                if !known {
                    match store::heads(home, roster, agent) {
                        Ok(heads) => {
                            let state = Some(state).filter(|state| !state.is_recent(UNSETTLED));
                            self.databases.insert(agent.clone(), TranscriptDatabase { state, heads });
                        }
                        Err(error) => self.report_unreadable(&database_path(agent), error),
                    }
                }
            }
            Err(ReadError::Missing) => {
                self.databases.remove(agent);
            }
            Err(error) => self.report_unreadable(&database_path(agent), error),
        }
        for head in self.databases.get(agent).map(|known| known.heads.as_slice()).unwrap_or_default() {
            let key = self.keys.of_session(agent, &head.session_id).map(str::to_owned);
            let current = key.is_some();
            let transcript_source = TranscriptSource::Rows { last: head.last, current };
            sources.insert(
                (agent.clone(), head.session_id.clone()),
                (transcript_source, key.or_else(|| head.key.clone())),
            );
        }
    }

    pub(super) fn note_files(
        &self,
        agent: &AgentId,
        folder: usize,
        found: Vec<FoundTranscript>,
        sources: &mut BTreeMap<TranscriptName, (TranscriptSource, Option<String>)>,
    ) {
        for found in found {
            let Some((name, key)) = self.keys.of_file(agent, &found) else { continue };
            // The database goes before files.
            let is_chosen = match sources.get(&name) {
                None => true,
                Some((TranscriptSource::Rows { .. }, _)) => false,
                Some((TranscriptSource::File { found: other, .. }, _)) => found.goes_before(other),
            };
            if is_chosen {
                sources.insert(name, (TranscriptSource::File { folder, found }, key));
            }
        }
    }
}

/// Changes besides those of transcripts.
pub(super) struct Other {
    pub(super) stores: bool,
    pub(super) talk: bool,
}

/// Child sessions: key, parent, end and label.
fn children(held: &StoreSnapshot) -> impl Iterator<Item = (&str, &str, Option<i64>, Option<&str>)> {
    held.sessions.iter().filter_map(|session| {
        let entry = &session.entry;
        Some((session.key.as_str(), entry.spawned_by()?, entry.ended_at(), entry.label()))
    })
}
