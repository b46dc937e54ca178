//! Row of one task in a list: title, owner, progress, block reason.

use coordination::api::{AgentSummary, Priority, TaskSource, TaskStatus, TaskSummary};
use coordination::ids::AgentId;
use coordination::text::hidden;
use leptos::prelude::*;

use super::steps::StepsBar;
use crate::components::agent::AgentLink;
use crate::components::machine::{MachineMark, use_machine_links};
use crate::components::people::use_people;
use crate::components::session::session_title;
use crate::components::status::TaskStatusBadge;
use crate::components::time_ago::{TimeAgo, use_now};
use crate::i18n::{time, use_i18n};
use crate::routes::paths;
use crate::state::use_hub;
use crate::ui::{Icon, Tone, badge::Badge};

/// Priority of a task; nothing when it is medium or unknown.
#[component]
pub fn PriorityMark(priority: Priority) -> impl IntoView {
    let words = use_i18n();
    let face = match priority {
        Priority::Urgent => Some(("priority is-high", Icon::Flag)),
        Priority::High => Some(("priority is-high", Icon::ArrowUp)),
        Priority::Low => Some(("priority", Icon::ArrowDown)),
        Priority::Medium | Priority::Unknown => None,
    };
    face.map(|(class, icon)| {
        view! { <span class=class>{icon} {move || (words.get().common.priority)(priority)}</span> }
    })
}

/// A task's title; never its id. Reactive.
pub fn task_title(title: &str) -> String {
    if title.trim().is_empty() { use_i18n().get().tasks().untitled.to_owned() } else { title.to_owned() }
}

/// It is what its agent does now, by the same rule as on home and on the agents' pages.
pub(super) fn is_current(task: &TaskSummary) -> Memo<bool> {
    let home = use_hub().home;
    let (agent, id, runs) = (task.agent_id.clone(), task.id.clone(), task.status == TaskStatus::InProgress);
    let is_it = move |one: &AgentSummary| one.id == agent && one.current_task_id.as_ref() == Some(&id);
    Memo::new(move |_| runs && home.with(|home| home.as_ref().is_some_and(|home| home.agents.iter().any(&is_it))))
}

/// Row of one task, with a link to its details.
#[component]
pub fn TaskRow(
    task: TaskSummary,
    #[prop(into)] open: Signal<bool>,
    /// Where the row leads.
    #[prop(into)]
    href: Signal<String>,
    /// Show the status in words, where the heading does not say it.
    #[prop(default = false)]
    with_status: bool,
) -> impl IntoView {
    let words = use_i18n();
    let links = use_machine_links();
    let (title, id) = (hidden::marked(task.shown_title()).into_owned(), hidden::marked(task.id.as_str()).into_owned());
    // A task with the same title as its session shows it once.
    let session = task.session.clone().filter(|link| link.title != task.shown_title()).map(|link| {
        let href = links.href(paths::session(&link.work_session_id));
        view! {
            <a class="is-dim" href=href rel=links.rel()>
                {move || session_title(&link.title, link.title_source, words)}
            </a>
        }
    });
    let current = is_current(&task);
    let mark = move |show: bool, word: fn(&crate::i18n::messages::TasksMessages) -> &'static str| {
        show.then(|| view! { <span class="small-mark">{move || word(words.get().tasks())}</span> })
    };
    let differs = task.differs.then(|| {
        let text = Signal::derive(move || words.get().tasks().differs.to_owned());
        view! { <Badge tone=Tone::Warning icon=Icon::Warn text=text /> }
    });
    view! {
        <article class="task-row" class:is-open=open data-task=id>
            <div>
                <h3>
                    <a href=move || href.get() rel=links.rel() data-row="" data-noscroll="" aria-current=move || open.get().then_some("true")>
                        {move || task_title(&title)}
                    </a>
                </h3>
                <div class="task-row__meta">
                    <MachineMark />
                    {with_status.then(|| view! { <TaskStatusBadge status=task.status /> })}
                    <AgentLink id=task.agent_id.clone() />
                    <PriorityMark priority=task.priority />
                    {move || mark(current.get(), |words| words.focus)}
                    {differs}
                    <Doubt task=task.clone() />
                    {mark(!task.flaws.is_empty(), |words| words.flawed)}
                    {session}
                    {mark(task.source == TaskSource::Events, |words| words.from_events)}
                    <BacklogFacts task=task.clone() />
                </div>
                <Why task=task.clone() />
            </div>
            <div>
                <StepsBar progress=task.steps_progress status=task.status />
            </div>
            <div class="task-row__side">
                <TaskRowTime task=task />
            </div>
        </article>
    }
}

