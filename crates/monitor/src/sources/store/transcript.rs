//! Access to the raw transcript of one OpenClaw session: event rows in a database, or the transcript file
//! (`contract/sessions.md` §2.2, §3). It also lists the earlier OpenClaw sessions that used the same session key.

use std::path::{Component, Path, PathBuf};

use coordination::ids::AgentId;
use coordination::roster::Roster;
use coordination::store::{
    DATABASE_NAME, StoreFolder, StoredSession, legacy_folder, sessions_folder, valid_session_id,
};

use super::agent::{self, EventLine, KeyWindow};
use super::places::{self, StoreFolderAccess as _};
use super::sqlite::SqliteFile;
use crate::fs::sandbox::{Dir, FileMeta};
use crate::home::HomeDir;
use crate::sources::workspace::ReadError;

/// A transcript's file, by its name in an open folder.
#[derive(Debug)]
pub struct TranscriptFile {
    /// The folder.
    pub folder: Dir,
    /// The name in it.
    pub name: String,
    /// Its path, for people.
    pub path: PathBuf,
    /// The file as it was found.
    pub seen: FileMeta,
}

/// The events of a session in the database of its agent, in order of `seq` from `from` on, at most `most`. Each is one
/// line of JSON, whether the database holds it plain or packed.
///
/// # Errors
/// [`ReadError::Missing`] when the agent has no database; otherwise why it cannot be read.
pub fn events(
    home: &HomeDir,
    roster: &Roster,
    agent: &AgentId,
    session_id: &str,
    from: i64,
    most: usize,
) -> Result<Vec<EventLine>, ReadError> {
    if !valid_session_id(session_id) {
        return Err(ReadError::Missing);
    }
    database(home, roster, agent)?.read(&|open| agent::events(open, session_id, from, most))
}

/// The last events of a session in the database of its agent, in order, at most `most`.
///
/// # Errors
/// As [`events`].
pub fn last_events(
    home: &HomeDir,
    roster: &Roster,
    agent: &AgentId,
    session_id: &str,
    most: usize,
) -> Result<Vec<EventLine>, ReadError> {
    if !valid_session_id(session_id) {
        return Err(ReadError::Missing);
    }
    database(home, roster, agent)?.read(&|open| agent::last_events(open, session_id, most))
}

/// The last events of a session up to and with the one at `until`, in order, at most `most`.
///
/// # Errors
/// As [`events`].
pub fn events_until(
    home: &HomeDir,
    roster: &Roster,
    agent: &AgentId,
    session_id: &str,
    until: i64,
    most: usize,
) -> Result<Vec<EventLine>, ReadError> {
    if !valid_session_id(session_id) {
        return Err(ReadError::Missing);
    }
    database(home, roster, agent)?.read(&|open| agent::events_until(open, session_id, until, most))
}

/// The windows of a session key in the database of its agent, newest first: older talk is in the windows before.
///
/// # Errors
/// As [`events`].
pub fn windows(home: &HomeDir, roster: &Roster, agent: &AgentId, key: &str) -> Result<Vec<KeyWindow>, ReadError> {
    database(home, roster, agent)?.read(&|open| agent::windows(open, key))
}

pub(super) fn database(home: &HomeDir, roster: &Roster, agent: &AgentId) -> Result<SqliteFile, ReadError> {
    let place = places::database(home, roster, agent);
    Ok(SqliteFile::new(place.open(home)?, place.path(home)?, DATABASE_NAME))
}

/// The file of a session's transcript: where its entry says, if that is inside a folder of sessions, else
/// `<sessionId>.jsonl` beside the store, in the agent's folder of sessions, in the legacy one; the first that is there.
/// An absolute path that leads nowhere, as in a copied home, is passed over.
///
/// # Errors
/// [`ReadError::Missing`] when there is none; otherwise why the first that is there cannot be read.
pub fn transcript_file(home: &HomeDir, roster: &Roster, session: &StoredSession) -> Result<TranscriptFile, ReadError> {
    let agent = &session.agent_id;
    let own = sessions_folder(agent);
    let beside = places::file_store(home, roster, agent).unwrap_or_else(|| own.clone());
    let mut candidates: Vec<(StoreFolder, PathBuf)> = Vec::new();
    if let Some(written) = session.entry.session_file().map(Path::new) {
        if written.is_absolute() {
            candidates.extend(of_home(home, written).map(|below| (StoreFolder::Home(PathBuf::new()), below)));
        } else if plain(written) {
            candidates.push((beside.clone(), written.to_path_buf()));
        }
    }
    if let Some(id) = session.entry.session_id() {
        let name = PathBuf::from(format!("{id}.jsonl"));
        for place in [beside, own, legacy_folder()] {
            candidates.push((place, name.clone()));
        }
    }
    for (place, below) in candidates {
        match open(home, &place, &below) {
            Err(ReadError::Missing) => {}
            outcome => return outcome,
        }
    }
    Err(ReadError::Missing)
}

fn open(home: &HomeDir, place: &StoreFolder, below: &Path) -> Result<TranscriptFile, ReadError> {
    let folder = place.open(home)?;
    let way = below.parent().filter(|way| !way.as_os_str().is_empty());
    let folder = match way {
        Some(way) => folder.folder(way)?,
        None => folder,
    };
    let name = below.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let seen = folder.metadata(&name)?.regular()?;
    Ok(TranscriptFile { folder, name, path: place.full(home).join(below), seen })
}

/// An absolute path, seen from the home, if it is `agents/<id>/sessions/<name>` there.
fn of_home(home: &HomeDir, written: &Path) -> Option<PathBuf> {
    let real = home.root().canonicalize().ok();
    let below = written.strip_prefix(home.root()).ok().or_else(|| written.strip_prefix(real?).ok())?;
    let parts: Vec<&str> = below.iter().filter_map(|part| part.to_str()).collect();
    let inside = matches!(parts.as_slice(), ["agents", _, "sessions", _]) && plain(below);
    inside.then(|| below.to_path_buf())
}

/// Nothing but names.
fn plain(path: &Path) -> bool {
    path.components().all(|step| matches!(step, Component::Normal(_)))
}
