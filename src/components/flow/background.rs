//! Background of the sequence diagram (flow): lane lines and lane heads, agents' periods of work, time labels, bands
//! for pauses without events, and the line of the current time.

use std::sync::Arc;

use coordination::flow_layout::{Pause, Tick};
use leptos::prelude::*;

use super::DrawnFlow;
use super::arrow::icon;
use super::mark_text::fitted;
use crate::components::people::{hue_class, use_people};
use crate::i18n::{time, use_i18n};
use crate::ui::{Icon, Tone};

/// Height of the lanes' heads.
pub(super) const HEADS_HEIGHT: f64 = 78.0;
/// Right edge of the times.
const TIMES_RIGHT: f64 = 66.0;

/// Lanes, work, times, now. Only `from..to` is drawn.
pub(super) fn background(drawn: &Arc<DrawnFlow>, from: f64, to: f64) -> impl IntoView + use<> {
    let layout = &drawn.layout;
    let (top, bottom) = (from.max(0.0), to.min(layout.height));
    let ticks = layout.ticks.iter().filter(|tick| (top - 40.0..bottom).contains(&(tick.y as f64))).map(tick_view);
    view! {
        {running(drawn, from, to)}
        {ticks.collect_view()}
        {layout.now.filter(|y| *y > top && *y <= bottom).map(|y| now_view(drawn, y))}
    }
}

/// What crosses `from` to `to`: lanes, and the stretches of work on them.
pub(super) fn running(drawn: &Arc<DrawnFlow>, from: f64, to: f64) -> impl IntoView + use<> {
    let layout = &drawn.layout;
    let (top, bottom) = (from.max(0.0), to.min(layout.height));
    let end = layout.now.unwrap_or(layout.height).min(bottom);
    let lanes: String = layout.lanes.iter().map(|x| format!("M{x} {top}V{}", end.max(top))).collect();
    let work = layout.work.iter().filter(|work| work.y0 < bottom && work.y1 > top).map(|work| {
        let agent = drawn.flow.lanes.get(work.lane).and_then(|lane| lane.agent.as_ref());
        let hue = agent.map_or("", |agent| hue_class(agent));
        let x = layout.lanes[work.lane] - 5.0;
        view! {
            <rect
                class=format!("flow__work {hue}")
                x=x.to_string()
                y=work.y0.to_string()
                width="10"
                height=(work.y1 - work.y0).to_string()
                rx="5"
            />
        }
    });
    view! {
        <path class="flow__lane" d=lanes />
        {work.collect_view()}
    }
}

/// A time at the left edge, with its day where one begins.
pub(super) fn tick_view(tick: &Tick) -> impl IntoView + use<> {
    let words = use_i18n();
    let Tick { at, day, y } = *tick;
    let day = day.then(|| {
        view! {
            <text class="flow__day" x=TIMES_RIGHT.to_string() y=(y - 20).to_string() text-anchor="end">
                {move || time::short_day(words.locale(), at, at)}
            </text>
        }
    });
    view! {
        {day}
        <text class="flow__tick" x=TIMES_RIGHT.to_string() y=y.to_string() text-anchor="end">
            {move || time::clock(words.locale(), at)}
        </text>
    }
}

/// The line for now.
pub(super) fn now_view(drawn: &Arc<DrawnFlow>, y: f64) -> impl IntoView + use<> {
    let words = use_i18n();
    let moment = drawn.flow.now;
    view! {
        <path class="flow__now" d=format!("M84 {y}H{}", drawn.layout.width) />
        <text class="flow__tick is-now" x=(TIMES_RIGHT + 14.0).to_string() y=(y + 4.0).to_string() text-anchor="end">
            {move || (words.get().flow().now)(&time::clock(words.locale(), moment))}
        </text>
    }
}

/// A time within an unfolded pause.
pub(super) fn hour_view(pause: &Pause, number: usize) -> impl IntoView + use<> {
    let words = use_i18n();
    let (at, y) = pause.hours[number];
    let area = pause.area;
    view! {
        <path class="flow__hour" d=format!("M{} {y}H{}", area.x, area.x + area.width) />
        <text class="flow__tick" x=TIMES_RIGHT.to_string() y=(y + 4.0).to_string() text-anchor="end">
            {move || time::clock(words.locale(), at)}
        </text>
    }
}

