//! Filters of the task list: choice of status and agent, grouping, search field, and chips that remove an active
//! filter.

use coordination::api::TaskStatus;
use coordination::ids::AgentId;
use leptos::prelude::*;

use super::TasksState;
use crate::components::agent::Avatar;
use crate::components::people::use_people;
use crate::components::session::session_title;
use crate::components::status::task_status_style;
use crate::components::text_filter::TextFilter;
use crate::i18n::use_i18n;
use crate::queries::use_go;
use crate::routes::{TasksFilter, TasksView, paths};
use crate::ui::Icon;
use crate::ui::menu::{Menu, MenuChoice};
use crate::ui::segments::{Segment, Segments};

/// Statuses and agents that have tasks, with how many.
fn use_counts(state: TasksState) -> (Memo<Vec<(TaskStatus, u32)>>, Memo<Vec<(AgentId, u32)>>) {
    let statuses = Memo::new(move |_| {
        let counts = state.fetch.data.with(|answer| answer.as_ref().map(|answer| answer.status_counts.clone()));
        let counts = counts.unwrap_or_default();
        let count = |status| counts.iter().find(|(of, _)| *of == status).map_or(0, |(_, n)| *n);
        let known = TaskStatus::ALL.into_iter().chain([TaskStatus::Unknown]);
        known.map(|status| (status, count(status))).filter(|(_, n)| *n > 0).collect::<Vec<_>>()
    });
    let agents = Memo::new(move |_| {
        state.fetch.data.with(|answer| {
            let Some(answer) = answer.as_ref() else { return Vec::new() };
            let tasks = |id: &AgentId| answer.agent_counts.iter().find(|(of, _)| of == id).map_or(0, |(_, n)| *n);
            answer.agents.iter().map(|agent| (agent.id.clone(), tasks(&agent.id))).filter(|(_, n)| *n > 0).collect()
        })
    });
    (statuses, agents)
}

/// Menus of statuses and agents that replace the rail on a narrow screen.
#[component]
fn NarrowMenus(state: TasksState, set: Callback<TasksFilter>) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let filter = state.filter;
    let (statuses, agents) = use_counts(state);
    let status_choices = Memo::new(move |_| {
        let name = |status| (words.get().common.task_status)(status);
        let choice = |(status, n): (TaskStatus, u32)| MenuChoice {
            value: status.as_str().to_owned(),
            text: format!("{} {n}", name(status)),
        };
        statuses.get().into_iter().map(choice).collect::<Vec<_>>()
    });
    let agent_choices = Memo::new(move |_| {
        let choice =
            |(id, n): (AgentId, u32)| MenuChoice { text: format!("{} {n}", people.name(&id)), value: id.into() };
        agents.get().into_iter().map(choice).collect::<Vec<_>>()
    });
    view! {
        <span class="tasks-main__narrow">
            <Menu
                label=Signal::derive(move || words.get().tasks().any_status.to_owned())
                choices=status_choices
                value=Signal::derive(move || {
                    filter.get().status.map(TaskStatus::as_str).unwrap_or_default().to_owned()
                })
                on_pick=Callback::new(move |status: String| {
                    set.run(TasksFilter { status: status.parse().ok(), ..filter.get_untracked() });
                })
            />
            <Menu
                label=Signal::derive(move || words.get().events().all_agents.to_owned())
                choices=agent_choices
                value=Signal::derive(move || filter.get().agent.map(String::from).unwrap_or_default())
                on_pick=Callback::new(move |id: String| {
                    let agent = Some(id).filter(|id| !id.is_empty()).map(Into::into);
                    set.run(TasksFilter { agent, ..filter.get_untracked() });
                })
            />
        </span>
    }
}

