//! State machine of deliveries in one thread (`contract/events.md` §5–§6). It takes events in time order and returns
//! the state of each send. It reads no clock.

use serde::{Deserialize, Serialize};

use super::Log;
use super::event_meta::push_tight;
use super::tracked::Tracked;
use crate::api::Origin;
use crate::delivery::{DeliveryState, REPLY_WAIT_MS, ReasonClass};
use crate::event::{Event, Field, UnansweredSend};
use crate::ids::AgentId;
use crate::text;

/// A reply may arrive this much after the wait of its send without being taken for another send's:
/// the queue of a busy target lasts 30 s (`contract/events.md` §6), the rest is courtesy.
const REPLY_SLACK_MS: i64 = 60_000;
/// 2026-02-18T00:00:00Z. Before it, writers without `eventRole` wrote a send only *after* its reply had been read
/// (`contract/events.md` §2, blind spots).
const LEGACY_UNTIL_MS: i64 = 1_771_372_800_000;
/// Effect of one event on its thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ExchangeStep {
    /// It is a bubble.
    pub(crate) bubble: bool,
    /// It is a notice or mark.
    pub(crate) mark: bool,
    /// The exchange it belongs to, by position.
    pub(crate) exchange: Option<usize>,
}

/// All sends of one thread.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Exchanges {
    /// In time order. Grows with each send; emptied only when the thread is rederived.
    pub(crate) list: Vec<Tracked>,
    /// Positions of the open sends. Shrinks as they are settled.
    pub(crate) open: Vec<usize>,
    /// Answered sends.
    pub(crate) answered: u32,
    /// Sends without reply.
    pub(crate) no_reply: u32,
    /// Refused sends.
    pub(crate) blocked: u32,
}

impl Exchanges {
    /// The last send was refused or got no answer.
    pub(crate) fn has_failed(&self) -> bool {
        let failed =
            |tracked: &Tracked| matches!(tracked.settled, Some(DeliveryState::NoReply | DeliveryState::Blocked));
        self.list.last().is_some_and(failed)
    }

    /// Takes the next event of the thread.
    pub(crate) fn push(&mut self, index: u32, event: &Event, events: &Log) -> ExchangeStep {
        match event.event_type() {
            "a2a.send" => self.send(index, event),
            "a2a.response" => match event.missing_answer() {
                Some(fate) => self.refusal(event, fate),
                None if event.turn().is_some() => self.turn(index, event),
                None => self.reply(index, event),
            },
            "a2a.complete" => self.complete(event),
            "a2a.retry" => self.retry(event, events),
            "a2a.auto_route" => ExchangeStep { mark: true, ..ExchangeStep::default() },
            _ => ExchangeStep::default(),
        }
    }

    fn send(&mut self, index: u32, event: &Event) -> ExchangeStep {
        let position = self.list.len();
        let mut tracked = Tracked::new(index, event.speaker(), event.addressee(), event.at);
        tracked.intent = event.intent().map(Box::from);
        tracked.one_way = event.origin() == Origin::Hooks;
        tracked.run_hash = run_id(event).map_or(0, hashed);
        push_tight(&mut self.list, tracked);
        push_tight(&mut self.open, position);
        let legacy = event.text(Field::EventRole).is_none() && (1..LEGACY_UNTIL_MS).contains(&event.at);
        if legacy {
            self.settle(position, DeliveryState::Answered, event.at);
        }
        ExchangeStep { bubble: true, mark: false, exchange: Some(position) }
    }

    fn reply(&mut self, index: u32, event: &Event) -> ExchangeStep {
        let shown = event.display_text().is_some();
        let found = self.awaiting(event).or_else(|| self.late(event));
        if let Some(position) = found {
            // An acknowledgement of a task is not yet its result.
            if event.acknowledges() {
                self.settle(position, DeliveryState::Acknowledged, event.at);
            } else if shown {
                self.settle(position, DeliveryState::Answered, event.at);
                self.list[position].answered_by(index);
            } else {
                self.settle(position, DeliveryState::EndedWithoutAnswer, event.at);
            }
        }
        ExchangeStep { bubble: shown, mark: false, exchange: found }
    }

