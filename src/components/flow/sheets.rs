//! Printed sheets of the flow. Each sheet has a title, the heads of all lanes, a part of the drawing and the legend.
//! `coordination::flow_layout::sheets` assigns the drawn elements to sheets. Rendered only while printing.

use std::sync::Arc;

use coordination::flow_layout::{PaperSize, Sheet, SheetPart, sheets};
use leptos::prelude::*;

use super::DrawnFlow;
use super::arrow::arrow_view;
use super::background::{HEADS_HEIGHT, band, heads, hour_view, now_view, running, tick_view};
use super::delegation::{branch_view, dot_view, note_view, return_view, stem_view};
use super::legend::FlowLegend;
use super::task_bar::{span_view, stretches};
use crate::components::time_ago::use_now;
use crate::i18n::{I18n, time, use_i18n};

/// What A4 and Letter both have within margins of 12 mm (186 × 255 mm, 96 pixels an inch), less the lines above and
/// below the drawing.
const PORTRAIT: PaperSize = PaperSize { width: 700.0, height: 850.0, heads: HEADS_HEIGHT };
const LANDSCAPE: PaperSize = PaperSize { width: 960.0, height: 580.0, heads: HEADS_HEIGHT };
/// A drawing that would be smaller than this lies on its side.
const LANDSCAPE_BELOW_SCALE: f64 = 0.62;
/// Below this scale it is hard to read: the sheet shows a note.
const SMALL_SCALE: f64 = 0.45;

/// Printed sheets of a flow, in landscape when portrait would make the drawing too small.
#[component]
pub fn FlowSheets(
    drawn: Arc<DrawnFlow>,
    /// Title of the session.
    #[prop(into)]
    title: Signal<String>,
) -> impl IntoView {
    let upright = sheets(&drawn.flow, &drawn.layout, PORTRAIT);
    let lies = upright.scale < LANDSCAPE_BELOW_SCALE;
    let on = if lies { sheets(&drawn.flow, &drawn.layout, LANDSCAPE) } else { upright };
    let (all, scale) = (on.list.len(), on.scale);
    let pages = on.list.iter().enumerate().map(|(number, sheet)| {
        view! {
            <section class="sheet">
                <Above drawn=Arc::clone(&drawn) title=title times=sheet.times small=scale < SMALL_SCALE />
                {drawing(&drawn, sheet, scale)}
                <Below number=number + 1 all=all />
            </section>
        }
    });
    view! {
        <div class="sheets" class:is-lying=lies>
            {pages.collect_view()}
        </div>
    }
}

/// Head of a sheet: title, session, period and print time.
#[component]
fn Above(drawn: Arc<DrawnFlow>, title: Signal<String>, times: (i64, i64), small: bool) -> impl IntoView {
    let words = use_i18n();
    let now = use_now();
    let session = drawn.session().to_string();
    let facts = move || {
        let flow = words.get().flow();
        let printed = (flow.printed)(&time::exact(words.locale(), now.at.get()));
        let parts = [flow.drawing.to_owned(), session.clone(), period(words, times), printed];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
    };
    view! {
        <header class="sheet__above">
            <p class="sheet__title">{title}</p>
            <p>{facts}</p>
            {small.then(|| view! { <p>{move || words.get().flow().printed_small}</p> })}
        </header>
    }
}

/// `2월 20일 17:38 – 2월 20일 18:02`; empty without any time.
fn period(words: I18n, (since, until): (i64, i64)) -> String {
    let day_clock = |at: i64| time::day_clock(words.locale(), at);
    match (since, until) {
        (0, _) => String::new(),
        (since, until) if since == until => day_clock(since),
        (since, until) => format!("{} – {}", day_clock(since), day_clock(until)),
    }
}

/// Foot of a sheet: legend and sheet number.
#[component]
fn Below(number: usize, all: usize) -> impl IntoView {
    let words = use_i18n();
    view! {
        <footer class="sheet__below">
            <FlowLegend />
            <p class="sheet__number">{move || (words.get().flow().sheet_of)(number, all)}</p>
        </footer>
    }
}

/// The drawing of a sheet: what runs along the lanes is cut at its ends, everything else is complete.
fn drawing(drawn: &Arc<DrawnFlow>, sheet: &Sheet, scale: f64) -> impl IntoView + use<> {
    let layout = &drawn.layout;
    let (width, height) = (layout.width, sheet.to - sheet.from);
    let all = height + HEADS_HEIGHT;
    let stems = layout
        .delegations
        .iter()
        .enumerate()
        .filter(|(_, delegation)| delegation.y0 < sheet.to && delegation.y1 > sheet.from);
    let ticks = layout.ticks[sheet.ticks.clone()].iter().map(tick_view);
    let parts = sheet.parts.iter().map(|part| part_view(drawn, *part));
    view! {
        <svg
            class="drawn is-sheet"
            viewBox=format!("0 0 {width} {all}")
            width=(width * scale).to_string()
            height=(all * scale).to_string()
        >
            {heads(drawn)}
            <svg
                y=HEADS_HEIGHT.to_string()
                width=width.to_string()
                height=height.to_string()
                viewBox=format!("0 {} {width} {height}", sheet.from)
            >
                {running(drawn, sheet.from, sheet.to)}
                {stretches(drawn, sheet.from, sheet.to)}
                {stems.map(|(number, _)| stem_view(drawn, number)).collect_view()}
            </svg>
            <g transform=format!("translate(0,{})", HEADS_HEIGHT - sheet.from)>
                {ticks.collect_view()}
                {parts.collect_view()}
            </g>
        </svg>
    }
}

fn part_view(drawn: &Arc<DrawnFlow>, part: SheetPart) -> AnyView {
    let words = use_i18n();
    let layout = &drawn.layout;
    match part {
        SheetPart::Arrow(at) => arrow_view(drawn, at).into_any(),
        SheetPart::Branch(at) => {
            let delegation = &layout.delegations[at];
            // A run without a line back shows its status below its name.
            let alone = !(delegation.back && delegation.y1 > delegation.y0);
            view! {
                {branch_view(drawn, at)}
                {alone.then(|| return_view(drawn, at))}
            }
            .into_any()
        }
        SheetPart::Return(at) => return_view(drawn, at).into_any(),
        SheetPart::Dot(at) => dot_view(drawn, at).into_any(),
        SheetPart::Span(at, span) => span_view(drawn, at, span).into_any(),
        SheetPart::Note(at) => note_view(drawn, at).into_any(),
        SheetPart::Pause(at) => {
            let pause = &layout.pauses[at];
            let length = pause.to - pause.from;
            let label = move || (words.get().flow().idle)(&time::duration(words.locale(), length));
            view! {
                <g class="flow__pause" class:is-folded=pause.folded>
                    {band(pause, label)}
                </g>
            }
            .into_any()
        }
        SheetPart::Hour(at, hour) => hour_view(&layout.pauses[at], hour).into_any(),
        SheetPart::Now => layout.now.map(|y| now_view(drawn, y)).into_any(),
    }
}
