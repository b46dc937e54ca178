//! What the reader has seen, kept in this browser: how far each thread was read, and since when anything counts as new.
//! A first visit is calm: all talk there is counts as read. Tabs of one browser share it.

mod marks;

use std::sync::Arc;

use coordination::api::{SessionCard, ThreadSummary};
use coordination::ids::{SessionId, ThreadId};
use leptos::ev;
use leptos::prelude::*;

pub use marks::{Marks, ThreadMark, Unread};

use super::Hub;

const STORE_KEY: &str = "task-hub.read";

/// What the reader has seen.
#[derive(Clone, Copy)]
pub struct Reading(RwSignal<Arc<Marks>>);

/// What `Reading::all_read` changed, to take it back.
#[derive(Clone)]
pub struct AllRead {
    before: Arc<Marks>,
    after: Arc<Marks>,
}

#[allow(dead_code, reason = "the thread and the lists come to use it")]
impl Reading {
    pub(super) fn new(hub: Hub) -> Self {
        let reading = Self(RwSignal::new(Arc::new(stored().unwrap_or_default())));
        // Another tab wrote. It lives as long as the page.
        let _other_tab = window_event_listener(ev::storage, move |event| {
            if event.key().is_none_or(|key| key == STORE_KEY) {
                reading.0.set(Arc::new(stored().unwrap_or_default()));
            }
        });
        // The first answer tells the monitor's time, by which everything is dated.
        Effect::new(move |_| {
            let now = hub.home.with(|home| home.as_ref().map(|home| home.now));
            if let (Some(now), None) = (now, reading.0.with(|marks| marks.floor)) {
                reading.change(|marks| {
                    marks.floor.get_or_insert(now);
                    true
                });
            }
        });
        reading
    }

    /// How far a thread was seen. Reactive.
    pub fn mark(self, session: &SessionId, thread: &ThreadId) -> Option<ThreadMark> {
        self.0.with(|marks| marks.of(session, thread).cloned())
    }

    /// The thread was seen so far; a mark only ever goes forward.
    pub fn saw(self, session: &SessionId, thread: &ThreadId, mark: ThreadMark) {
        // Most calls bring nothing new; only what does costs a look at the storage.
        if !self.0.with_untracked(|marks| marks.knows(session, thread, &mark)) {
            self.change(|marks| marks.saw(session, thread, mark));
        }
    }

    /// What is unread of a thread. Reactive.
    pub fn of_thread(self, session: &SessionId, thread: &ThreadSummary) -> Unread {
        self.0.with(|marks| marks.of_thread(session, thread))
    }

    /// What is unread of a session. Reactive.
    pub fn of_card(self, card: &SessionCard) -> Unread {
        self.0.with(|marks| marks.of_card(card))
    }

    /// Talk up to then counts as read, epoch ms; none before the first answer. Reactive.
    pub fn floor(self) -> Option<i64> {
        self.0.with(|marks| marks.floor)
    }

    /// Everything until `now` counts as read; `cards` are those known.
    pub fn all_read(self, now: i64, cards: &[SessionCard]) -> AllRead {
        let before = self.0.get_untracked();
        self.change(|marks| {
            marks.read_all(now, cards);
            true
        });
        AllRead { before, after: self.0.get_untracked() }
    }

    /// Takes that back; what was seen meanwhile stays seen.
    pub fn undo_all_read(self, all_read: AllRead) {
        let AllRead { before, after } = all_read;
        self.change(|marks| {
            marks.back_to(Marks::clone(&before), &after);
            true
        });
    }

    /// Changes what is stored: other tabs may have written since this one looked.
    fn change(self, edit: impl FnOnce(&mut Marks) -> bool) {
        let mut marks = stored().unwrap_or_else(|| Marks::clone(&self.0.get_untracked()));
        if edit(&mut marks) {
            if let Some(storage) = storage() {
                // A full or forbidden storage keeps it for this page at least.
                storage.set_item(STORE_KEY, &marks.to_text()).unwrap_or_default();
            }
            self.0.set(Arc::new(marks));
        }
    }
}

fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

fn stored() -> Option<Marks> {
    Marks::from_text(&storage()?.get_item(STORE_KEY).ok().flatten()?)
}

/// What the reader has seen.
pub fn use_reading() -> Reading {
    expect_context()
}
