//! State of the open thread: loaded messages, read position and number of new messages.

use coordination::api::{Cursor, PastMoment, ThreadPage, ThreadQuery, ThreadSummary, page_mark_at};
use coordination::ids::{EventId, SessionId, ThreadId};
use coordination::view::{LoadedRange, LoadedThread, RecentPatches, StreamEnd};
use leptos::html;
use leptos::prelude::*;

use super::SessionState;
use super::paging::PagedStream;
use super::scroll_anchor::{ScrollAnchor, ScrollTarget};
use super::thread_patches::show_thread;
use crate::components::thread::flow::{StreamItem, thread_items};
use crate::components::thread::window::FIRST_PAGE_MESSAGES;
use crate::i18n::time;
use crate::queries::{Fetch, FetchOptions, use_fetch, use_pairs};
use crate::routes::{ThreadViewState, paths};
use crate::source::{DataSource, SourceError};
use crate::state::{ReadMarks, use_hub, use_reading};

/// Messages requested beyond the held part on either side: that many may have come late between them.
const REFRESH_MARGIN_MESSAGES: u32 = 20;

/// Which thread of which session.
pub(super) type OpenThreadKey = (SessionId, ThreadId);

/// The requested part of the thread.
#[derive(Debug, Clone, PartialEq)]
enum ThreadPart {
    /// Where it opens.
    Opening(ThreadOpening),
    /// The newest messages, which adjoin what is held.
    Newest,
    /// The held part, as it is now; the message is within it, and it has this many.
    Held(EventId, u32),
    /// Another part, for good.
    Jump(Jump),
}

/// Where a thread opens.
#[derive(Debug, Clone, PartialEq)]
enum ThreadOpening {
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
pub(super) struct ThreadAnswer {
    pub(super) key: OpenThreadKey,
    pub(super) page: ThreadPage,
    part: ThreadPart,
}

/// What the page keeps of the open thread.
#[derive(Clone, Copy)]
pub(super) struct ThreadState {
    pub(super) key: Memo<Option<OpenThreadKey>>,
    /// The view in the address.
    pub(super) view: Memo<ThreadViewState>,
    /// The message the address points at.
    pub(super) at: Memo<Option<EventId>>,
    pub(super) fetch: Fetch<ThreadAnswer>,
    /// The part that is held, and of which thread.
    pub(super) loaded: RwSignal<(Option<OpenThreadKey>, LoadedThread)>,
    pub(super) summary: Memo<Option<ThreadSummary>>,
    pub(super) items: Memo<Vec<StreamItem>>,
    /// The first message that was not read before the thread was opened.
    pub(super) unread: RwSignal<Option<EventId>>,
    /// The address points at a message that this thread does not hold.
    pub(super) lost: RwSignal<bool>,
    /// Messages of the thread that the user has come past, counted from its first.
    pub(super) passed: RwSignal<u32>,
    pub(super) keeper: ScrollAnchor,
    pub(super) stream: NodeRef<html::Div>,
    jump: StoredValue<Option<Jump>>,
    /// What frames brought of the open thread.
    pub(super) patches: StoredValue<(Option<OpenThreadKey>, RecentPatches)>,
    /// The summary of the newest of them, with its position.
    pub(super) patched: RwSignal<Option<(OpenThreadKey, Cursor, ThreadSummary)>>,
}

fn use_thread_view() -> Memo<ThreadViewState> {
    let pairs = use_pairs();
    Memo::new(move |_| pairs.with(|pairs| ThreadViewState::from_pairs(pairs)))
}

pub(super) fn use_thread_state(state: SessionState) -> ThreadState {
    let view = use_thread_view();
    let key = Memo::new(move |_| state.thread.get().map(|thread| (state.id.get(), thread)));
    let at = Memo::new(move |_| view.get().at);
    let loaded = RwSignal::new((None::<OpenThreadKey>, LoadedThread::default()));
    let jump = StoredValue::new(None::<Jump>);
    let (reading, moment) = (use_reading(), use_hub().moment);
    let asked_at = StoredValue::new(None::<PastMoment>);
    let options = FetchOptions::refetch_when(|change, key: &Option<OpenThreadKey>| {
        key.as_ref().is_some_and(|(session, thread)| change.lacks_thread(session, thread))
    })
    .clear_on_key_change();
    let fetch = use_fetch(
        move || key.get(),
        options,
        move |source, key: Option<OpenThreadKey>| {
            let is_moved = asked_at.get_value() != moment.get_untracked();
            asked_at.set_value(moment.get_untracked());
            let part = loaded.with_untracked(|(of, loaded)| {
                // A part that is held says nothing of another moment.
                let is_open = of.is_some() && *of == key && !is_moved;
                let opening = || match at.get_untracked() {
                    Some(at) => ThreadOpening::At(at),
                    None => first_unread(state, reading, key.as_ref()).unwrap_or(ThreadOpening::End),
                };
                if is_open { next_part(jump.get_value(), loaded) } else { ThreadPart::Opening(opening()) }
            });
            async move { ask(&source, key.ok_or(SourceError::Unsupported)?, part).await }
        },
    );
    let patched = RwSignal::new(None::<(OpenThreadKey, Cursor, ThreadSummary)>);
    let summary = Memo::new(move |_| {
        let key = key.get()?;
        let answered = fetch.data.with(|answer| {
            let answer = answer.as_ref().filter(|answer| answer.key == key)?;
            Some((answer.page.cursor.clone(), answer.page.thread.clone()))
        });
        let (answered_at, summary) = answered?;
        let newer = patched.with(|patched| {
            let is_later = |at: &Cursor| at.epoch == answered_at.epoch && at.seq > answered_at.seq;
            let (_, _, summary) = patched.as_ref().filter(|(of, at, _)| *of == key && is_later(at))?;
            Some(summary.clone())
        });
        Some(newer.unwrap_or(summary))
    });
    show_thread(key);
    let unread = RwSignal::new(None::<EventId>);
    let left = Memo::new(move |_| summary.with(|thread| thread.as_ref().map(|thread| thread.from.clone())));
    let items = Memo::new(move |_| {
        let (left, unread) = (left.get().unwrap_or_default(), unread.get());
        loaded.with(|(of, loaded)| {
            let day = time::local_day;
            if *of == key.get() { thread_items(loaded, &left, unread.as_ref(), day) } else { Vec::new() }
        })
    });
    let has_newer = Signal::derive(move || loaded.with(|(_, loaded)| loaded.has_more(StreamEnd::Newer)));
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
        keeper: ScrollAnchor::new(has_newer),
        stream: NodeRef::new(),
        jump,
        patches: StoredValue::default(),
        patched,
    }
}

