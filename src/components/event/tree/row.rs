//! Lines of the delegation tree: a session, a run with its time bar, and the summary of parallel runs.

use coordination::text::hidden;
use std::sync::Arc;

use coordination::api::{DelegationRow, DelegationState, Delegations};
use coordination::text::preview;
use leptos::attr::custom::custom_attribute;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::flat::{TreeLineKind, VisibleLine};
use super::{AXIS_WIDTH, Span};
use crate::components::agent::AgentName;
use crate::components::origin::{OriginMark, OriginShare};
use crate::components::session::session_title;
use crate::components::time_ago::use_now;
use crate::i18n::{time, use_i18n};
use crate::routes::paths;
use crate::ui::badge::{Badge, StatusStyle, style};
use crate::ui::{Icon, Tone};

/// Letters of a text in a row; more than a line of the widest window.
const PREVIEW_CHARS: usize = 240;

/// Steps of indentation there is room for.
const MAX_INDENT: u32 = 9;

/// Style of a run's state.
pub(super) fn delegation_state_style(state: DelegationState) -> StatusStyle {
    match state {
        DelegationState::Requested => style(Tone::Info, Icon::Todo),
        DelegationState::Running => style(Tone::Success, Icon::Running),
        DelegationState::Succeeded => style(Tone::Success, Icon::Ok),
        DelegationState::Failed => style(Tone::Danger, Icon::Warn),
        DelegationState::TimedOut => style(Tone::Danger, Icon::Clock),
        DelegationState::Finished => style(Tone::Neutral, Icon::Flag),
        DelegationState::Unknown => style(Tone::Neutral, Icon::Help),
    }
}

/// A press on a link within the line is the link's.
fn on_link(event: &leptos::ev::MouseEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    target.is_some_and(|element| element.closest("a").ok().flatten().is_some())
}

/// One line. `number` is its place among all lines, drawn or not; `current` marks the line of the keyboard.
#[component]
pub(super) fn TreeLine(
    line: VisibleLine,
    number: usize,
    answer: Arc<Delegations>,
    span: Span,
    #[prop(into)] origin_share: Signal<OriginShare>,
    #[prop(into)] current: Signal<bool>,
    #[prop(into)] chosen: Signal<bool>,
    on_pick: Callback<usize>,
    on_turn: Callback<usize>,
) -> impl IntoView {
    let open = line.open;
    let toggle = open.map(|open| {
        view! {
            // The keyboard has the arrow keys.
            <span
                class="tree__toggle"
                class:is-open=open
                aria-hidden="true"
                on:click=move |event: leptos::ev::MouseEvent| {
                    event.stop_propagation();
                    on_turn.run(number);
                }
            >
                {Icon::ChevronRight}
            </span>
        }
    });
    // The view macro has no name for this one.
    let level = line.level.to_string();
    let indent = format!("tree__in is-{}", (line.level - 1).min(MAX_INDENT));
    let body = match line.what {
        TreeLineKind::Session(place, runs) => {
            let link = answer.sessions[place].clone();
            view! { <SessionLine link=link runs=runs indent=indent toggle=toggle.into_any() /> }.into_any()
        }
        TreeLineKind::Run(place) => {
            let row = answer.rows[place].clone();
            let slow = answer.slowest.contains(&row.id);
            view! { <RunLine row=row slow=slow indent=indent toggle=toggle.into_any() span=span origin_share=origin_share /> }
                .into_any()
        }
        TreeLineKind::FanIn { all, ended, last } => {
            view! { <FanIn all=all ended=ended last=last indent=indent /> }.into_any()
        }
    };
    view! {
        <div
            class="tree__row"
            class:is-current=current
            class:is-chosen=chosen
            role="row"
            id=format!("tree-row-{number}")
            aria-posinset=line.place.0
            aria-setsize=line.place.1
            aria-expanded=open.map(|open| open.to_string())
            aria-selected=move || chosen.get().to_string()
            on:click=move |event: leptos::ev::MouseEvent| {
                if !on_link(&event) {
                    on_pick.run(number);
                }
            }
        >
            {body}
        </div>
    }
    .add_any_attr(custom_attribute("aria-level", level))
}

/// Line of a session: title, number of runs, and a link to the session.
#[component]
fn SessionLine(link: coordination::api::SessionLink, runs: usize, indent: String, toggle: AnyView) -> impl IntoView {
    let words = use_i18n();
    let href = paths::session(&link.work_session_id);
    view! {
        <div class="tree__what" role="gridcell">
            <span class=indent>{toggle}</span>
            <div class="tree__main">
                <b>{move || session_title(&link.title, link.title_source, words)}</b>
                " "
                <span class="is-dim">{move || (words.get().events().runs)(runs)}</span>
            </div>
        </div>
        <div class="tree__when" role="gridcell">
            <a class="link" href=href tabindex="-1">
                {move || words.get().events().to_session}
            </a>
        </div>
    }
}

