//! The language switch of the bar: one click away, for readers who cannot read the rest.

use leptos::prelude::*;

use crate::i18n::{Locale, use_words};
use crate::state::use_preferences;

/// Changes to the other language.
#[component]
pub(super) fn LanguageButton() -> impl IntoView {
    let words = use_words();
    let locale = use_preferences().locale;
    let other = |locale| match locale {
        Locale::Ko => Locale::En,
        Locale::En => Locale::Ko,
    };
    let offered = move || other(locale.get()).as_str().to_ascii_uppercase();
    // A handler subscribes to nothing.
    let switch = move |_| locale.update(|locale| *locale = other(*locale));
    view! {
        <button
            type="button"
            class="icon-button language"
            // The name holds what is written on the button, so that a voice can press it.
            aria-label=move || format!("{}: {}", words.get().shell.language, offered())
            on:click=switch
        >
            {offered}
        </button>
    }
}
