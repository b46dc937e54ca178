//! Item list of a thread or of a session's timeline (all its threads in one list), in order: messages (bubbles), marks
//! (retry, end, missing answer), steps of delegated runs, day separators, idle gaps and the unread separator. Plain
//! values, without the DOM.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use coordination::api::{Exchange, Mark, MarkKind, Message, TimelineRun};
use coordination::ids::{AgentId, EventId, ThreadId};
use coordination::view::LoadedThread;

/// Silence at least this long before a bubble gets a line of its own.
pub const GAP_MS: i64 = 300_000;
/// Bubbles of one speaker closer than this share one name and avatar.
const JOIN_MS: i64 = 180_000;

/// Which side of the thread a bubble is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpeakerSide {
    /// The agent that opened the thread.
    Left,
    /// The other one.
    Right,
}

/// One line of the stream.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamItem {
    /// A new day begins.
    Day {
        /// Any time on that day.
        at: i64,
    },
    /// A pause without messages.
    Gap {
        /// How long.
        ms: i64,
        /// The bubble that ends it; names the item.
        before: EventId,
    },
    /// What follows was not read before.
    Unread {
        /// The first such bubble.
        first: EventId,
    },
    /// A bubble.
    Bubble(Box<Bubble>),
    /// A notice or a small mark.
    Mark(Box<MarkItem>),
    /// A step of delegated work, in a whole session.
    Run(Box<TimelineRun>),
}

/// A bubble with what is known about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Bubble {
    /// The message.
    pub message: Arc<Message>,
    /// Its side.
    pub side: SpeakerSide,
    /// True when the bubble before it already shows the same speaker.
    pub joined: bool,
    /// What became of it, for sends.
    pub exchange: Option<Exchange>,
    /// When its answer came, if it is among the loaded messages.
    pub answered_at: Option<i64>,
    /// Its thread, where one stream shows several.
    pub thread: Option<ThreadId>,
}

/// A mark with the send it belongs to.
#[derive(Debug, Clone, PartialEq)]
pub struct MarkItem {
    /// The mark.
    pub mark: Arc<Mark>,
    /// Retries made by the send it ends, for notices.
    pub retries: u32,
    /// How the exchange ended, if a `complete` follows a notice.
    pub announced: Option<bool>,
    /// When the send it ends was made, if that is among the loaded ones.
    pub sent_at: Option<i64>,
}

impl StreamItem {
    /// Key of the item and its content: a changed item has another key, so that it is redrawn.
    pub fn key(&self) -> String {
        match self {
            Self::Day { at } => format!("day-{at}"),
            Self::Gap { ms, before } => format!("gap-{before}-{ms}"),
            Self::Unread { first } => format!("unread-{first}"),
            Self::Bubble(bubble) => {
                let state = bubble.exchange.as_ref().map(|exchange| {
                    let d = &exchange.delivery;
                    (d.settled, d.settled_at, d.retries, d.turns, d.max_turns)
                });
                let text = (bubble.message.text.len(), bubble.message.turn, bubble.joined, bubble.answered_at);
                format!("{}|{state:?}|{text:?}", bubble.message.id)
            }
            Self::Mark(item) => format!("{}|{}|{:?}|{:?}", item.mark.id, item.retries, item.announced, item.sent_at),
            Self::Run(run) => format!("{}|{:?}|{}", run.id, run.state, run.text.len()),
        }
    }
}

