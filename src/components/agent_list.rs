//! List of agents on the home page. Up to 24 agents that are not idle (working, waiting, blocked, silent …) have a row
//! each. Idle agents share one line.

use std::sync::Arc;

use coordination::api::{AgentState, AgentSummary, Attention, AttentionGroup, AttentionKind, Home};
use coordination::text::hidden;
use leptos::prelude::*;

use super::agent::{AgentLink, Avatar, Imitation};
use super::hidden::Name;
use super::status::{AgentStateBadge, attention_style};
use super::time_ago::{TimeAgo, use_now};
use crate::i18n::use_i18n;
use crate::routes::{AgentsFilter, paths};
use crate::state::use_hub;
use crate::ui::badge::{Badge, StatusStyle};
use crate::ui::{Icon, Tone};

/// Maximum number of agents known only from the log that are named where there are no others.
const MAX_LOG_ONLY_AGENTS: usize = 8;
/// Rows of agents that work or wait; the page of agents has all.
const MAX_ROWS: usize = 24;
/// Names of those at rest.
const MAX_NAMED_AGENTS: usize = 24;

/// Rows of busy agents, then one line with the idle ones. Without any agent, a sentence says so.
#[component]
pub fn AgentList(agents: Vec<AgentSummary>) -> impl IntoView {
    let words = use_i18n();
    let (mut busy, idle): (Vec<_>, Vec<_>) = agents.into_iter().partition(|agent| agent.state != AgentState::Idle);
    let resting = idle.len();
    // Workers that are only seen in the log would drown those people know: they are counted, and named where all are.
    let (mut named, mut others): (Vec<_>, Vec<_>) = idle.into_iter().partition(|agent| agent.main || agent.configured);
    if named.is_empty() {
        named.extend(others.drain(..others.len().min(MAX_LOG_ONLY_AGENTS)));
    }
    let others = others.len() + named.len().saturating_sub(MAX_NAMED_AGENTS);
    named.truncate(MAX_NAMED_AGENTS);
    let unlisted = busy.len().saturating_sub(MAX_ROWS);
    busy.truncate(MAX_ROWS);
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
    let rows = busy.into_iter().map(|agent| view! { <AgentSummaryRow agent=agent /> }).collect_view();
    let idlers = named.into_iter().map(|agent| view! { <AgentLink id=agent.id /> " " }).collect_view();
    view! {
        <ul class="agent-list">
            {rows}
            {(unlisted > 0).then(|| view! { <li class="agent-list__idle">{all(unlisted)}</li> })}
            {(resting > 0)
                .then(|| {
                    view! {
                        <li class="agent-list__idle">
                            <Badge
                                tone=Tone::Neutral
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

fn work_list(home: &Option<Arc<Home>>) -> impl Iterator<Item = &Attention> {
    home.iter().flat_map(|home| &home.attention)
}

/// The line of the work list describes what the agent in this state waits for. Its word replaces the state's, so that
/// one thing has one name; other states keep theirs, and the count of working agents stays true.
fn explains(kind: AttentionKind, state: AgentState) -> bool {
    matches!(
        (kind, state),
        (AttentionKind::Approval, AgentState::Waiting)
            | (AttentionKind::Permission | AttentionKind::Question, AgentState::PendingInput)
    )
}

/// One busy agent as a link: name, task, state, age of its last sign, and how many agents or tasks wait.
#[component]
fn AgentSummaryRow(agent: AgentSummary) -> impl IntoView {
    let words = use_i18n();
    let now = use_now();
    let (sign_at, stuck) = (agent.state_at.max(agent.acted_at), agent.blocked_tasks);
    let state = {
        let agent = agent.clone();
        Memo::new(move |_| agent.state_by(now.at.get()))
    };
    let href = paths::agent(&agent.id);
    let home = use_hub().home;
    let id = agent.id.clone();
    let for_person = Memo::new(move |_| {
        let state = state.get();
        let is_it = |line: &&Attention| line.agent.as_ref() == Some(&id) && explains(line.kind, state);
        home.with(|home| work_list(home).find(is_it).map(|line| line.kind))
    });
    let id = agent.id.clone();
    let could_settle = Memo::new(move |_| {
        let waits_for = |line: &&Attention| line.other.as_ref() == Some(&id) || line.unblockers.contains(&id);
        let between_agents = |line: &&Attention| line.group() == AttentionGroup::Agents;
        home.with(|home| work_list(home).filter(between_agents).filter(waits_for).count())
    });
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
                    {move || match for_person.get() {
                        Some(kind) => {
                            let StatusStyle { tone, icon } = attention_style(kind);
                            let text = Signal::derive(move || (words.get().home.attention)(kind).to_owned());
                            view! { <Badge tone=tone icon=icon text=text /> }.into_any()
                        }
                        None => view! { <AgentStateBadge state=state.get() /> }.into_any(),
                    }}
                    {move || {
                        let why = match state.get() {
                            AgentState::Silent => words.get().common.silent_why,
                            AgentState::Working => words.get().common.last_sign,
                            _ => return None,
                        };
                        Some(view! {
                            <span class="agent-row__more" title=why>
                                {sign_at.map(|at| view! { <TimeAgo at=at /> })}
                            </span>
                        })
                    }}
                    {move || {
                        let count = could_settle.get();
                        (count > 0).then(|| {
                            view! { <span class="agent-row__more is-warn">{(words.get().home.could_settle)(count)}</span> }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_list_line_replaces_only_explained_state() {
        assert!(explains(AttentionKind::Approval, AgentState::Waiting));
        assert!(explains(AttentionKind::Permission, AgentState::PendingInput));
        for kind in [AttentionKind::Approval, AttentionKind::UnblockFailed, AttentionKind::TaskBlocked] {
            assert!(!explains(kind, AgentState::Working), "{kind:?}");
        }
        assert!(!explains(AttentionKind::UnblockFailed, AgentState::Blocked));
    }
}
