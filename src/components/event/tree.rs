//! What a session handed to sub-agents: nested runs with state, time and result. Nothing that lacks its other half
//! is left out.

use std::sync::Arc;

use coordination::api::{DelegationNode, DelegationState, Delegations};
use coordination::ids::EventId;
use leptos::prelude::*;

use crate::components::agent::AgentName;
use crate::components::markdown::Markdown;
use crate::components::thread::AsWritten;
use crate::components::time_ago::use_now;
use crate::i18n::{time, use_words};
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

/// The time span all bars share.
#[derive(Clone, Copy)]
struct Span {
    start: i64,
    end: i64,
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
    let span = Span { start: delegations.start_time, end: delegations.end_time.max(delegations.start_time + 1) };
    let nodes = delegations.nodes.clone();
    view! {
        <section class="delegations" aria-label=move || words.get().events.tree>
            <header>
                <h2>{move || words.get().events.tree}</h2>
                <small>{move || (words.get().events.counts)(all, done, failed)}</small>
            </header>
            <Runs nodes=nodes span=span on_raw=on_raw />
        </section>
    }
}

fn runs(nodes: Vec<DelegationNode>, span: Span, on_raw: Callback<EventId>) -> AnyView {
    view! { <Runs nodes=nodes span=span on_raw=on_raw /> }.into_any()
}

#[component]
fn Runs(nodes: Vec<DelegationNode>, span: Span, on_raw: Callback<EventId>) -> impl IntoView {
    let items = nodes
        .into_iter()
        .map(|mut node| {
            let children = std::mem::take(&mut node.children);
            view! {
                <li>
                    <Run node=node span=span on_raw=on_raw />
                    {(!children.is_empty()).then(|| runs(children, span, on_raw))}
                </li>
            }
        })
        .collect_view();
    view! { <ol class="delegations__list">{items}</ol> }
}

#[component]
fn Run(node: DelegationNode, span: Span, on_raw: Callback<EventId>) -> impl IntoView {
    let words = use_words();
    let state = node.state;
    let (tone, icon) = face(state);
    let word = Signal::derive(move || (words.get().events.state)(state).to_owned());
    let label = node.label.clone().filter(|label| !label.is_empty());
    let spoken = label.clone().unwrap_or_else(|| node.to.to_string());
    let first = node.events.first().cloned().unwrap_or_else(|| node.id.clone());
    let count = node.events.len();
    let result = node.result.clone().filter(|result| !result.trim().is_empty()).map(|result| {
        view! {
            <details>
                <summary>{move || words.get().events.result}</summary>
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
                                <span class="small-mark" title=move || words.get().events.orphan_why>
                                    {move || words.get().events.orphan}
                                </span>
                            }
                        })}
                </div>
                <RunTime start=node.start_time end=node.end_time state=state />
            </div>
            {(!text.is_empty()).then(|| view! { <p class="run__text">{text}</p> })}
            <Bar start=node.start_time end=node.end_time tone=tone span=span />
            {result}
            <AsWritten detail=node.error />
            <button type="button" class="link run__events" on:click=move |_| on_raw.run(first.clone())>
                {move || (words.get().events.events_of_run)(count)}
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
        let began = if start > 0 { time::clock_seconds(locale, start) } else { words.get().events.no_time.to_owned() };
        let length = match end {
            Some(end) if end >= start && start > 0 => {
                Some((words.get().events.took)(&time::duration(locale, end - start)))
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

/// Where the run lies in the session's time.
#[component]
fn Bar(start: i64, end: Option<i64>, tone: Tone, span: Span) -> impl IntoView {
    let whole = (span.end - span.start) as f64;
    let from = (start - span.start).max(0) as f64 / whole * 100.0;
    let to = (end.unwrap_or(span.end) - span.start).max(0) as f64 / whole * 100.0;
    (start > 0).then(|| {
        view! {
            <div class="run__bar" aria-hidden="true">
                <i
                    class=tone.as_str()
                    style:left=format!("{:.2}%", from.min(99.0))
                    style:width=format!("{:.2}%", (to - from).clamp(0.5, 100.0))
                ></i>
            </div>
        }
    })
}
