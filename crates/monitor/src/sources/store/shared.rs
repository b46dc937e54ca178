//! Reader of the shared database `state/openclaw.sqlite`: spawned runs, tasks, session events and pending approvals
//! (`contract/sessions.md` §2.2, §2.3). The database also holds keys and profiles, so only the tables named here are read.

use coordination::store::{ApprovalRow, PendingApproval, SpawnRun, StateEvent, TaskRun};
use rusqlite::{Connection, Row};
use serde_json::Value;

use super::agent::{json, text};
use super::sqlite::{columns, selection};

/// The newest so many tasks and events are read.
const MAX_SHARED_ROWS: usize = 20_000;
/// Pending approvals that are read, the oldest first.
const MAX_APPROVALS: usize = 1_000;

/// Content of the shared database.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct SharedDatabase {
    /// Spawned runs.
    pub(super) spawns: Vec<SpawnRun>,
    pub(super) tasks: Vec<TaskRun>,
    /// Changes of sessions.
    pub(super) events: Vec<StateEvent>,
    pub(super) approvals: PendingApprovals,
}

/// Approvals that nobody has decided.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum PendingApprovals {
    /// The oldest first, and the number of those that could not be read in full.
    Read(Vec<PendingApproval>, usize),
    /// The table has other columns, in a database of this version.
    Unsupported(i64),
}

impl Default for PendingApprovals {
    fn default() -> Self {
        Self::Read(Vec::new(), 0)
    }
}

/// Reads the four tables; one that is not there is empty.
pub(super) fn read(open: &Connection) -> rusqlite::Result<SharedDatabase> {
    Ok(SharedDatabase {
        spawns: rows(open, "subagent_runs", &SPAWN, "created_at", spawn)?,
        tasks: rows(open, "task_runs", &TASK, "started_at", task)?,
        events: rows(open, "session_state_events", &EVENT, "sequence", event)?,
        approvals: approvals(open)?,
    })
}

const SPAWN: [&str; 6] =
    ["payload_json", "run_id", "child_session_key", "requester_session_key", "controller_session_key", "created_at"];

fn spawn(row: &Row<'_>) -> rusqlite::Result<SpawnRun> {
    let payload = text(row, 0)?.and_then(|text| serde_json::from_str::<Value>(&text).ok()).unwrap_or_default();
    let mut run = SpawnRun::read(&payload);
    // The program selects by the columns: they take precedence over the payload.
    let own = |at: usize, target: &mut String| -> rusqlite::Result<()> {
        if let Some(column) = text(row, at)? {
            *target = column;
        }
        Ok(())
    };
    own(1, &mut run.run_id)?;
    own(2, &mut run.child)?;
    own(3, &mut run.requester)?;
    run.controller = text(row, 4)?.or(run.controller);
    run.created_at = number(row, 5)?.or(run.created_at);
    Ok(run)
}

const TASK: [&str; 14] = [
    "task_id",
    "runtime",
    "status",
    "label",
    "task",
    "requester_session_key",
    "child_session_key",
    "run_id",
    "started_at",
    "ended_at",
    "tool_use_count",
    "last_tool_name",
    "progress_summary",
    "error",
];

fn task(row: &Row<'_>) -> rusqlite::Result<TaskRun> {
    Ok(TaskRun {
        task_id: text(row, 0)?.unwrap_or_default(),
        runtime: text(row, 1)?.unwrap_or_default(),
        status: text(row, 2)?,
        label: text(row, 3)?,
        task: text(row, 4)?,
        requester: text(row, 5)?,
        child: text(row, 6)?,
        run_id: text(row, 7)?,
        started_at: number(row, 8)?,
        ended_at: number(row, 9)?,
        tool_use_count: number(row, 10)?,
        last_tool_name: text(row, 11)?,
        progress_summary: text(row, 12)?,
        error: text(row, 13)?,
    })
}

