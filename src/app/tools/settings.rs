//! Content of the settings dialog: theme, contrast, density, language, single-key shortcuts and notifications. Each
//! change takes effect at once and is stored in the browser.

use leptos::prelude::*;

use super::super::alerts::{NotificationText, Permission, ask_permission, permission, show};
use crate::i18n::messages::ToolsMessages as Words;
use crate::i18n::{Locale, use_i18n};
use crate::routes::paths;
use crate::state::{AlertDelay, Theme, use_alert_choice, use_preferences};
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
            on_pick=Callback::new(move |picked| preferences.theme.set(picked))
        />
        <SettingChoice
            label=|words| words.contrast
            choices=vec![(false, |words| words.contrast_usual), (true, |words| words.contrast_more)]
            value=preferences.contrast
            on_pick=Callback::new(move |picked| preferences.contrast.set(picked))
        />
        <p class="settings__note">{move || words.get().tools().contrast_note}</p>
        <SettingChoice
            label=|words| words.density
            choices=vec![(false, |words| words.density_usual), (true, |words| words.density_compact)]
            value=preferences.compact
            on_pick=Callback::new(move |picked| preferences.compact.set(picked))
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
        <AlertsChoice />
    }
}

type SettingLabel = fn(&'static Words) -> &'static str;

/// One setting: its label and its values as segments.
#[component]
fn SettingChoice<T>(
    label: SettingLabel,
    choices: Vec<(T, SettingLabel)>,
    #[prop(into)] value: Signal<T>,
    on_pick: Callback<T>,
) -> impl IntoView
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
                on_pick=on_pick
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

/// When the browser notifies, and whether it may.
#[component]
fn AlertsChoice() -> impl IntoView {
    let words = use_i18n();
    let choice = use_alert_choice();
    let chosen = Signal::derive(move || choice.get());
    let allowed = RwSignal::new(permission());
    // It may be changed at the address bar.
    let back = window_event_listener(leptos::ev::focus, move |_| allowed.set(permission()));
    on_cleanup(move || back.remove());
    let pick = move |delay: AlertDelay| {
        let is_new = chosen.get_untracked() == AlertDelay::Off || allowed.get_untracked() != Permission::Granted;
        choice.set(delay);
        if delay == AlertDelay::Off {
            return;
        }
        ask_permission(move |answer| {
            allowed.try_set(answer);
            if answer == Permission::Granted && is_new {
                let words = words.now().tools();
                let (title, body) = (words.alerts_sample.to_owned(), words.alerts_sample_text.to_owned());
                let sample = NotificationText { title, body, tag: "sample".to_owned(), path: paths::home() };
                show(sample, Callback::new(|_| {}));
            }
        });
    };
    let trouble = move || {
        let words = words.get().tools();
        match allowed.get() {
            _ if chosen.get() == AlertDelay::Off => None,
            Permission::Granted => None,
            Permission::Denied => Some(words.alerts_denied),
            Permission::Unknown => Some(words.alerts_unanswered),
            Permission::Insecure => Some(words.alerts_insecure),
            Permission::Unsupported => Some(words.alerts_unsupported),
        }
    };
    view! {
        <SettingChoice
            label=|words| words.alerts
            choices=vec![
                (AlertDelay::Off, |words| words.alerts_off),
                (AlertDelay::AtOnce, |words| words.alerts_at_once),
                (AlertDelay::OneMinute, |words| words.alerts_one_minute),
                (AlertDelay::FiveMinutes, |words| words.alerts_five_minutes),
            ]
            value=chosen
            on_pick=Callback::new(pick)
        />
        <p class="settings__note">{move || words.get().tools().alerts_note}</p>
        <p class="settings__note settings__trouble" role="status">{trouble}</p>
    }
}
