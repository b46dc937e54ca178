//! Summary of each send of a session, so that a query over all sends decodes no packed state.

use serde::{Deserialize, Serialize};

use super::names::NameTable;
use super::session::FoldState;
use super::tracked::Tracked;
use crate::delivery::DeliveryState;

/// One send, for queries over all of them. Its delivery state does not depend on the time.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct PackedSend {
    sent_at: i64,
    settled_at: i64,
    event: u32,
    thread: u32,
    turns: u32,
    max_turns: Option<u32>,
    from: u16,
    to: u16,
    state: DeliveryState,
    is_settled: bool,
    has_answer: bool,
}

impl PackedSend {
    /// `None` when an agent has no number.
    pub(super) fn new(send: &SendSummary<'_>, people: &NameTable) -> Option<Self> {
        Some(Self {
            sent_at: send.sent_at,
            settled_at: send.settled_at.unwrap_or_default(),
            event: send.event,
            thread: send.thread,
            turns: send.turns,
            max_turns: send.max_turns,
            from: people.find(send.from)?,
            to: people.find(send.to)?,
            state: send.state,
            is_settled: send.settled_at.is_some(),
            has_answer: send.has_answer,
        })
    }
}

/// One send as queries over all of them read it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SendSummary<'a> {
    /// Number of its event.
    pub(crate) event: u32,
    /// Number of its thread in the session.
    pub(crate) thread: u32,
    pub(crate) from: &'a str,
    pub(crate) to: &'a str,
    /// In epoch milliseconds.
    pub(crate) sent_at: i64,
    /// When it was settled, in epoch milliseconds.
    pub(crate) settled_at: Option<i64>,
    pub(crate) state: DeliveryState,
    /// An event answers it.
    pub(crate) has_answer: bool,
    /// Turns used, and turns allowed.
    pub(crate) turns: u32,
    pub(crate) max_turns: Option<u32>,
}

impl<'a> SendSummary<'a> {
    fn of(thread: usize, tracked: &'a Tracked, now: i64) -> Self {
        Self {
            event: tracked.event,
            thread: super::count(thread),
            from: tracked.from.as_str(),
            to: tracked.to.as_str(),
            sent_at: tracked.sent_at,
            settled_at: tracked.settled_at(),
            state: tracked.state_at(now),
            has_answer: tracked.has_answer(),
            turns: tracked.turns,
            max_turns: tracked.max_turns,
        }
    }

    pub(super) fn of_state(state: &'a FoldState, now: i64) -> impl Iterator<Item = Self> {
        let threads = state.threads.iter().enumerate();
        threads.flat_map(move |(number, thread)| {
            thread.exchanges.list.iter().map(move |tracked| Self::of(number, tracked, now))
        })
    }

    pub(super) fn unpacked(send: &PackedSend, people: &'a NameTable) -> Self {
        Self {
            event: send.event,
            thread: send.thread,
            from: people.name(send.from),
            to: people.name(send.to),
            sent_at: send.sent_at,
            settled_at: send.is_settled.then_some(send.settled_at),
            state: send.state,
            has_answer: send.has_answer,
            turns: send.turns,
            max_turns: send.max_turns,
        }
    }
}
