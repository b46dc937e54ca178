//! Language button of the masthead. One press switches between Korean and English.

use leptos::prelude::*;

use crate::i18n::{Locale, use_i18n};
use crate::state::use_preferences;
use crate::ui::painted::after_paint;

/// Changes to the other language.
#[component]
pub(super) fn LanguageButton() -> impl IntoView {
    let words = use_i18n();
    let locale = use_preferences().locale;
    let other = |locale| match locale {
        Locale::Ko => Locale::En,
        Locale::En => Locale::Ko,
    };
    // The button turns at once; the words of a whole page take longer than a frame.
    let chosen = RwSignal::new(locale.get_untracked());
    Effect::new(move |_| chosen.set(locale.get()));
    let offered = move || other(chosen.get()).as_str().to_ascii_uppercase();
    let switch = move |_| {
        chosen.update(|locale| *locale = other(*locale));
        after_paint(move || {
            if let Some(chosen) = chosen.try_get_untracked() {
                locale.set(chosen);
            }
        });
    };
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
