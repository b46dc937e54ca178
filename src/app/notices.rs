//! Notice bands below the masthead: lost or stale connection, wrong clock, unreadable files, faults of the configuration.

use coordination::api::{ConfigState, SourceInfo, SourceState};
use leptos::prelude::*;

use super::data_panel::MachineNotice;
use crate::components::source_empty::source_trouble;
use crate::i18n::messages::{Messages, ShellMessages};
use crate::i18n::{Locale, time, use_i18n};
use crate::state::{Connection, use_clock, use_connection, use_hub};
use crate::ui::band::Band;
use crate::ui::{Icon, Tone};

/// All bands that apply.
#[component]
pub(super) fn Notices() -> impl IntoView {
    let words = use_i18n();
    let (hub, clock) = (use_hub(), use_clock());
    let source = Memo::new(move |_| hub.home.with(|home| home.as_ref().map(|home| home.source.clone())));
    // A page of which nothing could be read explains the source itself, in full.
    let unread = hub.unread_source();
    let trouble = move |pick: fn(&SourceInfo, &Messages) -> Option<String>| {
        Signal::derive(move || {
            let words = words.get();
            source.with(|source| source.as_ref().and_then(|source| pick(source, words))).unwrap_or_default()
        })
    };
    let files = trouble(source_trouble);
    let config = trouble(config_trouble);
    let ahead = Signal::derive(move || {
        let now = clock.running_coarse().get();
        let ahead = source.with(|source| source.as_ref().and_then(|source| source.events_ahead_ms(now)));
        ahead.map(|ms| clock_trouble(&words.get().shell, words.locale(), ms)).unwrap_or_default()
    });
    view! {
        <LinkBand />
        <MachineNotice />
        <Show when=move || !ahead.with(String::is_empty)>
            <Band tone=Tone::Warning icon=Icon::Clock text=ahead />
        </Show>
        <Show when=move || unread.with(Option::is_none) && !files.with(String::is_empty)>
            <Band tone=Tone::Warning icon=Icon::Warn text=files />
        </Show>
        <Show when=move || !config.with(String::is_empty)>
            <Band
                tone=Tone::Info
                icon=Icon::Settings
                text=Signal::derive(move || format!("{}: {}", words.get().shell.config, config.get()))
            />
        </Show>
    }
}

/// The sentence for events that are ahead of the monitor's clock, whose time the page has.
pub(super) fn clock_trouble(shell: &ShellMessages, locale: Locale, ahead_ms: i64) -> String {
    (shell.clock_band)(&time::duration(locale, ahead_ms / 60_000 * 60_000))
}

fn config_trouble(source: &SourceInfo, words: &Messages) -> Option<String> {
    match source.config {
        ConfigState::Ok | ConfigState::Unknown => None,
        // Without a log there are no events from which names and roles would have to be guessed.
        ConfigState::Missing if source.state == SourceState::Ok && source.files.is_empty() => None,
        state => Some((words.common.config_state)(state).to_owned()),
    }
}

/// What shows of a broken link, as words.
#[component]
fn LinkBand() -> impl IntoView {
    let words = use_i18n();
    let connection = use_connection();
    let clock = use_clock();
    // A link that comes back at once is no news: the mark in the masthead is enough.
    let shown = Memo::new(move |_| {
        connection.refused.get()
            || matches!(connection.shown(), Connection::Stale { .. } | Connection::Offline { attempt: 3.., .. })
    });
    let tone = Memo::new(move |_| matches!(connection.shown(), Connection::Offline { .. }));
    let text = Signal::derive(move || {
        let (locale, shell) = (words.locale(), &words.get().shell);
        if connection.refused.get() {
            return shell.refused_band.to_owned();
        }
        match connection.shown() {
            Connection::Stale { since } => {
                let age = time::duration(locale, clock.running_second() - since);
                (shell.stale_band)(&age, &time::short(locale, clock.running_second(), since))
            }
            Connection::Offline { attempt, .. } => (shell.offline_band)(attempt),
            Connection::Connecting | Connection::Live { .. } | Connection::Files => String::new(),
        }
    });
    move || {
        let (tone, icon) = if tone.get() { (Tone::Danger, Icon::Offline) } else { (Tone::Warning, Icon::Clock) };
        shown.get().then(|| {
            view! {
                <Band tone=tone icon=icon text=text>
                    <button type="button" class="button is-small" on:click=move |_| connection.try_now()>
                        {move || words.get().shell.check_now}
                    </button>
                </Band>
            }
        })
    }
}
