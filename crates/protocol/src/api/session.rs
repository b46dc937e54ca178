//! Types of `GET /api/v2/sessions` and `GET /api/v2/sessions/{id}`: the session card in lists, and the session detail
//! with its threads.

use serde::{Deserialize, Serialize};

use super::Origin;
use super::origin::is_zero;
use super::{CategoryEvidence, Cursor, ResolvedBy, SharedRecord, StatusCounts, TaskSummary};
use crate::category::{Category, CategorySource, LOW_CONFIDENCE};
use crate::ids::{AgentId, EventId, SessionId, ThreadId};
use crate::role::Role;
use crate::session::Status;

/// One session in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionCard {
    /// Its id, synthetic or not.
    pub work_session_id: SessionId,
    /// True when the log named no work session.
    pub synthetic: bool,
    /// Title by rule. When `title_source` is `default`, the project of a coding agent's session, else
    /// `협업 작업`, which the dashboard puts in its own words.
    pub title: String,
    /// Where the title comes from.
    pub title_source: TitleSource,
    /// Status at the answer's `now`; recompute with [`SessionCard::status_at`] as time passes.
    pub status: Status,
    /// True when the newest event ended the session.
    pub ended: bool,
    /// From then on it is quiet if nothing more happens in it; absent where only an event can end it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet_at: Option<i64>,
    /// Its category.
    pub category: CategoryInfo,
    /// Domain terms of its messages, at most five.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sub_tags: Vec<String>,
    /// Agents that took part, most active first, `unknown` left out.
    pub participants: Vec<AgentId>,
    /// Main-agent threads, i.e. those with at least one bubble or notice.
    pub thread_count: u32,
    /// Number of bubbles.
    pub message_count: u32,
    /// Number of spawned runs.
    pub delegation_count: u32,
    /// Number of distinct tasks that its events name.
    pub task_count: u32,
    /// Number of events.
    pub event_count: u32,
    /// Of these, events that only transcripts have. Left out when there are none.
    #[serde(default, skip_serializing_if = "is_zero", alias = "toldEvents")]
    pub transcript_only_events: u32,
    /// And events that come from hooks of coding agents. Left out when there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hook_events: u32,
    /// Time of the first event, epoch ms.
    pub start_time: i64,
    /// Time of the newest event, epoch ms.
    pub last_time: i64,
    /// The session this one resumes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_work_session_id: Option<SessionId>,
    /// Newest user-facing line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_message: Option<LastMessage>,
    /// Progress of the threads with the newest messages, newest first, at most eight.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub talks: Vec<Talk>,
    /// Sends in trouble; absent when there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attention: Option<Trouble>,
    /// Notes on it, its threads and messages. Left out when there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub note_count: u32,
    /// The mark that the whole session needs nothing more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<ResolvedBy>,
    /// In the answer to a text search whose text is not in the title: the newest message with the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Box<FoundMessage>>,
}

/// A message that holds a text looked for, cut to the words around it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FoundMessage {
    /// Its event.
    pub id: EventId,
    /// Its thread.
    pub thread_id: ThreadId,
    /// Who spoke.
    pub from: AgentId,
    /// True when a person spoke through the agent's session.
    #[serde(default)]
    pub human: bool,
    /// Words before the text, on one line without markdown; at most 40 characters.
    pub before: String,
    /// The text as written.
    pub hit: String,
    /// Words after it; at most 120 characters.
    pub after: String,
}

impl SessionCard {
    /// Status as a pure function of (events, now).
    #[must_use]
    pub fn status_at(&self, now: i64) -> Status {
        Status::resting(self.last_time, self.ended, self.quiet_at, now)
    }

    /// The origin that all its events share; the log when some are in the log.
    #[must_use]
    pub fn origin(&self) -> Origin {
        match self.event_count {
            0 => Origin::Log,
            all if self.transcript_only_events >= all => Origin::Transcript,
            all if self.hook_events >= all => Origin::Hooks,
            _ => Origin::Log,
        }
    }
}

/// Category of a session or thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CategoryInfo {
    /// The primary category.
    pub key: Category,
    /// Others with notable weight, heaviest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secondary: Vec<Category>,
    /// How the category was decided.
    pub source: CategorySource,
    /// How likely the category is right, 0–1.
    pub confidence: f64,
    /// Scorer version, `v1` or `v2`.
    pub version: String,
}

impl CategoryInfo {
    /// Hardly anything supports it: a person should look at it. What a person set is never in doubt.
    #[must_use]
    pub fn is_doubtful(&self) -> bool {
        match self.source {
            CategorySource::Fallback => true,
            CategorySource::Rule => self.confidence < LOW_CONFIDENCE,
            _ => false,
        }
    }
}

/// Newest line of a session or thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct LastMessage {
    /// Who spoke.
    pub from: AgentId,
    /// First 120 characters of the display text, one line, no markdown.
    pub text: String,
    /// True when a person spoke through the agent's session.
    #[serde(default)]
    pub human: bool,
    /// When, epoch ms; 0 from a monitor that does not report it.
    #[serde(default)]
    pub at: i64,
}

