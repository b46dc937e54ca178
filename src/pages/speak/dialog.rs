//! Dialog for a message to an agent. It shows one stage at a time: writing, review, sending, result. While message
//! sending is off, it shows how to set it up.

use leptos::html;
use leptos::prelude::*;

use super::outcome::{GatewaySettings, SettingsSnippet, SpeakOutcome};
use super::write::Write;
use super::{SendStage, SpeakTools};
use crate::components::plain::Plain;
use crate::i18n::use_i18n;
use crate::ui::Icon;
use crate::ui::dialog::Dialog;

/// What the monitor wants to know.
const MONITOR_SETTINGS: &str = "[gateway]\nurl = \"http://127.0.0.1:18789\"\ntoken_file = \"/path/to/gateway-token\"\n";

/// Dialog for a message, with one stage at a time; setup help while sending is off.
#[component]
pub(in crate::pages) fn SpeakDialog(tools: SpeakTools) -> impl IntoView {
    let words = use_i18n();
    // What is drawn changes with the kind of stage, not with each letter that is typed.
    let stage = Memo::new(move |_| tools.draft.with(|draft| draft.stage.clone()));
    let body = move || {
        if tools.is_off() {
            return view! { <SwitchOn /> }.into_any();
        }
        match stage.get() {
            SendStage::Write => view! { <Write tools=tools /> }.into_any(),
            SendStage::Check => view! { <Check tools=tools /> }.into_any(),
            SendStage::Sending => view! { <Sending tools=tools /> }.into_any(),
            SendStage::Answered(answer) => view! { <SpeakOutcome tools=tools sent=answer /> }.into_any(),
        }
    };
    let title = move || {
        let words = words.get().speak();
        if tools.is_off() { words.off_title } else { words.title }.to_owned()
    };
    view! {
        <Dialog
            open=tools.open
            on_close=Callback::new(move |()| tools.close())
            title=Signal::derive(title)
            close_label=Signal::derive(move || words.get().common.close.to_owned())
        >
            <div class="speak">{body}</div>
        </Dialog>
    }
}

/// Gives an element the focus once it is there: the stage before took it along.
pub(super) fn focus_on<T>(node: NodeRef<T>)
where
    T: html::ElementType,
    T::Output: wasm_bindgen::JsCast + Clone + 'static,
{
    Effect::new(move |_| {
        if let Some(element) = node.get() {
            let element: &web_sys::HtmlElement = wasm_bindgen::JsCast::unchecked_ref(&element);
            element.focus().unwrap_or_default();
        }
    });
}

/// Settings that turn sending on.
#[component]
fn SwitchOn() -> impl IntoView {
    let words = use_i18n();
    view! {
        <p>{move || words.get().speak().off_why}</p>
        <SettingsSnippet
            title=Signal::derive(move || words.get().speak().monitor_settings)
            why=Signal::derive(move || words.get().speak().monitor_settings_why)
            text=MONITOR_SETTINGS
        />
        <GatewaySettings />
    }
}

/// Recipient, text, and a note that sending cannot be undone.
#[component]
fn Check(tools: SpeakTools) -> impl IntoView {
    let words = use_i18n();
    let send = NodeRef::<html::Button>::new();
    focus_on(send);
    let (to, text) = tools.draft.with_untracked(|draft| {
        (draft.to.clone(), draft.request.as_ref().map(|request| request.text.clone()).unwrap_or_default())
    });
    let code = tools.target.with_untracked(|target| target.key.clone()).unwrap_or_else(|| to.to_string());
    view! {
        <p class="speak__to" id="speak-sure">
            <b>{move || (words.get().speak().sure)(&tools.people.name(&to))}</b>
            " "
            <code>{code}</code>
        </p>
        <blockquote class="speak__text" tabindex="0" aria-labelledby="speak-sure">
            <Plain text=text />
        </blockquote>
        <p class="is-dim">{move || words.get().speak().sure_why}</p>
        <div class="dialog__actions">
            <button
                type="button"
                class="button is-quiet dialog__other"
                on:click=move |_| tools.draft.update(|draft| draft.reset())
            >
                {Icon::Pen}
                {move || words.get().speak().edit}
            </button>
            <button type="button" class="button" on:click=move |_| tools.close()>
                {move || words.get().common.cancel}
            </button>
            <button type="button" class="button is-primary" node_ref=send on:click=move |_| tools.send()>
                {move || words.get().speak().send}
            </button>
        </div>
    }
}

/// Note that the message is being sent, with the time it may take.
#[component]
fn Sending(tools: SpeakTools) -> impl IntoView {
    let words = use_i18n();
    let secs = tools
        .draft
        .with_untracked(|draft| draft.request.as_ref().and_then(|request| request.timeout_seconds).unwrap_or_default());
    let close = NodeRef::<html::Button>::new();
    focus_on(close);
    view! {
        <div class="speak__state" role="status">
            <span class="mark is-live">
                {Icon::Running}
                <span class="mark__word">{move || words.get().speak().sending}</span>
            </span>
            <p>
                {move || (secs > 0).then(|| (words.get().speak().sending_wait)(secs))}
                " "
                {move || words.get().speak().sending_close}
            </p>
        </div>
        <div class="dialog__actions">
            <button type="button" class="button" node_ref=close on:click=move |_| tools.close()>
                {move || words.get().common.close}
            </button>
        </div>
    }
}
