//! Join of the scans of all transcripts into events, in order of time.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::{clean, units};
use super::call::{CallMark, Tool};
use super::child::children;
use super::exchange::{Exchange, Step};
use super::scan::{AgentTurn, NoticeKind, ReceivedMessage, Scan};
use super::{Party, TalkEvent, TalkKind};

/// A message may be written this much before the call that sent it, by another clock of the same machine.
const SLACK_MS: i64 = 2_000;
/// UTF-16 units at which a reply is cut on its way.
const CARRIED_UNITS: usize = 4_096;

/// All exchanges in the transcripts, in order of time. The order of the scans does not matter.
#[must_use]
pub fn find<'a>(scans: impl IntoIterator<Item = &'a Scan>) -> Vec<TalkEvent> {
    let mut scans: Vec<Cow<'_, Scan>> = scans.into_iter().map(Cow::Borrowed).collect();
    scans.sort_by(|one, other| (&one.session_id, &one.party.agent).cmp(&(&other.session_id, &other.party.agent)));
    let matched = matches(&scans.iter().map(Cow::as_ref).collect::<Vec<_>>());
    name_archives(&mut scans, &matched);
    let sent = matched.values().copied().collect();
    let mut talk = Talk { matched, sent, scans: scans.iter().map(Cow::as_ref).collect(), exchanges: Vec::new() };
    talk.follow();
    talk.announce_by_run();
    let mut events: Vec<TalkEvent> = talk.exchanges.into_iter().flat_map(Exchange::events).collect();
    events.extend(children(&talk.scans));
    events.sort_by(|one, other| {
        let order = |event: &TalkEvent| (event.at_ms, event.exchange.clone(), event.turn, event.kind);
        order(one).cmp(&order(other))
    });
    events
}

/// A mark in a scan: which scan, which of its marks.
type At = (usize, usize);

struct Talk<'a> {
    scans: Vec<&'a Scan>,
    /// The call that sent each received message.
    matched: BTreeMap<At, At>,
    /// What a call was found for.
    sent: HashSet<At>,
    exchanges: Vec<Exchange>,
}