/// The first unread message, when the session's list has unread messages.
fn first_unread(state: SessionState, reading: ReadMarks, key: Option<&OpenThreadKey>) -> Option<ThreadOpening> {
    let (session, thread) = key?;
    let (count, last_time) = state.detail.data.with_untracked(|detail| {
        let detail = detail.as_ref().filter(|detail| detail.session.work_session_id == *session)?;
        let summary = detail.threads.iter().find(|summary| summary.thread_id == *thread)?;
        Some((summary.message_count, summary.last_time))
    })?;
    untrack(|| match reading.mark(session, thread) {
        Some(mark) => (count > mark.count).then_some(ThreadOpening::Behind(mark.last)),
        None => reading.floor().filter(|floor| last_time > *floor).map(ThreadOpening::Since),
    })
}

/// The query of an open thread.
fn next_part(jump: Option<Jump>, loaded: &LoadedThread) -> ThreadPart {
    let middle = loaded.messages.get(loaded.messages.len() / 2).filter(|_| loaded.has_more(StreamEnd::Newer));
    match (jump, middle) {
        (Some(jump), _) => ThreadPart::Jump(jump),
        (None, Some(middle)) => ThreadPart::Held(middle.id.clone(), loaded.messages.len() as u32),
        (None, None) => ThreadPart::Newest,
    }
}

async fn ask(source: &DataSource, key: OpenThreadKey, part: ThreadPart) -> Result<ThreadAnswer, SourceError> {
    let first = ThreadQuery { limit: Some(FIRST_PAGE_MESSAGES), ..ThreadQuery::default() };
    let around = |id: &EventId| ThreadQuery { around: Some(id.to_string()), ..first.clone() };
    let query = match &part {
        ThreadPart::Opening(ThreadOpening::End) | ThreadPart::Newest | ThreadPart::Jump(Jump::Newest) => first.clone(),
        ThreadPart::Opening(ThreadOpening::Since(at)) => {
            ThreadQuery { after: Some(page_mark_at(at + 1)), ..first.clone() }
        }
        ThreadPart::Opening(ThreadOpening::At(id) | ThreadOpening::Behind(id)) | ThreadPart::Jump(Jump::To(id)) => {
            around(id)
        }
        ThreadPart::Held(middle, held) => {
            ThreadQuery { limit: Some(held + 2 * REFRESH_MARGIN_MESSAGES), ..around(middle) }
        }
        ThreadPart::Jump(Jump::Oldest) => ThreadQuery { after: Some(page_mark_at(i64::MIN)), ..first.clone() },
    };
    let answer = source.thread(&key.0, &key.1, &query).await;
    // An unknown message does not empty the page: the newest page shows a note.
    let page = match answer {
        Err(error) if query.around.is_some() && !error.is_transient() => source.thread(&key.0, &key.1, &first).await?,
        answer => answer?,
    };
    Ok(ThreadAnswer { key, page, part })
}

impl ThreadState {
    /// Messages that only transcripts record, and all. Reactive.
    pub(super) fn transcript_counts(self) -> (u32, u32) {
        self.summary.with(|thread| {
            thread.as_ref().map_or((0, 0), |thread| (thread.transcript_only_messages, thread.message_count))
        })
    }

