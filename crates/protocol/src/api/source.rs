//! State of the monitor's input files: part of the answers for health and the home page, and of heartbeats of the live
//! stream.

use serde::{Deserialize, Serialize};

use super::Unreadable;

/// State of the data source.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SourceInfo {
    /// State of the log.
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
    /// Whether Claude Code is on the monitor's machine, and has its hooks. Left out unless nothing was read yet.
    #[serde(default, skip_serializing_if = "HooksSetup::is_absent")]
    pub claude_code: HooksSetup,
    /// Command that adds the hooks for this very monitor; absent where they need none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hooks_command: Option<String>,
    /// The same of Codex.
    #[serde(default, skip_serializing_if = "HooksSetup::is_absent")]
    pub codex: HooksSetup,
    /// Command that adds the hooks to Codex; absent where it needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codex_hooks_command: Option<String>,
    /// Time of the newest event, epoch ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest_event: Option<i64>,
    /// Earliest of three times of events, epoch ms: the newest of the history, then those that arrived last. Clocks are
    /// compared by it, so that one wrong time in the log is no fault of a clock. Absent while there are fewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub third_newest_event: Option<i64>,
    /// Lines that could not be read; `GET /api/v2/health` lists them.
    #[serde(default)]
    pub bad_lines: u64,
    /// Existing files that could not be read: the answer is incomplete. Home lists the first eight.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<Unreadable>,
    /// Number of unreadable files.
    #[serde(default)]
    pub unreadable_total: u32,
}

/// Events may be this far ahead of a clock without a fault: two machines' clocks differ a little.
const CLOCK_TOLERANCE_MS: i64 = 5 * 60_000;

impl SourceInfo {
    /// How far the events are ahead of a clock that shows `now`, in ms; `None` within five minutes. Ages and statuses are
    /// wrong meanwhile. The opposite looks like a quiet log.
    #[must_use]
    pub fn events_ahead_ms(&self, now: i64) -> Option<i64> {
        self.third_newest_event.map(|at| at.saturating_sub(now)).filter(|ahead| *ahead > CLOCK_TOLERANCE_MS)
    }
}

/// State of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
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
    /// The home is not a folder.
    HomeNotFolder,
    /// It exists and cannot be read.
    Unreadable,
    /// A state this build does not know.
    #[serde(other)]
    Unknown,
}

/// Claude Code or Codex on the monitor's machine, when the monitor started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum HooksSetup {
    /// It is not there.
    #[default]
    Absent,
    /// It has none of the monitor's hooks: `task-monitor hooks install` adds them.
    WithoutHooks,
    /// It has the monitor's hooks.
    WithHooks,
    /// A state this build does not know.
    #[serde(other)]
    Unknown,
}

impl HooksSetup {
    fn is_absent(&self) -> bool {
        *self == Self::Absent
    }
}

/// State of the config.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
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
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SourceFile {
    /// File name.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Position just after the last complete line read.
    pub read_to: u64,
}

/// A line that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_ahead_of_clock_beyond_tolerance() {
        let source = |third_newest_event| SourceInfo { third_newest_event, ..SourceInfo::default() };
        assert_eq!(source(None).events_ahead_ms(0), None);
        assert_eq!(source(Some(1_000)).events_ahead_ms(2_000), None, "events of the past");
        assert_eq!(source(Some(CLOCK_TOLERANCE_MS)).events_ahead_ms(0), None);
        assert_eq!(source(Some(3 * 3_600_000)).events_ahead_ms(0), Some(3 * 3_600_000));
        assert_eq!(source(Some(i64::MAX)).events_ahead_ms(-1), Some(i64::MAX));
    }
}