/// The band of a pause: it hides what goes through it while it is folded.
pub(super) fn band<L>(pause: &Pause, label: L) -> impl IntoView + use<L>
where
    L: Fn() -> String + Send + Sync + 'static,
{
    let (area, folded) = (pause.area, pause.folded);
    let height = if folded { area.height } else { 32.0 };
    let middle = area.y + height / 2.0;
    let edge = |y: f64| {
        let teeth = (area.width / 12.0) as usize;
        format!("M{} {y}{}", area.x, "l6 -4l6 4".repeat(teeth))
    };
    let x = area.x + 300.0_f64.min(area.width / 3.0);
    view! {
        <rect
            class="flow__fold"
            x=area.x.to_string()
            y=area.y.to_string()
            width=area.width.to_string()
            height=height.to_string()
        />
        {folded
            .then(|| {
                view! {
                    <path class="flow__teeth" d=edge(area.y + 2.0) />
                    <path class="flow__teeth" d=edge(area.bottom() + 2.0) />
                }
            })}
        {icon(Icon::Fold, Tone::Neutral, x - 24.0, middle - 7.0)}
        <text class="flow__sub" x=x.to_string() y=(middle + 4.0).to_string()>
            {label}
        </text>
        {folded.then(|| view! { <text class="flow__tick" x=TIMES_RIGHT.to_string() y=(middle + 4.0).to_string() text-anchor="end">"⋯"</text> })}
    }
}

/// One pause: its band, which can be pressed, and the hours it lasted.
pub(super) fn pause_view(pause: &Pause, on_pause: Callback<i64>) -> impl IntoView + use<> {
    let words = use_i18n();
    let (from, length, folded) = (pause.from, pause.to - pause.from, pause.folded);
    let label = move || {
        let (flow, length) = (words.get().flow(), time::duration(words.locale(), length));
        if folded { (flow.folded)(&length) } else { (flow.unfolded)(&length) }
    };
    let hours = (0..pause.hours.len()).map(|number| hour_view(pause, number));
    let press = move |event: web_sys::KeyboardEvent| {
        if matches!(event.key().as_str(), "Enter" | " ") {
            event.prevent_default();
            on_pause.run(from);
        }
    };
    view! {
        <g
            class="flow__pause"
            class:is-folded=folded
            role="button"
            tabindex="0"
            aria-expanded=(!folded).to_string()
            aria-label=label
            on:click=move |_| on_pause.run(from)
            on:keydown=press
        >
            {band(pause, label)}
        </g>
        {hours.collect_view()}
    }
}

/// Faces and names above the lanes.
pub(super) fn heads(drawn: &Arc<DrawnFlow>) -> impl IntoView + use<> {
    let (words, people) = (use_i18n(), use_people());
    let lanes = drawn.flow.lanes.iter().zip(&drawn.layout.lanes);
    lanes
        .map(|(lane, x)| {
            let x = *x;
            let agent = lane.agent.clone();
            let person = lane.person;
            let hue = agent.as_ref().map_or("", hue_class);
            let name = {
                let agent = agent.clone();
                move || {
                    let name = agent.as_ref().map(|id| people.name(id));
                    let others =
                        || if person { words.get().events().person } else { words.get().flow().others }.to_owned();
                    fitted(&name.unwrap_or_else(others), 150.0, 15.0)
                }
            };
            let face = move || {
                let emoji = agent.as_ref().and_then(|id| people.emoji(id));
                let first = || agent.as_ref().and_then(|id| people.letter(id)).map(String::from);
                emoji.or_else(first).unwrap_or_else(|| "⋯".to_owned())
            };
            view! {
                <circle class=format!("flow__face {hue}") cx=x.to_string() cy="26" r="17" />
                {if person {
                    icon(Icon::Person, Tone::Warning, x - 7.0, 19.0).into_any()
                } else {
                    view! {
                        <text class="flow__emoji" x=x.to_string() y="32" text-anchor="middle">
                            {face}
                        </text>
                    }
                    .into_any()
                }}
                <text class="flow__name" x=x.to_string() y="63" text-anchor="middle">
                    {name}
                </text>
            }
        })
        .collect_view()
}
