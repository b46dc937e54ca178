//! Shared state of the flow page: view and selection from the URL, the loaded flow and its layout, and the user's
//! actions.

use std::sync::Arc;

use coordination::api::{Flow, SessionDetail};
use coordination::flow_layout::{LayoutOptions, layout};
use coordination::ids::{EventId, SessionId};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::components::flow::{DrawingContext, DrawnFlow, bring_into_view, mark_id};
use crate::i18n::time;
use crate::pages::raw_event::{RawEvent, use_raw_event};
use crate::queries::{Fetch, FetchOptions, Go, use_fetch, use_go, use_pairs, use_segment};
use crate::routes::{FlowView, Unfolded, paths};

/// Below this width the flow is a list.
const NARROW: &str = "(max-width: 699px)";
/// One step of the size, in percent.
const ZOOM_STEP: u32 = 10;

/// The page's state.
#[derive(Clone, Copy)]
pub(super) struct FlowState {
    /// The session.
    pub(super) id: Memo<SessionId>,
    /// How it is looked at.
    pub(super) view: Memo<FlowView>,
    /// Name of the selected mark.
    pub(super) selected: Memo<Option<EventId>>,
    pub(super) raw_event: Memo<Option<EventId>>,
    pub(super) detail: Fetch<SessionDetail>,
    pub(super) fetch: Fetch<Flow>,
    /// The newest answer, laid out.
    pub(super) drawn: RwSignal<Option<Arc<DrawnFlow>>>,
    pub(super) narrow: RwSignal<bool>,
    /// Everything is drawn, for a file.
    pub(super) whole: RwSignal<bool>,
    /// The sheets for the printer are there.
    pub(super) printing: RwSignal<bool>,
    pub(super) scroll: NodeRef<html::Div>,
    pub(super) on_select: Callback<EventId>,
    pub(super) on_close: Callback<()>,
    on_open: Callback<EventId>,
    on_pause: Callback<i64>,
    pub(super) on_zoom: Callback<bool>,
    pub(super) raw: RawEvent,
}

pub(super) fn use_flow_state() -> FlowState {
    let segment = use_segment("session");
    let id = Memo::new(move |_| SessionId::from(segment.get()));
    let pairs = use_pairs();
    let view = Memo::new(move |_| pairs.with(|pairs| FlowView::from_pairs(pairs)));
    let options = || {
        FetchOptions::refetch_when(|change, id: &SessionId| change.touches_session(id) || change.touches_tasks())
            .clear_on_key_change()
    };
    let detail = use_fetch(move || id.get(), options(), |source, id| async move { source.session(&id).await });
    let fetch = use_fetch(move || id.get(), options(), |source, id| async move { source.flow(&id).await });
    let open = Memo::new(move |_| view.with(|view| view.open.clone()));
    let drawn = RwSignal::new(None::<Arc<DrawnFlow>>);
    Effect::new(move |_| {
        let (flow, open) = (fetch.data.get(), open.get());
        drawn.set(flow.map(|flow| {
            let options = LayoutOptions { unfolded: &|from| open.holds(from), day: &time::local_day };
            let placed = layout(&flow, &options);
            Arc::new(DrawnFlow::new(flow, placed))
        }));
    });
    // An address may name any event of a mark.
    let selected = Memo::new(move |_| {
        let requested = view.with(|view| view.sel.clone())?;
        drawn.with(|drawn| drawn.as_ref().and_then(|drawn| drawn.mark(&requested).map(|of| drawn.name(of))))
    });
    let raw_event = Memo::new(move |_| view.with(|view| view.raw.clone()));
    let go = use_go();
    let at = move |view: &FlowView| paths::flow(&id.get_untracked(), view);
    let raw = use_raw_event(raw_event, move |raw| at(&FlowView { raw, ..view.get_untracked() }));
    let select = FlowActions { go, id, view };
    let state = FlowState {
        id,
        view,
        selected,
        raw_event,
        detail,
        fetch,
        drawn,
        narrow: use_narrow(),
        whole: RwSignal::new(false),
        printing: RwSignal::new(false),
        scroll: NodeRef::new(),
        on_select: select.on_select(selected),
        on_close: select.change(|view, ()| view.sel = None),
        on_open: select.on_open(drawn),
        on_pause: select.on_pause(drawn),
        on_zoom: select.change(|view, larger: bool| {
            let (least, most) = FlowView::ZOOM;
            let zoom = if larger { view.zoom + ZOOM_STEP } else { view.zoom - ZOOM_STEP.min(view.zoom) };
            view.zoom = zoom.clamp(least, most);
        }),
        raw,
    };
    use_aim(state);
    use_print(state);
    state
}

/// What changes the address.
struct FlowActions {
    go: Go,
    id: Memo<SessionId>,
    view: Memo<FlowView>,
}

impl FlowActions {
    /// The same flow with another view.
    fn change<T: 'static>(&self, how: impl Fn(&mut FlowView, T) + Send + Sync + 'static) -> Callback<T> {
        let (go, id, view) = (self.go.clone(), self.id, self.view);
        Callback::new(move |value: T| {
            let mut next = view.get_untracked();
            how(&mut next, value);
            if next != view.get_untracked() {
                go.adjust(&paths::flow(&id.get_untracked(), &next));
            }
        })
    }

    /// What is selected is an entry of the history; pressed again, nothing is.
    fn on_select(&self, selected: Memo<Option<EventId>>) -> Callback<EventId> {
        let (go, id, view) = (self.go.clone(), self.id, self.view);
        Callback::new(move |name: EventId| {
            let sel = Some(name).filter(|name| selected.get_untracked().as_ref() != Some(name));
            go.refine(&paths::flow(&id.get_untracked(), &FlowView { sel, ..view.get_untracked() }));
        })
    }

    fn on_open(&self, drawn: RwSignal<Option<Arc<DrawnFlow>>>) -> Callback<EventId> {
        let go = self.go.clone();
        Callback::new(move |name: EventId| {
            let drawn = drawn.get_untracked();
            if let Some(href) = drawn.and_then(|drawn| drawn.mark(&name).map(|of| drawn.target(of))) {
                go.to(&href);
            }
        })
    }

    fn on_pause(&self, drawn: RwSignal<Option<Arc<DrawnFlow>>>) -> Callback<i64> {
        self.change(move |view, from: i64| view.open = view.open.toggled(from, &pauses(drawn)))
    }
}

