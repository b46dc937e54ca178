//! Where an event comes from.

use serde::{Deserialize, Serialize};

/// What told of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum Origin {
    /// A line of the coordination log. Left out on the wire.
    #[default]
    Log,
    /// Transcripts of sessions, or a registry of runs: the log says nothing of it.
    Transcript,
    /// Hooks of coding agents, or programs that write the normalised event themselves (`contract/event-schema-v1_1.md`).
    Hooks,
    /// An origin this build does not know.
    #[serde(other)]
    Unknown,
}

impl Origin {
    /// It is in the log.
    #[must_use]
    pub fn is_log(&self) -> bool {
        *self == Self::Log
    }
}

/// A count that is left out on the wire: nothing is told by transcripts alone.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
pub(super) fn is_none_told(count: &u32) -> bool {
    *count == 0
}

/// A line of a session's transcript, to be looked up in `GET sessions-store/{key}/history`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TranscriptPlace {
    /// Key of the session.
    pub key: String,
    /// Id of the line; absent where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
}
