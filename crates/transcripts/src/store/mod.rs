//! Model of OpenClaw's session stores, without IO. It merges file stores (older releases) and database stores (newer
//! ones) into one session list (`contract/sessions.md` §2, §5, §6).

mod archives;
mod entry;
mod layout;
mod list;
mod person_requests;
mod place;
mod row;
mod spawns;
pub mod title;
mod transcript_names;

use std::collections::BTreeMap;

use serde_json::Value;

pub use archives::{archived_key, archives};
pub use entry::{SessionEntry, valid_session_id};
pub use layout::{
    DATABASE_NAME, JOBS_FOLDER, STORE_NAME, StoreFile, StoreFolder, StoreKind, StoreLayout, legacy_folder,
    sessions_folder,
};
pub use list::{StoreListResult, TranscriptLookup, list, places};
pub use person_requests::{ApprovalRow, PendingApproval, PersonRequests, approval_call};
pub use place::{ArchivedTranscript, StorePlace};
pub use protocol::api::{ArchiveCause, ArchiveReason, PlaceState, RunStatus};
pub use row::row;
pub use spawns::{SpawnOutcome, SpawnRun, StateEvent, TaskRun, read_runs};
pub use transcript_names::{TranscriptKeys, TranscriptName, transcript_scan};

use protocol::ids::AgentId;
use protocol::session_key::{KeyForm, KeyRules, SessionKey};

/// Which program's ways a store follows: the file era's or the database era's.
pub use protocol::session_key::Release;

/// One session of one store.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSession {
    /// Its key as stored.
    pub key: SessionKey,
    /// Its agent: the one its key names, else the one whose store it is in.
    pub agent_id: AgentId,
    /// What the store says of it.
    pub entry: SessionEntry,
    /// Version of OpenClaw that wrote it.
    pub release: Release,
    /// Who prompted it, in order of their first prompt (database era).
    pub participants: Vec<Participant>,
    /// What bare keys and main keys mean in its store.
    pub rules: KeyRules,
}

/// Who prompted a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Participant {
    /// Kind of identity, `{"type":"agent"}` for an agent, with the id of who it is.
    pub identity: Value,
    /// Number of contributions.
    pub contributions: i64,
}

impl Participant {
    /// The agent's id, if it is one.
    #[must_use]
    pub fn agent(&self) -> Option<&str> {
        let id = self.identity.get("id").and_then(Value::as_str);
        id.filter(|_| self.identity.get("type").and_then(Value::as_str) == Some("agent"))
    }
}

impl StoredSession {
    /// A session of a store that belongs to the default agent of `rules`.
    #[must_use]
    pub fn new(key: SessionKey, entry: SessionEntry, release: Release, rules: &KeyRules) -> Self {
        let agent_id = AgentId::from(key.agent(rules));
        Self { key, agent_id, entry, release, participants: Vec::new(), rules: rules.clone() }
    }

    /// The same for all that is stored of one session.
    #[must_use]
    pub fn identity(&self) -> (AgentId, String) {
        (self.agent_id.clone(), self.key.canonical(&self.rules))
    }

    /// The session that spawned this one, or its parent.
    #[must_use]
    pub fn parent(&self) -> Option<&str> {
        self.entry.parent_session_key().or_else(|| self.entry.spawned_by())
    }

    /// How deep it was spawned: what the store says, else what the key's text nests.
    #[must_use]
    pub fn depth(&self) -> i64 {
        self.entry.spawn_depth().unwrap_or_else(|| i64::from(self.key.depth()))
    }
}

/// Everything that the stores of a home hold at one moment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StoreSnapshot {
    /// Each session once, by agent and key.
    pub sessions: Vec<StoredSession>,
    /// Runs of spawned children: requester, child, task and result.
    pub spawns: Vec<SpawnRun>,
    /// Tasks of the shared database.
    pub tasks: Vec<TaskRun>,
    /// What happened to sessions, by the shared database.
    pub events: Vec<StateEvent>,
    /// Approvals that nobody has decided, by the shared database; the oldest first.
    pub approvals: Vec<PendingApproval>,
    /// Archived transcripts.
    pub archives: Vec<ArchivedTranscript>,
    /// Examined places, with their status.
    pub places: Vec<StorePlace>,
}

impl StoreSnapshot {
    /// Each session once: what a database has goes before what a file has, then the newest (`updatedAt`).
    #[must_use]
    pub fn once(found: impl IntoIterator<Item = StoredSession>) -> Vec<StoredSession> {
        let mut merged: BTreeMap<(AgentId, String), StoredSession> = BTreeMap::new();
        for session in found {
            match merged.entry(session.identity()) {
                std::collections::btree_map::Entry::Occupied(mut held) if rank(held.get()) < rank(&session) => {
                    held.insert(session);
                }
                std::collections::btree_map::Entry::Occupied(_) => {}
                std::collections::btree_map::Entry::Vacant(place) => {
                    place.insert(session);
                }
            }
        }
        merged.into_values().collect()
    }

    /// The session of a key, in any case and under any alias, or of a session id; bare keys are the default agent's.
    /// In the global scope a bare main key means the key `global`, an agent's main key where it has no session of
    /// its own.
    #[must_use]
    pub fn find(&self, written: &str, rules: &KeyRules) -> Option<&StoredSession> {
        let key = SessionKey::parse(written)?;
        let agent = AgentId::from(key.agent(rules));
        let (canonical, folded) = (key.canonical(rules), key.folded());
        let own = || {
            let same = |one: &&StoredSession| one.agent_id == agent && one.key.canonical(&one.rules) == canonical;
            self.sessions.iter().find(same).or_else(|| self.sessions.iter().find(|one| one.key.folded() == folded))
        };
        let global = || {
            let mut all = self.sessions.iter().filter(|one| *one.key.form() == KeyForm::Global);
            let found = all.clone().find(|one| one.agent_id == agent).or_else(|| all.next());
            found.filter(|_| rules.global_scope && key.is_main(rules))
        };
        let bare = key.named_agent().is_none();
        let found = if bare { global().or_else(own) } else { own().or_else(global) };
        found.or_else(|| self.of_id(written.trim()))
    }

    /// The session of an id; the session of a job rather than its run, which has the same.
    fn of_id(&self, id: &str) -> Option<&StoredSession> {
        let mut all = self.sessions.iter().filter(|one| one.entry.session_id() == Some(id));
        all.clone().find(|one| !one.key.is_cron_run()).or_else(|| all.next())
    }
}

/// Order of two records of one session: the greater is kept. Key and id only make the choice the same each time.
fn rank(session: &StoredSession) -> (bool, Option<i64>, &str, Option<&str>) {
    let of_database = session.release == Release::Database;
    (of_database, session.entry.updated_at(), session.key.as_str(), session.entry.session_id())
}

/// Reads a file store: one object of entries by key. Malformed entries are named.
///
/// # Errors
/// One short sentence when the text is no such object; an empty text is not.
pub fn read_file_store(text: &str, rules: &KeyRules) -> Result<(Vec<StoredSession>, Vec<String>), String> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err("empty".to_owned());
    }
    let value: Value = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
    let Value::Object(entries) = value else { return Err("not an object".to_owned()) };
    let (mut sessions, mut odd) = (Vec::new(), Vec::new());
    for (key, value) in entries {
        match (SessionKey::parse(&key), SessionEntry::read(value)) {
            (Some(key), Some(entry)) => sessions.push(StoredSession::new(key, entry, Release::File, rules)),
            _ => odd.push(key),
        }
    }
    Ok((sessions, odd))
}
