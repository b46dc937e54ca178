//! Theme and language.

use leptos::prelude::*;

use crate::i18n::{Locale, use_words};
use crate::state::{Theme, use_preferences};
use crate::ui::Icon;

/// The button that changes the theme, and the one that changes the language.
#[component]
pub(super) fn SettingsButton() -> impl IntoView {
    let words = use_words();
    let preferences = use_preferences();
    let theme_label = move || {
        let shell = &words.get().shell;
        let now = match preferences.theme.get() {
            Theme::System => shell.theme_system,
            Theme::Light => shell.theme_light,
            Theme::Dark => shell.theme_dark,
        };
        format!("{}: {now}", shell.theme)
    };
    let next_theme = move |_| {
        preferences.theme.update(|theme| {
            *theme = match theme {
                Theme::System => Theme::Light,
                Theme::Light => Theme::Dark,
                Theme::Dark => Theme::System,
            };
        });
    };
    let other = |locale| match locale {
        Locale::Ko => Locale::En,
        Locale::En => Locale::Ko,
    };
    let offered = move || other(preferences.locale.get()).as_str().to_ascii_uppercase();
    // A handler subscribes to nothing.
    let switch = move |_| preferences.locale.update(|locale| *locale = other(*locale));
    view! {
        <button type="button" class="icon-button" aria-label=theme_label title=theme_label on:click=next_theme>
            {Icon::Theme}
        </button>
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
