//! The order of things in a thread: bubbles, marks, day separators and idle gaps as one list of items.
//! Plain values in, plain values out; the browser's time zone comes in as a function.

use std::collections::HashMap;

use coordination::api::{Exchange, Mark, MarkKind, Message, ThreadPage};
use coordination::ids::{AgentId, EventId};

/// Silence at least this long before a bubble gets a line of its own.
pub const GAP_MS: i64 = 300_000;
/// Bubbles of one speaker closer than this share one name and avatar.
const JOIN_MS: i64 = 180_000;

/// Which side of the thread a bubble stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The agent that opened the thread.
    Left,
    /// The other one.
    Right,
}

/// One line of the stream.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A new day begins.
    Day {
        /// Any time on that day.
        at: i64,
    },
    /// Nothing was said for a while.
    Gap {
        /// How long.
        ms: i64,
        /// The bubble that ends it; names the item.
        before: EventId,
    },
    /// A bubble.
    Bubble(Box<Bubble>),
    /// A notice or a small mark.
    Mark(Box<MarkItem>),
}

/// A bubble with what is known about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Bubble {
    /// The message.
    pub message: Message,
    /// Where it stands.
    pub side: Side,
    /// True when the bubble before it already shows the same speaker.
    pub joined: bool,
    /// What became of it, for sends.
    pub exchange: Option<Exchange>,
    /// When its answer came, if it is among the loaded messages.
    pub answered_at: Option<i64>,
}

/// A mark with the send it belongs to.
#[derive(Debug, Clone, PartialEq)]
pub struct MarkItem {
    /// The mark.
    pub mark: Mark,
    /// Retries made by the send it ends, for notices.
    pub retries: u32,
    /// How the exchange ended, if a `complete` follows a notice.
    pub announced: Option<bool>,
}

impl Item {
    /// Names the item and its content: a changed item is another key, so that it is drawn anew.
    pub fn key(&self) -> String {
        match self {
            Self::Day { at } => format!("day-{at}"),
            Self::Gap { ms, before } => format!("gap-{before}-{ms}"),
            Self::Bubble(bubble) => {
                let state = bubble.exchange.as_ref().map(|exchange| {
                    let d = &exchange.delivery;
                    (d.settled, d.settled_at, d.retries, d.turns, d.max_turns)
                });
                let text = (bubble.message.text.len(), bubble.message.turn, bubble.joined, bubble.answered_at);
                format!("{}|{state:?}|{text:?}", bubble.message.id)
            }
            Self::Mark(item) => format!("{}|{}|{:?}", item.mark.id, item.retries, item.announced),
        }
    }
}

/// What the stream is made of: everything loaded of one thread, oldest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Loaded {
    /// Bubbles.
    pub messages: Vec<Message>,
    /// Marks.
    pub marks: Vec<Mark>,
    /// Deliveries.
    pub exchanges: Vec<Exchange>,
    /// Mark of the older page, if there is one.
    pub older: Option<String>,
    /// Mark of the newer page, if the newest are not loaded.
    pub newer: Option<String>,
}

impl Loaded {
    /// A first page.
    pub fn from_page(page: &ThreadPage) -> Self {
        Self {
            messages: page.messages.clone(),
            marks: page.marks.clone(),
            exchanges: page.exchanges.clone(),
            older: page.previous_page.clone(),
            newer: page.next_page.clone(),
        }
    }

    /// Puts an older page in front.
    pub fn prepend(&mut self, page: &ThreadPage) {
        let (messages, marks, exchanges) = (page.messages.clone(), page.marks.clone(), page.exchanges.clone());
        self.messages = joined(messages, std::mem::take(&mut self.messages), |m| &m.id);
        self.marks = joined(marks, std::mem::take(&mut self.marks), |m| &m.id);
        self.exchanges = joined(exchanges, std::mem::take(&mut self.exchanges), |e| &e.id);
        self.older.clone_from(&page.previous_page);
    }

    /// Puts a newer page behind.
    pub fn append(&mut self, page: &ThreadPage) {
        self.take_newer(page);
        self.newer.clone_from(&page.next_page);
    }

    /// Takes in the newest page as it is now. Returns how many bubbles are new. Without an overlap (more arrived
    /// than one page holds) only the newest page stays: a hole must never look like silence.
    pub fn refresh(&mut self, page: &ThreadPage) -> usize {
        let known = page.messages.first().is_none_or(|first| self.messages.iter().any(|m| m.id == first.id));
        if !known && page.previous_page.is_some() {
            let new = page.messages.iter().filter(|m| !self.messages.iter().any(|old| old.id == m.id)).count();
            *self = Self::from_page(page);
            return new;
        }
        let before = self.messages.len();
        self.take_newer(page);
        self.newer.clone_from(&page.next_page);
        self.messages.len() - before
    }