const EVENT: [&str; 8] =
    ["sequence", "kind", "session_key", "actor_type", "actor_id", "run_id", "occurred_at", "payload_json"];

fn event(row: &Row<'_>) -> rusqlite::Result<StateEvent> {
    Ok(StateEvent {
        sequence: number(row, 0)?.unwrap_or_default(),
        kind: text(row, 1)?.unwrap_or_default(),
        session_key: text(row, 2)?.unwrap_or_default(),
        actor_type: text(row, 3)?,
        actor_id: text(row, 4)?,
        run_id: text(row, 5)?,
        occurred_at: number(row, 6)?,
        payload: text(row, 7)?,
    })
}

const APPROVAL_COLUMNS: [&str; 8] = [
    "approval_id",
    "kind",
    "presentation_json",
    "source_agent_id",
    "source_session_key",
    "source_tool_name",
    "created_at_ms",
    "expires_at_ms",
];
/// Without these columns nobody can say what waits.
const REQUIRED_APPROVAL_COLUMNS: [&str; 4] = ["approval_id", "status", "presentation_json", "expires_at_ms"];

fn approvals(open: &Connection) -> rusqlite::Result<PendingApprovals> {
    let present = columns(open, "operator_approvals")?;
    if present.is_empty() {
        return Ok(PendingApprovals::default());
    }
    if !REQUIRED_APPROVAL_COLUMNS.iter().all(|name| present.iter().any(|own| own == name)) {
        return open.query_row("PRAGMA user_version", [], |row| row.get(0)).map(PendingApprovals::Unsupported);
    }
    let query = format!(
        "SELECT {} FROM operator_approvals WHERE status = 'pending' ORDER BY {}, approval_id LIMIT {}",
        selection(&APPROVAL_COLUMNS, &present),
        selection(&["created_at_ms"], &present),
        // One more shows that there are more.
        MAX_APPROVALS + 1
    );
    let mut statement = open.prepare(&query)?;
    let mut found = statement.query_map([], approval)?.collect::<rusqlite::Result<Vec<_>>>()?;
    let surplus = found.len().saturating_sub(MAX_APPROVALS);
    found.truncate(MAX_APPROVALS);
    let unreadable = found.iter().filter(|(_, is_whole)| !is_whole).count() + surplus;
    Ok(PendingApprovals::Read(found.into_iter().map(|(approval, _)| approval).collect(), unreadable))
}

fn approval(row: &Row<'_>) -> rusqlite::Result<(PendingApproval, bool)> {
    // A time that cannot be read ends nothing.
    let expires_at = number(row, 7)?;
    let (approval, is_whole) = PendingApproval::read(ApprovalRow {
        id: text(row, 0)?.unwrap_or_default(),
        kind: text(row, 1)?.unwrap_or_default(),
        presentation: text(row, 2)?.unwrap_or_default(),
        agent: text(row, 3)?,
        session_key: text(row, 4)?,
        tool: text(row, 5)?,
        created_at: number(row, 6)?.unwrap_or_default(),
        expires_at: expires_at.unwrap_or(i64::MAX),
    });
    Ok((approval, is_whole && expires_at.is_some()))
}

/// The newest rows of a table, oldest first.
fn rows<T>(
    open: &Connection,
    table: &str,
    wanted: &[&str],
    order: &str,
    read: fn(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    let present = columns(open, table)?;
    if present.is_empty() {
        return Ok(Vec::new());
    }
    let order = selection(&[order], &present);
    let query =
        format!("SELECT {} FROM {table} ORDER BY {order} DESC LIMIT {MAX_SHARED_ROWS}", selection(wanted, &present));
    let mut statement = open.prepare(&query)?;
    let found = statement.query_map([], read)?;
    let mut found = found.collect::<rusqlite::Result<Vec<T>>>()?;
    found.reverse();
    Ok(found)
}

fn number(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<i64>> {
    Ok(json(row.get_ref(at)?).as_i64())
}
