//! Arrow of a message in the flow. Line style and arrow head show the type of the message and, for a request, its
//! delivery state. The message text is above the line, the state below.

use std::sync::Arc;

use coordination::api::{ArrowKind, FlowArrow};
use coordination::delivery::DeliveryState;
use coordination::flow_layout::{Area, ArrowAt, MarkRef};
use leptos::prelude::*;

use super::DrawnFlow;
use super::mark_text::{arrow_fate, fitted, mark_text, width_of};
use crate::components::people::use_people;
use crate::components::time_ago::use_now;
use crate::i18n::use_i18n;
use crate::ui::badge::StatusStyle;
use crate::ui::{Icon, Tone};

/// Sizes of the two lines of words.
pub(super) const TEXT_SIZE: f64 = 13.5;
pub(super) const SUBTEXT_SIZE: f64 = 12.5;
/// A head, and how far a line that does not arrive falls short of it.
const HEAD_SIZE: f64 = 8.0;
const LOST_ARROW_GAP: f64 = 30.0;

/// How a line is drawn: class, and arrow head.
fn arrow_style(arrow: &FlowArrow, now: i64) -> (&'static str, ArrowHead) {
    match (&arrow.exchange, arrow.kind) {
        (Some(exchange), _) => match exchange.state_at(now) {
            DeliveryState::Waiting => ("is-waiting", ArrowHead::Open),
            DeliveryState::NoReply => ("is-failed", ArrowHead::Cross),
            DeliveryState::Blocked => ("is-blocked", ArrowHead::Refused),
            DeliveryState::EndedWithoutAnswer => ("is-ended", ArrowHead::Bar),
            DeliveryState::NoTrace | DeliveryState::Unknown => ("is-lost", ArrowHead::Nothing),
            DeliveryState::Answered
            | DeliveryState::NoAnswerRequested
            | DeliveryState::Notice
            | DeliveryState::Acknowledged => ("is-sent", ArrowHead::Full),
        },
        (None, ArrowKind::Request) => ("is-sent", ArrowHead::Full),
        (None, ArrowKind::Route) => ("is-routed", ArrowHead::Open),
        (None, ArrowKind::Turn) => ("is-turn", ArrowHead::Open),
        (None, _) => ("is-answer", ArrowHead::Open),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ArrowHead {
    Full,
    Open,
    Cross,
    Refused,
    Bar,
    Nothing,
}

/// One arrow, without its frame.
pub(super) fn arrow_view(drawn: &Arc<DrawnFlow>, number: usize) -> impl IntoView + use<> {
    let (words, people, now) = (use_i18n(), use_people(), use_now());
    let at = drawn.layout.arrows[number];
    let arrow = drawn.flow.arrows[number].clone();
    let human = arrow.human;
    let line = {
        let arrow = arrow.clone();
        move || {
            let (class, end) = arrow_style(&arrow, now.at.get());
            line(&at, class, end)
        }
    };
    let text = {
        let drawn = Arc::clone(drawn);
        move || fitted(&mark_text(&drawn, MarkRef::Arrow(number), words, people, 0).text, at.text.width, TEXT_SIZE)
    };
    let fate = at.fate.map(|area| {
        let arrow = arrow.clone();
        let style = {
            let arrow = arrow.clone();
            move || {
                let state = arrow.exchange.as_ref().map(|exchange| exchange.state_at(now.at.get()));
                state
                    .filter(|state| *state != DeliveryState::Answered)
                    .map(crate::components::status::delivery_state_style)
            }
        };
        let text = move || arrow_fate(&arrow, words, now.at.get());
        view! { <Sub area=area style=style text=text /> }
    });
    let (x, y) = (at.text.x + at.text.width / 2.0, at.text.y + 14.0);
    view! {
        {line}
        {human
            .then(|| {
                // On the lane of people; a monitor of an earlier version has none, and then next to the agent's.
                let (x, y) = (at.x0 + if at.x1 > at.x0 { 6.0 } else { -6.0 }, at.y0);
                view! {
                    <circle class="flow__person" cx=x.to_string() cy=y.to_string() r="11" />
                    {icon(Icon::Person, Tone::Warning, x - 7.0, y - 7.0)}
                }
            })}
        <text class="flow__text" x=x.to_string() y=y.to_string() text-anchor="middle">
            {text}
        </text>
        {fate}
    }
}

/// The line below an arrow: icon and words.
#[component]
fn Sub(
    area: Area,
    style: impl Fn() -> Option<StatusStyle> + Clone + Send + Sync + 'static,
    text: impl Fn() -> String + Clone + Send + Sync + 'static,
) -> impl IntoView {
    let middle = area.x + area.width / 2.0;
    let y = area.y + 13.0;
    let class = {
        let style = style.clone();
        move || format!("flow__sub is-{}", style().map_or("plain", |style| style.tone.as_str()))
    };
    let shown = move || fitted(&text(), area.width - 20.0, SUBTEXT_SIZE);
    let mark = {
        let shown = shown.clone();
        move || {
            style().map(|style| {
                // The icon precedes the centred words.
                let x = (middle - width_of(&shown(), SUBTEXT_SIZE) / 2.0 - 18.0).max(area.x);
                icon(style.icon, style.tone, x, y - 11.5)
            })
        }
    };
    view! {
        {mark}
        <text class=class x=middle.to_string() y=y.to_string() text-anchor="middle">
            {shown}
        </text>
    }
}

fn line(at: &ArrowAt, class: &'static str, end: ArrowHead) -> impl IntoView + use<> {
    let ArrowAt { x0, y0, x1, y1, .. } = *at;
    let forth = if x1 >= x0 { 1.0 } else { -1.0 };
    let own = (x1 - x0).abs() < 1.0;
    let falls_short =
        matches!(end, ArrowHead::Cross | ArrowHead::Refused | ArrowHead::Bar | ArrowHead::Nothing) && !own;
    let tip = if falls_short { x1 - LOST_ARROW_GAP * forth } else { x1 };
    let path = if own {
        // A message to oneself leaves the lane and comes back.
        format!("M{x0} {y0}h18a5 5 0 0 1 0 {}h-18", y1 - y0)
    } else if falls_short {
        format!("M{x0} {y0}H{tip}")
    } else {
        let bend = 60.0_f64.min((tip - x0).abs() / 3.0) * forth;
        format!("M{x0} {y0}C{} {y0} {} {y1} {tip} {y1}", x0 + bend, tip - bend)
    };
    let back = if own { HEAD_SIZE } else { -HEAD_SIZE * forth };
    let head = match end {
        ArrowHead::Full => format!("M{tip} {y1}l{back} -4v8z"),
        ArrowHead::Open => format!("M{} {}L{tip} {y1}l{back} 4", tip + back, y1 - 4.0),
        ArrowHead::Cross => format!("M{} {}l12 12m0 -12l-12 12", tip - 6.0 + 10.0 * forth, y0 - 6.0),
        ArrowHead::Refused => {
            let x = tip + 9.0 * forth;
            format!("M{} {y0}a7 7 0 1 0 14 0a7 7 0 1 0 -14 0zM{} {}l10 10", x - 7.0, x - 5.0, y0 - 5.0)
        }
        ArrowHead::Bar => format!("M{} {}v12", tip + 3.0 * forth, y0 - 6.0),
        ArrowHead::Nothing => String::new(),
    };
    view! {
        <path class=format!("flow__line {class}") d=path />
        {(!head.is_empty())
            .then(|| {
                view! { <path class=format!("flow__head {class}{}", if end == ArrowHead::Full { " is-full" } else { "" }) d=head /> }
            })}
    }
}

/// An icon as part of a drawing, 14 units wide, its upper left corner here. (An icon of the page is a drawing of its own,
/// which a drawing around it would not size.)
pub(super) fn icon(symbol: Icon, tone: Tone, x: f64, y: f64) -> impl IntoView + use<> {
    let (stroke, fill) = symbol.paths();
    view! {
        <g class=format!("flow__icon is-{}", tone.as_str()) transform=format!("translate({x},{y}) scale(0.7)")>
            <path d=stroke />
            {(!fill.is_empty()).then(|| view! { <path class="flow__ink" d=fill /> })}
        </g>
    }
}