    fn take_newer(&mut self, page: &ThreadPage) {
        self.messages = joined(std::mem::take(&mut self.messages), page.messages.clone(), |m| &m.id);
        self.marks = joined(std::mem::take(&mut self.marks), page.marks.clone(), |m| &m.id);
        self.exchanges = joined(std::mem::take(&mut self.exchanges), page.exchanges.clone(), |e| &e.id);
    }

    /// The stream. `left` is the agent that opened the thread, `day` numbers the local day of a time.
    pub fn items(&self, left: &AgentId, day: impl Fn(i64) -> i64) -> Vec<Item> {
        let exchanges: HashMap<&EventId, &Exchange> = self.exchanges.iter().map(|e| (&e.id, e)).collect();
        let times: HashMap<&EventId, i64> = self.messages.iter().map(|m| (&m.id, m.at)).collect();
        let mut items = Vec::new();
        let mut last = Last::default();
        let mut marks = self.marks.iter().filter(|mark| !self.is_folded(mark)).peekable();
        for message in &self.messages {
            while let Some(mark) = marks.next_if(|mark| mark.at < message.at) {
                self.push_mark(&mut items, &mut last, mark, &exchanges, &day);
            }
            last.separate(&mut items, message.at, Some(&message.id), &day);
            let speaker = (message.from.clone(), message.human);
            let joined = last.speaker.as_ref() == Some(&speaker) && message.at - last.at < JOIN_MS;
            let exchange = exchanges.get(&message.id).copied().cloned();
            let answered_at = exchange.as_ref().and_then(|e| {
                e.delivery.answer_id.as_ref().and_then(|id| times.get(id).copied()).or(e.delivery.settled_at)
            });
            let side = if message.from == *left { Side::Left } else { Side::Right };
            items.push(Item::Bubble(Box::new(Bubble {
                message: message.clone(),
                side,
                joined,
                exchange,
                answered_at,
            })));
            last.said(message.at, Some(speaker));
        }
        for mark in marks {
            self.push_mark(&mut items, &mut last, mark, &exchanges, &day);
        }
        items
    }

    fn push_mark(
        &self,
        items: &mut Vec<Item>,
        last: &mut Last,
        mark: &Mark,
        exchanges: &HashMap<&EventId, &Exchange>,
        day: &impl Fn(i64) -> i64,
    ) {
        last.separate(items, mark.at, None, day);
        let exchange = mark.exchange_id.as_ref().and_then(|id| exchanges.get(id));
        items.push(Item::Mark(Box::new(MarkItem {
            mark: mark.clone(),
            retries: exchange.map_or(0, |e| e.delivery.retries),
            announced: exchange.and_then(|e| e.delivery.announced),
        })));
        last.said(mark.at, None);
    }

    /// A `complete` that only repeats the notice before it says nothing new: the notice carries it.
    fn is_folded(&self, mark: &Mark) -> bool {
        let MarkKind::Complete { turns, failed, .. } = &mark.kind else { return false };
        !failed
            && turns.unwrap_or(0) == 0
            && mark.exchange_id.is_some()
            && self.marks.iter().any(|other| {
                other.exchange_id == mark.exchange_id
                    && matches!(other.kind, MarkKind::NoReply { .. } | MarkKind::Blocked { .. })
            })
    }
}

/// Where the stream stands while it is laid out.
#[derive(Default)]
struct Last {
    at: i64,
    day: Option<i64>,
    speaker: Option<(AgentId, bool)>,
}

impl Last {
    fn separate(&mut self, items: &mut Vec<Item>, at: i64, bubble: Option<&EventId>, day: &impl Fn(i64) -> i64) {
        if at <= 0 {
            return; // a line without a usable time stays with its neighbours
        }
        let silence = if self.at > 0 { at - self.at } else { 0 };
        if let Some(before) = bubble.filter(|_| silence >= GAP_MS) {
            items.push(Item::Gap { ms: silence, before: before.clone() });
            self.speaker = None;
        }
        let today = day(at);
        if self.day != Some(today) {
            items.push(Item::Day { at });
            self.day = Some(today);
            self.speaker = None;
        }
    }

    fn said(&mut self, at: i64, speaker: Option<(AgentId, bool)>) {
        if at > 0 {
            self.at = at;
        }
        self.speaker = speaker;
    }
}

/// Both lists, the second one's version of what both hold, in the place where it first stood.
fn joined<T, K: PartialEq>(first: Vec<T>, second: Vec<T>, key: impl Fn(&T) -> &K) -> Vec<T> {
    let mut all = first;
    for item in second {
        match all.iter_mut().rev().find(|old| key(old) == key(&item)) {
            Some(old) => *old = item,
            None => all.push(item),
        }
    }
    all
}

#[cfg(test)]
#[path = "flow_tests.rs"]
mod tests;
