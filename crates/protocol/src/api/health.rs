//! Types of `GET /api/v2/health` and `GET /api/v2/me`: state of the monitor, and the person who asks.

use serde::{Deserialize, Serialize};

use super::{
    AlertsHealth, BadLine, CheckSummary, Cursor, FleetMachine, IngestInfo, SourceInfo, StoreInfoRow, Unreadable,
};

/// `GET /api/v2/health`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Health {
    /// `ok` or `degraded`.
    pub status: String,
    /// Version of the monitor.
    pub version: String,
    /// State of the files.
    pub source: SourceInfo,
    /// Bytes on disk not yet read.
    pub lag_bytes: u64,
    /// Bytes of an unfinished last line.
    pub pending_bytes: u64,
    /// Lines that could not be read.
    pub bad_lines: u64,
    /// A sample of them, newest last, at most 20.
    #[serde(default)]
    pub bad_line_samples: Vec<BadLine>,
    /// Events held.
    pub events: u64,
    /// Sessions known.
    pub sessions: u64,
    /// Files that could not be read.
    #[serde(default)]
    pub unreadable: Vec<Unreadable>,
    /// Counters of following the files; absent when the monitor does not report them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub following: Option<Following>,
    /// State of the manual categories; absent when the monitor does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overrides: Option<StoreInfo>,
    /// Live clients; absent when the monitor does not report them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<LiveInfo>,
    /// Findings of the event doctor; absent when the monitor does not report them. Per file in `GET /api/v2/doctor`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckSummary>,
    /// Who may change anything; `nobody` for a person without that right; absent when the monitor does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writes: Option<Writes>,
    /// Name of the person who asks, from a trusted proxy; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// State of the search index; absent when the monitor does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<IndexInfo>,
    /// OpenClaw's own session stores with their states; empty when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stores: Vec<StoreInfoRow>,
    /// Progress of reading their transcripts; absent when the monitor does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcripts: Option<TranscriptReading>,
    /// State of the input from coding agents; absent when the monitor does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingest: Option<IngestInfo>,
    /// State of the alerts that are sent; absent without sinks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alerts: Option<AlertsHealth>,
    /// The machine of a fleet whose mirror this is; absent on the machine itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<FleetMachine>,
    /// Current position.
    pub cursor: Cursor,
    /// The `now` it was computed for.
    pub now: i64,
}

/// Progress of reading the transcripts of the session stores, since the monitor started.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct TranscriptReading {
    /// Transcripts that are followed, archives among them.
    pub transcripts: u64,
    /// Bytes read of them.
    pub bytes: u64,
    /// Rows read of databases.
    pub rows: u64,
    /// Lines held in memory because they carry messages or may still.
    pub remembered: u64,
    /// Lines that could not be understood.
    pub bad_lines: u64,
    /// Talks and delegations found.
    pub talks: u64,
    /// Events made from them that the log does not have.
    pub events: u64,
    /// Number of changes of stores and transcripts: the value of `stores` in a delta.
    pub revision: u64,
}

/// State of the search index. Events it does not cover yet are searched by scanning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct IndexInfo {
    /// Events it covers.
    #[serde(default)]
    pub events: u64,
    /// Distinct words of their texts.
    #[serde(default)]
    pub words: u64,
    /// Memory it holds, in bytes.
    #[serde(default)]
    pub bytes: u64,
}

/// Who may change anything.
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Writes {
    /// The monitor's own page on its own machine; no token is set.
    Page,
    /// Clients with the token, and the monitor's own page on its own machine.
    Token,
    /// Nobody: no token is set, and other machines can reach the monitor.
    Nobody,
    /// A word this build does not know.
    #[serde(other)]
    Unknown,
}

