//! Threads of a session's folded state: which thread an event of main agents belongs to, which sends wait, and which
//! threads ended with a failed one.

use super::Log;
use super::changes::ThreadChanges;
use super::event_meta::push_tight;
use super::session::{FoldState, PendingSend};
use super::thread::{Thread, ThreadKey};
use crate::event::Event;
use crate::ids::ThreadId;
use crate::session::PAIR_GAP_MS;

/// From this many threads on, a session finds them through a map.
pub(super) const FEW_THREADS: usize = 16;

impl FoldState {
    /// Threads whose last send was refused or not answered, in their order.
    pub(crate) fn failed_threads(&self) -> impl Iterator<Item = &Thread> {
        self.failed.iter().filter_map(|number| self.threads.get(*number as usize))
    }

    /// Adds an event of main agents to its thread: the number of the thread, and whether it is a bubble there.
    pub(super) fn show(&mut self, index: u32, events: &Log, changes: Option<&mut ThreadChanges>) -> (u32, bool) {
        let event = &events[index as usize];
        let number = self.thread_of(event);
        let thread = &mut self.threads[number];
        let was_open = !thread.exchanges.open.is_empty();
        let shown = thread.push(index, event, events);
        let count = super::runs::count(number);
        if was_open {
            self.waiting.retain(|pending| pending.thread != count);
        }
        let exchanges = &thread.exchanges;
        self.waiting.extend(exchanges.open.iter().filter_map(|position| {
            let tracked = &exchanges.list[*position];
            let (until, position) = (tracked.waits_until()?, super::runs::count(*position));
            Some(PendingSend { until, sent_at: tracked.sent_at, event: tracked.event, thread: count, position })
        }));
        if thread.exchanges.has_failed() {
            self.failed.insert(count);
        } else {
            self.failed.remove(&count);
        }
        if let (true, Some(changes)) = (shown.bubble || shown.mark || shown.exchange.is_some(), changes) {
            let items = changes.items.entry(thread.id.clone()).or_default();
            if shown.bubble {
                items.messages.insert(index);
            }
            if shown.mark {
                items.marks.insert(index);
            }
            items.exchanges.extend(shown.exchange);
        }
        (count, shown.bubble)
    }

    fn thread_of(&mut self, event: &Event) -> usize {
        // The common case makes no key.
        if let (None, Some(id)) = (&self.by_key, event.conversation_id())
            && let Some(number) = self.threads.iter().rposition(|thread| thread.conversation_id() == Some(id))
        {
            return number;
        }
        let key = ThreadKey::from_event(event);
        let known = match &self.by_key {
            None => self.threads.iter().rposition(|thread| thread.key() == key.as_str()),
            Some(by_key) => by_key.get(key.as_str()).copied(),
        };
        let split = matches!(key, ThreadKey::Pair(_))
            && known.is_some_and(|number| event.at - self.threads[number].last > PAIR_GAP_MS);
        if let (Some(number), false) = (known, split) {
            return number;
        }
        let id = if split { format!("{}:{}", key.as_str(), event.at) } else { key.as_str().to_owned() };
        push_tight(&mut self.threads, Thread::open(ThreadId::from(id), key.as_str().len(), event));
        let number = self.threads.len() - 1;
        if let Some(by_key) = &mut self.by_key {
            by_key.insert(key.as_str().to_owned(), number);
        } else if number + 1 == FEW_THREADS {
            let keys = self.threads.iter().enumerate().map(|(number, thread)| (thread.key().to_owned(), number));
            self.by_key = Some(Box::new(keys.collect()));
        }
        number
    }
}
