//! Scroll anchor of a thread: it keeps the read position while the thread grows, shrinks, is redrawn or resized. When
//! content moves, the thread is scrolled by the same distance. A view at the end of the thread follows new messages.

use std::rc::Rc;

use coordination::ids::EventId;
use coordination::view::StreamEnd;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ScrollLogicalPosition};

use super::scroll::{self, Scroller};
use crate::components::thread::window::Reach;
use crate::ui::selectors::{ARTICLE_ROW, EVENT, EVENT_ROW, MESSAGE_PARTS, UNREAD_LINE};

/// So near to the end, the user is at the end.
const TAIL_PX: f64 = 24.0;
/// So much of a message must be in view to count as read.
const READ_PX: f64 = 48.0;
/// Tolerance for rounding: a message that begins this little above the view still begins in it.
const ROUNDED_PX: f64 = 1.0;
/// Elements by which the position is found again; the first may be redrawn.
const MAX_ANCHORS: usize = 8;

/// A place the thread is brought to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ScrollTarget {
    /// This message, in the middle.
    Message(EventId),
    /// The line before what was not read.
    Unread,
    /// The beginning of what is drawn.
    Start,
    /// The end.
    End,
}

struct Anchor {
    element: Element,
    id: Option<String>,
    offset: f64,
}

#[derive(Default)]
struct ScrollAnchorState {
    stream: Option<Element>,
    anchors: Vec<Anchor>,
    /// Where the page itself scrolled to last, and what: what is not there, the user did.
    set: f64,
    scrolls: Option<Element>,
    /// How far below its place the first anchor was left, where the end of the drawing allowed no more.
    short: f64,
    tail: bool,
    heading: Option<StreamEnd>,
    aim: Option<ScrollTarget>,
    /// The message that has the focus, while it is in the stream.
    focused: Option<(Element, String)>,
}

/// Keeps the place of the open thread.
#[derive(Clone, Copy)]
pub(super) struct ScrollAnchor {
    inner: StoredValue<ScrollAnchorState, LocalStorage>,
    /// Newer messages than those drawn exist: the end of the drawing is not the end of the thread.
    has_newer: Signal<bool>,
    /// The user is at the end of the thread.
    pub(super) at_end: RwSignal<bool>,
    /// Counts moves of the user and of the drawing.
    pub(super) moved: RwSignal<u32>,
    /// A look at what moved is due in the next frame.
    due: StoredValue<bool>,
}

impl ScrollAnchor {
    pub(super) fn new(has_newer: Signal<bool>) -> Self {
        Self {
            inner: StoredValue::new_local(ScrollAnchorState::default()),
            has_newer,
            at_end: RwSignal::new(false),
            moved: RwSignal::new(0),
            due: StoredValue::new(false),
        }
    }

    /// Watches a stream as long as the owner lives.
    pub(super) fn attach(self, stream: &Element) {
        self.inner.update_value(|inner| {
            *inner = ScrollAnchorState {
                stream: Some(stream.clone()),
                aim: inner.aim.take(),
                ..ScrollAnchorState::default()
            };
        });
        let settle = Rc::new(Closure::<dyn FnMut()>::new(move || self.settle()));
        let act: &js_sys::Function = settle.as_ref().as_ref().unchecked_ref();
        let mutations = web_sys::MutationObserver::new(act);
        if let Ok(mutations) = &mutations {
            let wanted = web_sys::MutationObserverInit::new();
            wanted.set_child_list(true);
            wanted.set_subtree(true);
            wanted.set_character_data(true);
            mutations.observe_with_options(stream, &wanted).unwrap_or_default();
        }
        let sizes = web_sys::ResizeObserver::new(act);
        if let Ok(sizes) = &sizes {
            sizes.observe(stream);
            if let Some(scroller) = Scroller::from_stream(stream) {
                sizes.observe(scroller.element());
            }
        }
        let observers = StoredValue::new_local(Some((mutations, sizes, settle)));
        on_cleanup(move || {
            if let Some(Some((mutations, sizes, _))) = observers.try_update_value(Option::take) {
                mutations.map(|watch| watch.disconnect()).unwrap_or_default();
                sizes.map(|watch| watch.disconnect()).unwrap_or_default();
            }
        });
        self.settle();
    }

    /// Brings the thread there, as soon as it is drawn.
    pub(super) fn aim(self, aim: ScrollTarget) {
        self.inner.update_value(|inner| {
            inner.aim = Some(aim);
            inner.heading = None;
        });
        request_animation_frame(move || self.settle());
    }

