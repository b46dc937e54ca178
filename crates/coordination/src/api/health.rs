//! `GET /api/v2/health` and the state of the data behind every answer.

use serde::{Deserialize, Serialize};

use super::{Cursor, Unreadable};

/// `GET /api/v2/health`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// Current position.
    pub cursor: Cursor,
    /// The `now` it was computed for.
    pub now: i64,
}

/// State of the data source.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceInfo {
    /// How the log stands.
    pub state: SourceState,
    /// Where the monitor looks, with the home directory as `~` where it applies.
    pub home: String,
    /// The live log's path, the same way.
    pub log_path: String,
    /// Log files in reading order.
    #[serde(default)]
    pub files: Vec<SourceFile>,
    /// State of `openclaw.json`.
    #[serde(default)]
    pub config: ConfigState,
    /// True for the built-in demo home.
    #[serde(default)]
    pub demo: bool,
    /// Newest event's time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest_event: Option<i64>,
}

/// How the log stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SourceState {
    /// Read and followed.
    Ok,
    /// Still reading history.
    #[default]
    Starting,
    /// The home exists, the log does not (yet).
    LogMissing,
    /// The home does not exist.
    HomeMissing,
    /// It is there and cannot be read.
    Unreadable,
    /// A state this build does not know.
    #[serde(other)]
    Unknown,
}

/// How the config stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ConfigState {
    /// Read.
    #[default]
    Ok,
    /// No `openclaw.json`.
    Missing,
    /// Could not be read or parsed; the last good one is in force.
    Stale,
    /// Could not be read or parsed and there is no good one.
    Invalid,
    /// A state this build does not know.
    #[serde(other)]
    Unknown,
}

/// One log file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceFile {
    /// File name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Position just after the last complete line read.
    pub read_to: u64,
}

/// A line that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BadLine {
    /// File name.
    pub file: String,
    /// Byte offset of the line.
    pub offset: u64,
    /// Why, as a code (`notJson`, `notObject`, `noType`, `tooLong`, `notUtf8`).
    pub reason: String,
    /// First 200 characters, control characters escaped.
    pub sample: String,
}