/// Line of a run: state, agents, marks, request with result, and time.
#[component]
fn RunLine(
    row: DelegationRow,
    slow: bool,
    indent: String,
    toggle: AnyView,
    span: Span,
    origin_share: Signal<OriginShare>,
) -> impl IntoView {
    let words = use_i18n();
    let now = use_now();
    let state = row.state;
    let StatusStyle { tone, icon } = delegation_state_style(state);
    let word = Signal::derive(move || (words.get().events().state)(state).to_owned());
    let label = row.label.as_deref().filter(|label| !label.is_empty()).map(|label| hidden::marked(label).into_owned());
    let silent = {
        let row = row.clone();
        Memo::new(move |_| row.is_silent(now.at.get()))
    };
    let small = move |shown: bool,
                      word: fn(&crate::i18n::messages::EventsMessages) -> &'static str,
                      why: Option<fn(&crate::i18n::messages::EventsMessages) -> &'static str>| {
        shown.then(|| {
            view! {
                <span class="small-mark" title=move || why.map(|why| why(words.get().events()))>
                    {move || word(words.get().events())}
                </span>
            }
        })
    };
    // A row is one line: its Markdown is rendered in the details.
    let text = preview(&row.text, PREVIEW_CHARS);
    let result =
        row.result.as_ref().or(row.error.as_ref()).map_or_else(String::new, |full| preview(full, PREVIEW_CHARS));
    let result_text = if result.is_empty() {
        text
    } else if text.is_empty() {
        result
    } else {
        format!("{text} → {result}")
    };
    view! {
        <div class="tree__what" role="gridcell">
            <span class=indent>{toggle}</span>
            <div class="tree__main">
                <div class="run__who">
                    <Badge tone=tone icon=icon text=word />
                    <span>
                        {row.from.clone().map(|from| view! { <AgentName id=from /> <span class="is-dim" aria-hidden="true">" → "</span> })}
                        <AgentName id=row.to.clone() />
                    </span>
                    {label.map(|label| view! { <span class="run__label">{label}</span> })}
                    {small(row.orphan, |words| words.orphan, Some(|words| words.orphan_why))}
                    {row
                        .unknown_type
                        .clone()
                        .map(|kind| {
                            view! { {small(true, |words| words.unknown_type, None)} <code>{kind}</code> }
                        })}
                    {move || small(silent.get(), |words| words.silent, Some(|words| words.silent_why))}
                    {small(slow, |words| words.slowest_mark, None)}
                    <OriginMark origin=row.origin among=origin_share />
                </div>
                {(!result_text.is_empty()).then(|| view! { <p class="run__text">{result_text}</p> })}
            </div>
        </div>
        <div class="tree__when" role="gridcell">
            <RunTime row=row.clone() />
            <RunTimeBar start=row.start_time end=row.end_time tone=tone span=span />
        </div>
    }
}

/// Summary of parallel runs, such as `3건이 모두 끝났습니다 · 14:22:10`.
#[component]
fn FanIn(all: usize, ended: usize, last: i64, indent: String) -> impl IntoView {
    let words = use_i18n();
    let text = move || {
        let messages = words.get();
        if ended == all {
            (messages.events().fan_in)(all, &time::clock_seconds(words.locale(), last))
        } else {
            (messages.events().fan_in_open)(all, ended)
        }
    };
    let icon = if ended == all { Icon::Ok } else { Icon::Hourglass };
    view! {
        <div class="tree__what tree__fan-in" role="gridcell">
            <span class=indent></span>
            {icon}
            <span>{text}</span>
        </div>
    }
}

/// Start of a run and its duration; for an open run, the time since its start.
#[component]
pub(super) fn RunTime(row: DelegationRow) -> impl IntoView {
    let words = use_i18n();
    let now = use_now();
    let (start, end, open) = (row.start_time, row.end_time, row.is_open());
    let text = move || {
        let locale = words.locale();
        let began =
            if start > 0 { time::clock_seconds(locale, start) } else { words.get().events().no_time.to_owned() };
        let length = match end {
            Some(end) if end >= start && start > 0 => {
                Some((words.get().events().took)(&time::duration(locale, end - start)))
            }
            None if open && start > 0 => Some(time::since(locale, now.at.get(), start)),
            _ => None,
        };
        length.map_or_else(|| began.clone(), |length| format!("{began} · {length}"))
    };
    let exact = move || if start > 0 { time::exact(words.locale(), start) } else { String::new() };
    view! { <time class="run__time" title=exact>{text}</time> }
}

/// Bar of a run on the time axis; folded pauses are hatched. Shows nothing without a start time.
#[component]
fn RunTimeBar(start: i64, end: Option<i64>, tone: Tone, span: Span) -> impl IntoView {
    /// A run too short to see still leaves a mark.
    const MIN_BAR_WIDTH: f64 = 5.0;
    let from = span.axis.x(start).min(AXIS_WIDTH - MIN_BAR_WIDTH);
    let to = span.axis.x(end.unwrap_or(span.now)).max(from + MIN_BAR_WIDTH);
    let folds = span
        .folds
        .iter()
        .map(|fold| {
            view! { <rect class="run__fold" x=fold.x.to_string() y="0" width=fold.width.to_string() height="4" /> }
        })
        .collect_view();
    (start > 0).then(|| {
        view! {
            <svg class="run__bar" viewBox="0 0 1000 4" preserveAspectRatio="none" aria-hidden="true">
                {folds}
                <rect
                    class=format!("run__span is-{}", tone.as_str())
                    x=from.to_string()
                    y="0"
                    width=(to - from).to_string()
                    height="4"
                />
            </svg>
        }
    })
}
