//! Detail view of one task: status, flaws of its file, block reason, steps, progress notes, outcome, plans, events and
//! sessions.

use crate::components::hidden::Name;
use coordination::text::hidden;
use std::sync::Arc;

use coordination::api::{SessionLink, TaskDetail, TaskSource, TaskStatus, TaskSummary};
use coordination::ids::{AgentId, SessionId, TaskId};
use leptos::prelude::*;

use super::blocked::BlockedSection;
use super::flaws::Flaws;
use super::history::TaskHistory;
use super::plans::PlansSection;
use super::progress_line::ProgressLine;
use super::row::{Doubt, PriorityMark, is_current, task_title};
use super::steps::StepList;
use super::titles::TaskRef;
use crate::components::agent::AgentLink;
use crate::components::markdown::FoldedMarkdown;
use crate::components::people::use_people;
use crate::components::session::session_title;
use crate::components::status::TaskStatusBadge;
use crate::components::time_ago::use_now;
use crate::i18n::{I18n, time, use_i18n};
use crate::routes::paths;
use crate::ui::Icon;

/// Sections of a task, most urgent first. Sections without content are left out.
#[component]
pub fn TaskDetailView(detail: Arc<TaskDetail>) -> impl IntoView {
    let words = use_i18n();
    let task = detail.task.clone();
    let blocking = task.blocking.clone().filter(|_| task.status == TaskStatus::Blocked);
    let done = (task.steps_progress.done, task.steps_progress.total);
    let steps = detail.steps.clone();
    let text = move |heading: fn(&crate::i18n::messages::TasksMessages) -> &'static str, body: Option<String>| {
        body.filter(|body| !body.trim().is_empty()).map(|body| {
            view! {
                <section>
                    <h3>{move || heading(words.get().tasks())}</h3>
                    <div class="task-detail__text">
                        <FoldedMarkdown text=body />
                    </div>
                </section>
            }
        })
    };
    // The title is the first line of the description; a one-line description would only repeat it.
    let description = Some(detail.description.clone()).filter(|text| text.trim().lines().count() > 1);
    view! {
        <Top task=task.clone() />
        {task.differs.then(|| view! { <Differs task=task.clone() /> })}
        {(!task.flaws.is_empty()).then(|| view! { <Flaws flaws=task.flaws.clone() /> })}
        {blocking.map(|blocking| view! { <BlockedSection blocking=blocking since=task.blocked_since /> })}
        {(!steps.is_empty())
            .then(|| {
                view! {
                    <section>
                        <h3>{move || words.get().tasks().steps} <small>{format!("{}/{}", done.0, done.1)}</small></h3>
                        <StepList steps=steps status=task.status />
                    </section>
                }
            })}
        {(!detail.plans.is_empty()).then(|| view! { <PlansSection plans=detail.plans.clone() /> })}
        {text(|words| words.description, description)}
        {text(|words| words.context, detail.context.clone())}
        <TaskOutcomeSection detail=detail.clone() />
        <Progress lines=detail.progress.clone() />
        <TaskHistory events=detail.events.clone() task=task.clone() />
        <TaskFacts detail=detail />
    }
}

/// Status, title, owner, priority, start and session of a task.
#[component]
fn Top(task: TaskSummary) -> impl IntoView {
    let words = use_i18n();
    let now = use_now();
    let title = hidden::marked(task.shown_title()).into_owned();
    let since = match task.status {
        TaskStatus::Blocked => task.blocked_since,
        TaskStatus::PendingApproval => task.approval_since,
        _ => None,
    };
    let created = task.created;
    let current = is_current(&task);
    let session = task.session.clone().map(|link| {
        view! {
            <p class="task-detail__session">
                <SessionRef link=link />
            </p>
        }
    });
    view! {
        <div class="task-detail__top">
            <TaskStatusBadge status=task.status />
            {since
                .map(|since| {
                    view! { <span class="is-dim">{move || time::since(words.locale(), now.at.get(), since)}</span> }
                })}
            <Doubt task=task.clone() />
            {move || current.get().then(|| view! { <span class="small-mark">{move || words.get().tasks().focus}</span> })}
        </div>
        <h2>{move || task_title(&title)}</h2>
        <p class="task-detail__facts">
            <AgentLink id=task.agent_id />
            <PriorityMark priority=task.priority />
            {created
                .map(|at| {
                    view! { <span>{move || (words.get().tasks().started)(&time::day_clock(words.locale(), at))}</span> }
                })}
        </p>
        {session}
    }
}

