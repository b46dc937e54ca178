//! Types of `GET /api/v2/sessions-store` and of each stored session's `preview` and `history` (`contract/sessions.md`
//! §6). Fields that only a running gateway knows are left out.

use serde::{Deserialize, Serialize};

use super::StoreRow;
use crate::ids::AgentId;
use crate::session_key::ToolKind;

/// Query parameters of `GET sessions-store`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct StoreQuery {
    /// Only these kinds; all when empty.
    #[cfg_attr(feature = "openapi", param(required = false))]
    pub kinds: Vec<ToolKind>,
    /// Only this agent's.
    pub agent: Option<AgentId>,
    /// Only what changed in this many minutes.
    #[cfg_attr(feature = "openapi", param(rename = "activeMinutes", minimum = 1, maximum = 5256000))]
    pub active_minutes: Option<u32>,
    /// Text in display name, label, subject, session id or key, in any case.
    #[cfg_attr(feature = "openapi", param(max_length = 400))]
    pub search: Option<String>,
    /// Exactly this label.
    #[cfg_attr(feature = "openapi", param(max_length = 400))]
    pub label: Option<String>,
    /// Spawned by exactly this key, in any case.
    #[cfg_attr(feature = "openapi", param(rename = "spawnedBy", max_length = 400))]
    pub spawned_by: Option<String>,
    /// At most this many, 1–10,000; all when absent.
    #[cfg_attr(feature = "openapi", param(minimum = 1, maximum = 10000))]
    pub limit: Option<u32>,
    /// With the reserved key `global`.
    #[cfg_attr(feature = "openapi", param(rename = "includeGlobal", required = false))]
    pub include_global: bool,
    /// With the reserved key `unknown`.
    #[cfg_attr(feature = "openapi", param(rename = "includeUnknown", required = false))]
    pub include_unknown: bool,
    /// Archived ones instead of the others.
    #[cfg_attr(feature = "openapi", param(required = false))]
    pub archived: bool,
    /// Include derived titles.
    #[cfg_attr(feature = "openapi", param(rename = "includeDerivedTitles", required = false))]
    pub include_derived_titles: bool,
    /// Include the last message of each session.
    #[cfg_attr(feature = "openapi", param(rename = "includeLastMessage", required = false))]
    pub include_last_message: bool,
    /// The last so many messages of each session in `messages`, results of tools not among them, 0–20; at most 200 rows
    /// are then given.
    #[cfg_attr(feature = "openapi", param(rename = "messageLimit", minimum = 0, maximum = 20))]
    pub message_limit: Option<u32>,
    /// With `lastTo`, `lastAccountId`, `deliveryContext`, `origin` and `transcriptPath`: addresses of people. It needs
    /// the right to write, as a PATCH does.
    #[cfg_attr(feature = "openapi", param(rename = "includeRouting", required = false))]
    pub include_routing: bool,
}

impl StoreQuery {
    /// Rows given at most when messages are asked for: each may have 80 KiB of them.
    pub const MAX_ROWS_WITH_MESSAGES: usize = 200;

    /// Whether the query needs transcripts.
    #[must_use]
    pub fn needs_transcripts(&self) -> bool {
        let messages = self.message_limit.is_some_and(|limit| limit > 0);
        self.include_derived_titles || self.include_last_message || self.include_routing || messages
    }
}

/// `GET /api/v2/sessions-store`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StoreList {
    /// Time of the request, epoch milliseconds.
    pub ts: i64,
    /// The file that all agents share, as configured; `(multiple)` where each has a store of its own.
    #[serde(default)]
    pub path: String,
    /// Number of rows in this answer.
    pub count: usize,
    /// Defaults for sessions without values of their own.
    #[serde(default)]
    pub defaults: StoreDefaults,
    /// Rows that fit, with those that the limit left out.
    pub total_count: usize,
    /// The limit left some out.
    pub has_more: bool,
    /// Newest change first, pinned ones before the others.
    pub sessions: Vec<StoreRow>,
    /// Every session store with its state.
    #[serde(default)]
    pub places: Vec<StoreInfoRow>,
}

/// Defaults of the configuration, as OpenClaw itself answers them: null where it says nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct StoreDefaults {
    /// Provider of the default model.
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub model_provider: Option<String>,
    /// The default model.
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub model: Option<String>,
    /// Its context in tokens.
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub context_tokens: Option<i64>,
}

