//! Loaded part of a message thread: a contiguous range of messages with marks and exchanges. [`LoadedRange`] adds and
//! drops pages of messages; [`LoadedThread::apply`] applies a patch from a live frame. [`RecentPatches`] stores the
//! newest patches. They are applied to a page that arrives after them but was computed before.

use std::cmp::Ordering;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use crate::api::{Cursor, Exchange, Mark, Message, ThreadPage, ThreadPatch, page_mark};
use crate::ids::EventId;

use super::{LoadedRange, StreamEnd};

/// One unbroken run of a thread, oldest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LoadedThread {
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

impl LoadedRange for LoadedThread {
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

impl LoadedThread {
    /// True when a message or mark of this id is held.
    #[must_use]
    pub fn holds(&self, id: &EventId) -> bool {
        self.place(id).is_some() || self.marks.iter().any(|mark| mark.id == *id)
    }

    /// True when the thread continues beyond this end.
    #[must_use]
    pub fn has_more(&self, end: StreamEnd) -> bool {
        self.mark(end).is_some()
    }

    /// Takes the items that a live frame brings. `keep` is the end the user is near: the other one gives way.
    pub fn apply(&mut self, patch: &ThreadPatch, keep: StreamEnd) -> PatchResult {
        if patch.replaced {
            return PatchResult::AskAgain;
        }
        let news: Vec<&Message> = patch.messages.iter().filter(|message| !self.is_beyond(message)).collect();
        // What lies before the range changes how many there are before it, which only the monitor can count.
        let earlier = |message: &&Message| self.messages.first().is_some_and(|first| order(message, first).is_lt());
        if news.iter().any(earlier) {
            return PatchResult::AskAgain;
        }
        for message in news {
            match self.messages.binary_search_by(|other| order(other, message)) {
                Ok(at) => self.messages[at] = Arc::new(message.clone()),
                Err(at) => self.messages.insert(at, Arc::new(message.clone())),
            }
        }
        // Beyond the newer end nothing is held; before the older one marks belong to the page there.
        let first = self.messages.first().filter(|_| self.older.is_some()).cloned();
        let last = self.messages.last().filter(|_| self.newer.is_some()).cloned();
        for mark in &patch.marks {
            if first.as_ref().is_some_and(|first| is_before(mark, first))
                || last.as_ref().is_some_and(|last| !is_before(mark, last))
            {
                continue;
            }
            let at = |other: &Arc<Mark>| other.at.cmp(&mark.at).then_with(|| other.id.cmp_position(&mark.id));
            match self.marks.binary_search_by(at) {
                Ok(place) => self.marks[place] = Arc::new(mark.clone()),
                Err(place) => self.marks.insert(place, Arc::new(mark.clone())),
            }
        }
        for exchange in &patch.exchanges {
            match self.exchanges.iter_mut().find(|held| held.id == exchange.id) {
                Some(held) => held.clone_from(exchange),
                None => self.exchanges.push(exchange.clone()),
            }
        }
        self.forget_exchanges();
        self.trim(keep.other());
        PatchResult::Applied
    }

    /// True for a message behind the range, while the newest messages are not loaded.
    fn is_beyond(&self, message: &Message) -> bool {
        self.newer.is_some() && self.messages.last().is_none_or(|last| order(message, last).is_gt())
    }

    /// Deliveries go with their sends.
    fn forget_exchanges(&mut self) {
        let sends: HashSet<&EventId> = self.messages.iter().map(|message| &message.id).collect();
        self.exchanges.retain(|exchange| sends.contains(&exchange.id));
    }
}

/// Whether the items of a frame could be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchResult {
    /// The range is as a fresh answer would be.
    Applied,
    /// What came before the range changed: ask for it again.
    AskAgain,
}

/// The newest patches of the open thread. An answer that was computed before some of them is brought up to date by
/// them.
#[derive(Debug, Clone, Default)]
pub struct RecentPatches {
    /// Process run of the frames that brought them.
    epoch: Option<String>,
    patches: VecDeque<(u64, ThreadPatch)>,
    /// Position of the newest one that is no longer kept.
    dropped: u64,
}

impl RecentPatches {
    /// How many are kept: more frames than come while an answer is under way.
    const MAX: usize = 256;

    /// Keeps the patch of the frame at this position.
    pub fn push(&mut self, at: &Cursor, patch: ThreadPatch) {
        if self.epoch.as_ref() != Some(&at.epoch) {
            *self = Self { epoch: Some(at.epoch.clone()), ..Self::default() };
        }
        self.patches.push_back((at.seq, patch));
        if self.patches.len() > Self::MAX
            && let Some((seq, _)) = self.patches.pop_front()
        {
            self.dropped = seq;
        }
    }

    /// The patches of frames after this position; `None` when some of them are no longer kept. Those of another process run
    /// say nothing about it: when the stream moves there, the thread is asked for again.
    #[must_use]
    pub fn after(&self, position: &Cursor) -> Option<impl Iterator<Item = &ThreadPatch>> {
        let seq = position.seq;
        let is_same_run = self.epoch.as_ref() == Some(&position.epoch);
        let later = self.patches.iter().filter(move |(at, _)| is_same_run && *at > seq).map(|(_, patch)| patch);
        (!is_same_run || self.dropped <= seq).then_some(later)
    }
}

fn order(a: &Message, b: &Message) -> Ordering {
    a.at.cmp(&b.at).then_with(|| a.id.cmp_position(&b.id))
}

fn is_before(mark: &Mark, message: &Message) -> bool {
    mark.at.cmp(&message.at).then_with(|| mark.id.cmp_position(&message.id)).is_lt()
}

#[cfg(test)]
mod tests;
