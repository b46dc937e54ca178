//! Read-only reader of OpenClaw's session stores (`contract/sessions.md` §2): files of older releases, databases of
//! newer ones. It is a state machine without threads. It rereads only changed stores and keeps the last good state of
//! unreadable ones.

mod agent;
mod archive_rows;
mod archived;
mod file;
mod places;
mod session_stores;
mod shared;
mod sqlite;
mod talk;
mod texts;
mod transcript;
mod transcript_messages;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use coordination::ids::AgentId;
use coordination::roster::Roster;
use coordination::session_key::KeyRules;
use coordination::store::{
    ArchivedTranscript, PlaceState, Release, SpawnRun, StoreFile, StoreFolder, StoreKind, StorePlace, StoreSnapshot,
    StoredSession, read_file_store, read_runs,
};

use crate::fs::sandbox::FileMeta;
use crate::home::HomeDir;
use crate::sources::workspace::ReadError;
use agent::AgentDatabaseContent;
use places::StoreFolderAccess as _;
use shared::{PendingApprovals, SharedDatabase};
use sqlite::{DatabaseSignature, SqliteFile};

pub use agent::{EventLine, KeyWindow};
pub use archived::{archived_before, archived_preview};
pub(crate) use session_stores::SessionStores;
pub use talk::{
    DatabaseState, TranscriptFolder, TranscriptHead, agents, database_state, entries_of, folders, heads, rows,
    watched_folders,
};
pub use texts::TranscriptTexts;
pub use transcript::{TranscriptFile, events, events_until, last_events, transcript_file, windows};
pub use transcript_messages::{preview, recent, recent_before};

/// A change within this time before a look may be followed by one that leaves no trace in times and sizes.
const UNSETTLED: Duration = Duration::from_secs(2);

/// Content of the stores at the last look.
#[derive(Debug)]
pub struct StoreReader {
    home: HomeDir,
    /// Stores of the last look.
    known: BTreeMap<StoreFile, KnownStore>,
    /// Archived transcripts of the agents' folders.
    archives: BTreeMap<AgentId, Vec<ArchivedTranscript>>,
    /// What the last look returned, shared with readers.
    last_sessions: Option<Arc<StoreSnapshot>>,
    /// Number of files read so far: the cost of looking.
    reads: u64,
    /// A store that changed this short time before a look is read again at the next one.
    unsettled: Duration,
}

#[derive(Debug)]
struct KnownStore {
    /// As it was when it was read; none when it is to be read at the next look whatever it looks like then.
    seen: Option<StoreFileState>,
    rules: KeyRules,
    content: StoreContent,
    problem: Option<String>,
    /// It was read at least once.
    good: bool,
}

/// State of a store file, to see whether it changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StoreFileState {
    Database(DatabaseSignature),
    File(FileMeta),
}

#[derive(Debug, Default)]
enum StoreContent {
    #[default]
    Nothing,
    Sessions(Vec<StoredSession>, Vec<ArchivedTranscript>, usize),
    Unsupported(i64),
    Shared(SharedDatabase),
    Runs(Vec<SpawnRun>),
}

impl StoreReader {
    /// Has not looked yet.
    #[must_use]
    pub fn new(home: HomeDir) -> Self {
        Self {
            home,
            known: BTreeMap::new(),
            archives: BTreeMap::new(),
            last_sessions: None,
            reads: 0,
            unsettled: UNSETTLED,
        }
    }

    /// Believes times and sizes at once.
    #[cfg(test)]
    fn settled(self) -> Self {
        Self { unsettled: Duration::ZERO, ..self }
    }

    /// Looks at every store of the agents; `None` when nothing changed.
    pub fn look(&mut self, roster: &Roster) -> Option<Arc<StoreSnapshot>> {
        let mut odd = Vec::new();
        let agents = places::agents(&self.home, roster).unwrap_or_else(|error| {
            // The follower of the log reports a missing home.
            if let ReadError::Unreadable(cause) = error {
                odd.push(place("agents".to_owned(), None, Release::File, PlaceState::Unreadable { cause }, 0));
            }
            roster.agents.iter().map(|agent| agent.id.clone()).collect()
        });
        let mut before = std::mem::take(&mut self.known);
        let mut changed = self.last_sessions.is_none();
        for source in places::sources(&self.home, roster, &agents) {
            let rules = KeyRules { default_agent: source.agent.to_string(), ..roster.key_rules() };
            let old = before.remove(&source);
            let had = old.is_some();
            let (known, reread) = self.one(&source, old, rules);
            changed |= reread || had != known.is_some();
            if let Some(known) = known {
                self.known.insert(source, known);
            }
        }
        changed |= !before.is_empty();
        let archives = self.archives_of(roster, &agents, &mut odd);
        changed |= archives != self.archives;
        self.archives = archives;
        if !changed
            && self.last_sessions.as_ref().is_some_and(|last| odd.iter().all(|place| last.places.contains(place)))
        {
            return None;
        }
        let now = self.assemble(odd);
        if self.last_sessions.as_deref() == Some(&now) {
            return None;
        }
        let now = Arc::new(now);
        self.last_sessions = Some(Arc::clone(&now));
        Some(now)
    }

