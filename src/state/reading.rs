//! Read marks, stored in this browser: last read message of each thread, and the time from which messages count as new.
//! On a first visit all messages count as read. Tabs share the marks.

mod marks;

use std::sync::Arc;

use coordination::api::{SessionCard, ThreadSummary};
use coordination::ids::{SessionId, ThreadId};
use leptos::prelude::*;

pub use marks::{Marks, ThreadMark, UnreadCount};

use super::HubState;
use super::stored::Stored;

/// What the user has seen.
#[derive(Clone, Copy)]
pub struct ReadMarks(Stored<Marks>);

/// What `ReadMarks::all_read` changed, to undo it.
#[derive(Clone)]
pub struct AllRead {
    before: Arc<Marks>,
    after: Arc<Marks>,
}

impl ReadMarks {
    pub(super) fn new(hub: HubState) -> Self {
        let reading = Self(Stored::new());
        // The first answer contains the monitor's time, by which everything is dated.
        Effect::new(move |_| {
            let now = hub.present.with(|home| home.as_ref().map(|home| home.now));
            if let (Some(now), None) = (now, reading.0.with(|marks| marks.floor)) {
                reading.0.change(|marks| _ = marks.floor.get_or_insert(now));
            }
        });
        reading
    }

    /// How far a thread was seen. Reactive.
    pub fn mark(self, session: &SessionId, thread: &ThreadId) -> Option<ThreadMark> {
        self.0.with(|marks| marks.mark_of(session, thread).cloned())
    }

    /// The thread was seen so far; a mark only ever goes forward.
    pub fn saw(self, session: &SessionId, thread: &ThreadId, mark: ThreadMark) {
        // Most calls bring nothing new; only what does costs a look at the storage.
        if !self.0.now().knows(session, thread, &mark) {
            self.0.change(|marks| _ = marks.saw(session, thread, mark));
        }
    }

    /// What is unread of a thread. Reactive.
    pub fn of_thread(self, session: &SessionId, thread: &ThreadSummary) -> UnreadCount {
        self.0.with(|marks| marks.of_thread(session, thread))
    }

    /// What is unread of a session. Reactive.
    pub fn of_card(self, card: &SessionCard) -> UnreadCount {
        self.0.with(|marks| marks.of_card(card))
    }

    /// Messages up to then count as read, epoch ms; none before the first answer. Reactive.
    pub fn floor(self) -> Option<i64> {
        self.0.with(|marks| marks.floor)
    }

    /// The session was read as far as its card shows.
    pub fn saw_card(self, card: &SessionCard) {
        for talk in card.talks.clone() {
            let mark = ThreadMark { count: talk.count, last: talk.last, at: talk.at };
            self.saw(&card.work_session_id, &talk.thread_id, mark);
        }
    }

    /// Everything until `now` counts as read; `cards` are those known.
    pub fn all_read(self, now: i64, cards: &[SessionCard]) -> AllRead {
        let before = self.0.now();
        self.0.change(|marks| marks.read_all(now, cards));
        AllRead { before, after: self.0.now() }
    }

    /// Takes that back; what was seen meanwhile stays seen.
    pub fn undo_all_read(self, all_read: AllRead) {
        let AllRead { before, after } = all_read;
        self.0.change(|marks| marks.back_to(Marks::clone(&before), &after));
    }
}

/// The read marks of this browser.
pub fn use_reading() -> ReadMarks {
    expect_context()
}
