//! Bulk reader of the transcripts in an agent's database. It reads the last line number of each session, and the lines
//! of many sessions in one request, because opening a database costs more than reading most sessions. It also lists the
//! folders that may hold transcript files.

use std::path::PathBuf;
use std::time::Duration;

use coordination::ids::AgentId;
use coordination::roster::Roster;
use coordination::store::{JOBS_FOLDER, StoreFolder};
use coordination::transcript::TranscriptLines;
use rusqlite::Connection;

use super::agent::{self, EventLine, json, text};
use super::places::{self, StoreFolderAccess as _};
use super::sqlite::{DatabaseSignature, columns};
use super::{StoreFileState, transcript};
use crate::fs::sandbox::Dir;
use crate::home::HomeDir;
use crate::sources::workspace::ReadError;

/// A state of a database, to be compared with another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatabaseState(DatabaseSignature);

impl DatabaseState {
    /// It changed within this time, so that it may change once more without a trace.
    #[must_use]
    pub fn is_recent(&self, within: Duration) -> bool {
        StoreFileState::Database(self.0).is_recent(within)
    }
}

/// How far a session's transcript goes in a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptHead {
    /// Id of the session.
    pub session_id: String,
    /// The key that its window bears.
    pub key: Option<String>,
    /// The last position.
    pub last: i64,
}

/// A folder of transcripts.
#[derive(Debug)]
pub struct TranscriptFolder {
    /// Whose; of a shared one the default agent's.
    pub agent: AgentId,
    /// Path for people.
    pub path: String,
    /// The folder; or why it cannot be opened.
    pub open: Result<Dir, ReadError>,
}

/// Agents that may have sessions.
///
/// # Errors
/// When the folder of agents is there and cannot be listed.
pub fn agents(home: &HomeDir, roster: &Roster) -> Result<Vec<AgentId>, ReadError> {
    places::agents(home, roster)
}

/// Every folder that may hold transcripts, whether it is there or not.
#[must_use]
pub fn folders(home: &HomeDir, roster: &Roster, agents: &[AgentId]) -> Vec<TranscriptFolder> {
    let all = places::transcript_folders(home, roster, agents);
    all.into_iter()
        .map(|(agent, place)| TranscriptFolder { agent, path: place.shown(home, ""), open: place.open(home) })
        .collect()
}

/// Folders in which something may change that is worth a look, missing ones included.
#[must_use]
pub fn watched_folders(home: &HomeDir, roster: &Roster, agents: &[AgentId]) -> Vec<PathBuf> {
    let databases = agents.iter().map(|agent| places::database(home, roster, agent));
    let transcripts = places::transcript_folders(home, roster, agents).into_iter().map(|(_, place)| place);
    let others = ["agents", "state", "subagents", JOBS_FOLDER].map(|name| StoreFolder::Home(PathBuf::from(name)));
    let folder = |place: StoreFolder| place.path(home).unwrap_or_else(|_| place.full(home));
    databases.chain(transcripts).chain(others).map(folder).collect()
}

/// The state of an agent's database.
///
/// # Errors
/// [`ReadError::Missing`] when the agent has none; otherwise why it cannot be looked at.
pub fn database_state(home: &HomeDir, roster: &Roster, agent: &AgentId) -> Result<DatabaseState, ReadError> {
    Ok(DatabaseState(transcript::database(home, roster, agent)?.signature()?))
}

/// How far each session of an agent's database goes.
///
/// # Errors
/// As [`database_state`], and when it cannot be read.
pub fn heads(home: &HomeDir, roster: &Roster, agent: &AgentId) -> Result<Vec<TranscriptHead>, ReadError> {
    transcript::database(home, roster, agent)?.read(&read_heads)
}

fn read_heads(open: &Connection) -> rusqlite::Result<Vec<TranscriptHead>> {
    let has = |table: &str, wanted: &[&str]| -> rusqlite::Result<bool> {
        let present = columns(open, table)?;
        Ok(wanted.iter().all(|name| present.iter().any(|own| own == name)))
    };
    if !has("transcript_events", &["session_id", "seq"])? {
        return Ok(Vec::new());
    }
    // One search of the index for each session, however long they are.
    let query = if has("session_windows", &["session_id", "session_key"])? {
        "SELECT w.session_id, w.session_key,
            (SELECT max(seq) FROM transcript_events AS e WHERE e.session_id = w.session_id)
         FROM session_windows AS w ORDER BY w.session_id"
    } else {
        "SELECT session_id, NULL, max(seq) FROM transcript_events GROUP BY session_id ORDER BY session_id"
    };
    let mut statement = open.prepare(query)?;
    let mut found = statement.query([])?;
    let mut heads = Vec::new();
    while let Some(row) = found.next()? {
        let (Some(session_id), Some(last)) = (text(row, 0)?, json(row.get_ref(2)?).as_i64()) else { continue };
        heads.push(TranscriptHead { session_id, key: text(row, 1)?, last });
    }
    Ok(heads)
}

/// Lines of several sessions of an agent's database, of each from a position on, at most `most` in all. Sessions that
/// it did not reach are missing; the last one may have more.
///
/// # Errors
/// As [`heads`].
pub fn rows(
    home: &HomeDir,
    roster: &Roster,
    agent: &AgentId,
    wanted: &[(String, i64)],
    most: usize,
) -> Result<Vec<(String, Vec<EventLine>)>, ReadError> {
    transcript::database(home, roster, agent)?.read(&|open| {
        let mut left = most;
        let mut found = Vec::new();
        for (session_id, from) in wanted {
            if left == 0 {
                break;
            }
            let lines = agent::events(open, session_id, *from, left)?;
            left -= lines.len().min(left);
            found.push((session_id.clone(), lines));
        }
        Ok(found)
    })
}

/// Rows as entries; undecodable ones count among the bad ones.
#[must_use]
pub fn entries_of(lines: &[EventLine]) -> TranscriptLines {
    super::transcript_messages::of_rows(lines)
}
