//! Types of `GET /api/v2/agents`, `/agents/{id}` and `/agents/{id}/activity`: state of an agent with its evidence,
//! waits between agents, answer times of pairs, and what an agent did in a period.

use serde::{Deserialize, Serialize};

use super::{AgentSummary, Attention, Cursor, SessionCard, TaskSummary};
use crate::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};
use crate::workspace::TaskStatus;

/// The agents page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentsPage {
    /// All agents, in the order of [`Home::agents`](super::Home::agents).
    pub agents: Vec<AgentCard>,
    /// Sends between each pair of agents in the requested time, busiest pair first.
    #[serde(default)]
    pub pairs: Vec<Pair>,
    /// Number of pairs; larger than `pairs` when only the busiest are listed.
    #[serde(default)]
    pub pairs_total: u32,
    /// The earliest send that counts in `pairs`; absent when all do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<i64>,
    /// Position this answer reflects.
    pub cursor: Cursor,
    /// The `now` it was computed for.
    pub now: i64,
}

/// One agent with the evidence of its state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentCard {
    /// As the lists show it.
    pub agent: AgentSummary,
    /// Probably a worker: spawned by others and bound to no channel (`contract/workspace.md` §2).
    #[serde(default)]
    pub worker: bool,
    /// What it is for, in a few words: `identity.theme` of the configuration, else of `IDENTITY.md`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theme: Option<String>,
    /// Its picture, when it may be shown or linked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub avatar: Option<AvatarSource>,
    /// Evidence of its state; absent when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<AgentEvidence>,
    /// Open threads, newest first; at most [`AgentCard::MAX_TALKS`].
    #[serde(default)]
    pub talks: Vec<AgentThread>,
    /// Number of open threads.
    #[serde(default)]
    pub talks_total: u32,
    /// Sends that wait for this agent's answer, oldest first; at most [`AgentCard::MAX_QUEUE`].
    #[serde(default)]
    pub queue: Vec<QueuedSend>,
}

impl AgentCard {
    /// Open threads listed for one agent.
    pub const MAX_TALKS: usize = 6;
    /// Waiting sends listed for one agent.
    pub const MAX_QUEUE: usize = 8;
}

/// `GET /api/v2/agents/{id}`: one agent with its work, its threads, and who waits for whom.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentDetail {
    /// As `GET agents` lists it.
    pub card: AgentCard,
    /// Lines of the work list that concern it: what it is stuck on, and what waits for it. In the order of
    /// [`Home::attention`](super::Home::attention).
    #[serde(default)]
    pub attention: Vec<Attention>,
    /// There are more such lines than these.
    #[serde(default)]
    pub attention_more: bool,
    /// Its own sends that wait for an answer, oldest first; at most [`AgentCard::MAX_QUEUE`].
    #[serde(default)]
    pub waits_for: Vec<QueuedSend>,
    /// How many of its own sends wait for an answer.
    #[serde(default)]
    pub waits_for_total: u32,
    /// Its tasks: those under way first, newest first within a status; at most [`AgentDetail::MAX_ROWS`].
    #[serde(default)]
    pub tasks: Vec<TaskSummary>,
    /// How many tasks it has.
    #[serde(default)]
    pub tasks_total: u32,
    /// Threads it takes part in, newest first; at most [`AgentDetail::MAX_ROWS`].
    #[serde(default)]
    pub threads: Vec<AgentThread>,
    /// Sessions it takes part in, newest first; at most [`AgentDetail::MAX_ROWS`].
    #[serde(default)]
    pub sessions: Vec<SessionCard>,
    /// How many sessions it takes part in.
    #[serde(default)]
    pub sessions_total: u32,
    /// Results of its sends, and of sends to it, since [`AgentDetail::since`]; busiest pair first.
    #[serde(default)]
    pub pairs: Vec<Pair>,
    /// The earliest send that counts in `pairs`; absent when all do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<i64>,
    /// Position this answer reflects.
    pub cursor: Cursor,
    /// The `now` it was computed for.
    pub now: i64,
}

impl AgentDetail {
    /// Rows of each of its lists.
    pub const MAX_ROWS: u32 = 8;
}