/// Links to statuses and agents, with their counts.
#[component]
pub(super) fn TaskRail(state: TasksState) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let filter = state.filter;
    let (statuses, agents) = use_counts(state);
    let known = move || state.fetch.data.with(Option::is_some);
    // A count that is not known yet is a dash, never a zero.
    let all = move || known().then(|| statuses.with(|statuses| statuses.iter().map(|(_, n)| n).sum::<u32>()));
    let status_link = move |status: Option<TaskStatus>, icon: Icon, n: Option<u32>| {
        let href = move || paths::tasks(&TasksFilter { status, ..filter.get() });
        let current = move || (filter.with(|filter| filter.status) == status).then_some("true");
        let word = move || {
            let common = &words.get().common;
            status.map_or(common.all, |status| (common.task_status)(status))
        };
        view! {
            <a href=href aria-current=current>
                {icon}
                {word}
                <span class="n">{n.map_or_else(|| "–".to_owned(), |n| n.to_string())}</span>
            </a>
        }
    };
    let agent_link = move |(id, n): (AgentId, u32)| {
        let (this, name) = (id.clone(), id.clone());
        let chosen = move || filter.with(|filter| filter.agent.as_ref() == Some(&this));
        let agent = id.clone();
        let picked = chosen.clone();
        // Choosing the chosen one again lets go of it.
        let href = move || {
            let agent = (!picked()).then(|| agent.clone());
            paths::tasks(&TasksFilter { agent, ..filter.get() })
        };
        view! {
            <a href=href aria-current=move || chosen().then_some("true")>
                <Avatar id=id small=true />
                {move || people.name(&name)}
                <span class="n">{n}</span>
            </a>
        }
    };
    view! {
        <nav class="task-rail" aria-label=move || words.get().tasks().filter>
            <div class="task-rail__label">{move || words.get().tasks().status_label}</div>
            {move || status_link(None, Icon::Grid, all())}
            {move || {
                statuses
                    .get()
                    .into_iter()
                    .map(|(status, n)| {
                        let icon = match task_status_style(status).icon {
                            Icon::Running => Icon::Retry,
                            icon => icon,
                        };
                        status_link(Some(status), icon, Some(n))
                    })
                    .collect_view()
            }}
            <hr />
            <div class="task-rail__label">{move || words.get().common.agent}</div>
            {move || agents.get().into_iter().map(agent_link).collect_view()}
        </nav>
    }
}

/// Grouping, menus, search field and chips of the active filters.
#[component]
pub(super) fn TaskTools(state: TasksState) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let go = use_go();
    let filter = state.filter;
    let with_text = move |q| state.href(&TasksFilter { q, ..filter.get_untracked() });
    let set = Callback::new(move |change: TasksFilter| go.refine(&paths::tasks(&change)));
    let choices = vec![
        Segment { value: TasksView::Status, view: ViewFn::from(move || move || words.get().tasks().by_status) },
        Segment { value: TasksView::Agent, view: ViewFn::from(move || move || words.get().tasks().by_agent) },
    ];
    // Where menus replace the rail, they already show the selection.
    let chip = move |name: String, without: TasksFilter, railed: bool| {
        let class = if railed { " is-railed" } else { "" };
        let label = (words.get().common.remove_filter)(&name);
        view! {
            <a class=format!("filter-chip{class}") href=paths::tasks(&without) aria-label=label>
                <span>{name}</span>
                {Icon::Close}
            </a>
        }
    };
    let session_name = move |now: &TasksFilter| {
        let title = state.fetch.data.with(|answer| {
            let task = answer.as_ref()?.tasks.iter().find_map(|task| task.session.clone())?;
            (now.session.as_ref() == Some(&task.work_session_id)).then_some((task.title, task.title_source))
        });
        let title = title.map_or_else(
            || words.get().common.default_title.to_owned(),
            |(title, source)| session_title(&title, source, words),
        );
        (words.get().events().only_session)(&title)
    };
    view! {
        <div class="tasks-main__tools">
            <Segments
                label=Signal::derive(move || words.get().tasks().grouping.to_owned())
                choices=choices
                value=Signal::derive(move || filter.get().view)
                on_pick=Callback::new(move |view| set.run(TasksFilter { view, ..filter.get_untracked() }))
            />
            <NarrowMenus state=state set=set />
            <TextFilter
                label=Signal::derive(move || words.get().tasks().search.to_owned())
                words=Signal::derive(move || filter.get().q)
                address=with_text
            />
            {move || {
                let now = filter.get();
                let name = now.status.map(|status| (words.get().common.task_status)(status).to_owned());
                name.map(|name| chip(name, TasksFilter { status: None, ..now }, true))
            }}
            {move || {
                let now = filter.get();
                now.agent.clone().map(|id| chip(people.name(&id), TasksFilter { agent: None, ..now }, true))
            }}
            {move || {
                let now = filter.get();
                now.session.is_some().then(|| chip(session_name(&now), TasksFilter { session: None, ..now }, false))
            }}
        </div>
    }
}
