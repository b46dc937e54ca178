//! Bubble of one message: sender, time, turn, text and delivery state. Both sides of a thread use it.

use std::sync::Arc;

use coordination::api::{Message, MessageKind};
use coordination::ids::{AgentId, EventId, SessionId, ThreadId};
use leptos::prelude::*;

use super::delivery::DeliveryLine;
use super::flow::{Bubble, SpeakerSide};
use super::payload::{self, PayloadCard};
use super::sections::{SectionHeading, node_limits, sections};
use crate::components::agent::{AgentName, Avatar, Imitation};
use crate::components::copy_button::{CopyButton, copy_with_toast};
use crate::components::fold::FoldButton;
use crate::components::hidden::readable;
use crate::components::markdown::{Markdown, is_long};
use crate::components::notes::{MessageNotes, NoteActions, NotesByMessage};
use crate::components::origin::{OriginMark, OriginShare};
use crate::components::people::use_people;
use crate::i18n::{time, use_i18n};
use crate::routes::{ThreadViewState, paths};
use crate::ui::idle::WhenIdle;
use crate::ui::toast::use_toasts;
use crate::ui::{Icon, Tone, badge::Badge};

/// Turn dots are drawn up to this many.
const MAX_PIPS: u32 = 8;

/// What every item of a stream needs to know.
#[derive(Clone)]
pub struct StreamContext {
    /// The session.
    pub session: SessionId,
    /// The thread; none where one stream shows several, and each bubble names its own.
    pub thread: Option<ThreadId>,
    /// The message the address points at.
    pub target: Signal<Option<EventId>>,
    /// Shows an event as recorded.
    pub on_raw: Callback<EventId>,
    /// Now, to the second.
    pub now: Signal<i64>,
    /// How much of the stream only transcripts record.
    pub origin_share: Signal<OriginShare>,
    /// Notes on messages, and how to change them.
    pub notes: MessageNoteContext,
}

/// Notes on the messages of a stream.
#[derive(Clone, Copy)]
pub struct MessageNoteContext {
    /// Notes and marks by message.
    pub records: Memo<NotesByMessage>,
    /// How to change them.
    pub actions: NoteActions,
    /// The person may write notes.
    pub allowed: Memo<bool>,
    /// Opens the notes of a message of a thread.
    pub on_open: Callback<(Option<ThreadId>, EventId)>,
}

impl StreamContext {
    /// The address of a message.
    fn link(&self, id: &EventId) -> String {
        match &self.thread {
            Some(thread) => paths::thread_at(&self.session, thread, id),
            None => {
                paths::whole_as(&self.session, &ThreadViewState { at: Some(id.clone()), ..ThreadViewState::default() })
            }
        }
    }
}

/// Bubble of one message with its delivery line. It is highlighted when it is the target of the link.
#[component]
pub fn BubbleView(bubble: Bubble, context: StreamContext) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let Bubble { message, side, joined, exchange, answered_at, thread: own } = bubble;
    let to = own.is_some().then(|| message.to.clone());
    let context = StreamContext { thread: own.or(context.thread), ..context };
    let name = {
        let (from, human) = (message.from.clone(), message.human);
        move || if human { words.get().thread().person.to_owned() } else { people.name(&from) }
    };
    let at = message.at;
    let clock =
        Memo::new(
            move |_| if at > 0 { time::clock_seconds(words.locale(), at) } else { words.get().time.unknown.to_owned() },
        );
    let label = {
        let (name, to) = (name.clone(), to.clone());
        move || {
            let words_now = words.get().thread();
            let who = match &to {
                Some(to) => (words_now.from_to)(&name(), &people.name(to)),
                None => name(),
            };
            clock.with(|clock| (words_now.message_label)(&who, clock))
        }
    };
    let is_target = {
        let (id, target) = (message.id.clone(), context.target);
        move || target.with(|target| target.as_ref() == Some(&id))
    };
    let face = if message.human {
        view! { <span class="avatar is-human" aria-hidden="true">{Icon::Person}</span> }.into_any()
    } else {
        view! { <Avatar id=message.from.clone() /> }.into_any()
    };
    let class = format!(
        "bubble{}{}{}{}",
        if side == SpeakerSide::Right { " is-right" } else { "" },
        if joined { " is-joined" } else { "" },
        if message.human { " is-human" } else { "" },
        if message.system { " is-system" } else { "" },
    );
    let via = message.human.then(|| {
        let from = message.from.clone();
        view! {
            <p class="delivery">
                <span>{move || (words.get().thread().via_session)(&people.name(&from))}</span>
            </p>
        }
    });
    let actions = {
        let (message, context) = (Arc::clone(&message), context.clone());
        move || view! { <BubbleActions message=Arc::clone(&message) context=context.clone() /> }
    };
    let intent = message.intent.clone();
    let now = context.now;
    let (anchor, event) = (format!("m-{}", message.id), message.id.to_string());
    view! {
        <article
            class=class
            class:is-target=is_target
            id=anchor
            data-event=event
            aria-label=label
            tabindex="-1"
        >
            {face}
            <div class="bubble__col">
                <BubbleHead message=Arc::clone(&message) name=name clock=clock to=to joined=joined context=context.clone() />
                <div class="bubble__body">
                    <BubbleBody message=Arc::clone(&message) />
                    <WhenIdle draw=actions />
                </div>
                <MessageNotes records=context.notes.records message=message.id.clone() actions=context.notes.actions />
                {via}
                {exchange
                    .map(|exchange| {
                        view! { <DeliveryLine exchange=exchange answered_at=answered_at intent=intent now=now /> }
                    })}
            </div>
        </article>
    }
}

