//! Row of one event in the flat list: time, type, agents, text, and links to its message, session and task.

use crate::components::hidden::{Name, Said};
use coordination::api::{EventRow, ToolUse};
use coordination::ids::EventId;
use coordination::role::Role;
use coordination::text::hidden;
use leptos::prelude::*;

use crate::components::agent::AgentLink;
use crate::components::event::style::{event_name, event_text};
use crate::components::machine::{MachineMark, use_machine_links};
use crate::components::origin::{OriginMark, OriginShare, WhyMark};
use crate::components::people::use_people;
use crate::i18n::{time, use_i18n};
use crate::routes::{EventsFilter, paths};
use crate::ui::badge::{Badge, StatusStyle, style};
use crate::ui::{Icon, Tone};

/// Style of an outcome word as written.
fn outcome_style(word: &str) -> StatusStyle {
    match word {
        "no_reply" => style(Tone::Danger, Icon::NoReply),
        "blocked" | "forbidden" => style(Tone::Danger, Icon::Blocked),
        "error" | "failed" | "timeout" => style(Tone::Danger, Icon::Warn),
        "ok" | "success" | "completed" | "accepted" => style(Tone::Success, Icon::Ok),
        _ => style(Tone::Neutral, Icon::Dash),
    }
}

/// The outcome of an event, where it is not already named: a missing answer is named by its outcome.
pub(super) fn outcome_mark(row: &EventRow) -> Option<AnyView> {
    let words = use_i18n();
    row.outcome.clone().filter(|_| row.missing.is_none()).map(|word| {
        let StatusStyle { tone, icon } = outcome_style(&word);
        let text = Signal::derive(move || {
            (words.get().events().outcome)(&word).map_or_else(|| word.clone(), ToOwned::to_owned)
        });
        view! { <Badge tone=tone icon=icon text=text /> }.into_any()
    })
}

/// Icon of a role.
pub(super) fn role_icon(role: Role) -> Icon {
    match role {
        Role::ConversationMain => Icon::Talk,
        Role::DelegationSubagent => Icon::Event,
        Role::OrchestrationTask => Icon::Task,
        Role::SystemObservability => Icon::Settings,
    }
}

/// Row of one event, with a button that shows it as recorded.
#[component]
pub fn EventRowView(
    row: EventRow,
    /// Shows the event as recorded. Without it, a link leads there on the machine of the row.
    #[prop(optional)]
    on_raw: Option<Callback<EventId>>,
    /// True while its line is shown.
    #[prop(into)]
    open: Signal<bool>,
    /// The session's own page already names it.
    #[prop(default = false)]
    in_session: bool,
    /// It is shown below the line of its burst.
    #[prop(default = false)]
    within: bool,
    /// How much of the list only transcripts record.
    #[prop(into)]
    origin_share: Signal<OriginShare>,
) -> impl IntoView {
    let words = use_i18n();
    let at = row.at;
    let kind = row.event_type.clone();
    let name = {
        let row = row.clone();
        move || event_name(&row, words.get()).unwrap_or((words.get().common.role)(row.role)).to_owned()
    };
    let label = {
        let row = row.clone();
        move || (words.get().events().open_raw)(event_name(&row, words.get()).unwrap_or(&row.event_type))
    };
    let clock = move || {
        if at > 0 { time::clock_seconds(words.locale(), at) } else { words.get().events().no_time.to_owned() }
    };
    let exact = move || if at > 0 { time::exact(words.locale(), at) } else { String::new() };
    let outcome = outcome_mark(&row);
    let id = row.id.clone();
    let text = {
        let row = row.clone();
        move || Some(event_text(&row, words.get())).filter(|text| !text.is_empty())
    };
    let (event, aria_text) = (row.id.to_string(), name.clone());
    view! {
        <article class="event-row" class:is-open=open class:is-within=within data-event=event aria-label=aria_text>
            <time title=exact>{clock}</time>
            <div class="event-row__kind">
                <b class:is-bad=row.missing.is_some()>{role_icon(row.role)} " " {name}</b>
                <code><Name text=kind /></code>
            </div>
            <div class="event-row__what">
                <EventAgents row=row.clone() outcome=outcome.into_any() origin_share=origin_share />
                {row.tool.clone().map(|tool| view! { <EventTool tool=tool /> })}
                {move || text().map(|text| view! { <p class="event-row__text"><Said text=text /></p> })}
                <EventLinks row=row in_session=in_session />
            </div>
            <div class="event-row__raw">
                <RawEventButton id=id label=label on_raw=on_raw />
            </div>
        </article>
    }
}

