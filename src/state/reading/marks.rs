//! Read marks as a plain value, without browser APIs: the last read message of up to 1,000 threads, and the time up to
//! which all messages count as read. Unread counts are computed from them.

use std::collections::BTreeMap;

use coordination::api::{SessionCard, Talk, ThreadSummary};
use coordination::ids::{EventId, SessionId, ThreadId};
use serde_json::{Value, json};

use crate::state::stored::Persistent;

/// Maximum number of stored threads. A mark is some 120 bytes, and a browser stores five megabytes for a page.
pub(super) const MAX_THREAD_MARKS: usize = 1_000;
/// Form of what is stored; another one is not read.
const VERSION: u64 = 1;

/// How far a thread was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadMark {
    /// Bubbles up to and with the newest one seen.
    pub count: u32,
    /// The newest bubble seen.
    pub last: EventId,
    /// Its time, epoch ms.
    pub at: i64,
}

/// What is unread. Only messages count, never other events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnreadCount {
    /// Nothing.
    #[default]
    None,
    /// Number of bubbles.
    Some(u32),
    /// Something; how much is not known.
    Unknown,
}

impl UnreadCount {
    /// Whether anything is.
    pub fn any(self) -> bool {
        self != Self::None
    }

    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, one) | (one, Self::None) => one,
            (Self::Some(a), Self::Some(b)) => Self::Some(a.saturating_add(b)),
            _ => Self::Unknown,
        }
    }
}

/// All marks of a user.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks {
    /// Messages up to then count as read, epoch ms; nothing is counted before it is known.
    pub(super) floor: Option<i64>,
    /// What was seen since, at most [`MAX_THREAD_MARKS`]. The longest unmoved leave first, and the floor rises to them.
    threads: BTreeMap<(SessionId, ThreadId), ThreadMark>,
}

impl Marks {
    /// How far a thread was seen.
    pub(super) fn mark_of(&self, session: &SessionId, thread: &ThreadId) -> Option<&ThreadMark> {
        // The map needs a pair it can borrow; ids are short.
        self.threads.get(&(session.clone(), thread.clone()))
    }

    /// The thread was seen so far; a mark never goes back. False when that was known.
    pub(super) fn saw(&mut self, session: &SessionId, thread: &ThreadId, mark: ThreadMark) -> bool {
        if self.knows(session, thread, &mark) {
            return false;
        }
        let ahead = match self.mark_of(session, thread) {
            Some(known) if known.at > mark.at => ThreadMark { count: mark.count, ..known.clone() },
            Some(known) => ThreadMark { count: mark.count.max(known.count), ..mark },
            None => mark,
        };
        self.threads.insert((session.clone(), thread.clone()), ahead);
        self.shrink();
        true
    }

    /// True when the thread was seen that far already.
    pub(super) fn knows(&self, session: &SessionId, thread: &ThreadId, mark: &ThreadMark) -> bool {
        self.mark_of(session, thread).is_some_and(|known| known.at >= mark.at && known.count >= mark.count)
    }

    /// Everything until `now` counts as read, and the messages of `cards` as far as the cards show.
    pub(super) fn read_all(&mut self, now: i64, cards: &[SessionCard]) {
        let newest = cards.iter().flat_map(|card| &card.talks).map(|talk| talk.at).max();
        self.floor = Some(self.floor.unwrap_or(now).max(now).max(newest.unwrap_or(now)));
        // A mark older than the floor would count as unread what the floor counts as read.
        self.threads.clear();
        for card in cards {
            for Talk { thread_id, count, last, at } in card.talks.clone() {
                self.saw(&card.work_session_id, &thread_id, ThreadMark { count, last, at });
            }
        }
    }

    /// As it was before, with what was seen meanwhile.
    pub(super) fn back_to(&mut self, mut before: Self, since: &Self) {
        for ((session, thread), mark) in &self.threads {
            if since.mark_of(session, thread) != Some(mark) {
                before.saw(session, thread, mark.clone());
            }
        }
        *self = before;
    }

