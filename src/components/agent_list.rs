//! Agents beside home: who does what now; those at rest in one line.

use super::hidden::Name;
use coordination::api::{AgentState, AgentSummary};
use coordination::text::hidden;
use leptos::prelude::*;

use super::agent::{AgentLink, Avatar, Imitation};
use super::status::AgentStateMark;
use super::time_ago::{TimeAgo, use_now};
use crate::i18n::use_words;
use crate::routes::{AgentsFilter, paths};
use crate::ui::mark::Mark;
use crate::ui::{Icon, Tone};

/// So many agents that are only seen in the log are named where there are no others.
const STRANGERS: usize = 8;
/// Rows of those that do something or wait; the page of agents has all.
const MOST_ROWS: usize = 24;
/// Names of those at rest.
const MOST_NAMED: usize = 24;

/// The list.
#[component]
pub fn AgentList(agents: Vec<AgentSummary>) -> impl IntoView {
    let words = use_words();
    let (mut busy, idle): (Vec<_>, Vec<_>) = agents.into_iter().partition(|agent| agent.state != AgentState::Idle);
    let resting = idle.len();
    // Workers that are only seen in the log would drown those people know: they are counted, and named where all are.
    let (mut named, mut others): (Vec<_>, Vec<_>) = idle.into_iter().partition(|agent| agent.main || agent.configured);
    if named.is_empty() {
        named.extend(others.drain(..others.len().min(STRANGERS)));
    }
    let others = others.len() + named.len().saturating_sub(MOST_NAMED);
    named.truncate(MOST_NAMED);
    let unlisted = busy.len().saturating_sub(MOST_ROWS);
    busy.truncate(MOST_ROWS);
    let all = move |n: usize| {
        view! {
            <a class="link" href=paths::agents(&AgentsFilter::default())>
                {move || (words.get().home.other_agents)(n)}
            </a>
        }
    };
    if busy.is_empty() && named.is_empty() {
        return view! { <p class="agent-list__none">{move || words.get().home.no_agents}</p> }.into_any();
    }
    let rows = busy.into_iter().map(|agent| view! { <AgentRow agent=agent /> }).collect_view();
    let idlers = named.into_iter().map(|agent| view! { <AgentLink id=agent.id /> " " }).collect_view();
    view! {
        <ul class="agent-list">
            {rows}
            {(unlisted > 0).then(|| view! { <li class="agent-list__idle">{all(unlisted)}</li> })}
            {(resting > 0)
                .then(|| {
                    view! {
                        <li class="agent-list__idle">
                            <Mark
                                tone=Tone::Rest
                                icon=Icon::Quiet
                                text=Signal::derive(move || (words.get().home.idle)(resting))
                            />
                            {idlers}
                            {(others > 0).then(|| all(others))}
                        </li>
                    }
                })}
        </ul>
    }
    .into_any()
}

#[component]
fn AgentRow(agent: AgentSummary) -> impl IntoView {
    let words = use_words();
    let now = use_now();
    let (sign_at, stuck) = (agent.state_at.max(agent.acted_at), agent.blocked_tasks);
    let state = {
        let agent = agent.clone();
        Memo::new(move |_| agent.state_by(now.at.get()))
    };
    let href = paths::agent(&agent.id);
    view! {
        <li>
            <a class="agent-row" href=href>
                <Avatar id=agent.id.clone() />
                <span class="agent-row__who">
                    <span class="agent-row__name" title=hidden::marked(agent.id.as_str()).into_owned()>
                        {agent.imitates.map(|id| view! { <Imitation of=id /> })}
                        <Name text=agent.name />
                    </span>
                    {agent.current_task.map(|task| view! { <span class="agent-row__task"><Name text=task /></span> })}
                </span>
                <span class="agent-row__state">
                    {move || view! { <AgentStateMark state=state.get() /> }}
                    {move || {
                        (state.get() == AgentState::Silent)
                            .then(|| {
                                view! {
                                    <span class="agent-row__more" title=move || words.get().common.silent_why>
                                        {sign_at.map(|at| view! { <TimeAgo at=at /> })}
                                    </span>
                                }
                            })
                    }}
                    {move || {
                        (stuck > 0 && state.get() != AgentState::Blocked)
                            .then(|| {
                                view! {
                                    <span class="agent-row__more is-bad">
                                        {move || (words.get().common.blocked_tasks)(stuck)}
                                    </span>
                                }
                            })
                    }}
                </span>
            </a>
        </li>
    }
}
