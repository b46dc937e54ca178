//! Content of the settings dialog: theme, contrast, density, language, single-key shortcuts and notifications. Each
//! change takes effect at once and is stored in the browser.

use coordination::api::{AlertTest, MessageStatus};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::super::alerts::{
    NotificationText, Permission, ask_permission, is_push_supported, permission, push_sink, show, use_push,
};
use crate::i18n::messages::ToolsMessages as Words;
use crate::i18n::{Locale, use_i18n};
use crate::queries::{FetchOptions, use_fetch};
use crate::routes::paths;
use crate::source::fleet_name;
use crate::state::{AlertDelay, Theme, use_alert_choice, use_hub, use_preferences, use_rights};
use crate::ui::segments::{Segment, Segments};
use crate::ui::toast::use_toasts;

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
        // The machines of a fleet notify, each from its own dashboard.
        {fleet_name().is_none().then(|| view! { <AlertsChoice /> <PushSwitch /> })}
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
    let letters = use_preferences().letters;
    view! {
        <SettingSwitch
            label=|words| words.letters
            is_on=letters
            on_press=Callback::new(move |()| letters.update(|on| *on = !*on))
        />
    }
}

/// One setting that is on or off.
#[component]
fn SettingSwitch(
    label: SettingLabel,
    #[prop(into)] is_on: Signal<bool>,
    on_press: Callback<()>,
    #[prop(into, optional)] disabled: Signal<bool>,
) -> impl IntoView {
    let words = use_i18n();
    view! {
        <div class="settings__line">
            <span aria-hidden="true">{move || label(words.get().tools())}</span>
            <button
                type="button"
                class="switch"
                role="switch"
                aria-label=move || label(words.get().tools())
                aria-checked=move || is_on.get().to_string()
                disabled=disabled
                on:click=move |_| on_press.run(())
            >
                {move || if is_on.get() { words.get().tools().switched_on } else { words.get().tools().switched_off }}
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

/// Whether the monitor notifies this browser while no page is open, and a test. Nothing where the monitor has no channel for
/// it.
#[component]
fn PushSwitch() -> impl IntoView {
    let words = use_i18n();
    let (push, hub, toasts, rights) = (use_push(), use_hub(), use_toasts(), use_rights());
    let options = FetchOptions::ignore_live_changes();
    let page = use_fetch(|| (), options, |source, ()| async move { source.alerts().await });
    let sink = Memo::new(move |_| Some(push_sink(page.data.get()?.as_ref())?.name.clone()));
    Effect::new(move |_| {
        if let Some(page) = page.data.get()
            && !push.check(&page)
        {
            toasts.failed(words.now().tools().push_lost.to_owned());
        }
    });
    let (is_busy, trouble) = (RwSignal::new(false), RwSignal::new(None::<String>));
    let subscribe = move |answer| {
        if answer != Permission::Granted {
            is_busy.try_set(false);
            trouble.try_set(Some(words.now().tools().alerts_denied.to_owned()));
            return;
        }
        spawn_local(async move {
            let subscribed = push.subscribe().await;
            trouble.try_set(subscribed.err().map(|cause| (words.now().tools().push_failed)(&cause)));
            is_busy.try_set(false);
        });
    };
    let toggle = move |()| {
        trouble.set(None);
        is_busy.set(true);
        if push.id().is_none() {
            ask_permission(subscribe);
            return;
        }
        spawn_local(async move {
            push.unsubscribe().await;
            is_busy.try_set(false);
        });
    };
    let test = move |_| {
        let (source, sink) = (hub.source.get_untracked(), sink.get_untracked());
        let (Some(source), Some(sink), receiver) = (source, sink, untrack(|| push.id())) else { return };
        is_busy.set(true);
        spawn_local(async move {
            let answer = source.test_alert(&AlertTest { sink, receiver }).await;
            match answer {
                Ok(message) if message.status == MessageStatus::Sent => {
                    toasts.done(words.now().tools().push_tested.to_owned());
                }
                // The push service does not know this browser any more.
                Ok(message) if message.status == MessageStatus::Cancelled => {
                    push.forget();
                    toasts.failed(words.now().tools().push_lost.to_owned());
                }
                Ok(message) => toasts.failed((words.now().tools().push_failed)(&message.cause.unwrap_or_default())),
                Err(error) => toasts.failed(error.sentence(words.now())),
            }
            is_busy.try_set(false);
        });
    };
    let is_offered = Memo::new(move |_| sink.get().is_some() && rights.may_categorize().get());
    move || {
        is_offered.get().then(|| {
            view! {
                <SettingSwitch
                    label=|words| words.push
                    is_on=Signal::derive(move || push.id().is_some())
                    on_press=Callback::new(toggle)
                    disabled=Signal::derive(move || is_busy.get() || !is_push_supported())
                />
                <p class="settings__note">{move || words.get().tools().push_note}</p>
                <p class="settings__note settings__trouble" role="status">
                    {move || {
                        let unsupported = || words.get().tools().alerts_unsupported.to_owned();
                        trouble.get().or_else(|| (!is_push_supported()).then(unsupported))
                    }}
                </p>
                {move || {
                    let is_busy = move || is_busy.get();
                    push.id()
                        .map(|_| {
                            view! {
                                <button type="button" class="button is-small" disabled=is_busy on:click=test>
                                    {move || words.get().tools().push_test}
                                </button>
                            }
                        })
                }}
            }
        })
    }
}
