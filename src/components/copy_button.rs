//! Button that copies a text to the clipboard. A toast shows whether copying worked.

use std::sync::Arc;

use leptos::prelude::*;

use crate::i18n::{I18n, use_i18n};
use crate::ui::toast::{Toasts, use_toasts};
use crate::ui::{Icon, clipboard};

/// Copies `text` and shows a toast.
pub fn copy_with_toast(text: &str, done: &'static str, words: I18n, toasts: Toasts) {
    clipboard::copy(text, move |copied| {
        if copied {
            toasts.done(done);
        } else {
            toasts.failed(words.now().common.copy_failed);
        }
    });
}

/// Icon alone with a name, or icon and word.
#[component]
pub fn CopyButton(
    /// What is copied.
    #[prop(into)]
    text: Arc<str>,
    /// Name of the button; shown as a word unless `bare`.
    #[prop(into)]
    label: Signal<String>,
    /// Icon only.
    #[prop(default = false)]
    bare: bool,
) -> impl IntoView {
    let words = use_i18n();
    let toasts = use_toasts();
    let on_click = move |_| copy_with_toast(&text, words.now().common.copied, words, toasts);
    view! {
        <button
            type="button"
            class=if bare { "icon-button" } else { "button is-quiet is-small" }
            aria-label=move || bare.then(|| label.get())
            title=move || bare.then(|| label.get())
            on:click=on_click
        >
            {Icon::Copy}
            {(!bare).then(|| view! { <span>{move || label.get()}</span> })}
        </button>
    }
}