/// One session store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StoreInfoRow {
    /// Path for people.
    pub path: String,
    /// Its agent, when it belongs to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// A database; else a file.
    pub database: bool,
    /// Its state.
    pub standing: PlaceState,
    /// Sessions that were read there.
    pub sessions: usize,
}

/// State of the transcript of a stored session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum TranscriptState {
    /// It was read.
    Ok,
    /// Read, and without messages.
    Empty,
    /// No transcript.
    #[default]
    Missing,
    /// It exists and cannot be read.
    Error,
}

/// Query parameters of `GET sessions-store/{key}/preview`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct StorePreviewQuery {
    /// Messages that are read, 1–50; 12 when absent.
    #[cfg_attr(feature = "openapi", param(minimum = 1, maximum = 50))]
    pub limit: Option<u32>,
    /// Characters of each, 1–2,000, at least 20 are given; 240 when absent.
    #[cfg_attr(feature = "openapi", param(rename = "maxChars", minimum = 1, maximum = 2000))]
    pub max_chars: Option<u32>,
}

/// `GET /api/v2/sessions-store/{key}/preview`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StorePreview {
    /// Time of the request, epoch milliseconds.
    pub ts: i64,
    /// The session's key as stored.
    pub key: String,
    /// State of its transcript.
    pub status: TranscriptState,
    /// The last messages, oldest first.
    pub items: Vec<StoreSaid>,
}

/// One message of a preview, shortened, cleaned and masked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StoreSaid {
    /// `user`, `assistant`, `system`, `tool` or `other`.
    pub role: String,
    /// Its text.
    pub text: String,
}

/// Query parameters of `GET sessions-store/{key}/history`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct StoreHistoryQuery {
    /// Messages that are read, 1–1,000; 200 when absent.
    #[cfg_attr(feature = "openapi", param(minimum = 1, maximum = 1000))]
    pub limit: Option<u32>,
    /// With results of tools.
    #[cfg_attr(feature = "openapi", param(rename = "includeTools", required = false))]
    pub include_tools: bool,
    /// Only messages before this place, also from before a reset; an integer that a browser can represent.
    #[cfg_attr(feature = "openapi", param(minimum = 0, maximum = 9_007_199_254_740_992_i64))]
    pub before: Option<u64>,
}

/// `GET /api/v2/sessions-store/{key}/history`: the gateway tool's answer, with the place of each message.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StoreHistory {
    /// Time of the request, epoch milliseconds.
    pub ts: i64,
    /// The session's key as stored; empty for an archive without a stored key.
    pub key: String,
    /// State of its transcript.
    pub status: TranscriptState,
    /// Messages and dividers in the shape of the transcript, oldest first, in at most 80 KiB.
    pub messages: Vec<serde_json::Value>,
    /// Place of each message: its first byte in the file, or its number in the database.
    pub places: Vec<u64>,
    /// Id of each message's line, where it has one; links to messages use it.
    #[serde(default)]
    pub ids: Vec<Option<String>>,
    /// Older messages exist: request them with `before` set to this place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<u64>,
    /// Some requested content is missing.
    pub truncated: bool,
    /// Older ones were left out because the list was too large.
    pub dropped_messages: bool,
    /// A text was cut, or a message was replaced by a mark.
    pub content_truncated: bool,
    /// Bytes of the list as compact JSON.
    pub bytes: usize,
    /// The answer reaches the beginning of the transcript.
    pub complete: bool,
    /// Lines that are no entries.
    pub bad_lines: usize,
}

/// State of a session store. A path without a store, where none is expected, is not listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "state", rename_all = "camelCase")]
pub enum PlaceState {
    /// Read.
    Read,
    /// Cannot be read now; what was read before is still shown.
    Stale {
        /// Why, in a word.
        cause: String,
    },
    /// Cannot be read.
    Unreadable {
        /// Why, in a word.
        cause: String,
    },
    /// A database of a version whose tables are not known.
    Unsupported {
        /// `PRAGMA user_version`.
        version: i64,
    },
    /// Read, but some of what it holds was not understood.
    Partial {
        /// How many entries.
        odd: usize,
    },
}