    fn turn(&mut self, index: u32, event: &Event) -> ExchangeStep {
        let (speaker, addressee) = (event.speaker(), event.addressee());
        let between = |tracked: &Tracked| {
            (same(&tracked.from, &speaker) && same(&tracked.to, &addressee))
                || (same(&tracked.from, &addressee) && same(&tracked.to, &speaker))
        };
        let running = |tracked: &Tracked| between(tracked) && !tracked.completed;
        let settled = |tracked: &Tracked| running(tracked) && tracked.settled.is_some();
        let found = self.list.iter().rposition(settled).or_else(|| self.list.iter().rposition(running));
        let found = found.or_else(|| self.list.iter().rposition(between));
        if let Some(position) = found {
            let by_target = same(&self.list[position].to, &speaker);
            if self.list[position].settled.is_none() || by_target {
                self.settle(position, DeliveryState::Answered, event.at);
            }
            let tracked = &mut self.list[position];
            if by_target {
                tracked.answered_by(index);
            }
            tracked.turns = tracked.turns.max(event.turn().unwrap_or(0));
            tracked.max_turns = event.max_turns().or(tracked.max_turns);
            note_end(tracked, event);
        }
        ExchangeStep { bubble: event.display_text().is_some(), mark: false, exchange: found }
    }

    fn refusal(&mut self, event: &Event, fate: UnansweredSend) -> ExchangeStep {
        // Waits end in turn: a notification's own time-out must not settle the request after it.
        let found = self.choose(event.at, &event.addressee(), &event.speaker()).or_else(|| self.late(event));
        let mut mark = true;
        if let Some(position) = found {
            // An answer that nobody expects is not missing.
            mark = self.end_unanswered(position, fate, event.at);
        }
        ExchangeStep { bubble: false, mark, exchange: found }
    }

    fn complete(&mut self, event: &Event) -> ExchangeStep {
        let (speaker, addressee) = (event.speaker(), event.addressee());
        let running =
            |tracked: &Tracked| !tracked.completed && same(&tracked.from, &speaker) && same(&tracked.to, &addressee);
        let settled = |tracked: &Tracked| running(tracked) && tracked.settled.is_some();
        let found = self
            .list
            .iter()
            .rposition(settled)
            .or_else(|| self.choose(event.at, &speaker, &addressee))
            .or_else(|| self.list.iter().rposition(running));
        if let Some(position) = found {
            self.list[position].completed = true;
            if self.list[position].settled.is_none() {
                self.end_unanswered(position, ended(event), event.at);
            }
            let tracked = &mut self.list[position];
            let turns = event.count(Field::ActualTurns).or_else(|| event.count(Field::TotalTurns));
            tracked.turns = turns.unwrap_or(0).max(tracked.turns);
            let allowed = event.count(Field::EffectiveTurns).or_else(|| event.count(Field::ConfiguredMaxTurns));
            tracked.max_turns = allowed.or(tracked.max_turns);
            tracked.announced = event.flag(Field::Announced).or(tracked.announced);
            note_end(tracked, event);
        }
        ExchangeStep { bubble: event.display_text().is_some(), mark: true, exchange: found }
    }

    fn retry(&mut self, event: &Event, events: &Log) -> ExchangeStep {
        let by_run = run_id(event).and_then(|id| {
            let hash = hashed(id);
            let is_of_run =
                |tracked: &Tracked| tracked.run_hash == hash && run_id(&events[tracked.event as usize]) == Some(id);
            self.list.iter().rposition(is_of_run)
        });
        let (speaker, addressee) = (event.speaker(), event.addressee());
        let found = by_run
            .or_else(|| self.choose(event.at, &speaker, &addressee))
            .or_else(|| self.choose(event.at, &addressee, &speaker));
        if let Some(position) = found {
            let trouble = self.list[position].trouble_mut();
            trouble.retries = trouble.retries.max(event.count(Field::Attempt).unwrap_or(1));
            trouble.max_retries = event.count(Field::MaxAttempts).or(trouble.max_retries);
            let backoff = i64::from(event.count(Field::BackoffMs).unwrap_or(0));
            let begins = event.at.saturating_add(backoff);
            trouble.last_retry_at = Some(trouble.last_retry_at.map_or(begins, |known| known.max(begins)));
        }
        ExchangeStep { bubble: false, mark: true, exchange: found }
    }

    /// The open send that an answer of the target belongs to. Of a request and a notification it is the request.
    fn awaiting(&self, event: &Event) -> Option<usize> {
        let (from, to) = (event.addressee(), event.speaker());
        self.choose_of(event.at, &from, &to, |tracked| !tracked.is_notification())
            .or_else(|| self.choose(event.at, &from, &to))
    }

    /// Of several open sends the oldest whose wait is not over, because flows answer in turn; else the
    /// newest, because an aborted flow leaves its send open for ever.
    fn choose(&self, at: i64, from: &AgentId, to: &AgentId) -> Option<usize> {
        self.choose_of(at, from, to, |_| true)
    }

    fn choose_of(&self, at: i64, from: &AgentId, to: &AgentId, wanted: fn(&Tracked) -> bool) -> Option<usize> {
        let fits = |position: &&usize| {
            let tracked = &self.list[**position];
            same(&tracked.from, from) && same(&tracked.to, to) && wanted(tracked)
        };
        let fresh = |position: &&usize| {
            let tracked = &self.list[**position];
            let since = tracked.last_retry_at().unwrap_or(tracked.sent_at).max(tracked.sent_at);
            at.saturating_sub(since) <= REPLY_WAIT_MS + REPLY_SLACK_MS
        };
        let mut candidates = self.open.iter().filter(fits);
        candidates.clone().find(fresh).or_else(|| candidates.next_back()).copied()
    }

