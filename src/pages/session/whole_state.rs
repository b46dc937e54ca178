//! State of a whole session: loaded part, read position, new items.

use coordination::api::{ThreadQuery, Timeline, page_mark_at};
use coordination::ids::{EventId, SessionId};
use leptos::html;
use leptos::prelude::*;

use super::SessionState;
use super::keeper::{Aim, Keeper};
use super::paging::Stretch;
use crate::components::thread::flow::Item;
use crate::components::thread::paged::Paged;
use crate::components::thread::strip::Strip;
use crate::components::thread::window::{End, FIRST};
use crate::i18n::time;
use crate::queries::{Fetch, FetchOptions, use_fetch, use_pairs};
use crate::routes::ThreadView;
use crate::source::{ApiError, Source};

/// Items requested beyond the held part on either side: that many may have come late between them.
const SLACK: u32 = 20;

/// The requested part.
#[derive(Debug, Clone, PartialEq)]
enum Part {
    Newest,
    Held,
    /// The part at an end, or around an item, for good.
    Jump(Option<End>, Option<EventId>),
}

/// A page and its request.
pub(super) struct Answer {
    session: SessionId,
    page: Timeline,
    part: Part,
}

/// What the page keeps of a whole session.
#[derive(Clone, Copy)]
pub(super) struct WholeState {
    pub(super) id: Memo<SessionId>,
    pub(super) view: Memo<ThreadView>,
    pub(super) fetch: Fetch<Answer>,
    /// The part that is held, and of which session.
    pub(super) held: RwSignal<(Option<SessionId>, Strip)>,
    pub(super) items: Memo<Vec<Item>>,
    pub(super) keeper: Keeper,
    pub(super) stream: NodeRef<html::Div>,
    jump: StoredValue<Option<Part>>,
}

pub(super) fn use_whole_state(state: SessionState) -> WholeState {
    let pairs = use_pairs();
    let view = Memo::new(move |_| pairs.with(|pairs| ThreadView::from_pairs(pairs)));
    let held = RwSignal::new((None::<SessionId>, Strip::default()));
    let jump = StoredValue::new(None::<Part>);
    let options = FetchOptions {
        touches: Box::new(|change, id: &SessionId| change.touches_session(id)),
        same_subject: Box::new(|a, b| a == b),
    };
    let fetch = use_fetch(
        move || state.id.get(),
        options,
        move |source, session: SessionId| {
            let (part, query) = held.with_untracked(|(of, strip)| {
                let is_open = of.as_ref() == Some(&session);
                let at = view.with_untracked(|view| view.at.clone());
                let opening = || if at.is_some() { Part::Jump(None, at) } else { Part::Jump(Some(End::Newer), None) };
                let part = match jump.get_value() {
                    _ if !is_open => opening(),
                    Some(jump) => jump,
                    None if strip.mark(End::Newer).is_some() => Part::Held,
                    None => Part::Newest,
                };
                let query = query_of(&part, strip);
                (part, query)
            });
            async move {
                let page = source.timeline(&session, &query).await?;
                Ok::<_, ApiError>(Answer { session, page, part })
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
    let goes_on = Signal::derive(move || held.with(|(_, strip)| strip.mark(End::Newer).is_some()));
    WholeState { id: state.id, view, fetch, held, items, keeper: Keeper::new(goes_on), stream: NodeRef::new(), jump }
}

fn query_of(part: &Part, strip: &Strip) -> ThreadQuery {
    let first = ThreadQuery { limit: Some(FIRST), ..ThreadQuery::default() };
    match part {
        Part::Jump(_, Some(id)) => ThreadQuery { around: Some(id.to_string()), ..first },
        Part::Jump(Some(End::Older), None) => ThreadQuery { after: Some(page_mark_at(i64::MIN)), ..first },
        Part::Held => {
            let middle = strip.items.get(strip.items.len() / 2).map(|item| item.id().to_string());
            ThreadQuery { around: middle, limit: Some(strip.items.len() as u32 + 2 * SLACK), ..first }
        }
        Part::Newest | Part::Jump(..) => first,
    }
}

impl WholeState {
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

    fn accept(self, answer: &Answer) {
        let is_open = self.held.with_untracked(|(of, _)| of.as_ref() == Some(&answer.session));
        match &answer.part {
            Part::Jump(end, at) => {
                if self.jump.get_value().as_ref() == Some(&answer.part) {
                    self.jump.set_value(None);
                }
                self.held.set((Some(answer.session.clone()), Strip::from_page(&answer.page)));
                let found = at.clone().filter(|id| self.held.with_untracked(|(_, strip)| strip.place(id).is_some()));
                self.keeper.aim(match (found, end) {
                    (Some(id), _) => Aim::Message(id),
                    (None, Some(End::Older)) => Aim::Start,
                    _ => Aim::End,
                });
            }
            Part::Held if is_open => self.held.update(|(_, strip)| strip.renew(&answer.page)),
            Part::Newest if is_open && self.held.with_untracked(|(_, strip)| strip.mark(End::Newer).is_none()) => {
                let keep = if self.keeper.at_end.get_untracked() { End::Newer } else { End::Older };
                self.held.update(|(_, strip)| strip.refresh(&answer.page, keep));
            }
            _ => {}
        }
    }

    /// Goes to a message, whatever is held.
    pub(super) fn go_to(self, id: EventId) {
        if self.held.with_untracked(|(_, strip)| strip.place(&id).is_some()) {
            self.jump.set_value(None);
            self.keeper.aim(Aim::Message(id));
        } else {
            self.jump.set_value(Some(Part::Jump(None, Some(id))));
            self.fetch.again();
        }
    }

    /// Goes to an end of the session, whatever is held.
    pub(super) fn go(self, end: End) {
        if self.held.with_untracked(|(_, strip)| strip.mark(end).is_none()) {
            self.keeper.aim(if end == End::Older { Aim::Start } else { Aim::End });
        } else {
            self.jump.set_value(Some(Part::Jump(Some(end), None)));
            self.fetch.again();
        }
    }
}

impl Stretch for WholeState {
    type Of = SessionId;
    type Page = Timeline;

    fn keeper(self) -> Keeper {
        self.keeper
    }

    fn held(self) -> Option<(SessionId, usize)> {
        self.held.with_untracked(|(of, strip)| Some((of.clone()?, strip.count())))
    }

    fn mark(self, end: End) -> Option<String> {
        self.held.with_untracked(|(_, strip)| strip.mark(end).cloned())
    }

    async fn page(source: Source, session: SessionId, query: ThreadQuery) -> Result<Timeline, ApiError> {
        source.timeline(&session, &query).await
    }

    fn take(self, page: &Timeline, end: End) {
        self.held.update(|(_, strip)| strip.take(page, end));
    }
}
