//! Types of `GET /api/v2/waits`: which agents wait for which, for an answer or for help with a blocked task.

use serde::{Deserialize, Serialize};

use super::{AttentionKind, Cursor};
use crate::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};

/// Agents that wait for agents, with the evidence of each wait.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WaitsPage {
    /// Agents that wait or are waited for: by their distance from the requested agent, then those that hold up most. At
    /// most 300.
    pub agents: Vec<WaitingAgent>,
    /// All agents, also those that were left out.
    #[serde(default)]
    pub agents_total: u32,
    /// Waits between these agents, one for each pair, the longest first. Where there are more than 600, those on the
    /// shortest way to the requested agent are kept.
    pub waits: Vec<WaitEdge>,
    /// All pairs, also those that were left out.
    #[serde(default)]
    pub waits_total: u32,
    /// Position this answer reflects.
    pub cursor: Cursor,
    /// The `now` it was computed for.
    pub now: i64,
}

/// An agent of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WaitingAgent {
    /// Its id.
    pub id: AgentId,
    /// Number of waits between it and the requested agent; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    /// Other agents that wait for it, directly or through others.
    #[serde(default)]
    pub held_up: u32,
    /// Its open waits for agents that do not wait for the requested agent: it needs more than that one.
    #[serde(default)]
    pub waits_elsewhere: u32,
    /// What a person has to decide for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<PendingDecision>,
    /// Others wait for it, and it waits for no agent.
    #[serde(default)]
    pub root: bool,
    /// It is part of a deadlock.
    #[serde(default)]
    pub deadlock: bool,
}

/// Matters of one agent that a person has to settle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PendingDecision {
    /// Kind of the one that has waited longest.
    pub kind: AttentionKind,
    /// Since when, epoch ms; 0 when nothing says so.
    pub since: i64,
    /// All of them.
    pub total: u32,
}

/// One agent waits for another.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WaitEdge {
    /// The agent that waits.
    pub from: AgentId,
    /// The agent it waits for.
    pub to: AgentId,
    /// What it waits for.
    pub kind: WaitKind,
    /// Since when, epoch ms.
    pub since: i64,
    /// Waits between the same two; this one has lasted longest.
    #[serde(default)]
    pub times: u32,
    /// First words of the message, or why the task is blocked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Of an open send: its position among all that wait for the same agent, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<u32>,
    /// The session to open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The thread of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// The message, or the event that proves the blocked task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<EventId>,
    /// The blocked task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
}

/// What an agent waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum WaitKind {
    /// An answer that may still come.
    Reply,
    /// An answer that did not come in time.
    NoReply,
    /// Its message was refused.
    Refused,
    /// Help with a blocked task.
    Task,
    /// A kind this build does not know.
    #[default]
    #[serde(other)]
    Unknown,
}