/// Sender, recipient, time, turn, outcome and origin. A joined bubble shows its sender to screen readers only.
#[component]
fn BubbleHead(
    message: Arc<Message>,
    name: impl Fn() -> String + Send + Sync + 'static,
    /// The time of day.
    clock: Memo<String>,
    /// The recipient, where one stream shows several threads.
    to: Option<AgentId>,
    joined: bool,
    context: StreamContext,
) -> impl IntoView {
    let words = use_i18n();
    let at = message.at;
    let href = context.link(&message.id);
    let leads_to_thread = to.is_some();
    let (turn, is_reply) = (message.turn.filter(|turn| *turn > 0), message.kind == MessageKind::Reply);
    let max_turns = message.max_turns;
    let turn_text = move || match (turn, max_turns) {
        (Some(turn), Some(max)) => Some((words.get().thread().turn_of)(turn, max)),
        (Some(turn), None) => Some((words.get().thread().turn)(turn)),
        (None, _) => is_reply.then(|| words.get().thread().first_reply.to_owned()),
    };
    let imitates = {
        let (people, from, human) = (use_people(), message.from.clone(), message.human);
        move || people.imitated(&from).filter(|_| !human).map(|id| view! { <Imitation of=id /> })
    };
    let pips = turn.zip(max_turns).filter(|(_, max)| (2..=MAX_PIPS).contains(max)).map(|(turn, max)| {
        let dots = (1..=max).map(|n| view! { <i class:is-on=n <= turn></i> }).collect_view();
        view! { <span class="bubble__pips" aria-hidden="true">{dots}</span> }
    });
    let exact = move || if at > 0 { time::exact(words.locale(), at) } else { String::new() };
    let outcome = message.outcome.clone();
    let outcome = move || {
        outcome.as_deref().and_then(|word| (words.get().thread().outcome)(word)).map(|text| {
            let (tone, icon) = match outcome.as_deref() {
                Some("failed") => (Tone::Danger, Icon::Warn),
                Some("success") => (Tone::Success, Icon::Ok),
                _ => (Tone::Warning, Icon::Warn),
            };
            view! { <Badge tone=tone icon=icon text=text.to_owned() /> }
        })
    };
    view! {
        <header class="bubble__head">
            <b class:visually-hidden=joined>
                {imitates} <bdi>{name}</bdi>
            </b>
            {to
                .map(|to| {
                    view! {
                        <span class="bubble__to" class:visually-hidden=joined>
                            <span aria-hidden="true">"→ "</span>
                            <AgentName id=to />
                        </span>
                    }
                })}
            <a href=href title=exact>
                <time>{clock}</time>
                {leads_to_thread
                    .then(|| view! { <span class="visually-hidden">{move || words.get().thread().in_its_thread}</span> })}
            </a>
            <span class="bubble__turn">{pips} {turn_text}</span>
            {outcome}
            <OriginMark origin=message.origin among=context.origin_share />
        </header>
    }
}

