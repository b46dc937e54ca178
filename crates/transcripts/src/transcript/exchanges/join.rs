//! Matching of sent with received messages between OpenClaw sessions, from the traces that `scan.rs` found in all
//! transcripts. The result is a list of events (such as requests, answers and spawned sessions), oldest first.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::{clean, units};
use super::call::{CallMark, Tool};
use super::child::children;
use super::exchange::{AgentReaction, ExchangeProgress};
use super::scan::{AgentTurn, ExchangeNoticeKind, ExchangeScan, ReceivedMessage};
use super::{ExchangeEvent, ExchangeEventKind, ExchangeParty};

/// A message may be written this much before the call that sent it, by another clock of the same machine.
const SLACK_MS: i64 = 2_000;
/// UTF-16 units at which a reply is cut on its way.
const CARRIED_UNITS: usize = 4_096;

/// All exchanges in the transcripts, in order of time. The order of the scans does not matter.
#[must_use]
pub fn find<'a>(scans: impl IntoIterator<Item = &'a ExchangeScan>) -> Vec<ExchangeEvent> {
    let mut scans: Vec<Cow<'_, ExchangeScan>> = scans.into_iter().map(Cow::Borrowed).collect();
    scans.sort_by(|one, other| (&one.session_id, &one.party.agent).cmp(&(&other.session_id, &other.party.agent)));
    let matched = matches(&scans.iter().map(Cow::as_ref).collect::<Vec<_>>());
    name_archives(&mut scans, &matched);
    let matched_messages = matched.values().copied().collect();
    let scans = scans.iter().map(Cow::as_ref).collect();
    let mut join = ExchangeJoin { received_of: matched, matched_messages, scans, exchanges: Vec::new() };
    join.follow();
    join.announce_by_run();
    let mut events: Vec<ExchangeEvent> = join.exchanges.into_iter().flat_map(ExchangeProgress::events).collect();
    events.extend(children(&join.scans));
    events.sort_by(|one, other| {
        let by_exchange = || one.exchange.cmp(&other.exchange);
        let by_turn = || (one.turn, one.kind).cmp(&(other.turn, other.kind));
        one.at_ms.cmp(&other.at_ms).then_with(by_exchange).then_with(by_turn)
    });
    events
}

/// Position of a mark: its scan, and its index in a list of that scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct MarkAt {
    scan: usize,
    mark: usize,
}

struct ExchangeJoin<'a> {
    scans: Vec<&'a ExchangeScan>,
    /// The received message of each matched call.
    received_of: BTreeMap<MarkAt, MarkAt>,
    /// Received messages whose call was found.
    matched_messages: HashSet<MarkAt>,
    exchanges: Vec<ExchangeProgress>,
}

/// Joins calls with received messages: by run, else by text, sender and time.
fn matches(scans: &[&ExchangeScan]) -> BTreeMap<MarkAt, MarkAt> {
    let mut received: Vec<(MarkAt, &ReceivedMessage)> =
        all(scans, |scan| &scan.received).filter(|(_, received)| !received.announce_step).collect();
    received.sort_by_key(|(at, received)| (received.at_ms, *at));
    let (mut by_run, mut by_text) = (HashMap::new(), HashMap::<String, Vec<(MarkAt, &ReceivedMessage)>>::new());
    for (at, received) in received {
        if let Some(run) = received.run.as_deref() {
            by_run.entry(run).or_insert(at);
        }
        by_text.entry(normalized_spaces(&received.text)).or_default().push((at, received));
    }
    let mut calls: Vec<(MarkAt, &CallMark)> =
        all(scans, |scan| &scan.calls).filter(|(_, call)| call.tool == Tool::Send).collect();
    calls.sort_by_key(|(at, call)| (call.at_ms, *at));
    let run = |call: &CallMark| call.answer.as_ref().and_then(|answer| answer.run_id.clone());
    let mut found = BTreeMap::new();
    let mut taken = HashSet::new();
    for (at, call) in &calls {
        if let Some(received) = run(call).and_then(|run| by_run.get(run.as_str()))
            && taken.insert(*received)
        {
            found.insert(*at, *received);
        }
    }
    for (at, call) in &calls {
        let same = call
            .text
            .as_deref()
            .filter(|_| !found.contains_key(at))
            .and_then(|text| by_text.get(&normalized_spaces(text)));
        let (from, to) = (&scans[at.scan].party, call.target());
        let received = same.into_iter().flatten().find(|(place, received)| {
            received.at_ms >= call.at_ms.saturating_sub(SLACK_MS)
                // A run that is written and another one is another message.
                && (received.run.is_none() || run(call).is_none())
                && received.source.may_be(from)
                && (to.agent == "unknown" || scans[place.scan].party.may_be(&to))
                && !taken.contains(place)
        });
        if let Some((received, _)) = received {
            taken.insert(*received);
            found.insert(*at, *received);
        }
    }
    found
}

