//! Types of an event's origin (log, transcript or hooks), and of the location of a line in a transcript.

use serde::{Deserialize, Serialize};

use crate::ids::AgentId;

/// Source of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum Origin {
    /// A line of the coordination log. Left out on the wire.
    #[default]
    Log,
    /// Transcripts of sessions, or a registry of runs; not in the log.
    Transcript,
    /// Hooks of coding agents, or programs that write the normalised event themselves (`contract/event-schema-v1_1.md`).
    Hooks,
    /// An origin this build does not know.
    #[serde(other)]
    Unknown,
}

impl Origin {
    /// All origins that a query can name.
    pub const ALL: [Self; 3] = [Self::Log, Self::Transcript, Self::Hooks];

    /// Text on the wire and in addresses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Transcript => "transcript",
            Self::Hooks => "hooks",
            Self::Unknown => "unknown",
        }
    }

    /// It is in the log.
    #[must_use]
    pub fn is_log(&self) -> bool {
        *self == Self::Log
    }
}

impl std::str::FromStr for Origin {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|origin| origin.as_str() == text).ok_or(())
    }
}

/// Whether a count is left out on the wire.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
pub(super) fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A line of a session's transcript, to be looked up in `GET sessions-store/{key}/history`; of a transcript to which no
/// key leads any more, in `GET sessions-archive/{agent}/{session}/history`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TranscriptPlace {
    /// Key that leads to the transcript; empty for an archived one.
    pub key: String,
    /// Agent of the transcript, when no key names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// Id of the session whose transcript it is. A key may lead to a newer one later; this stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Id of the line; absent where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
}
