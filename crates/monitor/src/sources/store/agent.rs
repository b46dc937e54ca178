//! Reader of one agent's database (`contract/sessions.md` §2.2): stored sessions, transcripts, archives, and windows
//! (the session ids that one session key had one after the other). Columns that a schema version lacks are left out.

use coordination::ids::AgentId;
use coordination::session_key::{KeyRules, SessionKey};
use coordination::store::{ArchivedTranscript, Participant, Release, SessionEntry, StoredSession, valid_session_id};
use rusqlite::types::{Value as Cell, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, Row};
use serde_json::Value;

use super::archive_rows::{archives, earlier};
use super::sqlite::{columns, selection};

/// An event is at most this large once it is unpacked (the schema's own CHECK).
const EVENT_LIMIT: usize = 4 << 20;
/// Older versions of the agent's database hold no sessions: those are in files.
const FIRST_WITH_SESSIONS: i64 = 4;

/// Content of one agent's database.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum AgentDatabaseContent {
    /// No sessions: they are in files.
    NoSessions,
    /// Sessions, but in tables that are not known.
    Unsupported(i64),
    /// Sessions and archives.
    Sessions(Box<AgentStoreRows>),
}

/// Sessions and archives in one agent's database.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct AgentStoreRows {
    pub(super) sessions: Vec<StoredSession>,
    pub(super) archives: Vec<ArchivedTranscript>,
    /// Number of rows with an entry that cannot be read.
    pub(super) unreadable_rows: usize,
}

/// One event of a transcript, as stored in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventLine {
    /// Its position, from 0.
    pub seq: i64,
    /// The event as JSON text, unpacked; or why it cannot be given.
    pub json: Result<String, String>,
}

/// A stretch of a key's talk: a session id and when it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyWindow {
    /// Id of the session.
    pub session_id: String,
    /// The window before it.
    pub previous: Option<String>,
    /// Why it began; may be unknown even after a rollover.
    pub reason: Option<String>,
    /// When it began, epoch milliseconds.
    pub created_at: Option<i64>,
    /// When anything about it changed, epoch milliseconds.
    pub updated_at: Option<i64>,
}

/// Reads everything but transcripts.
pub(super) fn read(open: &Connection, agent: &AgentId, rules: &KeyRules) -> rusqlite::Result<AgentDatabaseContent> {
    let version: i64 = open.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let rules = KeyRules { main_key: main_key(open)?.unwrap_or_else(|| rules.main_key.clone()), ..rules.clone() };
    let nodes = columns(open, "session_nodes")?;
    let entries = columns(open, "session_entries")?;
    let has = |present: &[String], name: &str| present.iter().any(|own| own == name);
    let mut found = if has(&nodes, "session_key") && has(&nodes, "entry_json") {
        of_nodes(open, &nodes, &rules)?
    } else if has(&entries, "entry_json") && (has(&entries, "session_key") || has(&entries, "session_id")) {
        of_entries(open, &entries, &rules)?
    } else if version < FIRST_WITH_SESSIONS && nodes.is_empty() && entries.is_empty() {
        return Ok(AgentDatabaseContent::NoSessions);
    } else {
        return Ok(AgentDatabaseContent::Unsupported(version));
    };
    participants(open, &mut found.sessions)?;
    found.archives = archives(open, agent)?;
    let earlier = earlier(open, agent, &found)?;
    found.archives.extend(earlier);
    Ok(AgentDatabaseContent::Sessions(Box::new(found)))
}

fn main_key(open: &Connection) -> rusqlite::Result<Option<String>> {
    if !columns(open, "session_key_contract")?.iter().any(|name| name == "main_key") {
        return Ok(None);
    }
    let main_key_row = open.query_row("SELECT main_key FROM session_key_contract WHERE id = 1", [], |row| text(row, 0));
    Ok(main_key_row.optional()?.flatten().map(|key| key.to_lowercase()))
}

/// Columns that repeat fields of an entry, and the entry's name for each.
const NODE_COLUMNS: [(&str, &str); 15] = [
    ("current_session_id", "sessionId"),
    ("updated_at", "updatedAt"),
    ("status", "status"),
    ("label", "label"),
    ("display_name", "displayName"),
    ("created_at", "createdAt"),
    ("created_via", "createdVia"),
    ("spawned_by", "spawnedBy"),
    ("parent_session_key", "parentSessionKey"),
    ("pinned_at", "pinnedAt"),
    ("archived_at", "archivedAt"),
    ("last_read_at", "lastReadAt"),
    ("last_interaction_at", "lastInteractionAt"),
    ("last_activity_at", "lastActivityAt"),
    ("created_actor_type", ""),
];