    /// The address of the open thread looked at differently.
    pub(super) fn href(self, view: &ThreadViewState) -> String {
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
        let change = use_hub().change;
        Effect::new(move |previous_run: Option<()>| {
            let change = change.get();
            if previous_run.is_some() {
                self.accept_patches(&change);
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

    fn accept(self, answer: &ThreadAnswer) {
        self.take_answer(answer);
        self.patch_answer(answer);
    }

    fn take_answer(self, answer: &ThreadAnswer) {
        let is_open = self.loaded.with_untracked(|(of, _)| of.as_ref() == Some(&answer.key));
        match &answer.part {
            ThreadPart::Opening(opening) => self.open(answer, opening),
            ThreadPart::Jump(jump) => {
                if self.jump.get_value().as_ref() == Some(jump) {
                    self.jump.set_value(None);
                }
                self.replace(answer);
                self.keeper.aim(match jump {
                    Jump::Oldest => ScrollTarget::Start,
                    Jump::Newest => ScrollTarget::End,
                    Jump::To(id) => self.aim_at(id).unwrap_or(ScrollTarget::End),
                });
            }
            ThreadPart::Held(..) if is_open => self.loaded.update(|(_, loaded)| loaded.renew(&answer.page)),
            // The user may have left the end meanwhile; the newest page does not adjoin then.
            ThreadPart::Newest
                if is_open && self.loaded.with_untracked(|(_, loaded)| !loaded.has_more(StreamEnd::Newer)) =>
            {
                let keep = if self.keeper.at_end.get_untracked() { StreamEnd::Newer } else { StreamEnd::Older };
                self.loaded.update(|(_, loaded)| loaded.refresh(&answer.page, keep));
            }
            _ => {}
        }
    }

    fn replace(self, answer: &ThreadAnswer) {
        self.loaded.set((Some(answer.key.clone()), LoadedThread::from_page(&answer.page)));
    }

    /// The first view of a thread: the message the address points at, else what was not read, else the end.
    fn open(self, answer: &ThreadAnswer, opening: &ThreadOpening) {
        self.jump.set_value(None);
        self.replace(answer);
        self.lost.set(false);
        let place = self.loaded.with_untracked(|(_, loaded)| match opening {
            ThreadOpening::Behind(last) => loaded.place(last).map(|place| place + 1),
            ThreadOpening::Since(_) => Some(0),
            ThreadOpening::At(_) | ThreadOpening::End => None,
        });
        let first = self.loaded.with_untracked(|(_, loaded)| {
            let place = place.filter(|place| loaded.offset + place > 0)?;
            Some((loaded.messages.get(place)?.id.clone(), loaded.offset + place))
        });
        self.passed.set(first.as_ref().map_or(answer.page.thread.message_count, |(_, before)| *before as u32));
        self.unread.set(first.as_ref().map(|(id, _)| id.clone()));
        self.keeper.aim(match opening {
            ThreadOpening::At(id) => self.aim_at(id).unwrap_or(ScrollTarget::End),
            _ if first.is_some() => ScrollTarget::Unread,
            // Nothing of the thread was read: it begins at its beginning.
            ThreadOpening::Since(_) if answer.page.offset == 0 && !answer.page.messages.is_empty() => {
                ScrollTarget::Start
            }
            _ => ScrollTarget::End,
        });
    }

    /// The message, when the thread holds it; otherwise the page shows a note.
    fn aim_at(self, id: &EventId) -> Option<ScrollTarget> {
        let held = self.holds(id);
        self.lost.set(!held);
        held.then(|| ScrollTarget::Message(id.clone()))
    }

    fn holds(self, id: &EventId) -> bool {
        self.loaded.with_untracked(|(_, loaded)| loaded.holds(id))
    }

    /// Goes to another part of the thread, whatever is held.
    pub(super) fn go(self, jump: Jump) {
        let end = |end| self.loaded.with_untracked(|(_, loaded)| !loaded.has_more(end));
        let aim = match &jump {
            Jump::Oldest => end(StreamEnd::Older).then_some(ScrollTarget::Start),
            Jump::Newest => end(StreamEnd::Newer).then_some(ScrollTarget::End),
            Jump::To(id) => self.holds(id).then(|| ScrollTarget::Message(id.clone())),
        };
        if let Some(aim) = aim {
            self.jump.set_value(None);
            self.lost.set(false);
            self.keeper.aim(aim);
        } else {
            self.jump.set_value(Some(jump));
            self.fetch.refetch();
        }
    }
}

impl PagedStream for ThreadState {
    type StreamId = OpenThreadKey;
    type Page = ThreadPage;

    fn keeper(self) -> ScrollAnchor {
        self.keeper
    }

    fn held(self) -> Option<(OpenThreadKey, usize)> {
        self.loaded.with_untracked(|(of, loaded)| Some((of.clone()?, loaded.count())))
    }

    fn mark(self, end: StreamEnd) -> Option<String> {
        self.loaded.with_untracked(|(_, loaded)| loaded.mark(end).cloned())
    }

    async fn page(
        source: DataSource,
        (session, thread): OpenThreadKey,
        query: ThreadQuery,
    ) -> Result<ThreadPage, SourceError> {
        source.thread(&session, &thread, &query).await
    }

    fn take(self, page: &ThreadPage, end: StreamEnd) {
        self.loaded.update(|(_, loaded)| loaded.take(page, end));
    }
}
