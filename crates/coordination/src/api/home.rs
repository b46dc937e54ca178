//! `GET /api/v2/home`: ten category badges, what needs a person, agents.

use serde::{Deserialize, Serialize};

use super::{Cursor, FallbackBand, Origin, STALE_AFTER_MS, SourceInfo};
use crate::category::Category;
use crate::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};

/// The home screen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Home {
    /// All ten, in seed order.
    pub categories: Vec<CategoryCount>,
    /// The eleventh item, `전체 보기`.
    pub all: CategoryTotals,
    /// What waits for a person, most urgent first.
    pub attention: Vec<Attention>,
    /// Sessions by status.
    pub status_counts: StatusCounts,
    /// Configured agents and those seen in the log, config order first.
    pub agents: Vec<AgentSummary>,
    /// State of the files behind this answer.
    pub source: SourceInfo,
    /// Position this answer reflects.
    pub cursor: Cursor,
    /// The `now` it was computed for.
    pub now: i64,
}

/// One badge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", from = "super::flat::CountRow")]
pub struct CategoryCount {
    /// Which category.
    pub key: Category,
    /// Its numbers.
    #[serde(flatten)]
    pub totals: CategoryTotals,
}

/// Numbers of one badge.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CategoryTotals {
    /// Sessions whose primary category this is.
    pub total: u32,
    /// Those of them that are ACTIVE.
    pub active: u32,
    /// Newest activity; absent without sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_time: Option<i64>,
    /// Events in each of the last 24 hours, oldest first: hours since 1970, the last one still running. Left out where
    /// there is none, and of all categories together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spark: Vec<u32>,
}

/// Sessions by status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StatusCounts {
    /// ACTIVE.
    pub active: u32,
    /// QUIET.
    pub quiet: u32,
    /// ARCHIVED.
    pub archived: u32,
}

/// One line of the needs-me strip; always names its evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Attention {
    /// Why it waits.
    pub kind: AttentionKind,
    /// True when concluded rather than written in a file (shown as 추정).
    pub inferred: bool,
    /// Since when.
    pub since: i64,
    /// The agent that waits or is stuck.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// The other agent: who did not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<AgentId>,
    /// Who can unblock the task: the same agents in the same order as on its own page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unblockers: Vec<AgentId>,
    /// Title of the session or task concerned.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Detail text as written by the agent (block reason, first words of the message).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Attempts made, e.g. unblock requests n of 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// Event type or file that proves it (`task.blocked`, `a2a.response`, `plans/…json`); empty when it is a rule's
    /// guess, which has neither.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub evidence: String,
    /// Where to go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Where to go inside the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// The message or event to open at: of a send the send itself, of anything else the event that proves it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<EventId>,
    /// The task concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// Of [`AttentionKind::FallbackDrift`]: the shares that differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub band: Option<FallbackBand>,
}

/// Kinds of waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum AttentionKind {
    /// A task is blocked.
    TaskBlocked,
    /// A send was refused.
    Blocked,
    /// A send got no reply.
    NoReply,
    /// A plan or task waits for approval.
    Approval,
    /// The category is a guess (fallback).
    LowConfidence,
    /// A task was given up by the zombie detector.
    Zombie,
    /// A blocked task for which every helper was asked in vain.
    UnblockFailed,
    /// An agent's prompts fail and are put off again and again.
    Backoff,
    /// Sessions without grounds for a category come more often, or more seldom, than they used to.
    FallbackDrift,
    /// A coding agent waits at its terminal for the permission to use a tool.
    Permission,
    /// A coding agent waits at its terminal for an answer.
    Question,
    /// A coding agent was stopped by an error.
    AgentFailed,
    /// A kind this build does not know.
    #[serde(other)]
    Unknown,
}

/// An agent as the lists show it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AgentSummary {
    /// Its id.
    pub id: AgentId,
    /// Display name: identity name, `IDENTITY.md`, config name, id (`contract/workspace.md` §2).
    pub name: String,
    /// Its emoji, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emoji: Option<String>,
    /// In the config (otherwise only seen in the log or as a directory).
    pub configured: bool,
    /// Counted as a main agent (otherwise a worker or stranger).
    pub main: bool,
    /// What it does now.
    pub state: AgentState,
    /// Who tells of it: hooks, where it runs at a terminal. Left out for all others.
    #[serde(default, skip_serializing_if = "Origin::is_log")]
    pub origin: Origin,
    /// Time of what the state rests on: of the event it names, else since when it waits or is blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_at: Option<i64>,
    /// Newest sign of life, whatever it was about: an event in which it speaks or that it wrote, or a change of the task
    /// it has under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acted_at: Option<i64>,
    /// Blocked tasks in its folder.
    #[serde(default)]
    pub blocked_tasks: u32,
    /// Sends that wait for its answer, the first first; at most [`AgentSummary::MAX_QUEUE`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queue: Vec<EventId>,
    /// How many sends wait for its answer.
    #[serde(default)]
    pub queue_total: u32,
    /// Title of its current task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_task: Option<String>,
    /// Id of its current task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_task_id: Option<TaskId>,
    /// Open tasks in its folder.
    pub task_count: u32,
    /// Newest event it took part in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_time: Option<i64>,
    /// The known agent whose id or name its own looks like, without being that agent (`text::lookalike`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imitates: Option<AgentId>,
}

impl AgentSummary {
    /// Waiting sends named of one agent.
    pub const MAX_QUEUE: usize = 32;

    /// The state by `now`: without a sign of life for [`STALE_AFTER_MS`] nobody is at work.
    #[must_use]
    pub fn state_by(&self, now: i64) -> AgentState {
        let is_old = |at| now.saturating_sub(at) > STALE_AFTER_MS;
        let silent = self.state == AgentState::Working && self.state_at.max(self.acted_at).is_none_or(is_old);
        if silent { AgentState::Silent } else { self.state }
    }

    /// A helper of a coding agent that is done: there is a new one for each piece of work.
    #[must_use]
    pub fn is_done_helper(&self) -> bool {
        self.origin == Origin::Hooks && !self.main && self.state == AgentState::Stopped
    }

    /// The place of a send among those that wait for this agent, from 1.
    #[must_use]
    pub fn place_in_queue(&self, send: &EventId) -> Option<usize> {
        self.queue.iter().position(|waiting| waiting == send).map(|before| before + 1)
    }
}

/// What an agent does now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum AgentState {
    /// Has a task in progress or spoke in the last ten minutes.
    Working,
    /// By its file or events it has a task in progress, but there was no sign of it for [`STALE_AFTER_MS`].
    Silent,
    /// Waits for an answer or approval.
    Waiting,
    /// Its current task is blocked.
    Blocked,
    /// None of these.
    Idle,
    /// Waits for a person at its terminal: a permission, a question, its next prompt.
    PendingInput,
    /// In a meeting with others.
    InMeeting,
    /// Stopped by an error.
    Failed,
    /// Its program ended.
    Stopped,
    /// A state this build does not know.
    #[serde(other)]
    Unknown,
}
