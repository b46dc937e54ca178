//! Drawing of the sequence diagram (flow) as SVG. Only elements near the viewport are rendered, except while the
//! drawing is saved to a file. An element that an update leaves unchanged is not rendered again, so it keeps the focus.

use std::collections::HashMap;
use std::sync::Arc;

use coordination::flow_layout::{Area, MarkRef};
use coordination::ids::EventId;
use leptos::html;
use leptos::prelude::*;

use super::DrawnFlow;
use super::arrow::arrow_view;
use super::background::{HEADS_HEIGHT, background, heads, pause_view};
use super::delegation::{delegation_view, note_view};
use super::extent::{areas, near, outline, same};
use super::legend::FlowLegend;
use super::mark_text::mark_text;
use super::minimap::Minimap;
use super::task_bar::task_bar_view;
use crate::components::people::use_people;
use crate::components::time_ago::use_now;
use crate::i18n::use_i18n;

/// So far beyond the screen marks stay drawn, in the drawing's units.
const OVERSCAN_UNITS: f64 = 700.0;
/// The window moves in steps of this, so that scrolling a little draws nothing.
const STEP: f64 = 350.0;

/// The id of a mark's element.
pub fn mark_id(name: &EventId) -> String {
    format!("flow-{name}")
}

/// Inputs and callbacks of the drawing.
#[derive(Clone, Copy)]
pub struct DrawingContext {
    /// What is drawn.
    pub drawn: Signal<Arc<DrawnFlow>>,
    /// The selected mark.
    pub selected: Memo<Option<EventId>>,
    /// Size in percent.
    pub zoom: Memo<u32>,
    /// Everything is drawn, however far from the screen.
    pub whole: RwSignal<bool>,
    /// What scrolls.
    pub scroll: NodeRef<html::Div>,
    /// A mark is selected.
    pub on_select: Callback<EventId>,
    /// Opens the object of the selected mark.
    pub on_open: Callback<EventId>,
    /// Folds or unfolds a pause.
    pub on_pause: Callback<i64>,
    /// Larger or smaller.
    pub on_zoom: Callback<bool>,
}

impl DrawingContext {
    fn scale(self) -> f64 {
        f64::from(self.zoom.get()) / 100.0
    }

    fn screen(self) -> Option<(f64, f64)> {
        Some(on_screen(&self.scroll.get_untracked()?.into(), self.zoom.get_untracked()))
    }
}

/// What of a drawing at this size (in percent) is on screen: upper and lower end.
fn on_screen(scroll: &web_sys::Element, zoom: u32) -> (f64, f64) {
    let scale = f64::from(zoom) / 100.0;
    let top = f64::from(scroll.scroll_top()) / scale;
    (top, top + f64::from(scroll.client_height()) / scale - HEADS_HEIGHT)
}

/// Scrolls this position to the middle, unless it is on screen.
pub fn bring_into_view(scroll: &web_sys::Element, zoom: u32, area: Area) {
    let (top, bottom) = on_screen(scroll, zoom);
    let scale = f64::from(zoom) / 100.0;
    if area.y < top + 8.0 || area.bottom() > bottom - 8.0 {
        scroll.set_scroll_top(((area.y - (bottom - top) / 2.0).max(0.0) * scale) as i32);
    }
    let (left, width) = (f64::from(scroll.scroll_left()) / scale, f64::from(scroll.client_width()) / scale);
    if area.x < left || area.x + area.width.min(width) > left + width {
        scroll.set_scroll_left(((area.x - 40.0).max(0.0) * scale) as i32);
    }
}

