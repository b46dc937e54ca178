//! Result of a sent message as text: delivery, reply or error, gateway settings that allow messages, and buttons for
//! the next step.

use coordination::api::{Delivered, SpeakAnswer, SpeakState};
use leptos::html;
use leptos::prelude::*;

use super::dialog::focus_on;
use super::{SpeakTools, may_be_sent, refusal};
use crate::components::copy_button::CopyButton;
use crate::components::plain::Plain;
use crate::i18n::use_i18n;
use crate::source::SourceError;
use crate::ui::badge::{Badge, StatusStyle, style};
use crate::ui::{Icon, Tone};

/// What the gateway must allow (`contract/sessions.md` §8.2).
const GATEWAY_SETTINGS: &str = "{
  gateway: { tools: { allow: [\"sessions_send\"] } },
  tools: {
    agentToAgent: { enabled: true },
    sessions: { visibility: \"all\" },
  },
}
";

/// Result of a sent message, with buttons for the next step.
#[component]
pub(super) fn SpeakOutcome(tools: SpeakTools, sent: Result<SpeakAnswer, SourceError>) -> impl IntoView {
    let words = use_i18n();
    let heading = NodeRef::<html::Div>::new();
    focus_on(heading);
    let delivered = sent.as_ref().ok().map_or(Delivered::Unknown, |answer| answer.delivered);
    // The monitor may have sent it and only its answer was lost: asking by the same name sends nothing twice.
    let lost = sent.as_ref().err().is_some_and(may_be_sent);
    let undelivered = delivered == Delivered::No || (sent.is_err() && !lost);
    let text = tools.draft.with_untracked(|draft| draft.text.trim().to_owned());
    let another = move |_| {
        tools.draft.update(|draft| {
            draft.text.clear();
            draft.reset();
        });
    };
    view! {
        <div class="speak__state" role="status" tabindex="-1" node_ref=heading>
            {match sent {
                Ok(answer) => view! { <SpeakResult tools=tools answer=answer /> }.into_any(),
                Err(error) => view! { <SpeakFailure error=error lost=lost /> }.into_any(),
            }}
        </div>
        <div class="dialog__actions">
            <span class="dialog__other">
                {(delivered != Delivered::Yes)
                    .then(|| {
                        let label = Signal::derive(move || words.get().speak().copy_text.to_owned());
                        view! { <CopyButton text=text label=label /> }
                    })}
            </span>
            {lost
                .then(|| {
                    view! {
                        <button type="button" class="button is-primary" on:click=move |_| tools.send()>
                            {Icon::Retry}
                            {move || words.get().speak().ask_again}
                        </button>
                    }
                })}
            {undelivered
                .then(|| {
                    view! {
                        <button
                            type="button"
                            class="button"
                            on:click=move |_| tools.draft.update(|draft| draft.reset())
                        >
                            {Icon::Pen}
                            {move || words.get().speak().edit}
                        </button>
                    }
                })}
            {(!undelivered)
                .then(|| {
                    view! {
                        <button type="button" class="button is-quiet" on:click=another>
                            {move || words.get().speak().another}
                        </button>
                    }
                })}
            <button type="button" class="button" on:click=move |_| tools.close()>
                {move || words.get().common.close}
            </button>
        </div>
    }
}

/// Result of a request to the gateway, or the reason why none was made: state, delivery, reply and detail.
#[component]
fn SpeakResult(tools: SpeakTools, answer: SpeakAnswer) -> impl IntoView {
    let words = use_i18n();
    let SpeakAnswer { state, delivered, reply, reply_cut, said: detail, retry_after, unrecorded, .. } = answer;
    let StatusStyle { tone, icon } = speak_style(state, delivered);
    let to = tools.draft.with_untracked(|draft| draft.to.clone());
    let settings = matches!(state, SpeakState::NotAllowed | SpeakState::Forbidden);
    let line = move |text: Option<String>| text.filter(|text| !text.is_empty()).map(|text| view! { <p>{text}</p> });
    view! {
        <Badge tone=tone icon=icon text=Signal::derive(move || (words.get().speak().state)(state).to_owned()) />
        <p class="is-dim">{move || (words.get().speak().delivered)(delivered)}</p>
        {move || line(Some((words.get().speak().why)(state).to_owned()))}
        {move || line(retry_after.map(words.get().speak().retry_after))}
        {reply
            .map(|reply| {
                view! {
                    <h3 id="speak-reply">{move || (words.get().speak().reply_of)(&tools.people.name(&to))}</h3>
                    <blockquote class="speak__text" tabindex="0" aria-labelledby="speak-reply">
                        <Plain text=reply />
                    </blockquote>
                }
            })}
        {move || line(reply_cut.then(|| words.get().speak().reply_cut.to_owned()))}
        {detail
            .map(|detail| {
                view! {
                    <p class="speak__said">
                        <span class="is-dim">{move || words.get().speak().detail}</span>
                        " "
                        <code>{detail}</code>
                    </p>
                }
            })}
        {move || line(unrecorded.then(|| words.get().speak().unrecorded.to_owned()))}
        {settings.then(|| view! { <GatewaySettings /> })}
    }
}

/// Error of a monitor that refused or did not answer.
#[component]
fn SpeakFailure(error: SourceError, lost: bool) -> impl IntoView {
    let words = use_i18n();
    let title = move || {
        let words = words.get().speak();
        if lost { words.lost } else { words.refused }.to_owned()
    };
    let tone = if lost { Tone::Warning } else { Tone::Danger };
    let reference = error.clone();
    let why = move || if lost { words.get().speak().lost_why.to_owned() } else { refusal(&error, words.get()) };
    view! {
        <Badge tone=tone icon=Icon::Warn text=Signal::derive(title) />
        <p>{why}</p>
        {move || {
            let reference = reference.reference(words.get());
            (!reference.is_empty()).then(|| view! { <p class="speak__said"><code>{reference}</code></p> })
        }}
    }
}

/// Style of an answer to a sent message.
fn speak_style(state: SpeakState, delivered: Delivered) -> StatusStyle {
    match (state, delivered) {
        (SpeakState::Answered | SpeakState::Accepted, _) => style(Tone::Success, Icon::Ok),
        (SpeakState::TimedOut, _) => style(Tone::Warning, Icon::Hourglass),
        (SpeakState::NoReply, _) => style(Tone::Neutral, Icon::NoReply),
        (SpeakState::Draining | SpeakState::TooMany, _) => style(Tone::Warning, Icon::Hourglass),
        (SpeakState::Forbidden | SpeakState::NotAllowed, _) => style(Tone::Danger, Icon::Blocked),
        (SpeakState::Unreachable, _) => style(Tone::Danger, Icon::Offline),
        (_, Delivered::Unknown) => style(Tone::Warning, Icon::Warn),
        _ => style(Tone::Danger, Icon::Warn),
    }
}

/// Gateway settings that allow messages.
#[component]
pub(super) fn GatewaySettings() -> impl IntoView {
    let words = use_i18n();
    view! {
        <SettingsSnippet
            title=Signal::derive(move || words.get().speak().gateway_settings)
            why=Signal::derive(move || words.get().speak().gateway_settings_why)
            text=GATEWAY_SETTINGS
        />
    }
}

/// Settings to copy into a file, with a title and a reason.
#[component]
pub(super) fn SettingsSnippet(
    title: Signal<&'static str>,
    why: Signal<&'static str>,
    text: &'static str,
) -> impl IntoView {
    let words = use_i18n();
    let label = Signal::derive(move || words.get().speak().copy_settings.to_owned());
    view! {
        <section class="speak__settings">
            <h3>{move || title.get()}</h3>
            <p>{move || why.get()}</p>
            <pre tabindex="0" role="region" aria-label=move || title.get()>
                {text}
            </pre>
            <CopyButton text=text label=label />
        </section>
    }
}
