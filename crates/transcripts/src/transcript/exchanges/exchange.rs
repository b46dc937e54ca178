//! State of one exchange (a request from one stored session to another, and its answers) while it is assembled from
//! transcripts. Its events are the request, the answer, further turns, an announcement and the end. OpenClaw asks the
//! agent that answered whether it wants to announce the result.

use super::super::clean;
use super::call::CallMark;
use super::join::{add, is_answer, side};
use super::scan::{AgentTurn, ExchangeScan, ReceivedMessage};
use super::{ExchangeEvent, ExchangeEventKind, ExchangeParty};

/// An exchange and its events so far.
pub(super) struct ExchangeProgress {
    /// Id of the exchange: that of its run, else made from the position of its call.
    name: String,
    /// The session that asked first.
    pub(super) requester: ExchangeParty,
    pub(super) target: ExchangeParty,
    events: Vec<ExchangeEvent>,
    /// The last message, which is expected in the other session.
    last: Option<ExchangeMessage>,
    /// Number of the newest further turn; 0 for the request and its first answer.
    turn: u32,
    /// The next message is for the session that asked first.
    requester_is_next: bool,
    /// The event that ended it.
    ended: Option<ExchangeEvent>,
    /// Whether the target made an announcement; none until its announcement step is over.
    announced: Option<bool>,
    /// Time of the newest event, in epoch milliseconds.
    pub(super) last_ms: i64,
}

struct ExchangeMessage {
    from: ExchangeParty,
    to: ExchangeParty,
    text: String,
    at_ms: i64,
}

/// Reaction of an agent to a received message.
pub(super) enum AgentReaction {
    /// Nothing yet.
    None,
    /// It answered, maybe with a token.
    AgentTurn { text: String, place: u64, at_ms: i64 },
    /// Its run failed.
    Failed { error: Option<String>, place: u64, at_ms: i64 },
}

impl AgentReaction {
    pub(super) fn from_turn(agent_turn: &AgentTurn) -> Self {
        let (place, at_ms) = (agent_turn.place, agent_turn.at_ms);
        match &agent_turn.text {
            Some(text) if !agent_turn.failed => Self::AgentTurn { text: text.clone(), place, at_ms },
            _ => Self::Failed { error: agent_turn.error.clone(), place, at_ms },
        }
    }
}

impl ExchangeProgress {
    fn new(name: String, requester: ExchangeParty, target: ExchangeParty, at_ms: i64) -> Self {
        Self {
            name,
            requester,
            target,
            events: Vec::new(),
            last: None,
            turn: 0,
            requester_is_next: false,
            ended: None,
            announced: None,
            last_ms: at_ms,
        }
    }

    /// An exchange that begins with a call.
    pub(super) fn called(scan: &ExchangeScan, call: &CallMark, to: ExchangeParty) -> Self {
        let answer = call.answer.as_ref();
        let run = answer.and_then(|answer| answer.run_id.clone());
        let name = run.clone().unwrap_or_else(|| place_name(scan, call.places.first().copied().unwrap_or_default()));
        let mut exchange = Self::new(name, scan.party.clone(), to, call.at_ms);
        let mut event = exchange.event(ExchangeEventKind::Send, call.at_ms, true);
        event.text = call.text.clone();
        event.run_id = run;
        event.label = call.label.clone();
        event.status = answer.and_then(|answer| answer.status.clone());
        event.error = answer.and_then(|answer| answer.error.clone());
        event.context = call.belongs();
        event.cause = call.places.first().and_then(|place| scan.began(*place));
        call.places.iter().for_each(|place| add(&mut event, scan, *place));
        exchange.events.push(event);
        exchange
    }

    /// An exchange whose beginning only the receiver's session has.
    pub(super) fn routed(scan: &ExchangeScan, received: &ReceivedMessage) -> Self {
        let name = received.run.clone().unwrap_or_else(|| place_name(scan, received.place));
        let mut exchange = Self::new(name, received.source.clone(), scan.party.clone(), received.at_ms);
        let mut event = exchange.event(ExchangeEventKind::Send, received.at_ms, true);
        event.text = Some(received.text.clone());
        event.run_id = received.run.clone();
        event.routed = true;
        add(&mut event, scan, received.place);
        exchange.events.push(event);
        exchange
    }

    /// A silent token came back, of an unknown exchange.
    pub(super) fn silence_only(scan: &ExchangeScan, received: &ReceivedMessage) -> Self {
        let name = place_name(scan, received.place);
        let mut exchange = Self::new(name, scan.party.clone(), received.source.clone(), received.at_ms);
        let mut event = exchange.event(ExchangeEventKind::NoReply, received.at_ms, false);
        event.status = Some("no_reply".to_owned());
        add(&mut event, scan, received.place);
        exchange.events.push(event);
        exchange
    }

