//! Search button of the masthead, styled as a field. It opens the command palette. On narrow screens it is only an
//! icon.

use leptos::prelude::*;
use leptos_router::hooks::use_location;

use super::tools::{ToolDialogs, command_cap};
use crate::i18n::use_i18n;
use crate::routes::{SearchFilter, paths};
use crate::ui::Icon;

/// The button. The page of all results has a field of its own.
#[component]
pub(super) fn SearchButton(tools: ToolDialogs) -> impl IntoView {
    let words = use_i18n();
    let path = use_location().pathname;
    let results = paths::search(&SearchFilter::default());
    let on_results = Memo::new(move |_| path.with(|path| *path == results));
    let button = move || {
        view! {
            <button
                type="button"
                class="seek"
                // What is written on it is part of its name: voice control calls it by what it reads.
                aria-label=move || format!("{} {} K", words.get().shell.search, command_cap())
                title=move || words.get().shell.palette
                aria-haspopup="dialog"
                on:click=move |_| tools.palette.set(true)
            >
                {Icon::Search}
                <span>{move || words.get().shell.search}</span>
                " "
                <kbd>{command_cap()} " K"</kbd>
            </button>
        }
    };
    move || (!on_results.get()).then(button)
}
