//! Task list, grouped under headings by status or agent.

use coordination::api::{SourceState, TaskStatus, TaskSummary};
use coordination::ids::AgentId;
use leptos::prelude::*;

use super::TasksState;
use crate::components::agent::AgentLink;
use crate::components::source_empty::SourceEmpty;
use crate::components::status::task_status_style;
use crate::components::task::TaskRow;
use crate::i18n::use_i18n;
use crate::routes::{TasksFilter, TasksView, paths};
use crate::state::use_hub;
use crate::ui::Icon;
use crate::ui::badge::StatusStyle;
use crate::ui::empty::EmptyState;

/// Ended tasks shown before the user asks for the rest.
const SHOWN_ENDED_TASKS: usize = 5;

/// What a heading names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum TaskGroupHeading {
    Status(TaskStatus),
    Agent(AgentId),
}

/// Tasks under their headings, in the order the answer gives. Statuses the user narrowed to only.
fn group(tasks: &[TaskSummary], filter: &TasksFilter) -> Vec<(TaskGroupHeading, Vec<TaskSummary>)> {
    let mut groups: Vec<(TaskGroupHeading, Vec<TaskSummary>)> = Vec::new();
    let wanted = |task: &&TaskSummary| {
        filter.status.is_none_or(|status| task.status == status)
            && filter.agent.as_ref().is_none_or(|agent| task.agent_id == *agent)
    };
    for task in tasks.iter().filter(wanted) {
        let heading = match filter.view {
            TasksView::Status => TaskGroupHeading::Status(task.status),
            TasksView::Agent => TaskGroupHeading::Agent(task.agent_id.clone()),
        };
        match groups.iter_mut().find(|(of, _)| *of == heading) {
            Some((_, list)) => list.push(task.clone()),
            None => groups.push((heading, vec![task.clone()])),
        }
    }
    groups
}

/// Groups of tasks. Without tasks, an empty state says why.
#[component]
pub(super) fn Groups(state: TasksState) -> impl IntoView {
    let words = use_i18n();
    let groups = Memo::new(move |_| {
        let filter = state.filter.get();
        state.fetch.data.with(|answer| answer.as_ref().map(|answer| group(&answer.tasks, &filter)).unwrap_or_default())
    });
    let unread = use_hub().unread_source();
    let filtered = Memo::new(move |_| !state.filter.with(TasksFilter::is_empty));
    let headings = Memo::new(move |_| groups.with(|groups| groups.iter().map(|(h, _)| h.clone()).collect::<Vec<_>>()));
    let nothing = move || {
        let words_of = move |some: fn(&crate::i18n::messages::TasksMessages) -> &'static str,
                             none: fn(&crate::i18n::messages::TasksMessages) -> &'static str| {
            Signal::derive(move || {
                if filtered.get() { some(words.get().tasks()) } else { none(words.get().tasks()) }.to_owned()
            })
        };
        view! {
            <EmptyState
                icon=Icon::Task
                title=words_of(|words| words.none_match, |words| words.empty)
                text=words_of(|words| words.none_match_why, |words| words.empty_why)
            >
                {move || {
                    filtered
                        .get()
                        .then(|| {
                            view! {
                                <a class="button" href=paths::tasks(&TasksFilter::default())>
                                    {move || words.get().common.clear_filters}
                                </a>
                            }
                        })
                }}
            </EmptyState>
        }
    };
    move || {
        if headings.with(Vec::is_empty) {
            // Tasks are in the home and in the log: only a missing log can have none to show.
            return match unread.get().filter(|source| source.state != SourceState::LogMissing) {
                Some(source) => view! { <SourceEmpty source=source /> }.into_any(),
                None => nothing().into_any(),
            };
        }
        view! {
            <For each=move || headings.get() key=Clone::clone let:heading>
                {
                    let wanted = heading.clone();
                    let tasks = Memo::new(move |_| {
                        groups.with(|groups| {
                            groups.iter().find(|(h, _)| *h == wanted).map(|(_, list)| list.clone()).unwrap_or_default()
                        })
                    });
                    view! { <TaskGroup state=state heading=heading tasks=tasks /> }
                }
            </For>
        }
        .into_any()
    }
}

/// One group: heading, count and rows. A button unfolds ended tasks after the first few.
#[component]
fn TaskGroup(state: TasksState, heading: TaskGroupHeading, tasks: Memo<Vec<TaskSummary>>) -> impl IntoView {
    let words = use_i18n();
    let whole = RwSignal::new(false);
    let by_agent = matches!(heading, TaskGroupHeading::Agent(_));
    let ended = matches!(&heading, TaskGroupHeading::Status(status) if status.ended());
    let hot = heading == TaskGroupHeading::Status(TaskStatus::Blocked);
    let title = match heading {
        TaskGroupHeading::Status(status) => {
            let StatusStyle { tone, icon } = task_status_style(status);
            view! {
                <span class=format!("mark is-{}", tone.as_str())>{icon}</span>
                {move || (words.get().common.task_status)(status)}
            }
            .into_any()
        }
        TaskGroupHeading::Agent(id) => view! { <AgentLink id=id /> }.into_any(),
    };
    let short = move || ended && !whole.get() && !state.filter.with(|filter| filter.status.is_some());
    let shown = move || {
        let mut list = tasks.get();
        if short() {
            list.truncate(SHOWN_ENDED_TASKS);
        }
        list
    };
    let rest = move || if short() { tasks.with(Vec::len).saturating_sub(SHOWN_ENDED_TASKS) } else { 0 };
    view! {
        <section class="task-section" class:is-hot=hot>
            <header>
                <h2>{title}</h2>
                <span class="n">{move || tasks.with(Vec::len)}</span>
            </header>
            <For each=shown key=|task| format!("{task:?}") let:task>
                {
                    let (agent, id) = (task.agent_id.clone(), task.id.clone());
                    let open = Signal::derive(move || {
                        state.open.with(|open| open.as_ref().is_some_and(|(a, t)| *a == agent && *t == id))
                    });
                    let (agent, id) = (task.agent_id.clone(), task.id.clone());
                    let href = Signal::derive(move || state.task_href(&agent, &id));
                    view! { <TaskRow task=task open=open href=href with_status=by_agent /> }
                }
            </For>
            {move || {
                let rest = rest();
                (rest > 0)
                    .then(|| {
                        view! {
                            <p class="task-more">
                                <button type="button" class="link" on:click=move |_| whole.set(true)>
                                    {(words.get().tasks().more)(rest)}
                                </button>
                            </p>
                        }
                    })
            }}
        </section>
    }
}
