//! Types of the delivery of a sent message (`contract/events.md` §5–§6): its state (waiting, answered, no reply, …),
//! the reason for a missing answer, retries and turns. If no event settles the state, the message's age decides it.

use serde::{Deserialize, Serialize};

use crate::ids::EventId;

/// How long a flow waits for an answer before it writes a missing-reply event (`contract/events.md` §6: 300 s).
pub const REPLY_WAIT_MS: i64 = 300_000;
/// A send without any trace of an answer becomes [`DeliveryState::NoTrace`] after this long:
/// three waits of 300 s with their back-off (`a2a.retry` has three attempts).
pub const NO_TRACE_AFTER_MS: i64 = 1_200_000;

/// The `messageIntent` of a send that expects no answer (`contract/events.md` §7.2).
const NOTIFICATION: &str = "notification";

/// State of one send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum DeliveryState {
    /// Delivered, the answer is awaited.
    Waiting,
    /// Answered.
    Answered,
    /// Delivered, no answer came.
    NoReply,
    /// Refused by the target.
    Blocked,
    /// The exchange completed without an answer and without a reason.
    EndedWithoutAnswer,
    /// Past every wait limit without a trace in the log.
    NoTrace,
    /// Put into a mailbox; the sender requests no answer.
    #[serde(rename = "told")]
    NoAnswerRequested,
    /// A notification: it expects no answer (`contract/events.md` §7.1, §7.2).
    Notice,
    /// The receiver took the work up, and has not answered yet (`contract/event-schema-v1_1.md` §D.2).
    Acknowledged,
    /// A state this build does not know.
    #[serde(other)]
    Unknown,
}

impl DeliveryState {
    /// All that this build knows, in the order in which they are offered.
    pub const ALL: [Self; 9] = [
        Self::Waiting,
        Self::Answered,
        Self::NoReply,
        Self::Blocked,
        Self::EndedWithoutAnswer,
        Self::NoTrace,
        Self::NoAnswerRequested,
        Self::Notice,
        Self::Acknowledged,
    ];

    /// Text on the wire and in addresses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Answered => "answered",
            Self::NoReply => "noReply",
            Self::Blocked => "blocked",
            Self::EndedWithoutAnswer => "endedWithoutAnswer",
            Self::NoTrace => "noTrace",
            Self::NoAnswerRequested => "told",
            Self::Notice => "notice",
            Self::Acknowledged => "acknowledged",
            Self::Unknown => "unknown",
        }
    }

    /// No answer, and no refusal in the log.
    #[must_use]
    pub fn is_unanswered(self) -> bool {
        matches!(self, Self::Waiting | Self::NoReply | Self::NoTrace)
    }
}

impl std::str::FromStr for DeliveryState {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|state| state.as_str() == text).ok_or(())
    }
}

/// Reason classes in plain words for the dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ReasonClass {
    /// Waited too long.
    Timeout,
    /// The model's context overflowed.
    ContextOverflow,
    /// The run failed.
    RunError,
    /// The run could not be found.
    RunNotFound,
    /// The target was over its limit of concurrent flows.
    Concurrency,
    /// Rate limit or quota of the provider.
    RateLimit,
    /// OpenClaw's own rules forbid the sender to reach the target (`tools.agentToAgent`, `tools.sessions.visibility`).
    Policy,
    /// The log gives no reason.
    Unspecified,
    /// A class this build does not know.
    #[serde(other)]
    Unknown,
}

/// The time-independent outcome of one send, as far as the log states it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    /// Settled state; absent while nothing has come back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<DeliveryState>,
    /// When it was settled, epoch ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled_at: Option<i64>,
    /// The answering message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_id: Option<EventId>,
    /// Why there is no answer, for no reply and blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<ReasonClass>,
    /// The reason as written; shown on demand only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Highest retry attempt seen.
    #[serde(default)]
    pub retries: u32,
    /// Retry attempts allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_retries: Option<u32>,
    /// When the newest retry began its wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_retry_at: Option<i64>,
    /// Ping-pong turns used.
    #[serde(default)]
    pub turns: u32,
    /// Ping-pong turns allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    /// `terminationReason` of the exchange.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<String>,
    /// Posted to a channel; absent until the exchange completes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub announced: Option<bool>,
    /// It was put into a mailbox; its sender does not wait (messages of coding agents).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_way: bool,
    /// `messageIntent`, else the intent that a token in the text states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
}

impl Delivery {
    /// True for a notification: it expects no answer.
    #[must_use]
    pub fn is_notification(&self) -> bool {
        self.intent.as_deref().is_some_and(is_notification)
    }

    /// State at `now` of a send made at `sent_at`.
    #[must_use]
    pub fn state_at(&self, sent_at: i64, now: i64) -> DeliveryState {
        let facts = SendFacts {
            settled: self.settled,
            notification: self.is_notification(),
            one_way: self.one_way,
            last_retry_at: self.last_retry_at,
        };
        facts.state_at(sent_at, now)
    }
}

/// Whether this `messageIntent` expects no answer.
#[must_use]
pub fn is_notification(intent: &str) -> bool {
    intent.eq_ignore_ascii_case(NOTIFICATION)
}

/// What the state of a send follows from, besides its age.
#[derive(Debug, Clone, Copy)]
pub struct SendFacts {
    /// Settled state; absent while nothing has come back.
    pub settled: Option<DeliveryState>,
    /// It expects no answer.
    pub notification: bool,
    /// It was put into a mailbox; its sender does not wait.
    pub one_way: bool,
    /// When the newest retry began its wait, in epoch milliseconds.
    pub last_retry_at: Option<i64>,
}

impl SendFacts {
    /// State at `now` of a send made at `sent_at`, both in epoch milliseconds.
    #[must_use]
    pub fn state_at(self, sent_at: i64, now: i64) -> DeliveryState {
        if let Some(state) = self.settled {
            return state;
        }
        match self.waits_until(sent_at) {
            Some(until) if now <= until => DeliveryState::Waiting,
            Some(_) => DeliveryState::NoTrace,
            None if self.notification => DeliveryState::Notice,
            None => DeliveryState::NoAnswerRequested,
        }
    }

    /// Last moment at which a send made at `sent_at` waits for its answer, in epoch milliseconds; `None` when it does not
    /// wait at all.
    #[must_use]
    pub fn waits_until(self, sent_at: i64) -> Option<i64> {
        let since = self.last_retry_at.unwrap_or(sent_at).max(sent_at);
        let waits = self.settled.is_none() && !self.notification && !self.one_way;
        waits.then(|| since.saturating_add(NO_TRACE_AFTER_MS))
    }
}
