//! Sessions as OpenClaw's own stores hold them (`contract/sessions.md` §6): the gateway's row and list, without what
//! only a running gateway knows.

use serde::{Deserialize, Serialize};

use crate::ids::AgentId;
use crate::session_key::{Classification, RowKind, ToolKind};
use crate::store::{PlaceState, RunStatus};

/// One session. Fields are named as the gateway names them; what a store does not say is left out.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct StoreRow {
    /// Its key as stored.
    pub key: String,
    /// Whose.
    pub agent_id: AgentId,
    /// Kind of the gateway's list.
    pub kind: Option<RowKind>,
    /// Kind of the tool: what `kinds` asks for.
    pub tool_kind: Option<ToolKind>,
    /// What the newest gateway classes it as; none for forms that this was not seen with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classification: Option<Classification>,
    /// The agent's main session.
    pub is_main: bool,
    /// Work without a reader; none where the class is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_background: Option<bool>,
    /// It comes from a database; else from a file.
    pub database: bool,
    /// What a person or a spawn called it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Name for display.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// Title, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derived_title: Option<String>,
    /// Last message, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_message_preview: Option<String>,
    /// Channel, by the entry or else by the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// Subject of a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Channel of a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_channel: Option<String>,
    /// Space of a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<String>,
    /// Kind of chat as stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat_type: Option<String>,
    /// What the client that made it calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin_label: Option<String>,
    /// Last change, epoch milliseconds.
    pub updated_at: Option<i64>,
    /// Id of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The session's id before a rollover.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_session_id: Option<String>,
    /// The system prompt was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_sent: Option<bool>,
    /// The last run was broken off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aborted_last_run: Option<bool>,
    /// Thinking level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking_level: Option<String>,
    /// Verbose level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verbose_level: Option<String>,
    /// Reasoning level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_level: Option<String>,
    /// Elevated level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elevated_level: Option<String>,
    /// `allow` or `deny`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_policy: Option<String>,
    /// Tokens read by the last run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<i64>,
    /// Tokens written by the last run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<i64>,
    /// Tokens in all; left out when they are stale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<i64>,
    /// `totalTokens` is of now.
    pub total_tokens_fresh: bool,
    /// What the talk cost, in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_cost_usd: Option<f64>,
    /// `on`, `off`, `tokens` or `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_usage: Option<String>,
    /// Provider of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_provider: Option<String>,
    /// Model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Size of the model's context in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<i64>,
    /// Channel of the last delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_channel: Option<String>,
    /// Who spawned it, by key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spawned_by: Option<String>,
    /// How deep it was spawned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spawn_depth: Option<i64>,
    /// `orchestrator` or `leaf`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagent_role: Option<String>,
    /// The session above it, by key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_session_key: Option<String>,
    /// Sessions below it, by key, sorted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub child_sessions: Vec<String>,
    /// How its last run stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<RunStatus>,
    /// When its last run began, epoch milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<i64>,
    /// When its last run ended, epoch milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<i64>,
    /// How long its runs worked, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime_ms: Option<i64>,
    /// The last run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run_id: Option<String>,
    /// Why the last run failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run_error: Option<String>,
    /// How it came to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_via: Option<String>,
    /// Who made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_actor: Option<StoreActor>,
    /// When its key came to be, epoch milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<i64>,
    /// When somebody last talked with it, epoch milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_interaction_at: Option<i64>,
    /// When it last did something, epoch milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_activity_at: Option<i64>,
    /// It was archived.
    pub archived: bool,
    /// It is pinned.
    pub pinned: bool,
    /// Who prompted it, in order of the first prompt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub participants: Vec<StoreActor>,
    /// What it is after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<StoreGoal>,
}

/// Who did something: an agent, a person, a client, the system.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct StoreActor {
    /// `agent`, `human`, `system`, `observation`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Who; none for the system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// What a session is after.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct StoreGoal {
    /// In words.
    pub objective: String,
    /// `active`, `paused`, `blocked`, `usage_limited`, `budget_limited`, `complete`.
    pub status: String,
}

