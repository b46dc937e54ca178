//! Section with the block reason of a task: cause, age, agents who can help, needed action, requests for help and their
//! escalation.

use crate::components::plain::Plain;
use coordination::api::Blocking;
use coordination::ids::AgentId;
use leptos::prelude::*;

use crate::components::agent::AgentLink;
use crate::components::time_ago::TimeAgo;
use crate::i18n::{time, use_i18n};

/// The section.
#[component]
pub fn BlockedSection(blocking: Blocking, since: Option<i64>) -> impl IntoView {
    let words = use_i18n();
    let requests = blocking.unblock_request_count.filter(|n| *n > 0);
    let reason = blocking.blocked_reason.clone().filter(|reason| !reason.trim().is_empty());
    let helpers = blocking
        .unblocked_by
        .iter()
        .map(|id| view! { <span><AgentLink id=AgentId::from(id.as_str()) /> " "</span> })
        .collect_view();
    let last_request_at = blocking.last_unblock_request_at.as_deref().and_then(time::parse_iso);
    let escalation = blocking.escalation_state.clone().filter(|state| state != "none");
    let failures = blocking.unblock_request_failures.filter(|n| *n > 0);
    let action = blocking.unblocked_action.clone().filter(|action| !action.trim().is_empty());
    view! {
        <section>
            <h3>
                {move || words.get().tasks().why_blocked}
                {requests.map(|n| view! { <small>{move || (words.get().tasks().requests)(n)}</small> })}
            </h3>
            <p class="task-detail__reason">
                {match reason {
                    Some(reason) => view! { <Plain text=reason /> }.into_any(),
                    None => (move || words.get().tasks().no_reason).into_any(),
                }}
            </p>
            <dl class="facts-list">
                {since
                    .map(|at| {
                        view! {
                            <dt>{move || words.get().tasks().blocked_since}</dt>
                            <dd>
                                <TimeAgo at=at />
                            </dd>
                        }
                    })}
                {(!blocking.unblocked_by.is_empty())
                    .then(|| {
                        view! {
                            <dt>{move || words.get().tasks().who_unblocks}</dt>
                            <dd>{helpers}</dd>
                        }
                    })}
                {action
                    .map(|action| {
                        view! {
                            <dt>{move || words.get().tasks().needed_action}</dt>
                            <dd>{action}</dd>
                        }
                    })}
                {last_request_at
                    .map(|at| {
                        view! {
                            <dt>{move || words.get().tasks().last_request}</dt>
                            <dd>
                                <TimeAgo at=at />
                            </dd>
                        }
                    })}
                {escalation
                    .map(|state| {
                        let word = move || {
                            (words.get().tasks().escalation)(&state).map_or_else(|| state.clone(), ToOwned::to_owned)
                        };
                        view! {
                            <dt>{move || words.get().tasks().escalation_label}</dt>
                            <dd>
                                {word} {failures.map(|n| view! { " · " {move || (words.get().tasks().failures)(n)} })}
                            </dd>
                        }
                    })}
            </dl>
        </section>
    }
}
