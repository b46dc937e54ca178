//! One send and its delivery, in the compact form in which the hub keeps millions of them. [`Tracked::delivery`] makes the
//! wire form.

use serde::{Deserialize, Serialize};

use super::Log;
use super::event_meta::NONE;
use crate::delivery::{Delivery, DeliveryState, ReasonClass, SendFacts, is_notification};
use crate::ids::{AgentId, EventId};

/// One send and its delivery.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Tracked {
    /// Number of the send's event.
    pub(crate) event: u32,
    /// Number of the answering event, or [`NONE`].
    answer: u32,
    /// The sender.
    pub(crate) from: AgentId,
    /// The receiver.
    pub(crate) to: AgentId,
    /// Time of the send, in epoch milliseconds.
    pub(crate) sent_at: i64,
    /// Settled state; absent while nothing has come back.
    pub(crate) settled: Option<DeliveryState>,
    /// When it was settled, in epoch milliseconds; means nothing before.
    pub(super) settled_at: i64,
    /// It was put into a mailbox; its sender does not wait.
    pub(crate) one_way: bool,
    /// Its `a2a.complete` is in the log.
    pub(crate) completed: bool,
    /// Posted to a channel; absent until the exchange completes.
    pub(super) announced: Option<bool>,
    /// Ping-pong turns used.
    pub(crate) turns: u32,
    /// Ping-pong turns allowed.
    pub(crate) max_turns: Option<u32>,
    /// `terminationReason` of the exchange.
    pub(super) ended_by: Option<Box<str>>,
    /// `messageIntent`, else the intent that a token in the text states.
    pub(super) intent: Option<Box<str>>,
    /// Hash of the id of the run that the send started; 0 without a run. Finds the events that settle it.
    pub(super) run_hash: u64,
    /// Reason and retries; most sends have neither.
    trouble: Option<Box<SendTrouble>>,
}

/// Why a send has no answer, and its retries.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct SendTrouble {
    /// Why there is no answer.
    pub(super) reason: Option<ReasonClass>,
    /// The reason as written.
    pub(super) detail: Option<Box<str>>,
    /// Highest retry attempt seen.
    pub(super) retries: u32,
    /// Retry attempts allowed.
    pub(super) max_retries: Option<u32>,
    /// When the newest retry began its wait, in epoch milliseconds.
    pub(super) last_retry_at: Option<i64>,
}

impl Tracked {
    /// A send of which nothing has come back.
    pub(super) fn new(event: u32, from: AgentId, to: AgentId, sent_at: i64) -> Self {
        Self {
            event,
            answer: NONE,
            from,
            to,
            sent_at,
            settled: None,
            settled_at: 0,
            one_way: false,
            completed: false,
            announced: None,
            turns: 0,
            max_turns: None,
            ended_by: None,
            intent: None,
            run_hash: 0,
            trouble: None,
        }
    }

    /// True for a notification: it expects no answer.
    pub(crate) fn is_notification(&self) -> bool {
        self.intent.as_deref().is_some_and(is_notification)
    }

    /// State at `now`.
    pub(crate) fn state_at(&self, now: i64) -> DeliveryState {
        self.facts().state_at(self.sent_at, now)
    }

    /// As [`SendFacts::waits_until`].
    pub(super) fn waits_until(&self) -> Option<i64> {
        self.facts().waits_until(self.sent_at)
    }

    fn facts(&self) -> SendFacts {
        SendFacts {
            settled: self.settled,
            notification: self.is_notification(),
            one_way: self.one_way,
            last_retry_at: self.last_retry_at(),
        }
    }

    /// When it was settled, in epoch milliseconds.
    pub(crate) fn settled_at(&self) -> Option<i64> {
        self.settled.map(|_| self.settled_at)
    }

    /// The id of the answering event.
    pub(crate) fn answer_id(&self, events: &Log) -> Option<EventId> {
        self.has_answer().then(|| events.id(self.answer))
    }

    /// Whether an event answers it.
    pub(crate) fn has_answer(&self) -> bool {
        self.answer != NONE
    }

    /// Why there is no answer.
    pub(crate) fn reason(&self) -> Option<ReasonClass> {
        self.trouble.as_ref()?.reason
    }

    /// Highest retry attempt seen.
    pub(crate) fn retries(&self) -> u32 {
        self.trouble.as_ref().map_or(0, |trouble| trouble.retries)
    }

    /// When the newest retry began its wait, in epoch milliseconds.
    pub(super) fn last_retry_at(&self) -> Option<i64> {
        self.trouble.as_ref()?.last_retry_at
    }

    /// Reason and retries, to be changed.
    pub(super) fn trouble_mut(&mut self) -> &mut SendTrouble {
        self.trouble.get_or_insert_default()
    }

    /// Notes the event that answers it; the first one counts.
    pub(super) fn answered_by(&mut self, index: u32) {
        if self.answer == NONE {
            self.answer = index;
        }
    }

    /// Forgets the reason.
    pub(super) fn clear_reason(&mut self) {
        if let Some(trouble) = &mut self.trouble {
            (trouble.reason, trouble.detail) = (None, None);
        }
    }

    /// The wire form.
    pub(crate) fn delivery(&self, events: &Log) -> Delivery {
        let trouble = self.trouble.as_deref().cloned().unwrap_or_default();
        Delivery {
            settled: self.settled,
            settled_at: self.settled_at(),
            answer_id: self.answer_id(events),
            reason: trouble.reason,
            detail: trouble.detail.map(String::from),
            retries: trouble.retries,
            max_retries: trouble.max_retries,
            last_retry_at: trouble.last_retry_at,
            turns: self.turns,
            max_turns: self.max_turns,
            ended_by: self.ended_by.as_deref().map(str::to_owned),
            announced: self.announced,
            one_way: self.one_way,
            intent: self.intent.as_deref().map(str::to_owned),
        }
    }
}
