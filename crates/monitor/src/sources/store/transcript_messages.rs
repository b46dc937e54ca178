//! Reader of previews and histories of a stored session, from a file or a database (`contract/sessions.md` §5, §6).

use coordination::ids::AgentId;
use coordination::roster::Roster;
use coordination::store::{Release, StoredSession};
use coordination::transcript::{self, EntryKind, PREVIEW_LINES, PreviewItem, TranscriptEntry, TranscriptLines};

use super::agent::EventLine;
use super::transcript::{events_until, last_events, transcript_file};
use crate::home::HomeDir;
use crate::sources::transcript::{OpenedTranscript, RecentEntries};
use crate::sources::workspace::ReadError;

/// Rows of a database that a history is looked for in, one reading after the other.
const HISTORY_ROWS: [usize; 3] = [500, 4_000, 32_000];

/// The last messages of a session, oldest first.
///
/// # Errors
/// [`ReadError::Missing`] when it has no transcript; otherwise why that cannot be read.
pub fn preview(
    home: &HomeDir,
    roster: &Roster,
    session: &StoredSession,
    limit: usize,
    max_chars: usize,
) -> Result<Vec<PreviewItem>, ReadError> {
    match session.release {
        Release::File => Ok(file(home, roster, session)?.preview(limit, max_chars)?),
        Release::Database => {
            let id = session.entry.session_id().ok_or(ReadError::Missing)?;
            let entries = rows(home, roster, (&session.agent_id, id), PREVIEW_LINES, None)?.entries;
            let messages: Vec<_> = entries.iter().filter_map(TranscriptEntry::message).collect();
            let newest = &messages[messages.len().saturating_sub(limit)..];
            Ok(transcript::items_of(newest.iter().copied(), max_chars))
        }
    }
}

/// At least the last `messages` messages of a session, of the branch in use, with the entries between them.
///
/// # Errors
/// As [`preview`].
pub fn recent(
    home: &HomeDir,
    roster: &Roster,
    session: &StoredSession,
    messages: usize,
) -> Result<RecentEntries, ReadError> {
    recent_before(home, roster, session, messages, None)
}

/// The same for the entries before a place ([`TranscriptEntry::place`]), on the branch that leads to it.
///
/// # Errors
/// As [`preview`].
pub fn recent_before(
    home: &HomeDir,
    roster: &Roster,
    session: &StoredSession,
    messages: usize,
    before: Option<u64>,
) -> Result<RecentEntries, ReadError> {
    let found = match session.release {
        Release::File => file(home, roster, session)?.recent_until(messages, before)?,
        Release::Database => {
            let id = session.entry.session_id().ok_or(ReadError::Missing)?;
            rows_before(home, roster, &session.agent_id, id, messages, before)?
        }
    };
    Ok(on_branch(found, before))
}

/// Rows of a session in its agent's database, as many as it takes.
pub(super) fn rows_before(
    home: &HomeDir,
    roster: &Roster,
    agent: &AgentId,
    session_id: &str,
    messages: usize,
    before: Option<u64>,
) -> Result<RecentEntries, ReadError> {
    let in_range = |entry: &&TranscriptEntry| before.is_none_or(|place| entry.place < place);
    let mut found = RecentEntries::default();
    for most in HISTORY_ROWS {
        found = rows(home, roster, (agent, session_id), most, before)?;
        let message_count =
            found.entries.iter().filter(in_range).filter(|entry| entry.kind == EntryKind::Message).count();
        let reset = found.entries.iter().filter(in_range).any(|entry| entry.kind == EntryKind::Reset);
        if found.complete || reset || message_count >= messages {
            break;
        }
    }
    Ok(found)
}

/// The branch in use of the read entries, and of it the entries before the place.
pub(super) fn on_branch(found: RecentEntries, before: Option<u64>) -> RecentEntries {
    let RecentEntries { entries, complete, bad } = found;
    let in_range = |entry: &&TranscriptEntry| before.is_none_or(|place| entry.place < place);
    let chosen = transcript::active(&entries);
    let mut entries: Vec<Option<TranscriptEntry>> = entries.into_iter().map(Some).collect();
    let entries =
        chosen.into_iter().filter_map(|at| entries.get_mut(at)?.take()).filter(|entry| in_range(&entry)).collect();
    RecentEntries { entries, complete, bad }
}

fn file(home: &HomeDir, roster: &Roster, session: &StoredSession) -> Result<OpenedTranscript, ReadError> {
    let file = transcript_file(home, roster, session)?;
    Ok(OpenedTranscript::open(&file.folder, &file.name)?)
}

/// The last rows of a session, in order, up to a place if one is given; complete when they begin with the first one.
fn rows(
    home: &HomeDir,
    roster: &Roster,
    (agent, id): (&AgentId, &str),
    most: usize,
    until: Option<u64>,
) -> Result<RecentEntries, ReadError> {
    let read = match until.map(i64::try_from) {
        Some(Ok(until)) => events_until(home, roster, agent, id, until, most)?,
        _ => last_events(home, roster, agent, id, most)?,
    };
    let complete = read.len() < most;
    let TranscriptLines { entries, bad, .. } = of_rows(&read);
    Ok(RecentEntries { entries, complete, bad })
}

/// Rows of a database as entries; undecodable ones count among the bad ones.
pub(super) fn of_rows(read: &[EventLine]) -> TranscriptLines {
    let unread = read.iter().filter(|line| line.json.is_err()).count();
    let rows = read.iter().filter_map(|line| Some((u64::try_from(line.seq).ok()?, line.json.as_deref().ok()?)));
    let lines = transcript::rows(rows);
    TranscriptLines { bad: lines.bad + unread, ..lines }
}
