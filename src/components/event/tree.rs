//! What a session handed to sub-agents: nested runs with state, time and result. Nothing that lacks its other half
//! is left out.

use std::sync::Arc;

use coordination::api::{DelegationNode, DelegationState, Delegations};
use coordination::ids::{EventId, SessionId};
use leptos::prelude::*;

use super::axis::{Axis, WIDTH};
use crate::components::agent::AgentName;
use crate::components::markdown::Markdown;
use crate::components::thread::AsWritten;
use crate::components::time_ago::use_now;
use crate::i18n::{time, use_words};
use crate::routes::paths;
use crate::ui::{Icon, Tone, mark::Mark};

/// Face of a run's state.
fn face(state: DelegationState) -> (Tone, Icon) {
    match state {
        DelegationState::Requested => (Tone::Info, Icon::Todo),
        DelegationState::Running => (Tone::Live, Icon::Running),
        DelegationState::Succeeded => (Tone::Live, Icon::Ok),
        DelegationState::Failed => (Tone::Bad, Icon::Warn),
        DelegationState::TimedOut => (Tone::Bad, Icon::Clock),
        DelegationState::Finished => (Tone::Rest, Icon::Flag),
        DelegationState::Unknown => (Tone::Rest, Icon::Help),
    }
}

/// Runs in all, ended, failed.
fn count(nodes: &[DelegationNode]) -> (u32, u32, u32) {
    nodes.iter().fold((0, 0, 0), |(all, done, failed), node| {
        let (a, d, f) = count(&node.children);
        let open = matches!(node.state, DelegationState::Requested | DelegationState::Running);
        let bad = matches!(node.state, DelegationState::Failed | DelegationState::TimedOut);
        (all + a + 1, done + d + u32::from(!open && !bad), failed + f + u32::from(bad))
    })
}

/// All runs of the tree, each with the runs it spawned.
fn flatten<'a>(nodes: &'a [DelegationNode], into: &mut Vec<&'a DelegationNode>) {
    for node in nodes {
        into.push(node);
        flatten(&node.children, into);
    }
}

/// The time all bars share.
#[derive(Clone)]
struct Span {
    axis: Arc<Axis>,
    /// Where the bar of a run still open ends.
    now: i64,
    session: SessionId,
}

impl Span {
    fn of(delegations: &Delegations) -> Self {
        let mut all = Vec::new();
        flatten(&delegations.nodes, &mut all);
        let timed = all.iter().filter(|node| node.start_time > 0);
        let axis = Axis::new(timed.map(|node| (node.start_time, node.end_time.unwrap_or(delegations.now))));
        Self { axis: Arc::new(axis), now: delegations.now, session: delegations.session_id.clone() }
    }
}

/// The tree.
#[component]
pub fn DelegationTree(
    delegations: Arc<Delegations>,
    /// Shows an event as recorded.
    on_raw: Callback<EventId>,
) -> impl IntoView {
    let words = use_words();
    let (all, done, failed) = count(&delegations.nodes);
    let span = Span::of(&delegations);
    let folded: i64 = span.axis.folds().iter().map(|fold| fold.length_ms).sum();
    let nodes = delegations.nodes.clone();
    view! {
        <section class="delegations" aria-label=move || words.get().events().tree>
            <header>
                <h2>{move || words.get().events().tree}</h2>
                <small>{move || (words.get().events().counts)(all, done, failed)}</small>
                {(folded > 0)
                    .then(|| {
                        let text = move || (words.get().events().folded)(&time::duration(words.locale(), folded));
                        view! { <small class="delegations__folded">{Icon::Fold} " " {text}</small> }
                    })}
            </header>
            <Runs nodes=nodes span=span on_raw=on_raw />
        </section>
    }
}

fn runs(nodes: Vec<DelegationNode>, span: Span, on_raw: Callback<EventId>) -> AnyView {
    view! { <Runs nodes=nodes span=span on_raw=on_raw /> }.into_any()
}

/// Siblings and, where there are several, whether all of them have ended.
#[component]
fn Runs(nodes: Vec<DelegationNode>, span: Span, on_raw: Callback<EventId>) -> impl IntoView {
    let fan_in = fan_in(&nodes);
    let items = nodes
        .into_iter()
        .map(|mut node| {
            let children = std::mem::take(&mut node.children);
            view! {
                <li>
                    <Run node=node span=span.clone() on_raw=on_raw />
                    {(!children.is_empty()).then(|| runs(children, span.clone(), on_raw))}
                </li>
            }
        })
        .collect_view();
    view! { <ol class="delegations__list">{items} {fan_in}</ol> }
}

