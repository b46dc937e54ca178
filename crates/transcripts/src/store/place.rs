//! Types of the places where OpenClaw stores sessions (folder of files or database, with its status), and of archived
//! transcripts.

use super::Release;
use crate::transcript::{self, Reason};
use protocol::api::{ArchiveReason, PlaceState};
use protocol::ids::AgentId;

/// One place where sessions are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StorePlace {
    /// Path for people.
    pub path: String,
    /// Whose, where it is one agent's.
    pub agent_id: Option<AgentId>,
    /// Files or a database.
    pub release: Release,
    /// Its status.
    pub state: PlaceState,
    /// Sessions that were read there.
    pub sessions: usize,
}

/// An archived transcript (`contract/sessions.md` §7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedTranscript {
    /// Whose folder or database it is in.
    pub agent_id: AgentId,
    /// Id of the session.
    pub session_id: String,
    /// Key of the session, where that is known.
    pub key: Option<String>,
    /// Why it was archived.
    pub reason: ArchiveReason,
    /// Name of the file; empty where it is in none.
    pub name: String,
    /// When it ended, in epoch milliseconds, where no name contains it.
    pub ended_at: Option<i64>,
    /// The store's own word for why, where it has one.
    pub word: Option<String>,
}

impl ArchivedTranscript {
    /// When it was archived, in epoch milliseconds, from its name; else when it ended.
    #[must_use]
    pub fn at_ms(&self) -> Option<i64> {
        self.time_from_name().or(self.ended_at)
    }

    /// It is a transcript of this session; of a topic's, whose id is before the topic, by the name of its file too.
    #[must_use]
    pub fn is_of(&self, session_id: &str) -> bool {
        let file = || self.name.strip_prefix(session_id).is_some_and(|rest| rest.starts_with(".jsonl."));
        self.session_id == session_id || file()
    }

    fn time_from_name(&self) -> Option<i64> {
        match self.name.rsplit_once(".jsonl.imported-") {
            Some((_, stamp)) => stamp.parse().ok(),
            None => transcript::archive(&self.name)?.at_ms,
        }
    }

    /// From the name of a file in a sessions folder: `<id>.jsonl.<reason>.<stamp>…`. Nothing for other files.
    #[must_use]
    pub fn from_file_name(agent_id: &AgentId, name: &str) -> Option<Self> {
        let read = transcript::archive(name)?;
        let reason = match read.reason? {
            Reason::Reset => ArchiveReason::Reset,
            Reason::Deleted => ArchiveReason::Deleted,
            Reason::Backup => return None,
        };
        let session_id = read.session_id.to_owned();
        Some(Self {
            agent_id: agent_id.clone(),
            session_id,
            key: None,
            reason,
            name: name.to_owned(),
            ended_at: None,
            word: None,
        })
    }

    /// From the name of a file that a migration archived: `<key with _ for :>.<id>.jsonl.imported-<ms>`. The key cannot
    /// be read from its name, because keys hold `_` too.
    #[must_use]
    pub fn from_import_file(agent_id: &AgentId, name: &str) -> Option<Self> {
        let (front, stamp) = name.rsplit_once(".jsonl.imported-")?;
        let (_, session_id) = front.rsplit_once('.')?;
        let dated = !stamp.is_empty() && stamp.bytes().all(|byte| byte.is_ascii_digit());
        (dated && super::valid_session_id(session_id)).then(|| Self {
            agent_id: agent_id.clone(),
            session_id: session_id.to_owned(),
            key: None,
            reason: ArchiveReason::Imported,
            name: name.to_owned(),
            ended_at: None,
            word: None,
        })
    }
}