    /// The newest send of the pair, when its wait ended without an answer, or with an acknowledgement, and
    /// no later send replaced it.
    fn late(&self, event: &Event) -> Option<usize> {
        let (speaker, addressee) = (event.speaker(), event.addressee());
        let position = self.list.iter().rposition(|it| same(&it.from, &addressee) && same(&it.to, &speaker))?;
        let tracked = &self.list[position];
        let unanswered = matches!(
            tracked.settled,
            Some(
                DeliveryState::NoReply
                    | DeliveryState::EndedWithoutAnswer
                    | DeliveryState::Notice
                    | DeliveryState::Blocked
                    | DeliveryState::Acknowledged
            )
        );
        // A legacy send counts as answered before its answer is read.
        let unread = tracked.settled == Some(DeliveryState::Answered) && !tracked.has_answer();
        (unanswered || unread).then_some(position)
    }

    /// Settles an unanswered send, with the reason where its state has one; false when it expected no answer.
    fn end_unanswered(&mut self, position: usize, fate: UnansweredSend, at: i64) -> bool {
        self.settle(position, fate.state, at);
        let tracked = &mut self.list[position];
        let notice = tracked.settled == Some(DeliveryState::Notice);
        if !notice && fate.state != DeliveryState::EndedWithoutAnswer {
            let trouble = tracked.trouble_mut();
            trouble.reason = Some(fate.reason);
            trouble.detail = fate.detail.map(String::into_boxed_str);
        }
        !notice
    }

    fn settle(&mut self, position: usize, state: DeliveryState, at: i64) {
        let tracked = &mut self.list[position];
        let unanswered = matches!(state, DeliveryState::NoReply | DeliveryState::EndedWithoutAnswer);
        let state = if unanswered && tracked.is_notification() { DeliveryState::Notice } else { state };
        if tracked.settled == Some(state) {
            return;
        }
        let before = tracked.settled.replace(state);
        tracked.settled_at = at;
        tracked.clear_reason();
        self.open.retain(|open| *open != position);
        if self.open.is_empty() {
            self.open = Vec::new();
        }
        if let Some(counter) = before.and_then(|state| self.counter(state)) {
            *counter -= 1;
        }
        if let Some(counter) = self.counter(state) {
            *counter += 1;
        }
    }

    fn counter(&mut self, state: DeliveryState) -> Option<&mut u32> {
        match state {
            DeliveryState::Answered => Some(&mut self.answered),
            DeliveryState::NoReply => Some(&mut self.no_reply),
            DeliveryState::Blocked => Some(&mut self.blocked),
            _ => None,
        }
    }
}

/// The id of its run, when it is known.
fn run_id(event: &Event) -> Option<&str> {
    event.run_id().filter(|id| *id != "unknown")
}

/// FNV-1a; never 0. Equal ids are compared as well.
fn hashed(id: &str) -> u64 {
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    id.bytes().fold(0xcbf2_9ce4_8422_2325, fold).max(1)
}

fn note_end(tracked: &mut Tracked, event: &Event) {
    if let Some(reason) = event.termination_reason() {
        tracked.ended_by = Some(reason.into());
    }
    // A token in the send's text is more reliable than the guess of a later event.
    if let Some(intent) = event.message_intent().filter(|_| !tracked.is_notification()) {
        tracked.intent = Some(intent.into());
    }
}

/// Equal, or one side is not known.
fn same(a: &AgentId, b: &AgentId) -> bool {
    a == b || a.as_str() == "unknown" || b.as_str() == "unknown"
}

/// State that an `a2a.complete` gives to an open send.
fn ended(event: &Event) -> UnansweredSend {
    let detail = event.error().or(event.wait_error()).map(str::to_owned);
    let unanswered = |state, reason| UnansweredSend { state, reason, detail: detail.clone(), waited_secs: None };
    if event.flag(Field::ConcurrencyBlocked) == Some(true) {
        unanswered(DeliveryState::Blocked, ReasonClass::Concurrency)
    } else if event.outcome() == Some("failed") || detail.is_some() || event.wait_status().is_some() {
        let status = event.wait_status().or_else(|| (event.outcome() == Some("failed")).then_some("error"));
        unanswered(DeliveryState::NoReply, text::reason_class("no_reply", detail.as_deref(), status))
    } else {
        unanswered(DeliveryState::EndedWithoutAnswer, ReasonClass::Unspecified)
    }
}
