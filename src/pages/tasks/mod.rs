//! Tasks page: tasks of all agents by status or agent, plans without a task, milestones, and the details of the open
//! task. Unreadable task files are listed with their causes.

mod groups;
mod rail;

use coordination::api::{TaskDetail, TasksPage as Answer, TasksQuery, Unreadable};
use coordination::ids::{AgentId, TaskId};
use coordination::text::hidden;
use groups::Groups;
use leptos::prelude::*;
use rail::{TaskRail, TaskTools};

use super::failure::Failure;
use super::unknown_filter::UnknownFilter;
use crate::components::task::{MilestonesSection, PlanView, TaskDetailView, provide_task_titles, task_title};
use crate::i18n::use_i18n;
use crate::pages::names::use_names;
use crate::queries::{Fetch, FetchOptions, Pages, use_fetch, use_page_title, use_pages, use_pairs, use_segment};
use crate::routes::{TasksFilter, paths};
use crate::source::{DataSource, SourceError};
use crate::ui::Icon;
use crate::ui::empty::EmptyState;
use crate::ui::selectors::{OPEN_TASK_ROW, TASK_DETAIL};
use crate::ui::skeleton::Skeleton;

/// A task by its owner and id.
type TaskKey = (AgentId, TaskId);

/// What the parts of the page share.
#[derive(Clone, Copy)]
struct TasksState {
    filter: Memo<TasksFilter>,
    open: Memo<Option<TaskKey>>,
    fetch: Fetch<Answer>,
    pages: Pages,
}

impl TasksState {
    /// A task's address that keeps how the list is looked at. Reactive.
    fn task_href(self, agent: &AgentId, task: &TaskId) -> String {
        paths::task_in(agent, task, &self.filter.get())
    }

    /// The address of the list looked at differently, with the open task still open.
    fn href(self, filter: &TasksFilter) -> String {
        match self.open.get_untracked() {
            Some((agent, task)) => paths::task_in(&agent, &task, filter),
            None => paths::tasks(filter),
        }
    }
}

/// The page of `/tasks` and `/tasks/:agent/:task`.
#[component]
pub fn TaskListPage() -> impl IntoView {
    use_names();
    let words = use_i18n();
    let pairs = use_pairs();
    let (agent, task) = (use_segment("agent"), use_segment("task"));
    let filter = Memo::new(move |_| pairs.with(|pairs| TasksFilter::from_pairs(pairs)));
    let open = Memo::new(move |_| {
        let (agent, task) = (agent.get(), task.get());
        (!agent.is_empty() && !task.is_empty()).then_some((AgentId::from(agent), TaskId::from(task)))
    });
    let pages = use_pages(move || filter.track());
    let key = move || {
        let TasksFilter { status, agent, session, q, .. } = filter.get();
        let status = status.into_iter().collect();
        (TasksQuery { status, agent, session, q, ..TasksQuery::default() }, pages.get())
    };
    let options = FetchOptions::refetch_when(|change, _: &(TasksQuery, u32)| change.touches_tasks())
        .keep_data_when(|(a, _), (b, _)| a.session == b.session);
    let fetch =
        use_fetch(key, options, |source, (query, pages)| async move { first_pages(source, query, pages).await });
    let state = TasksState { filter, open, fetch, pages };
    let detail = use_detail(open);
    provide_task_titles(move || fetch.data.with(|answer| answer.as_ref().map(|a| a.tasks.clone()).unwrap_or_default()));
    use_start_of_detail(open);
    use_row_in_view(open, fetch);
    let missing = move || detail.failure.with(|error| error.as_ref().is_some_and(SourceError::is_not_found));
    use_page_title(move || {
        let title =
            detail.data.with(|detail| detail.as_ref().map(|detail| hidden::marked(&detail.task.title).into_owned()));
        match title.filter(|_| open.with(Option::is_some)) {
            Some(title) => task_title(&title),
            None if missing() => words.get().tasks().missing.to_owned(),
            None => words.get().tasks().title.to_owned(),
        }
    });
    view! {
        <main id="main" class="tasks-page" class:has-open=move || open.get().is_some() tabindex="-1">
            <TaskRail state=state />
            <div class="tasks-main">
                <header class="list-head">
                    <h1>{move || words.get().tasks().title}</h1>
                    <Subtitle state=state />
                </header>
                <TaskTools state=state />
                <UnknownFilter
                    unknown=Signal::derive(move || TasksFilter::unknown(&pairs.get()))
                    without=Signal::derive(move || state.href(&filter.get()))
                />
                <TaskList state=state />
            </div>
            <TaskDetailPane state=state fetch=detail />
        </main>
    }
}