    /// Where the stores are.
    #[must_use]
    pub fn home(&self) -> &HomeDir {
        &self.home
    }

    /// Result of the last look that found anything new.
    #[must_use]
    pub fn held(&self) -> Option<&Arc<StoreSnapshot>> {
        self.last_sessions.as_ref()
    }

    /// How often a file or a database was read, in all.
    #[must_use]
    pub fn reads(&self) -> u64 {
        self.reads
    }

    /// One store in its current state, if it exists, and whether it was read again.
    fn one(&mut self, source: &StoreFile, old: Option<KnownStore>, rules: KeyRules) -> (Option<KnownStore>, bool) {
        let state = match self.state(source) {
            Ok(state) => state,
            Err(ReadError::Missing) => return (None, false),
            Err(ReadError::Unreadable(cause)) => {
                let already_reported = old.as_ref().is_some_and(|old| old.problem.as_ref() == Some(&cause));
                return (Some(with_problem(old, None, rules, cause)), !already_reported);
            }
        };
        match old {
            Some(old) if old.seen == Some(state) && old.rules == rules => (Some(old), false),
            old => {
                self.reads += 1;
                // What changed just now may change once more without a trace: it is read again.
                let seen = (!state.is_recent(self.unsettled)).then_some(state);
                match self.read(source, &rules) {
                    Ok(content) => (Some(KnownStore { seen, rules, content, problem: None, good: true }), true),
                    Err(ReadError::Missing) => (None, true),
                    Err(ReadError::Unreadable(cause)) => {
                        let seen = seen.filter(|_| cause != sqlite::LOCKED);
                        (Some(with_problem(old, seen, rules, cause)), true)
                    }
                }
            }
        }
    }

    fn state(&self, source: &StoreFile) -> Result<StoreFileState, ReadError> {
        match source.kind {
            StoreKind::Database | StoreKind::Shared => {
                Ok(StoreFileState::Database(self.database(source)?.signature()?))
            }
            StoreKind::File | StoreKind::Runs => {
                Ok(StoreFileState::File(source.place.open(&self.home)?.metadata(&source.name)?.regular()?))
            }
        }
    }

    fn database(&self, source: &StoreFile) -> Result<SqliteFile, ReadError> {
        Ok(SqliteFile::new(source.place.open(&self.home)?, source.place.path(&self.home)?, &source.name))
    }

    fn read(&self, source: &StoreFile, rules: &KeyRules) -> Result<StoreContent, ReadError> {
        let file = || source.place.open(&self.home);
        match source.kind {
            StoreKind::Database => {
                let held = self.database(source)?.read(&|open| agent::read(open, &source.agent, rules))?;
                Ok(match held {
                    AgentDatabaseContent::NoSessions => StoreContent::Nothing,
                    AgentDatabaseContent::Unsupported(version) => StoreContent::Unsupported(version),
                    AgentDatabaseContent::Sessions(found) => {
                        StoreContent::Sessions(found.sessions, found.archives, found.unreadable_rows)
                    }
                })
            }
            StoreKind::Shared => Ok(StoreContent::Shared(self.database(source)?.read(&shared::read)?)),
            StoreKind::File => {
                let parse = |text: &str| read_file_store(text, rules);
                let (sessions, odd) = file::read(&file()?, &source.name, &parse, &std::thread::sleep)?;
                Ok(StoreContent::Sessions(sessions, Vec::new(), odd.len()))
            }
            StoreKind::Runs => {
                let runs = file::read(&file()?, &source.name, &read_runs, &std::thread::sleep)?;
                Ok(StoreContent::Runs(runs))
            }
        }
    }

