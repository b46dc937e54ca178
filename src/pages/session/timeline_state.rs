//! State of a session's timeline: loaded items, read position and number of new items.

use coordination::api::{ThreadQuery, Timeline, page_mark_at};
use coordination::ids::{EventId, SessionId};
use coordination::view::{LoadedRange, StreamEnd};
use leptos::html;
use leptos::prelude::*;

use super::SessionState;
use super::paging::PagedStream;
use super::scroll_anchor::{ScrollAnchor, ScrollTarget};
use crate::components::thread::flow::StreamItem;
use crate::components::thread::strip::Strip;
use crate::components::thread::window::FIRST_PAGE_MESSAGES;
use crate::i18n::time;
use crate::queries::{Fetch, FetchOptions, use_fetch, use_pairs};
use crate::routes::ThreadViewState;
use crate::source::{DataSource, SourceError};

/// Items requested beyond the held part on either side: that many may have come late between them.
const REFRESH_MARGIN_ITEMS: u32 = 20;

/// The requested part.
#[derive(Debug, Clone, PartialEq)]
enum TimelinePart {
    Newest,
    Held,
    /// The part at an end, or around an item, for good.
    Jump(Option<StreamEnd>, Option<EventId>),
}

/// A page and its request.
pub(super) struct TimelineAnswer {
    session: SessionId,
    page: Timeline,
    part: TimelinePart,
}

/// What the page keeps of a whole session.
#[derive(Clone, Copy)]
pub(super) struct TimelineState {
    pub(super) id: Memo<SessionId>,
    pub(super) view: Memo<ThreadViewState>,
    pub(super) fetch: Fetch<TimelineAnswer>,
    /// The part that is held, and of which session.
    pub(super) held: RwSignal<(Option<SessionId>, Strip)>,
    pub(super) items: Memo<Vec<StreamItem>>,
    pub(super) keeper: ScrollAnchor,
    pub(super) stream: NodeRef<html::Div>,
    jump: StoredValue<Option<TimelinePart>>,
}

pub(super) fn use_whole_state(state: SessionState) -> TimelineState {
    let pairs = use_pairs();
    let view = Memo::new(move |_| pairs.with(|pairs| ThreadViewState::from_pairs(pairs)));
    let held = RwSignal::new((None::<SessionId>, Strip::default()));
    let jump = StoredValue::new(None::<TimelinePart>);
    let options = FetchOptions::refetch_when(|change, id: &SessionId| change.touches_session(id)).clear_on_key_change();
    let fetch = use_fetch(
        move || state.id.get(),
        options,
        move |source, session: SessionId| {
            let (part, query) = held.with_untracked(|(of, strip)| {
                let is_open = of.as_ref() == Some(&session);
                let at = view.with_untracked(|view| view.at.clone());
                let opening = || {
                    if at.is_some() {
                        TimelinePart::Jump(None, at)
                    } else {
                        TimelinePart::Jump(Some(StreamEnd::Newer), None)
                    }
                };
                let part = match jump.get_value() {
                    _ if !is_open => opening(),
                    Some(jump) => jump,
                    None if strip.mark(StreamEnd::Newer).is_some() => TimelinePart::Held,
                    None => TimelinePart::Newest,
                };
                let query = query_of(&part, strip);
                (part, query)
            });
            async move {
                let page = source.timeline(&session, &query).await?;
                Ok::<_, SourceError>(TimelineAnswer { session, page, part })
            }
        },
    );
    let items = Memo::new(move |_| {
        held.with(
            |(of, strip)| {
                if of.as_ref() == Some(&state.id.get()) { strip.items(time::local_day) } else { Vec::new() }
            },
        )
    });
    let has_newer = Signal::derive(move || held.with(|(_, strip)| strip.mark(StreamEnd::Newer).is_some()));
    TimelineState {
        id: state.id,
        view,
        fetch,
        held,
        items,
        keeper: ScrollAnchor::new(has_newer),
        stream: NodeRef::new(),
        jump,
    }
}

