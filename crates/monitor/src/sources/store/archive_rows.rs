//! Reader of the archives in an agent's database (`contract/sessions.md` §2.2). They are in two archive tables. The
//! table `session_windows` lists all session ids that a session key has had: the transcripts of its earlier ids count
//! as archives, too.

use std::collections::{HashMap, HashSet};

use coordination::ids::AgentId;
use coordination::store::{ArchiveReason, ArchivedTranscript, valid_session_id};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::agent::{AgentStoreRows, json, text};
use super::sqlite::{columns, selection};

/// Archives that the database lists.
pub(super) fn archives(open: &Connection, agent: &AgentId) -> rusqlite::Result<Vec<ArchivedTranscript>> {
    let mut found = Vec::new();
    for (table, cold) in [("session_transcript_archives", false), ("session_transcript_cold_archives", true)] {
        let present = columns(open, table)?;
        if present.is_empty() {
            continue;
        }
        let wanted = ["session_id", "session_key", "reason", "archive_name"];
        let mut statement =
            open.prepare(&format!("SELECT {} FROM {table} ORDER BY 1, 4", selection(&wanted, &present)))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let reason = if cold {
                Some(ArchiveReason::Cold)
            } else {
                text(row, 2)?.and_then(|word| ArchiveReason::from_word(&word))
            };
            let (Some(session_id), Some(reason)) = (text(row, 0)?, reason) else { continue };
            let name = text(row, 3)?.unwrap_or_default();
            let key = text(row, 1)?;
            found.push(ArchivedTranscript {
                agent_id: agent.clone(),
                session_id,
                key,
                reason,
                name,
                ended_at: None,
                word: None,
            });
        }
    }
    Ok(found)
}

/// Windows whose keys have newer ones: the older exchanges of a key (`contract/sessions.md` §2.2).
pub(super) fn earlier(
    open: &Connection,
    agent: &AgentId,
    found: &AgentStoreRows,
) -> rusqlite::Result<Vec<ArchivedTranscript>> {
    let present = columns(open, "session_windows")?;
    if !["session_id", "session_key"].iter().all(|name| present.iter().any(|own| own == name)) {
        return Ok(Vec::new());
    }
    let current = found.sessions.iter().filter_map(|session| session.entry.session_id());
    let known_ids = found.archives.iter().map(|archive| archive.session_id.as_str());
    let known: HashSet<&str> = current.chain(known_ids).collect();
    let reasons = rollovers(open, &present)?;
    let wanted = ["session_id", "session_key", "ended_at", "transcript_updated_at", "updated_at"];
    let query = format!("SELECT {} FROM session_windows ORDER BY 1", selection(&wanted, &present));
    let mut statement = open.prepare(&query)?;
    let mut rows = statement.query([])?;
    let mut earlier = Vec::new();
    while let Some(row) = rows.next()? {
        let Some(session_id) = text(row, 0)?.filter(|id| valid_session_id(id) && !known.contains(id.as_str())) else {
            continue;
        };
        let mut ended_at = None;
        for at in 2..wanted.len() {
            ended_at = ended_at.or(json(row.get_ref(at)?).as_i64());
        }
        let (agent_id, key, reason) = (agent.clone(), text(row, 1)?, ArchiveReason::Earlier);
        let word = reasons.get(&session_id).cloned();
        earlier.push(ArchivedTranscript { agent_id, session_id, key, reason, name: String::new(), ended_at, word });
    }
    Ok(earlier)
}

/// Why newer windows took over, by the session they took over from. The column is often empty.
fn rollovers(open: &Connection, present: &[String]) -> rusqlite::Result<HashMap<String, String>> {
    let wanted = selection(&["previous_session_id", "reason"], present);
    let mut statement = open.prepare(&format!("SELECT {wanted} FROM session_windows"))?;
    let mut rows = statement.query([])?;
    let mut found = HashMap::new();
    while let Some(row) = rows.next()? {
        if let (Some(from), Some(word)) = (text(row, 0)?, text(row, 1)?.filter(|word| !word.trim().is_empty())) {
            found.insert(from, word);
        }
    }
    Ok(found)
}

/// The archive of a session that the database itself holds, and whether it is packed; the newest of that name.
pub(super) fn archive_blob(
    open: &Connection,
    archive: &ArchivedTranscript,
) -> rusqlite::Result<Option<(Vec<u8>, bool)>> {
    let cold = archive.reason == ArchiveReason::Cold;
    let table = if cold { "session_transcript_cold_archives" } else { "session_transcript_archives" };
    let present = columns(open, table)?;
    if !["session_id", "archive_blob"].iter().all(|name| present.iter().any(|own| own == name)) {
        return Ok(None);
    }
    let wanted = selection(&["archive_blob", "encoding", "archive_name", "generation"], &present);
    let query = format!("SELECT {wanted} FROM {table} WHERE session_id = ?1 ORDER BY 4 DESC");
    let mut statement = open.prepare(&query)?;
    let mut rows = statement.query([&archive.session_id])?;
    while let Some(row) = rows.next()? {
        if text(row, 2)?.unwrap_or_default() != archive.name {
            continue;
        }
        if let ValueRef::Blob(blob) = row.get_ref(0)? {
            // Cold archives are packed unless a column names another form.
            return Ok(Some((blob.to_vec(), text(row, 1)?.as_deref().unwrap_or("zstd") == "zstd")));
        }
    }
    Ok(None)
}