/// The stream of a thread. `left` is the agent that opened the thread, `unread` the first message that was not read before,
/// `day` numbers the local day of a time.
pub fn thread_items(
    loaded: &LoadedThread,
    left: &AgentId,
    unread: Option<&EventId>,
    day: impl Fn(i64) -> i64,
) -> Vec<StreamItem> {
    let exchanges: HashMap<&EventId, &Exchange> = loaded.exchanges.iter().map(|e| (&e.id, e)).collect();
    let times: HashMap<&EventId, i64> = loaded.messages.iter().map(|m| (&m.id, m.at)).collect();
    let mut items = Vec::new();
    let mut last = Last::default();
    let noticed = noticed(loaded.marks.iter().map(|mark| &**mark));
    let mut marks = loaded.marks.iter().filter(|mark| !is_folded(mark, &noticed)).peekable();
    for message in &loaded.messages {
        while let Some(mark) = marks.next_if(|mark| mark.at < message.at) {
            push_mark(&mut items, &mut last, mark, &exchanges, &day);
        }
        last.separate(&mut items, message.at, Some(&message.id), &day);
        if unread == Some(&message.id) {
            items.push(StreamItem::Unread { first: message.id.clone() });
            last.speaker = None;
        }
        let speaker = (message.from.clone(), message.human);
        let joined = last.joins(&speaker, message.at);
        let exchange = exchanges.get(&message.id).copied().cloned();
        let answered_at = exchange.as_ref().and_then(|e| {
            e.delivery.answer_id.as_ref().and_then(|id| times.get(id).copied()).or(e.delivery.settled_at)
        });
        let side = if message.from == *left { SpeakerSide::Left } else { SpeakerSide::Right };
        items.push(StreamItem::Bubble(Box::new(Bubble {
            message: Arc::clone(message),
            side,
            joined,
            exchange,
            answered_at,
            thread: None,
        })));
        last.record(message.at, Some(speaker));
    }
    for mark in marks {
        push_mark(&mut items, &mut last, mark, &exchanges, &day);
    }
    items
}

fn push_mark(
    items: &mut Vec<StreamItem>,
    last: &mut Last,
    mark: &Arc<Mark>,
    exchanges: &HashMap<&EventId, &Exchange>,
    day: &impl Fn(i64) -> i64,
) {
    last.separate(items, mark.at, None, day);
    let exchange = mark.exchange_id.as_ref().and_then(|id| exchanges.get(id));
    items.push(StreamItem::Mark(Box::new(MarkItem {
        mark: Arc::clone(mark),
        retries: exchange.map_or(0, |e| e.delivery.retries),
        announced: exchange.and_then(|e| e.delivery.announced),
        sent_at: exchange.map(|e| e.sent_at),
    })));
    last.record(mark.at, None);
}

/// The sends whose missing answer a notice among `marks` reports.
pub(super) fn noticed<'m>(marks: impl Iterator<Item = &'m Mark>) -> HashSet<&'m EventId> {
    let is_notice = |mark: &&Mark| matches!(mark.kind, MarkKind::NoReply { .. } | MarkKind::Blocked { .. });
    marks.filter(is_notice).filter_map(|mark| mark.exchange_id.as_ref()).collect()
}

/// A `complete` that only repeats the notice before it adds nothing: the notice carries it.
pub(super) fn is_folded(mark: &Mark, noticed: &HashSet<&EventId>) -> bool {
    let MarkKind::Complete { turns, failed, .. } = &mark.kind else { return false };
    !failed && turns.unwrap_or(0) == 0 && mark.exchange_id.as_ref().is_some_and(|send| noticed.contains(send))
}

/// State of the stream while it is laid out.
#[derive(Default)]
pub(super) struct Last {
    at: i64,
    day: Option<i64>,
    speaker: Option<(AgentId, bool)>,
}

impl Last {
    /// True when this message continues the one just before, of the same speaker.
    pub(super) fn joins(&self, speaker: &(AgentId, bool), at: i64) -> bool {
        self.speaker.as_ref() == Some(speaker) && at - self.at < JOIN_MS
    }

    pub(super) fn separate(
        &mut self,
        items: &mut Vec<StreamItem>,
        at: i64,
        bubble: Option<&EventId>,
        day: &impl Fn(i64) -> i64,
    ) {
        if at <= 0 {
            return; // a line without a usable time stays with its neighbours
        }
        let silence = if self.at > 0 { at - self.at } else { 0 };
        if let Some(before) = bubble.filter(|_| silence >= GAP_MS) {
            items.push(StreamItem::Gap { ms: silence, before: before.clone() });
            self.speaker = None;
        }
        let today = day(at);
        if self.day != Some(today) {
            items.push(StreamItem::Day { at });
            self.day = Some(today);
            self.speaker = None;
        }
    }

    pub(super) fn record(&mut self, at: i64, speaker: Option<(AgentId, bool)>) {
        if at > 0 {
            self.at = at;
        }
        self.speaker = speaker;
    }
}

#[cfg(test)]
#[path = "flow_tests.rs"]
mod tests;
