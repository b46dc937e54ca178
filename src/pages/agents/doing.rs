//! Status of one agent on the page of agents: current state with its evidence, time of the last sign of activity, and
//! current task.

use std::sync::Arc;

use coordination::api::{AgentCard, AgentEvidence, AgentState, AgentStatement, EvidenceKind, Origin};
use coordination::ids::AgentId;
use coordination::schema::{Beat, beat};
use coordination::workspace::TaskStatus;
use leptos::prelude::*;

use super::AgentsText;
use crate::components::hidden::Said;
use crate::components::machine::use_machine_links;
use crate::components::people::use_people;
use crate::components::person_request::end_clock;
use crate::components::status::AgentStateBadge;
use crate::components::task::task_title;
use crate::components::time_ago::{TimeAgo, use_now};
use crate::i18n::use_i18n;
use crate::routes::{EventsFilter, TasksFilter, paths};
use crate::ui::Icon;

/// A sign of life is shown separately when it is this much newer than the event behind the state.
const LATER_SIGNAL_MS: i64 = 60_000;

/// State of an agent with its evidence, last signal and current task.
#[component]
pub(super) fn Doing(card: AgentCard) -> impl IntoView {
    let words = use_i18n();
    let links = use_machine_links();
    let now = use_now();
    let agent = card.agent.clone();
    let state = Memo::new(move |_| agent.state_by(now.at.get()));
    let stuck = card.agent.blocked_tasks;
    // What it rests on is one fact, when it was last active another.
    let rests_on = card.evidence.as_ref().and_then(|evidence| evidence.at);
    let active = card
        .agent
        .acted_at
        .filter(|at| card.agent.origin != Origin::Hooks && rests_on.is_none_or(|known| *at > known + LATER_SIGNAL_MS));
    let task = card.agent.current_task.clone();
    let id = card.agent.id.clone();
    let task_view = match (card.agent.current_task_id.clone(), task) {
        (Some(task_id), title) => {
            let href = links.href(paths::task(&id, &task_id));
            let title = title.unwrap_or_default();
            view! { <a class="link" href=href rel=links.rel()>{move || task_title(&title)}</a> }.into_any()
        }
        (None, Some(title)) => view! { <span>{title}</span> }.into_any(),
        (None, None) => view! { <span class="is-dim">{move || words.get().agents().no_task}</span> }.into_any(),
    };
    let ended = card.agent.state == AgentState::Stopped;
    let last = card.agent.last_time.filter(|_| card.agent.origin == Origin::Hooks);
    let open = card.agent.task_count;
    let blocked = links.href(paths::tasks(&TasksFilter {
        agent: Some(id.clone()),
        status: Some(TaskStatus::Blocked),
        ..TasksFilter::default()
    }));
    let tasks = links.href(paths::tasks(&TasksFilter { agent: Some(id), ..TasksFilter::default() }));
    view! {
        <div class="agent-card__doing">
            <p class="agent-card__state">
                {move || view! { <AgentStateBadge state=state.get() /> }}
                {move || {
                    (stuck > 0 && state.get() != AgentState::Blocked)
                        .then(|| {
                            view! {
                                <a class="link" href=blocked.clone() rel=links.rel()>
                                    {move || (words.get().common.blocked_tasks)(stuck)}
                                </a>
                            }
                        })
                }}
            </p>
            {match card.evidence {
                Some(evidence) => view! { <StateEvidence agent=card.agent.id evidence=evidence /> }.into_any(),
                None => view! { <p class="is-dim">{move || words.get().agents().no_evidence}</p> }.into_any(),
            }}
            {card.agent.statement.map(|statement| view! { <Stated statement=statement /> })}
            {last.map(|at| view! { <LastSignal at=at ended=ended /> })}
            {active
                .map(|at| {
                    view! {
                        <p class="agent-card__beat is-silent">
                            <span>{move || words.get().agents().active}</span>
                            <TimeAgo at=at />
                        </p>
                    }
                })}
            {move || {
                (state.get() == AgentState::Silent)
                    .then(|| view! { <p class="agent-card__stale">{move || words.get().common.silent_why}</p> })
            }}
            <p class="agent-card__task">
                <span class="is-dim">{move || words.get().agents().current}</span>
                " "
                {task_view}
                {(open > 0)
                    .then(|| {
                        view! {
                            " · "
                            <a class="link" href=tasks rel=links.rel()>
                                {move || (words.get().agents().open_tasks)(open)}
                            </a>
                        }
                    })}
            </p>
        </div>
    }
}