    /// Archived transcripts next to the sessions of the agents.
    fn archives_of(
        &self,
        roster: &Roster,
        agents: &[AgentId],
        odd: &mut Vec<StorePlace>,
    ) -> BTreeMap<AgentId, Vec<ArchivedTranscript>> {
        let mut all: BTreeMap<AgentId, Vec<ArchivedTranscript>> = BTreeMap::new();
        let of_name = ArchivedTranscript::from_file_name as fn(&AgentId, &str) -> Option<ArchivedTranscript>;
        let beside = places::transcript_folders(&self.home, roster, agents).into_iter();
        let imports = agents
            .iter()
            .map(|agent| (agent.clone(), StoreFolder::Home(format!("agents/{agent}/{}", archived::IMPORTS).into())));
        let imports = imports.map(|(agent, place)| (agent, place, ArchivedTranscript::from_import_file as _));
        for (agent, place, read) in beside.map(|(agent, place)| (agent, place, of_name)).chain(imports) {
            match place.open(&self.home).and_then(|folder| Ok(folder.names()?)) {
                Ok(names) => {
                    let found = names.iter().filter_map(|name| read(&agent, name));
                    all.entry(agent.clone()).or_default().extend(found);
                }
                Err(ReadError::Missing) => {}
                Err(ReadError::Unreadable(cause)) => {
                    let path = place.shown(&self.home, "");
                    let path = path.trim_end_matches('/').to_owned();
                    odd.push(self::place(path, Some(agent), Release::File, PlaceState::Unreadable { cause }, 0));
                }
            }
        }
        all
    }

    fn assemble(&self, odd: Vec<StorePlace>) -> StoreSnapshot {
        let mut all = StoreSnapshot { places: odd, ..StoreSnapshot::default() };
        let mut found = Vec::new();
        for (source, known) in &self.known {
            let release = match source.kind {
                StoreKind::Database | StoreKind::Shared => Release::Database,
                StoreKind::File | StoreKind::Runs => Release::File,
            };
            let (mut count, mut state) = (0, PlaceState::Read);
            match &known.content {
                StoreContent::Nothing if known.problem.is_none() => continue,
                StoreContent::Nothing => {}
                StoreContent::Unsupported(version) => state = PlaceState::Unsupported { version: *version },
                StoreContent::Sessions(sessions, archives, odd) => {
                    count = sessions.len();
                    if *odd > 0 {
                        state = PlaceState::Partial { odd: *odd };
                    }
                    found.extend(sessions.iter().cloned());
                    all.archives.extend(archives.iter().cloned());
                }
                StoreContent::Shared(shared) => {
                    all.spawns.extend(shared.spawns.iter().cloned());
                    all.tasks.extend(shared.tasks.iter().cloned());
                    all.events.extend(shared.events.iter().cloned());
                    match &shared.approvals {
                        PendingApprovals::Read(approvals, odd) => {
                            all.approvals.extend(approvals.iter().cloned());
                            if *odd > 0 {
                                state = PlaceState::Partial { odd: *odd };
                            }
                        }
                        PendingApprovals::Unsupported(version) => state = PlaceState::Unsupported { version: *version },
                    }
                }
                StoreContent::Runs(runs) => all.spawns.extend(runs.iter().cloned()),
            }
            if let Some(cause) = known.problem.clone() {
                state = if known.good { PlaceState::Stale { cause } } else { PlaceState::Unreadable { cause } };
            }
            let path = source.place.shown(&self.home, &source.name);
            all.places.push(place(path, source.exclusive.then(|| source.agent.clone()), release, state, count));
        }
        // A file beside the database is the same archive once more.
        for archive in self.archives.values().flatten() {
            if !all.archives.iter().any(|known| known.name == archive.name && known.agent_id == archive.agent_id) {
                all.archives.push(archive.clone());
            }
        }
        all.sessions = StoreSnapshot::once(found);
        all
    }
}

/// The last good content of a store that cannot be read now.
fn with_problem(old: Option<KnownStore>, seen: Option<StoreFileState>, rules: KeyRules, cause: String) -> KnownStore {
    let (content, good) = old.map_or((StoreContent::Nothing, false), |old| (old.content, old.good));
    KnownStore { seen, rules, content, problem: Some(cause), good }
}

fn place(path: String, agent_id: Option<AgentId>, release: Release, state: PlaceState, sessions: usize) -> StorePlace {
    StorePlace { path, agent_id, release, state, sessions }
}

impl StoreFileState {
    /// It changed within this time, or in the future.
    fn is_recent(&self, within: Duration) -> bool {
        let changed_at = |seen: &FileMeta| seen.modified.max(seen.changed).0;
        let newest = match self {
            Self::Database(signature) => signature.files().map(|seen| changed_at(&seen)).max().unwrap_or(0),
            Self::File(seen) => changed_at(seen),
        };
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let settled = now.saturating_sub(within).as_secs();
        within > Duration::ZERO && u64::try_from(newest).unwrap_or(0) >= settled
    }
}