/// Text of a message in labelled parts, with its payload. Long text and system messages are folded.
#[component]
fn BubbleBody(message: Arc<Message>) -> impl IntoView {
    let words = use_i18n();
    let text = message.text.clone();
    let long = is_long(&text);
    let folded = RwSignal::new(long && !message.system);
    let empty = text.trim().is_empty() && message.payload.is_none();
    let parts = sections(&text);
    let limits = node_limits(&parts, message.payload.as_ref().map_or(0, payload::nodes));
    let content = parts
        .into_iter()
        .zip(limits)
        .map(|(part, nodes)| {
            let label = part.heading.map(|heading| {
                view! { <span class="bubble__label">{move || heading_word(words, heading)}</span> }
            });
            view! { {label} <Markdown text=part.text nodes=nodes folded=folded /> }
        })
        .collect_view();
    let team = message.team.clone().map(|team| {
        view! {
            <span class="bubble__label">
                {Icon::Flag} {move || (words.get().thread().team_message)(&team)}
            </span>
        }
    });
    let content = view! {
        {team}
        <div class="bubble__text" class:is-folded=folded>
            {content}
            {empty.then(|| view! { <p class="is-dim">{move || words.get().thread().no_text}</p> })}
        </div>
        {long.then(|| view! { <FoldButton folded=folded /> })}
        {message
            .truncated
            .then(|| view! { <p class="bubble__cut">{move || words.get().thread().truncated}</p> })}
        {message.filled.then(|| view! { <p class="bubble__cut">{move || words.get().stores().filled}</p> })}
        {message.payload.clone().map(|payload| view! { <PayloadCard payload=payload /> })}
    };
    if message.system {
        view! {
            <details class="bubble__system">
                <summary>{move || readable(&text, words).into_owned()}</summary>
                {content}
            </details>
        }
        .into_any()
    } else {
        content.into_any()
    }
}

fn heading_word(words: crate::i18n::I18n, heading: SectionHeading) -> &'static str {
    let words = words.get().thread();
    match heading {
        SectionHeading::Goal => words.goal,
        SectionHeading::Context => words.section_context,
        SectionHeading::Task => words.section_task,
        SectionHeading::Constraints => words.section_constraints,
        SectionHeading::Result => words.section_result,
    }
}

/// Buttons of a bubble: copy, link, flow, transcript, raw event. They show on hover and focus, for touch always.
#[component]
fn BubbleActions(message: Arc<Message>, context: StreamContext) -> impl IntoView {
    let words = use_i18n();
    let toasts = use_toasts();
    let text: Arc<str> = message.text.clone().into();
    let link = context.link(&message.id);
    let flow = paths::flow_at(&context.session, &message.id);
    let original = message.transcript.as_ref().and_then(paths::transcript);
    let copy_link = move |_| {
        let origin = window().location().origin().unwrap_or_default();
        copy_with_toast(&format!("{origin}{link}"), words.now().thread().link_copied, words, toasts);
    };
    let id = message.id.clone();
    let (thread, noted) = (context.thread.clone(), message.id.clone());
    view! {
        <span class="bubble__acts" role="group" aria-label=move || words.get().thread().actions>
            <CopyButton
                text=text
                label=Signal::derive(move || words.get().thread().copy_text.to_owned())
                bare=true
            />
            <button
                type="button"
                class="icon-button"
                aria-label=move || words.get().thread().permalink
                title=move || words.get().thread().permalink
                on:click=copy_link
            >
                {Icon::Link}
            </button>
            <a
                class="icon-button"
                href=flow
                aria-label=move || words.get().thread().see_in_flow
                title=move || words.get().thread().see_in_flow
            >
                {Icon::Flow}
            </a>
            {original
                .map(|href| {
                    view! {
                        <a
                            class="icon-button"
                            href=href
                            aria-label=move || words.get().stores().original
                            title=move || words.get().stores().original
                        >
                            {Icon::File}
                        </a>
                    }
                })}
            <button
                type="button"
                class="icon-button"
                hidden=move || !context.notes.allowed.get()
                aria-label=move || words.get().notes().of_message
                title=move || words.get().notes().of_message
                on:click=move |_| context.notes.on_open.run((thread.clone(), noted.clone()))
            >
                {Icon::Pen}
            </button>
            <button
                type="button"
                class="icon-button"
                aria-label=move || words.get().thread().raw_event
                title=move || words.get().thread().raw_event
                on:click=move |_| context.on_raw.run(id.clone())
            >
                {Icon::Raw}
            </button>
        </span>
    }
}
