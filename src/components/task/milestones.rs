//! Section with the check lists of `MILESTONES.md`: each heading with its progress. The items unfold on request.

use crate::components::hidden::Said;
use coordination::api::{AgentMilestones, Milestone};
use leptos::prelude::*;

use crate::components::agent::AgentLink;
use crate::i18n::use_i18n;
use crate::ui::Icon;

/// Section with the milestone lists of all agents; nothing without lists.
#[component]
pub fn MilestonesSection(agents: Vec<AgentMilestones>) -> impl IntoView {
    let words = use_i18n();
    (!agents.is_empty()).then(|| {
        let lists = agents
            .into_iter()
            .map(|agent| {
                let lists =
                    agent.milestones.into_iter().map(|one| view! { <MilestoneList milestone=one /> }).collect_view();
                view! {
                    <li>
                        <h3>
                            <AgentLink id=agent.agent_id />
                        </h3>
                        {lists}
                    </li>
                }
            })
            .collect_view();
        view! {
            <section class="task-section milestones">
                <header>
                    <h2>{Icon::Flag} {move || words.get().tasks().milestones}</h2>
                </header>
                <ul>{lists}</ul>
            </section>
        }
    })
}

/// One milestone list: title, progress and folded items.
#[component]
fn MilestoneList(milestone: Milestone) -> impl IntoView {
    let words = use_i18n();
    let Milestone { title, done, total, items } = milestone;
    let left_off = (total as usize).saturating_sub(items.len());
    let items = items
        .into_iter()
        .map(|item| {
            let icon = if item.done { Icon::Ok } else { Icon::Todo };
            view! {
                <li class:is-dim=item.done>
                    {icon} " "
                    <span class="visually-hidden">
                        {move || {
                            let words = words.get().tasks();
                            if item.done { words.ticked } else { words.not_ticked }
                        }}
                    </span> <Said text=item.text />
                </li>
            }
        })
        .collect_view();
    view! {
        <details>
            <summary>
                <b>{move || if title.is_empty() { words.get().tasks().milestones.to_owned() } else { title.clone() }}</b>
                " "
                <span class="n">{format!("{done}/{total}")}</span>
            </summary>
            <ul>{items}</ul>
            {(left_off > 0).then(|| view! { <p class="is-dim">{move || (words.get().tasks().more)(left_off)}</p> })}
        </details>
    }
}