/// The first pages of a list as one answer.
async fn first_pages(source: DataSource, query: TasksQuery, pages: u32) -> Result<Answer, SourceError> {
    let mut answer = source.tasks(&query).await?;
    for _ in 1..pages {
        let Some(after) = answer.next.take() else { break };
        let page = source.tasks(&TasksQuery { after: Some(after), ..query.clone() }).await?;
        // A task that moved between two answers is shown where it was found first.
        for task in page.tasks {
            if !answer.tasks.iter().any(|known| known.id == task.id && known.agent_id == task.agent_id) {
                answer.tasks.push(task);
            }
        }
        answer.next = page.next;
    }
    Ok(answer)
}

/// A link from elsewhere scrolls the task's row into view. A scroll position that Back restores stays.
fn use_row_in_view(open: Memo<Option<TaskKey>>, fetch: Fetch<Answer>) {
    let arrived = StoredValue::new(false);
    Effect::new(move |_| {
        if arrived.get_value() || fetch.data.with(Option::is_none) {
            return;
        }
        arrived.set_value(true);
        if open.with_untracked(Option::is_none) {
            return;
        }
        request_animation_frame(|| {
            let at_top = window().scroll_y().is_ok_and(|y| y == 0.0);
            let row = document().query_selector(OPEN_TASK_ROW).ok().flatten().filter(|_| at_top);
            let height = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default();
            if let Some(row) = row.filter(|row| row.get_bounding_client_rect().bottom() > height) {
                let options = web_sys::ScrollIntoViewOptions::new();
                options.set_block(web_sys::ScrollLogicalPosition::Center);
                row.scroll_into_view_with_scroll_into_view_options(&options);
            }
        });
    });
}

/// Links of the list keep the scroll, so that a wide screen's list stays where it is. Where the task takes the list's
/// place, it is read from its beginning.
fn use_start_of_detail(open: Memo<Option<TaskKey>>) {
    Effect::new(move |before: Option<Option<TaskKey>>| {
        let open = open.get();
        let other = before.is_some_and(|before| before != open);
        let one_column = window().match_media("(max-width: 900px)").ok().flatten().is_some_and(|query| query.matches());
        if other && open.is_some() {
            if one_column {
                window().scroll_to_with_x_and_y(0.0, 0.0);
            } else if let Ok(Some(pane)) = document().query_selector(TASK_DETAIL) {
                pane.set_scroll_top(0);
            }
        }
        open
    });
}

/// Number of agents that are configured or have tasks; nothing for zero.
#[component]
fn Subtitle(state: TasksState) -> impl IntoView {
    let words = use_i18n();
    let agents = Memo::new(move |_| {
        state.fetch.data.with(|answer| {
            answer
                .as_ref()
                .map(|answer| answer.agents.iter().filter(|agent| agent.configured || agent.task_count > 0).count())
        })
    });
    // Where nobody keeps files there is nothing to say of them.
    view! { <p>{move || agents.get().filter(|n| *n > 0).map(|n| (words.get().tasks().subtitle)(n))}</p> }
}

/// Groups, plans and milestones, or the state of the list: loading or failed.
#[component]
fn TaskList(state: TasksState) -> impl IntoView {
    let words = use_i18n();
    let fetch = state.fetch;
    let known = Memo::new(move |_| fetch.data.with(Option::is_some));
    let unreadable = Memo::new(move |_| {
        fetch.data.with(|answer| answer.as_ref().map(|answer| answer.unreadable.clone()).unwrap_or_default())
    });
    let beside = Memo::new(move |_| {
        fetch.data.with(|answer| {
            answer.as_ref().map(|answer| (answer.plans.clone(), answer.milestones.clone())).unwrap_or_default()
        })
    });
    move || match (known.get(), fetch.failure.get()) {
        (true, _) => view! {
            {move || {
                let files = unreadable.get();
                (!files.is_empty()).then(|| view! { <UnreadableFiles files=files /> })
            }}
            <Groups state=state />
            <Rest state=state />
            {move || {
                let (plans, milestones) = beside.get();
                view! {
                    {(!plans.is_empty())
                        .then(|| {
                            view! {
                                <section class="task-section">
                                    <header>
                                        <h2>{move || words.get().tasks().loose_plans}</h2>
                                        <span class="n">{plans.len()}</span>
                                    </header>
                                    {plans.into_iter().map(|plan| view! { <PlanView plan=plan /> }).collect_view()}
                                </section>
                            }
                        })}
                    <MilestonesSection agents=milestones />
                }
            }}
        }
        .into_any(),
        (false, Some(error)) => {
            view! { <Failure error=error on_retry=Callback::new(move |()| fetch.refetch()) /> }.into_any()
        }
        (false, None) => {
            let label = Signal::derive(move || words.get().common.loading.to_owned());
            view! { <Skeleton rows=8 label=label /> }.into_any()
        }
    }
}

