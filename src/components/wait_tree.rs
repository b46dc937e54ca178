//! Tree of the agents that wait for one agent, directly or through others. Each branch says why its agent waits and links
//! to the evidence.

use std::collections::BTreeMap;

use coordination::api::{WaitEdge, WaitKind, WaitingAgent, WaitsPage, WaitsQuery};
use coordination::ids::AgentId;
use coordination::text::hidden;
use leptos::prelude::*;

use super::agent::{AgentLink, Imitations};
use super::hidden::readable;
use super::people::use_people;
use super::time_ago::use_now;
use crate::i18n::messages::WaitTreeMessages;
use crate::i18n::{time, use_i18n};
use crate::queries::{FetchOptions, use_fetch};
use crate::routes::{EventsFilter, paths};
use crate::state::use_hub;
use crate::ui::badge::Badge;
use crate::ui::live_rows::LiveRows;
use crate::ui::skeleton::Skeleton;
use crate::ui::{Icon, Tone};

/// Agents that are drawn; the rest is a number.
const MAX_SHOWN: usize = 40;

/// An agent in the tree, with the wait that leads to it.
#[derive(Debug, Clone, PartialEq)]
struct Branch {
    agent: WaitingAgent,
    wait: Option<WaitEdge>,
    /// Other agents of the tree that it waits for, too.
    also: Vec<AgentId>,
    branches: Vec<Branch>,
}

/// The tree below one agent.
#[component]
pub fn WaitTree(agent: AgentId) -> impl IntoView {
    let words = use_i18n();
    let incomplete = use_hub().incomplete();
    let fetch = use_fetch(
        move || agent.clone(),
        // A wait may also end by time alone.
        FetchOptions::refetch_on_any_change(),
        |source, agent| async move { source.waits(&WaitsQuery { agent: Some(agent) }).await },
    );
    let tree = Memo::new(move |_| fetch.data.with(|page| page.as_ref().map(|page| tree_of(page))));
    let known = Memo::new(move |_| tree.with(Option::is_some));
    let root = move || {
        let root = tree.with(|tree| tree.as_ref().and_then(|(root, _)| root.clone()));
        root.filter(|root| !root.branches.is_empty()).into_iter().collect::<Vec<_>>()
    };
    let left_out = Memo::new(move |_| tree.with(|tree| tree.as_ref().map_or(0, |(_, left_out)| *left_out)));
    let is_empty = Memo::new(move |_| root().is_empty());
    let content = move || {
        view! {
            <ul>
                <LiveRows each=root key=|branch| branch.agent.id.clone() draw=branch_view />
            </ul>
            {move || {
                let nobody = words.get().waits().nobody;
                // Settled meanwhile, if everything could be read.
                let text = if incomplete.get() { words.get().home.unsure } else { nobody };
                is_empty.get().then(|| view! { <p class="is-dim">{text}</p> })
            }}
            {move || {
                let left_out = left_out.get();
                (left_out > 0).then(|| view! { <p class="wait-tree__more">{(words.get().waits().more)(left_out)}</p> })
            }}
        }
    };
    view! {
        <div class="wait-tree" role="group" aria-label=move || words.get().waits().title>
            {move || match (known.get(), fetch.failure.get()) {
                (true, _) => content().into_any(),
                (false, Some(_)) => {
                    view! {
                        <p class="wait-tree__failed" role="alert">
                            {move || words.get().waits().failed}
                            <button type="button" class="button is-small" on:click=move |_| fetch.refetch()>
                                {move || words.get().common.retry}
                            </button>
                        </p>
                    }
                    .into_any()
                }
                (false, None) => {
                    let label = Signal::derive(move || words.get().common.loading.to_owned());
                    view! { <Skeleton rows=2 label=label /> }.into_any()
                }
            }}
        </div>
    }
}