/// Counters of following the log files since the monitor started (`contract/events.md` §1.2).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Following {
    /// How changes of the files are noticed.
    #[serde(default)]
    pub watcher: WatcherMode,
    /// Unfinished last lines, one a file at most.
    #[serde(default)]
    pub pending: Vec<PendingLine>,
    /// How often the live file was renamed to an archive and a new one begun.
    #[serde(default)]
    pub rotations: u64,
    /// Files truncated or replaced by other bytes under their name.
    #[serde(default)]
    pub replaced: u64,
    /// The last of them, newest last, at most 20.
    #[serde(default)]
    pub replaced_files: Vec<ReplacedFile>,
    /// Bytes seen on disk that were cut off or overwritten before they became a complete line.
    #[serde(default)]
    pub truncated_unread: u64,
    /// Archives that are a copy of what another file holds; their lines are shown once.
    #[serde(default)]
    pub copies: Vec<String>,
}

/// How changes of the log files are noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum WatcherMode {
    /// The system reports changes; a poll every second finds what it missed.
    Notified,
    /// Polling every second: the system has no watcher, or the folder does not exist.
    Polling,
    /// Polling every second, because the settings say so.
    Off,
    /// Not reported, or a mode this build does not know.
    #[default]
    #[serde(other)]
    Unknown,
}

/// An unfinished last line: its writer may still be writing, or died.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PendingLine {
    /// File name.
    pub file: String,
    /// Bytes after the last newline.
    pub bytes: u64,
    /// Since when it is unfinished, epoch milliseconds.
    pub since: i64,
}

/// A file whose content was replaced under the same name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReplacedFile {
    /// File name.
    pub file: String,
    /// When that was noticed, epoch milliseconds.
    pub at: i64,
}

/// State of the store of manual categories (`contract/monitor-api.md` §7).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StoreInfo {
    /// Whether it can be read and written.
    #[serde(default)]
    pub state: StoreState,
    /// Its file, below the home.
    #[serde(default)]
    pub path: String,
    /// Manual categories in force.
    #[serde(default)]
    pub entries: u64,
    /// Changes asked for and not yet answered.
    #[serde(default)]
    pub pending: u64,
    /// Why it is not [`StoreState::Ok`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Path of the copy of a damaged file, below the home.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_aside: Option<String>,
    /// The newest failure since the start; it stays after recovery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<StoreFailure>,
    /// Lines of the audit log that could not be read; a torn one is what a power cut leaves.
    #[serde(default)]
    pub bad_audit_lines: u64,
}

/// A failure of the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StoreFailure {
    /// When, in epoch milliseconds by the monitor's clock.
    pub at: i64,
    /// What the system said.
    pub cause: String,
}

/// Whether manual categories can be read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum StoreState {
    /// Both; a file that is not there yet counts as an empty one.
    Ok,
    /// The file is damaged or unreadable: the last known values are in force and writes are refused.
    Damaged,
    /// Read, but not written here: another monitor holds the writer's lock, or the disk refused the last change (the
    /// next one may succeed).
    ReadOnly,
    /// Both, but the disk has not yet confirmed the newest change.
    Uncertain,
    /// Not reported, or a state this build does not know.
    #[default]
    #[serde(other)]
    Unknown,
}

/// Live clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LiveInfo {
    /// Clients connected now, over any transport.
    #[serde(default)]
    pub clients: u64,
    /// Clients over WebSocket.
    #[serde(default)]
    pub sockets: u64,
    /// Of these over server-sent events.
    #[serde(default)]
    pub events: u64,
    /// Of these waiting in a long poll.
    #[serde(default)]
    pub polls: u64,
    /// Clients cut since the start because they were too slow.
    #[serde(default)]
    pub cut: u64,
}

/// `GET /api/v2/me`: the person who asks. Rights limit only requests that a trusted proxy forwards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Me {
    /// Name that the proxy gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// May change categories, classifier rules, notes and views for everybody.
    pub may_categorize: bool,
    /// May send messages to agents.
    pub may_speak: bool,
    /// May see and answer permission requests of agents.
    #[serde(default)]
    pub may_answer: bool,
    /// Nobody may change anything through this monitor.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
}

/// `POST /api/v2/me/visit`: the last visit of the person before this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PersonVisit {
    /// When the person looked at the dashboard before, in any browser. Absent at the first visit, and for a client whom no
    /// proxy names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_visit: Option<i64>,
    /// This visit is on the disk. False for a client whom no proxy names, and while the file cannot be read or written.
    #[serde(default)]
    pub recorded: bool,
}