/// Drawing with the lane heads, the legend and, when it is long, the minimap.
#[component]
pub fn FlowDrawing(stage: DrawingContext) -> impl IntoView {
    let words = use_i18n();
    let window = RwSignal::new((0.0, 1_600.0));
    let screen = RwSignal::new((0.0, 800.0));
    let look = move || {
        let Some((top, bottom)) = stage.screen() else { return };
        let steps = |y: f64| (y / STEP).floor() * STEP;
        let next = (steps(top - OVERSCAN_UNITS), steps(bottom + OVERSCAN_UNITS) + STEP);
        if window.get_untracked() != next {
            window.set(next);
        }
        screen.set((top, bottom));
    };
    let shown_window =
        Memo::new(
            move |_| {
                if stage.whole.get() { (0.0, stage.drawn.with(|drawn| drawn.layout.height)) } else { window.get() }
            },
        );
    // Sizes are measured by the browser, once the drawing is rendered.
    Effect::new(move |_| {
        stage.zoom.track();
        stage.drawn.track();
        request_animation_frame(move || {
            if !window.is_disposed() {
                look();
            }
        });
    });
    let resized = window_event_listener(leptos::ev::resize, move |_| look());
    on_cleanup(move || resized.remove());
    let size = move |height: f64| {
        let (width, scale) = (stage.drawn.with(|drawn| drawn.layout.width), stage.scale());
        (format!("0 0 {width} {height}"), (width * scale).to_string(), (height * scale).to_string())
    };
    let height = move || stage.drawn.with(|drawn| drawn.layout.height);
    let pan = use_pan(stage.scroll);
    let wheel = move |event: web_sys::WheelEvent| {
        if event.ctrl_key() {
            event.prevent_default();
            stage.on_zoom.run(event.delta_y() < 0.0);
        }
    };
    view! {
        <div class="flow-frame">
            <div
                class="flow-scroll"
                node_ref=stage.scroll
                role="region"
                tabindex="0"
                aria-label=move || words.get().flow().drawing
                on:scroll=move |_| look()
                on:wheel=wheel
                on:mousedown=pan
            >
                <div class="flow-heads">
                    <svg
                        class="flow"
                        aria-hidden="true"
                        viewBox=move || size(HEADS_HEIGHT).0
                        width=move || size(HEADS_HEIGHT).1
                        height=move || size(HEADS_HEIGHT).2
                    >
                        {move || heads(&stage.drawn.get())}
                    </svg>
                </div>
                <svg
                    class="drawn is-body"
                    class:has-selection=move || stage.selected.with(Option::is_some)
                    role="group"
                    aria-label=move || words.get().flow().drawing
                    viewBox=move || size(height()).0
                    width=move || size(height()).1
                    height=move || size(height()).2
                >
                    {move || {
                        let (from, to) = shown_window.get();
                        background(&stage.drawn.get(), from, to)
                    }}
                    <FlowMarks stage=stage window=shown_window />
                    <Pauses stage=stage window=shown_window />
                </svg>
                <FlowLegend />
            </div>
            <Minimap stage=stage screen=screen />
        </div>
    }
}

/// Drags the paper with the mouse.
fn use_pan(scroll: NodeRef<html::Div>) -> impl Fn(web_sys::MouseEvent) + Copy + 'static {
    let held = StoredValue::new(None::<(i32, i32, i32, i32)>);
    let moved = window_event_listener(leptos::ev::mousemove, move |event| {
        let (Some((x, y, left, top)), Some(scroll)) = (held.get_value(), scroll.get_untracked()) else { return };
        scroll.set_scroll_left(left - (event.client_x() - x));
        scroll.set_scroll_top(top - (event.client_y() - y));
    });
    let left = window_event_listener(leptos::ev::mouseup, move |_| held.set_value(None));
    on_cleanup(move || {
        moved.remove();
        left.remove();
    });
    move |event| {
        if let Some(scroll) = scroll.get_untracked().filter(|_| event.button() == 0) {
            held.set_value(Some((event.client_x(), event.client_y(), scroll.scroll_left(), scroll.scroll_top())));
        }
    }
}

/// A mark that is drawn: what it is called, which version of it, what it is.
type DrawnMark = (EventId, u32, MarkRef, Arc<DrawnFlow>);

