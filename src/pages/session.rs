//! The session page.

use leptos::prelude::*;

use crate::hooks::use_page_title;
use crate::i18n::use_words;

/// The session page.
#[component]
pub fn SessionPage() -> impl IntoView {
    let words = use_words();
    use_page_title(move || words.get().thread.tab_talk.to_owned());
    view! {
        <main id="main" class="page" tabindex="-1">
            <h1>{move || words.get().thread.tab_talk}</h1>
        </main>
    }
}
