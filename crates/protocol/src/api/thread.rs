//! Types of `GET /api/v2/sessions/{id}/threads/{thread}` and of `…/find`, the text search in threads. A page of a
//! thread has messages between two agents, the delivery state of requests, and marks: lines for retries, missing
//! answers and ends of exchanges.

use serde::{Deserialize, Serialize};

use super::{Cursor, Origin, ThreadSummary, TranscriptPlace};
use crate::delivery::{Delivery, DeliveryState, ReasonClass};
use crate::ids::{AgentId, EventId, SessionId, TaskId};

/// `GET /api/v2/sessions/{id}/threads/{threadId}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ThreadPage {
    /// The session.
    pub session_id: SessionId,
    /// The thread.
    pub thread: ThreadSummary,
    /// Bubbles, oldest first.
    pub messages: Vec<Message>,
    /// Bubbles of the thread before these.
    #[serde(default)]
    pub offset: u32,
    /// Notices and small marks within the page's time span, oldest first.
    pub marks: Vec<Mark>,
    /// Delivery of the sends among `messages`.
    pub exchanges: Vec<Exchange>,
    /// Give as `before` for older messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_page: Option<String>,
    /// Give as `after` for newer messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page: Option<String>,
    /// Position this answer reflects.
    pub cursor: Cursor,
    /// The `now` it was computed for.
    pub now: i64,
}

/// `GET /api/v2/sessions/{id}/threads/{threadId}/find`, and `GET /api/v2/sessions/{id}/find` for all threads of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ThreadFound {
    /// Bubbles that hold the text, oldest first; of very many only the newest.
    pub ids: Vec<EventId>,
    /// How many there are in all.
    pub total: u32,
}

/// The page mark of a shown event: give as `before` or `after` to continue from it.
#[must_use]
pub fn page_mark(at: i64, id: &EventId) -> String {
    format!("{at}.{id}")
}

/// The page mark of a moment: given as `after`, a page begins with the first event at that time (epoch milliseconds)
/// or later.
#[must_use]
pub fn page_mark_at(at: i64) -> String {
    // Sorts before every token of a file, as tokens are letters and digits.
    page_mark(at, &EventId::from("!"))
}

/// One bubble. Only `a2a.send/response/complete` of role `conversation.main` become one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Its event.
    pub id: EventId,
    /// Time of the message, epoch ms.
    pub at: i64,
    /// Who speaks; for the concurrency block the target (`contract/monitor-api.md` D23).
    pub from: AgentId,
    /// To whom.
    pub to: AgentId,
    /// What kind of utterance.
    pub kind: MessageKind,
    /// Ping-pong turn, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// Effective maximum of turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    /// Display text: markdown, control tokens and directives removed (`contract/events.md` §5.1, §7.1).
    pub text: String,
    /// True when the log cut the text (exactly at the writer's limit).
    #[serde(default)]
    pub truncated: bool,
    /// The log cut the text, and the rest was read from a transcript.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub filled: bool,
    /// A person wrote it (`[Human Intervention]`).
    #[serde(default)]
    pub human: bool,
    /// Machine-made text (`[SYSTEM…`), shown folded.
    #[serde(default)]
    pub system: bool,
    /// Team broadcast name (`[팀 작업 - …]`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// `messageIntent`, informational.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// Structured payload, if the agent sent one (`contract/events.md` §7.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Payload>,
    /// Outcome word the agent itself wrote (`[outcome] success: …`): `success`, `partial`, `failed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// The task it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Origin::is_log")]
    pub origin: Origin,
    /// The transcript line with this message, if there is one, whatever its origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<TranscriptPlace>,
}

/// Kinds of bubbles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum MessageKind {
    /// A request: `a2a.send`.
    Send,
    /// The first reply.
    Reply,
    /// A ping-pong turn.
    Turn,
    /// A kind this build does not know.
    #[serde(other)]
    Other,
}

/// A structured payload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Payload {
    /// `task_delegation`, `status_report`, `question`, `answer`, or what was written.
    pub kind: String,
    /// The parsed `payloadJson`; a JSON string when it did not parse.
    pub body: serde_json::Value,
}

/// A line between bubbles, never a bubble.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", try_from = "super::flat::MarkRow")]
pub struct Mark {
    /// Its event.
    pub id: EventId,
    /// Time of the event, epoch ms.
    pub at: i64,
    /// What happened.
    #[serde(flatten)]
    pub kind: MarkKind,
    /// The send concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange_id: Option<EventId>,
    /// The agent that asked.
    pub from: AgentId,
    /// The agent that was asked.
    pub to: AgentId,
}

/// What a mark says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum MarkKind {
    /// The message was delivered and no answer came.
    #[cfg_attr(feature = "openapi", schema(rename_all = "camelCase"))]
    NoReply {
        /// Class of the reason.
        reason: ReasonClass,
        /// The reason as the provider wrote it; shown on demand only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
        /// Seconds waited, if the text says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        waited_secs: Option<u32>,
    },
    /// The message was refused.
    Blocked {
        /// Class of the reason.
        reason: ReasonClass,
        /// The reason as written; shown on demand only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// The wait was retried.
    #[cfg_attr(feature = "openapi", schema(rename_all = "camelCase"))]
    Retry {
        /// Number of the attempt.
        attempt: u32,
        /// Maximum number of attempts.
        max_attempts: u32,
        /// `errorCode`, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error_code: Option<String>,
        /// Wait before the attempt, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        backoff_ms: Option<i64>,
    },
    /// A Discord mention was routed from one agent to the other.
    AutoRoute {
        /// The text that was routed, cleaned.
        text: String,
    },
    /// The exchange ended.
    #[cfg_attr(feature = "openapi", schema(rename_all = "camelCase"))]
    Complete {
        /// `terminationReason` as written.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// Number of turns used.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        turns: Option<u32>,
        /// Maximum number of turns.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_turns: Option<u32>,
        /// Ended before the turns were used up.
        early: bool,
        /// The result was posted to a channel.
        announced: bool,
        /// The job failed (`outcome: failed`).
        failed: bool,
        /// Error text as written; shown on demand only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
}

/// What became of one send.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", from = "super::flat::ExchangeRow")]
pub struct Exchange {
    /// The send's event.
    pub id: EventId,
    /// When it was sent, epoch ms.
    pub sent_at: i64,
    /// State at the answer's `now`; recompute with [`Exchange::state_at`] as time passes.
    pub state: DeliveryState,
    /// The time-independent part.
    #[serde(flatten)]
    pub delivery: Delivery,
}

impl Exchange {
    /// State as a pure function of (events, now).
    #[must_use]
    pub fn state_at(&self, now: i64) -> DeliveryState {
        self.delivery.state_at(self.sent_at, now)
    }
}
