//! Matching of the messages in the transcripts of one agent pair with the log, so that no message is in the hub twice.
//! It returns the events that only transcripts have, and the full texts of events that the log truncated. If the log
//! has only a part of an exchange, the missing events join the logged thread.
//!
//! Events match by run id, else by text and time. An answer whose text differs matches the nearest logged answer
//! between its request and the next request, at most ten minutes away.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::api::TranscriptPlace;
use crate::event::Event;
use crate::hub::{Hub, folded_key, push_tight};
use crate::merge::log_events::{self, EventScope};
use crate::merge::{AgentNamePair, TranscriptExchange, TranscriptExchanges, is_child, place};
use crate::transcript::exchanges::{ExchangeEvent, ExchangeEventKind};

/// The log may write a message this much later than its sender's transcript: old writers wrote it after the reply.
const LATER_MS: i64 = 1_200_000;
/// And this much earlier: clock differences on one machine.
const EARLIER_MS: i64 = 60_000;
/// Maximum distance in time between an answer and the log's line of it.
const NEAR_MS: i64 = 600_000;
/// A text with so many UTF-16 units may be cut (the log cuts at 200 and 4,000, and trims afterwards).
const CUT_UNITS: usize = 190;

/// What a transcript adds to an event of the log.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Fill {
    /// The whole text, where the log cut it.
    pub(crate) text: Option<String>,
    /// Its place in a transcript.
    #[serde(with = "crate::hub::saved::json")]
    pub(crate) place: Option<TranscriptPlace>,
    /// Keys of the sessions in whose transcripts it was read or between which it went, folded.
    pub(crate) keys: Vec<Arc<str>>,
}

/// Events and fills that a pair of agents gets from its transcripts.
#[derive(Debug, Default)]
pub(crate) struct MergePlan {
    pub(crate) events: Vec<Event>,
    pub(crate) fills: BTreeMap<u32, Fill>,
}

