//! The sessions page.

use leptos::prelude::*;

use crate::hooks::use_page_title;
use crate::i18n::use_words;

/// The sessions page.
#[component]
pub fn SessionsPage() -> impl IntoView {
    let words = use_words();
    use_page_title(move || words.get().sessions.title.to_owned());
    view! {
        <main id="main" class="page" tabindex="-1">
            <h1>{move || words.get().sessions.title}</h1>
        </main>
    }
}
