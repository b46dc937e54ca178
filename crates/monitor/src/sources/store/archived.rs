//! Reader of archived transcripts (`contract/sessions.md` §2.2, §7): of sessions that were reset, deleted, imported
//! into a database, moved to cold storage, or followed by a newer session under the same key.
//!
//! A session's history is read from its rows in the agent's database, else from its transcript file, else from its
//! newest archive. An archive is a file, or a blob in the database.

use std::path::{Component, Path, PathBuf};

use coordination::ids::AgentId;
use coordination::roster::Roster;
use coordination::store::{ArchiveReason, ArchivedTranscript, DATABASE_NAME, StoreFolder, valid_session_id};
use coordination::transcript::PreviewItem;

use super::places::{self, StoreFolderAccess as _};
use super::transcript_messages::{on_branch, rows_before};
use super::{archive_rows, transcript};
use crate::fs::sandbox::Dir;
use crate::home::HomeDir;
use crate::sources::transcript::{OpenedTranscript, RecentEntries};
use crate::sources::workspace::ReadError;
use coordination::workspace::valid_agent_id;

/// Name of the folder that a migration puts files into.
pub(super) const IMPORTS: &str = "session-sqlite-import-archive";

/// The last `messages` messages of a session by its id, whether a key leads to it or not: its rows in the agent's
/// database, its file, else the newest of `archives` that exists; only messages before a place if one is given.
///
/// # Errors
/// [`ReadError::Missing`] when nothing of it is left; otherwise why that cannot be read.
pub fn archived_before(
    home: &HomeDir,
    roster: &Roster,
    (agent, session_id): (&AgentId, &str),
    archives: &[ArchivedTranscript],
    messages: usize,
    before: Option<u64>,
) -> Result<RecentEntries, ReadError> {
    if !valid_agent_id(agent.as_str()) || !valid_session_id(session_id) {
        return Err(ReadError::Missing);
    }
    match rows_before(home, roster, agent, session_id, messages, before) {
        Ok(found) if found.entries.is_empty() => {}
        Err(ReadError::Missing) => {}
        outcome => return outcome.map(|found| on_branch(found, before)),
    }
    let opened = match in_use(home, roster, agent, session_id) {
        Err(ReadError::Missing) => newest(home, roster, agent, session_id, archives)?,
        outcome => outcome?,
    };
    Ok(on_branch(opened.recent_until(messages, before)?, before))
}

/// The last messages of the newest archive of a session.
///
/// # Errors
/// As [`archived_before`].
pub fn archived_preview(
    home: &HomeDir,
    roster: &Roster,
    (agent, session_id): (&AgentId, &str),
    archives: &[ArchivedTranscript],
    limit: usize,
    max_chars: usize,
) -> Result<Vec<PreviewItem>, ReadError> {
    Ok(newest(home, roster, agent, session_id, archives)?.preview(limit, max_chars)?)
}

/// A transcript under its own name, though no store may know it.
fn in_use(home: &HomeDir, roster: &Roster, agent: &AgentId, session_id: &str) -> Result<OpenedTranscript, ReadError> {
    first(home, &of_agent(home, roster, agent), &|folder| {
        OpenedTranscript::open(folder, &format!("{session_id}.jsonl"))
    })
}

/// The newest archive of a session that is there.
fn newest(
    home: &HomeDir,
    roster: &Roster,
    agent: &AgentId,
    session_id: &str,
    archives: &[ArchivedTranscript],
) -> Result<OpenedTranscript, ReadError> {
    let mut own: Vec<&ArchivedTranscript> =
        archives.iter().filter(|one| one.agent_id == *agent && one.is_of(session_id)).collect();
    own.sort_by_key(|one| (one.at_ms(), one.name.as_str()));
    for archive in own.into_iter().rev() {
        match open(home, roster, archive) {
            Err(ReadError::Missing) => {}
            outcome => return outcome,
        }
    }
    Err(ReadError::Missing)
}

fn open(home: &HomeDir, roster: &Roster, archive: &ArchivedTranscript) -> Result<OpenedTranscript, ReadError> {
    let agent = &archive.agent_id;
    let below = |folder: &str| vec![StoreFolder::Home(PathBuf::from(format!("agents/{agent}/{folder}")))];
    let (places, packed) = match archive.reason {
        ArchiveReason::Reset | ArchiveReason::Deleted => {
            (of_agent(home, roster, agent), archive.name.ends_with(".zst"))
        }
        ArchiveReason::Imported => (below(IMPORTS), false),
        ArchiveReason::Cold => (below("sessions/cold"), true),
        // It has nothing but its rows.
        ArchiveReason::Earlier | ArchiveReason::Unknown => return Err(ReadError::Missing),
    };
    // The path in a database is used as a name only.
    let last = Path::new(&archive.name).components().next_back();
    let name = last.and_then(|last| match last {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    let file = match name {
        Some(name) => first(home, &places, &|folder| OpenedTranscript::open_as(folder, name, packed)),
        None => Err(ReadError::Missing),
    };
    match file {
        Err(ReadError::Missing) => {}
        outcome => return outcome,
    }
    let place = places::database(home, roster, agent);
    let seen = place.open(home)?.metadata(DATABASE_NAME)?;
    let blob = transcript::database(home, roster, agent)?.read(&|open| archive_rows::archive_blob(open, archive))?;
    let (blob, packed) = blob.ok_or(ReadError::Missing)?;
    Ok(OpenedTranscript::of_blob(blob, packed, seen)?)
}

fn of_agent(home: &HomeDir, roster: &Roster, agent: &AgentId) -> Vec<StoreFolder> {
    let all = places::transcript_folders(home, roster, std::slice::from_ref(agent));
    all.into_iter().filter(|(own, _)| own == agent).map(|(_, place)| place).collect()
}

/// The first of the folders in which it is there.
fn first(
    home: &HomeDir,
    places: &[StoreFolder],
    open: &dyn Fn(&Dir) -> std::io::Result<OpenedTranscript>,
) -> Result<OpenedTranscript, ReadError> {
    for place in places {
        match place.open(home).and_then(|folder| open(&folder).map_err(ReadError::from)) {
            Err(ReadError::Missing) => {}
            outcome => return outcome,
        }
    }
    Err(ReadError::Missing)
}
