//! Discovery of the transcripts that the reader has to read, in the databases and sessions folders of agents. Each is
//! listed under its agent and session id, with its session key where that is known. Changes of the session stores are
//! detected here, too.

use std::collections::BTreeMap;
use std::sync::Arc;

use coordination::ids::AgentId;
use coordination::roster::Roster;
use coordination::store::StoreSnapshot;
use coordination::transcript::Reason;

use super::{TranscriptDatabase, TranscriptName, TranscriptReader, TranscriptSource, UNSETTLED, database_path};
use crate::home::HomeDir;
use crate::sources::store;
use crate::sources::transcript::FoundTranscript;
use crate::sources::workspace::ReadError;

impl TranscriptReader {
    /// Takes the current content of the stores; whether that changes anything.
    pub(super) fn note_held(&mut self, held: &Arc<StoreSnapshot>) -> Other {
        let Some(before) = self.held.replace(Arc::clone(held)) else {
            self.note_keys(held);
            let runs = !held.spawns.is_empty() || children(held).next().is_some();
            return Other { stores: !held.places.is_empty(), talk: runs };
        };
        if Arc::ptr_eq(&before, held) {
            return Other { stores: false, talk: false };
        }
        self.note_keys(held);
        let same = before.spawns == held.spawns && children(&before).eq(children(held));
        Other { stores: true, talk: !same }
    }

    fn note_keys(&mut self, held: &StoreSnapshot) {
        self.keys.clear();
        for session in &held.sessions {
            let file = session.entry.session_file().and_then(|path| path.rsplit(['/', '\\']).next());
            let named = file.and_then(|name| name.strip_suffix(".jsonl"));
            let names = [named, session.entry.session_id()];
            let key = session.key.as_str();
            for name in names.into_iter().flatten() {
                let own = || (session.agent_id.clone(), key.to_owned());
                let known = self.keys.entry(name.to_owned()).or_insert_with(own);
                // A run of a job has its job's session: the job is what is listed.
                if (key.len(), key) < (known.1.len(), &known.1) {
                    *known = own();
                }
            }
        }
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
            let key = self.keys.get(&head.session_id).filter(|(own, _)| own == agent).map(|(_, key)| key.clone());
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
        for found in found.into_iter().filter(|found| found.reason != Some(Reason::Backup)) {
            let stem = match &found.topic {
                Some(topic) => format!("{}-topic-{topic}", found.session_id),
                None => found.session_id.clone(),
            };
            let known = self.keys.get(&stem);
            let key = known.filter(|_| found.reason.is_none()).map(|(_, key)| key.clone());
            let agent = known.map_or_else(|| agent.clone(), |(agent, _)| agent.clone());
            // The database goes before files, the transcript in use before archives, the newest archive before others.
            let better = match sources.get(&(agent.clone(), stem.clone())) {
                None => true,
                Some((TranscriptSource::Rows { .. }, _)) => false,
                Some((TranscriptSource::File { found: other, .. }, _)) => {
                    (found.reason.is_none(), found.at_ms) > (other.reason.is_none(), other.at_ms)
                }
            };
            if better {
                sources.insert((agent, stem), (TranscriptSource::File { folder, found }, key));
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
