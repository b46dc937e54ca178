//! Empty state of a page without data, by cause: log or home folder missing, unreadable, still reading, or no events
//! yet. It names the path. Also the one-line warning about missing or unreadable files for a notice band.

use coordination::api::{SourceInfo, SourceState, Unreadable};
use leptos::prelude::*;

use crate::i18n::messages::{HomeMessages, Messages};
use crate::i18n::use_i18n;
use crate::ui::Icon;
use crate::ui::empty::EmptyState;

/// Icon, sentence and explanation of a state, and whether it is a failure.
fn reading(state: SourceState, home: &HomeMessages) -> (Icon, &'static str, &'static str, bool) {
    match state {
        SourceState::LogMissing => (Icon::Warn, home.log_missing_title, home.log_missing_text, false),
        SourceState::HomeMissing => (Icon::Warn, home.home_missing_title, home.home_missing_text, false),
        SourceState::HomeNotFolder => (Icon::Warn, home.not_folder_title, home.not_folder_text, true),
        SourceState::Unreadable => (Icon::Warn, home.unreadable_title, home.unreadable_text, true),
        SourceState::Starting => (Icon::Clock, home.starting_title, home.starting_text, false),
        SourceState::Ok => (Icon::File, home.empty_title, home.empty_text, false),
        SourceState::Unknown => (Icon::Help, home.source_unknown_title, home.source_unknown_text, false),
    }
}

/// The path that the state is about, and why it could not be read.
fn place(source: &SourceInfo, words: &Messages) -> String {
    match source.state {
        SourceState::HomeMissing | SourceState::HomeNotFolder => source.home.clone(),
        SourceState::Unreadable => {
            // The log itself, or its folder.
            let of_log = |file: &&Unreadable| source.log_path.contains(file.path.as_str());
            let cause = source.unreadable.iter().find(of_log).map(|file| cause(&file.cause, words));
            let cause = cause.map(|cause| format!(" ({cause})")).unwrap_or_default();
            format!("{}{cause}", source.log_path)
        }
        _ => source.log_path.clone(),
    }
}

fn cause(written: &str, words: &Messages) -> String {
    (words.common.cause)(written).unwrap_or(written).to_owned()
}

/// The sentence for a source that is not in order; none when it is.
pub fn source_trouble(source: &SourceInfo, words: &Messages) -> Option<String> {
    match source.state {
        SourceState::Ok | SourceState::Unknown => {
            let first = source.unreadable.first()?;
            let count = (words.home.unread_files)(source.unreadable_total);
            Some(format!("{count} · {} ({})", first.path, cause(&first.cause, words)))
        }
        state => Some(format!("{} · {}", reading(state, &words.home).1, place(source, words))),
    }
}

/// The whole-page form, for a page without any data.
#[component]
pub fn SourceEmpty(source: SourceInfo) -> impl IntoView {
    let words = use_i18n();
    let state = source.state;
    let (icon, _, _, failed) = reading(state, &words.now().home);
    view! {
        <EmptyState
            icon=icon
            failed=failed
            title=Signal::derive(move || reading(state, &words.get().home).1.to_owned())
            text=Signal::derive(move || reading(state, &words.get().home).2.to_owned())
            code=Signal::derive(move || place(&source, words.get()))
        />
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Locale;

    fn source(state: SourceState) -> SourceInfo {
        let (home, log_path) = ("~/.openclaw".to_owned(), "~/.openclaw/logs/coordination-events.ndjson".to_owned());
        SourceInfo { state, home, log_path, ..SourceInfo::default() }
    }

    #[test]
    fn source_trouble_names_path_and_reason() {
        let words = Locale::Ko.messages();
        assert_eq!(source_trouble(&source(SourceState::Ok), words), None);
        for state in [SourceState::HomeMissing, SourceState::HomeNotFolder, SourceState::LogMissing] {
            assert!(source_trouble(&source(state), words).unwrap().contains("~/.openclaw"), "{state:?}");
        }
        let mut unread = source(SourceState::Unreadable);
        unread.unreadable = vec![Unreadable { path: "logs".to_owned(), cause: "EACCES".to_owned() }];
        let sentence = source_trouble(&unread, words).unwrap();
        assert!(sentence.contains("coordination-events.ndjson") && sentence.contains("권한"), "{sentence}");
        unread.state = SourceState::Ok;
        unread.unreadable_total = 3;
        let sentence = source_trouble(&unread, words).unwrap();
        assert!(sentence.contains("3개") && sentence.contains("logs"), "incomplete data is reported: {sentence}");
    }
}