/// The tree of an answer, each agent once: below the agent for which it waits along the shortest way, with the longest
/// wait among those. Second: the number of agents that were left out.
fn tree_of(page: &WaitsPage) -> (Option<Branch>, usize) {
    let steps: BTreeMap<&AgentId, u32> =
        page.agents.iter().filter_map(|agent| Some((&agent.id, agent.steps?))).collect();
    let mut below: BTreeMap<&AgentId, Vec<Branch>> = BTreeMap::new();
    let mut drawn = 0;
    // Those farthest away come first, so that their branches are complete when they are drawn below another.
    for agent in page.agents.iter().take(MAX_SHOWN).rev() {
        let mut branches = below.remove(&agent.id).unwrap_or_default();
        branches.reverse();
        let own = page.waits.iter().filter(|wait| wait.from == agent.id);
        let wait = own.clone().find(|wait| steps.get(&wait.to).map(|to| to + 1) == agent.steps);
        let is_other = |other: &&WaitEdge| {
            matches!(other.kind, WaitKind::Reply | WaitKind::Task) && wait.is_none_or(|wait| wait.to != other.to)
        };
        let also = own.filter(is_other).map(|wait| wait.to.clone()).collect();
        let branch = Branch { agent: agent.clone(), wait: wait.cloned(), also, branches };
        match wait {
            Some(wait) => {
                drawn += 1;
                below.entry(&wait.to).or_default().push(branch);
            }
            None if agent.steps == Some(0) => return (Some(branch), page.agents_total as usize - drawn - 1),
            // Its wait did not fit into the answer.
            None => {}
        }
    }
    (None, page.agents_total as usize)
}

/// An agent with its branches. Rows stay while the tree changes.
fn branch_view(branch: Memo<Branch>) -> AnyView {
    let words = use_i18n();
    let people = use_people();
    let now = use_now();
    let id = branch.with_untracked(|branch| branch.agent.id.clone());
    let mark = move |is: fn(&WaitingAgent) -> bool, text: fn(&WaitTreeMessages) -> &'static str, tone, icon| {
        let shown = Memo::new(move |_| branch.with(|branch| is(&branch.agent)));
        move || {
            let text = Signal::derive(move || text(words.get().waits()).to_owned());
            shown.get().then(|| view! { <Badge tone=tone icon=icon text=text /> })
        }
    };
    let person = move || {
        let person = branch.with(|branch| branch.agent.person)?;
        let mut parts = vec![(words.get().home.attention)(person.kind).to_owned()];
        parts.extend((person.since > 0).then(|| time::since(words.locale(), now.at.get(), person.since)));
        parts.extend((person.total > 1).then(|| (words.get().waits().times)(person.total)));
        Some(view! { <span class="wait-tree__person">{parts.join(" · ")}</span> })
    };
    let has_wait = Memo::new(move |_| branch.with(|branch| branch.wait.is_some()));
    let wait = Memo::new(move |_| branch.with(|branch| branch.wait.clone().unwrap_or_default()));
    let others = Memo::new(move |_| branch.with(|branch| branch.also.iter().cloned().collect()));
    let needs = move || {
        let waits = words.get().waits();
        let (also, elsewhere) = branch.with(|branch| (branch.also.clone(), branch.agent.waits_elsewhere));
        let names: Vec<String> = also.iter().map(|id| people.name(id)).collect();
        let named = (!names.is_empty()).then(|| (waits.also)(&names.join("·")));
        let parts: Vec<String> =
            named.into_iter().chain((elsewhere > 0).then(|| (waits.elsewhere)(elsewhere))).collect();
        (!parts.is_empty()).then(|| {
            view! {
                <span class="wait-tree__also">
                    <Imitations named=others />
                    {parts.join(" · ")}
                </span>
            }
        })
    };
    let has_branches = Memo::new(move |_| branch.with(|branch| !branch.branches.is_empty()));
    let below = move || branch.with(|branch| branch.branches.clone());
    view! {
        <li>
            <div class="wait-tree__agent">
                <AgentLink id=id />
                {mark(|agent| agent.root, |waits| waits.root, Tone::Warning, Icon::Hourglass)}
                {mark(|agent| agent.deadlock, |waits| waits.deadlock, Tone::Danger, Icon::Blocked)}
                {person}
                {move || has_wait.get().then(|| view! { <WaitLink wait=wait /> })}
                {needs}
            </div>
            {move || {
                has_branches.get().then(|| {
                    view! {
                        <ul>
                            <LiveRows each=below key=|branch| branch.agent.id.clone() draw=branch_view />
                        </ul>
                    }
                })
            }}
        </li>
    }
    .into_any()
}

