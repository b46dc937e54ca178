//! Type `StoreRow`: one stored OpenClaw session in the answer of `GET /api/v2/sessions-store`. Its fields have the
//! names that the gateway, OpenClaw's server process, uses (`contract/sessions.md` §6). Fields that a store lacks are
//! left out.

use serde::{Deserialize, Serialize};

use super::AgentStatement;
use crate::ids::AgentId;
use crate::roster::{PolicySource, SendPolicy, Visibility};
use crate::session_key::{Classification, RowKind, ToolKind};

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
    /// Class given by the newest gateway; absent for unknown forms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classification: Option<Classification>,
    /// The agent's main session.
    pub is_main: bool,
    /// Background work; absent when the class is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_background: Option<bool>,
    /// It comes from a database; else from a file.
    pub database: bool,
    /// Label given by a person or a spawn.
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
    /// The last messages, oldest first, without results of tools, when `messageLimit` asks for some: in the shape of a
    /// history (`sessions-store/{key}/history`), within its caps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<Vec<serde_json::Value>>,
    /// Channel: `internal` for jobs, webhooks and devices; else what the entry says, the channel of its last delivery,
    /// the key's, `unknown`.
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
    /// The last run was aborted.
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
    /// `allow` or `deny`, where the session's own entry says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_policy: Option<String>,
    /// Whether it may send, by its entry, the configuration's rules and the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_send_policy: Option<SendPolicy>,
    /// What `effectiveSendPolicy` follows from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_policy_source: Option<PolicySource>,
    /// Which sessions its session tools reach (`tools.sessions.visibility` of the configuration).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools_visibility: Option<Visibility>,
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
    /// Estimated cost, in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_cost_usd: Option<f64>,
    /// `on`, `off`, `tokens` or `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_usage: Option<String>,
    /// Provider of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_provider: Option<String>,
    /// Model: of the last run, else the one chosen for the session, its agent's default, the default of all agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Which of these it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_source: Option<ModelSource>,
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
    /// State of its last run.
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
    /// When it was archived, epoch milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archived_at: Option<i64>,
    /// Why it was archived, in the store's word: `manual` and the like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive_reason: Option<String>,
    /// It is pinned.
    pub pinned: bool,
    /// Who prompted it, in order of the first prompt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub participants: Vec<StoreActor>,
    /// Its goal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<StoreGoal>,
    /// What its agent says of it, until then (`agentStatus`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_status: Option<AgentStatement>,
    /// Address of the last delivery; with `includeRouting` only, as are the fields below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_to: Option<String>,
    /// Account of the last delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_account_id: Option<String>,
    /// Where answers go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery_context: Option<StoreDelivery>,
    /// Where the session came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<StoreOrigin>,
    /// The transcript's file; none in the database era.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcript_path: Option<String>,
}

/// What names a session's model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum ModelSource {
    /// The session's entry: its last run.
    Session,
    /// The session's entry: chosen for it (`modelOverride`).
    Override,
    /// The agent's default.
    Agent,
    /// The default of all agents.
    Default,
}

/// Where answers of a session go.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct StoreDelivery {
    /// Channel, for example `discord`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// Address of the receiver in the channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Account through which the channel sends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_id: Option<String>,
    /// Thread in the channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
}

/// Where a session came from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct StoreOrigin {
    /// What the client calls itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Provider of the channel, for example `discord`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Surface of the client, for example `webchat`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface: Option<String>,
    /// Kind of chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chat_type: Option<String>,
    /// Sender's address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Receiver's address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Account of the channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_id: Option<String>,
    /// Thread in the channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
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

/// Goal of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct StoreGoal {
    /// In words.
    pub objective: String,
    /// `active`, `paused`, `blocked`, `usage_limited`, `budget_limited`, `complete`.
    pub status: String,
}

/// State of a spawned child or a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// Under way.
    Running,
    /// Ended well.
    Done,
    /// Ended with an error.
    Failed,
    /// Was ended.
    Killed,
    /// Took too long.
    Timeout,
}

impl RunStatus {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Running, Self::Done, Self::Failed, Self::Killed, Self::Timeout];

    /// Text in the stores and on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Killed => "killed",
            Self::Timeout => "timeout",
        }
    }
}
