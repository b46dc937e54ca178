//! Details panel of the flow diagram, for the selected arrow, delegated run, task bar or event: agents, full text,
//! delivery steps and links.

use crate::components::hidden::Name;
use crate::components::plain::Plain;
use std::sync::Arc;

use coordination::api::{Mark as Step, MarkKind, ThreadQuery};
use coordination::flow_layout::MarkRef;
use coordination::ids::EventId;
use leptos::prelude::*;

use super::DrawnFlow;
use super::links::in_tree;
use super::mark_text::{mark_text, run_state_style, span_words};
use crate::components::agent::AgentFace;
use crate::components::markdown::FoldedMarkdown;
use crate::components::people::use_people;
use crate::components::status::task_status_style;
use crate::components::time_ago::use_now;
use crate::i18n::{I18n, time, use_i18n};
use crate::queries::{FetchOptions, use_fetch};
use crate::routes::paths;
use crate::ui::badge::{Badge, StatusStyle, style};
use crate::ui::{Icon, Tone};

/// Longest list of events in the panel.
const MAX_EVENTS: usize = 12;

/// Inputs and callbacks of the panel.
#[derive(Clone, Copy)]
pub struct Panel {
    /// Selects another mark.
    pub on_select: Callback<EventId>,
    /// Selects nothing.
    pub on_close: Callback<()>,
    /// Shows an event as recorded.
    pub on_raw: Callback<EventId>,
}

/// Details of one mark: agents, state, kind, time, content, course and links.
#[component]
pub fn Details(drawn: Arc<DrawnFlow>, of: MarkRef, panel: Panel) -> impl IntoView {
    let (words, people, now) = (use_i18n(), use_people(), use_now());
    let all = {
        let drawn = Arc::clone(&drawn);
        Memo::new(move |_| mark_text(&drawn, of, words, people, now.at.get()))
    };
    let when = move || match all.get().at {
        0 => words.get().events().no_time.to_owned(),
        at => time::day_clock(words.locale(), at),
    };
    let faces = match of {
        MarkRef::Arrow(at) => vec![drawn.flow.arrows[at].speaker.clone(), drawn.flow.arrows[at].addressee.clone()],
        MarkRef::Delegation(at) => {
            drawn.flow.delegations[at].from.clone().into_iter().chain([drawn.flow.delegations[at].to.clone()]).collect()
        }
        MarkRef::TaskBar(at) => vec![drawn.flow.task_bars[at].owner.clone()],
        MarkRef::Note(at) => vec![drawn.flow.notes[at].agent.clone()],
    };
    view! {
        <div class="flow-panel__who">
            {faces.into_iter().map(|id| view! { <AgentFace id=id /> }).collect_view()}
            <h2>{move || all.get().who}</h2>
            <button
                type="button"
                class="icon-button"
                aria-label=move || words.get().flow().close
                title=move || words.get().flow().close
                on:click=move |_| panel.on_close.run(())
            >
                {Icon::Close}
            </button>
        </div>
        <p class="flow-panel__facts">
            {move || {
                let mark_text = all.get();
                let text = if mark_text.fate.is_empty() { mark_text.kind.to_owned() } else { mark_text.fate };
                view! { <Badge tone=mark_text.tone icon=mark_text.icon text=Signal::stored(text) /> }
            }}
            <span>{move || all.get().kind}</span>
            <time>{when}</time>
        </p>
        {mark_details(&drawn, of)}
        {course(&drawn, of)}
        <FlowMarkLinks drawn=drawn of=of panel=panel />
    }
}

/// The words in full.
fn mark_details(drawn: &Arc<DrawnFlow>, of: MarkRef) -> AnyView {
    match of {
        MarkRef::Arrow(at) => {
            let arrow = &drawn.flow.arrows[at];
            let (session, thread, id) = (drawn.session().clone(), arrow.thread.clone(), arrow.id.clone());
            let preview = arrow.text.clone();
            // A message never changes once it is written.
            let options = FetchOptions::ignore_live_changes().clear_on_key_change();
            let key = (session, thread, id);
            let fetch = use_fetch(
                move || key.clone(),
                options,
                |source, (session, thread, id)| async move {
                    let around = Some(id.to_string());
                    let query = ThreadQuery { around, limit: Some(1), ..ThreadQuery::default() };
                    let page = source.thread(&session, &thread, &query).await?;
                    Ok(page.messages.into_iter().find(|message| message.id == id))
                },
            );
            (move || {
                let full =
                    fetch.data.get().and_then(|message| message.as_ref().as_ref().map(|message| message.text.clone()));
                let text = full.unwrap_or_else(|| preview.clone());
                (!text.is_empty()).then(|| view! { <blockquote><FoldedMarkdown text=text /></blockquote> })
            })
            .into_any()
        }
        MarkRef::Delegation(at) => {
            let delegation = &drawn.flow.delegations[at];
            let words = use_i18n();
            let text = delegation.text.clone();
            let result = delegation.result.clone();
            view! {
                {(!text.is_empty()).then(|| view! { <blockquote><Plain text=text /></blockquote> })}
                {(!result.is_empty())
                    .then(|| {
                        view! {
                            <section>
                                <h3>{move || words.get().flow().result}</h3>
                                <p><Plain text=result /></p>
                            </section>
                        }
                    })}
            }
            .into_any()
        }
        MarkRef::TaskBar(at) => {
            let title = drawn.flow.task_bars[at].title.clone();
            (!title.is_empty()).then(|| view! { <blockquote><Name text=title /></blockquote> }).into_any()
        }
        MarkRef::Note(at) => {
            let text = drawn.flow.notes[at].text.clone();
            (!text.is_empty()).then(|| view! { <blockquote><Plain text=text /></blockquote> }).into_any()
        }
    }
}

