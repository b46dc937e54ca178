//! Types of `GET /api/v2/home`, the data of the home page: session counts by category and status, the work list, and
//! the agents with their states.

use serde::{Deserialize, Serialize};

use super::origin::is_zero;
use super::{AgentStatement, Attention, Cursor, Origin, STALE_AFTER_MS, SourceInfo};
use crate::category::Category;
use crate::ids::{AgentId, EventId, TaskId};

/// The home screen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Home {
    /// All ten, in seed order.
    pub categories: Vec<CategoryCount>,
    /// The eleventh item, `전체 보기`.
    pub all: CategoryTotals,
    /// The work list: what only a person can settle, then what agents wait for among themselves, then guesses of the
    /// classifier; what holds up most agents first within each.
    pub attention: Vec<Attention>,
    /// True when there is more than the list names.
    #[serde(default)]
    pub attention_more: bool,
    /// Sessions by status.
    pub status_counts: StatusCounts,
    /// Configured agents, those with a folder, then those seen in the log; at most [`Home::MAX_AGENTS`], of those seen the
    /// ones that took part last.
    pub agents: Vec<AgentSummary>,
    /// How many agents there are.
    #[serde(default)]
    pub agent_total: u32,
    /// Views for everybody that are shown on home. Left out when there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub team_views: u32,
    /// State of the files behind this answer.
    pub source: SourceInfo,
    /// Position this answer reflects.
    pub cursor: Cursor,
    /// The `now` it was computed for.
    pub now: i64,
}

impl Home {
    /// Agents listed at most: home is part of every delta.
    pub const MAX_AGENTS: usize = 500;
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

impl CategoryTotals {
    /// Adds the numbers of the same hours on another machine.
    pub fn add(&mut self, other: &Self) {
        self.total = self.total.saturating_add(other.total);
        self.active = self.active.saturating_add(other.active);
        self.last_time = self.last_time.max(other.last_time);
        if self.spark.is_empty() {
            self.spark.clone_from(&other.spark);
        } else {
            let hours = self.spark.iter_mut().zip(&other.spark);
            hours.for_each(|(hour, other)| *hour = hour.saturating_add(*other));
        }
    }
}

/// Sessions by status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StatusCounts {
    /// Number of active sessions.
    pub active: u32,
    /// Number of quiet sessions.
    pub quiet: u32,
    /// Number of archived sessions.
    pub archived: u32,
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
    /// Source of its state: hooks, when it runs at a terminal. Left out for all others.
    #[serde(default, skip_serializing_if = "Origin::is_log")]
    pub origin: Origin,
    /// Time of the event its state comes from, else since when it waits or is blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_at: Option<i64>,
    /// Newest sign of life, whatever it was about: an event in which it speaks or that it wrote, or a change of the task
    /// it has under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acted_at: Option<i64>,
    /// Blocked tasks in its folder.
    #[serde(default)]
    pub blocked_tasks: u32,
    /// Sends that wait for its answer, oldest first; at most [`AgentSummary::MAX_QUEUE`].
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
    /// What it says of itself, as opposed to [`AgentSummary::state`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<AgentStatement>,
}

impl AgentSummary {
    /// Waiting sends listed for one agent.
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
