//! State of the open thread: loaded part, read position, new messages.

use coordination::api::{ThreadPage, ThreadQuery, ThreadSummary, page_mark_at};
use coordination::ids::{EventId, SessionId, ThreadId};
use leptos::html;
use leptos::prelude::*;

use super::SessionState;
use super::keeper::{Aim, Keeper};
use super::paging::Stretch;
use crate::components::thread::flow::{Item, Loaded};
use crate::components::thread::paged::Paged;
use crate::components::thread::window::{End, FIRST};
use crate::i18n::time;
use crate::queries::{Fetch, FetchOptions, use_fetch, use_pairs};
use crate::routes::{ThreadView, paths};
use crate::source::{ApiError, Source};
use crate::state::{Reading, use_reading};

/// Messages requested beyond the held part on either side: that many may have come late between them.
const SLACK: u32 = 20;

/// Which thread of which session.
pub(super) type Key = (SessionId, ThreadId);

/// The requested part of the thread.
#[derive(Debug, Clone, PartialEq)]
enum Part {
    /// Where it opens.
    Opening(Opening),
    /// The newest messages, which adjoin what is held.
    Newest,
    /// The held part, as it is now; the message is within it, and it has this many.
    Held(EventId, u32),
    /// Another part, for good.
    Jump(Jump),
}

/// Where a thread opens.
#[derive(Debug, Clone, PartialEq)]
enum Opening {
    /// At the message the address points at.
    At(EventId),
    /// Behind this message, which was the last one read.
    Behind(EventId),
    /// At the first message later than this, epoch ms.
    Since(i64),
    /// At the end.
    End,
}

/// Where the user wants to be.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Jump {
    /// At the first message.
    Oldest,
    /// At the last one.
    Newest,
    /// At this one.
    To(EventId),
}

/// A page and its thread.
pub(super) struct Answer {
    key: Key,
    page: ThreadPage,
    part: Part,
}

/// What the page keeps of the open thread.
#[derive(Clone, Copy)]
pub(super) struct ThreadState {
    pub(super) key: Memo<Option<Key>>,
    /// The view in the address.
    pub(super) view: Memo<ThreadView>,
    /// The message the address points at.
    pub(super) at: Memo<Option<EventId>>,
    pub(super) fetch: Fetch<Answer>,
    /// The part that is held, and of which thread.
    pub(super) loaded: RwSignal<(Option<Key>, Loaded)>,
    pub(super) summary: Memo<Option<ThreadSummary>>,
    pub(super) items: Memo<Vec<Item>>,
    /// The first message that was not read before the thread was opened.
    pub(super) unread: RwSignal<Option<EventId>>,
    /// The address points at a message that this thread does not hold.
    pub(super) lost: RwSignal<bool>,
    /// Messages of the thread that the user has come past, counted from its first.
    pub(super) passed: RwSignal<u32>,
    pub(super) keeper: Keeper,
    pub(super) stream: NodeRef<html::Div>,
    jump: StoredValue<Option<Jump>>,
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
    let jump = StoredValue::new(None::<Jump>);
    let reading = use_reading();
    let options = FetchOptions {
        touches: Box::new(|change, key: &Option<Key>| {
            key.as_ref().is_some_and(|(session, thread)| change.touches_thread(session, thread))
        }),
        same_subject: Box::new(|a, b| a == b),
    };
    let fetch = use_fetch(
        move || key.get(),
        options,
        move |source, key: Option<Key>| {
            let part = loaded.with_untracked(|(of, loaded)| {
                let is_open = of.is_some() && *of == key;
                let opening = || match at.get_untracked() {
                    Some(at) => Opening::At(at),
                    None => first_unread(state, reading, key.as_ref()).unwrap_or(Opening::End),
                };
                if is_open { next_part(jump.get_value(), loaded) } else { Part::Opening(opening()) }
            });
            async move { ask(&source, key.ok_or(ApiError::Unsupported)?, part).await }
        },
    );
    let summary = Memo::new(move |_| {
        let key = key.get()?;
        fetch
            .data
            .with(|answer| answer.as_ref().filter(|answer| answer.key == key).map(|answer| answer.page.thread.clone()))
    });
    let unread = RwSignal::new(None::<EventId>);
    let left = Memo::new(move |_| summary.with(|thread| thread.as_ref().map(|thread| thread.from.clone())));
    let items =
        Memo::new(move |_| {
            let (left, unread) = (left.get().unwrap_or_default(), unread.get());
            loaded.with(|(of, loaded)| {
                if *of == key.get() { loaded.items(&left, unread.as_ref(), time::local_day) } else { Vec::new() }
            })
        });
    let goes_on = Signal::derive(move || loaded.with(|(_, loaded)| loaded.goes_on(End::Newer)));
    ThreadState {
        key,
        view,
        at,
        fetch,
        loaded,
        summary,
        items,
        unread,
        lost: RwSignal::new(false),
        passed: RwSignal::new(0),
        keeper: Keeper::new(goes_on),
        stream: NodeRef::new(),
        jump,
    }
}