/// Why an agent waits: a link to the message or task, and since when.
#[component]
fn WaitLink(wait: Memo<WaitEdge>) -> impl IntoView {
    let words = use_i18n();
    let now = use_now();
    let quoted = move || {
        let text = wait.with(|wait| readable(&wait.text, words).into_owned());
        (!text.is_empty()).then(|| format!("“{}” ", hidden::marked(&text)))
    };
    let facts = move || {
        let waits = words.get().waits();
        wait.with(|wait| {
            let mut facts =
                vec![(waits.kind)(wait.kind).to_owned(), time::since(words.locale(), now.at.get(), wait.since)];
            facts.extend(wait.queue.filter(|place| *place > 1).map(waits.queue));
            facts.extend((wait.times > 1).then(|| (waits.times)(wait.times)));
            facts.join(" · ")
        })
    };
    view! {
        <a class="wait-tree__wait" href=move || wait.with(wait_link)>
            {quoted}
            <span class="is-dim">{facts}</span>
        </a>
    }
}

/// The blocked task, the message in its thread, or what else proves it.
fn wait_link(wait: &WaitEdge) -> String {
    match (&wait.task_id, &wait.session_id) {
        (Some(task), _) => paths::task(&wait.from, task),
        (None, Some(session)) => paths::place(session, wait.thread_id.as_ref(), wait.event_id.as_ref()),
        (None, None) => paths::events(&EventsFilter {
            agents: vec![wait.from.clone()],
            open: wait.event_id.clone(),
            ..EventsFilter::default()
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coordination::decode::decode;
    use serde_json::json;

    fn graph(agents: &[(&str, u32)], waits: &[(&str, &str)]) -> WaitsPage {
        let agents: Vec<_> = agents.iter().map(|(id, steps)| json!({ "id": id, "steps": steps })).collect();
        let waits: Vec<_> =
            waits.iter().map(|(from, to)| json!({ "from": from, "to": to, "kind": "reply", "since": 0 })).collect();
        let total = agents.len();
        decode(json!({
            "agents": agents, "agentsTotal": total, "waits": waits, "cursor": { "epoch": "e", "seq": 1 }, "now": 0
        }))
        .unwrap()
    }

    /// `root(first second(third))`.
    fn drawn(branch: &Branch) -> String {
        let below: Vec<String> = branch.branches.iter().map(drawn).collect();
        let also: Vec<&str> = branch.also.iter().map(AgentId::as_str).collect();
        let own = format!(
            "{}{}",
            branch.agent.id,
            if also.is_empty() { String::new() } else { format!("+{}", also.join(",")) }
        );
        if below.is_empty() { own } else { format!("{own}({})", below.join(" ")) }
    }

    #[test]
    fn each_agent_is_drawn_once_below_the_nearest_it_waits_for() {
        let all = [("seum", 0), ("eden", 1), ("dajim", 1), ("miri", 2)];
        let waits = [("eden", "seum"), ("dajim", "seum"), ("miri", "eden"), ("miri", "dajim"), ("seum", "miri")];
        let (root, left_out) = tree_of(&graph(&all, &waits));
        assert_eq!((drawn(&root.unwrap()).as_str(), left_out), ("seum+miri(eden(miri+dajim) dajim)", 0));
        assert_eq!(tree_of(&graph(&[], &[])), (None, 0));
    }

    #[test]
    fn large_tree_is_cut_and_counted() {
        let ids: Vec<String> = (0..60).map(|number| format!("agent_{number}")).collect();
        let agents: Vec<(&str, u32)> =
            ids.iter().enumerate().map(|(at, id)| (id.as_str(), u32::from(at > 0))).collect();
        let waits: Vec<(&str, &str)> = ids.iter().skip(1).map(|id| (id.as_str(), "agent_0")).collect();
        let (root, left_out) = tree_of(&graph(&agents, &waits));
        assert_eq!((root.unwrap().branches.len(), left_out), (MAX_SHOWN - 1, 20));
    }

    #[test]
    fn agent_whose_wait_did_not_fit_is_counted() {
        let all = [("seum", 0), ("eden", 1), ("miri", 2)];
        let (root, left_out) = tree_of(&graph(&all, &[("eden", "seum")]));
        assert_eq!((drawn(&root.unwrap()).as_str(), left_out), ("seum(eden)", 1));
    }
}
