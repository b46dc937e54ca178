//! Thread of two agents: its messages, its marks (small lines such as a retry or a missing answer), and the delivery
//! state of each send. [`ThreadKey`] decides which thread an event belongs to.

use serde::{Deserialize, Serialize};

use crate::api::{Origin, Trouble};
use crate::delivery::DeliveryState;
use crate::event::Event;
use crate::hub::event_meta::{NONE, push_tight};
use crate::hub::{Exchanges, Log};
use crate::ids::{AgentId, ThreadId};

/// Width of the bucket of an event without agents (`contract/monitor-api.md` §4.5).
const BUCKET_MS: i64 = 300_000;

/// One thread.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Thread {
    pub(crate) id: ThreadId,
    /// Bytes of the id that are its key; a later exchange of a pair has its start after it.
    key_bytes: u32,
    /// The agent that opened it.
    pub(crate) from: AgentId,
    /// The other agent.
    pub(crate) to: AgentId,
    /// Events shown as bubbles, in order.
    pub(crate) messages: Vec<u32>,
    /// Number of messages from transcripts.
    pub(crate) from_transcripts: u32,
    /// Events shown as marks, in order, each with the send's event or [`NONE`].
    pub(crate) marks: Vec<(u32, u32)>,
    /// Its sends and their deliveries.
    pub(crate) exchanges: Exchanges,
    /// The thread that caused this one, by the first event that names another (`parentConversationId`).
    pub(crate) parent: Option<Box<ThreadId>>,
    /// Time of the first event, in epoch milliseconds.
    pub(crate) start: i64,
    /// Time of the newest event, in epoch milliseconds.
    pub(crate) last: i64,
}

impl Thread {
    /// Key that its events share, as text.
    pub(crate) fn key(&self) -> &str {
        self.id.as_str().get(..self.key_bytes as usize).unwrap_or_default()
    }

    /// Its conversation id, when its events name one.
    pub(crate) fn conversation_id(&self) -> Option<&str> {
        self.id.as_str().strip_prefix("conv:")
    }

    /// Whether it has something to show; a lone control token has not.
    pub(crate) fn is_shown(&self) -> bool {
        !self.messages.is_empty() || !self.marks.is_empty()
    }

    /// Sends in trouble at `now`.
    pub(crate) fn trouble(&self, now: i64) -> Trouble {
        let mut trouble =
            Trouble { no_reply: self.exchanges.no_reply, blocked: self.exchanges.blocked, ..Trouble::default() };
        for position in &self.exchanges.open {
            let tracked = &self.exchanges.list[*position];
            match tracked.state_at(now) {
                DeliveryState::NoTrace => trouble.no_trace += 1,
                DeliveryState::NoAnswerRequested | DeliveryState::Notice | DeliveryState::Acknowledged => {}
                _ => trouble.waiting += 1,
            }
        }
        trouble
    }
}

/// Effect of one event on its thread.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ThreadEffect {
    /// The thread shows the event as a bubble.
    pub(crate) bubble: bool,
    /// The thread shows the event as a mark.
    pub(crate) mark: bool,
    /// Position of the exchange to which the event belongs.
    pub(crate) exchange: Option<usize>,
}

impl Thread {
    pub(crate) fn open(id: ThreadId, key_bytes: usize, event: &Event) -> Self {
        // A thread whose send is missing begins with a response: then the addressee was the sender.
        let answers = event.event_type() == "a2a.response" && event.turn().is_none_or(|turn| turn % 2 == 0);
        let (from, to) = (event.speaker(), event.addressee());
        let (from, to) = if answers { (to, from) } else { (from, to) };
        Self {
            id,
            key_bytes: super::count(key_bytes),
            from,
            to,
            messages: Vec::new(),
            from_transcripts: 0,
            marks: Vec::new(),
            exchanges: Exchanges::default(),
            parent: None,
            start: event.at,
            last: event.at,
        }
    }

    pub(crate) fn push(&mut self, index: u32, event: &Event, events: &Log) -> ThreadEffect {
        let step = self.exchanges.push(index, event, events);
        if step.bubble {
            push_tight(&mut self.messages, index);
            self.from_transcripts += u32::from(event.origin() == Origin::Transcript);
        }
        if step.mark {
            let send = step.exchange.map_or(NONE, |position| self.exchanges.list[position].event);
            push_tight(&mut self.marks, (index, send));
        }
        if self.parent.is_none() {
            let caused_by = event.parent_conversation_id().map(|id| ThreadId::from(format!("conv:{id}")));
            self.parent = caused_by.filter(|parent| *parent != self.id).map(Box::new);
        }
        self.last = self.last.max(event.at);
        ThreadEffect { bubble: step.bubble, mark: step.mark, exchange: step.exchange }
    }
}

/// Which thread an event belongs to (`contract/monitor-api.md` §4.5, with D20: lower-cased).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum ThreadKey {
    /// `conv:` and the conversation id.
    Conversation(String),
    /// `pair:` and both agents in order.
    Pair(String),
    /// Type and time bucket of an event without agents.
    Bucket(String),
}

impl ThreadKey {
    pub(crate) fn from_event(event: &Event) -> Self {
        if let Some(id) = event.conversation_id() {
            return Self::Conversation(format!("conv:{id}"));
        }
        let (a, b) = (event.speaker(), event.addressee());
        if a.as_str() == "unknown" && b.as_str() == "unknown" {
            return Self::Bucket(format!("event:{}:{}", event.event_type(), event.at.div_euclid(BUCKET_MS)));
        }
        let (first, second) = if a <= b { (a, b) } else { (b, a) };
        Self::Pair(format!("pair:{first}_{second}"))
    }

    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Conversation(text) | Self::Pair(text) | Self::Bucket(text) => text,
        }
    }
}

/// Types that appear in a main thread when their role is `conversation.main`.
pub(crate) fn is_talk(event_type: &str) -> bool {
    matches!(event_type, "a2a.send" | "a2a.response" | "a2a.complete" | "a2a.auto_route" | "a2a.retry")
}
