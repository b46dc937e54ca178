//! Form for a message: recipient, text, the user's name, and whether to wait for an answer. Enter adds a line.
//! Ctrl+Enter, ⌘+Enter or the button leads to the review.

use coordination::api::{MAX_MESSAGE_CHARS, SPEAK_SECONDS};
use coordination::ids::AgentId;
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

use super::dialog::focus_on;
use super::{SpeakTarget, SpeakTools};
use crate::components::name_field::NameField;
use crate::i18n::use_i18n;

/// The form.
#[component]
pub(super) fn Write(tools: SpeakTools) -> impl IntoView {
    let words = use_i18n();
    let field = NodeRef::<html::Textarea>::new();
    focus_on(field);
    let over = Memo::new(move |_| {
        tools.draft.with(|draft| draft.text.trim().chars().count()).saturating_sub(MAX_MESSAGE_CHARS)
    });
    let ready = Memo::new(move |_| over.get() == 0 && tools.draft.with(|draft| !draft.text.trim().is_empty()));
    let check = move || {
        if ready.get_untracked() {
            tools.check();
        }
    };
    let on_key = move |event: KeyboardEvent| {
        let send_pressed = event.key() == "Enter" && (event.ctrl_key() || event.meta_key());
        if send_pressed && !event.is_composing() {
            event.prevent_default();
            check();
        }
    };
    view! {
        <form
            on:submit=move |event| {
                event.prevent_default();
                check();
            }
        >
            <To tools=tools />
            <label class="field">
                {move || words.get().speak().text}
                <textarea
                    node_ref=field
                    rows="6"
                    placeholder=move || words.get().speak().text_hint
                    aria-invalid=move || (over.get() > 0).then_some("true")
                    prop:value=move || tools.draft.with(|draft| draft.text.clone())
                    on:input=move |event| tools.draft.update(|draft| draft.text = event_target_value(&event))
                    on:keydown=on_key
                ></textarea>
            </label>
            {move || {
                let over = over.get();
                (over > 0).then(|| view! { <p class="speak__over" role="status">{(words.get().speak().too_long)(over)}</p> })
            }}
            <label class="speak__wait">
                <input
                    type="checkbox"
                    prop:checked=move || tools.wait.get()
                    on:change=move |event| tools.wait.set(event_target_checked(&event))
                />
                <span>{move || (words.get().speak().wait)(SPEAK_SECONDS)}</span>
            </label>
            <NameField
                label=Signal::derive(move || words.get().speak().name.to_owned())
                hint=Signal::derive(move || words.get().speak().name_hint.to_owned())
            />
            <div class="dialog__actions">
                <button type="button" class="button" on:click=move |_| tools.close()>
                    {move || words.get().common.cancel}
                </button>
                <button type="submit" class="button is-primary" disabled=move || !ready.get()>
                    {move || words.get().speak().check}
                </button>
            </div>
        </form>
    }
}

/// One agent as a line, several to choose from.
#[component]
fn To(tools: SpeakTools) -> impl IntoView {
    let words = use_i18n();
    let SpeakTarget { agents, key, .. } = tools.target.get_untracked();
    let choice = move |id: AgentId| {
        let (own, picked, code) = (id.clone(), id.clone(), id.to_string());
        view! {
            <label>
                <input
                    type="radio"
                    name="speak-to"
                    value=code.clone()
                    prop:checked=move || tools.draft.with(|draft| draft.to == own)
                    on:change=move |_| tools.draft.update(|draft| draft.to = picked.clone())
                />
                <span>{move || tools.people.name(&id)}</span>
                <code>{code}</code>
            </label>
        }
    };
    match agents.as_slice() {
        [one] => {
            let (id, code) = (one.clone(), key.unwrap_or_else(|| one.to_string()));
            view! {
                <p class="speak__to">
                    <span class="is-dim">{move || words.get().speak().to}</span>
                    " "
                    <b>{move || tools.people.name(&id)}</b>
                    " "
                    <code>{code}</code>
                </p>
            }
            .into_any()
        }
        _ => view! {
            <fieldset class="speak__choice">
                <legend>{move || words.get().speak().to}</legend>
                {agents.into_iter().map(choice).collect_view()}
            </fieldset>
        }
        .into_any(),
    }
}