/// Marks of a task that may have stopped: no event for a long time, or given up by the zombie detector. Shows nothing
/// for other tasks.
#[component]
pub fn Doubt(task: TaskSummary) -> impl IntoView {
    let words = use_i18n();
    let now = use_now();
    let hours = task.given_up_hours;
    let stale = Memo::new(move |_| task.is_stale(now.at.get()));
    view! {
        {move || {
            stale
                .get()
                .then(|| {
                    view! {
                        <span class="small-mark" title=move || words.get().tasks().stale_why>
                            {move || words.get().tasks().stale}
                        </span>
                    }
                })
        }}
        {hours
            .map(|hours| {
                let text = Signal::derive(move || (words.get().tasks().given_up)(hours));
                view! { <Badge tone=Tone::Warning icon=Icon::Clock text=text /> }
            })}
    }
}

/// Block reason, agents that can unblock, and number of requests for help; nothing for a task that is not blocked.
#[component]
fn Why(task: TaskSummary) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let blocking = task.blocking.filter(|_| task.status == TaskStatus::Blocked);
    blocking.map(|blocking| {
        let text = move || {
            let can_unblock = words.get().home.settle_unblock;
            let words = words.get().tasks();
            let mut parts = vec![
                blocking
                    .blocked_reason
                    .as_deref()
                    .filter(|r| !r.is_empty())
                    .map_or_else(|| words.no_reason.to_owned(), |r| hidden::marked(r).into_owned()),
            ];
            if !blocking.unblocked_by.is_empty() {
                let names: Vec<String> =
                    blocking.unblocked_by.iter().map(|id| people.name(&AgentId::from(id.as_str()))).collect();
                parts.push(can_unblock(&names.join("·")));
            }
            parts.extend(blocking.unblock_request_count.filter(|n| *n > 0).map(words.requests));
            parts.join(" · ")
        };
        view! { <p class="task-row__why">{Icon::Blocked} <span>{text}</span></p> }
    })
}

/// Requester and number of dependencies of a backlog task; nothing for other tasks.
#[component]
fn BacklogFacts(task: TaskSummary) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let backlog = task.backlog.filter(|_| task.status == TaskStatus::Backlog);
    backlog.map(|backlog| {
        let by = backlog.created_by.filter(|id| !id.is_empty());
        let depends = backlog.depends_on.len();
        view! {
            {by.map(|id| {
                view! {
                    <span class="is-dim">
                        {move || (words.get().tasks().requested_by)(&people.name(&AgentId::from(id.as_str())))}
                    </span>
                }
            })}
            {(depends > 0)
                .then(|| view! { <span class="is-dim">{move || (words.get().tasks().depends_on)(depends)}</span> })}
        }
    })
}

/// The time that matters for the status of a task: duration, due day or last activity.
#[component]
fn TaskRowTime(task: TaskSummary) -> impl IntoView {
    let words = use_i18n();
    let now = use_now();
    let lasting = move |since: i64| {
        view! {
            <time title=move || time::exact(words.locale(), since)>
                {move || time::since(words.locale(), now.at.get(), since)}
            </time>
        }
        .into_any()
    };
    match task.status {
        TaskStatus::Blocked => task.blocked_since.or(task.last_activity).map(lasting),
        TaskStatus::InProgress => task.created.or(task.last_activity).map(lasting),
        TaskStatus::PendingApproval => task.approval_since.map(lasting),
        TaskStatus::Backlog => Some(match task.backlog.and_then(|backlog| backlog.due_date) {
            Some(due) => {
                let text = move || {
                    time::written_day(&due)
                        .map_or_else(|| due.clone(), |at| time::short_day(words.locale(), now.at.get(), at))
                };
                view! { <span>{text}</span> }.into_any()
            }
            None => view! { <span class="is-dim">{move || words.get().tasks().no_due}</span> }.into_any(),
        }),
        _ => task.last_activity.map(|at| view! { <TimeAgo at=at /> }.into_any()),
    }
}