/// The first unread message, when the session's list has unread messages.
fn first_unread(state: SessionState, reading: Reading, key: Option<&Key>) -> Option<Opening> {
    let (session, thread) = key?;
    let (count, last_time) = state.detail.data.with_untracked(|detail| {
        let detail = detail.as_ref().filter(|detail| detail.session.work_session_id == *session)?;
        let summary = detail.threads.iter().find(|summary| summary.thread_id == *thread)?;
        Some((summary.message_count, summary.last_time))
    })?;
    untrack(|| match reading.mark(session, thread) {
        Some(mark) => (count > mark.count).then_some(Opening::Behind(mark.last)),
        None => reading.floor().filter(|floor| last_time > *floor).map(Opening::Since),
    })
}

/// The query of an open thread.
fn next_part(jump: Option<Jump>, loaded: &Loaded) -> Part {
    let middle = loaded.messages.get(loaded.messages.len() / 2).filter(|_| loaded.goes_on(End::Newer));
    match (jump, middle) {
        (Some(jump), _) => Part::Jump(jump),
        (None, Some(middle)) => Part::Held(middle.id.clone(), loaded.messages.len() as u32),
        (None, None) => Part::Newest,
    }
}

async fn ask(source: &Source, key: Key, part: Part) -> Result<Answer, ApiError> {
    let first = ThreadQuery { limit: Some(FIRST), ..ThreadQuery::default() };
    let around = |id: &EventId| ThreadQuery { around: Some(id.to_string()), ..first.clone() };
    let query = match &part {
        Part::Opening(Opening::End) | Part::Newest | Part::Jump(Jump::Newest) => first.clone(),
        Part::Opening(Opening::Since(at)) => ThreadQuery { after: Some(page_mark_at(at + 1)), ..first.clone() },
        Part::Opening(Opening::At(id) | Opening::Behind(id)) | Part::Jump(Jump::To(id)) => around(id),
        Part::Held(middle, held) => ThreadQuery { limit: Some(held + 2 * SLACK), ..around(middle) },
        Part::Jump(Jump::Oldest) => ThreadQuery { after: Some(page_mark_at(i64::MIN)), ..first.clone() },
    };
    let answer = source.thread(&key.0, &key.1, &query).await;
    // An unknown message does not empty the page: the newest page shows a note.
    let page = match answer {
        Err(error) if query.around.is_some() && !error.is_passing() => source.thread(&key.0, &key.1, &first).await?,
        answer => answer?,
    };
    Ok(Answer { key, page, part })
}

impl ThreadState {
    /// Messages that only transcripts record, and all. Reactive.
    pub(super) fn told_of(self) -> (u32, u32) {
        self.summary.with(|thread| {
            thread.as_ref().map_or((0, 0), |thread| (thread.transcript_only_messages, thread.message_count))
        })
    }

    /// The address of the open thread looked at differently.
    pub(super) fn href(self, view: &ThreadView) -> String {
        self.key.get_untracked().map(|(session, thread)| paths::thread_as(&session, &thread, view)).unwrap_or_default()
    }

    /// Takes answers in as they come, and moves the view only where the user expects it.
    pub(super) fn follow(self) {
        // Folds a series of answers into what is held; scrolling belongs to the browser.
        Effect::new(move |_| {
            if let Some(answer) = self.fetch.data.get() {
                self.accept(&answer);
            }
        });
        // A new target within the held part is only scrolled to; another one loads its surroundings.
        Effect::new(move |before: Option<Option<EventId>>| {
            let at = self.at.get();
            if let Some(id) = before.is_some_and(|before| before != at).then(|| at.clone()).flatten() {
                self.go(Jump::To(id));
            } else if at.is_none() {
                self.lost.set(false);
            }
            at
        });
        Effect::new(move |_| {
            if let Some(stream) = self.stream.get() {
                self.keeper.attach(&stream);
            }
        });
    }

