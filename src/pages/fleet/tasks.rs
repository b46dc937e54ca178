//! Tasks of all machines by status: the rows of the task list, each with the name of its machine. Task files that could not
//! be read are listed with their machine and cause.

use coordination::api::{FleetTask, FleetTasksPage, FleetUnreadable, TaskStatus};
use coordination::text::hidden;
use leptos::prelude::*;

use super::filter_menus::{FleetAgentMenu, TaskStatusMenu};
use super::list::{FleetListView, ListTexts, query_of, total_of, use_list};
use super::state::{FleetState, MachinePeople};
use crate::components::machine::use_machine_links;
use crate::components::status::task_status_style;
use crate::components::task::TaskRow;
use crate::i18n::use_i18n;
use crate::queries::FleetList;
use crate::routes::{FleetTab, paths};
use crate::ui::Icon;
use crate::ui::badge::StatusStyle;
use crate::ui::live_rows::LiveRows;

const TEXTS: ListTexts = ListTexts {
    title: |words| words.tasks().title,
    empty: |words| (words.tasks().empty, words.tasks().empty_why),
    none_match: |words| (words.tasks().none_match, words.tasks().none_match_why),
    icon: Icon::Task,
};

/// Tasks of one status on the loaded pages.
#[derive(Clone, PartialEq)]
struct StatusGroup {
    status: TaskStatus,
    /// How many there are on all pages.
    total: u32,
    tasks: Vec<FleetTask>,
}

/// The tab of tasks.
#[component]
pub(super) fn FleetTaskList(fleet: FleetState) -> impl IntoView {
    let list: FleetList<FleetTasksPage> = use_list(fleet, |filter| query_of(filter, FleetTab::Tasks));
    let filters = view! { <TaskStatusMenu fleet=fleet /> <FleetAgentMenu fleet=fleet /> }.into_any();
    view! {
        <FleetListView
            fleet=fleet
            list=list
            texts=TEXTS
            total=total_of(list, |page: &FleetTasksPage| page.total)
            filters=filters
            rows=Box::new(move || view! { <TaskGroups list=list /> }.into_any())
        />
        <UnreadableTasks list=list />
    }
}

#[component]
fn TaskGroups(list: FleetList<FleetTasksPage>) -> impl IntoView {
    let people = MachinePeople::of_list(list);
    let groups = move || list.answer.with(|answer| answer.as_ref().map(|answer| groups_of(answer)).unwrap_or_default());
    view! {
        <LiveRows
            each=groups
            key=|group: &StatusGroup| group.status.as_str()
            draw=move |group| view! { <TaskStatusGroup group=group people=people /> }.into_any()
        />
    }
}

fn groups_of(page: &FleetTasksPage) -> Vec<StatusGroup> {
    let mut groups: Vec<StatusGroup> = Vec::new();
    for row in &page.tasks {
        let status = row.task.status;
        match groups.last_mut().filter(|group| group.status == status) {
            Some(group) => group.tasks.push(row.clone()),
            None => {
                let total = page.status_counts.iter().find(|(of, _)| *of == status).map_or(0, |(_, count)| *count);
                groups.push(StatusGroup { status, total, tasks: vec![row.clone()] });
            }
        }
    }
    groups
}

#[component]
fn TaskStatusGroup(group: Memo<StatusGroup>, people: MachinePeople) -> impl IntoView {
    let words = use_i18n();
    let status = group.with_untracked(|group| group.status);
    let StatusStyle { tone, icon } = task_status_style(status);
    let task = move |row: Memo<FleetTask>| {
        row.with_untracked(|row| people.provide_row(&row.source));
        let links = use_machine_links();
        let draw = move || {
            let task = row.get().task;
            let href = links.href(paths::task(&task.agent_id, &task.id));
            view! { <TaskRow task=task open=Signal::stored(false) href=Signal::stored(href) /> }
        };
        draw.into_any()
    };
    view! {
        <section class="task-section" class:is-hot=status == TaskStatus::Blocked>
            <header>
                <h2>
                    <span class=format!("mark is-{}", tone.as_str())>{icon}</span>
                    {move || (words.get().common.task_status)(status)}
                </h2>
                <span class="n">{move || group.with(|group| group.total)}</span>
            </header>
            <LiveRows
                each=move || group.with(|group| group.tasks.clone())
                key=|row: &FleetTask| (row.source.clone(), row.task.agent_id.clone(), row.task.id.clone())
                draw=task
            />
        </section>
    }
}

/// Files that could not be read; nothing without any.
#[component]
fn UnreadableTasks(list: FleetList<FleetTasksPage>) -> impl IntoView {
    let words = use_i18n();
    let files = Memo::new(move |_| {
        list.answer.with(|answer| answer.as_ref().map(|answer| answer.unreadable.clone()).unwrap_or_default())
    });
    let file = move |file: FleetUnreadable| {
        let cause = file.cause.clone();
        let word = move || (words.get().common.cause)(&cause).map_or_else(|| cause.clone(), ToOwned::to_owned);
        let path = format!("{}: {}", hidden::marked(&file.source), hidden::marked(&file.path));
        view! {
            <li>
                <code class="code-inline">{path}</code>
                <span>{word}</span>
            </li>
        }
    };
    move || {
        let all = files.get();
        (!all.is_empty()).then(|| {
            let count = all.len();
            view! {
                <details class="unreadable">
                    <summary>{Icon::Warn} {move || (words.get().tasks().unreadable)(count)}</summary>
                    <ul>{all.into_iter().map(file).collect_view()}</ul>
                </details>
            }
        })
    }
}