/// Progress of a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Talk {
    /// The thread.
    pub thread_id: ThreadId,
    /// Its bubbles.
    pub count: u32,
    /// The newest bubble.
    pub last: EventId,
    /// Its time, epoch ms.
    pub at: i64,
}

/// Counts of sends by trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Trouble {
    /// Still waiting for an answer.
    pub waiting: u32,
    /// Number of sends without a reply.
    pub no_reply: u32,
    /// Number of refused sends.
    pub blocked: u32,
    /// Inferred: past every wait limit without an answer in the log.
    #[serde(default)]
    pub no_trace: u32,
}

/// `GET /api/v2/sessions`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionsPage {
    /// Sessions of this page.
    pub sessions: Vec<SessionCard>,
    /// Sessions that match all filters.
    pub total: u32,
    /// Matches of all filters but the category, per category in seed order (all ten).
    pub category_counts: Vec<(Category, u32)>,
    /// Matches of all filters but the status.
    pub status_counts: StatusCounts,
    /// The most frequent sub-tags among the matches, at most 30.
    #[serde(default)]
    pub tags: Vec<(String, u32)>,
    /// Give as `after` for the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Position this answer reflects.
    pub cursor: Cursor,
    /// The `now` it was computed for.
    pub now: i64,
}

/// `GET /api/v2/sessions/{id}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionDetail {
    /// The card.
    pub session: SessionCard,
    /// Its threads, newest first.
    pub threads: Vec<ThreadSummary>,
    /// Events by role, all four keys in order main, delegation, orchestration, observability.
    pub role_counts: RoleCounts,
    /// Tasks named by its events or whose file names it.
    pub tasks: Vec<TaskSummary>,
    /// The session it resumes, and those that resume it.
    pub chain: Chain,
    /// The session before and after this one in the newest-first list (all categories).
    #[serde(default)]
    pub neighbours: Neighbours,
    /// Why the category is what it is.
    pub evidence: CategoryEvidence,
    /// Notes and resolved marks on it, its threads and messages, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<SharedRecord>,
    /// Position this answer reflects.
    pub cursor: Cursor,
    /// The `now` it was computed for.
    pub now: i64,
}

/// Events by role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RoleCounts {
    /// `conversation.main`.
    #[serde(rename = "conversation.main")]
    pub conversation_main: u32,
    /// `delegation.subagent`.
    #[serde(rename = "delegation.subagent")]
    pub delegation_subagent: u32,
    /// `orchestration.task`.
    #[serde(rename = "orchestration.task")]
    pub orchestration_task: u32,
    /// `system.observability`.
    #[serde(rename = "system.observability")]
    pub system_observability: u32,
}

impl RoleCounts {
    /// Those of one role.
    pub fn of_mut(&mut self, role: Role) -> &mut u32 {
        match role {
            Role::ConversationMain => &mut self.conversation_main,
            Role::DelegationSubagent => &mut self.delegation_subagent,
            Role::OrchestrationTask => &mut self.orchestration_task,
            Role::SystemObservability => &mut self.system_observability,
        }
    }
}

/// Resume chain of a session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Chain {
    /// The session it resumes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<SessionLink>,
    /// Sessions that resume it.
    #[serde(default)]
    pub next: Vec<SessionLink>,
}

/// List neighbours of a session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Neighbours {
    /// The next newer one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newer: Option<SessionLink>,
    /// The next older one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub older: Option<SessionLink>,
}

/// A named link to a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SessionLink {
    /// Its id.
    pub work_session_id: SessionId,
    /// Its title.
    pub title: String,
    /// Where the title comes from.
    pub title_source: TitleSource,
    /// False when the log holds no event of it (only named as `previousWorkSessionId`).
    pub known: bool,
}

/// One thread in a session's list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ThreadSummary {
    /// Its key.
    pub thread_id: ThreadId,
    /// The conversation id, if the log gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
    /// The thread that caused this one, by `parentConversationId`. It may lie in another session, or in no log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ThreadId>,
    /// Who opened it: left side of the thread.
    pub from: AgentId,
    /// The other one: right side.
    pub to: AgentId,
    /// Number of bubbles.
    pub message_count: u32,
    /// Of these, bubbles that only transcripts have. Left out when there are none.
    #[serde(default, skip_serializing_if = "is_zero", alias = "toldMessages")]
    pub transcript_only_messages: u32,
    /// Time of the first shown event, epoch ms.
    pub start_time: i64,
    /// Time of the newest shown event, epoch ms.
    pub last_time: i64,
    /// Number of answered sends.
    pub answered: u32,
    /// Sends in trouble.
    #[serde(default)]
    pub trouble: Trouble,
    /// Newest line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_message: Option<LastMessage>,
}

/// Where a title comes from, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum TitleSource {
    /// `label`.
    Label,
    /// `[Goal]`.
    Goal,
    /// First user-facing message.
    Message,
    /// Description of the task it belongs to.
    Task,
    /// Nothing fitted: `협업 작업`.
    Default,
}