/// Joins calls with received messages: by run, else by text, sender and time.
fn matches(scans: &[&Scan]) -> BTreeMap<At, At> {
    let mut received: Vec<(At, &ReceivedMessage)> =
        all(scans, |scan| &scan.received).filter(|(_, received)| !received.announce_step).collect();
    received.sort_by_key(|(at, received)| (received.at_ms, *at));
    let (mut by_run, mut by_text) = (HashMap::new(), HashMap::<String, Vec<(At, &ReceivedMessage)>>::new());
    for (at, received) in received {
        if let Some(run) = received.run.as_deref() {
            by_run.entry(run).or_insert(at);
        }
        by_text.entry(spaced(&received.text)).or_default().push((at, received));
    }
    let mut calls: Vec<(At, &CallMark)> =
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
        let same = call.text.as_deref().filter(|_| !found.contains_key(at)).and_then(|text| by_text.get(&spaced(text)));
        let (from, to) = (&scans[at.0].party, call.target());
        let received = same.into_iter().flatten().find(|(place, received)| {
            received.at_ms >= call.at_ms.saturating_sub(SLACK_MS)
                // A run that is written and another one is another message.
                && (received.run.is_none() || run(call).is_none())
                && received.source.may_be(from)
                && (to.agent == "unknown" || scans[place.0].party.may_be(&to))
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
fn name_archives(scans: &mut [Cow<'_, Scan>], matched: &BTreeMap<At, At>) {
    for at in 0..scans.len() {
        if scans[at].party.key.is_some() {
            continue;
        }
        let sent = matched.iter().filter(|(_, received)| received.0 == at).map(|(call, _)| call);
        let mut keys: Vec<String> = sent.filter_map(|call| scans[call.0].calls[call.1].target().key).collect();
        keys.dedup_by(|one, other| one.eq_ignore_ascii_case(other));
        // One session has one key: two names mean that one of them is an alias, and it is unknown which.
        if let [key] = keys.as_slice()
            && Party::of_key(key).agent == scans[at].party.agent
        {
            scans[at].to_mut().party.key = Some(key.clone());
        }
    }
}

fn all<'a, T>(scans: &[&'a Scan], marks: fn(&'a Scan) -> &'a Vec<T>) -> impl Iterator<Item = (At, &'a T)> {
    let scans = scans.to_vec();
    scans
        .into_iter()
        .enumerate()
        .flat_map(move |(at, scan)| marks(scan).iter().enumerate().map(move |(number, mark)| ((at, number), mark)))
}

fn same_text(one: &str, other: &str) -> bool {
    one.trim() == other.trim() || one.split_whitespace().eq(other.split_whitespace())
}

/// Two texts with the same words are the same.
fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A reply, or the rest of it: from 2026.9 on a long reply is carried back cut (`contract/sessions.md` §8.2).
fn same_reply(said: &str, received: &str) -> bool {
    let kept = received.trim().strip_suffix('…').filter(|kept| units(kept) + 1 >= CARRIED_UNITS);
    same_text(said, received) || kept.is_some_and(|kept| said.trim().starts_with(kept.trim_end()))
}

enum Happened {
    Called(At),
    ReceivedMessage(At),
    Undelivered(At),
}

impl Talk<'_> {
    /// Goes through everything in order of time.
    fn follow(&mut self) {
        let mut line: Vec<(i64, At, Happened)> = Vec::new();
        for (at, call) in all(&self.scans, |scan| &scan.calls) {
            if call.tool == Tool::Send {
                line.push((call.at_ms, at, Happened::Called(at)));
            }
        }
        for (at, received) in all(&self.scans, |scan| &scan.received) {
            if !self.sent.contains(&at) {
                line.push((received.at_ms, at, Happened::ReceivedMessage(at)));
            }
        }
        for (at, notice) in all(&self.scans, |scan| &scan.notices) {
            if matches!(notice.kind, NoticeKind::Undelivered(..)) {
                line.push((notice.at_ms, at, Happened::Undelivered(at)));
            }
        }
        line.sort_by_key(|(at_ms, at, _)| (*at_ms, *at));
        for (_, _, happened) in line {
            match happened {
                Happened::Called(at) => self.called(at),
                Happened::ReceivedMessage(at) => self.received(at),
                Happened::Undelivered(at) => self.undelivered(at),
            }
        }
    }

    fn called(&mut self, at: At) {
        let scan = self.scans[at.0];
        let call = &scan.calls[at.1];
        let received = self.matched.get(&at).copied();
        let to = match received {
            Some(received) => {
                let listener = &self.scans[received.0].party;
                if listener.key.is_some() { listener.clone() } else { call.target() }
            }
            None => call.target(),
        };
        let mut exchange = Exchange::called(scan, call, to);
        match received {
            Some(received) => {
                let (listener, mark) = (self.scans[received.0], &self.scans[received.0].received[received.1]);
                exchange.reached(listener, mark);
                exchange.step(listener, reply(listener, mark));
            }
            None => exchange.only_answered(call),
        }
        exchange.waited_for(call);
        self.exchanges.push(exchange);
    }

    fn received(&mut self, at: At) {
        let scan = self.scans[at.0];
        let received = &scan.received[at.1];
        if received.announce_step {
            let exchange =
                self.exchanges.iter_mut().rev().find(|it| {
                    it.may_be_announced(&scan.party, received.at_ms) && it.requester.may_be(&received.source)
                });
            if let Some(exchange) = exchange {
                exchange.announced(scan, Some(received), reply(scan, received));
            } else {
                self.exchanges.push(Exchange::announce_only(scan, received, reply(scan, received)));
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
            None if clean::is_silent(&received.text) => self.exchanges.push(Exchange::silence_only(scan, received)),
            None => {
                let mut exchange = Exchange::routed(scan, received);
                exchange.step(scan, reply(scan, received));
                self.exchanges.push(exchange);
            }
        }
    }

    /// The requesting session received a notice that delivery failed.
    fn undelivered(&mut self, at: At) {
        let scan = self.scans[at.0];
        let notice = &scan.notices[at.1];
        let NoticeKind::Undelivered(target, error) = &notice.kind else { return };
        let asked = self.exchanges.iter_mut().rev().find(|it| {
            it.requester.may_be(&scan.party) && it.target.may_be(target) && it.may_have_failed(notice.at_ms)
        });
        if let Some(exchange) = asked {
            exchange.failed(scan, notice.place, notice.at_ms, error);
        } else {
            self.exchanges.push(Exchange::failure_only(scan, target, notice.place, notice.at_ms, error));
        }
    }

    /// From 2026.9 on the step is a run of its own without a question.
    fn announce_by_run(&mut self) {
        let mut steps: Vec<(&Scan, &AgentTurn)> = Vec::new();
        for scan in &self.scans {
            let received = scan.received.iter().filter_map(|it| it.run.as_deref());
            let asked: HashSet<&str> = received.chain(scan.asked.iter().filter_map(|it| it.run.as_deref())).collect();
            let own = |said: &&AgentTurn| {
                said.run.as_deref().is_some_and(|run| !run.starts_with("announce:") && !asked.contains(run))
            };
            steps.extend(scan.said.iter().filter(own).map(|said| (*scan, said)));
        }
        steps.sort_by_key(|(scan, said)| (said.at_ms, scan.session_id.clone(), said.place));
        for (scan, said) in steps {
            let ended = self.exchanges.iter_mut().filter(|it| it.may_be_announced(&scan.party, said.at_ms));
            if let Some(exchange) = ended.max_by_key(|it| it.last_ms) {
                exchange.announced(scan, None, Step::of(said));
            }
        }
    }
}

/// The agent's reaction to a received message.
fn reply(scan: &Scan, received: &ReceivedMessage) -> Step {
    let said = match &received.run {
        Some(run) => scan.said.iter().rev().find(|said| said.run.as_ref() == Some(run)),
        None => {
            let end = scan.begins().filter(|place| *place > received.place).min().unwrap_or(u64::MAX);
            let within = |said: &&AgentTurn| said.run.is_none() && (received.place..end).contains(&said.place);
            scan.said.iter().rev().find(within)
        }
    };
    said.map_or(Step::None, Step::of)
}

/// A response comes from the receiver.
pub(super) fn side(scan: &Scan, known: &Party) -> Party {
    if scan.party.key.is_some() { scan.party.clone() } else { known.clone() }
}

/// Adds a line to an event once only.
pub(super) fn add(event: &mut TalkEvent, scan: &Scan, place: u64) {
    let written = scan.written(place);
    if !event.written.contains(&written) {
        event.written.push(written);
    }
}

pub(super) fn is_answer(event: &TalkEvent) -> bool {
    matches!(event.kind, TalkKind::Send | TalkKind::Response | TalkKind::NoReply)
}