    /// An announcement of an unknown exchange.
    pub(super) fn announce_only(scan: &ExchangeScan, received: &ReceivedMessage, step: AgentReaction) -> Self {
        let name = received.run.clone().unwrap_or_else(|| place_name(scan, received.place));
        let mut exchange = Self::new(name, received.source.clone(), scan.party.clone(), received.at_ms);
        exchange.announced(scan, Some(received), step);
        exchange
    }

    /// A failure of an unknown exchange.
    pub(super) fn failure_only(
        scan: &ExchangeScan,
        target: &ExchangeParty,
        place: u64,
        at_ms: i64,
        error: &str,
    ) -> Self {
        let mut exchange = Self::new(place_name(scan, place), scan.party.clone(), target.clone(), at_ms);
        exchange.failed(scan, place, at_ms, error);
        exchange
    }

    fn event(&self, kind: ExchangeEventKind, at_ms: i64, by_requester: bool) -> ExchangeEvent {
        let (from, to) = if by_requester { (&self.requester, &self.target) } else { (&self.target, &self.requester) };
        ExchangeEvent::new(kind, at_ms, &self.name, from, to)
    }

    /// The last message is in the receiver's session too.
    pub(super) fn reached(&mut self, scan: &ExchangeScan, received: &ReceivedMessage) {
        let last = self.events.iter_mut().rev().find(|event| is_answer(event));
        if let Some(event) = last {
            add(event, scan, received.place);
            if event.kind == ExchangeEventKind::Send {
                event.text.get_or_insert_with(|| received.text.clone());
                event.run_id = event.run_id.take().or_else(|| received.run.clone());
            }
        }
        self.last_ms = self.last_ms.max(received.at_ms);
    }

    /// The listener answers, or not.
    pub(super) fn step(&mut self, scan: &ExchangeScan, step: AgentReaction) {
        let back = self.requester_is_next;
        let speaker = side(scan, if back { &self.requester } else { &self.target });
        let turn = (self.turn > 0 || back).then(|| self.turn + 1);
        match step {
            AgentReaction::None => {}
            AgentReaction::AgentTurn { text, place, at_ms } => {
                self.last_ms = self.last_ms.max(at_ms);
                if turn.is_some() && text.trim() == "REPLY_SKIP" {
                    let mut end = self.event(ExchangeEventKind::Complete, at_ms, true);
                    end.status = Some("explicit_skip".to_owned());
                    add(&mut end, scan, place);
                    self.ended = Some(end);
                    self.last = None;
                    return;
                }
                let silent = clean::is_silent(&text);
                let kind = if silent { ExchangeEventKind::NoReply } else { ExchangeEventKind::Response };
                let mut event = self.event(kind, at_ms, back);
                event.turn = turn;
                event.status = silent.then(|| "no_reply".to_owned());
                event.text = (!silent).then(|| text.clone());
                event.run_id = self.run().filter(|_| turn.is_none());
                add(&mut event, scan, place);
                self.events.push(event);
                let to = if back { self.target.clone() } else { self.requester.clone() };
                self.last = Some(ExchangeMessage { from: speaker, to, text, at_ms });
                self.turn = turn.unwrap_or(0);
                self.requester_is_next = !back;
            }
            AgentReaction::Failed { error, place, at_ms } => {
                self.last_ms = self.last_ms.max(at_ms);
                let mut event = self.event(ExchangeEventKind::NoReply, at_ms, back);
                event.turn = turn;
                event.run_id = self.run().filter(|_| turn.is_none());
                event.status = Some("error".to_owned());
                event.error = error;
                add(&mut event, scan, place);
                self.events.push(event);
                self.last = None;
            }
        }
    }

    /// The run that the first message started.
    fn run(&self) -> Option<String> {
        self.events.iter().find(|event| event.kind == ExchangeEventKind::Send)?.run_id.clone()
    }

    /// The receiver's transcript is missing: only the call's own answer is known.
    pub(super) fn only_answered(&mut self, call: &CallMark) {
        let Some(answer) = &call.answer else { return };
        let status = answer.status.as_deref().unwrap_or_default();
        let Some(send) = self.events.last_mut() else { return };
        match status {
            "forbidden" | "error" => send.kind = ExchangeEventKind::Refused,
            "no_reply" => {
                let mut event = ExchangeEvent::new(
                    ExchangeEventKind::NoReply,
                    send.at_ms,
                    &self.name,
                    &self.target,
                    &self.requester,
                );
                event.status = Some(status.to_owned());
                event.written = send.written.clone();
                self.events.push(event);
            }
            _ => {
                let Some(reply) = answer.reply.clone() else { return };
                let mut event = ExchangeEvent::new(
                    ExchangeEventKind::Response,
                    send.at_ms,
                    &self.name,
                    &self.target,
                    &self.requester,
                );
                event.run_id = answer.run_id.clone();
                event.written = send.written.clone();
                event.text = Some(reply.clone());
                let at_ms = event.at_ms;
                self.events.push(event);
                self.last =
                    Some(ExchangeMessage { from: self.target.clone(), to: self.requester.clone(), text: reply, at_ms });
                self.requester_is_next = true;
            }
        }
    }

