//! Row for the start or the end of a delegated run in the timeline of a session. It links to the event of that start or
//! end on the events page.

use crate::components::hidden::Name;
use coordination::api::{DelegationState, RunStep, TimelineRun};
use leptos::prelude::*;

use super::bubble::StreamContext;
use crate::components::agent::AgentName;
use crate::components::markdown::FoldedMarkdown;
use crate::components::origin::OriginMark;
use crate::i18n::{time, use_i18n};
use crate::routes::{EventsFilter, paths};
use crate::ui::{Icon, Tone, badge::Badge};

/// One step of a delegated run. Its link opens the event in the list of the session's events.
#[component]
pub fn RunView(run: TimelineRun, context: StreamContext) -> impl IntoView {
    let words = use_i18n();
    let is_end = run.step == RunStep::Ended;
    let (tone, icon) = match run.state {
        DelegationState::Failed => (Tone::Danger, Icon::Warn),
        DelegationState::TimedOut => (Tone::Danger, Icon::Clock),
        _ if is_end => (Tone::Success, Icon::Ok),
        _ => (Tone::Info, Icon::Flow),
    };
    let word = move || {
        let words = words.get().thread();
        match (is_end, tone) {
            (false, _) => words.run_started,
            (true, Tone::Danger) => words.run_failed,
            (true, _) => words.run_ended,
        }
    };
    let tone = if is_end { tone } else { Tone::Info };
    let icon = if is_end { icon } else { Icon::Flow };
    let took = (is_end && run.start_time > 0 && run.at >= run.start_time).then_some(run.at - run.start_time);
    let facts = move || {
        let clock = time::clock_seconds(words.locale(), run.at);
        match took {
            Some(ms) => format!("{clock} · {}", (words.get().events().took)(&time::duration(words.locale(), ms))),
            None => clock,
        }
    };
    let (from, to) =
        if is_end { (Some(run.to.clone()), run.from.clone()) } else { (run.from.clone(), Some(run.to.clone())) };
    let name = |id: Option<coordination::ids::AgentId>| id.map(|id| view! { <AgentName id=id /> });
    let href =
        paths::events(&EventsFilter { open: Some(run.id.clone()), ..EventsFilter::of_session(&context.session) });
    let is_target = {
        let (id, target) = (run.id.clone(), context.target);
        move || target.with(|target| target.as_ref() == Some(&id))
    };
    let text = Some(run.text).filter(|text| !text.trim().is_empty()).map(|text| {
        view! {
            <details class="run-step__text">
                <summary>{move || { let words = words.get().thread(); if is_end { words.run_result } else { words.run_task } }}</summary>
                <FoldedMarkdown text=text />
            </details>
        }
    });
    view! {
        <aside
            class="run-step"
            class:is-end=is_end
            class:is-target=is_target
            role="note"
            id=format!("m-{}", run.id)
            data-event=run.id.to_string()
            tabindex="-1"
        >
            <p class="run-step__line">
                <Badge tone=tone icon=icon text=Signal::derive(move || word().to_owned()) />
                <span class="run-step__who">
                    {name(from)}
                    <span class="ar" aria-hidden="true">
                        "→"
                    </span>
                    {name(to)}
                </span>
                {run.label.filter(|label| !label.trim().is_empty()).map(|label| view! { <b><Name text=label /></b> })}
                <a href=href>
                    <time>{facts}</time>
                </a>
                <OriginMark origin=run.origin among=context.origin_share />
            </p>
            {text}
        </aside>
    }
}