/// Link to a session, or a note that the log does not contain it.
#[component]
fn SessionRef(link: SessionLink) -> impl IntoView {
    let words = use_i18n();
    if !link.known {
        let id = link.work_session_id.to_string();
        return view! {
            <span class="is-dim" title=id>
                {move || words.get().thread().not_in_log}
            </span>
        }
        .into_any();
    }
    let href = paths::session(&link.work_session_id);
    view! {
        <a class="link" href=href>
            {move || session_title(&link.title, link.title_source, words)}
            {Icon::ChevronRight}
        </a>
    }
    .into_any()
}

/// Warning that file and events state different statuses.
#[component]
fn Differs(task: TaskSummary) -> impl IntoView {
    let words = use_i18n();
    let text = move || {
        let messages = words.get();
        let status = messages.common.task_status;
        let event = task.event_status.map_or(messages.time.unknown, status);
        let at = task
            .event_status_at
            .map_or_else(|| messages.time.unknown.to_owned(), |at| time::day_clock(words.locale(), at));
        (messages.tasks().differs_why)(status(task.status), event, &at)
    };
    view! {
        <div class="differs" role="note">
            {Icon::Warn} <span>
                <b>{move || words.get().tasks().differs_title}</b>
                " "
                {text}
            </span>
        </div>
    }
}

/// Section with the outcome of a task: kind, author and texts; nothing without an outcome.
#[component]
fn TaskOutcomeSection(detail: Arc<TaskDetail>) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    detail.outcome.clone().map(|outcome| {
        let kind = outcome.kind.clone();
        let word = move || (words.get().tasks().outcome_kind)(&kind).map_or_else(|| kind.clone(), ToOwned::to_owned);
        let by = outcome.by.filter(|by| !by.is_empty());
        let lines = [outcome.summary, outcome.reason, outcome.error];
        view! {
            <section>
                <h3>
                    {move || words.get().tasks().outcome}
                    <small>
                        {word}
                        {by.map(|by| view! { " · " {move || people.name(&AgentId::from(by.as_str()))} })}
                    </small>
                </h3>
                {lines
                    .into_iter()
                    .flatten()
                    .filter(|line| !line.trim().is_empty())
                    .map(|line| view! { <div class="task-detail__text"><FoldedMarkdown text=line /></div> })
                    .collect_view()}
            </section>
        }
    })
}

/// Section with the progress notes in their order, because they carry no times; nothing without notes. Lines of the
/// task tools are translated.
#[component]
fn Progress(lines: Vec<String>) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    (!lines.is_empty()).then(|| {
        let count = lines.len();
        let items = lines
            .iter()
            .map(|line| {
                let line = ProgressLine::parse(line);
                view! { <li>{move || hidden::marked(&line.say(&words.get().tasks().line, |id| people.written_name(id))).into_owned()}</li> }
            })
            .collect_view();
        view! {
            <section>
                <h3>{move || words.get().tasks().progress} <small>{count}</small></h3>
                <p class="is-dim note-list__note">{move || words.get().tasks().progress_note}</p>
                <ol class="note-list">{items}</ol>
            </section>
        }
    })
}

