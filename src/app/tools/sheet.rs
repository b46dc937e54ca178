//! Help dialog content: a list of keyboard shortcuts, the switch for single-key shortcuts, and a glossary of the page's
//! terms. Except for Esc and the arrow keys, the shortcuts come from the table that the key listener uses.

use leptos::prelude::*;

use super::command_cap;
use super::settings::LettersSwitch;
use crate::app::shell::MenuItem;
use crate::i18n::messages::Messages;
use crate::i18n::use_i18n;
use crate::queries::{BINDINGS, Binding, Press, Shortcut, ShortcutScope};

/// What the key is for, in words.
fn word(key: Shortcut, words: &Messages) -> String {
    let tools = words.tools();
    let place = |place: MenuItem| (tools.go_to)(place.name(words));
    match key {
        Shortcut::Palette => tools.key_palette.to_owned(),
        Shortcut::Search => tools.key_search.to_owned(),
        Shortcut::Home => place(MenuItem::Home),
        Shortcut::Sessions => place(MenuItem::Sessions),
        Shortcut::Events => place(MenuItem::Events),
        Shortcut::Tasks => place(MenuItem::Tasks),
        Shortcut::Agents => place(MenuItem::Agents),
        Shortcut::Stores => place(MenuItem::Stores),
        Shortcut::Sheet => tools.key_sheet.to_owned(),
        Shortcut::NextRow => tools.key_next_row.to_owned(),
        Shortcut::PreviousRow => tools.key_previous_row.to_owned(),
        Shortcut::OpenRow => tools.key_open_row.to_owned(),
        Shortcut::Undo => tools.key_undo.to_owned(),
        Shortcut::Unread => tools.key_unread.to_owned(),
        Shortcut::NewerSession => tools.key_newer.to_owned(),
        Shortcut::OlderSession => tools.key_older.to_owned(),
        Shortcut::Category => tools.key_category.to_owned(),
        Shortcut::Choose => tools.key_choose.to_owned(),
        Shortcut::ChooseTo => tools.key_choose_to.to_owned(),
        Shortcut::Leave => tools.key_leave.to_owned(),
        Shortcut::CopyLink => tools.key_copy_link.to_owned(),
        Shortcut::Oldest => tools.key_oldest.to_owned(),
        Shortcut::Newest => tools.key_newest.to_owned(),
    }
}

/// Help content: shortcuts by scope, the switch for single-key shortcuts, and the terms of the page.
#[component]
pub(super) fn HelpSheet() -> impl IntoView {
    let words = use_i18n();
    let scopes = ShortcutScope::ALL.into_iter().enumerate().map(|(number, scope)| {
        let keys = BINDINGS.into_iter().filter(|binding| binding.scope == scope);
        let lines = keys.map(|binding| view! { <ShortcutLine binding=binding /> }).collect_view();
        view! {
            <h3 class="keys-scope">{move || words.get().tools().scopes[number]}</h3>
            <dl class="keys">{lines} {(scope == ShortcutScope::Anywhere).then(Fixed)} {(scope == ShortcutScope::Lists).then(Arrows)}</dl>
        }
    });
    view! {
        <div class="help">
            <div>
                {scopes.collect_view()} <p class="keys-note">{move || words.get().tools().keys_note}</p> <LettersSwitch />
            </div>
            <div>
                <HelpTerms />
            </div>
        </div>
    }
}

/// Terms of the page with their meanings.
#[component]
fn HelpTerms() -> impl IntoView {
    let words = use_i18n();
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

/// One shortcut: what it does, and its keys.
#[component]
fn ShortcutLine(binding: Binding) -> impl IntoView {
    let words = use_i18n();
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

/// The Esc key, which the browser or a widget handles.
#[component]
fn Fixed() -> impl IntoView {
    let words = use_i18n();
    view! {
        <dt>{move || words.get().tools().key_close}</dt>
        <dd>
            <kbd>"Esc"</kbd>
        </dd>
    }
}

/// The arrow keys, which move between the rows of a list.
#[component]
fn Arrows() -> impl IntoView {
    let words = use_i18n();
    view! {
        <dt>{move || words.get().tools().key_rows}</dt>
        <dd>
            <kbd>"↑"</kbd>
            <kbd>"↓"</kbd>
        </dd>
    }
}
