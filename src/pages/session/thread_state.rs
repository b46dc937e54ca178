//! What the page keeps of the open thread: pages as they were loaded, where the reader is, what came meanwhile.

use coordination::api::{ThreadPage, ThreadQuery, ThreadSummary};
use coordination::ids::{EventId, SessionId, ThreadId};
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::SessionState;
use super::scroll::{self, Anchor};
use crate::components::thread::flow::{Item, Loaded};
use crate::hooks::{Fetch, FetchOptions, use_fetch, use_pairs};
use crate::i18n::{time, use_words};
use crate::routes::{ThreadView, paths};
use crate::source::ApiError;
use crate::state::use_hub;
use crate::ui::toast::use_toasts;

/// Which thread of which session.
type Key = (SessionId, ThreadId);

/// A page and the thread it is of.
pub(super) struct Answer {
    key: Key,
    page: ThreadPage,
    /// True when it was asked for around a message.
    window: bool,
}

/// What the page keeps of the open thread.
#[derive(Clone, Copy)]
pub(super) struct ThreadState {
    pub(super) key: Memo<Option<Key>>,
    /// How the address says it is looked at.
    pub(super) view: Memo<ThreadView>,
    /// The message the address points at.
    pub(super) at: Memo<Option<EventId>>,
    pub(super) fetch: Fetch<Answer>,
    /// What was loaded, and of which thread.
    pub(super) loaded: RwSignal<(Option<Key>, Loaded)>,
    pub(super) summary: Memo<Option<ThreadSummary>>,
    pub(super) items: Memo<Vec<Item>>,
    /// The reader sees the end.
    pub(super) at_end: RwSignal<bool>,
    /// Messages that came while they did not.
    pub(super) unseen: RwSignal<usize>,
    pub(super) more: RwSignal<bool>,
    pub(super) stream: NodeRef<html::Div>,
    pub(super) end: NodeRef<html::Div>,
}

fn use_thread_view() -> Memo<ThreadView> {
    let pairs = use_pairs();
    Memo::new(move |_| pairs.with(|pairs| ThreadView::from_pairs(pairs)))
}

pub(super) fn use_thread_state(state: SessionState) -> ThreadState {
    let view = use_thread_view();
    let key = Memo::new(move |_| state.thread.get().map(|thread| (state.id.get(), thread)));
    let at = Memo::new(move |_| view.get().at);
    let loaded = RwSignal::new((None::<Key>, Loaded::default()));
    let options = FetchOptions {
        touches: Box::new(|change, key: &Option<Key>| {
            key.as_ref().is_some_and(|(session, thread)| {
                change.everything
                    || change.threads.iter().any(|p| p.session_id == *session && p.thread.thread_id == *thread)
            })
        }),
        same_subject: Box::new(|a, b| a == b),
    };
    let fetch = use_fetch(
        move || key.get(),
        options,
        move |source, key: Option<Key>| {
            let fresh = loaded.with_untracked(|(of, _)| *of != key || of.is_none());
            let around = at.get_untracked().filter(|_| fresh).map(|id| id.0);
            async move {
                let Some(key) = key else { return Err(ApiError::Unsupported) };
                let (session, thread) = &key;
                if around.is_some() {
                    let query = ThreadQuery { around, ..ThreadQuery::default() };
                    if let Ok(page) = source.thread(session, thread, &query).await {
                        return Ok(Answer { window: page.next_page.is_some(), key, page });
                    }
                    // An unknown message is no reason to show nothing: the newest page says so.
                }
                let page = source.thread(session, thread, &ThreadQuery::default()).await?;
                Ok(Answer { key, page, window: false })
            }
        },
    );
    let summary = Memo::new(move |_| {
        let key = key.get()?;
        fetch
            .data
            .with(|answer| answer.as_ref().filter(|answer| answer.key == key).map(|answer| answer.page.thread.clone()))
    });
    let items = Memo::new(move |_| {
        let left = summary.get().map(|thread| thread.from).unwrap_or_default();
        loaded.with(|(of, loaded)| if *of == key.get() { loaded.items(&left, time::local_day) } else { Vec::new() })
    });
    ThreadState {
        key,
        view,
        at,
        fetch,
        loaded,
        summary,
        items,
        at_end: RwSignal::new(false),
        unseen: RwSignal::new(0),
        more: RwSignal::new(false),
        stream: NodeRef::new(),
        end: NodeRef::new(),
    }
}

