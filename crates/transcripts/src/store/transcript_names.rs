//! Names of transcripts: which session and agent a transcript file belongs to, and which file of a session is read.

use std::collections::HashMap;

use protocol::ids::AgentId;

use super::StoreSnapshot;
use crate::transcript::exchanges::{ExchangeScan, ScanSource};
use crate::transcript::{FoundTranscript, Reason};

/// Whose transcript, and its name without its end: the session's id, of a topic with the topic.
pub type TranscriptName = (AgentId, String);

/// Agent and session key by the name of a transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TranscriptKeys(HashMap<String, (AgentId, String)>);

impl TranscriptKeys {
    /// Of the sessions of the stores, by their ids and the names of their files.
    #[must_use]
    pub fn from_snapshot(stores: &StoreSnapshot) -> Self {
        let mut keys: HashMap<String, (AgentId, String)> = HashMap::new();
        for session in &stores.sessions {
            let file = session.entry.session_file().and_then(|path| path.rsplit(['/', '\\']).next());
            let named = file.and_then(|name| name.strip_suffix(".jsonl"));
            let names = [named, session.entry.session_id()];
            let key = session.key.as_str();
            for name in names.into_iter().flatten() {
                let own = || (session.agent_id.clone(), key.to_owned());
                let known = keys.entry(name.to_owned()).or_insert_with(own);
                // A run of a job has its job's session: the job is what is listed.
                if (key.len(), key) < (known.1.len(), &known.1) {
                    *known = own();
                }
            }
        }
        Self(keys)
    }

    /// The key that leads to an agent's session.
    #[must_use]
    pub fn of_session(&self, agent: &AgentId, session_id: &str) -> Option<&str> {
        self.0.get(session_id).filter(|(own, _)| own == agent).map(|(_, key)| key.as_str())
    }

    /// The name of a file of an agent's folder, and the key that leads to it. Nothing for a backup, which is not read.
    #[must_use]
    pub fn of_file(&self, agent: &AgentId, found: &FoundTranscript) -> Option<(TranscriptName, Option<String>)> {
        if found.reason == Some(Reason::Backup) {
            return None;
        }
        let stem = found.stem();
        let known = self.0.get(&stem);
        let key = known.filter(|_| found.reason.is_none()).map(|(_, key)| key.clone());
        let agent = known.map_or_else(|| agent.clone(), |(agent, _)| agent.clone());
        Some(((agent, stem), key))
    }
}

/// An empty scan of a transcript; of an archived one, whose session cannot be opened by its key.
#[must_use]
pub fn transcript_scan(name: &TranscriptName, key: Option<&str>, is_archive: bool) -> ExchangeScan {
    let source = ScanSource { agent: name.0.to_string(), key: key.map(str::to_owned), session_id: name.1.clone() };
    if is_archive { ExchangeScan::of_archive(source) } else { ExchangeScan::new(source) }
}
