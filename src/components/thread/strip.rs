//! Loaded part of a session's timeline in the browser: a contiguous range of messages, marks and delegated runs.
//! [`LoadedRange`] adds and drops pages at both ends. [`Strip::items`] makes the list that is drawn.

use std::collections::HashMap;
use std::sync::Arc;

use coordination::api::{Timeline, TimelineItem, page_mark};
use coordination::ids::EventId;
use coordination::view::{LoadedRange, StreamEnd};

use super::flow::{Bubble, Last, MarkItem, SpeakerSide, StreamItem, is_folded, noticed};

/// A contiguous part of a session's timeline, oldest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Strip {
    /// What happened.
    pub items: Vec<Arc<TimelineItem>>,
    older: Option<String>,
    newer: Option<String>,
}

impl LoadedRange for Strip {
    type Page = Timeline;

    fn from_page(page: &Timeline) -> Self {
        Self {
            items: page.items.iter().cloned().map(Arc::new).collect(),
            older: page.previous_page.clone(),
            newer: page.next_page.clone(),
        }
    }

    fn count(&self) -> usize {
        self.items.len()
    }

    fn id_at(&self, place: usize) -> Option<&EventId> {
        self.items.get(place).map(|item| item.id())
    }

    fn place(&self, id: &EventId) -> Option<usize> {
        self.items.iter().position(|item| item.id() == id)
    }

    fn mark(&self, end: StreamEnd) -> Option<&String> {
        match end {
            StreamEnd::Older => self.older.as_ref(),
            StreamEnd::Newer => self.newer.as_ref(),
        }
    }

    fn join(&mut self, later: Self) {
        if let Some(first) = later.items.first() {
            let unchanged = self.items.partition_point(|item| place_of(item) < place_of(first));
            self.items.truncate(unchanged);
        }
        self.items.extend(later.items);
        self.newer = later.newer;
    }

    fn drop_oldest(&mut self, number: usize) {
        self.items.drain(..number.min(self.items.len()));
        if let Some(first) = self.items.first().filter(|_| number > 0) {
            self.older = Some(page_mark(at(first), first.id()));
        }
    }

    fn drop_newest(&mut self, number: usize) {
        self.items.truncate(self.items.len().saturating_sub(number));
        if let Some(last) = self.items.last().filter(|_| number > 0) {
            self.newer = Some(page_mark(at(last), last.id()));
        }
    }
}

impl Strip {
    /// The stream; `day` numbers the local day of a time. All speakers are on the left: there are more than two sides.
    pub fn items(&self, day: impl Fn(i64) -> i64) -> Vec<StreamItem> {
        let sends: HashMap<&EventId, _> = self
            .items
            .iter()
            .filter_map(|item| match &**item {
                TimelineItem::Message(entry) => Some((&entry.message.id, entry.exchange.as_ref()?)),
                _ => None,
            })
            .collect();
        let times: HashMap<&EventId, i64> = self.items.iter().map(|item| (item.id(), at(item))).collect();
        let marks = self.items.iter().filter_map(|item| match &**item {
            TimelineItem::Mark(noted) => Some(&noted.mark),
            _ => None,
        });
        let noticed = noticed(marks);
        let is_new = |item: &&Arc<TimelineItem>| !matches!(&***item, TimelineItem::Mark(noted) if is_folded(&noted.mark, &noticed));
        let mut items = Vec::new();
        let mut last = Last::default();
        let mut last_recipient = None;
        for item in self.items.iter().filter(is_new) {
            let ends_gap = matches!(&**item, TimelineItem::Message(_)).then(|| item.id());
            last.separate(&mut items, at(item), ends_gap, &day);
            let speaker = match &**item {
                TimelineItem::Message(entry) => {
                    let message = &entry.message;
                    let speaker = (message.from.clone(), message.human);
                    let to = Some((message.to.clone(), entry.thread.clone()));
                    let joined = last.joins(&speaker, message.at) && last_recipient == to;
                    last_recipient = to;
                    let answered_at = entry.exchange.as_ref().and_then(|e| {
                        let answer = e.delivery.answer_id.as_ref().and_then(|id| times.get(id).copied());
                        answer.or(e.delivery.settled_at)
                    });
                    items.push(StreamItem::Bubble(Box::new(Bubble {
                        message: Arc::new(message.clone()),
                        side: SpeakerSide::Left,
                        joined,
                        exchange: entry.exchange.clone(),
                        answered_at,
                        thread: Some(entry.thread.clone()),
                    })));
                    Some(speaker)
                }
                TimelineItem::Mark(noted) => {
                    let exchange = noted.mark.exchange_id.as_ref().and_then(|id| sends.get(id));
                    items.push(StreamItem::Mark(Box::new(MarkItem {
                        mark: Arc::new(noted.mark.clone()),
                        retries: exchange.map_or(0, |e| e.delivery.retries),
                        announced: exchange.and_then(|e| e.delivery.announced),
                        sent_at: exchange.map(|e| e.sent_at),
                    })));
                    None
                }
                TimelineItem::Run(run) => {
                    items.push(StreamItem::Run(run.clone()));
                    None
                }
            };
            last.record(at(item), speaker);
        }
        items
    }
}

fn at(item: &TimelineItem) -> i64 {
    match item {
        TimelineItem::Message(item) => item.message.at,
        TimelineItem::Mark(item) => item.mark.at,
        TimelineItem::Run(item) => item.at,
    }
}

/// The one order of events.
fn place_of(item: &TimelineItem) -> (i64, (&str, Option<u64>)) {
    (at(item), item.id().parts())
}

#[cfg(test)]
#[path = "strip_tests.rs"]
mod tests;