/// An event of the log.
struct LoggedEvent {
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

/// Pairs whose exchanges may change because of these events of the log.
pub(crate) fn concerns(hub: &Hub, talk: &TranscriptExchanges, events: &[u32]) -> BTreeSet<AgentNamePair> {
    let mut pairs = BTreeSet::new();
    if talk.is_empty() {
        return pairs;
    }
    for index in events.iter().copied().filter(|index| is_talk(hub, *index)) {
        let (one, other) = hub.speaker_and_addressee(index);
        let pair = if one <= other { (one, other) } else { (other, one) };
        let near = |exchange: &TranscriptExchange| (within(exchange).0..=within(exchange).1).contains(&hub.at(index));
        if talk.pairs.get(&pair).is_some_and(|all| all.iter().any(|at| near(&talk.exchanges[*at]))) {
            pairs.insert(pair);
        }
    }
    pairs
}

/// The part of these exchanges, all of one pair, that the log does not have.
pub(crate) fn plan(hub: &Hub, exchanges: &[&TranscriptExchange]) -> MergePlan {
    let logged = logged(hub, exchanges);
    let mut matching = Matching {
        logged: &logged,
        matched: vec![false; logged.len()],
        found: exchanges.iter().map(|exchange| vec![None; exchange.events.len()]).collect(),
        conversations: vec![None; exchanges.len()],
    };
    if !logged.is_empty() {
        matching.by_run(exchanges);
        matching.by_child(exchanges);
        matching.by_text(exchanges);
        matching.by_place(exchanges);
    }
    let (mut plan, mut keys) = (MergePlan::default(), KeyInterner::default());
    for (at, exchange) in exchanges.iter().enumerate() {
        let scope = match &matching.conversations[at] {
            Some(conversation) => EventScope { session: None, conversation },
            None => EventScope { session: Some(&exchange.session), conversation: &exchange.conversation },
        };
        for (number, event) in exchange.events.iter().enumerate() {
            match matching.found[at][number] {
                Some(held) => {
                    let line: &LoggedEvent = &logged[held];
                    let text = event.text.clone().filter(|text| fit(line.text.as_deref(), text) == TextFit::Cut);
                    let place = place::looked_up(event);
                    if text.is_some() || place.is_some() {
                        plan.fills.insert(line.index, Fill { text, place, keys: keys.intern_keys(event) });
                    }
                }
                None => log_events::push(exchange, number, scope, &mut plan.events),
            }
        }
    }
    plan
}

/// Interned keys of sessions: each is stored once for all fills of a pair.
#[derive(Default)]
struct KeyInterner(BTreeSet<Arc<str>>);

impl KeyInterner {
    fn intern_keys(&mut self, event: &ExchangeEvent) -> Vec<Arc<str>> {
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
fn within(exchange: &TranscriptExchange) -> (i64, i64) {
    (exchange.start().saturating_sub(NEAR_MS), exchange.end().saturating_add(LATER_MS))
}

fn is_talk(hub: &Hub, index: u32) -> bool {
    KINDS.contains(&hub.indexes.kinds.name(hub.meta_of(index).kind))
        && !crate::event::is_from_transcript(hub.events().parts(index).0)
}

/// Events of the log between these two in these time ranges, in order.
fn logged(hub: &Hub, exchanges: &[&TranscriptExchange]) -> Vec<LoggedEvent> {
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
    let events_of = |agent: &str| hub.indexes.by_agent.get(agent).map_or(&[][..], |posting| &posting.list);
    let list = if events_of(&one).len() <= events_of(&other).len() { events_of(&one) } else { events_of(&other) };
    let mut found = Vec::new();
    for (from, to) in spans {
        let begin = list.partition_point(|index| hub.at(*index) < from);
        let near = list[begin..].iter().copied().take_while(|index| hub.at(*index) <= to);
        for index in near.filter(|index| is_talk(hub, *index)) {
            let event = hub.event(index);
            let (from, to) = (event.speaker_name().into_owned(), event.addressee_name().into_owned());
            if (from == one && to == other) || (from == other && to == one) {
                found.push(LoggedEvent::from_event(index, event, from, to));
            }
        }
    }
    found
}

impl LoggedEvent {
    fn from_event(index: u32, event: &Event, from: String, to: String) -> Self {
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
    /// Events of the log between the two agents.
    logged: &'a [LoggedEvent],
    /// For each of `logged`, whether an event of an exchange matched it.
    matched: Vec<bool>,
    /// For each event of each exchange, the log's event.
    found: Vec<Vec<Option<usize>>>,
    /// For each exchange, the log's conversation.
    conversations: Vec<Option<String>>,
}

impl Matching<'_> {
    fn take(&mut self, (at, number): (usize, usize), held: usize) {
        self.matched[held] = true;
        self.found[at][number] = Some(held);
        if self.conversations[at].is_none() {
            self.conversations[at].clone_from(&self.logged[held].conversation);
        }
    }

    /// The best unmatched event that may be this one by kind, direction and conversation, and that fits.
    fn best(&self, at: usize, event: &ExchangeEvent, fits: impl Fn(&LoggedEvent) -> bool) -> Option<usize> {
        let known = self.conversations[at].as_deref();
        let free = self.logged.iter().enumerate().filter(|(held, line)| {
            !self.matched[*held]
                && may_be(event, line)
                && (known.is_none() || line.conversation.is_none() || line.conversation.as_deref() == known)
                && fits(line)
        });
        free.min_by_key(|(held, line)| (line.at.saturating_sub(event.at_ms).saturating_abs(), *held))
            .map(|(held, _)| held)
    }

    fn each(
        &mut self,
        exchanges: &[&TranscriptExchange],
        choose: impl Fn(&Self, usize, &TranscriptExchange, &ExchangeEvent) -> Option<usize>,
    ) {
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

    fn by_run(&mut self, exchanges: &[&TranscriptExchange]) {
        self.each(exchanges, |this, at, exchange, event| {
            let same_run = |line: &LoggedEvent| line.run.is_some() && line.run.as_deref() == exchange.run();
            match event.kind {
                ExchangeEventKind::Send | ExchangeEventKind::Refused | ExchangeEventKind::ChildResult => {
                    this.best(at, event, same_run)
                }
                ExchangeEventKind::Spawn | ExchangeEventKind::SpawnFailed => {
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
    fn by_child(&mut self, exchanges: &[&TranscriptExchange]) {
        for (at, exchange) in exchanges.iter().enumerate() {
            let spawn = exchange.events.iter().find(|event| event.kind == ExchangeEventKind::Spawn);
            if self.conversations[at].is_some() || !exchange.events.iter().any(|event| is_child(event.kind)) {
                continue;
            }
            let key = spawn.and_then(|event| event.to.key.as_deref());
            let of_child = |line: &&LoggedEvent| {
                let same_run = line.run.is_some() && line.run.as_deref() == exchange.run();
                let target = line.target.as_deref().zip(key);
                same_run || target.is_some_and(|(target, key)| target.eq_ignore_ascii_case(key))
            };
            let known = self.logged.iter().find(of_child);
            self.conversations[at] = known.and_then(|line| line.conversation.clone());
        }
    }

    fn by_text(&mut self, exchanges: &[&TranscriptExchange]) {
        self.each(exchanges, |this, at, _, event| {
            let transcript_text = event.text.as_deref()?;
            let near = reach(event.kind);
            this.best(at, event, |line| {
                let other_run = line.run.is_some() && event.run_id.is_some() && line.run != event.run_id;
                (near.0..=near.1).contains(&line.at.saturating_sub(event.at_ms))
                    && !other_run
                    && line.turn == event.turn.or(line.turn.filter(|_| is_child(event.kind)))
                    && fit(line.text.as_deref(), transcript_text) != TextFit::None
            })
        });
    }

    fn by_place(&mut self, exchanges: &[&TranscriptExchange]) {
        self.each(exchanges, |this, at, exchange, event| {
            this.conversations[at].as_ref()?;
            if !matches!(
                event.kind,
                ExchangeEventKind::Response
                    | ExchangeEventKind::NoReply
                    | ExchangeEventKind::Complete
                    | ExchangeEventKind::ChildResult
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
            let index = |line: &LoggedEvent| (line.index, line.at);
            let span: Vec<_> = this.logged.get(after..until).unwrap_or_default().iter().map(index).collect();
            this.best(at, event, |line| {
                line.conversation == this.conversations[at]
                    && span.contains(&index(line))
                    && (line.turn == event.turn || is_child(event.kind) || event.kind == ExchangeEventKind::Complete)
                    && line.at.saturating_sub(event.at_ms).saturating_abs() <= NEAR_MS
            })
        });
    }
}

fn reach(kind: ExchangeEventKind) -> (i64, i64) {
    match kind {
        ExchangeEventKind::Send
        | ExchangeEventKind::Refused
        | ExchangeEventKind::Spawn
        | ExchangeEventKind::SpawnFailed => (-EARLIER_MS, LATER_MS),
        _ => (-NEAR_MS, NEAR_MS),
    }
}

/// By its kind, sender and receiver.
fn may_be(event: &ExchangeEvent, line: &LoggedEvent) -> bool {
    let kind = match event.kind {
        ExchangeEventKind::Send | ExchangeEventKind::Refused => line.kind == "a2a.send",
        ExchangeEventKind::Response | ExchangeEventKind::ChildResult => line.kind == "a2a.response" && !line.missing,
        ExchangeEventKind::NoReply => line.kind == "a2a.response" && line.missing,
        ExchangeEventKind::Complete => line.kind == "a2a.complete",
        ExchangeEventKind::Spawn | ExchangeEventKind::SpawnFailed => line.kind == "a2a.spawn",
        ExchangeEventKind::Announce => false,
    };
    kind && line.from == event.from.agent && line.to == event.to.agent
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextFit {
    None,
    Whole,
    Cut,
}

/// How a text of the log matches a transcript's text.
fn fit(logged: Option<&str>, transcript_text: &str) -> TextFit {
    let Some(logged) = logged else { return TextFit::None };
    let transcript_text = as_logged(transcript_text);
    if logged.split_whitespace().eq(transcript_text.split_whitespace()) {
        return TextFit::Whole;
    }
    let uncut = logged.trim_end_matches('\u{fffd}').trim();
    let long = uncut.encode_utf16().count() >= CUT_UNITS;
    if long && transcript_text.starts_with(uncut) { TextFit::Cut } else { TextFit::None }
}

/// Cleans a text as the log's writer does (`contract/events.md` §5.1); an empty result leaves the text as it is.
fn as_logged(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let directive = |line: &str| {
        let inner = line.trim().strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]"));
        inner.is_some_and(|tag| !tag.is_empty() && tag.chars().all(|c| c.is_ascii_alphanumeric() || "_:- ".contains(c)))
    };
    let lines: Vec<&str> = text.lines().filter(|line| !directive(line)).collect();
    let cleaned = lines.join("\n").trim().to_owned();
    if cleaned.is_empty() { text.trim().to_owned() } else { cleaned }
}