/// Section with the records of a task: sessions, origin, assignee, dates, dependencies and file.
#[component]
fn TaskFacts(detail: Arc<TaskDetail>) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let row = move |label: fn(&crate::i18n::messages::TasksMessages) -> &'static str, value: AnyView| {
        view! {
            <dt>{move || label(words.get().tasks())}</dt>
            <dd>{value}</dd>
        }
    };
    let own = detail.task.session.as_ref().map(|link| link.work_session_id.clone());
    let others: Vec<SessionId> = detail.sessions.iter().filter(|id| own.as_ref() != Some(*id)).cloned().collect();
    let origin = detail.origin.clone().filter(|origin| !origin.is_empty()).map(|origin| {
        let text = move || match origin.strip_prefix("request:") {
            Some(id) => (words.get().tasks().requested_by)(&people.name(&AgentId::from(id.trim()))),
            None => (words.get().tasks().origin_word)(&origin)
                .map_or_else(|| hidden::marked(&origin).into_owned(), ToOwned::to_owned),
        };
        row(|words| words.origin, text.into_any())
    });
    let backlog = detail.task.backlog.clone().unwrap_or_default();
    let due = backlog.due_date.map(|due| {
        let text = move || {
            time::written_day(&due)
                .map_or_else(|| hidden::marked(&due).into_owned(), |at| time::day(words.locale(), at))
        };
        row(|words| words.due_label, text.into_any())
    });
    let effort = backlog.estimated_effort.map(|effort| {
        let text = move || {
            (words.get().tasks().effort)(&effort)
                .map_or_else(|| hidden::marked(&effort).into_owned(), ToOwned::to_owned)
        };
        row(|words| words.effort_label, text.into_any())
    });
    let handed = backlog
        .reassign_count
        .filter(|n| *n > 0)
        .map(|n| row(|words| words.handed_back, (move || (words.get().tasks().times)(n)).into_any()));
    let agent = detail.task.agent_id.clone();
    let depends = (!backlog.depends_on.is_empty()).then(|| {
        let links = backlog
            .depends_on
            .iter()
            .map(|id| view! { <TaskRef agent=agent.clone() task=TaskId::from(id.as_str()) /> " " })
            .collect_view();
        row(|words| words.depends_label, links.into_any())
    });
    let assignee = backlog
        .assignee
        .filter(|id| !id.is_empty())
        .map(|id| row(|words| words.assignee, view! { <AgentLink id=AgentId::from(id.as_str()) /> }.into_any()));
    let start = backlog.start_date.map(|start| {
        let text = move || {
            time::written_day(&start)
                .map_or_else(|| hidden::marked(&start).into_owned(), |at| time::day(words.locale(), at))
        };
        row(|words| words.start_label, text.into_any())
    });
    let milestone = backlog
        .milestone_id
        .map(|id| row(|words| words.milestone, view! { <code class="file-path"><Name text=id /></code> }.into_any()));
    let source = detail.task.source;
    let file = detail.path.clone();
    let chain = (!detail.chain.is_empty()).then(|| {
        let (links, own) = (detail.chain.clone(), own.clone());
        row(|words| words.chain, view! { <SessionChain links=links own=own loops=detail.chain_loops /> }.into_any())
    });
    view! {
        <section>
            <h3>{move || words.get().tasks().records}</h3>
            <dl class="facts-list">
                {detail
                    .previous_session
                    .clone()
                    .map(|link| row(|words| words.previous_session, view! { <SessionRef link=link /> }.into_any()))}
                {(!others.is_empty()).then(|| row(|words| words.other_sessions, session_links(others, words)))}
                {chain} {origin} {assignee} {start} {due} {effort} {depends} {milestone} {handed}
                {(source != TaskSource::File)
                    .then(|| {
                        row(|words| words.source_label, (move || (words.get().tasks().source)(source)).into_any())
                    })}
                {file.map(|path| row(|words| words.file, view! { <code class="file-path">{path}</code> }.into_any()))}
            </dl>
        </section>
    }
}

/// Sessions that continue each other, oldest first. The session of the task is highlighted.
#[component]
fn SessionChain(links: Vec<SessionLink>, own: Option<SessionId>, loops: bool) -> impl IntoView {
    let words = use_i18n();
    let steps = links
        .into_iter()
        .map(|link| {
            let here = own.as_ref() == Some(&link.work_session_id);
            view! {
                <li aria-current=here.then_some("true")>
                    <SessionRef link=link />
                </li>
            }
        })
        .collect_view();
    view! {
        <ol class="session-chain">{steps}</ol>
        {loops.then(|| view! { <p class="is-dim">{Icon::Warn} " " {move || words.get().tasks().chain_loops}</p> })}
    }
}

/// Sessions known by id only: each leads there, named by its place in the row.
fn session_links(sessions: Vec<SessionId>, words: I18n) -> AnyView {
    let many = sessions.len() > 1;
    sessions
        .into_iter()
        .enumerate()
        .map(|(index, id)| {
            let number = many.then(|| format!(" {}", index + 1));
            view! {
                <a class="link" href=paths::session(&id) title=id.to_string()>
                    {move || words.get().tasks().session}
                    {number}
                </a>
                " "
            }
        })
        .collect_view()
        .into_any()
}
