//! A task as a bar next to its agent's lane: one segment per status, stuck ones hatched.

use std::sync::Arc;

use coordination::flow_layout::{Area, SpanAt};
use coordination::workspace::TaskStatus;
use leptos::prelude::*;

use super::DrawnFlow;
use super::arrow::SUBTEXT_SIZE;
use super::mark_text::{fitted, ribbon_title, span_words};
use crate::components::status::task_face;
use crate::i18n::use_i18n;
use crate::ui::Tone;

/// One ribbon, without its frame, of which only `from..to` (in the drawing) is drawn.
pub(super) fn ribbon_view(braid: &Arc<DrawnFlow>, number: usize, from: f64, to: f64) -> impl IntoView + use<> {
    let places = &braid.layout.ribbons[number].spans;
    let spans = braid.flow.ribbons[number].spans.iter().zip(places).enumerate();
    let parts = spans
        .filter(|(_, (_, at))| at.area.y < to && at.area.bottom().max(at.text.bottom()) > from)
        .map(|(position, (span, at))| {
            let tone = task_face(span.status).0;
            let words = (at.text.y < to && at.text.bottom() > from).then(|| span_text(braid, number, position, at));
            let stuck = span.status == TaskStatus::Blocked;
            view! { {stretch(at, tone, stuck, from, to)} {edge(at, tone)} {words} }
        })
        .collect_view();
    view! { {parts} }
}

/// The stretches of all ribbons between `from` and `to`: what of them may be cut by the end of a sheet.
pub(super) fn stretches(braid: &Arc<DrawnFlow>, from: f64, to: f64) -> impl IntoView + use<> {
    let ribbons = braid.flow.ribbons.iter().zip(&braid.layout.ribbons);
    let spans = ribbons.flat_map(|(ribbon, place)| ribbon.spans.iter().zip(&place.spans));
    let near = spans.filter(|(_, at)| at.area.y < to && at.area.bottom() > from);
    near.map(|(span, at)| stretch(at, task_face(span.status).0, span.status == TaskStatus::Blocked, from, to))
        .collect_view()
}

/// Where a span begins, with its words.
pub(super) fn span_view(braid: &Arc<DrawnFlow>, number: usize, position: usize) -> impl IntoView + use<> {
    let at = &braid.layout.ribbons[number].spans[position];
    let tone = task_face(braid.flow.ribbons[number].spans[position].status).0;
    view! { {edge(at, tone)} {span_text(braid, number, position, at)} }
}

fn edge(at: &SpanAt, tone: Tone) -> impl IntoView + use<> {
    let Area { x, y, width, .. } = at.area;
    view! { <path class=format!("braid__edge is-{}", tone.as_str()) d=format!("M{x} {y}h{width}") /> }
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
                        class=format!("braid__ribbon is-{tone}")
                        x=x.to_string()
                        y=top.to_string()
                        width=width.to_string()
                        height=(bottom - top).to_string()
                    />
                }
            })}
        {(stuck && bottom > top).then(|| view! { <path class="braid__hatch" d=hatch(x, width, top, bottom) /> })}
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

fn span_text(braid: &Arc<DrawnFlow>, number: usize, position: usize, at: &SpanAt) -> impl IntoView + use<> {
    let words = use_i18n();
    let braid = Arc::clone(braid);
    let status = braid.flow.ribbons[number].spans[position].status;
    let tone = task_face(status).0.as_str();
    let area = at.text;
    let (x, anchor) = if at.left { (area.x + area.width, "end") } else { (area.x, "start") };
    let first = {
        let braid = Arc::clone(&braid);
        move || fitted(&span_words(&braid.flow.ribbons[number].spans[position], words), area.width, SUBTEXT_SIZE)
    };
    let second = move || fitted(&ribbon_title(&braid.flow.ribbons[number], words), area.width, SUBTEXT_SIZE);
    view! {
        <text class=format!("braid__sub is-{tone}") x=x.to_string() y=(area.y + 13.0).to_string() text-anchor=anchor>
            {first}
        </text>
        <text class="braid__sub is-rest" x=x.to_string() y=(area.y + 30.0).to_string() text-anchor=anchor>
            {second}
        </text>
    }
}
