//! Legend of the flow: shapes of requests, answers, delegated runs, work periods and tasks, and the lines of missing,
//! blocked and pending answers, with their names.

use leptos::prelude::*;

use crate::i18n::{messages::FlowMessages, use_i18n};

/// List of the mark shapes, each with its name.
#[component]
pub(super) fn FlowLegend() -> impl IntoView {
    let words = use_i18n();
    let line = |class: &'static str, head: &'static str, full: bool| {
        let full = if full { " is-full" } else { "" };
        view! {
            <path class=format!("flow__line {class}") d="M1 6H24" />
            <path class=format!("flow__head {class}{full}") d=head />
        }
        .into_any()
    };
    let items: [(AnyView, fn(&FlowMessages) -> &'static str); 5] = [
        (line("is-sent", "M27 6l-8 -4v8z", true), |words| words.request),
        (line("is-answer", "M20 2L27 6l-7 4", false), |words| words.answer),
        (
            view! {
                <path class="flow__delegation" d="M2 1H6q8 0 8 5q0 5 -8 5H3" />
                <circle class="flow__dot" cx="14" cy="6" r="3" />
            }
            .into_any(),
            |words| words.run,
        ),
        (view! { <rect class="flow__work" x="2" y="2" width="26" height="8" rx="4" /> }.into_any(), |words| {
            words.working
        }),
        (
            view! {
                <rect class="flow__task-bar is-live" x="0" y="1" width="14" height="10" />
                <rect class="flow__task-bar is-bad" x="14" y="1" width="16" height="10" />
                <path class="flow__hatch" d="M15 11l10 -10M22 11l8 -8" />
            }
            .into_any(),
            |words| words.task_states,
        ),
    ];
    let states: [(AnyView, coordination::delivery::DeliveryState); 3] = [
        (
            view! {
                <path class="flow__line is-failed" d="M1 6H18" />
                <path class="flow__head is-failed" d="M20 2l8 8m0 -8l-8 8" />
            }
            .into_any(),
            coordination::delivery::DeliveryState::NoReply,
        ),
        (
            view! {
                <path class="flow__line is-blocked" d="M1 6H16" />
                <path class="flow__head is-blocked" d="M18 6a5 5 0 1 0 10 0a5 5 0 1 0 -10 0zM19.500 2.500l7 7" />
            }
            .into_any(),
            coordination::delivery::DeliveryState::Blocked,
        ),
        (line("is-waiting", "M20 2L27 6l-7 4", false), coordination::delivery::DeliveryState::Waiting),
    ];
    let shape = |drawn: AnyView| {
        view! {
            <svg class="drawn is-key" viewBox="0 0 30 12" aria-hidden="true">
                {drawn}
            </svg>
        }
    };
    view! {
        <ul class="flow-legend" aria-label=move || words.get().flow().legend>
            {items
                .into_iter()
                .map(|(drawn, word)| view! { <li>{shape(drawn)} {move || word(words.get().flow())}</li> })
                .collect_view()}
            {states
                .into_iter()
                .map(|(drawn, state)| view! { <li>{shape(drawn)} {move || (words.get().common.delivery)(state)}</li> })
                .collect_view()}
        </ul>
    }
}