/// `3건이 모두 끝났습니다 · 14:22:10`
fn fan_in(nodes: &[DelegationNode]) -> Option<impl IntoView + use<>> {
    let words = use_words();
    let all = nodes.len();
    let ends: Vec<i64> = nodes.iter().filter_map(|node| node.end_time).collect();
    let (ended, last) = (ends.len(), ends.into_iter().max().unwrap_or_default());
    let text = move || {
        let messages = words.get();
        if ended == all {
            (messages.events().fan_in)(all, &time::clock_seconds(words.locale(), last))
        } else {
            (messages.events().fan_in_open)(all, ended)
        }
    };
    let icon = if ended == all { Icon::Ok } else { Icon::Hourglass };
    (all > 1).then(|| view! { <li class="delegations__fan-in">{icon} <span>{text}</span></li> })
}

#[component]
fn Run(node: DelegationNode, span: Span, on_raw: Callback<EventId>) -> impl IntoView {
    let words = use_words();
    let state = node.state;
    let (tone, icon) = face(state);
    let word = Signal::derive(move || (words.get().events().state)(state).to_owned());
    let label = node.label.clone().filter(|label| !label.is_empty());
    let spoken = label.clone().unwrap_or_else(|| node.to.to_string());
    let flow = paths::flow_at(&span.session, &node.id);
    let first = node.events.first().cloned().unwrap_or_else(|| node.id.clone());
    let count = node.events.len();
    let result = node.result.clone().filter(|result| !result.trim().is_empty()).map(|result| {
        view! {
            <details>
                <summary>{move || words.get().events().result}</summary>
                <div>
                    <Markdown text=result />
                </div>
            </details>
        }
    });
    let text = node.text.clone();
    view! {
        <article class="run" aria-label=spoken>
            <div class="run__line">
                <Mark tone=tone icon=icon text=word />
                <div class="run__who">
                    {node.from.clone().map(|from| view! { <AgentName id=from /> <span class="is-dim" aria-hidden="true">"→"</span> })}
                    <AgentName id=node.to.clone() />
                    {label.map(|label| view! { <span class="run__label">{label}</span> })}
                    {node
                        .orphan
                        .then(|| {
                            view! {
                                <span class="small-mark" title=move || words.get().events().orphan_why>
                                    {move || words.get().events().orphan}
                                </span>
                            }
                        })}
                </div>
                <RunTime start=node.start_time end=node.end_time state=state />
            </div>
            {(!text.is_empty()).then(|| view! { <div class="run__text"><Markdown text=text /></div> })}
            <Bar start=node.start_time end=node.end_time tone=tone span=span />
            {result}
            <AsWritten detail=node.error />
            <a class="link run__events" href=flow>
                {move || words.get().thread().see_in_flow}
            </a>
            " "
            <button type="button" class="link run__events" on:click=move |_| on_raw.run(first.clone())>
                {move || (words.get().events().events_of_run)(count)}
            </button>
        </article>
    }
}

/// When it began and how long it took, or takes.
#[component]
fn RunTime(start: i64, end: Option<i64>, state: DelegationState) -> impl IntoView {
    let words = use_words();
    let now = use_now();
    let text = move || {
        let locale = words.locale();
        let began =
            if start > 0 { time::clock_seconds(locale, start) } else { words.get().events().no_time.to_owned() };
        let length = match end {
            Some(end) if end >= start && start > 0 => {
                Some((words.get().events().took)(&time::duration(locale, end - start)))
            }
            None if matches!(state, DelegationState::Running | DelegationState::Requested) && start > 0 => {
                Some(time::since(locale, now.at.get(), start))
            }
            _ => None,
        };
        length.map_or_else(|| began.clone(), |length| format!("{began} · {length}"))
    };
    view! { <time class="run__time">{text}</time> }
}

/// Where the run lies in time; the pauses folded out of it show as hatching.
#[component]
fn Bar(start: i64, end: Option<i64>, tone: Tone, span: Span) -> impl IntoView {
    /// A run too short to see still leaves a mark.
    const LEAST: f64 = 5.0;
    let from = span.axis.x(start).min(WIDTH - LEAST);
    let to = span.axis.x(end.unwrap_or(span.now)).max(from + LEAST);
    let folds = span
        .axis
        .folds()
        .into_iter()
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