    fn accept(self, answer: &Answer) {
        let is_open = self.loaded.with_untracked(|(of, _)| of.as_ref() == Some(&answer.key));
        match &answer.part {
            Part::Opening(opening) => self.open(answer, opening),
            Part::Jump(jump) => {
                if self.jump.get_value().as_ref() == Some(jump) {
                    self.jump.set_value(None);
                }
                self.replace(answer);
                self.keeper.aim(match jump {
                    Jump::Oldest => Aim::Start,
                    Jump::Newest => Aim::End,
                    Jump::To(id) => self.aim_at(id).unwrap_or(Aim::End),
                });
            }
            Part::Held(..) if is_open => self.loaded.update(|(_, loaded)| loaded.renew(&answer.page)),
            // The user may have left the end meanwhile; the newest page does not adjoin then.
            Part::Newest if is_open && self.loaded.with_untracked(|(_, loaded)| !loaded.goes_on(End::Newer)) => {
                let keep = if self.keeper.at_end.get_untracked() { End::Newer } else { End::Older };
                self.loaded.update(|(_, loaded)| loaded.refresh(&answer.page, keep));
            }
            _ => {}
        }
    }

    fn replace(self, answer: &Answer) {
        self.loaded.set((Some(answer.key.clone()), Loaded::from_page(&answer.page)));
    }

    /// The first view of a thread: the message the address points at, else what was not read, else the end.
    fn open(self, answer: &Answer, opening: &Opening) {
        self.jump.set_value(None);
        self.replace(answer);
        self.lost.set(false);
        let place = self.loaded.with_untracked(|(_, loaded)| match opening {
            Opening::Behind(last) => loaded.place(last).map(|place| place + 1),
            Opening::Since(_) => Some(0),
            Opening::At(_) | Opening::End => None,
        });
        let first = self.loaded.with_untracked(|(_, loaded)| {
            let place = place.filter(|place| loaded.offset + place > 0)?;
            Some((loaded.messages.get(place)?.id.clone(), loaded.offset + place))
        });
        self.passed.set(first.as_ref().map_or(answer.page.thread.message_count, |(_, before)| *before as u32));
        self.unread.set(first.as_ref().map(|(id, _)| id.clone()));
        self.keeper.aim(match opening {
            Opening::At(id) => self.aim_at(id).unwrap_or(Aim::End),
            _ if first.is_some() => Aim::Unread,
            // Nothing of the thread was read: it begins at its beginning.
            Opening::Since(_) if answer.page.offset == 0 && !answer.page.messages.is_empty() => Aim::Start,
            _ => Aim::End,
        });
    }

    /// The message, when the thread holds it; otherwise the page shows a note.
    fn aim_at(self, id: &EventId) -> Option<Aim> {
        let held = self.holds(id);
        self.lost.set(!held);
        held.then(|| Aim::Message(id.clone()))
    }

    fn holds(self, id: &EventId) -> bool {
        self.loaded.with_untracked(|(_, loaded)| loaded.holds(id))
    }

    /// Goes to another part of the thread, whatever is held.
    pub(super) fn go(self, jump: Jump) {
        let end = |end| self.loaded.with_untracked(|(_, loaded)| !loaded.goes_on(end));
        let aim = match &jump {
            Jump::Oldest => end(End::Older).then_some(Aim::Start),
            Jump::Newest => end(End::Newer).then_some(Aim::End),
            Jump::To(id) => self.holds(id).then(|| Aim::Message(id.clone())),
        };
        if let Some(aim) = aim {
            self.jump.set_value(None);
            self.lost.set(false);
            self.keeper.aim(aim);
        } else {
            self.jump.set_value(Some(jump));
            self.fetch.again();
        }
    }
}

impl Stretch for ThreadState {
    type Of = Key;
    type Page = ThreadPage;

    fn keeper(self) -> Keeper {
        self.keeper
    }

    fn held(self) -> Option<(Key, usize)> {
        self.loaded.with_untracked(|(of, loaded)| Some((of.clone()?, loaded.count())))
    }

    fn mark(self, end: End) -> Option<String> {
        self.loaded.with_untracked(|(_, loaded)| loaded.mark(end).cloned())
    }

    async fn page(source: Source, (session, thread): Key, query: ThreadQuery) -> Result<ThreadPage, ApiError> {
        source.thread(&session, &thread, &query).await
    }

    fn take(self, page: &ThreadPage, end: End) {
        self.loaded.update(|(_, loaded)| loaded.take(page, end));
    }
}