    /// Where the user went last.
    pub(super) fn heading(self) -> Option<StreamEnd> {
        self.inner.try_with_value(|inner| inner.heading).flatten()
    }

    /// Where the user is in what is drawn.
    pub(super) fn reach(self) -> Option<Reach> {
        self.scroller().map(|scroller| scroller.reach())
    }

    fn stream(self) -> Option<Element> {
        self.inner.try_with_value(|inner| inner.stream.clone()).flatten().filter(|stream| stream.is_connected())
    }

    fn scroller(self) -> Option<Scroller> {
        Scroller::from_stream(&self.stream()?)
    }

    /// Something scrolled.
    pub(super) fn scrolled(self) {
        let Some(scroller) = self.scroller() else { return };
        let way = scroller.position() - self.inner.with_value(|inner| inner.set);
        if way.abs() < 0.5 {
            return;
        }
        self.undo_layout_shift(&scroller, way);
        self.inner.update_value(|inner| {
            inner.heading = Some(if way < 0.0 { StreamEnd::Older } else { StreamEnd::Newer });
            inner.aim = None;
        });
        self.take(&scroller);
        self.report_move();
    }

    /// The user scrolled by `way`. What the text moved besides, something did that changed its height since the last
    /// frame, e.g. a loaded picture: taken as scrolled, it would remain.
    fn undo_layout_shift(self, scroller: &Scroller, way: f64) {
        let between = self.inner.with_value(|inner| {
            if inner.aim.is_some() || inner.tail || inner.scrolls.as_ref() != Some(scroller.element()) {
                return None;
            }
            Some(inner.moved(scroller)? + way - inner.short)
        });
        if let Some(between) = between.filter(|between| between.abs() > ROUNDED_PX) {
            scroller.set_position(scroller.position() + between);
        }
    }

    /// The drawing changed: what is read goes back to its place.
    fn settle(self) {
        let Some((stream, scroller)) =
            self.stream().and_then(|stream| Some((stream.clone(), Scroller::from_stream(&stream)?)))
        else {
            return;
        };
        if let Some(aim) = self.inner.with_value(|inner| inner.aim.clone()) {
            if reach_aim(&aim, &stream, &scroller) {
                self.inner.update_value(|inner| inner.aim = None);
                self.take(&scroller);
            }
        } else if self.inner.with_value(|inner| inner.tail) {
            scroller.to_end();
        } else {
            let way = self.inner.with_value(|inner| inner.moved(&scroller));
            if let Some(way) = way.filter(|way| way.abs() >= 0.5) {
                scroller.set_position(scroller.position() + way);
            }
            let short = self.inner.with_value(|inner| inner.moved(&scroller));
            self.inner.update_value(|inner| inner.short = short.unwrap_or_default());
        }
        self.inner.update_value(|inner| inner.note_scroll(&scroller));
        self.keep_focus();
        self.report_move();
    }

    fn is_at_end(self, scroller: &Scroller) -> bool {
        !self.has_newer.get_untracked() && scroller.left() <= TAIL_PX
    }

    /// Records the read elements and their offsets.
    fn take(self, scroller: &Scroller) {
        let Some(stream) = self.stream() else { return };
        let rows: Vec<Element> = scroll::below(&stream, EVENT_ROW)
            .into_iter()
            .filter(|row| scroller.is_not_above(row))
            .take(MAX_ANCHORS)
            .collect();
        let begins_in_view = |element: &Element| scroller.offset(element) >= -ROUNDED_PX;
        let (mut first, above): (Vec<_>, Vec<_>) = rows.iter().cloned().partition(begins_in_view);
        if let Some(tall) = above.first() {
            let parts = scroll::below(tall, MESSAGE_PARTS).into_iter().filter(begins_in_view);
            // One message fills the view: its own parts are nearer to what is read than the next message.
            let is_far = first.first().is_none_or(|next| scroller.offset(next) > scroller.reach().view / 2.0);
            if let Some(part) = parts.take(1).next().filter(|_| is_far) {
                first.insert(0, part);
            }
        }
        let anchors = first.into_iter().chain(above).map(|element| Anchor {
            offset: scroller.offset(&element),
            id: element.get_attribute(EVENT),
            element,
        });
        let anchors = anchors.collect();
        let tail = self.is_at_end(scroller);
        self.inner.update_value(|inner| {
            inner.anchors = anchors;
            inner.short = 0.0;
            inner.tail = tail;
            inner.note_scroll(scroller);
        });
    }

