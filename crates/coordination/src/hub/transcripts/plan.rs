//! Matching of the exchanges of two agents with the log: an exchange in the log is not inserted a second time; where
//! the log cut a text, the transcript's is used. An exchange that the log holds in part continues in the log's thread.
//!
//! Runs with a name match first, then texts with time and direction, then the place in an exchange: the first answer
//! after a message of the log is the log's first answer to it, whatever its words.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::api::TranscriptPlace;
use crate::event::Event;
use crate::hub::{Hub, folded_key, push_tight};
use crate::merge::write::{self, Belongs};
use crate::merge::{Exchange, Pair, Talk, is_child, place};
use crate::transcript::talk::{TalkEvent, TalkKind};

/// The log may write a message this much later than its sender's transcript: old writers wrote it after the reply.
const LATER_MS: i64 = 1_200_000;
/// And this much earlier: clock differences on one machine.
const EARLIER_MS: i64 = 60_000;
/// Maximum distance in time between an answer and the log's line of it.
const NEAR_MS: i64 = 600_000;
/// A text with so many UTF-16 units may be cut (the log cuts at 200 and 4,000, and trims afterwards).
const CUT_UNITS: usize = 190;

/// What a transcript adds to an event of the log.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Fill {
    /// The whole text, where the log cut it.
    pub(crate) text: Option<String>,
    /// Its place in a transcript.
    pub(crate) place: Option<TranscriptPlace>,
    /// Keys of the sessions in whose transcripts it was read or between which it went, folded.
    pub(crate) keys: Vec<Arc<str>>,
}

/// Events and fills that a pair of agents gets from its transcripts.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) events: Vec<Event>,
    pub(crate) fills: BTreeMap<u32, Fill>,
}

/// An event of the log.
struct Logged {
    index: u32,
    at: i64,
    kind: &'static str,
    from: String,
    to: String,
    run: Option<String>,
    conversation: Option<String>,
    target: Option<String>,
    turn: Option<u32>,
    missing: bool,
    text: Option<String>,
}

const KINDS: [&str; 5] = ["a2a.send", "a2a.response", "a2a.complete", "a2a.spawn", "a2a.spawn_result"];

/// Pairs whose exchanges may change because of these new events of the log.
pub(crate) fn concerns(hub: &Hub, talk: &Talk, events: &[u32]) -> BTreeSet<Pair> {
    let mut pairs = BTreeSet::new();
    if talk.is_empty() {
        return pairs;
    }
    for index in events.iter().copied().filter(|index| is_talk(hub, *index)) {
        let event = hub.event(index);
        let (one, other) = (event.speaker().0, event.addressee().0);
        let pair = if one <= other { (one, other) } else { (other, one) };
        let near = |exchange: &Exchange| (within(exchange).0..=within(exchange).1).contains(&event.at);
        if talk.pairs.get(&pair).is_some_and(|all| all.iter().any(|at| near(&talk.exchanges[*at]))) {
            pairs.insert(pair);
        }
    }
    pairs
}

/// The part of these exchanges, all of one pair, that the log does not have.
pub(crate) fn plan(hub: &Hub, exchanges: &[&Exchange]) -> Plan {
    let logged = logged(hub, exchanges);
    let mut matching = Matching {
        logged: &logged,
        taken: vec![false; logged.len()],
        found: exchanges.iter().map(|exchange| vec![None; exchange.events.len()]).collect(),
        conversations: vec![None; exchanges.len()],
    };
    if !logged.is_empty() {
        matching.by_run(exchanges);
        matching.by_child(exchanges);
        matching.by_text(exchanges);
        matching.by_place(exchanges);
    }
    let (mut plan, mut keys) = (Plan::default(), Shared::default());
    for (at, exchange) in exchanges.iter().enumerate() {
        let belongs = match &matching.conversations[at] {
            Some(conversation) => Belongs { session: None, conversation },
            None => Belongs { session: Some(&exchange.session), conversation: &exchange.conversation },
        };
        for (number, event) in exchange.events.iter().enumerate() {
            match matching.found[at][number] {
                Some(held) => {
                    let line: &Logged = &logged[held];
                    let text = event.text.clone().filter(|text| fit(line.text.as_deref(), text) == Fit::Cut);
                    let place = place::looked_up(event);
                    if text.is_some() || place.is_some() {
                        plan.fills.insert(line.index, Fill { text, place, keys: keys.of(event) });
                    }
                }
                None => write::events(exchange, number, belongs, &mut plan.events),
            }
        }
    }
    plan
}

/// Interned keys of sessions: each is stored once for all fills of a pair.
#[derive(Default)]
struct Shared(BTreeSet<Arc<str>>);

impl Shared {
    fn of(&mut self, event: &TalkEvent) -> Vec<Arc<str>> {
        let sides = [&event.from.key, &event.to.key].into_iter().filter_map(Option::as_deref);
        let read = event.written.iter().filter_map(|line| line.key.as_deref());
        let mut keys: Vec<Arc<str>> = Vec::new();
        for key in sides.chain(read).map(folded_key) {
            if keys.iter().any(|known| **known == *key) {
                continue;
            }
            let shared = self.0.get(&*key).cloned().unwrap_or_else(|| {
                let new: Arc<str> = key.as_ref().into();
                self.0.insert(Arc::clone(&new));
                new
            });
            push_tight(&mut keys, shared);
        }
        keys
    }
}

