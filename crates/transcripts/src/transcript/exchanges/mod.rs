//! Detection of exchanges (messages and delegations between sessions) in OpenClaw's transcripts (`contract/sessions.md`
//! §3.1). It finds requests, answers, spawned children and their results, each with its transcript lines.
//!
//! An [`ExchangeScan`] collects the lines of one transcript that belong to exchanges. [`find`] matches the lines of all
//! transcripts: by run id where it is recorded, otherwise by text, sender and time. A message that the transcripts of
//! sender and recipient both record becomes one event; a message in only one of them becomes an event, too.

mod call;
mod child;
mod exchange;
mod join;
mod notice;
mod result;
mod scan;

pub use join::find;
pub use notice::ChildOutcome;
pub use scan::{ExchangeScan, ScanSource};

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// One side of an exchange.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExchangeParty {
    /// The agent, or `unknown`.
    pub agent: String,
    /// The session's key, where it is known: that of an archived transcript may not be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// A line of a transcript.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TranscriptLineRef {
    /// Id of the session.
    pub session_id: Arc<str>,
    /// Which ([`super::TranscriptEntry::place`]).
    pub place: u64,
    /// The line's own name, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<Arc<str>>,
    /// The key under which the session can be opened; none for an archived one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Arc<str>>,
    /// Agent of the session.
    pub agent: Arc<str>,
}

/// The requester's ids of the work it belongs to (`contract/sessions.md` §8.2: arguments of the fork's era).
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExchangeContext {
    /// The task.
    #[serde(rename = "taskId", default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The work session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_session: Option<String>,
    /// The conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ExchangeEventKind {
    /// A message went from one session to another.
    Send,
    /// It was not delivered, or had no recipient.
    Refused,
    /// An answer: without a turn the first one, else a turn of the ping-pong.
    Response,
    /// There was none: the run failed, or the agent had no reply.
    NoReply,
    /// The agent's announcement at the end.
    Announce,
    /// The exchange ended.
    Complete,
    /// A child was started.
    Spawn,
    /// A child could not be started.
    SpawnFailed,
    /// A child ended.
    ChildResult,
}

/// One thing that happened between sessions.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExchangeEvent {
    /// Kind of the event.
    pub kind: ExchangeEventKind,
    /// When, in epoch milliseconds.
    pub at_ms: i64,
    /// Its exchange or delegation: the run that the first message started, else the position of that message.
    /// The same in every reading of the same lines.
    pub exchange: String,
    /// The acting party.
    pub from: ExchangeParty,
    /// The recipient; a child for a spawn, its parent for its result.
    pub to: ExchangeParty,
    /// The whole text as written, without the program's envelope. Not masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The run it started or came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The turn of the ping-pong, from 1, sent by the requester.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// A child's label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The word of the tool's result (`ok`, `accepted`, `timeout`, …), or why an exchange ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// What went wrong, in the program's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How a child ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ChildOutcome>,
    /// No call of the sender's was found: a person may have sent it through the gateway in that session's name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub routed: bool,
    /// The line that began its run: the prompt of a person, or of another session. Only of what
    /// begins an exchange or a delegation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<TranscriptLineRef>,
    /// Ids of the work it belongs to, from the request.
    #[serde(default, skip_serializing_if = "ExchangeContext::is_empty")]
    pub context: ExchangeContext,
    /// Every line of it, the first one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<TranscriptLineRef>,
}

impl ExchangeContext {
    /// Whether no id is known.
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl ExchangeEvent {
    /// An event without texts, not written anywhere yet.
    #[must_use]
    pub fn new(kind: ExchangeEventKind, at_ms: i64, exchange: &str, from: &ExchangeParty, to: &ExchangeParty) -> Self {
        Self {
            kind,
            at_ms,
            exchange: exchange.to_owned(),
            from: from.clone(),
            to: to.clone(),
            text: None,
            run_id: None,
            turn: None,
            label: None,
            status: None,
            error: None,
            outcome: None,
            routed: false,
            cause: None,
            context: ExchangeContext::default(),
            written: Vec::new(),
        }
    }

    /// This event's text, where `cut` is what is left of it: its first `units` UTF-16 units, cleaned or not. The log
    /// cuts at 4,000 or 200 (`contract/events.md` §5.1); the transcript's text may replace it.
    #[must_use]
    pub fn fills(&self, cut: &str, units: usize) -> Option<&str> {
        let whole = self.text.as_deref()?;
        let beginning = cut.trim_end_matches('\u{fffd}').trim();
        let is_cut = super::units(cut) >= units && super::units(whole) >= units;
        (is_cut && !beginning.is_empty() && whole.trim().starts_with(beginning)).then_some(whole)
    }
}

impl ExchangeParty {
    /// The side a key names.
    #[must_use]
    pub fn of_key(key: &str) -> Self {
        let agent = agent_of(key).unwrap_or_else(|| "unknown".to_owned());
        Self { agent, key: Some(key.to_owned()) }
    }

    /// Both are the same, as far as is known.
    fn may_be(&self, other: &Self) -> bool {
        match (&self.key, &other.key) {
            (Some(one), Some(another)) => one.eq_ignore_ascii_case(another),
            _ => self.agent == other.agent,
        }
    }
}

/// The agent in a key that names one (`contract/sessions.md` §1).
fn agent_of(key: &str) -> Option<String> {
    let mut parts = key.split(':').filter(|part| !part.is_empty());
    let named = parts.next().is_some_and(|first| first.eq_ignore_ascii_case("agent"));
    let agent = parts.next().filter(|_| named)?;
    parts.next().is_some().then(|| agent.to_lowercase())
}