fn query_of(part: &TimelinePart, strip: &Strip) -> ThreadQuery {
    let first = ThreadQuery { limit: Some(FIRST_PAGE_MESSAGES), ..ThreadQuery::default() };
    match part {
        TimelinePart::Jump(_, Some(id)) => ThreadQuery { around: Some(id.to_string()), ..first },
        TimelinePart::Jump(Some(StreamEnd::Older), None) => {
            ThreadQuery { after: Some(page_mark_at(i64::MIN)), ..first }
        }
        TimelinePart::Held => {
            let middle = strip.items.get(strip.items.len() / 2).map(|item| item.id().to_string());
            ThreadQuery { around: middle, limit: Some(strip.items.len() as u32 + 2 * REFRESH_MARGIN_ITEMS), ..first }
        }
        TimelinePart::Newest | TimelinePart::Jump(..) => first,
    }
}

impl TimelineState {
    /// Takes answers in as they come.
    pub(super) fn follow(self) {
        // Folds a series of answers into what is held; scrolling belongs to the browser.
        Effect::new(move |_| {
            if let Some(answer) = self.fetch.data.get() {
                self.accept(&answer);
            }
        });
        Effect::new(move |_| {
            if let Some(stream) = self.stream.get() {
                self.keeper.attach(&stream);
            }
        });
    }

    fn accept(self, answer: &TimelineAnswer) {
        let is_open = self.held.with_untracked(|(of, _)| of.as_ref() == Some(&answer.session));
        match &answer.part {
            TimelinePart::Jump(end, at) => {
                if self.jump.get_value().as_ref() == Some(&answer.part) {
                    self.jump.set_value(None);
                }
                self.held.set((Some(answer.session.clone()), Strip::from_page(&answer.page)));
                let found = at.clone().filter(|id| self.held.with_untracked(|(_, strip)| strip.place(id).is_some()));
                self.keeper.aim(match (found, end) {
                    (Some(id), _) => ScrollTarget::Message(id),
                    (None, Some(StreamEnd::Older)) => ScrollTarget::Start,
                    _ => ScrollTarget::End,
                });
            }
            TimelinePart::Held if is_open => self.held.update(|(_, strip)| strip.renew(&answer.page)),
            TimelinePart::Newest
                if is_open && self.held.with_untracked(|(_, strip)| strip.mark(StreamEnd::Newer).is_none()) =>
            {
                let keep = if self.keeper.at_end.get_untracked() { StreamEnd::Newer } else { StreamEnd::Older };
                self.held.update(|(_, strip)| strip.refresh(&answer.page, keep));
            }
            _ => {}
        }
    }

    /// Goes to a message, whatever is held.
    pub(super) fn go_to(self, id: EventId) {
        if self.held.with_untracked(|(_, strip)| strip.place(&id).is_some()) {
            self.jump.set_value(None);
            self.keeper.aim(ScrollTarget::Message(id));
        } else {
            self.jump.set_value(Some(TimelinePart::Jump(None, Some(id))));
            self.fetch.refetch();
        }
    }

    /// Goes to an end of the session, whatever is held.
    pub(super) fn go(self, end: StreamEnd) {
        if self.held.with_untracked(|(_, strip)| strip.mark(end).is_none()) {
            self.keeper.aim(if end == StreamEnd::Older { ScrollTarget::Start } else { ScrollTarget::End });
        } else {
            self.jump.set_value(Some(TimelinePart::Jump(Some(end), None)));
            self.fetch.refetch();
        }
    }
}

impl PagedStream for TimelineState {
    type StreamId = SessionId;
    type Page = Timeline;

    fn keeper(self) -> ScrollAnchor {
        self.keeper
    }

    fn held(self) -> Option<(SessionId, usize)> {
        self.held.with_untracked(|(of, strip)| Some((of.clone()?, strip.count())))
    }

    fn mark(self, end: StreamEnd) -> Option<String> {
        self.held.with_untracked(|(_, strip)| strip.mark(end).cloned())
    }

    async fn page(source: DataSource, session: SessionId, query: ThreadQuery) -> Result<Timeline, SourceError> {
        source.timeline(&session, &query).await
    }

    fn take(self, page: &Timeline, end: StreamEnd) {
        self.held.update(|(_, strip)| strip.take(page, end));
    }
}