/// Number of listed tasks and a button for more; nothing when all are listed.
#[component]
fn Rest(state: TasksState) -> impl IntoView {
    let words = use_i18n();
    let fetch = state.fetch;
    let part = Memo::new(move |_| {
        fetch.data.with(|answer| {
            let answer = answer.as_ref().filter(|answer| answer.next.is_some())?;
            Some((answer.tasks.len(), answer.total as usize))
        })
    });
    move || {
        part.get().map(|(here, total)| {
            view! {
                <p class="task-more" role="status">
                    {move || (words.get().tasks().here_of)(here, total)}
                    " "
                    <button type="button" class="link" on:click=move |_| state.pages.more(here, fetch)>
                        {move || words.get().common.more}
                    </button>
                </p>
            }
        })
    }
}

/// Unreadable files, each with its path and cause.
#[component]
fn UnreadableFiles(files: Vec<Unreadable>) -> impl IntoView {
    let words = use_i18n();
    let count = files.len();
    let items = files
        .into_iter()
        .map(|file| {
            let cause = file.cause.clone();
            let word = move || (words.get().common.cause)(&cause).map_or_else(|| cause.clone(), ToOwned::to_owned);
            view! {
                <li>
                    <code class="code-inline">{file.path}</code>
                    <span>{word}</span>
                </li>
            }
        })
        .collect_view();
    view! {
        <details class="unreadable">
            <summary>{Icon::Warn} {move || (words.get().tasks().unreadable)(count)}</summary>
            <ul>{items}</ul>
        </details>
    }
}

/// The query of the open task.
fn use_detail(open: Memo<Option<TaskKey>>) -> Fetch<TaskDetail> {
    let options = FetchOptions::refetch_when(|change, key: &Option<TaskKey>| key.is_some() && change.touches_tasks())
        .clear_on_key_change();
    use_fetch(
        move || open.get(),
        options,
        |source, key: Option<TaskKey>| async move {
            match key {
                Some((agent, task)) => source.task(&agent, &task).await,
                None => Err(SourceError::Unsupported),
            }
        },
    )
}

/// Details of the open task. Without one, an empty state says so.
#[component]
fn TaskDetailPane(state: TasksState, fetch: Fetch<TaskDetail>) -> impl IntoView {
    let words = use_i18n();
    let back = move || paths::tasks(&state.filter.get());
    let body = move || {
        if state.open.get().is_none() {
            return view! {
                <EmptyState
                    icon=Icon::Task
                    title=Signal::derive(move || words.get().tasks().nothing_open.to_owned())
                    text=Signal::derive(move || words.get().tasks().choose.to_owned())
                />
            }
            .into_any();
        }
        match (fetch.data.get(), fetch.failure.get()) {
            (Some(detail), _) => view! { <TaskDetailView detail=detail /> }.into_any(),
            (None, Some(error)) if error.is_not_found() => view! {
                <EmptyState
                    icon=Icon::Task
                    title=Signal::derive(move || words.get().tasks().missing.to_owned())
                    text=Signal::derive(move || words.get().tasks().missing_why.to_owned())
                    failed=true
                />
            }
            .into_any(),
            (None, Some(error)) => {
                view! { <Failure error=error on_retry=Callback::new(move |()| fetch.refetch()) /> }.into_any()
            }
            (None, None) => {
                let label = Signal::derive(move || words.get().common.loading.to_owned());
                view! { <Skeleton rows=5 label=label /> }.into_any()
            }
        }
    };
    view! {
        <aside class="task-detail" aria-label=move || words.get().tasks().detail>
            <a class="link task-detail__back" href=back>
                {Icon::ChevronLeft}
                {move || words.get().tasks().back}
            </a>
            {body}
        </aside>
    }
}