/// Time range in which the log may contain some of it.
fn within(exchange: &Exchange) -> (i64, i64) {
    (exchange.start().saturating_sub(NEAR_MS), exchange.end().saturating_add(LATER_MS))
}

fn is_talk(hub: &Hub, index: u32) -> bool {
    KINDS.contains(&hub.indexes.kinds.name(hub.fact(index).kind))
        && !crate::event::is_from_transcript(hub.events().parts(index).0)
}

/// Events of the log between these two in these time ranges, in order.
fn logged(hub: &Hub, exchanges: &[&Exchange]) -> Vec<Logged> {
    let Some(first) = exchanges.first() else { return Vec::new() };
    let (one, other) = first.pair();
    let mut spans: Vec<(i64, i64)> = Vec::new();
    for exchange in exchanges {
        let (from, to) = within(exchange);
        match spans.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => spans.push((from, to)),
        }
    }
    let of = |agent: &str| hub.indexes.by_agent.get(agent).map_or(&[][..], |posting| &posting.list);
    let list = if of(&one).len() <= of(&other).len() { of(&one) } else { of(&other) };
    let mut found = Vec::new();
    for (from, to) in spans {
        let begin = list.partition_point(|index| hub.at(*index) < from);
        let near = list[begin..].iter().copied().take_while(|index| hub.at(*index) <= to);
        for index in near.filter(|index| is_talk(hub, *index)) {
            let event = hub.event(index);
            let (from, to) = (event.speaker().0, event.addressee().0);
            if (from == one && to == other) || (from == other && to == one) {
                found.push(Logged::of(index, event, from, to));
            }
        }
    }
    found
}

impl Logged {
    fn of(index: u32, event: &Event, from: String, to: String) -> Self {
        let own = |text: Option<&str>| text.map(str::to_owned);
        Self {
            index,
            at: event.at,
            kind: KINDS.into_iter().find(|kind| *kind == event.event_type()).unwrap_or_default(),
            from,
            to,
            run: own(event.run_id().filter(|run| *run != "unknown")),
            conversation: own(event.conversation_id()),
            target: own(event.target_session_key()),
            turn: event.turn(),
            missing: event.missing_answer().is_some(),
            text: own(event.written_text()),
        }
    }
}

struct Matching<'a> {
    logged: &'a [Logged],
    taken: Vec<bool>,
    /// For each event of each exchange, the log's event.
    found: Vec<Vec<Option<usize>>>,
    /// For each exchange, the log's conversation.
    conversations: Vec<Option<String>>,
}