/// How it went: the steps of a delivery, the times of a run, the statuses of a task.
fn course(drawn: &Arc<DrawnFlow>, of: MarkRef) -> AnyView {
    let words = use_i18n();
    let heading = move |tasks: bool| {
        view! { <h3>{move || { let words = words.get().flow(); if tasks { words.statuses } else { words.course } }}</h3> }
    };
    match of {
        MarkRef::Arrow(at) => {
            let arrow = &drawn.flow.arrows[at];
            let sent_at = arrow.at;
            let steps = arrow.steps.iter().map(|step| step_view(step, words)).collect_view();
            let answer = arrow.exchange.as_ref().and_then(|exchange| {
                let settled = exchange.delivery.settled_at?;
                exchange.delivery.answer_id.as_ref()?;
                let answered = style(Tone::Success, Icon::Ok);
                Some(line(settled, answered, move || words.get().flow().got_answer.to_owned(), String::new))
            });
            let is_request = arrow.exchange.is_some();
            is_request
                .then(|| {
                    view! {
                        <section>
                            {heading(false)}
                            <ol class="course">
                                {line(sent_at, style(Tone::Neutral, Icon::ArrowRight), move || words.get().flow().sent.to_owned(), String::new)}
                                {answer} {steps}
                            </ol>
                        </section>
                    }
                })
                .into_any()
        }
        MarkRef::TaskBar(at) => {
            let spans = drawn.flow.task_bars[at].spans.clone();
            let lines = spans.into_iter().map(|span| {
                let status = task_status_style(span.status);
                let by_file = span.event.is_none();
                let note = move || if by_file { words.get().flow().by_file.to_owned() } else { String::new() };
                line(span.from, status, move || span_words(&span, words), note)
            });
            view! {
                <section>
                    {heading(true)}
                    <ol class="course">{lines.collect_view()}</ol>
                </section>
            }
            .into_any()
        }
        MarkRef::Delegation(at) => {
            let delegation = &drawn.flow.delegations[at];
            let (state, end) = (delegation.state, delegation.end_time);
            let run_state = run_state_style(state);
            let began = (!delegation.orphan).then(|| {
                line(
                    delegation.start_time,
                    style(Tone::Info, Icon::Flow),
                    move || words.get().thread().run_started.to_owned(),
                    String::new,
                )
            });
            let ended = end
                .map(|end| line(end, run_state, move || (words.get().events().state)(state).to_owned(), String::new));
            view! {
                <section>
                    {heading(false)}
                    <ol class="course">{began} {ended}</ol>
                </section>
            }
            .into_any()
        }
        MarkRef::Note(_) => ().into_any(),
    }
}

fn step_view(step: &Step, words: I18n) -> impl IntoView + use<> {
    let kind_style = match &step.kind {
        MarkKind::NoReply { .. } => style(Tone::Danger, Icon::NoReply),
        MarkKind::Blocked { .. } => style(Tone::Danger, Icon::Blocked),
        MarkKind::Retry { .. } => style(Tone::Warning, Icon::Retry),
        MarkKind::AutoRoute { .. } => style(Tone::Neutral, Icon::ArrowRight),
        MarkKind::Complete { failed: true, .. } => style(Tone::Danger, Icon::Warn),
        MarkKind::Complete { .. } => style(Tone::Neutral, Icon::Flag),
    };
    let (kind, detail) = (step.kind.clone(), step.kind.clone());
    let text = move || {
        let (common, thread) = (&words.get().common, words.get().thread());
        match &kind {
            MarkKind::NoReply { .. } => (common.delivery)(coordination::delivery::DeliveryState::NoReply).to_owned(),
            MarkKind::Blocked { .. } => (common.delivery)(coordination::delivery::DeliveryState::Blocked).to_owned(),
            MarkKind::Retry { attempt, max_attempts, .. } => (thread.retry_of)(*attempt, *max_attempts),
            MarkKind::AutoRoute { .. } => words.get().flow().route.to_owned(),
            MarkKind::Complete { failed: true, .. } => thread.failed.to_owned(),
            MarkKind::Complete { turns: Some(turns), max_turns, .. } if *turns > 0 => {
                (thread.finished_at_turn)(*turns, *max_turns)
            }
            MarkKind::Complete { .. } => thread.finished.to_owned(),
        }
    };
    let about = move || {
        let thread = words.get().thread();
        match &detail {
            MarkKind::NoReply { waited_secs: Some(secs), .. } => (thread.waited)(*secs),
            MarkKind::NoReply { reason, .. } | MarkKind::Blocked { reason, .. } => (thread.reason)(*reason).to_owned(),
            MarkKind::Retry { error_code, backoff_ms, .. } => {
                let wait = backoff_ms.map(|ms| (thread.after)(&time::duration(words.locale(), ms)));
                error_code.clone().into_iter().chain(wait).collect::<Vec<_>>().join(" · ")
            }
            MarkKind::Complete { announced, .. } => {
                let channel = if *announced { thread.announced } else { thread.not_announced };
                channel.to_owned()
            }
            MarkKind::AutoRoute { text } => text.clone(),
        }
    };
    line(step.at, kind_style, text, about)
}