    /// The call waited its whole time-out and nobody answered: neither a transcript nor the call has a reply. The
    /// program writes nothing of that into its log (`contract/events.md` §3).
    pub(super) fn waited_for(&mut self, call: &CallMark) {
        if !call.timed_out() || self.events.iter().any(|event| event.kind != ExchangeEventKind::Send) {
            return;
        }
        let Some(send) = self.events.last() else { return };
        let written = send.written.clone();
        let mut event = self.event(ExchangeEventKind::NoReply, self.last_ms, false);
        event.status = Some("timeout".to_owned());
        event.error = call.answer.as_ref().and_then(|answer| answer.error.clone());
        event.written = written;
        self.events.push(event);
    }

    /// `received` is the last message, on its way to the other side.
    pub(super) fn waits_for(
        &self,
        source: &ExchangeParty,
        listener: &ExchangeParty,
        received: &ReceivedMessage,
        same: fn(&str, &str) -> bool,
    ) -> bool {
        self.ended.is_none()
            && self.announced.is_none()
            && self.last.as_ref().is_some_and(|last| {
                last.at_ms <= received.at_ms
                    && last.from.may_be(source)
                    && last.to.may_be(listener)
                    && same(&last.text, &received.text)
            })
    }

    pub(super) fn may_be_announced(&self, target: &ExchangeParty, at_ms: i64) -> bool {
        let reached = self
            .events
            .iter()
            .any(|event| event.kind == ExchangeEventKind::Response || event.kind == ExchangeEventKind::NoReply);
        self.announced.is_none() && reached && self.last_ms <= at_ms && self.target.may_be(target)
    }

    /// The target's announcement, or that it made none.
    pub(super) fn announced(&mut self, scan: &ExchangeScan, received: Option<&ReceivedMessage>, step: AgentReaction) {
        let (text, place, at_ms) = match step {
            AgentReaction::AgentTurn { text, place, at_ms } => {
                ((!clean::is_silent(&text)).then_some(text), Some(place), at_ms)
            }
            AgentReaction::Failed { place, at_ms, .. } => (None, Some(place), at_ms),
            AgentReaction::None => (None, None, received.map_or(self.last_ms, |received| received.at_ms)),
        };
        let notice = text.is_some();
        let mut event =
            self.event(if notice { ExchangeEventKind::Announce } else { ExchangeEventKind::Complete }, at_ms, false);
        event.text = text;
        received.iter().for_each(|received| add(&mut event, scan, received.place));
        place.iter().for_each(|place| add(&mut event, scan, *place));
        self.last_ms = self.last_ms.max(at_ms);
        self.announced = Some(notice);
        let mut end = self.ended.take().unwrap_or_else(|| self.event(ExchangeEventKind::Complete, at_ms, true));
        end.at_ms = at_ms;
        if notice {
            self.events.push(event);
        } else {
            end.written.extend(event.written);
        }
        self.ended = Some(end);
    }

    pub(super) fn may_have_failed(&self, at_ms: i64) -> bool {
        self.last_ms <= at_ms && !self.events.iter().any(|event| event.kind == ExchangeEventKind::Response)
    }

    /// The requester received a notice that delivery failed.
    pub(super) fn failed(&mut self, scan: &ExchangeScan, place: u64, at_ms: i64, error: &str) {
        self.last_ms = self.last_ms.max(at_ms);
        if let Some(event) = self.events.iter_mut().rev().find(|event| event.kind == ExchangeEventKind::NoReply) {
            event.error.get_or_insert_with(|| error.to_owned());
            add(event, scan, place);
            return;
        }
        let mut event = self.event(ExchangeEventKind::NoReply, at_ms, false);
        event.status = Some("error".to_owned());
        event.error = Some(error.to_owned());
        add(&mut event, scan, place);
        self.events.push(event);
    }

    /// What is known of it.
    pub(super) fn events(mut self) -> Vec<ExchangeEvent> {
        if let Some(mut end) = self.ended.take() {
            end.turn = (self.turn > 0).then_some(self.turn);
            self.events.push(end);
        }
        self.events
    }
}

fn place_name(scan: &ExchangeScan, place: u64) -> String {
    format!("{}@{place}", scan.session_id)
}
