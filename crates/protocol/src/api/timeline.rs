//! Types of `GET /api/v2/sessions/{id}/timeline`: messages of all threads and delegated work of a session, in order of
//! time.

use serde::{Deserialize, Serialize};

use super::{Cursor, DelegationState, Exchange, Mark, Message, Origin};
use crate::ids::{AgentId, EventId, SessionId, ThreadId};

/// `GET /api/v2/sessions/{id}/timeline`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Timeline {
    /// The session.
    pub session_id: SessionId,
    /// Oldest first; each item is on exactly one page.
    pub items: Vec<TimelineItem>,
    /// Give as `before` for older items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_page: Option<String>,
    /// Give as `after` for newer items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page: Option<String>,
    /// Position this answer reflects.
    pub cursor: Cursor,
    /// The `now` it was computed for.
    pub now: i64,
}

/// One item: an object whose only key says what it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum TimelineItem {
    /// A bubble of a thread.
    Message(Box<TimelineMessage>),
    /// A notice or small mark of a thread.
    Mark(Box<TimelineMark>),
    /// A step of delegated work.
    Run(Box<TimelineRun>),
}

/// A bubble with its thread and, for a send, what became of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TimelineMessage {
    /// Its thread.
    pub thread: ThreadId,
    /// The bubble.
    pub message: Message,
    /// Delivery, for sends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<Exchange>,
}

/// A mark with its thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TimelineMark {
    /// Its thread.
    pub thread: ThreadId,
    /// The mark.
    pub mark: Mark,
}

/// Where delegated work branches off or comes back (`contract/events.md` §4, §5.2).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TimelineRun {
    /// The event of this step.
    pub id: EventId,
    /// Time of the step, epoch ms.
    pub at: i64,
    /// Branches off, or comes back.
    pub step: RunStep,
    /// The run, by the event that shows it first: its node in the delegation tree.
    pub run: EventId,
    /// Who delegated; absent for an orphan whose spawn is not in the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<AgentId>,
    /// Who works.
    pub to: AgentId,
    /// `label`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The task text at the start, the result text or the error at the end; empty for bare markers.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// State of the run now.
    pub state: DelegationState,
    /// When the run began, epoch ms.
    pub start_time: i64,
    /// Where the event of this step comes from.
    #[serde(default, skip_serializing_if = "Origin::is_log")]
    pub origin: Origin,
}

/// A step of delegated work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum RunStep {
    /// The work was given away. Acceptance is not a step of its own.
    Started,
    /// A result came back, or the news that none will.
    Ended,
    /// A step this build does not know.
    #[serde(other)]
    Unknown,
}

impl TimelineItem {
    /// Its event.
    #[must_use]
    pub fn id(&self) -> &EventId {
        match self {
            Self::Message(item) => &item.message.id,
            Self::Mark(item) => &item.mark.id,
            Self::Run(item) => &item.id,
        }
    }
}
