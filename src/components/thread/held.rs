//! Loaded part of a thread: a contiguous range of its messages with marks and exchanges. [`Paged`] adds and drops
//! pages.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use coordination::api::{Exchange, Mark, Message, ThreadPage, page_mark};
use coordination::ids::EventId;

use super::paged::Paged;
use super::window::StreamEnd;

/// One unbroken run of a thread, oldest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Loaded {
    /// Bubbles.
    pub messages: Vec<Arc<Message>>,
    /// Marks among them.
    pub marks: Vec<Arc<Mark>>,
    /// Deliveries of the sends among them.
    pub exchanges: Vec<Exchange>,
    /// Bubbles of the thread before them.
    pub offset: usize,
    /// Mark of the older page, if there is one.
    pub older: Option<String>,
    /// Mark of the newer page, if the newest are not held.
    pub newer: Option<String>,
}

impl Paged for Loaded {
    type Page = ThreadPage;

    fn from_page(page: &ThreadPage) -> Self {
        Self {
            messages: page.messages.iter().cloned().map(Arc::new).collect(),
            marks: page.marks.iter().cloned().map(Arc::new).collect(),
            exchanges: page.exchanges.clone(),
            offset: page.offset as usize,
            older: page.previous_page.clone(),
            newer: page.next_page.clone(),
        }
    }

    fn count(&self) -> usize {
        self.messages.len()
    }

    fn id_at(&self, place: usize) -> Option<&EventId> {
        self.messages.get(place).map(|message| &message.id)
    }

    fn place(&self, id: &EventId) -> Option<usize> {
        self.messages.iter().position(|message| message.id == *id)
    }

    fn mark(&self, end: StreamEnd) -> Option<&String> {
        match end {
            StreamEnd::Older => self.older.as_ref(),
            StreamEnd::Newer => self.newer.as_ref(),
        }
    }

    fn join(&mut self, later: Self) {
        let Some(first) = later.messages.first().cloned() else {
            self.newer = later.newer;
            return;
        };
        let unchanged = self.messages.partition_point(|message| order(message, &first).is_lt());
        self.messages.truncate(unchanged);
        self.marks.retain(|mark| is_before(mark, &first));
        let known: HashSet<&EventId> = later.exchanges.iter().map(|exchange| &exchange.id).collect();
        self.exchanges.retain(|exchange| !known.contains(&exchange.id));
        if self.messages.is_empty() {
            self.offset = later.offset;
        }
        self.messages.extend(later.messages);
        let marks: HashSet<EventId> = self.marks.iter().map(|mark| mark.id.clone()).collect();
        self.marks.extend(later.marks.into_iter().filter(|mark| !marks.contains(&mark.id)));
        self.exchanges.extend(later.exchanges);
        self.newer = later.newer;
    }

    fn drop_oldest(&mut self, number: usize) {
        if number == 0 {
            return;
        }
        self.messages.drain(..number.min(self.messages.len()));
        self.offset += number;
        if let Some(first) = self.messages.first().cloned() {
            self.older = Some(page_mark(first.at, &first.id));
            self.marks.retain(|mark| !is_before(mark, &first));
        }
        self.forget_exchanges();
    }

    fn drop_newest(&mut self, number: usize) {
        if number == 0 {
            return;
        }
        let dropped = self.messages.split_off(self.messages.len().saturating_sub(number));
        if let (Some(dropped), Some(last)) = (dropped.first(), self.messages.last()) {
            self.newer = Some(page_mark(last.at, &last.id));
            self.marks.retain(|mark| is_before(mark, dropped));
        }
        self.forget_exchanges();
    }
}

impl Loaded {
    /// True when a message or mark of this id is held.
    pub fn holds(&self, id: &EventId) -> bool {
        self.place(id).is_some() || self.marks.iter().any(|mark| mark.id == *id)
    }

    /// True when the thread continues beyond this end.
    pub fn has_more(&self, end: StreamEnd) -> bool {
        self.mark(end).is_some()
    }

    /// Deliveries go with their sends.
    fn forget_exchanges(&mut self) {
        let sends: HashSet<&EventId> = self.messages.iter().map(|message| &message.id).collect();
        self.exchanges.retain(|exchange| sends.contains(&exchange.id));
    }
}

fn order(a: &Message, b: &Message) -> Ordering {
    a.at.cmp(&b.at).then_with(|| a.id.cmp_position(&b.id))
}

fn is_before(mark: &Mark, message: &Message) -> bool {
    mark.at.cmp(&message.at).then_with(|| mark.id.cmp_position(&message.id)).is_lt()
}

#[cfg(test)]
#[path = "held_tests.rs"]
mod tests;
