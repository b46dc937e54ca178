//! Bar of a task in the flow diagram, next to the lane of the task's agent. It has one segment per status; segments of
//! blocked tasks are hatched.

use std::sync::Arc;

use coordination::flow_layout::{Area, SpanAt};
use coordination::workspace::TaskStatus;
use leptos::prelude::*;

use super::DrawnFlow;
use super::arrow::SUBTEXT_SIZE;
use super::mark_text::{fitted, span_words, task_bar_title};
use crate::components::status::task_status_style;
use crate::i18n::use_i18n;
use crate::ui::Tone;

/// One task bar, without its frame, of which only `from..to` (in the drawing) is drawn.
pub(super) fn task_bar_view(drawn: &Arc<DrawnFlow>, number: usize, from: f64, to: f64) -> impl IntoView + use<> {
    let places = &drawn.layout.task_bars[number].spans;
    let spans = drawn.flow.task_bars[number].spans.iter().zip(places).enumerate();
    let parts = spans
        .filter(|(_, (_, at))| at.area.y < to && at.area.bottom().max(at.text.bottom()) > from)
        .map(|(position, (span, at))| {
            let tone = task_status_style(span.status).tone;
            let words = (at.text.y < to && at.text.bottom() > from).then(|| span_text(drawn, number, position, at));
            let stuck = span.status == TaskStatus::Blocked;
            view! { {stretch(at, tone, stuck, from, to)} {edge(at, tone)} {words} }
        })
        .collect_view();
    view! { {parts} }
}

/// The stretches of all task bars between `from` and `to`: what of them may be cut by the end of a sheet.
pub(super) fn stretches(drawn: &Arc<DrawnFlow>, from: f64, to: f64) -> impl IntoView + use<> {
    let task_bars = drawn.flow.task_bars.iter().zip(&drawn.layout.task_bars);
    let spans = task_bars.flat_map(|(task_bar, place)| task_bar.spans.iter().zip(&place.spans));
    let near = spans.filter(|(_, at)| at.area.y < to && at.area.bottom() > from);
    near.map(|(span, at)| {
        stretch(at, task_status_style(span.status).tone, span.status == TaskStatus::Blocked, from, to)
    })
    .collect_view()
}

/// Where a span begins, with its words.
pub(super) fn span_view(drawn: &Arc<DrawnFlow>, number: usize, position: usize) -> impl IntoView + use<> {
    let at = &drawn.layout.task_bars[number].spans[position];
    let tone = task_status_style(drawn.flow.task_bars[number].spans[position].status).tone;
    view! { {edge(at, tone)} {span_text(drawn, number, position, at)} }
}

fn edge(at: &SpanAt, tone: Tone) -> impl IntoView + use<> {
    let Area { x, y, width, .. } = at.area;
    view! { <path class=format!("flow__edge is-{}", tone.as_str()) d=format!("M{x} {y}h{width}") /> }
}

fn stretch(at: &SpanAt, tone: Tone, stuck: bool, from: f64, to: f64) -> impl IntoView + use<> {
    let Area { x, y, width, .. } = at.area;
    let (top, bottom) = (y.max(from), at.area.bottom().min(to));
    let tone = tone.as_str();
    view! {
        {(bottom > top)
            .then(|| {
                view! {
                    <rect
                        class=format!("flow__task-bar is-{tone}")
                        x=x.to_string()
                        y=top.to_string()
                        width=width.to_string()
                        height=(bottom - top).to_string()
                    />
                }
            })}
        {(stuck && bottom > top).then(|| view! { <path class="flow__hatch" d=hatch(x, width, top, bottom) /> })}
    }
}

/// Diagonal strokes, so that stuck tasks are visible without colour.
fn hatch(x: f64, width: f64, top: f64, bottom: f64) -> String {
    const STEP: f64 = 8.0;
    let mut out = String::new();
    // On a grid of the whole drawing, so that strokes do not move while one scrolls. A stroke rises from the left edge;
    // what lies outside is clipped.
    let mut y = (top / STEP).ceil() * STEP;
    while y < bottom + width {
        let below = (y - bottom).max(0.0);
        let rise = (width - below).min(y - below - top);
        if rise > 0.0 {
            out.push_str(&format!("M{} {}l{rise} -{rise}", x + below, y - below));
        }
        y += STEP;
    }
    out
}

fn span_text(drawn: &Arc<DrawnFlow>, number: usize, position: usize, at: &SpanAt) -> impl IntoView + use<> {
    let words = use_i18n();
    let drawn = Arc::clone(drawn);
    let status = drawn.flow.task_bars[number].spans[position].status;
    let tone = task_status_style(status).tone.as_str();
    let area = at.text;
    let (x, anchor) = if at.left { (area.x + area.width, "end") } else { (area.x, "start") };
    let first = {
        let drawn = Arc::clone(&drawn);
        move || fitted(&span_words(&drawn.flow.task_bars[number].spans[position], words), area.width, SUBTEXT_SIZE)
    };
    let second = move || fitted(&task_bar_title(&drawn.flow.task_bars[number], words), area.width, SUBTEXT_SIZE);
    view! {
        <text class=format!("flow__sub is-{tone}") x=x.to_string() y=(area.y + 13.0).to_string() text-anchor=anchor>
            {first}
        </text>
        <text class="flow__sub is-rest" x=x.to_string() y=(area.y + 30.0).to_string() text-anchor=anchor>
            {second}
        </text>
    }
}