impl Matching<'_> {
    fn take(&mut self, (at, number): (usize, usize), held: usize) {
        self.taken[held] = true;
        self.found[at][number] = Some(held);
        if self.conversations[at].is_none() {
            self.conversations[at].clone_from(&self.logged[held].conversation);
        }
    }

    /// The best unmatched event that may be this one by kind, direction and conversation, and that fits.
    fn best(&self, at: usize, event: &TalkEvent, fits: impl Fn(&Logged) -> bool) -> Option<usize> {
        let known = self.conversations[at].as_deref();
        let free = self.logged.iter().enumerate().filter(|(held, line)| {
            !self.taken[*held]
                && may_be(event, line)
                && (known.is_none() || line.conversation.is_none() || line.conversation.as_deref() == known)
                && fits(line)
        });
        free.min_by_key(|(held, line)| (line.at.saturating_sub(event.at_ms).saturating_abs(), *held))
            .map(|(held, _)| held)
    }

    fn each(&mut self, exchanges: &[&Exchange], choose: impl Fn(&Self, usize, &Exchange, &TalkEvent) -> Option<usize>) {
        for (at, exchange) in exchanges.iter().enumerate() {
            for (number, event) in exchange.events.iter().enumerate() {
                if self.found[at][number].is_none()
                    && let Some(held) = choose(self, at, exchange, event)
                {
                    self.take((at, number), held);
                }
            }
        }
    }

    fn by_run(&mut self, exchanges: &[&Exchange]) {
        self.each(exchanges, |this, at, exchange, event| {
            let same_run = |line: &Logged| line.run.is_some() && line.run.as_deref() == exchange.run();
            match event.kind {
                TalkKind::Send | TalkKind::Refused | TalkKind::ChildResult => this.best(at, event, same_run),
                TalkKind::Spawn | TalkKind::SpawnFailed => {
                    let accepted = this.logged.iter().find(|line| line.kind == "a2a.spawn_result" && same_run(line));
                    let key = accepted.and_then(|line| line.target.as_deref()).or(event.to.key.as_deref())?;
                    this.best(at, event, |line| {
                        line.target.as_deref().is_some_and(|target| target.eq_ignore_ascii_case(key))
                    })
                }
                _ => None,
            }
        });
    }

    /// Where the log has only some lines of a child, its others join them.
    fn by_child(&mut self, exchanges: &[&Exchange]) {
        for (at, exchange) in exchanges.iter().enumerate() {
            let spawn = exchange.events.iter().find(|event| event.kind == TalkKind::Spawn);
            if self.conversations[at].is_some() || !exchange.events.iter().any(|event| is_child(event.kind)) {
                continue;
            }
            let key = spawn.and_then(|event| event.to.key.as_deref());
            let of_child = |line: &&Logged| {
                let same_run = line.run.is_some() && line.run.as_deref() == exchange.run();
                let target = line.target.as_deref().zip(key);
                same_run || target.is_some_and(|(target, key)| target.eq_ignore_ascii_case(key))
            };
            let known = self.logged.iter().find(of_child);
            self.conversations[at] = known.and_then(|line| line.conversation.clone());
        }
    }

    fn by_text(&mut self, exchanges: &[&Exchange]) {
        self.each(exchanges, |this, at, _, event| {
            let said = event.text.as_deref()?;
            let near = reach(event.kind);
            this.best(at, event, |line| {
                let other_run = line.run.is_some() && event.run_id.is_some() && line.run != event.run_id;
                (near.0..=near.1).contains(&line.at.saturating_sub(event.at_ms))
                    && !other_run
                    && line.turn == event.turn.or(line.turn.filter(|_| is_child(event.kind)))
                    && fit(line.text.as_deref(), said) != Fit::None
            })
        });
    }

    fn by_place(&mut self, exchanges: &[&Exchange]) {
        self.each(exchanges, |this, at, exchange, event| {
            this.conversations[at].as_ref()?;
            if !matches!(
                event.kind,
                TalkKind::Response | TalkKind::NoReply | TalkKind::Complete | TalkKind::ChildResult
            ) {
                return None;
            }
            // After the message, and before the next one of the same thread.
            let sent = this.found[at].iter().flatten().min().copied();
            let after = sent.map_or(0, |sent| sent + 1);
            let next = this.logged.iter().enumerate().skip(after).find(|(_, line)| {
                line.kind == "a2a.send"
                    && line.conversation == this.conversations[at]
                    && line.from == exchange.events[0].from.agent
            });
            let until = next.map_or(this.logged.len(), |(next, _)| next);
            let index = |line: &Logged| (line.index, line.at);
            let span: Vec<_> = this.logged.get(after..until).unwrap_or_default().iter().map(index).collect();
            this.best(at, event, |line| {
                line.conversation == this.conversations[at]
                    && span.contains(&index(line))
                    && (line.turn == event.turn || is_child(event.kind) || event.kind == TalkKind::Complete)
                    && line.at.saturating_sub(event.at_ms).saturating_abs() <= NEAR_MS
            })
        });
    }
}

fn reach(kind: TalkKind) -> (i64, i64) {
    match kind {
        TalkKind::Send | TalkKind::Refused | TalkKind::Spawn | TalkKind::SpawnFailed => (-EARLIER_MS, LATER_MS),
        _ => (-NEAR_MS, NEAR_MS),
    }
}

/// By its kind, sender and receiver.
fn may_be(event: &TalkEvent, line: &Logged) -> bool {
    let kind = match event.kind {
        TalkKind::Send | TalkKind::Refused => line.kind == "a2a.send",
        TalkKind::Response | TalkKind::ChildResult => line.kind == "a2a.response" && !line.missing,
        TalkKind::NoReply => line.kind == "a2a.response" && line.missing,
        TalkKind::Complete => line.kind == "a2a.complete",
        TalkKind::Spawn | TalkKind::SpawnFailed => line.kind == "a2a.spawn",
        TalkKind::Announce => false,
    };
    kind && line.from == event.from.agent && line.to == event.to.agent
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    None,
    Whole,
    Cut,
}

/// How a text of the log matches a transcript's text.
fn fit(logged: Option<&str>, said: &str) -> Fit {
    let Some(logged) = logged else { return Fit::None };
    let said = as_logged(said);
    if logged.split_whitespace().eq(said.split_whitespace()) {
        return Fit::Whole;
    }
    let kept = logged.trim_end_matches('\u{fffd}').trim();
    let long = kept.encode_utf16().count() >= CUT_UNITS;
    if long && said.starts_with(kept) { Fit::Cut } else { Fit::None }
}

/// Cleans a text as the log's writer does (`contract/events.md` §5.1); an empty result leaves the text as it is.
fn as_logged(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let directive = |line: &str| {
        let inner = line.trim().strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]"));
        inner.is_some_and(|tag| !tag.is_empty() && tag.chars().all(|c| c.is_ascii_alphanumeric() || "_:- ".contains(c)))
    };
    let kept: Vec<&str> = text.lines().filter(|line| !directive(line)).collect();
    let kept = kept.join("\n").trim().to_owned();
    if kept.is_empty() { text.trim().to_owned() } else { kept }
}