/// `GET /api/v2/agents/{id}/activity`: what an agent did in a period, as far as the log says. It answers why a request
/// of that time got no reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentActivity {
    /// Events of the period in which it speaks or that it wrote.
    pub events: u32,
    /// The newest of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest: Option<AgentEvidence>,
    /// The task it had under way when the period ended: the newest one that had not ended by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskThen>,
    /// Sends to it that were made in the 20 minutes before the period and had no answer when it began.
    #[serde(default)]
    pub ahead: u32,
    /// Its newest event before the period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_before: Option<i64>,
}

/// A task as it was at a moment, by its events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TaskThen {
    /// Its id.
    pub id: TaskId,
    /// Its title; empty when nothing gives one.
    pub title: String,
    /// Its status then.
    pub status: TaskStatus,
    /// Time of the event that gave it this status.
    pub since: i64,
}

/// A picture (`contract/workspace.md` §2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AvatarSource {
    /// How it may be had.
    pub kind: AvatarKind,
    /// The `data:` URI or the http(s) address; empty for a file, which the monitor serves at `agents/{id}/avatar`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub url: String,
}

/// How a picture may be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum AvatarKind {
    /// It is all in the URI.
    Data,
    /// Elsewhere: only ever a link, never fetched.
    Link,
    /// A file in the agent's workspace.
    File,
    /// A kind this build does not know.
    #[serde(other)]
    Unknown,
}

/// Evidence of an agent's state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentEvidence {
    /// Kind of the evidence.
    pub kind: EvidenceKind,
    /// The event's type, or the file below the agent's folder.
    pub source: String,
    /// Its time; absent when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<i64>,
    /// The event, for evidence from the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<EventId>,
    /// The session it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The thread it appears in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// The task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// The other agent, of a send that waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<AgentId>,
}

/// Kinds of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum EvidenceKind {
    /// The status of a task.
    Task,
    /// A send that waits for its answer.
    Send,
    /// The newest event in which the agent acts.
    Event,
    /// `CURRENT_TASK.md`.
    Current,
    /// A kind this build does not know.
    #[serde(other)]
    Unknown,
}

/// A thread of an agent, as seen from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentThread {
    /// Its session.
    pub session_id: SessionId,
    /// Its thread.
    pub thread_id: ThreadId,
    /// Title of the session.
    pub title: String,
    /// The other agent.
    pub other: AgentId,
    /// Its newest exchange is not over.
    #[serde(default)]
    pub open: bool,
    /// A send in it waits for an answer.
    #[serde(default)]
    pub waiting: bool,
    /// Newest event of the thread.
    pub last_time: i64,
}

/// A send that waits for an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct QueuedSend {
    /// The send.
    pub id: EventId,
    /// Who asks.
    pub from: AgentId,
    /// Who is asked.
    pub to: AgentId,
    /// Its session.
    pub session_id: SessionId,
    /// Its thread.
    pub thread_id: ThreadId,
    /// When it was sent.
    pub sent_at: i64,
    /// First words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// Results of one agent's sends to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Pair {
    /// The agent that sends.
    pub from: AgentId,
    /// The agent that receives.
    pub to: AgentId,
    /// Number of sends.
    pub sends: u32,
    /// Number of answered sends.
    pub answered: u32,
    /// Number of refused sends.
    pub blocked: u32,
    /// Number of sends without a reply.
    pub no_reply: u32,
    /// Sends whose answer time the log gives; the percentiles are computed from them.
    pub measured: u32,
    /// Half of the measured answers came within this many milliseconds (nearest rank).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ms: Option<i64>,
    /// 95 of 100 came within this many milliseconds (nearest rank).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p95_ms: Option<i64>,
    /// Exchanges that give a maximum of turns.
    #[serde(default)]
    pub exchanges: u32,
    /// Turns used in those exchanges, in total.
    #[serde(default)]
    pub turns: u32,
    /// Turns allowed in those exchanges, in total.
    #[serde(default)]
    pub max_turns: u32,
    /// Time of the newest send, epoch ms.
    pub last_time: i64,
    /// The session of the newest send.
    pub session_id: SessionId,
    /// Thread of the newest send.
    pub thread_id: ThreadId,
}