/// Generation B: `session_nodes`.
fn of_nodes(open: &Connection, present: &[String], rules: &KeyRules) -> rusqlite::Result<AgentStoreRows> {
    let mut wanted = vec!["session_key", "entry_json", "created_actor_id"];
    wanted.extend(NODE_COLUMNS.iter().map(|(column, _)| *column));
    let mut found = AgentStoreRows::default();
    let mut statement =
        open.prepare(&format!("SELECT {} FROM session_nodes ORDER BY 1", selection(&wanted, present)))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let Some(key) = text(row, 0)?.and_then(|key| SessionKey::parse(&key)) else {
            found.unreadable_rows += 1;
            continue;
        };
        let mut entry = entry(text(row, 1)?.as_deref(), &mut found.unreadable_rows);
        for (at, (column, name)) in NODE_COLUMNS.iter().enumerate() {
            let value = json(row.get_ref(at + 3)?);
            if !name.is_empty() {
                entry.fill(name, value);
            } else if *column == "created_actor_type"
                && let Value::String(kind) = value
            {
                let mut actor = serde_json::json!({ "type": kind });
                if let Some(id) = text(row, 2)? {
                    actor["id"] = id.into();
                }
                entry.fill("createdActor", actor);
            }
        }
        found.sessions.push(StoredSession::new(key, entry, Release::Database, rules));
    }
    Ok(found)
}

/// Generation A: `session_entries`, with the session's id in the entry or in `session_routes`.
fn of_entries(open: &Connection, present: &[String], rules: &KeyRules) -> rusqlite::Result<AgentStoreRows> {
    let routes = columns(open, "session_routes")?;
    let routed = ["session_key", "session_id"].iter().all(|name| routes.iter().any(|own| own == name));
    let keyed = present.iter().any(|name| name == "session_key");
    let updated = if present.iter().any(|name| name == "updated_at") { "e.updated_at" } else { "NULL" };
    let query = match (keyed, routed) {
        (true, true) => format!(
            "SELECT e.session_key, e.entry_json, {updated}, r.session_id FROM session_entries e
             LEFT JOIN session_routes r ON r.session_key = e.session_key ORDER BY 1"
        ),
        (true, false) => {
            format!("SELECT e.session_key, e.entry_json, {updated}, NULL FROM session_entries e ORDER BY 1")
        }
        (false, true) => format!(
            "SELECT r.session_key, e.entry_json, {updated}, e.session_id FROM session_entries e
             JOIN session_routes r ON r.session_id = e.session_id ORDER BY 1"
        ),
        (false, false) => return Ok(AgentStoreRows { unreadable_rows: 1, ..AgentStoreRows::default() }),
    };
    let mut found = AgentStoreRows::default();
    let mut statement = open.prepare(&query)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let Some(key) = text(row, 0)?.and_then(|key| SessionKey::parse(&key)) else {
            found.unreadable_rows += 1;
            continue;
        };
        let mut entry = entry(text(row, 1)?.as_deref(), &mut found.unreadable_rows);
        entry.fill("updatedAt", json(row.get_ref(2)?));
        entry.fill("sessionId", json(row.get_ref(3)?));
        found.sessions.push(StoredSession::new(key, entry, Release::Database, rules));
    }
    Ok(found)
}

/// An entry; invalid JSON is counted, and its columns still describe the session.
fn entry(text: Option<&str>, unreadable_rows: &mut usize) -> SessionEntry {
    let read = text.and_then(|text| serde_json::from_str(text).ok()).and_then(SessionEntry::read);
    read.unwrap_or_else(|| {
        *unreadable_rows += 1;
        SessionEntry::default()
    })
}

fn participants(open: &Connection, sessions: &mut [StoredSession]) -> rusqlite::Result<()> {
    let present = columns(open, "session_participants")?;
    if present.is_empty() {
        return Ok(());
    }
    let wanted = ["session_key", "identity_namespace", "actor_id", "contribution_count", "first_prompted_at"];
    let query = format!("SELECT {} FROM session_participants ORDER BY 5, 3", selection(&wanted, &present));
    let mut statement = open.prepare(&query)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (Some(key), Some(space)) = (text(row, 0)?, text(row, 1)?) else { continue };
        let Ok(mut identity @ Value::Object(_)) = serde_json::from_str::<Value>(&space) else { continue };
        identity["id"] = json(row.get_ref(2)?);
        let contributions = json(row.get_ref(3)?).as_i64().unwrap_or(0);
        for session in sessions.iter_mut().filter(|session| session.key.as_str().eq_ignore_ascii_case(&key)) {
            session.participants.push(Participant { identity: identity.clone(), contributions });
        }
    }
    Ok(())
}