/// What the agent wrote about itself, with its end. It is apart from the state, which the monitor infers. Nothing
/// once it is void.
#[component]
fn Stated(statement: AgentStatement) -> impl IntoView {
    let words = use_i18n();
    let now = use_now();
    let until = statement.expires_at;
    let is_valid = Memo::new(move |_| now.at.get() < until);
    let links = use_machine_links();
    let href = links.href(paths::store(&statement.session_key));
    let asks = statement.attention.is_some();
    move || {
        is_valid.get().then(|| {
            let (note, href) = (statement.note.clone(), href.clone());
            view! {
                <p class="agent-card__stated" class:is-asking=asks>
                    <span class="is-dim">{move || words.get().agents().stated}</span>
                    " "
                    <a class="link" href=href rel=links.rel()>
                        <Said text=note />
                    </a>
                    " "
                    <span class="is-dim">
                        {move || (words.get().home.statement_ends)(&end_clock(words, now.at.get(), until))}
                    </span>
                </p>
            }
        })
    }
}

/// Age of the last event of an agent at a terminal. While its program runs, a word says what that age means.
#[component]
fn LastSignal(
    at: i64,
    /// Its program ended: nothing more is expected of it.
    ended: bool,
) -> impl IntoView {
    let words = use_i18n();
    let now = use_now();
    let beat = Memo::new(move |_| beat(at, now.at.get()));
    view! {
        <p class="agent-card__beat" class:is-silent=move || ended || beat.get() == Beat::Silent>
            {Icon::Live}
            <span>{move || words.get().agents().last_signal}</span>
            <TimeAgo at=at />
            {(!ended).then(|| view! { <span>{move || (words.get().agents().beat)(beat.get())}</span> })}
        </p>
    }
}

/// Evidence of an agent's state: what it is, its source, its age, and links to it.
#[component]
fn StateEvidence(agent: AgentId, evidence: AgentEvidence) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let links = use_machine_links();
    let evidence = Arc::new(evidence);
    let open_event = evidence.event_id.clone().map(|event| {
        let filter = EventsFilter { agents: vec![agent.clone()], open: Some(event), ..EventsFilter::default() };
        paths::events(&filter)
    });
    let talk = evidence.session_id.as_ref().zip(evidence.thread_id.as_ref());
    let talk = talk.map(|(session, thread)| paths::place(session, Some(thread), evidence.event_id.as_ref()));
    let task = evidence.task_id.as_ref().filter(|_| evidence.kind == EvidenceKind::Task);
    let task = task.map(|task| paths::task(&agent, task));
    let link = |href: Option<String>, word: AgentsText| {
        href.map(|href| {
            view! {
                <a class="link" href=links.href(href) rel=links.rel()>
                    {move || word(words.get().agents())}
                </a>
            }
        })
    };
    let what = evidence.clone();
    let text = move || {
        let agents = words.get().agents();
        match &what.other {
            Some(other) => (agents.waits_for)(&people.name(other)),
            None => (agents.evidence)(what.kind).to_owned(),
        }
    };
    view! {
        <p class="agent-card__evidence">
            <span>{text}</span>
            <code>{evidence.source.clone()}</code>
            {evidence.at.map(|at| view! { <TimeAgo at=at /> })}
            {link(talk, |words| words.to_talk)}
            {link(task, |words| words.to_task)}
            {link(open_event, |words| words.to_event)}
        </p>
    }
}