/// What `GET sessions-store` is asked.
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
    /// With titles.
    #[cfg_attr(feature = "openapi", param(rename = "includeDerivedTitles", required = false))]
    pub include_derived_titles: bool,
    /// With last messages.
    #[cfg_attr(feature = "openapi", param(rename = "includeLastMessage", required = false))]
    pub include_last_message: bool,
}

/// `GET /api/v2/sessions-store`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StoreList {
    /// When it was asked, epoch milliseconds.
    pub ts: i64,
    /// Rows given.
    pub count: usize,
    /// Rows that fit, with those that the limit left out.
    pub total_count: usize,
    /// The limit left some out.
    pub has_more: bool,
    /// Newest change first, pinned ones before the others.
    pub sessions: Vec<StoreRow>,
    /// Every place where sessions are kept, and how it stands.
    #[serde(default)]
    pub places: Vec<StoreInfoRow>,
}

/// One place where sessions are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StoreInfoRow {
    /// Path for people.
    pub path: String,
    /// Whose, where it is one agent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// A database; else a file.
    pub database: bool,
    /// How it stands.
    pub standing: PlaceState,
    /// Sessions that were read there.
    pub sessions: usize,
}

/// How the transcript of a stored session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum TranscriptState {
    /// It was read.
    Ok,
    /// It was read, and nothing is said in it.
    Empty,
    /// There is none.
    #[default]
    Missing,
    /// It is there and cannot be read.
    Error,
}

/// What `GET sessions-store/{key}/preview` is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct StorePreviewQuery {
    /// Messages that are looked at, 1–50; 12 when absent.
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
    /// When it was asked, epoch milliseconds.
    pub ts: i64,
    /// The session's key as stored.
    pub key: String,
    /// How its transcript stands.
    pub status: TranscriptState,
    /// The last things said, oldest first.
    pub items: Vec<StoreSaid>,
}

/// One thing said, in some words, cleaned and masked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StoreSaid {
    /// `user`, `assistant`, `system`, `tool` or `other`.
    pub role: String,
    /// What.
    pub text: String,
}

/// What `GET sessions-store/{key}/history` is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct StoreHistoryQuery {
    /// Messages that are looked at, 1–1,000; 200 when absent.
    #[cfg_attr(feature = "openapi", param(minimum = 1, maximum = 1000))]
    pub limit: Option<u32>,
    /// With results of tools.
    #[cfg_attr(feature = "openapi", param(rename = "includeTools", required = false))]
    pub include_tools: bool,
    /// Only what stands before this place, talk from before a reset too: what a browser can count.
    #[cfg_attr(feature = "openapi", param(minimum = 0, maximum = 9_007_199_254_740_992_i64))]
    pub before: Option<u64>,
}

/// `GET /api/v2/sessions-store/{key}/history`: the gateway tool's answer, and where each message stands.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StoreHistory {
    /// When it was asked, epoch milliseconds.
    pub ts: i64,
    /// The session's key as stored; empty of an archive whose key nobody wrote down.
    pub key: String,
    /// How its transcript stands.
    pub status: TranscriptState,
    /// Messages and dividers in the shape of the transcript, oldest first, in at most 80 KiB.
    pub messages: Vec<serde_json::Value>,
    /// Where each stands: its first byte in the file, or its number in the database.
    pub places: Vec<u64>,
    /// The name of the line of each, where it has one: what a link to a message names.
    #[serde(default)]
    pub ids: Vec<Option<String>>,
    /// More stands before what was looked at: ask for what is `before` this place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<u64>,
    /// Anything is missing that was asked for.
    pub truncated: bool,
    /// Older ones were left out because the list was too large.
    pub dropped_messages: bool,
    /// A text was cut, or a message is told by a mark.
    pub content_truncated: bool,
    /// Bytes of the list as compact JSON.
    pub bytes: usize,
    /// Nothing stands before what was looked at.
    pub complete: bool,
    /// Lines that are no entries.
    pub bad_lines: usize,
}