/// The windows of a key, newest first.
pub(super) fn windows(open: &Connection, key: &str) -> rusqlite::Result<Vec<KeyWindow>> {
    let present = columns(open, "session_windows")?;
    if present.is_empty() {
        return Ok(Vec::new());
    }
    let wanted = ["session_id", "previous_session_id", "reason", "created_at", "updated_at"];
    let query = format!(
        "SELECT {} FROM session_windows WHERE session_key = ?1 COLLATE NOCASE ORDER BY 4 DESC",
        selection(&wanted, &present)
    );
    let mut statement = open.prepare(&query)?;
    let mut rows = statement.query([key])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let Some(session_id) = text(row, 0)?.filter(|id| valid_session_id(id)) else { continue };
        let number = |at: usize| -> rusqlite::Result<Option<i64>> { Ok(json(row.get_ref(at)?).as_i64()) };
        found.push(KeyWindow {
            session_id,
            previous: text(row, 1)?,
            reason: text(row, 2)?,
            created_at: number(3)?,
            updated_at: number(4)?,
        });
    }
    Ok(found)
}

/// The events of a session in order, from a position on, at most so many.
pub(super) fn events(open: &Connection, session_id: &str, from: i64, most: usize) -> rusqlite::Result<Vec<EventLine>> {
    lines(open, session_id, ("seq >= ?2 ORDER BY seq", from), most)
}

/// The last events of a session in order, at most so many.
pub(super) fn last_events(open: &Connection, session_id: &str, most: usize) -> rusqlite::Result<Vec<EventLine>> {
    let mut found = lines(open, session_id, ("seq >= ?2 ORDER BY seq DESC", 0), most)?;
    found.reverse();
    Ok(found)
}

/// The last events of a session up to a position, in order, at most so many.
pub(super) fn events_until(
    open: &Connection,
    session_id: &str,
    until: i64,
    most: usize,
) -> rusqlite::Result<Vec<EventLine>> {
    let mut found = lines(open, session_id, ("seq <= ?2 ORDER BY seq DESC", until), most)?;
    found.reverse();
    Ok(found)
}

fn lines(open: &Connection, id: &str, (wanted, from): (&str, i64), most: usize) -> rusqlite::Result<Vec<EventLine>> {
    let present = columns(open, "transcript_events")?;
    if !["session_id", "seq"].iter().all(|name| present.iter().any(|own| own == name)) {
        return Ok(Vec::new());
    }
    let query = format!(
        "SELECT {} FROM transcript_events WHERE session_id = ?1 AND {wanted} LIMIT ?3",
        selection(&["seq", "event_json", "event_zstd"], &present)
    );
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let mut statement = open.prepare(&query)?;
    let lines = statement.query_map(rusqlite::params![id, from, most], |row| {
        let json = match (row.get_ref(1)?, row.get_ref(2)?) {
            (ValueRef::Text(json), _) => Ok(String::from_utf8_lossy(json).into_owned()),
            (_, ValueRef::Blob(packed)) => unpacked(packed),
            _ => Err("neither text nor packed".to_owned()),
        };
        Ok(EventLine { seq: row.get(0)?, json })
    })?;
    lines.collect()
}

/// One plain zstd frame of JSON text.
fn unpacked(packed: &[u8]) -> Result<String, String> {
    use std::io::Read as _;
    let decoder = zstd::stream::read::Decoder::new(packed).map_err(|_| "damaged".to_owned())?;
    let mut bytes = Vec::new();
    decoder.take(EVENT_LIMIT as u64 + 1).read_to_end(&mut bytes).map_err(|_| "damaged".to_owned())?;
    if bytes.len() > EVENT_LIMIT {
        return Err("too large".to_owned());
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A text column; another type is `None`, and invalid UTF-8 is replaced.
pub(super) fn text(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<String>> {
    Ok(match row.get_ref(at)? {
        ValueRef::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    })
}

/// A value as the entry would have it.
pub(super) fn json(cell: ValueRef<'_>) -> Value {
    match Cell::try_from(cell) {
        Ok(Cell::Integer(number)) => number.into(),
        Ok(Cell::Real(number)) => number.into(),
        Ok(Cell::Text(text)) => text.into(),
        _ => Value::Null,
    }
}