/// The name of an archived transcript does not contain its session's key; messages sent to it do.
fn name_archives(scans: &mut [Cow<'_, ExchangeScan>], matched: &BTreeMap<MarkAt, MarkAt>) {
    for scan in 0..scans.len() {
        if scans[scan].party.key.is_some() {
            continue;
        }
        let sent = matched.iter().filter(|(_, received)| received.scan == scan).map(|(call, _)| call);
        let mut keys: Vec<String> = sent.filter_map(|call| scans[call.scan].calls[call.mark].target().key).collect();
        keys.dedup_by(|one, other| one.eq_ignore_ascii_case(other));
        // One session has one key: two names mean that one of them is an alias, and it is unknown which.
        if let [key] = keys.as_slice()
            && ExchangeParty::of_key(key).agent == scans[scan].party.agent
        {
            scans[scan].to_mut().party.key = Some(key.clone());
        }
    }
}

fn all<'a, T>(
    scans: &[&'a ExchangeScan],
    marks: fn(&'a ExchangeScan) -> &'a Vec<T>,
) -> impl Iterator<Item = (MarkAt, &'a T)> {
    let scans = scans.to_vec();
    scans.into_iter().enumerate().flat_map(move |(scan, from)| {
        marks(from).iter().enumerate().map(move |(mark, value)| (MarkAt { scan, mark }, value))
    })
}

fn same_text(one: &str, other: &str) -> bool {
    one.trim() == other.trim() || one.split_whitespace().eq(other.split_whitespace())
}

/// The text with one space between its words. Texts with the same words count as equal.
fn normalized_spaces(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A reply, or the rest of it: from 2026.9 on a long reply is carried back cut (`contract/sessions.md` §8.2).
fn same_reply(answer_text: &str, received: &str) -> bool {
    let beginning = received.trim().strip_suffix('…').filter(|beginning| units(beginning) + 1 >= CARRIED_UNITS);
    same_text(answer_text, received)
        || beginning.is_some_and(|beginning| answer_text.trim().starts_with(beginning.trim_end()))
}

/// What a mark does to the exchanges.
enum TimelineStep {
    Called(MarkAt),
    ReceivedMessage(MarkAt),
    Undelivered(MarkAt),
}

impl ExchangeJoin<'_> {
    /// Goes through everything in order of time.
    fn follow(&mut self) {
        let mut timeline: Vec<(i64, MarkAt, TimelineStep)> = Vec::new();
        for (at, call) in all(&self.scans, |scan| &scan.calls) {
            if call.tool == Tool::Send {
                timeline.push((call.at_ms, at, TimelineStep::Called(at)));
            }
        }
        for (at, received) in all(&self.scans, |scan| &scan.received) {
            if !self.matched_messages.contains(&at) {
                timeline.push((received.at_ms, at, TimelineStep::ReceivedMessage(at)));
            }
        }
        for (at, notice) in all(&self.scans, |scan| &scan.notices) {
            if matches!(notice.kind, ExchangeNoticeKind::Undelivered(..)) {
                timeline.push((notice.at_ms, at, TimelineStep::Undelivered(at)));
            }
        }
        timeline.sort_by_key(|(at_ms, at, _)| (*at_ms, *at));
        for (_, _, step) in timeline {
            match step {
                TimelineStep::Called(at) => self.called(at),
                TimelineStep::ReceivedMessage(at) => self.received(at),
                TimelineStep::Undelivered(at) => self.undelivered(at),
            }
        }
    }

    fn called(&mut self, at: MarkAt) {
        let scan = self.scans[at.scan];
        let call = &scan.calls[at.mark];
        let received = self.received_of.get(&at).copied();
        let to = match received {
            Some(received) => {
                let listener = &self.scans[received.scan].party;
                if listener.key.is_some() { listener.clone() } else { call.target() }
            }
            None => call.target(),
        };
        let mut exchange = ExchangeProgress::called(scan, call, to);
        match received {
            Some(received) => {
                let (listener, mark) = (self.scans[received.scan], &self.scans[received.scan].received[received.mark]);
                exchange.reached(listener, mark);
                exchange.step(listener, reply(listener, mark));
            }
            None => exchange.only_answered(call),
        }
        exchange.waited_for(call);
        self.exchanges.push(exchange);
    }

    fn received(&mut self, at: MarkAt) {
        let scan = self.scans[at.scan];
        let received = &scan.received[at.mark];
        if received.announce_step {
            let exchange =
                self.exchanges.iter_mut().rev().find(|it| {
                    it.may_be_announced(&scan.party, received.at_ms) && it.requester.may_be(&received.source)
                });
            if let Some(exchange) = exchange {
                exchange.announced(scan, Some(received), reply(scan, received));
            } else {
                self.exchanges.push(ExchangeProgress::announce_only(scan, received, reply(scan, received)));
            }
            return;
        }
        let copy = self
            .exchanges
            .iter_mut()
            .rev()
            .find(|it| it.waits_for(&received.source, &scan.party, received, same_reply));
        match copy {
            Some(exchange) => {
                exchange.reached(scan, received);
                exchange.step(scan, reply(scan, received));
            }
            None if clean::is_silent(&received.text) => {
                self.exchanges.push(ExchangeProgress::silence_only(scan, received))
            }
            None => {
                let mut exchange = ExchangeProgress::routed(scan, received);
                exchange.step(scan, reply(scan, received));
                self.exchanges.push(exchange);
            }
        }
    }

    /// The requesting session received a notice that delivery failed.
    fn undelivered(&mut self, at: MarkAt) {
        let scan = self.scans[at.scan];
        let notice = &scan.notices[at.mark];
        let ExchangeNoticeKind::Undelivered(target, error) = &notice.kind else { return };
        let open_exchange = self.exchanges.iter_mut().rev().find(|it| {
            it.requester.may_be(&scan.party) && it.target.may_be(target) && it.may_have_failed(notice.at_ms)
        });
        if let Some(exchange) = open_exchange {
            exchange.failed(scan, notice.place, notice.at_ms, error);
        } else {
            self.exchanges.push(ExchangeProgress::failure_only(scan, target, notice.place, notice.at_ms, error));
        }
    }

    /// From 2026.9 on the step is a run of its own without a question.
    fn announce_by_run(&mut self) {
        let mut steps: Vec<(&ExchangeScan, &AgentTurn)> = Vec::new();
        for scan in &self.scans {
            let received = scan.received.iter().filter_map(|it| it.run.as_deref());
            let requested_runs: HashSet<&str> =
                received.chain(scan.run_starts.iter().filter_map(|it| it.run.as_deref())).collect();
            let own = |turn: &&AgentTurn| {
                turn.run.as_deref().is_some_and(|run| !run.starts_with("announce:") && !requested_runs.contains(run))
            };
            steps.extend(scan.turns.iter().filter(own).map(|turn| (*scan, turn)));
        }
        steps.sort_by_key(|(scan, turn)| (turn.at_ms, scan.session_id.clone(), turn.place));
        for (scan, turn) in steps {
            let ended = self.exchanges.iter_mut().filter(|it| it.may_be_announced(&scan.party, turn.at_ms));
            if let Some(exchange) = ended.max_by_key(|it| it.last_ms) {
                exchange.announced(scan, None, AgentReaction::from_turn(turn));
            }
        }
    }
}

/// The agent's reaction to a received message.
fn reply(scan: &ExchangeScan, received: &ReceivedMessage) -> AgentReaction {
    let turn = match &received.run {
        Some(run) => scan.turns.iter().rev().find(|turn| turn.run.as_ref() == Some(run)),
        None => {
            let end = scan.begins().filter(|place| *place > received.place).min().unwrap_or(u64::MAX);
            let within = |turn: &&AgentTurn| turn.run.is_none() && (received.place..end).contains(&turn.place);
            scan.turns.iter().rev().find(within)
        }
    };
    turn.map_or(AgentReaction::None, AgentReaction::from_turn)
}

/// A response comes from the receiver.
pub(super) fn side(scan: &ExchangeScan, known: &ExchangeParty) -> ExchangeParty {
    if scan.party.key.is_some() { scan.party.clone() } else { known.clone() }
}

/// Adds a line to an event once only.
pub(super) fn add(event: &mut ExchangeEvent, scan: &ExchangeScan, place: u64) {
    let written = scan.written(place);
    if !event.written.contains(&written) {
        event.written.push(written);
    }
}

pub(super) fn is_answer(event: &ExchangeEvent) -> bool {
    matches!(event.kind, ExchangeEventKind::Send | ExchangeEventKind::Response | ExchangeEventKind::NoReply)
}
