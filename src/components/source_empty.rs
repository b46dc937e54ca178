//! Why there is nothing to show at all: no log, no home, not readable, still reading, or really nothing yet.
//! Always with the path the monitor looked at.

use coordination::api::{SourceInfo, SourceState};
use leptos::prelude::*;

use crate::i18n::messages::Home;
use crate::i18n::use_words;
use crate::ui::Icon;
use crate::ui::empty::EmptyState;

/// Icon, sentence and explanation of a state, and whether it is a failure.
fn reading(state: SourceState, home: &Home) -> (Icon, &'static str, &'static str, bool) {
    match state {
        SourceState::LogMissing => (Icon::Warn, home.log_missing_title, home.log_missing_text, false),
        SourceState::HomeMissing => (Icon::Warn, home.home_missing_title, home.home_missing_text, false),
        SourceState::Unreadable => (Icon::Warn, home.unreadable_title, home.unreadable_text, true),
        SourceState::Starting => (Icon::Clock, home.starting_title, home.starting_text, false),
        SourceState::Ok | SourceState::Unknown => (Icon::File, home.empty_title, home.empty_text, false),
    }
}

/// The sentence for a source that is not in order; none when it is. Reactive.
pub fn source_trouble(source: &SourceInfo) -> Option<String> {
    let home = &use_words().get().home;
    match source.state {
        SourceState::Ok | SourceState::Unknown => None,
        state => {
            let path = if state == SourceState::HomeMissing { &source.home } else { &source.log_path };
            Some(format!("{} · {path}", reading(state, home).1))
        }
    }
}

/// The whole-page form, for a page without any data.
#[component]
pub fn SourceEmpty(source: SourceInfo) -> impl IntoView {
    let words = use_words();
    let state = source.state;
    let path = if state == SourceState::HomeMissing { source.home } else { source.log_path };
    let (icon, _, _, failed) = reading(state, &words.now().home);
    view! {
        <EmptyState
            icon=icon
            failed=failed
            title=Signal::derive(move || reading(state, &words.get().home).1.to_owned())
            text=Signal::derive(move || reading(state, &words.get().home).2.to_owned())
            code=Signal::derive(move || path.clone())
        />
    }
}