/// Button that shows an event as recorded, or the link to that.
#[component]
fn RawEventButton(
    id: EventId,
    label: impl Fn() -> String + Send + Sync + 'static,
    #[prop(optional_no_strip)] on_raw: Option<Callback<EventId>>,
) -> impl IntoView {
    let words = use_i18n();
    let links = use_machine_links();
    let title = move || words.get().events().raw;
    match on_raw {
        Some(on_raw) => view! {
            <button
                type="button"
                class="icon-button"
                data-open=""
                aria-label=label
                title=title
                on:click=move |_| on_raw.run(id.clone())
            >
                {Icon::Raw}
            </button>
        }
        .into_any(),
        None => {
            let open = paths::events(&EventsFilter { open: Some(id), ..EventsFilter::default() });
            view! {
                <a class="icon-button" data-open="" href=links.href(open) rel=links.rel() aria-label=label title=title>
                    {Icon::Raw}
                </a>
            }
            .into_any()
        }
    }
}

/// Tool of an event: name, duration from one second on, and exit code.
#[component]
fn EventTool(tool: ToolUse) -> impl IntoView {
    let words = use_i18n();
    let took = tool.duration_ms.and_then(|ms| i64::try_from(ms).ok()).filter(|ms| *ms >= 1_000);
    view! {
        <p class="event-row__tool">
            <code><Name text=tool.name /></code>
            {took.map(|ms| view! { <span class="is-dim">{move || time::duration(words.locale(), ms)}</span> })}
            {tool.exit_code.map(|code| view! { <span class="is-bad">{move || (words.get().events().exit_code)(code)}</span> })}
            {tool
                .inferred
                .then(|| {
                    view! {
                        <WhyMark
                            class="inferred"
                            text=Signal::derive(move || words.get().common.inferred)
                            why=Signal::derive(move || words.get().events().exit_code_why.to_owned())
                        />
                    }
                })}
        </p>
    }
}

/// Sender and recipient of an event, its outcome and its origin. Without both, the agent of the event.
#[component]
fn EventAgents(row: EventRow, outcome: AnyView, origin_share: Signal<OriginShare>) -> impl IntoView {
    let named = |id: &Option<coordination::ids::AgentId>| id.clone().filter(|id| id.as_str() != "unknown");
    let (from, to) = (named(&row.from), named(&row.to));
    let words = use_i18n();
    let people = use_people();
    let alone = from.is_none() && to.is_none();
    let arrow = from.is_some() && to.is_some();
    // A person speaks through an agent's session: they are the sender, and the agent only the way.
    let person = row.human.then(|| {
        let through = from.clone();
        let title = move || through.as_ref().map(|id| (words.get().events().through)(&people.name(id)));
        view! {
            <span class="event-row__person" title=title>
                {Icon::Person}
                " "
                {move || words.get().events().person}
            </span>
        }
    });
    let from = from.filter(|_| !row.human);
    view! {
        <div class="event-row__who">
            <MachineMark />
            {person}
            {alone.then(|| view! { <AgentLink id=row.agent_id /> })}
            {from.map(|id| view! { <AgentLink id=id /> })}
            {arrow
                .then(|| {
                    view! {
                        <span class="is-dim" aria-hidden="true">
                            "→"
                        </span>
                    }
                })}
            {to.map(|id| view! { <AgentLink id=id /> })}
            {outcome}
            <OriginMark origin=row.origin among=origin_share />
        </div>
    }
}

/// Links to the message, the session and the task of an event; nothing without any.
#[component]
fn EventLinks(row: EventRow, in_session: bool) -> impl IntoView {
    let words = use_i18n();
    let links = use_machine_links();
    let thread = row.session_id.as_ref().zip(row.thread_id.as_ref()).map(|(session, thread)| {
        let href = links.href(paths::thread_at(session, thread, &row.id));
        view! {
            <a class="link" href=href rel=links.rel()>
                {move || words.get().events().to_thread}
            </a>
        }
    });
    let title = row.session_title.clone();
    let session = row.session_id.as_ref().filter(|_| !in_session).map(|session| {
        let title = title.as_deref().filter(|title| !title.is_empty()).map(|title| hidden::marked(title).into_owned());
        view! {
            <a class="link" href=links.href(paths::session(session)) rel=links.rel()>
                {move || title.clone().unwrap_or_else(|| words.get().events().to_session.to_owned())}
            </a>
        }
    });
    let task = row.task_id.as_ref().map(|task| match &row.task_owner {
        Some(owner) => view! {
            <a class="link" href=links.href(paths::task(owner, task)) rel=links.rel()>
                {move || words.get().events().to_task}
            </a>
        }
        .into_any(),
        None => view! {
            <span class="is-dim" title=hidden::marked(task.as_str()).into_owned()>
                {move || words.get().events().no_task}
            </span>
        }
        .into_any(),
    });
    let any = thread.is_some() || session.is_some() || task.is_some();
    any.then(|| view! { <div class="event-row__links">{session} {thread} {task}</div> })
}