/// When the pauses begin.
fn pauses(drawn: RwSignal<Option<Arc<DrawnFlow>>>) -> Vec<i64> {
    let starts = |drawn: &Arc<DrawnFlow>| drawn.layout.pauses.iter().map(|pause| pause.from).collect();
    drawn.with_untracked(|drawn| drawn.as_ref().map(starts).unwrap_or_default())
}

impl FlowState {
    /// The newest flow, for parts that exist only once there is one.
    pub(super) fn drawn(self) -> Option<Signal<Arc<DrawnFlow>>> {
        let last = StoredValue::new(self.drawn.get_untracked()?);
        Some(Signal::derive(move || {
            if let Some(drawn) = self.drawn.get() {
                last.set_value(drawn);
            }
            last.get_value()
        }))
    }

    /// What the drawing needs.
    pub(super) fn stage(self, drawn: Signal<Arc<DrawnFlow>>) -> DrawingContext {
        let view = self.view;
        DrawingContext {
            drawn,
            selected: self.selected,
            zoom: Memo::new(move |_| view.with(|view| view.zoom)),
            whole: self.whole,
            scroll: self.scroll,
            on_select: self.on_select,
            on_open: self.on_open,
            on_pause: self.on_pause,
            on_zoom: self.on_zoom,
        }
    }

    /// The drawing is what is shown.
    pub(super) fn draws(self) -> bool {
        !self.narrow.get() && self.view.with(|view| !view.table)
    }

    /// Folds all pauses, or unfolds all.
    pub(super) fn toggle_folds(self, go: &Go) -> bool {
        if pauses(self.drawn).is_empty() {
            return false;
        }
        let view = self.view.get_untracked();
        let open = if view.open == Unfolded::None { Unfolded::All } else { Unfolded::None };
        go.adjust(&paths::flow(&self.id.get_untracked(), &FlowView { open, ..view }));
        true
    }

    /// Selects the mark `by` stops on, from nothing the first one.
    pub(super) fn step(self, by: isize, go: &Go) -> bool {
        let Some(drawn) = self.drawn.get_untracked() else { return false };
        let stops = &drawn.layout.stops;
        let here = self.selected.get_untracked().and_then(|name| drawn.mark(&name));
        let here = here.and_then(|of| stops.iter().position(|stop| stop.of == of));
        let next = match here {
            Some(here) => here.checked_add_signed(by).filter(|next| *next < stops.len()).unwrap_or(here),
            None => 0,
        };
        let Some(stop) = stops.get(next) else { return false };
        let sel = Some(drawn.name(stop.of));
        go.adjust(&paths::flow(&self.id.get_untracked(), &FlowView { sel, ..self.view.get_untracked() }));
        true
    }
}

/// The selected mark is brought on screen, and has the focus unless something else on the page holds it.
fn use_aim(state: FlowState) {
    Effect::new(move |before: Option<Option<EventId>>| {
        let selected = state.selected.get();
        let (Some(name), true) = (selected.clone(), before.flatten() != selected) else { return selected };
        let area = state.drawn.with_untracked(|drawn| {
            let drawn = drawn.as_ref()?;
            drawn.area(drawn.mark(&name)?)
        });
        // Once the page shows it: the drawing is made by the same change.
        request_animation_frame(move || {
            if state.drawn.is_disposed() {
                return;
            }
            if let Some((scroll, area)) = state.scroll.get_untracked().zip(area) {
                bring_into_view(&scroll, state.view.with_untracked(|view| view.zoom), area);
            }
            request_animation_frame(move || focus(&name));
        });
        selected
    });
}

fn focus(name: &EventId) {
    let Some(mark) = document().get_element_by_id(&mark_id(name)) else { return };
    let focused = document().active_element();
    // Someone who presses something in the panel keeps the focus there.
    if focused.is_some_and(|focused| focused.closest("aside, dialog, input").ok().flatten().is_some()) {
        return;
    }
    if let Some(row) = mark.dyn_ref::<HtmlElement>() {
        row.focus().unwrap_or_default();
    } else if let Some(drawn) = mark.dyn_ref::<web_sys::SvgElement>() {
        let options = web_sys::FocusOptions::new();
        options.set_prevent_scroll(true);
        drawn.focus_with_options(&options).unwrap_or_default();
    }
}

fn use_narrow() -> RwSignal<bool> {
    let is_narrow = || window().match_media(NARROW).ok().flatten().is_some_and(|query| query.matches());
    let narrow = RwSignal::new(is_narrow());
    let resized = window_event_listener(leptos::ev::resize, move |_| {
        if narrow.get_untracked() != is_narrow() {
            narrow.set(is_narrow());
        }
    });
    on_cleanup(move || resized.remove());
    narrow
}

/// Printing uses the drawing on sheets, from any menu; table and list are printed as they are.
fn use_print(state: FlowState) {
    for (name, on) in [("beforeprint", true), ("afterprint", false)] {
        let listener = window_event_listener_untyped(name, move |_| {
            state.printing.set(on && untrack(move || state.draws()));
        });
        on_cleanup(move || listener.remove());
    }
}