    /// Says so once in the next frame.
    fn report_move(self) {
        if self.due.try_get_value() != Some(false) {
            return;
        }
        self.due.set_value(true);
        request_animation_frame(move || {
            if self.due.try_update_value(|due| *due = false).is_none() {
                return;
            }
            let at_end = self.scroller().is_some_and(|scroller| self.is_at_end(&scroller));
            if self.at_end.get_untracked() != at_end {
                self.at_end.set(at_end);
            }
            self.moved.update(|count| *count += 1);
        });
    }

    /// True when the top of the element is in the view.
    pub(super) fn is_in_view(self, element: &Element) -> bool {
        self.scroller().is_some_and(|scroller| {
            let offset = scroller.offset(element);
            offset >= -ROUNDED_PX && offset < scroller.reach().view
        })
    }

    /// The message read first in the view.
    pub(super) fn first_read(self) -> Option<Element> {
        let scroller = self.scroller()?;
        let rows = scroll::below(&self.stream()?, EVENT_ROW);
        let begins = rows.iter().find(|row| scroller.offset(row) >= -ROUNDED_PX);
        begins.or(rows.last()).cloned()
    }

    /// The last message of which enough is in view to be read.
    pub(super) fn last_read(self) -> Option<EventId> {
        let scroller = self.scroller()?;
        let rows = scroll::below(&self.stream()?, ARTICLE_ROW);
        let read = rows.iter().rev().find(|row| scroller.has_reached(row, READ_PX))?;
        read.get_attribute(EVENT).map(EventId::from)
    }

    /// The focus came to an element of the stream.
    pub(super) fn focus_came(self, element: Option<Element>) {
        let focused = element.and_then(|element| {
            let row = element.closest(EVENT_ROW).ok().flatten()?.get_attribute(EVENT)?;
            Some((element, row))
        });
        self.inner.try_update_value(|inner| inner.focused = focused);
    }

    /// The focus left an element of the stream, which may be about to be removed.
    pub(super) fn focus_left(self) {
        request_animation_frame(move || {
            let active = document().active_element();
            self.inner.try_update_value(|inner| {
                let is_left =
                    |(element, _): &mut (Element, String)| element.is_connected() && active.as_ref() != Some(&*element);
                inner.focused.take_if(is_left);
            });
        });
    }

    /// A message that is redrawn, moved or removed passes the focus on: to its successor, or to the first message
    /// in view.
    fn keep_focus(self) {
        let is_lost = document().active_element().is_none_or(|element| element.tag_name() == "BODY");
        let Some((element, row)) = self.inner.with_value(|inner| inner.focused.clone()).filter(|_| is_lost) else {
            return;
        };
        let connected = Some(element).filter(|element| element.is_connected());
        let Some(target) = connected.or_else(|| scroll::message(&row)).or_else(|| self.first_read()) else { return };
        self.inner.update_value(|inner| inner.focused = None);
        scroll::focus(&target);
    }
}

impl ScrollAnchorState {
    /// How far the text is below its intended position; none when no anchor is drawn.
    fn moved(&self, scroller: &Scroller) -> Option<f64> {
        self.anchors.iter().find_map(|anchor| Some(scroller.offset(&anchor.now()?) - anchor.offset))
    }

    /// What is scrolled now, the page knows of.
    fn note_scroll(&mut self, scroller: &Scroller) {
        self.set = scroller.position();
        self.scrolls = Some(scroller.element().clone());
    }
}

impl Anchor {
    /// The element as it is drawn now.
    fn now(&self) -> Option<Element> {
        let drawn = Some(&self.element).filter(|element| element.is_connected()).cloned();
        drawn.or_else(|| scroll::message(self.id.as_deref()?))
    }
}

/// Scrolls there; false while it is not drawn.
fn reach_aim(aim: &ScrollTarget, stream: &Element, scroller: &Scroller) -> bool {
    let found = |selector: &str| stream.query_selector(selector).ok().flatten();
    match aim {
        ScrollTarget::Message(id) => {
            let row = scroll::message(id.as_str());
            row.is_some_and(|row| scroll::show(&row, ScrollLogicalPosition::Center))
        }
        ScrollTarget::Unread => {
            found(UNREAD_LINE).is_some_and(|line| scroll::show(&line, ScrollLogicalPosition::Start))
        }
        ScrollTarget::Start => found(EVENT_ROW).is_some_and(|_| scroller.set_position(0.0)),
        ScrollTarget::End => found(EVENT_ROW).is_some_and(|_| scroller.to_end()),
    }
}
