//! Types of the findings of the event doctor (linter of the coordination log). `GET /api/v2/health` contains them.
//! `GET /api/v2/doctor` and `task-monitor check --json` list them for each file.

use serde::{Deserialize, Serialize};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum FindingLevel {
    /// Something is lost or damaged.
    Problem,
    /// Readable, but somebody's clock, editor or disk did something it should not.
    Warning,
    /// Legal, and worth knowing when an answer surprises.
    Note,
}

/// Kinds of findings, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum FindingKind {
    /// A line that is no event; the reason says why.
    Unparsable,
    /// NUL bytes, as a power cut leaves them.
    Nul,
    /// Bytes that are no UTF-8, shown as `U+FFFD`.
    NotUtf8,
    /// Records glued together on one line, taken apart again.
    Glued,
    /// The last line has no end.
    Torn,
    /// A byte order mark.
    Bom,
    /// Lines that end with CR LF.
    Crlf,
    /// Time going back between neighbours by more than a minute.
    ClockJump,
    /// No usable time, or one in seconds, far in the past or in the future.
    SuspiciousTime,
    /// A text the writer cut (`contract/events.md` §5.1).
    Truncated,
    /// An id of more than 256 bytes; it is shown by its beginning and a digest.
    LongId,
    /// Byte-equal lines. Equal events are legal.
    Duplicate,
    /// A type that `contract/events.md` §4 does not list.
    UnknownType,
    /// A message without a role of its own (eras before E4).
    MissingRole,
    /// A message without session types of its own.
    MissingSessionTypes,
    /// A message or spawn without a work session.
    MissingWorkSession,
    /// A conversation, or one that it caused, names another work session than it began with.
    WorkSessionChanged,
    /// A delegation whose depth is neither that of what caused it nor one more.
    DepthSkipped,
    /// A kind this build does not know.
    #[serde(other)]
    Unknown,
}

impl FindingKind {
    /// All that this build can find, worst first.
    pub const ALL: [Self; 18] = [
        Self::Unparsable,
        Self::Nul,
        Self::NotUtf8,
        Self::Glued,
        Self::Torn,
        Self::Bom,
        Self::Crlf,
        Self::ClockJump,
        Self::SuspiciousTime,
        Self::Truncated,
        Self::LongId,
        Self::Duplicate,
        Self::UnknownType,
        Self::MissingRole,
        Self::MissingSessionTypes,
        Self::MissingWorkSession,
        Self::WorkSessionChanged,
        Self::DepthSkipped,
    ];

    /// How bad it is.
    #[must_use]
    pub fn level(self) -> FindingLevel {
        match self {
            Self::Unparsable | Self::Nul => FindingLevel::Problem,
            Self::NotUtf8
            | Self::Glued
            | Self::Torn
            | Self::Bom
            | Self::Crlf
            | Self::ClockJump
            | Self::SuspiciousTime
            | Self::LongId => FindingLevel::Warning,
            Self::Truncated
            | Self::Duplicate
            | Self::UnknownType
            | Self::MissingRole
            | Self::MissingSessionTypes
            | Self::MissingWorkSession
            | Self::WorkSessionChanged
            | Self::DepthSkipped
            | Self::Unknown => FindingLevel::Note,
        }
    }
}

/// What was found in all files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CheckSummary {
    /// Events looked at.
    pub events: u64,
    /// Findings by kind, worst first; kinds that were not found are left out.
    pub findings: Vec<Finding>,
}

/// All of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Kind of the finding.
    pub kind: FindingKind,
    /// Severity.
    pub level: FindingLevel,
    /// Number of occurrences.
    pub count: u64,
    /// The first of them, at most 5; of unknown types each only once.
    pub samples: Vec<FindingSample>,
}

/// One place where something was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FindingSample {
    /// File name.
    pub file: String,
    /// Byte offset of the line.
    pub offset: u64,
    /// What exactly, as a code or value: a line's reason, a time, a type.
    pub detail: String,
    /// At most 200 characters of the text there, control characters escaped; may be empty.
    pub text: String,
}

/// What was found, file by file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    /// Files in reading order.
    pub files: Vec<FileCheck>,
    /// All of them together.
    #[serde(flatten)]
    pub all: CheckSummary,
}

/// Numbers of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FileCheck {
    /// File name.
    pub name: String,
    /// Events in it.
    pub events: u64,
    /// Findings of each level.
    pub problems: u64,
    /// See [`FindingLevel::Warning`].
    pub warnings: u64,
    /// See [`FindingLevel::Note`].
    pub notes: u64,
    /// How often each kind was found, worst first; kinds that were not found are left out.
    pub counts: std::collections::BTreeMap<FindingKind, u64>,
}