    fn shrink(&mut self) {
        while self.threads.len() > MAX_THREAD_MARKS {
            let oldest = self.threads.iter().min_by_key(|(_, mark)| mark.at).map(|(key, mark)| (key.clone(), mark.at));
            let Some((key, at)) = oldest else { return };
            self.threads.remove(&key);
            self.floor = self.floor.map(|floor| floor.max(at));
        }
    }

    /// What is unread of a thread.
    pub(super) fn of_thread(&self, session: &SessionId, thread: &ThreadSummary) -> UnreadCount {
        let newest = thread.last_message.as_ref().map_or(thread.last_time, |last| last.at);
        self.unread(session, &thread.thread_id, thread.message_count, newest, thread.start_time)
    }

    /// What is unread of a session: the sum over its threads.
    pub(super) fn of_card(&self, card: &SessionCard) -> UnreadCount {
        let Some(floor) = self.floor else { return UnreadCount::None };
        let session = &card.work_session_id;
        let talks = card.talks.iter();
        let unread = talks.map(|talk| self.unread(session, &talk.thread_id, talk.count, talk.at, card.start_time));
        let unread = unread.fold(UnreadCount::None, UnreadCount::and);
        // A card names its newest threads only; what it leaves out is older than what it names.
        let named: u32 = card.talks.iter().map(|talk| talk.count).sum();
        let left_out = card.message_count.saturating_sub(named);
        let newest = card.last_message.as_ref().map_or(card.last_time, |last| last.at);
        let newest_left_out = card.talks.iter().map(|talk| talk.at).min().unwrap_or(newest);
        if left_out == 0 || newest_left_out <= floor {
            return unread;
        }
        let own = self.threads.range((session.clone(), ThreadId::default())..);
        let own = own.take_while(|((other, _), _)| other == session);
        let seen: u32 = own
            .filter(|((_, thread), _)| card.talks.iter().all(|talk| talk.thread_id != *thread))
            .map(|(_, mark)| mark.count)
            .sum();
        match left_out.saturating_sub(seen) {
            0 => unread,
            rest if card.start_time > floor => unread.and(UnreadCount::Some(rest)),
            _ => UnreadCount::Unknown,
        }
    }

    fn unread(&self, session: &SessionId, thread: &ThreadId, count: u32, newest: i64, start: i64) -> UnreadCount {
        let Some(floor) = self.floor else { return UnreadCount::None };
        if count == 0 || newest <= floor {
            return UnreadCount::None;
        }
        match self.mark_of(session, thread) {
            Some(mark) if count > mark.count => UnreadCount::Some(count - mark.count),
            // Bubbles may have moved to another thread, and new ones come in their place.
            Some(mark) if newest > mark.at => UnreadCount::Unknown,
            Some(_) => UnreadCount::None,
            None if start > floor => UnreadCount::Some(count),
            None => UnreadCount::Unknown,
        }
    }
}

impl Persistent for Marks {
    const KEY: &'static str = "task-hub.read";

    fn to_text(&self) -> String {
        let threads: Vec<Value> = self
            .threads
            .iter()
            .map(|((session, thread), mark)| {
                json!([session.as_str(), thread.as_str(), mark.count, mark.last.as_str(), mark.at])
            })
            .collect();
        json!({ "v": VERSION, "floor": self.floor, "threads": threads }).to_string()
    }

    // Damaged marks are left out.
    fn from_text(text: &str) -> Option<Self> {
        let stored: Value = serde_json::from_str(text).ok()?;
        if stored.get("v").and_then(Value::as_u64) != Some(VERSION) {
            return None;
        }
        let mut marks = Self { floor: stored.get("floor").and_then(Value::as_i64), threads: BTreeMap::new() };
        for row in stored.get("threads").and_then(Value::as_array).into_iter().flatten() {
            let text = |at: usize| row.get(at).and_then(Value::as_str);
            let (Some(session), Some(thread), Some(last)) = (text(0), text(1), text(3)) else { continue };
            let count = row.get(2).and_then(Value::as_u64).and_then(|count| u32::try_from(count).ok());
            let (Some(count), Some(at)) = (count, row.get(4).and_then(Value::as_i64)) else { continue };
            marks.saw(&session.into(), &thread.into(), ThreadMark { count, last: last.into(), at });
        }
        Some(marks)
    }
}

#[cfg(test)]
mod tests;