impl ThreadState {
    /// The address of the open thread looked at differently.
    pub(super) fn href(self, view: &ThreadView) -> String {
        self.key.get_untracked().map(|(session, thread)| paths::thread_as(&session, &thread, view)).unwrap_or_default()
    }

    /// Takes answers in as they come, and moves the view only where the reader expects it.
    pub(super) fn follow(self) {
        // Folds a series of answers into what is loaded; scrolling belongs to the browser.
        Effect::new(move |_| {
            let Some(answer) = self.fetch.data.get() else { return };
            let first = self.loaded.with_untracked(|(of, _)| of.as_ref() != Some(&answer.key));
            if first {
                self.loaded.set((Some(answer.key.clone()), Loaded::from_page(&answer.page)));
                self.unseen.set(0);
                self.place();
                return;
            }
            if answer.window || self.loaded.with_untracked(|(_, loaded)| loaded.newer.is_some()) {
                return; // The reader looks at an older part; the newest page does not adjoin it.
            }
            let following = self.at_end.get_untracked();
            let new = self.loaded.try_update(|(_, loaded)| loaded.refresh(&answer.page)).unwrap_or_default();
            if following {
                self.to_end();
            } else {
                self.unseen.update(|unseen| *unseen += new);
            }
        });
        // A new target within the loaded part is only scrolled to; another one asks for its surroundings.
        Effect::new(move |before: Option<Option<EventId>>| {
            let at = self.at.get();
            if let Some(id) = before.is_some_and(|before| before != at).then(|| at.clone()).flatten() {
                if self.holds(&id) {
                    request_animation_frame(move || {
                        scroll::show_message(id.as_str());
                    });
                } else {
                    self.loaded.set((None, Loaded::default()));
                    self.fetch.again();
                }
            }
            at
        });
    }

    pub(super) fn holds(self, id: &EventId) -> bool {
        self.loaded.with_untracked(|(_, loaded)| {
            loaded.messages.iter().any(|message| message.id == *id) || loaded.marks.iter().any(|mark| mark.id == *id)
        })
    }

    /// The first view of a thread: the message the address points at, else the end.
    fn place(self) {
        let at = self.at.get_untracked();
        request_animation_frame(move || {
            let shown = at.is_some_and(|id| scroll::show_message(id.as_str()));
            if !shown && let Some(Some(end)) = self.end.try_get_untracked() {
                scroll::show_end(&end);
            }
        });
    }

    fn to_end(self) {
        request_animation_frame(move || {
            if let Some(Some(end)) = self.end.try_get_untracked() {
                scroll::show_end(&end);
            }
        });
    }

    /// Back to the newest messages, whatever is loaded.
    pub(super) fn jump_to_end(self) {
        self.unseen.set(0);
        if self.loaded.with_untracked(|(_, loaded)| loaded.newer.is_some()) {
            self.loaded.set((None, Loaded::default()));
            self.fetch.again();
        } else {
            self.to_end();
        }
    }
}

/// Loads the adjoining page, older or newer.
pub(super) fn use_load_more(thread: ThreadState) -> impl Fn(bool) + Copy + Send + Sync + 'static {
    let hub = use_hub();
    let words = use_words();
    let toasts = use_toasts();
    move |older: bool| {
        let (source, key) = (hub.source.get_untracked(), thread.key.get_untracked());
        let mark = thread.loaded.with_untracked(|(_, l)| if older { l.older.clone() } else { l.newer.clone() });
        let (Some(source), Some(key), Some(mark)) = (source, key, mark) else { return };
        if thread.more.get_untracked() {
            return;
        }
        thread.more.set(true);
        let query = if older {
            ThreadQuery { before: Some(mark), ..ThreadQuery::default() }
        } else {
            ThreadQuery { after: Some(mark), ..ThreadQuery::default() }
        };
        spawn_local(async move {
            let answer = source.thread(&key.0, &key.1, &query).await;
            // The page may be gone, or another thread open.
            if thread.key.try_get_untracked() != Some(Some(key)) {
                return;
            }
            thread.more.set(false);
            match answer {
                Ok(page) => {
                    let anchor = thread.stream.get_untracked().and_then(|stream| Anchor::take(&stream));
                    thread
                        .loaded
                        .update(|(_, loaded)| if older { loaded.prepend(&page) } else { loaded.append(&page) });
                    request_animation_frame(move || {
                        if let Some(anchor) = anchor {
                            anchor.restore();
                        }
                    });
                }
                Err(_) => toasts.failed(words.now().thread().older_failed),
            }
        });
    }
}