/// Marks within `window`. An unchanged mark keeps its element.
#[component]
fn FlowMarks(stage: DrawingContext, window: Memo<(f64, f64)>) -> impl IntoView {
    // Names of the marks drawn so far, with the version drawn.
    let versions = StoredValue::new(HashMap::<EventId, (u32, Arc<DrawnFlow>, MarkRef)>::new());
    // Of a task bar only what is near is drawn.
    let drawn_window = StoredValue::new((0.0, 0.0));
    let shown = move || -> Vec<DrawnMark> {
        let (drawn, (from, to)) = (stage.drawn.get(), window.get());
        let near: Vec<MarkRef> = near(&drawn, from, to);
        let moved = drawn_window.get_value() != (from, to);
        drawn_window.set_value((from, to));
        let drawn: Vec<DrawnMark> = near
            .into_iter()
            .map(|of| {
                let name = drawn.name(of);
                let known = versions.with_value(|versions| versions.get(&name).cloned());
                let version = match known {
                    Some((version, before, was))
                        if same(&before, was, &drawn, of) && !(moved && matches!(of, MarkRef::TaskBar(_))) =>
                    {
                        version
                    }
                    Some((version, ..)) => version + 1,
                    None => 0,
                };
                (name, version, of, Arc::clone(&drawn))
            })
            .collect();
        let versioned =
            drawn.iter().map(|(name, version, of, drawn)| (name.clone(), (*version, Arc::clone(drawn), *of)));
        versions.set_value(versioned.collect());
        drawn
    };
    view! {
        <For each=shown key=|(name, version, ..)| (name.clone(), *version) let:drawn>
            {
                let (name, _, of, drawn) = drawn;
                mark(stage, drawn, of, name, window)
            }
        </For>
    }
}

/// One mark in its frame: a button with a description.
fn mark(
    stage: DrawingContext,
    drawn: Arc<DrawnFlow>,
    of: MarkRef,
    name: EventId,
    window: Memo<(f64, f64)>,
) -> impl IntoView + use<> {
    let (words, people, now) = (use_i18n(), use_people(), use_now());
    let selected = {
        let name = name.clone();
        Memo::new(move |_| stage.selected.with(|selected| selected.as_ref() == Some(&name)))
    };
    let first = drawn.layout.stops.first().is_some_and(|stop| stop.of == of);
    let tabindex = move || {
        let reached = selected.get() || (first && stage.selected.with(Option::is_none));
        if reached { "0" } else { "-1" }
    };
    let label = {
        let drawn = Arc::clone(&drawn);
        move || mark_text(&drawn, of, words, people, now.at.get()).label(words)
    };
    let click = {
        let name = name.clone();
        move |_| stage.on_select.run(name.clone())
    };
    let press = {
        let name = name.clone();
        move |event: web_sys::KeyboardEvent| match event.key().as_str() {
            "Enter" if selected.get_untracked() => {
                event.prevent_default();
                stage.on_open.run(name.clone());
            }
            "Enter" | " " => {
                event.prevent_default();
                stage.on_select.run(name.clone());
            }
            _ => {}
        }
    };
    let areas = areas(&drawn, of);
    let hits = areas.iter().map(|area| hit(area, "flow__hit")).collect_view();
    let outline = outline(&drawn, of);
    let content = match of {
        MarkRef::Arrow(at) => arrow_view(&drawn, at).into_any(),
        MarkRef::Delegation(at) => delegation_view(&drawn, at).into_any(),
        MarkRef::Note(at) => note_view(&drawn, at).into_any(),
        MarkRef::TaskBar(at) => {
            let (from, to) = window.get_untracked();
            task_bar_view(&drawn, at, from, to).into_any()
        }
    };
    view! {
        <g class="flow__mark" class:is-selected=selected>
            <g
                id=mark_id(&name)
                class="flow__press"
                role="button"
                tabindex=tabindex
                aria-pressed=move || selected.get().to_string()
                aria-label=label
                on:click=click
                on:keydown=press
            >
                {hits}
                {hit(&outline, "flow__outline")}
            </g>
            // What is drawn is cut to its room; the button's name has all of it.
            <g class="flow__drawn" aria-hidden="true">
                {content}
            </g>
        </g>
    }
}

fn hit(area: &Area, class: &'static str) -> impl IntoView + use<> {
    view! {
        <rect
            class=class
            x=area.x.to_string()
            y=area.y.to_string()
            width=area.width.to_string()
            height=area.height.to_string()
            rx="9"
        />
    }
}

/// Pauses within `window`.
#[component]
fn Pauses(stage: DrawingContext, window: Memo<(f64, f64)>) -> impl IntoView {
    move || {
        let (drawn, (from, to)) = (stage.drawn.get(), window.get());
        let near = drawn.layout.pauses.iter().filter(|pause| pause.area.y < to && pause.area.bottom() > from);
        near.map(|pause| pause_view(pause, stage.on_pause)).collect_view()
    }
}
