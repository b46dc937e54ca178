//! Content of the settings dialog: theme, contrast, density, language and single-key shortcuts. Each change takes
//! effect at once and is stored in the browser.

use leptos::prelude::*;

use crate::i18n::messages::ToolsMessages as Words;
use crate::i18n::{Locale, use_i18n};
use crate::state::{Theme, use_preferences};
use crate::ui::segments::{Segment, Segments};

/// All settings, one line each.
#[component]
pub(super) fn SettingsPanel() -> impl IntoView {
    let words = use_i18n();
    let preferences = use_preferences();
    let languages = Locale::ALL.into_iter().map(|locale| Segment {
        value: locale,
        // A language is named in itself.
        view: ViewFn::from(move || view! { <span lang=locale.as_str()>{locale.own_name()}</span> }),
    });
    view! {
        <SettingChoice
            label=|words| words.theme
            choices=vec![
                (Theme::System, |words| words.theme_system),
                (Theme::Light, |words| words.theme_light),
                (Theme::Dark, |words| words.theme_dark),
            ]
            value=preferences.theme
        />
        <SettingChoice
            label=|words| words.contrast
            choices=vec![(false, |words| words.contrast_usual), (true, |words| words.contrast_more)]
            value=preferences.contrast
        />
        <p class="settings__note">{move || words.get().tools().contrast_note}</p>
        <SettingChoice
            label=|words| words.density
            choices=vec![(false, |words| words.density_usual), (true, |words| words.density_compact)]
            value=preferences.compact
        />
        <div class="settings__line">
            <span aria-hidden="true">{move || words.get().shell.language}</span>
            <Segments
                label=Signal::derive(move || words.get().shell.language.to_owned())
                choices=languages.collect()
                value=preferences.locale
                on_pick=Callback::new(move |locale| preferences.locale.set(locale))
            />
        </div>
        <LettersSwitch />
    }
}

type SettingLabel = fn(&'static Words) -> &'static str;

/// One setting: its label and its values as segments.
#[component]
fn SettingChoice<T>(label: SettingLabel, choices: Vec<(T, SettingLabel)>, value: RwSignal<T>) -> impl IntoView
where
    T: Copy + PartialEq + Send + Sync + 'static,
{
    let words = use_i18n();
    let choices = choices.into_iter().map(|(value, word)| Segment {
        value,
        view: ViewFn::from(move || view! { <span>{move || word(words.get().tools())}</span> }),
    });
    view! {
        <div class="settings__line">
            <span aria-hidden="true">{move || label(words.get().tools())}</span>
            <Segments
                label=Signal::derive(move || label(words.get().tools()).to_owned())
                choices=choices.collect()
                value=value
                on_pick=Callback::new(move |picked| value.set(picked))
            />
        </div>
    }
}

/// Switch that turns single-key shortcuts on or off.
#[component]
pub(super) fn LettersSwitch() -> impl IntoView {
    let words = use_i18n();
    let letters = use_preferences().letters;
    view! {
        <div class="settings__line">
            <span aria-hidden="true">{move || words.get().tools().letters}</span>
            <button
                type="button"
                class="switch"
                role="switch"
                aria-label=move || words.get().tools().letters
                aria-checked=move || letters.get().to_string()
                on:click=move |_| letters.update(|on| *on = !*on)
            >
                {move || if letters.get() { words.get().tools().letters_on } else { words.get().tools().letters_off }}
            </button>
        </div>
    }
}
