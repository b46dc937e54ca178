//! The help sheet: the keys, made of the table the listener reads, and the terms of the page.

use leptos::prelude::*;

use super::command_cap;
use super::settings::LettersSwitch;
use crate::app::shell::Place;
use crate::i18n::messages::Messages;
use crate::i18n::use_words;
use crate::queries::{BINDINGS, Binding, Key, Press, Scope};

/// What the key is for, in words.
fn word(key: Key, words: &Messages) -> String {
    let tools = words.tools();
    let place = |place: Place| (tools.go_to)(place.name(words));
    match key {
        Key::Palette => tools.key_palette.to_owned(),
        Key::Search => tools.key_search.to_owned(),
        Key::Home => place(Place::Home),
        Key::Sessions => place(Place::Sessions),
        Key::Events => place(Place::Events),
        Key::Tasks => place(Place::Tasks),
        Key::Agents => place(Place::Agents),
        Key::Stores => place(Place::Stores),
        Key::Sheet => tools.key_sheet.to_owned(),
        Key::NextRow => tools.key_next_row.to_owned(),
        Key::PreviousRow => tools.key_previous_row.to_owned(),
        Key::OpenRow => tools.key_open_row.to_owned(),
        Key::Undo => tools.key_undo.to_owned(),
        Key::Unread => tools.key_unread.to_owned(),
        Key::NewerSession => tools.key_newer.to_owned(),
        Key::OlderSession => tools.key_older.to_owned(),
        Key::Category => tools.key_category.to_owned(),
        Key::Choose => tools.key_choose.to_owned(),
        Key::ChooseTo => tools.key_choose_to.to_owned(),
        Key::Leave => tools.key_leave.to_owned(),
        Key::CopyLink => tools.key_copy_link.to_owned(),
        Key::Oldest => tools.key_oldest.to_owned(),
        Key::Newest => tools.key_newest.to_owned(),
    }
}

/// All keys under their scopes, and the switch that turns those off that are pressed alone.
#[component]
pub(super) fn Sheet() -> impl IntoView {
    let words = use_words();
    let scopes = Scope::ALL.into_iter().enumerate().map(|(number, scope)| {
        let keys = BINDINGS.into_iter().filter(|binding| binding.scope == scope);
        let lines = keys.map(|binding| view! { <Line binding=binding /> }).collect_view();
        view! {
            <h3 class="keys-scope">{move || words.get().tools().scopes[number]}</h3>
            <dl class="keys">{lines} {(scope == Scope::Anywhere).then(Fixed)} {(scope == Scope::Lists).then(Arrows)}</dl>
        }
    });
    view! {
        <div class="help">
            <div>
                {scopes.collect_view()} <p class="keys-note">{move || words.get().tools().keys_note}</p> <LettersSwitch />
            </div>
            <div>
                <Legend />
            </div>
        </div>
    }
}

/// What the words of the page mean.
#[component]
fn Legend() -> impl IntoView {
    let words = use_words();
    let lines = move || {
        let legend = words.get().tools().legend;
        legend.into_iter().map(|(term, meaning)| view! { <dt>{term}</dt> <dd>{meaning}</dd> }).collect_view()
    };
    view! {
        <h3 class="keys-scope" id="terms">
            {move || words.get().tools().terms}
        </h3>
        <dl class="terms" aria-labelledby="terms">
            {lines}
        </dl>
    }
}

#[component]
fn Line(binding: Binding) -> impl IntoView {
    let words = use_words();
    let before = match binding.press {
        Press::Command => Some(view! { <kbd>{command_cap()}</kbd> }.into_any()),
        Press::AfterG => Some(view! { <kbd>"G"</kbd> <span>{move || words.get().tools().then}</span> }.into_any()),
        // A letter is the same key cap with Shift; `?` already implies it.
        Press::Shift if binding.cap.chars().all(char::is_alphabetic) => Some(view! { <kbd>"Shift"</kbd> }.into_any()),
        Press::Alone | Press::Shift => None,
    };
    view! {
        <dt>{move || word(binding.key, words.get())}</dt>
        <dd>{before} <kbd>{binding.cap}</kbd></dd>
    }
}

/// Keys that the browser or a widget answers.
#[component]
fn Fixed() -> impl IntoView {
    let words = use_words();
    view! {
        <dt>{move || words.get().tools().key_close}</dt>
        <dd>
            <kbd>"Esc"</kbd>
        </dd>
    }
}

#[component]
fn Arrows() -> impl IntoView {
    let words = use_words();
    view! {
        <dt>{move || words.get().tools().key_rows}</dt>
        <dd>
            <kbd>"↑"</kbd>
            <kbd>"↓"</kbd>
        </dd>
    }
}