/// `14:09:30 → 보냄`
fn line(
    at: i64,
    style: StatusStyle,
    text: impl Fn() -> String + Send + Sync + 'static,
    about: impl Fn() -> String + Send + Sync + 'static,
) -> impl IntoView {
    let words = use_i18n();
    let clock = move || if at > 0 { time::clock_seconds(words.locale(), at) } else { String::new() };
    view! {
        <li>
            <time>{clock}</time>
            <Badge tone=style.tone icon=style.icon text=Signal::derive(text) />
            <span>{about}</span>
        </li>
    }
}

/// Links of a mark to its thread, run or task, and to its recorded events.
#[component]
fn FlowMarkLinks(drawn: Arc<DrawnFlow>, of: MarkRef, panel: Panel) -> impl IntoView {
    let words = use_i18n();
    let rows: Vec<AnyView> = match of {
        MarkRef::Arrow(at) => arrow_links(&drawn, at, panel, words),
        MarkRef::Delegation(at) => {
            let href = in_tree(&drawn, &drawn.flow.delegations[at].id);
            vec![row(move || words.get().flow().in_tree, href, move || words.get().flow().open_tree)]
        }
        MarkRef::TaskBar(_) => {
            vec![row(move || words.get().flow().task, drawn.target(of), move || words.get().flow().open_task)]
        }
        MarkRef::Note(_) => Vec::new(),
    };
    let events = drawn.events(of);
    let count = events.len();
    let raws = events.into_iter().take(MAX_EVENTS).enumerate().map(|(number, id)| {
        view! {
            <li>
                <button type="button" class="link" on:click=move |_| panel.on_raw.run(id.clone())>
                    {move || (words.get().flow().raw_n)(number + 1)}
                </button>
            </li>
        }
    });
    view! {
        <section>
            <h3>{move || words.get().flow().links}</h3>
            <dl class="flow-panel__links">
                {rows}
                {(count > 0)
                    .then(|| {
                        view! {
                            <div>
                                <dt>
                                    {move || words.get().flow().raw} " "
                                    {count.to_string()}
                                </dt>
                                <dd>
                                    <ul class="flow-panel__raws">{raws.collect_view()}</ul>
                                </dd>
                            </div>
                        }
                    })}
            </dl>
        </section>
    }
}

fn row(
    name: impl Fn() -> &'static str + Send + Sync + 'static,
    href: String,
    text: impl Fn() -> &'static str + Send + Sync + 'static,
) -> AnyView {
    view! {
        <div>
            <dt>{name}</dt>
            <dd>
                <a class="link" href=href>
                    {text}
                </a>
            </dd>
        </div>
    }
    .into_any()
}

fn arrow_links(drawn: &Arc<DrawnFlow>, at: usize, panel: Panel, words: I18n) -> Vec<AnyView> {
    let arrow = &drawn.flow.arrows[at];
    let mut rows = vec![row(
        move || words.get().flow().bubble,
        drawn.target(MarkRef::Arrow(at)),
        move || words.get().flow().open_bubble,
    )];
    let answer = arrow.exchange.as_ref().and_then(|exchange| exchange.delivery.answer_id.clone());
    for (other, is_request) in [(arrow.answers.clone(), true), (answer, false)] {
        let Some(other) = other.filter(|id| drawn.mark(id).is_some()) else { continue };
        let name = move || {
            let words = words.get().flow();
            if is_request { words.its_request } else { words.its_answer }
        };
        rows.push(
            view! {
                <div>
                    <dt>{name}</dt>
                    <dd>
                        <button type="button" class="link" on:click=move |_| panel.on_select.run(other.clone())>
                            {move || words.get().flow().show_arrow}
                        </button>
                    </dd>
                </div>
            }
            .into_any(),
        );
    }
    if let (Some(task), Some(owner)) = (&arrow.task_id, &arrow.task_owner) {
        let title =
            drawn.flow.task_bars.iter().find(|task_bar| task_bar.id == *task).map(|task_bar| task_bar.title.clone());
        let href = paths::task(owner, task);
        let title = title.filter(|title| !title.is_empty());
        rows.push(
            view! {
                <div>
                    <dt>{move || words.get().flow().task}</dt>
                    <dd>
                        <a class="link" href=href>
                            {move || title.clone().unwrap_or_else(|| words.get().flow().open_task.to_owned())}
                        </a>
                    </dd>
                </div>
            }
            .into_any(),
        );
    }
    rows
}
